/* Parquet: what the columns of a table are in a Parquet file (tools/parquet). */
#include "column_target.h"

#include "parquet/parquet.h"
#include "export/files/partition.h"

/* A column's schema, page header, place and range, name and unit. */
#define COLUMN_COST 180

static const char created_by[] = "armtap version " ARMTAP_VERSION " (build 0)";

enum { USUAL, SMALL }; /* dialects */

/* ---- columns ----------------------------------------------------------------------------------------------------- */

/* Types depend on names, not on the wire, so that files of many captures fit together. Spark has no unsigned 64-bit
 * number: what is known to be less than 2^63 is signed. */
static enum parquet_type type_of(const struct column *column, const struct view *view)
{
    static const enum parquet_type types[] = {
        [ARMTAP_BOOL] = PARQUET_BOOL,     [ARMTAP_UINT8] = PARQUET_UINT8, [ARMTAP_UINT32] = PARQUET_UINT32,
        [ARMTAP_UINT64] = PARQUET_UINT64, [ARMTAP_INT32] = PARQUET_INT32, [ARMTAP_DOUBLE] = PARQUET_DOUBLE,
        [ARMTAP_STRING] = PARQUET_TEXT,   [ARMTAP_BYTES] = PARQUET_BYTES, [ARMTAP_INT64] = PARQUET_INT64,
        [ARMTAP_JSON] = PARQUET_TEXT,
    };
    const struct pick *pick = column->pick;
    if (row_column_is_time(pick->row_column))
        return PARQUET_TIME;
    bool is_known = pick->row_column != ROW_COLUMN_NONE || view->table->columns[pick->column].field;
    return column->type == ARMTAP_UINT64 && is_known ? PARQUET_INT64 : types[column->type];
}

/* ---- metadata ---------------------------------------------------------------------------------------------------- */

static void take_note(void *user, const char *key, const char *text, size_t length, bool is_json)
{
    (void)is_json;
    parquet_file_add_note(user, key, text, length);
}

/* Without memory, the end fails. */
static void note_provenance(struct column_file *file, const struct provenance *provenance)
{
    struct buffer value = {0};
    for (enum provenance_note i = 0; provenance && i < PROVENANCE_NOTES; i++) {
        value.length = 0;
        provenance_put(provenance, i, &value);
        buffer_char(&value, '\0');
        if (!value.failed && *value.data != '\0')
            parquet_file_add_note(file, provenance_key(i), value.data, strlen(value.data));
    }
    free(value.data);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static struct column_file *make(const struct target *target, const struct column_output *output, unsigned dialect)
{
    const struct parquet_options options = {.packer = target->settings->packer,
                                            .created_by = created_by,
                                            .splits_bytes = dialect == SMALL,
                                            .is_sorted_by_first = true};
    return parquet_file_new(output, &options);
}

/* 0, or -1 without memory. */
static int declare(struct column_file *file, const struct columns *columns, const struct view *view,
                   const struct target *target)
{
    struct buffer name = {0};
    for (size_t i = 0; i < columns->count && !name.failed; i++) {
        name.length = 0;
        column_name(&columns->column[i], &name);
        parquet_file_add_column(file, name.data, name.length, type_of(&columns->column[i], view));
    }
    free(name.data);
    const struct note_taker taker = {file, take_note};
    notes_of_table(&taker, view->table, target);
    return name.failed ? -1 : notes_of_columns(&taker, columns, view, NOTES_BY_COLUMN);
}

static int parquet_begin(struct target *target, const struct view *view, struct buffer *out)
{
    return column_target_begin(&(struct column_format){make, declare, USUAL}, target, view, out);
}

static int parquet_begin_small(struct target *target, const struct view *view, struct buffer *out)
{
    return column_target_begin(&(struct column_format){make, declare, SMALL}, target, view, out);
}

static int parquet_end(struct target *target, struct buffer *out)
{
    if (column_target_file(target))
        note_provenance(column_target_file(target), target->provenance);
    return column_target_end(target, out);
}

#define WRITER(how)                                                                                                    \
    {                                                                                                                  \
        .column_cost = COLUMN_COST, .prepare = columns_prepare, .begin = (how), .rows = columns_put,                   \
        .place = column_target_place, .ease = column_target_ease, .end = parquet_end, .forget = column_target_forget   \
    }
const struct writer writer_parquet = WRITER(parquet_begin);
const struct writer writer_parquet_small = WRITER(parquet_begin_small);
