/* Arrow: what the columns of a table are in a stream or file of record batches (tools/arrow). */
#include "column_target.h"

#include <string.h>
#include <strings.h>

#include "arrow/arrow.h"

/* A field's part of the schema, twice, and of each batch's metadata. */
#define COLUMN_COST 600

/* ---- fields ------------------------------------------------------------------------------------------------------ */

static enum arrow_type type_of(const struct column *column)
{
    static const enum arrow_type types[] = {
        [ARMTAP_BOOL] = ARROW_BOOL,     [ARMTAP_UINT8] = ARROW_UINT8, [ARMTAP_UINT32] = ARROW_UINT32,
        [ARMTAP_UINT64] = ARROW_UINT64, [ARMTAP_INT32] = ARROW_INT32, [ARMTAP_DOUBLE] = ARROW_DOUBLE,
        [ARMTAP_STRING] = ARROW_TEXT,   [ARMTAP_BYTES] = ARROW_BYTES, [ARMTAP_INT64] = ARROW_INT64,
        [ARMTAP_JSON] = ARROW_TEXT,
    };
    return row_column_is_time(column->pick->row_column) ? ARROW_TIME : types[column_exact_type(column)];
}

/* The names of all generations: a file may have rows of several. */
static void add_words(struct column_file *file, const struct armtap_field *field)
{
    const struct armtap_enum_value *value;
    for (size_t i = 0; (value = armtap_enum_at(field, i)) != NULL; i++)
        arrow_file_add_word(file, value->name);
}

static void take_field_note(void *user, const char *key, const char *text, size_t length, bool is_json)
{
    (void)is_json;
    arrow_file_add_field_note(user, key, text, length);
}

static void take_note(void *user, const char *key, const char *text, size_t length, bool is_json)
{
    (void)is_json;
    arrow_file_add_note(user, key, text, length);
}

/* 0, or -1 without memory. */
static int declare(struct column_file *file, const struct columns *columns, const struct view *view,
                   const struct target *target)
{
    struct buffer name = {0};
    const struct note_taker taker = {file, take_note}, of_field = {file, take_field_note};
    size_t width;
    for (size_t i = 0; i < columns->count && !name.failed; i += width) {
        const struct column *column = &columns->column[i];
        name.length = 0;
        width = column_array_width(column);
        column_array_name(column, &name);
        arrow_file_add_field(file, name.data, name.length, type_of(column), width, column_is_array(column));
        if (column->pick->by_name)
            add_words(file, view->table->columns[column->pick->column].field);
        if (notes_of_array(&of_field, column, view) != 0)
            name.failed = true;
    }
    free(name.data);
    notes_of_table(&taker, view->table, target);
    return name.failed ? -1 : notes_of_columns(&taker, columns, view, NOTES_BY_ARRAY);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Pipes have no end to look from. */
static bool is_stream(const struct target *target)
{
    static const char ending[] = ".arrows";
    size_t length = strlen(target->name), most = strlen(ending);
    return target->is_direct || (length >= most && strcasecmp(target->name + length - most, ending) == 0);
}

static struct column_file *make(const struct target *target, const struct column_output *output, unsigned dialect)
{
    (void)dialect;
    return arrow_file_new(output, is_stream(target));
}

static int arrow_begin(struct target *target, const struct view *view, struct buffer *out)
{
    return column_target_begin(&(struct column_format){make, declare, 0}, target, view, out);
}

const struct writer writer_arrow = {.column_cost = COLUMN_COST,
                                    .prepare = columns_prepare,
                                    .begin = arrow_begin,
                                    .rows = columns_put,
                                    .place = column_target_place,
                                    .ease = column_target_ease,
                                    .show = column_target_show,
                                    .end = column_target_end,
                                    .forget = column_target_forget};
