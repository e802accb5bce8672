#include "column_target.h"

#include <stdio.h>

#include "base/process/message.h"
#include "export/rows/field_notes.h"
#include "input/robots/labels.h"

struct column_target {
    struct column_file *file;
    struct target *target;
    struct buffer *out; /* of the current call */
};

static int take_bytes(void *user, const char *bytes, size_t length)
{
    struct column_target *state = user;
    return target_append(state->target, state->out, bytes, length);
}

struct column_file *column_target_file(const struct target *target)
{
    const struct column_target *state = target->state;
    return state ? state->file : NULL;
}

/* The state at the beginning of a call. */
static struct column_file *file_for(struct target *target, struct buffer *out)
{
    struct column_target *state = target->state;
    if (state)
        state->out = out;
    return column_target_file(target);
}

static struct column_file *make_file(const struct column_format *format, struct target *target)
{
    struct column_target *state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    const struct column_output output = {.spool = target->settings->spool, .write = take_bytes, .user = state};
    *state = (struct column_target){.target = target, .file = format->make(target, &output, format->dialect)};
    target->state = state;
    return state->file;
}

int column_target_begin(const struct column_format *format, struct target *target, const struct view *view,
                        struct buffer *out)
{
    struct columns columns = {0};
    struct column_file *file = make_file(format, target);
    int outcome = file ? columns_gather(&columns, view, NULL, 0) : -1;
    if (outcome == 0)
        outcome = format->declare(file, &columns, view, target);
    if (outcome != 0)
        message_no_memory();
    columns_free(&columns);
    return outcome == 0 ? file->kind->open(file_for(target, out)) : -1;
}

/* Tells what the file holds after a call. */
static int held(struct target *target, int outcome)
{
    target->held = column_table_held(&column_target_file(target)->table);
    return outcome;
}

int column_target_place(struct target *target, const struct view *view, const char *bytes, size_t length,
                        struct buffer *out)
{
    (void)view;
    if (length == 0)
        return 0;
    const struct column_batch rows = column_batch_get(bytes);
    return held(target, column_file_rows(file_for(target, out), &rows));
}

int column_target_ease(struct target *target, struct buffer *out)
{
    return held(target, column_file_ease(file_for(target, out), true));
}

int column_target_show(struct target *target, struct buffer *out)
{
    struct column_file *file = file_for(target, out);
    return file ? held(target, column_file_ease(file, false)) : 0;
}

int column_target_end(struct target *target, struct buffer *out)
{
    struct column_file *file = file_for(target, out);
    return file ? column_file_end(file, target->name) : 0;
}

void column_target_forget(struct target *target)
{
    column_file_free(column_target_file(target));
    free(target->state);
}

/* ---- notes ------------------------------------------------------------------------------------------------------- */

static void take(const struct note_taker *taker, const char *key, const char *value)
{
    if (value && *value != '\0')
        taker->take(taker->user, key, value, strlen(value), false);
}

/* A file of a folder depends on its capture alone: streams are numbered by run. */
void notes_of_table(const struct note_taker *taker, const struct table *table, const struct target *target)
{
    char number[16];
    take(taker, "armtap.version", armtap_version());
    if (!table || table->layout_count == 0)
        return;
    take(taker, "armtap.direction", armtap_direction_name(table->direction));
    if (table->is_joined)
        return;
    snprintf(number, sizeof number, "%u", table->stream);
    take(taker, "armtap.robot", labels_name(target->settings->labels, table->robot));
    take(taker, "armtap.address", labels_find(target->settings->labels, table->robot) ? table->robot : NULL);
    if (!target->provenance)
        take(taker, "armtap.stream", number);
    take(taker, "armtap.protocol", armtap_protocol_name(table->protocol));
}

/* Its field is NULL if it has no notes. The name is not set. */
static struct noted noted_of(const struct column *column, const struct view *view, bool is_array)
{
    return (struct noted){.field = column_field(column, view),
                          .element = is_array ? NOTED_WHOLE : column->element,
                          .generation = view->table ? view->table->generation : ARMTAP_GENERATION_UNKNOWN};
}

/* Appends the members of one kind of note. */
static void put_members(size_t kind, const struct columns *columns, const struct view *view, enum notes_by by,
                        struct buffer *text)
{
    struct buffer name = {0};
    size_t step = 1;
    for (size_t i = 0; i < columns->count && !text->failed && !name.failed; i += step) {
        const struct column *column = &columns->column[i];
        bool is_array = by == NOTES_BY_ARRAY && column_is_array(column);
        struct noted noted = noted_of(column, view, is_array);
        step = by == NOTES_BY_ARRAY ? column_array_width(column) : 1;
        if (!noted.field)
            continue;
        name.length = 0;
        (is_array ? column_array_name : column_name)(column, &name);
        noted.name = name.data;
        noted.length = name.length;
        field_note_put(kind, &noted, text);
    }
    text->failed = text->failed || name.failed;
    free(name.data);
}

int notes_of_columns(const struct note_taker *taker, const struct columns *columns, const struct view *view,
                     enum notes_by by)
{
    struct buffer text = {0};
    for (size_t kind = 0; field_note_key(kind) && !text.failed; kind++) {
        text.length = 0;
        buffer_char(&text, '{');
        put_members(kind, columns, view, by, &text);
        buffer_char(&text, '}');
        if (!text.failed && text.length > strlen("{}"))
            taker->take(taker->user, field_note_key(kind), text.data, text.length, true);
    }
    free(text.data);
    return text.failed ? -1 : 0;
}

int notes_of_array(const struct note_taker *taker, const struct column *column, const struct view *view)
{
    struct noted noted = noted_of(column, view, column_is_array(column));
    struct buffer text = {0};
    for (size_t kind = 0; noted.field && field_note_key(kind) && !text.failed; kind++) {
        text.length = 0;
        if (field_note_text(kind, &noted, &text) && !text.failed)
            taker->take(taker->user, field_note_key(kind), text.data, text.length, *text.data == '{');
    }
    free(text.data);
    return text.failed ? -1 : 0;
}
