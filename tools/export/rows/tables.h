/* The tables of a capture: each holds rows of one direction of a stream that share columns.
 *
 * Recipes in use at the same time share a table, their fields in the order of set-up; a recipe that replaces another
 * begins a new table with its first row. A legacy stream keeps one table when its packet size changes. In a text
 * protocol each value has its own type, and an array gets as many columns as the longest has elements.
 *
 * Joined: all streams share one table, the union of their fields. A field of the dictionary has the same meaning and
 * unit from every vendor; other fields share a column only with those of the same vendor. Different columns of one name
 * are renamed: NAME_aubo for AUBO's (and other protocols with their own names), else NAME_2, NAME_3 ...
 *
 * By robot: all streams share one table, too, but each robot has columns of its own, with its name in front. A part is
 * what shares columns: one kind of record of one protocol of one robot; unusual ports are robots of their own. A
 * connection takes over the part of one that is over or has the same recipe; a second client with another one at the
 * same time gets a part of its own.
 *
 * By recipe: each recipe has one table, for all streams that use it; for formats whose rows name their fields.
 *
 * Feed recipes and records in order. If the source can be read twice, call tables_rewind in between: the same events
 * then lead to the same tables, with all columns known. Otherwise a table has the columns known at its first row, and a
 * recipe that needs others begins the next table.
 *
 * Memory is bounded: columns are built when rows need them, and all are freed when there are too many. The cost of a
 * stream is limited by the size of its captured data (output_allowance.h). */
#ifndef EXPORT_TABLES_H
#define EXPORT_TABLES_H

#include <limits.h>

#include "output_allowance.h"
#include "armtap.h"
#include "analysis/armtap-analysis.h"
#include "by_connection.h"
#include "input/robots/labels.h"

#define TABLE_NONE ((size_t)-1)
#define TABLE_NO_STREAM UINT_MAX

struct table_column {
    const char *name; /* as printed; lives as long as the table has columns */
    const char *wire; /* as on the wire: R1_actual_q is printed as actual_q */
    const struct armtap_field *field;
    enum armtap_type type;
    unsigned count;
    const char *namer;    /* name of the protocol, if it has its own field names; NULL: UR's */
    unsigned arm;         /* number in the name on the wire, or 0 */
    size_t longest_array; /* elements of the longest array in a text protocol; 0: no array */
    unsigned part;        /* by robot: its number */
    const char *base;     /* by robot: the name without the robot's; else NULL */
};
/* The number of cells of a column, and whether they are numbered (even a single one). */
static inline size_t column_width(const struct table_column *column)
{
    return column->longest_array > column->count ? column->longest_array : column->count;
}
static inline bool column_is_spread(const struct table_column *column)
{
    return column->count > 1 || column->longest_array > 0;
}

/* A recipe of a table, and where its entries are in the table. */
struct table_layout {
    struct armtap_recipe *recipe; /* held */
    size_t first, columns;        /* of the table's columns, those where its entries may be */
    size_t *entry_of;             /* of these: index of the recipe's entry, TABLE_NONE if it has none */
    size_t *longest;              /* in a text protocol, by entry: as in the column; NULL: no arrays */
    unsigned part;                /* by robot: its number */
};
/* The index of a column's entry; TABLE_NONE if the recipe has none. */
static inline size_t layout_entry(const struct table_layout *layout, size_t column)
{
    return column - layout->first < layout->columns ? layout->entry_of[column - layout->first] : TABLE_NONE;
}

struct table_part {
    char robot[64]; /* its label, or its host */
    unsigned port; /* of a robot behind a forwarded port, which is another than that on the usual one; 0: a usual one */
    enum armtap_protocol protocol;
    int kind;                           /* the recipe's id, where several are in use at the same time */
    unsigned users;                     /* open connections */
    const struct armtap_recipe *recipe; /* of its latest connection */
    size_t layouts, entries;            /* that it has in the table */
    bool has_rival,
        has_port;     /* another port of that name has the same protocol; any has, so that its own is in the name */
    char prefix[128]; /* of its columns: "10.0.0.2_", "10.0.0.2_rtde_", "10.0.0.2_rtde_2_", "10.0.0.2:30104_" */
};

