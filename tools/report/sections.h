/* The sections of a report, each appended to its page. */
#ifndef REPORT_SECTIONS_H
#define REPORT_SECTIONS_H

#include "diagnose/diagnosis.h"
#include "html/html.h"
#include "plot/chart.h"

#define REPORT_DAY_MAX 11

struct report {
    struct diagnosis diagnosis;
    const struct chart *chart; /* NULL: there is nothing to draw */
    enum exit_status read;     /* whether the first reading got to the end */
    bool is_broken;            /* a later reading failed, after a message: there is no page */
    char day[REPORT_DAY_MAX];  /* of all times, "2026-01-31"; "": there are several, or none */
};

/* Rows of a table; a page with more would be slow, and too long to read. */
#define REPORT_FINDINGS_MAX 2000
#define REPORT_MODES_MAX 300
#define REPORT_STREAMS_MAX 200
#define REPORT_FILES_MAX 200
#define REPORT_RECIPES_MAX 3
/* Bytes of them, where texts are from outside. */
#define REPORT_FINDINGS_BYTES 300000
#define REPORT_FILES_BYTES 50000
#define REPORT_RECIPE_BYTES 20000

/* Appends a cell with a time, without its date if all are of one day; and that column's heading, with the date. */
void report_put_time(struct buffer *page, const struct report *report, int64_t time);
void report_put_time_heading(struct buffer *page, const struct report *report, const char *title);

/* Appends a cell with the file, if there are several. */
void report_put_file(struct buffer *page, const struct report *report, const struct armtap_where *where);

/* Sets the day. */
void report_find_day(struct report *report);
/* The times that the capture covers; the verdicts; stops and their causes. */
void report_put_range(struct buffer *page, const struct report *report);
void report_put_verdict(struct buffer *page, const struct report *report);
/* These return 0, or -1 without memory. */
int report_put_findings(struct buffer *page, const struct report *report);
int report_put_remedies(struct buffer *page, const struct report *report);
int report_put_recipes(struct buffer *page, struct report *report);
int report_put_streams(struct buffer *page, const struct report *report);
int report_put_modes(struct buffer *page, const struct report *report);
void report_put_comments(struct buffer *page, const struct report *report);
/* The files with their sizes and sums, and the program that made the report. */
void report_put_identity(struct buffer *page, struct report *report);

#endif
