/* The tables of a capture: what one stream says in one direction, as rows under one row of columns.
 *
 * Recipes that are alive together share a table, their fields in the order of set-up; a recipe that replaces another
 * begins a new table with its first row. A legacy stream whose packets change their size keeps one table. In a text
 * protocol every value tells its own type: arrays get as many columns as the longest has elements.
 *
 * Joined, all streams share one table: the union of their fields. Fields of the dictionary are the same whoever sends
 * them, in the same unit; others share a column with those of their vendor alone. What then has the name of another
 * column gets one of its own: NAME_aubo for AUBO's (or another with names of its own), else NAME_2, NAME_3 ...
 *
 * By recipe, each recipe has a table that all rows share which follow it: for a format whose rows name their fields.
 *
 * Feed recipes and records as they come. Where the source can be read twice, tables_rewind after the first time: the
 * same events then lead to the same tables, whose columns are all known. Where it cannot, a table's columns are those
 * that are known at its first row, and a recipe that needs others begins the next table.
 *
 * Memory is bounded: columns are built when rows need them, and when too many are, all are taken down again. What a
 * stream may cost is bounded by what was captured of it (output_allowance.h). */
#ifndef EXPORT_TABLES_H
#define EXPORT_TABLES_H

#include <limits.h>

#include "output_allowance.h"
#include "armtap.h"
#include "analysis/armtap-analysis.h"

#define TABLE_NONE ((size_t)-1)
#define TABLE_NO_STREAM UINT_MAX

struct table_column {
    const char *name; /* as printed; lives as long as the tables */
    const char *wire; /* as on the wire: R1_actual_q is printed as actual_q */
    const struct armtap_field *field;
    enum armtap_type type;
    unsigned count;
    const char *namer; /* the protocol that named it in its own way; NULL: UR's */
    unsigned arm;      /* that the name on the wire says; 0 where it says none */
    size_t leaves;     /* the most elements that an array of a text protocol had in it; 0 where there was none */
};
/* How many cells it takes, and whether these are numbered even if it is one. */
static inline size_t column_width(const struct table_column *column)
{
    return column->leaves > column->count ? column->leaves : column->count;
}
static inline bool column_is_spread(const struct table_column *column)
{
    return column->count > 1 || column->leaves > 0;
}

/* A recipe of a table, and where in it the table's columns are found. */
struct table_layout {
    struct armtap_recipe *recipe; /* held */
    size_t *entry_of;             /* by column: index of the recipe's entry, TABLE_NONE if it has none */
    size_t *leaves;               /* of a text protocol, by entry: as in the column */
};

struct table {
    unsigned stream;               /* number of its stream, TABLE_NO_STREAM of one that was let go */
    bool is_joined;                /* all streams share it */
    uint64_t number;               /* of no other table of the export */
    unsigned part;                 /* counts the tables of its stream and direction from 0 */
    enum armtap_protocol protocol; /* of its stream; NONE of a recipe's table */
    enum armtap_generation generation;
    enum armtap_direction direction;
    unsigned generations; /* of its rows' streams so far, a bit for each */
    uint64_t rows;        /* of the first reading; later ones do not count again */
    struct table_layout **layouts;
    size_t layout_count;
    size_t entries;               /* of all layouts together; of legacy packets those of the longest */
    bool fixed;                   /* it has its columns, and gets no others */
    bool left_out;                /* it cannot be printed */
    bool over;                    /* no row will come any more */
    bool begun;                   /* something of it was printed */
    struct table_column *columns; /* after tables_build; NULL while they are taken down */
    size_t column_count;
    char **own_names; /* of columns that would otherwise have the name of another one */
    size_t own_name_count;
    void *view;          /* the user's, of these columns */
    void *outlet;        /* the user's, for as long as the table */
    struct table *built; /* the next of those that are built */
};

enum tables_mode { TABLES_APART, TABLES_JOINED, TABLES_BY_RECIPE };

struct tables_options {
    enum tables_mode mode;
    bool once; /* the source cannot be read twice */
    bool next; /* of a stream the next table begins where one that is fixed lacks columns */
    /* Called before columns are taken down: first `drain`, once, then `forget` for each table whose view has to go. */
    void (*drain)(void *user);
    void (*forget)(void *user, struct table *table);
    void *user;
};

struct tables;
/* NULL without memory. */
struct tables *tables_new(const struct tables_options *options);
void tables_free(struct tables *tables);

/* What a record or a recipe led to. */
enum tables_outcome {
    TABLES_OK,
    TABLES_OPAQUE, /* the record has no recipe, so no table */
    TABLES_GREW,   /* the stream's table is fixed, and lacks columns of the record's recipe */
    TABLES_MANY,   /* more tables or columns than the stream may have: the row is left out */
    TABLES_NO_MEMORY
};
#define TABLES_COLUMNS_MAX 40000

/* A stream that carries telemetry. Gives it the next number, which tables_rewind may replace. */
enum tables_outcome tables_stream(struct tables *tables, const struct armtap_stream *stream);
enum tables_outcome tables_recipe(struct tables *tables, const struct armtap_recipe_event *event);
/* The table and the layout of the record's row; both NULL unless it is TABLES_OK. */
enum tables_outcome tables_record(struct tables *tables, const struct armtap_record *record, struct table **table,
                                  const struct table_layout **layout);
/* Where no more records of a direction will come. */
void tables_close(struct tables *tables, const struct armtap_event *event);
/* The stream is over, and one of those that are only added up. */
void tables_let_go(struct tables *tables, uint64_t connection);
/* The number of a stream that was seen. */
unsigned tables_stream_number(const struct tables *tables, uint64_t connection);
/* Of a record: how many rows its table had before, of a joined table those of its stream; counts it. */
uint64_t tables_count_row(struct tables *tables, const struct armtap_record *record);
/* Spends of what the record's stream may cost; false where that is more than it has left: then the row is left out. */
bool tables_spend(struct tables *tables, const struct armtap_record *record, uint64_t cost);
/* What to spend for the record's row, which costs so much: some of it is free. */
uint64_t tables_row_price(const struct tables *tables, const struct armtap_record *record, uint64_t cost);
/* Rows of a stream that were left out. */
struct tables_left_out {
    uint64_t rows; /* that would cost more than it may */
    struct armtap_where first;
    uint64_t others; /* of tables for which there is no file */
};
void tables_leave_out(struct tables *tables, const struct armtap_record *record, bool has_file);
struct tables_left_out tables_left_out(const struct tables *tables, uint64_t connection);
/* Of streams that were let go. */
uint64_t tables_rest_left_out(const struct tables *tables);
/* How many streams were seen: their numbers are below that. */
size_t tables_stream_count(const struct tables *tables);
/* Before a second reading: streams get their final numbers, and tables are sorted by them. */
void tables_rewind(struct tables *tables, const struct armtap_streams *streams);
/* The second reading begins: what was needed between the two goes. 0, or -1 without memory. */
int tables_begin_rows(struct tables *tables);

size_t tables_count(const struct tables *tables);
struct table *tables_at(const struct tables *tables, size_t index);

/* Builds the columns, if they are not: those of the recipes that the table has now, which fixes them. Others may be
 * taken down for it. 0, or -1 without memory. */
int tables_build(struct tables *tables, struct table *table);
/* What building them costs. */
uint64_t table_cost(const struct table *table);
/* What an entry's column is called: a field of the only or the first arm by the field's name. */
const char *table_entry_name(const struct armtap_recipe_entry *entry);

#endif
