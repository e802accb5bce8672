/* One export at work: shared by export.c, which reads and prints, and check_request.c, which judges what can be
 * printed. */
#ifndef EXPORT_EXPORT_JOB_H
#define EXPORT_EXPORT_JOB_H

#include "live_numbering.h"
#include "format_threads.h"
#include "export.h"
#include "output_files.h"

/* Tables that an output of one table has no place for, where the source cannot be read beforehand. */
struct left_over {
    uint64_t rows;
    unsigned told; /* so many of them were told of as they came */
};

/* What the library cut of a stream, as its note says. */
struct cut {
    uint64_t connection;
    struct armtap_where where;
    char robot[64], client[64];
    char text[240];
};
#define CUTS_TOLD 8

struct job {
    const struct export_wish *wish;
    const struct replay_source *source;
    bool once;                          /* the source cannot be read twice */
    struct armtap_knowledge *knowledge; /* what the first reading leaves to the second */
    struct armtap_streams *streams;
    struct tables *tables;
    struct missing_data *missings;
    struct cut cuts[CUTS_TOLD]; /* the first ones */
    uint64_t cut_count;         /* of all */
    struct live_numbering arrivals;
    struct selection selection;
    struct view opaque_view; /* of records without a table */
    bool opaque_begun;
    struct output_files outlets;
    struct batches *batches; /* NULL before the rows, and once they cannot be written */
    int64_t shown;           /* when rows of a live source were last written: ns of the monotonic clock */
    struct replay_totals totals;
    bool times_known; /* from and to are resolved */
    int64_t from, to;
    uint64_t rows;
    uint64_t opaque;
    uint64_t untimely;    /* records outside of --from and --to */
    unsigned generations; /* of all rows' streams so far, or known beforehand, a bit for each */
    bool begun;           /* a table */
    bool judged;          /* what can be told beforehand was told */
    /* in a reading that cannot look ahead */
    const struct table *only_table; /* that is printed; NULL: none yet */
    struct armtap_stream only_stream;
    struct left_over left_over;
    enum exit_status status;
    bool gave_up; /* something failed, with a message */
    bool closed;  /* nobody reads any more */
};

/* Ends the export with EXIT_FAILED; a message was given. Returns -1, what a callback returns to stop. */
int job_give_up(struct job *job);
int job_give_up_memory(struct job *job);

/* "from the robot" */
const char *job_direction(const struct job *job);
bool job_wants_stream(const struct job *job, unsigned number);
bool job_wants(const struct job *job, const struct table *table);

/* What is missing in what was written, and what was left out, on standard error. */
void job_report(struct job *job);
/* Why --strict makes the status 1. */
void job_report_strict(const struct job *job);

/* Each: 0, or -1 after a message. Whether there is the stream that was asked for. */
int check_stream(struct job *job);
/* Whether the tables fit into the files asked for. */
int check_tables(struct job *job);
/* Whether every name of --fields has matched something. */
int check_names(struct job *job);
/* Whether its arrays leave a table of columns that anybody wants. */
int check_width(struct job *job, struct table *table);
/* Whether the format can hold the columns asked for that are no fields. */
int check_texts(struct job *job, const struct view *view);
/* How modes are printed of a table, and whether names are only for rows of several generations. */
enum mode_names request_mode_names(struct job *job, const struct table *table, bool *if_mixed);
/* Where a field has the name of such a column, and takes its place. */
void request_warn_shadowed(struct job *job, const struct view *view);
/* Whether the format can show anything of the table: gnuplot's columns do not hold every field. */
int check_view(struct job *job, const struct table *table);
/* In a reading that cannot look ahead: rows that are not of the one table. Tells of the first such table of a stream;
 * `grew`: they have fields that it lacks. */
void request_leave_over(struct job *job, const struct armtap_record *record, bool grew);
/* After such a reading. */
void check_left_over(struct job *job);
/* Where a row has arrays of more elements than the cells that its table has for them. */
void request_warn_cells(struct job *job, struct view *view, const struct output_row *row);
/* After such a reading: where numbers of streams differ from those that a file would have. */
void request_warn_numbers(const struct job *job);

#endif