struct table {
    unsigned stream;               /* number of its stream; TABLE_NO_STREAM: the stream is gone */
    bool is_joined;                /* all streams share it */
    uint64_t number;               /* unique in the export */
    char robot[64];                /* address of its stream's robot */
    unsigned part;                 /* counts the tables of its stream and direction from 0 */
    enum armtap_protocol protocol; /* of its stream; NONE for the table of a recipe */
    enum armtap_generation generation;
    enum armtap_direction direction;
    unsigned generations; /* bit set: of its rows' streams so far */
    uint64_t rows;        /* counted in the first reading */
    int64_t latest;       /* capture time of its latest record */
    int64_t hole_from;    /* capture time of the last record before the connection was lost, until the next row */
    const struct table_part *parts; /* by robot: known once its columns are */
    size_t part_count;
    struct table_layout **layouts;
    size_t layout_count;
    size_t cells;                 /* columns times recipes, of each part on its own */
    size_t entries;               /* of all layouts together; of legacy packets, of the longest */
    bool fixed;                   /* its columns are final */
    bool left_out;                /* it cannot be printed */
    bool over;                    /* no more rows will come */
    bool begun;                   /* it has a row in the output */
    struct table_column *columns; /* NULL before tables_build and after they are freed */
    size_t column_count;
    char **own_names; /* names of renamed columns */
    size_t own_name_count;
    size_t waiting; /* rows that --grid has not written yet */
    void *view;     /* the user's; of the current columns */
    void *outlet;   /* the user's; lives as long as the table */
    /* of a folder: */
    unsigned part_in_file; /* as `part`, counted anew in each input: of its latest row */
    uint32_t outlet_file;  /* the input, its connection and the day of its latest row */
    uint64_t outlet_connection;
    unsigned outlet_part;
    int64_t outlet_day;
    void *outlet_before; /* the file that it had before, which may get further rows */
    struct table *built; /* the next table with columns */
};

enum tables_mode { TABLES_APART, TABLES_JOINED, TABLES_BY_RECIPE };

struct tables_options {
    enum tables_mode mode;
    bool by_robot;  /* joined */
    bool once;      /* the source cannot be read twice */
    bool continues; /* a new connection to a robot continues the table of the one before, if it has the same columns */
    bool next;      /* a stream's next table begins when the fixed one lacks columns */
    const struct labels *labels; /* names of robots; NULL: none have one */
    const uint32_t *file;        /* index of the input that is read */
    /* Called before columns are freed: first `drain`, once, then `forget` for each table whose view has to go. */
    void (*drain)(void *user);
    void (*forget)(void *user, struct table *table);
    void *user;
};

struct tables;
/* NULL without memory. */
struct tables *tables_new(const struct tables_options *options);
void tables_free(struct tables *tables);

/* The outcome of a record or a recipe. */
enum tables_outcome {
    TABLES_OK,
    TABLES_OPAQUE, /* the record has no recipe and thus no table */
    TABLES_GREW,   /* the stream's table is fixed and lacks columns of the recipe */
    TABLES_MANY,   /* too many tables or columns: the row is left out */
    TABLES_NO_MEMORY
};
#define TABLES_COLUMNS_MAX 40000

/* Gives a new telemetry stream the next number, which tables_rewind may change. */
enum tables_outcome tables_stream(struct tables *tables, const struct armtap_stream *stream);
enum tables_outcome tables_recipe(struct tables *tables, const struct armtap_recipe_event *event);
/* The table and the layout of the record's row; NULL unless the outcome is TABLES_OK. */
enum tables_outcome tables_record(struct tables *tables, const struct armtap_record *record, struct table **table,
                                  const struct table_layout **layout);
