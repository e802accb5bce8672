/* numpy: what the columns of a table are in a file of arrays (tools/npz). */
#include "column_target.h"

#include "base/text/json_writer.h"
#include "npz/npz.h"

/* An array's headers, name and place; a share of a vector's. */
#define COLUMN_COST 400

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

static enum npz_type type_of(const struct column *column)
{
    static const enum npz_type types[] = {
        [ARMTAP_BOOL] = NPZ_BOOL,     [ARMTAP_UINT8] = NPZ_UINT8, [ARMTAP_UINT32] = NPZ_UINT32,
        [ARMTAP_UINT64] = NPZ_UINT64, [ARMTAP_INT32] = NPZ_INT32, [ARMTAP_DOUBLE] = NPZ_DOUBLE,
        [ARMTAP_STRING] = NPZ_TEXT,   [ARMTAP_BYTES] = NPZ_BYTES, [ARMTAP_INT64] = NPZ_INT64,
        [ARMTAP_JSON] = NPZ_TEXT,
    };
    return row_column_is_time(column->pick->row_column) ? NPZ_TIME : types[column_exact_type(column)];
}

/* ---- meta -------------------------------------------------------------------------------------------------------- */

/* meta has each note under its key without "armtap.". */
static void put_note(void *user, const char *key, const char *text, size_t length, bool is_json)
{
    struct buffer *meta = user;
    const char *dot = strchr(key, '.');
    buffer_char(meta, meta->length == 0 ? '{' : ',');
    json_put_quoted(meta, dot + 1, strlen(dot + 1));
    buffer_char(meta, ':');
    if (is_json)
        buffer_put(meta, text, length);
    else
        json_put_quoted(meta, text, length);
}

/* Appends the type of a field to a JSON object, as RTDE calls it: numpy's do not tell texts that are JSON from others.
 */
static void put_type(struct buffer *types, const char *array, const struct column *column)
{
    const char *type = column->type == ARMTAP_JSON ? "JSON"
                       : column->type == ARMTAP_STRING || column->type == ARMTAP_BYTES
                           ? ""
                           : armtap_type_name(column->type, (unsigned)column_array_width(column));
    if (column->pick->row_column != ROW_COLUMN_NONE || *type == '\0')
        return;
    buffer_char(types, types->length == 0 ? '{' : ',');
    json_put_quoted(types, array, strlen(array));
    buffer_char(types, ':');
    json_put_quoted(types, type, strlen(type));
}

/* Adds the arrays; `types` becomes an object of the types of those that are fields, or stays empty. 0, or -1 without
 * memory. */
static int add_arrays(struct column_file *file, const struct columns *columns, struct buffer *types)
{
    struct buffer name = {0};
    size_t width;
    for (size_t i = 0; i < columns->count && !name.failed; i += width) {
        const struct column *column = &columns->column[i];
        name.length = 0;
        width = column_array_width(column);
        column_array_name(column, &name);
        put_type(types,
                 npz_file_add_array(file, name.data, name.length, type_of(column), width, column_is_array(column)),
                 column);
    }
    if (types->length > 0)
        buffer_char(types, '}');
    free(name.data);
    return name.failed || types->failed ? -1 : 0;
}

/* 0, or -1 without memory. */
static int declare(struct column_file *file, const struct columns *columns, const struct view *view,
                   const struct target *target)
{
    struct buffer meta = {0}, types = {0};
    const struct note_taker taker = {&meta, put_note};
    int outcome = add_arrays(file, columns, &types);
    notes_of_table(&taker, view->table, target);
    if (notes_of_columns(&taker, columns, view, NOTES_BY_ARRAY) != 0)
        outcome = -1;
    if (outcome == 0 && types.length > 0)
        put_note(&meta, "armtap.types", types.data, types.length, true);
    buffer_char(&meta, '}');
    if (!meta.failed)
        npz_file_set_meta(file, meta.data, meta.length);
    free(types.data);
    free(meta.data);
    return outcome == 0 && !meta.failed ? 0 : -1;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static struct column_file *make(const struct target *target, const struct column_output *output, unsigned dialect)
{
    (void)target;
    (void)dialect;
    return npz_file_new(output);
}

static int npz_begin(struct target *target, const struct view *view, struct buffer *out)
{
    return column_target_begin(&(struct column_format){make, declare, 0}, target, view, out);
}

const struct writer writer_npz = {.column_cost = COLUMN_COST,
                                  .prepare = columns_prepare,
                                  .begin = npz_begin,
                                  .rows = columns_put,
                                  .place = column_target_place,
                                  .ease = column_target_ease,
                                  .end = column_target_end,
                                  .forget = column_target_forget};
