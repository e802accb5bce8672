/* Parquet: what the columns of a table are in a Parquet file (tools/parquet). */
#include "column_notes.h"

#include "base/process/message.h"
#include "parquet/parquet.h"
#include "export/files/partition.h"

/* A column's schema, page header, place and range, name and unit. */
#define COLUMN_COST 180

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

static void take_note(void *user, const char *key, const char *text, size_t length, bool is_json)
{
    (void)is_json;
    parquet_file_add_note(user, key, text, length);
}

/* Without memory, parquet_file_end() fails. */
static void note_provenance(struct parquet_file *file, const struct provenance *provenance)
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

static int take_bytes(void *user, const char *bytes, size_t length)
{
    struct state *state = user;
    return target_append(state->target, state->out, bytes, length);
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
    const struct note_taker taker = {file, take_note};
    notes_of_table(&taker, view->table, target);
    return name.failed ? -1 : notes_of_columns(&taker, columns, view, NOTES_BY_COLUMN);
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
