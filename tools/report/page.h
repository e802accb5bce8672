/* The sections of a report, each appended to its page. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "diagnose/diagnosis.h"
#include "html/html.h"
#include "plot/chart.h"

struct report {
    struct diagnosis diagnosis;
    const struct chart *chart; /* NULL: there is nothing to draw */
    enum exit_status read;     /* whether the first reading got to the end */
    bool is_broken;            /* a later reading failed, after a message: there is no page */
    size_t findings_left_out;
};

/* Rows of a table; a page with more would be slow, and too long to read. */
#define REPORT_FINDINGS_MAX 2000
#define REPORT_MODES_MAX 300
#define REPORT_STREAMS_MAX 200
#define REPORT_RECIPES_MAX 3

/* "2026-01-31T12:00:00.000129Z", or "-". Returns `to`. */
const char *report_date(char to[WHEN_DATE_MAX], int64_t time, enum timestamp_zone zone);

/* What the report is about; the verdicts; stops and their causes. */
void report_put_verdict(struct buffer *page, const struct report *report);
/* These return 0, or -1 without memory. */
int report_put_findings(struct buffer *page, struct report *report);
int report_put_remedies(struct buffer *page, const struct report *report);
int report_put_recipes(struct buffer *page, struct report *report);
void report_put_streams(struct buffer *page, const struct report *report);
void report_put_modes(struct buffer *page, const struct report *report);
/* The files with their sizes and sums, and the program that made the report. */
void report_put_identity(struct buffer *page, struct report *report);

#endif
