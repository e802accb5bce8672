/* The state of a running export, and what works on it: export.c runs it, sinks.c hears the captures, choose_tables.c
 * concludes the first reading, choose_columns.c makes views, write_rows.c writes the rows, check_data.c checks whether
 * the captures have what was asked for, report_missing.c reports what is missing. */
#ifndef EXPORT_JOB_H
#define EXPORT_JOB_H

#include "changes.h"
#include "export/rows/robot_clock.h"
#include "export/rows/tables.h"
#include "export/formats/target.h"
#include "export.h"
#include "export/files/output_files.h"
#include "armtap.h"
#include "base/text/buffer.h"

/* Rows of tables that do not fit into a one-table output, when the source cannot be read twice. */
struct left_over {
    uint64_t rows;
    unsigned warnings; /* printed so far */
};

/* A note about data that the library discarded because a stream exceeded a limit. */
struct cut {
    uint64_t connection;
    struct armtap_where where;
    char robot[64], client[64];
    char text[240];
};
#define CUTS_KEPT 8

/* What a line of the manifest says of the output; the files are named before they are committed. */
struct manifest {
    int file; /* descriptor; -1: not open */
    char **outputs;
    size_t count;
    uint64_t lost_bytes; /* missing in the capture, between its rows */
};

struct grid;

/* A row's place among those of streams side by side (lanes.c). */
struct lane {
    struct lane *next; /* of the same hash */
    char *robot;       /* what it is called; "": unknown */
    enum armtap_protocol protocol;
    unsigned number;     /* of its first stream */
    unsigned place;      /* 1: the first lane of this robot and protocol, 2: the one beside it ... */
    uint64_t connection; /* that has it now */
    int64_t last;        /* time of its last row */
};

/* Begins as zeros. */
struct lanes {
    struct armtap_hash_key key;
    struct by_connection by_robot; /* struct lane, by the hash of robot and protocol */
    struct lane *recent;
};
void lanes_forget(struct lanes *lanes);

/* The labels of a connection's ends; NULL: none. */
struct named_ends {
    bool is_known;
    uint64_t connection;
    const char *robot, *client;
};

struct job {
    const struct export_wish *wish;
    const struct replay_source *source;
    bool once;                          /* the source cannot be read twice */
    struct armtap_knowledge *knowledge; /* passed from the first reading to the second */
    struct armtap_streams *streams;
    struct tables *tables;
    struct missing_data *missing;
    struct robot_clocks clocks;
    struct lanes lanes;
    struct named_ends named;    /* of the last row */
    struct grid *grid;          /* --grid; NULL: none */
    int64_t age;                /* of the record in its row, ns; ARMTAP_NO_TIME: the row is the record's */
    bool is_again;              /* the record has a row already, which is paid for */
    struct remarks *remarks;    /* NULL: the format has no place for them */
    struct cut cuts[CUTS_KEPT]; /* the first ones */
    uint64_t cut_count;         /* including those not kept */
    struct live_numbering numbering;
    struct selection selection;
    struct selection watched; /* --changes */
    struct changes *changes;  /* NULL: every record is a row */
    struct view opaque_view;  /* for records without a recipe */
    bool opaque_begun;
    struct output_files outlets;
    struct targets targets;
    struct buffer bag_topics; /* for its metadata.yaml */
    struct bag_counts bag_counts;
    struct batches *batches; /* NULL before the first row, and after a write error */
    int64_t last_show;       /* the same */
    int64_t last_flush;      /* of a live source: ns of the monotonic clock */
    struct replay_totals totals;
    bool times_known; /* `range` is */
    struct timestamp_range range;
    uint64_t rows;
    uint64_t opaque;
    uint64_t out_of_time; /* records outside --from and --to */
    uint64_t in_time;     /* within, of which --changes and --grid may make rows */
    unsigned generations; /* bit set: of the streams of all rows so far, and of all that are known in advance */
    bool heard;           /* a record of the wanted direction came in this reading */
    bool begun;           /* at least one table has a row */
    bool is_checked;      /* the checks before the first row are done */
    /* when the source can be read only once */
    const struct table *only_table; /* the table of the output; NULL: none yet */
    struct armtap_stream only_stream;
    struct left_over left_over;
    struct manifest manifest;
    enum exit_status status;
    unsigned rank;           /* of stream_rank.h: streams beyond it are left out */
    bool gave_up;            /* failed, after a message */
    bool closed;             /* the reader closed the pipe */
    bool is_over;            /* a robot's records are later than --to, or it is silent since */
    uint64_t packets_before; /* at the turn before */
};

