#include "column_notes.h"

#include <stdio.h>

#include "export/rows/field_notes.h"
#include "input/robots/labels.h"

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
