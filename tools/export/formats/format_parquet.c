/* Parquet: what the columns of a table are in a Parquet file (tools/parquet). */
#include "format.h"

#include <stdio.h>

#include "base/process/message.h"
#include "input/robots/labels.h"
#include "export/rows/field_notes.h"
#include "parquet/parquet.h"
#include "export/files/partition.h"

/* A column's schema, page header, place and range, name and unit. */
#define COLUMN_COST 180
#define WRITE_BYTES ((size_t)1 << 16)

static const char created_by[] = "armtap version " ARMTAP_VERSION " (build 0)";

/* What is known of a file. */
struct state {
    struct parquet_file *file;
    struct target *target;
    struct buffer *out; /* of the current call */
};

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

/* 0, or -1 without memory. */
static int note_columns(struct parquet_file *file, const struct columns *columns, const struct view *view)
{
    struct buffer text = {0}, name = {0};
    for (size_t n = 0; field_note_key(n); n++) {
        text.length = 0;
        buffer_char(&text, '{');
        for (size_t i = 0; i < columns->count && !text.failed && !name.failed; i++) {
            const struct column *column = &columns->column[i];
            struct noted noted = {.field = column_field(column, view), .element = column->element};
            if (!noted.field)
                continue;
            name.length = 0;
            column_name(column, &name);
            noted.generation = view->table->generation;
            noted.name = name.data;
            noted.length = name.length;
            field_note_put(n, &noted, &text);
        }
        buffer_char(&text, '}');
        if (text.length > strlen("{}"))
            parquet_file_add_note(file, field_note_key(n), text.data, text.length);
    }
    free(text.data);
    free(name.data);
    return text.failed || name.failed ? -1 : 0;
}

static void note(struct parquet_file *file, const char *key, const char *value)
{
    if (value && *value != '\0')
        parquet_file_add_note(file, key, value, strlen(value));
}

/* A file of a folder depends on its capture alone: streams are numbered by run. */
static void note_table(struct parquet_file *file, const struct table *table, const struct target *target)
{
    char number[16];
    note(file, "armtap.version", armtap_version());
    if (!table || table->layout_count == 0)
        return;
    note(file, "armtap.direction", armtap_direction_name(table->direction));
    if (table->is_joined)
        return;
    snprintf(number, sizeof number, "%u", table->stream);
    note(file, "armtap.robot", labels_name(target->settings->labels, table->robot));
    note(file, "armtap.address", labels_find(target->settings->labels, table->robot) ? table->robot : NULL);
    if (!target->provenance)
        note(file, "armtap.stream", number);
    note(file, "armtap.protocol", armtap_protocol_name(table->protocol));
}

/* Without memory, parquet_file_end() fails. */
static void note_provenance(struct parquet_file *file, const struct provenance *provenance)
{
    struct buffer value = {0};
    for (enum provenance_note i = 0; provenance && i < PROVENANCE_NOTES; i++) {
        value.length = 0;
        provenance_put(provenance, i, &value);
        buffer_char(&value, '\0');
        note(file, provenance_key(i), value.failed ? "" : value.data);
    }
    free(value.data);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static int take_bytes(void *user, const char *bytes, size_t length)
{
    struct state *state = user;
    buffer_put(state->out, bytes, length);
    return state->out->failed || state->out->length >= WRITE_BYTES ? target_write_out(state->target) : 0;
}

static struct state *new_state(struct target *target, bool splits_bytes)
{
    struct state *state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    *state = (struct state){.target = target};
    const struct parquet_options options = {.packer = target->settings->packer,
                                            .spool = target->settings->spool,
                                            .write = take_bytes,
                                            .user = state,
                                            .created_by = created_by,
                                            .splits_bytes = splits_bytes,
                                            .is_sorted_by_first = true};
    state->file = parquet_file_new(&options);
    target->state = state;
    return state->file ? state : NULL;
}

/* 0, or -1 without memory. */
static int declare(struct parquet_file *file, const struct columns *columns, const struct view *view,
                   const struct target *target)
{
    struct buffer name = {0};
    for (size_t i = 0; i < columns->count && !name.failed; i++) {
        name.length = 0;
        column_name(&columns->column[i], &name);
        parquet_file_add_column(file, name.data, name.length, type_of(&columns->column[i], view));
    }
    free(name.data);
    note_table(file, view->table, target);
    return name.failed ? -1 : note_columns(file, columns, view);
}

static int begin_file(struct target *target, const struct view *view, bool splits_bytes)
{
    struct columns columns = {0};
    struct state *state = new_state(target, splits_bytes);
    int outcome = state ? columns_gather(&columns, view, NULL, 0) : -1;
    if (outcome == 0)
        outcome = declare(state->file, &columns, view, target);
    if (outcome != 0)
        message_no_memory();
    columns_free(&columns);
    return outcome == 0 ? parquet_file_open(state->file) : -1;
}

static int parquet_begin(struct target *target, const struct view *view, struct buffer *out)
{
    (void)out;
    return begin_file(target, view, false);
}

static int parquet_begin_small(struct target *target, const struct view *view, struct buffer *out)
{
    (void)out;
    return begin_file(target, view, true);
}

static int parquet_place(struct target *target, const struct view *view, const char *bytes, size_t length,
                         struct buffer *out)
{
    struct state *state = target->state;
    (void)view;
    if (length == 0)
        return 0;
    const struct column_batch rows = column_batch_get(bytes);
    state->out = out;
    int outcome = parquet_file_rows(state->file, &rows);
    target->held = parquet_file_held(state->file);
    return outcome;
}

static int parquet_ease(struct target *target, struct buffer *out)
{
    struct state *state = target->state;
    state->out = out;
    int outcome = parquet_file_ease(state->file);
    target->held = parquet_file_held(state->file);
    return outcome;
}

static int parquet_end(struct target *target, struct buffer *out)
{
    struct state *state = target->state;
    if (!state)
        return 0;
    state->out = out;
    note_provenance(state->file, target->provenance);
    return parquet_file_end(state->file);
}

static void parquet_forget(struct target *target)
{
    struct state *state = target->state;
    if (!state)
        return;
    parquet_file_free(state->file);
    free(state);
}

#define WRITER(how)                                                                                                    \
    {                                                                                                                  \
        .column_cost = COLUMN_COST, .prepare = columns_prepare, .begin = (how), .rows = columns_put,                   \
        .place = parquet_place, .ease = parquet_ease, .end = parquet_end, .forget = parquet_forget                     \
    }
const struct writer writer_parquet = WRITER(parquet_begin);
const struct writer writer_parquet_small = WRITER(parquet_begin_small);
