/* Arrow: what the columns of a table are in a stream or file of record batches (tools/arrow). */
#include "column_notes.h"

#include <string.h>

#include "arrow/arrow.h"
#include "base/process/message.h"

/* A field's part of the schema, twice, and of each batch's metadata. */
#define COLUMN_COST 600

/* What is known of a file. */
struct state {
    struct arrow_file *file;
    struct target *target;
    struct buffer *out; /* of the current call */
};

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
static void add_words(struct arrow_file *file, const struct armtap_field *field)
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
static int declare(struct arrow_file *file, const struct columns *columns, const struct view *view,
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

static int take_bytes(void *user, const char *bytes, size_t length)
{
    struct state *state = user;
    return target_append(state->target, state->out, bytes, length);
}

/* Pipes have no end to look from. */
static bool is_stream(const struct target *target)
{
    static const char ending[] = ".arrows";
    size_t length = strlen(target->name), most = strlen(ending);
    return target->is_direct || (length >= most && strcmp(target->name + length - most, ending) == 0);
}

static struct state *new_state(struct target *target, struct buffer *out)
{
    struct state *state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    *state = (struct state){.target = target, .out = out};
    const struct arrow_options options = {
        .is_stream = is_stream(target), .spool = target->settings->spool, .write = take_bytes, .user = state};
    state->file = arrow_file_new(&options);
    target->state = state;
    return state->file ? state : NULL;
}

static int arrow_begin(struct target *target, const struct view *view, struct buffer *out)
{
    struct columns columns = {0};
    struct state *state = new_state(target, out);
    int outcome = state ? columns_gather(&columns, view, NULL, 0) : -1;
    if (outcome == 0)
        outcome = declare(state->file, &columns, view, target);
    if (outcome != 0)
        message_no_memory();
    columns_free(&columns);
    return outcome == 0 ? arrow_file_open(state->file) : -1;
}

static int arrow_place(struct target *target, const struct view *view, const char *bytes, size_t length,
                       struct buffer *out)
{
    struct state *state = target->state;
    (void)view;
    if (length == 0)
        return 0;
    const struct column_batch rows = column_batch_get(bytes);
    state->out = out;
    int outcome = arrow_file_rows(state->file, &rows);
    target->held = arrow_file_held(state->file);
    return outcome;
}

static int ease(struct target *target, struct buffer *out, bool all)
{
    struct state *state = target->state;
    state->out = out;
    int outcome = arrow_file_ease(state->file, all);
    target->held = arrow_file_held(state->file);
    return outcome;
}

static int arrow_ease(struct target *target, struct buffer *out)
{
    return ease(target, out, true);
}

static int arrow_show(struct target *target, struct buffer *out)
{
    return target->state ? ease(target, out, false) : 0;
}

static int arrow_end(struct target *target, struct buffer *out)
{
    struct state *state = target->state;
    if (!state)
        return 0;
    state->out = out;
    return arrow_file_end(state->file, target->name);
}

static void arrow_forget(struct target *target)
{
    struct state *state = target->state;
    if (!state)
        return;
    arrow_file_free(state->file);
    free(state);
}

const struct writer writer_arrow = {.column_cost = COLUMN_COST,
                                    .prepare = columns_prepare,
                                    .begin = arrow_begin,
                                    .rows = columns_put,
                                    .place = arrow_place,
                                    .ease = arrow_ease,
                                    .show = arrow_show,
                                    .end = arrow_end,
                                    .forget = arrow_forget};