/* Ends the export with EXIT_FAILED, after a message. Returns -1, as a callback does to stop. */
int job_give_up(struct job *job);
int job_give_up_memory(struct job *job);
/* 0, or -1 if the export must stop: writing failed, or the reader closed the pipe. */
int job_check_sink(struct job *job, enum sink_outcome outcome);

/* Makes what every reading needs. The caller has set wish, source, manifest, outlets and targets, and releases it,
 * whatever comes. 0, or -1 after a message. */
int job_prepare(struct job *job);
/* Starts over for another reading: recipes learned where a handshake was missing may lead to other tables. As
 * replay_learning() wants it; `user` is the job. */
int job_forget(void *user);
/* Threads are made before an interface is opened: its sandbox allows no more of them. 0, or -1 without memory. */
int job_make_threads(struct job *job);
void job_release(struct job *job);

/* Its source, as all readings take it; `end` must live as long as what is returned. */
struct replay_source job_source(const struct job *job, struct replay_end *end);
/* The table of the output if there is only one; else NULL. */
struct table *job_only_table(const struct job *job);

/* "from the robot" */
const char *job_direction(const struct job *job);
static inline bool job_wants_stream(const struct job *job, unsigned number)
{
    return !job->wish->has_stream || number == job->wish->stream;
}
bool job_wants(const struct job *job, const struct table *table);
/* Whether the output has only telemetry, and this protocol goes beside it. */
bool job_leaves_protocol(const struct job *job, enum armtap_protocol protocol);

/* ---- what follows from the first reading; 0, or -1 after a message ---- */

/* Numbers the streams. */
int survey_check_telemetry(struct job *job);
/* Makes ready for the rows: chooses streams and tables, checks the request. */
int survey_conclude(struct job *job);

/* ---- sinks; their user is the job ---- */

/* By how much records of several robots may be out of order. */
#define OUT_OF_ORDER_NS 500000000
extern const struct armtap_sink job_survey_sink;
extern const struct armtap_sink job_print_sink;
/* Also hears what the diagnosis finds. */
extern const struct armtap_sink job_hear_sink;
/* Writes the rows of a live source at short intervals, so that a reader sees them soon. 0, or -1 if the export must
 * stop. */
int job_keep_up(struct job *job);

/* ---- views: table->view; 0, or -1 after a message ---- */

enum armtap_generation job_layout(const struct job *job, const struct table *table);
/* Makes the view of a table, unless it has one. */
int job_make_view(struct job *job, struct table *table);
/* Also checks how wide the table is. */
int job_make_checked_view(struct job *job, struct table *table);
/* Checks what can be checked before the first row. Rows that name their fields take all fields, unless --fields is
 * given. */
int job_check_before_rows(struct job *job);

/* ---- rows; 0, or -1 if the export must stop ---- */

/* Writes the row of a record with a recipe, unless it has no place in the output. */
int job_print_record(struct job *job, const struct armtap_record *record, struct table *table,
                     const struct table_layout *layout);
/* The row of a record, but for its number. */
struct output_row job_row_of(struct job *job, const struct armtap_record *record, struct table *table,
                             const struct table_layout *layout);