/* Handles the end of a direction. */
void tables_close(struct tables *tables, const struct armtap_event *event);
/* Whether rows of that direction may follow, as far as is known. */
bool tables_is_open(const struct tables *tables, uint64_t connection, enum armtap_direction direction);
/* Frees the state of a closed stream that is not listed on its own. */
void tables_let_go(struct tables *tables, uint64_t connection);
/* The number of a known stream; 0 if unknown. */
unsigned tables_stream_number(const struct tables *tables, uint64_t connection);
/* Which records of a stream become rows: every so many, or the first of each interval of the time axis. */
struct row_interval {
    uint64_t records; /* 0: `ns` counts */
    int64_t ns;
};
/* Counts a record's row; whether it is one of those that are wanted. */
bool tables_wants_row(struct tables *tables, const struct armtap_record *record, const struct row_interval *every);
/* Charges a cost to the record's stream. False if it cannot afford it: leave the row out. */
bool tables_spend(struct tables *tables, const struct armtap_record *record, uint64_t cost);
/* The price of the record's row: its cost, less the free part. */
uint64_t tables_row_price(const struct tables *tables, const struct armtap_record *record, uint64_t cost);
/* The rows of a stream that were left out. */
struct tables_left_out {
    uint64_t rows; /* because of their cost */
    struct armtap_where first;
    bool has_no_room; /* not because of their cost, but of the table's columns */
    uint64_t others;  /* because there is no file for their table */
};
void tables_leave_out(struct tables *tables, const struct armtap_record *record, bool has_file);
struct tables_left_out tables_left_out(const struct tables *tables, uint64_t connection);
/* Rows left out of streams whose state was freed. */
uint64_t tables_rest_left_out(const struct tables *tables);
/* The number of streams; all stream numbers are below it. */
size_t tables_stream_count(const struct tables *tables);
/* Prepares the second reading: gives streams their final numbers, and sorts the tables by them. */
void tables_rewind(struct tables *tables, const struct armtap_streams *streams);
/* Begins the second reading: by recipe, replaces the tables of the first. 0, or -1 without memory. */
int tables_begin_rows(struct tables *tables);

/* By robot: how many there are, at least 1. */
size_t tables_part_count(const struct tables *tables);
/* Grows when all tables are freed. */
unsigned tables_epoch(const struct tables *tables);
size_t tables_count(const struct tables *tables);
struct table *tables_at(const struct tables *tables, size_t index);

/* Builds the columns from the recipes that the table has now, if necessary, and fixes them. May free those of other
 * tables. 0, or -1 without memory. */
int tables_build(struct tables *tables, struct table *table);
/* The cost of building them. */
uint64_t table_cost(const struct table *table);
/* The name of an entry's column: for the only or first arm, that of the dictionary field. */
const char *table_entry_name(const struct armtap_recipe_entry *entry);

/* The columns of a table, and where each of its recipes has them. For tables.c only. */

/* Builds the columns of a table, in the order of its recipes. 0, or -1 without memory. */
int layouts_build(struct table *table);
/* Makes the prefixes of parts: the protocol is in those of a robot that has several, the port in those of several
 * robots behind one address. No two are the same. */
void parts_name(struct table_part *parts, size_t count);
void layouts_take_down(struct table *table);
/* Matches a layout to a table whose columns are fixed; TABLES_GREW if it needs others. */
enum tables_outcome layout_join(struct table *table, struct table_layout *layout);
/* Updates the longest array lengths from a record, while the columns are not fixed. 0, or -1 without memory. */
int layout_measure(struct table_layout *layout, const struct armtap_record *record);
/* Raises the longest array lengths to those of another layout of the same recipe. 0, or -1 without memory. */
int layout_lengthen(struct table_layout *layout, const size_t *lengths);

/* Numbers the streams of a source that is read only once. When a connection is recognised as telemetry, earlier ones
 * that are still open on a telemetry port will probably carry telemetry too: they get their numbers first, unless they
 * have been silent for a while. */

struct live_numbering {
    const struct armtap_port *ports; /* --port */
    size_t port_count;
    struct by_connection waiting; /* open connections without a number; each a struct armtap_stream */
};

/* Handles an event: numbers the waiting connections and then the recognised one. */
enum tables_outcome live_numbering_event(struct live_numbering *numbering, struct tables *tables,
                                         const struct armtap_event *event);
void live_numbering_free(struct live_numbering *numbering);

#endif
