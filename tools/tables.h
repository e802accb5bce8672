/* The tables of a capture: what one stream says in one direction, as rows under one row of columns.
 *
 * Recipes that are alive together share a table, their fields in the order of set-up; a recipe that replaces another
 * begins a new table with its first row. A legacy stream whose packets change their size keeps one table. In a text
 * protocol every value tells its own type: arrays get as many columns as the longest has elements.
 *
 * Joined, all streams share one table: the union of their fields. Fields of the dictionary are the same whoever sends
 * them, in the same unit; others share a column with those of their vendor alone. What then has the name of another
 * column gets one of its own: NAME_aubo for AUBO's, else NAME_2, NAME_3 ...
 *
 * Feed recipes and records as they come. Where the source can be read twice, tables_rewind after the first time: the
 * same events then lead to the same tables, whose columns are all known. Where it cannot, a table's columns are those
 * that are known at its first row. */
#ifndef TABLES_H
#define TABLES_H

#include "armtap.h"
#include "streams.h"

#define TABLE_NONE ((size_t)-1)

struct table_column {
    const char *name; /* as printed; lives as long as the tables */
    const char *wire; /* as on the wire: R1_actual_q is printed as actual_q */
    const struct armtap_field *field;
    enum armtap_type type;
    unsigned count;
    bool is_aubo;  /* who named it: AUBO, or UR */
    unsigned arm;  /* that the name on the wire says; 0 where it says none */
    size_t leaves; /* the most elements that an array of a text protocol had in it; 0 where there was none */
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
    size_t index;                 /* among the tables */
    unsigned stream;              /* number of its stream */
    bool is_joined;               /* all streams share it */
    unsigned part;                /* counts the tables of its stream and direction from 0 */
    struct armtap_stream summary; /* of its stream, as it was at the table's last recipe */
    enum armtap_direction direction;
    unsigned generations; /* of its rows' streams so far, a bit for each */
    uint64_t rows;        /* of the first reading; later ones do not count again */
    struct table_layout **layouts;
    size_t layout_count;
    size_t leaves;                /* of all layouts together */
    struct table_column *columns; /* after table_arrange */
    size_t column_count;
    char **own_names; /* of columns that would otherwise have the name of another one */
    size_t own_name_count;
    bool arranged;
};

struct tables;
/* `joined`: all streams share one table, whatever their recipes. NULL without memory. */
struct tables *tables_new(bool joined);
void tables_free(struct tables *tables);

/* What a record or a recipe led to. */
enum tables_outcome {
    TABLES_OK,
    TABLES_OPAQUE, /* the record has no recipe, so no table */
    TABLES_GREW,   /* the table was arranged, and lacks columns of the recipe that was set up now */
    TABLES_MANY,   /* more tables than anybody wants: TABLES_MAX; or more columns */
    TABLES_NO_MEMORY
};
#define TABLES_MAX 20000
#define TABLES_COLUMNS_MAX 40000

/* A stream that carries telemetry. Gives it the next number, which tables_rewind may replace. */
enum tables_outcome tables_stream(struct tables *tables, const struct armtap_stream *stream);
enum tables_outcome tables_recipe(struct tables *tables, const struct armtap_recipe_event *event);
/* The table and the layout of the record's row; both NULL unless it is TABLES_OK. */
enum tables_outcome tables_record(struct tables *tables, const struct armtap_record *record, struct table **table,
                                  const struct table_layout **layout);
/* The number of a stream that was seen. */
unsigned tables_stream_number(const struct tables *tables, uint64_t connection);
/* How many rows of a stream of a joined table were counted with this: one more each time. */
uint64_t tables_count_row(struct tables *tables, const struct armtap_stream *stream);
/* How many streams were seen: their numbers are below that. */
size_t tables_stream_count(const struct tables *tables);
/* Before a second reading: streams get their final numbers, and tables are sorted by them. */
void tables_rewind(struct tables *tables, const struct streams *streams);

size_t tables_count(const struct tables *tables);
struct table *tables_at(const struct tables *tables, size_t index);

/* Fixes the columns: those of the recipes that the table has now. 0, or -1 without memory. */
int table_arrange(struct table *table);

#endif