/* The same without a recipe. */
int job_print_opaque(struct job *job, const struct armtap_record *record);
/* Takes note of a record that has no row, for --changes. */
int job_watch(struct job *job, const struct armtap_record *record, struct table *table,
              const struct table_layout *layout);
/* Counts a record that has no row, as the output grew too much. */
int job_leave_out(struct job *job, const struct armtap_record *record);
/* The file of a stream and part, opened if it is not yet; NULL after a message. */
struct output_file *job_outlet(struct job *job, unsigned stream, unsigned part);

/* ---- rows of --grid; 0, or -1 if the export must stop ---- */

struct grid *grid_new(const struct export_wish *wish);
void grid_free(struct grid *grid);
/* A record of the first of two readings. */
int grid_learn(struct job *job, const struct armtap_record *record);
/* Another reading begins. NULL: nothing. */
void grid_rewind(struct grid *grid);
/* Writes the rows of the stream's record before this one. Called before anything else looks at the record. */
int grid_before(struct job *job, const struct armtap_record *record);
/* Keeps it for the rows from its time on. */
int grid_take(struct job *job, const struct armtap_record *record, struct table *table,
              const struct table_layout *layout);
/* No more records of a connection, or of any, are to be expected: writes what waits. */
int grid_close(struct job *job, uint64_t connection);
int grid_end(struct job *job);
void grid_let_go(struct grid *grid, uint64_t connection);

/* The lane of a record's row, whose robot is called that. NULL without memory. */
const struct lane *job_lane(struct job *job, const struct armtap_record *record, const char *robot);

/* ---- reports and checks ---- */

/* Reports on standard error what is missing in the output and what was left out. */
void job_report(struct job *job);
/* Reports why --strict sets the status to 1. */
void job_report_strict(const struct job *job);

/* The checks return 0, or -1 after a message. Whether the requested stream exists. */
int check_stream(struct job *job);
/* Whether the tables fit into the requested files. */
int check_tables(struct job *job);
/* Whether every name of --fields and --changes matched a column. */
int check_names(struct job *job);
/* Whether the table has at most TABLES_COLUMNS_MAX columns. */
int check_width(struct job *job, struct table *table);
/* Whether the format can hold the requested row columns. */
int check_texts(struct job *job, const struct view *view);
/* How to print the modes of a table; *if_mixed: print names only once the rows are of several generations. */
enum mode_names request_mode_names(struct job *job, const struct table *table, bool *if_mixed);
/* Warns if a field hides a row column of the same name. */
void request_warn_shadowed(struct job *job, const struct view *view);
/* Whether the format has a column for any of the table's fields: gnuplot does not have all. */
int check_view(struct job *job, const struct table *table);
/* For a source that is read once: counts a row that does not belong to the one table, and warns of the first of each
 * stream. `grew`: the row has fields that the table lacks. */
void request_leave_over(struct job *job, const struct armtap_record *record, bool grew);
/* Fails if there were such rows. */
void check_left_over(struct job *job);
/* Warns if an array in a row has more elements than its table has columns for it. */
void request_warn_cells(struct job *job, struct view *view, const struct output_row *row);
/* For a source that is read once: warns if stream numbers differ from those that a file would give. */
void request_warn_numbers(const struct job *job);

/* The manifest of exports: a line of JSON for each, appended to a file that many exports may share (--manifest). */

/* Opens the file before the export begins, and makes it if there is none. 0, or -1 after a message: also if it is an
 * input or an output, or holds something else. */
int manifest_open(struct manifest *manifest, const struct job *job);
/* Notes what is to be written. 0, or -1 after a message: also if the manifest is one of the outputs. */
int manifest_collect(struct manifest *manifest, const struct job *job);
/* Appends the line, in one piece, if the file is open. 0, or -1 after a message. */
int manifest_write(const struct manifest *manifest, const struct job *job);
void manifest_free(struct manifest *manifest);

#endif
