/* What a connection hands to its layers and its sink: recipes, records, messages. */
#include "connection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "speed.h"
#include "layers/layer.h"
#include "table/recipe.h"
#include "table/field.h"

/* ---- layers ---- */

static void drop_mailbox(struct armtap_conn *conn)
{
    if (!conn->mailbox)
        return;
    conn->taken -= armtap_mailbox_bytes(conn->mailbox);
    conn->reserve->taken -= armtap_mailbox_bytes(conn->mailbox);
    armtap_mailbox_free(conn->mailbox);
    conn->mailbox = NULL;
}

static int say_unknown(struct armtap_conn *conn, const struct armtap_frame *frame, int recipe_id)
{
    return armtap_conn_raise(conn, frame, ARMTAP_FINDING_command_unknown,
                             ARGS(arg_case(ARMTAP_WORD_recipe), arg_release(armtap_ur_rtde_last(ARMTAP_UR_RTDE_ALL)),
                                  arg_recipe((uint64_t)recipe_id)));
}

/* A client set up an input recipe. */
static int set_up_mailbox(struct armtap_conn *conn, const struct armtap_frame *frame, int recipe_id,
                          const struct armtap_recipe *recipe)
{
    enum armtap_mailbox_client client = ARMTAP_MAILBOX_OTHER;
    bool had = conn->mailbox != NULL;
    if (!conn->sink->on_command || conn->has_no_mailbox)
        return ARMTAP_OK;
    if (had && armtap_mailbox_is_unused(conn->mailbox)) {
        drop_mailbox(conn);
        had = false;
    }
    int error = armtap_mailbox_set_up(&conn->mailbox, recipe_id, recipe, &client);
    conn->has_no_mailbox = error == ARMTAP_OK && client != ARMTAP_MAILBOX_FITS;
    if (!had && conn->mailbox)
        armtap_conn_take(conn, armtap_mailbox_bytes(conn->mailbox));
    if (conn->has_no_mailbox)
        drop_mailbox(conn);
    return error == ARMTAP_OK && client == ARMTAP_MAILBOX_UNKNOWN ? say_unknown(conn, frame, recipe_id) : error;
}

/* A line of URScript, if the record is one: a text that fills the frame. */
static void read_script(struct armtap_conn *conn, const struct armtap_record *record)
{
    struct armtap_value value;
    if (record->recipe->count != 1 || record->recipe->entries[0].type != ARMTAP_STRING)
        return;
    armtap_recipe_read(record->recipe, 0, record->values, record->values_length, &value);
    if (armtap_mailbox_script_line(&conn->robot->script, conn->stream.connection, &record->where, value.text,
                                   value.length))
        armtap_conn_layer_moved(conn);
}

/* Data that a client wrote, and whose set-up was not captured; or data of the robot while such a package may wait for
 * the next, which proves it. */
static bool is_bare_write(const struct armtap_conn *conn, const struct armtap_record *record)
{
    if (record->protocol != ARMTAP_RTDE || conn->has_no_mailbox)
        return false;
    if (record->direction == ARMTAP_TO_ROBOT)
        return !record->recipe;
    return conn->half[ARMTAP_TO_ROBOT].used > 0 && conn->stream.midstream;
}

static int take_in_mailbox(struct armtap_conn *conn, const struct armtap_record *record)
{
    int error = armtap_mailbox_take(conn->mailbox, conn, &conn->robot->script, record);
    if (armtap_mailbox_is_other(conn->mailbox)) {
        conn->has_no_mailbox = true;
        drop_mailbox(conn);
    }
    return error;
}

static int take_record(struct armtap_conn *conn, const struct armtap_record *record)
{
    if (!conn->mailbox && is_bare_write(conn, record)) {
        int error = armtap_mailbox_new_late(&conn->mailbox, conn->stream.midstream);
        if (error != ARMTAP_OK)
            return error;
        armtap_conn_take(conn, armtap_mailbox_bytes(conn->mailbox));
    }
    if (conn->mailbox)
        return take_in_mailbox(conn, record);
    if (record->direction == ARMTAP_TO_ROBOT && record->recipe)
        read_script(conn, record);
    return ARMTAP_OK;
}

int armtap_conn_layers_lost(struct armtap_conn *conn, enum armtap_direction direction)
{
    if (conn->robot && direction == ARMTAP_TO_ROBOT)
        armtap_mailbox_script_lost(&conn->robot->script, conn->stream.connection);
    return conn->mailbox ? armtap_mailbox_lost(conn->mailbox, conn, &conn->robot->script, direction) : ARMTAP_OK;
}

int armtap_conn_layers_end(struct armtap_conn *conn, enum armtap_direction direction)
{
    bool has_ended = conn->mailbox && direction == ARMTAP_TO_ROBOT;
    return has_ended ? armtap_mailbox_end(conn->mailbox, conn, &conn->robot->script) : ARMTAP_OK;
}

bool armtap_conn_layers_wait(const struct armtap_conn *conn)
{
    return conn->mailbox && armtap_mailbox_waits(conn->mailbox);
}

/* ---- what decoders say ---- */

int armtap_conn_recipe(struct armtap_conn *conn, const struct armtap_frame *frame, enum armtap_direction direction,
                       int recipe_id, double frequency, unsigned flags, const struct armtap_recipe *recipe)
{
    armtap_conn_begin(conn);
    int error = direction == ARMTAP_TO_ROBOT ? set_up_mailbox(conn, frame, recipe_id, recipe) : ARMTAP_OK;
    if (error != ARMTAP_OK || !conn->sink->on_recipe)
        return error;
    struct armtap_recipe_event event = {&conn->stream, frame->where, direction, recipe_id,
                                        frequency,     flags,        recipe,    NULL};
    return armtap_stopped(conn->sink->on_recipe(conn->user, &event));
}

int armtap_conn_guessed_recipe(struct armtap_conn *conn, const struct armtap_frame *frame, int recipe_id,
                               const struct armtap_recipe *recipe, const struct armtap_guess_evidence *evidence)
{
    armtap_conn_begin(conn);
    if (!conn->sink->on_recipe)
        return ARMTAP_OK;
    struct armtap_recipe_event event = {&conn->stream,  frame->where, ARMTAP_FROM_ROBOT, recipe_id, 0,
                                        ARMTAP_GUESSED, recipe,       evidence};
    return armtap_stopped(conn->sink->on_recipe(conn->user, &event));
}

int armtap_conn_candidates(struct armtap_conn *conn, const struct armtap_frame *frame,
                           const struct armtap_known_recipe *const *recipes, size_t count)
{
    armtap_conn_stir(conn);
    if (!conn->sink->on_candidates)
        return ARMTAP_OK;
    struct armtap_candidates candidates = {&conn->stream, frame->where, recipes, count};
    return armtap_stopped(conn->sink->on_candidates(conn->user, &candidates));
}

bool armtap_conn_hears_refusals(const struct armtap_conn *conn)
{
    return conn->sink->on_refused != NULL;
}

int armtap_conn_refused(struct armtap_conn *conn, const struct armtap_frame *frame, struct armtap_refused_setup *setup)
{
    setup->stream = &conn->stream;
    setup->where = frame->where;
    return armtap_stopped(conn->sink->on_refused(conn->user, setup));
}

int armtap_conn_text(struct armtap_conn *conn, const struct armtap_frame *frame, struct armtap_text *text)
{
    if (!conn->sink->on_text)
        return ARMTAP_OK;
    text->stream = &conn->stream;
    text->where = frame->where;
    text->direction = frame->direction;
    return armtap_stopped(conn->sink->on_text(conn->user, text));
}

/* Notes the cells that do not hold an integer, each once until it is valid again. */
static int note_bad_cells(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_data *data,
                          const struct armtap_set *updated)
{
    struct armtap_half *half = &conn->half[frame->direction];
    int error = ARMTAP_OK;
    if (!half->bad_cells && !(half->bad_cells = calloc(1, sizeof *half->bad_cells)))
        return ARMTAP_ERR_MEMORY;
    for (size_t i = 0; i < data->recipe->count && error == ARMTAP_OK; i++) {
        const struct armtap_field *field = data->recipe->entries[i].field;
        if (!field)
            continue;
        bool bad = !armtap_set_has(updated, field->id);
        bool known = armtap_set_has(half->bad_cells, field->id);
        if (bad == known)
            continue;
        if (!bad) {
            armtap_conn_stir(conn);
            armtap_set_remove(half->bad_cells, field->id);
            continue;
        }
        armtap_set_add(half->bad_cells, field->id);
        error = armtap_conn_raise(conn, frame, ARMTAP_NOTE_rt_cell_not_integer,
                                  ARGS(arg_field(field->name), arg_offset((uint64_t)(data->values - frame->bytes) +
                                                                          data->recipe->entries[i].offset)));
    }
    return error;
}

static bool any_bit(const struct armtap_set *set)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < sizeof set->word / sizeof set->word[0]; i++)
        bits |= set->word[i];
    return bits != 0;
}

/* What callbacks look at, as bits of enum armtap_wanted. */
static int wanted_of(const struct armtap_conn *conn, enum armtap_direction direction)
{
    const struct armtap_sink *sink = conn->sink;
    return sink->wants ? sink->wants(conn->user, &conn->stream, direction) : ~0;
}

/* Where the frame's holes lie in the values. Returns how many do. */
static size_t find_missing(const struct armtap_frame *frame, const struct armtap_data *data,
                           struct armtap_missing missing[ARMTAP_HOLES_MAX])
{
    uint64_t begin = frame->offset + (uint64_t)(data->values - frame->bytes), end = begin + data->values_length;
    size_t count = 0;
    for (size_t i = 0; i < frame->hole_count; i++) {
        const struct armtap_hole *hole = &frame->holes[i];
        uint64_t from = hole->from > begin ? hole->from : begin, to = hole->to < end ? hole->to : end;
        if (from < to)
            missing[count++] = (struct armtap_missing){(size_t)(from - begin), (size_t)(to - begin)};
    }
    return count;
}

/* Adds what a record set to what was known. Of a recipe that is alone everything else is no longer known. */
static void add_known(struct armtap_set *known, const struct armtap_data *data, const struct armtap_set *updated)
{
    const uint64_t others = data->is_alone ? 0 : UINT64_MAX;
    for (size_t i = 0; i < sizeof known->word / sizeof known->word[0]; i++)
        known->word[i] = (known->word[i] & (data->recipe->plan.fields.word[i] | others)) | updated->word[i];
}

void armtap_conn_keep_known(struct armtap_conn *conn, enum armtap_direction direction, unsigned arm,
                            const struct armtap_set *fields)
{
    struct armtap_state *state = conn->half[direction].state[arm - 1];
    for (size_t i = 0; state && i < sizeof fields->word / sizeof fields->word[0]; i++)
        state->known.word[i] &= fields->word[i];
}

static int decode_values(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_data *data,
                         struct armtap_state *state, struct armtap_set *updated)
{
    struct armtap_half *half = &conn->half[frame->direction];
    struct armtap_missing missing[ARMTAP_HOLES_MAX];
    bool is_kept = state == half->state[0];
    if (frame->hole_count)
        armtap_recipe_decode_cut(data->recipe, data->values, data->values_length, missing,
                                 find_missing(frame, data, missing), state, updated);
    else
        armtap_recipe_decode(data->recipe, data->values, data->values_length, state, updated);
    if (is_kept)
        add_known(&state->known, data, updated);
    else
        state->known = *updated;
    bool may_be_bad = !frame->hole_count && data->recipe->integer_cells && data->values_length >= data->recipe->size;
    if (may_be_bad && (memcmp(updated, &data->recipe->plan.fields, sizeof *updated) != 0 ||
                       (half->bad_cells && any_bit(half->bad_cells))))
        return note_bad_cells(conn, frame, data, updated);
    return ARMTAP_OK;
}

void armtap_conn_content(struct armtap_conn *conn, const uint8_t *content, size_t length)
{
    conn->content = content;
    conn->content_length = length;
}

/* The length of the message that skipped bytes begin; 0: none is known. */
static size_t whole_of(const struct armtap_conn *conn, enum armtap_direction direction, uint64_t offset, size_t length)
{
    const struct armtap_half *half = &conn->half[direction];
    bool is_begun = half->begun == offset && half->begun_end > offset + length;
    return is_begun ? (size_t)(half->begun_end - offset) : 0;
}

int armtap_conn_bytes(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                      size_t from, size_t to, uint64_t offset, bool skipped)
{
    if (!conn->sink->on_message || from == to || !(wanted_of(conn, direction) & ARMTAP_WANTS_MESSAGE)) {
        armtap_conn_content(conn, NULL, 0);
        return ARMTAP_OK;
    }
    struct armtap_message message = {.stream = &conn->stream,
                                     .where = armtap_span_where(span, from, to),
                                     .first = armtap_span_where(span, from, from + 1),
                                     .direction = direction,
                                     .skipped = skipped,
                                     .offset = offset,
                                     .bytes = span->bytes + from,
                                     .length = to - from,
                                     .whole = skipped ? whole_of(conn, direction, offset, to - from) : 0,
                                     .content = conn->content,
                                     .content_length = conn->content_length};
    armtap_conn_content(conn, NULL, 0);
    return armtap_stopped(conn->sink->on_message(conn->user, &message));
}

static void begin_record(struct armtap_record *record, const struct armtap_conn *conn, const struct armtap_frame *frame,
                         const struct armtap_data *data)
{
    armtap_clear_in_parts(record, sizeof *record);
    record->stream = &conn->stream;
    record->where = frame->where;
    record->read = conn->half[frame->direction].read;
    record->offset = frame->offset;
    record->direction = frame->direction;
    record->protocol = conn->decoder->info.protocol;
    record->version = data->version;
    record->flags = data->flags;
    record->recipe_id = data->recipe_id;
    record->recipe = data->recipe;
    record->frame = frame->bytes;
    record->frame_length = frame->length;
    record->values = data->values;
    record->values_length = data->values_length;
}

/* What a state says of whose it is. */
static void sign(const struct armtap_conn *conn, const struct armtap_record *record, struct armtap_state *state,
                 unsigned arm)
{
    state->time = record->where.time;
    state->protocol = record->protocol;
    state->generation = conn->stream.generation;
    state->version = record->version;
    state->arm = arm;
}

/* The state of an arm, and what a record says about it. */
static int add_arm(struct armtap_conn *conn, struct armtap_half *half, unsigned number, struct armtap_arm *arm,
                   struct armtap_set *updated)
{
    struct armtap_state **state = &half->state[number - 1];
    if (!*state) {
        *state = armtap_state_new_plain();
        if (!*state)
            return ARMTAP_ERR_MEMORY;
        armtap_conn_take(conn, ARMTAP_STATE_PLAIN);
    }
    *arm = (struct armtap_arm){number, updated, *state};
    return ARMTAP_OK;
}

/* Whether a missing state of an arm may be created: always for the first arm. */
static int may_add_arm(struct armtap_conn *conn, const struct armtap_frame *frame, unsigned number, bool *may)
{
    *may = number == 1 || conn->half[frame->direction].state[number - 1];
    if (*may)
        return ARMTAP_OK;
    int error = armtap_conn_may_keep(conn, frame, ARMTAP_STATE_PLAIN, may);
    if (*may) {
        conn->state_bytes += ARMTAP_STATE_PLAIN;
        conn->reserve->held += ARMTAP_STATE_PLAIN;
    }
    return error;
}

/* Each arm that the recipe names; the first arm if it names none, or if there is no room for them. */
static int decode_arms(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_data *data,
                       struct armtap_arm *arms, struct armtap_set *updated, size_t *count)
{
    struct armtap_half *half = &conn->half[frame->direction];
    unsigned named = data->recipe->arms ? data->recipe->arms : 1;
    *count = 0;
    for (unsigned number = 1; number <= ARMTAP_ARMS_MAX; number++) {
        if (!(named >> (number - 1) & 1))
            continue;
        bool may;
        int error = may_add_arm(conn, frame, number, &may);
        if (error == ARMTAP_OK && may)
            error = add_arm(conn, half, number, &arms[*count], &updated[*count]);
        if (error != ARMTAP_OK)
            return error;
        if (!may)
            continue;
        armtap_recipe_decode_arm(data->recipe, data->values, data->values_length, number, half->state[number - 1],
                                 &updated[*count]);
        ++*count;
    }
    if (*count > 0)
        return ARMTAP_OK;
    memset(&updated[0], 0, sizeof updated[0]);
    *count = 1;
    return add_arm(conn, half, 1, &arms[0], &updated[0]);
}

/* Whether the capture's state serves for a record of that recipe. Once a direction has two, it needs its own: a record
 * of one does not set what the other has. */
static bool may_be_brief(const struct armtap_conn *conn, struct armtap_half *half, const struct armtap_recipe *recipe)
{
    if (!conn->reserve->is_brief || half->state[0] || !recipe || (half->brief_recipe && half->brief_recipe != recipe))
        return false;
    half->brief_recipe = recipe;
    return true;
}

static int add_brief_arm(struct armtap_conn *conn, struct armtap_arm *arm, struct armtap_set *updated)
{
    struct armtap_state **brief = &conn->reserve->brief;
    if (!*brief && !(*brief = armtap_state_new_plain()))
        return ARMTAP_ERR_MEMORY;
    *arm = (struct armtap_arm){1, updated, *brief};
    return ARMTAP_OK;
}

/* Whether a record needs no more decoding: nobody reads more of the state than its modes, all of its fields are there,
 * and none was ever missing in this direction, so that no note of that ends here. */
static bool may_stay_encoded(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_data *data)
{
    /* A mailbox looks at it, and a client's data that waits for the next package may turn out to be for one. */
    bool has_layer = conn->sink->on_command && (conn->mailbox || conn->half[ARMTAP_TO_ROBOT].used > 0);
    int wanted = has_layer ? ARMTAP_WANTS_STATE : wanted_of(conn, frame->direction);
    return !frame->hole_count && !(wanted & ARMTAP_WANTS_STATE) && !conn->half[frame->direction].bad_cells &&
           armtap_recipe_sets_all(data->recipe, data->values, data->values_length, conn->reserve->brief,
                                  (wanted & ARMTAP_WANTS_MODES) != 0);
}

static int decode_record(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_data *data,
                         struct armtap_arm *arms, struct armtap_set *updated, size_t *count)
{
    struct armtap_half *half = &conn->half[frame->direction];
    if (data->recipe && data->recipe->cells)
        return decode_arms(conn, frame, data, arms, updated, count);
    *count = 1;
    bool is_brief = may_be_brief(conn, half, data->recipe);
    int error = is_brief ? add_brief_arm(conn, &arms[0], &updated[0]) : add_arm(conn, half, 1, &arms[0], &updated[0]);
    if (error == ARMTAP_OK && is_brief && may_stay_encoded(conn, frame, data)) {
        arms[0].updated = &data->recipe->plan.fields;
        return ARMTAP_OK;
    }
    if (error == ARMTAP_OK && data->recipe)
        return decode_values(conn, frame, data, is_brief ? conn->reserve->brief : half->state[0], &updated[0]);
    memset(&updated[0], 0, sizeof updated[0]);
    return error;
}

/* The states that a record is about; all connections of one recipe may share one. */
static void sign_arms(struct armtap_conn *conn, const struct armtap_record *record, const struct armtap_arm *arms)
{
    struct armtap_half *half = &conn->half[record->direction];
    for (size_t i = 0; i < record->arm_count; i++) {
        struct armtap_state *own = half->state[arms[i].number - 1];
        sign(conn, record, arms[i].state == own ? own : conn->reserve->brief, arms[i].number);
    }
}

static double clock_of(const struct armtap_record *record, const struct armtap_data *data)
{
    const size_t behind = data->recipe ? data->recipe->behind_clock : 0;
    if (data->clock)
        return armtap_be_double(data->clock);
    bool is_there = behind > 0 && behind <= data->values_length &&
                    !armtap_is_missing(record->missing, record->missing_count, behind - sizeof(double), behind);
    if (is_there)
        return armtap_be_double(data->values + behind - sizeof(double));
    return armtap_set_has(record->updated, ARMTAP_ID_timestamp) ? record->state->timestamp : NAN;
}

/* A record of few bytes whose recipe has many values: each is a column, even if absent. Beyond the budget the record
 * stays opaque: *data becomes `opaque`. */
static int check_values(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_data **data,
                        struct armtap_data *opaque)
{
    size_t count = (*data)->recipe ? (*data)->recipe->count : 0;
    size_t bytes = conn->content ? conn->content_length : frame->length;
    bool has = true;
    if (count <= bytes)
        return ARMTAP_OK;
    int error = armtap_conn_spend(conn, frame, ARMTAP_BUDGET_values, count - bytes, &has);
    if (has)
        return error;
    if (frame->hole_count)
        return error;
    *opaque = **data;
    opaque->recipe = NULL;
    opaque->values = frame->bytes;
    opaque->values_length = frame->length;
    *data = opaque;
    return error;
}

int armtap_conn_record(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_data *data)
{
    struct armtap_half *half = &conn->half[frame->direction];
    struct armtap_data opaque;
    struct armtap_set updated[ARMTAP_ARMS_MAX];
    struct armtap_arm arms[ARMTAP_ARMS_MAX];
    struct armtap_missing missing[ARMTAP_HOLES_MAX];
    if (frame->hole_count && !data->recipe)
        return armtap_conn_unusable(conn, frame);
    conn->stream.bytes_cut[frame->direction] +=
        frame->hole_count ? armtap_half_missing(half, frame->offset, frame->offset + frame->length) : 0;
    conn->stream.records[frame->direction]++;
    /* Opaque records of different recipes mostly differ in length. */
    armtap_watch_record(&conn->watch, armtap_conn_real(conn, frame->direction),
                        data->recipe ? (unsigned)data->recipe_id : (unsigned)frame->length);
    bool after_gap = half->after_gap;
    half->after_gap = false;
    if (!conn->sink->on_record && !conn->sink->on_command)
        return ARMTAP_OK;
    int error = check_values(conn, frame, &data, &opaque);
    if (error != ARMTAP_OK)
        return error;
    struct armtap_record record;
    begin_record(&record, conn, frame, data);
    if (frame->hole_count) {
        record.flags |= ARMTAP_CUT;
        record.missing = missing;
        record.missing_count = find_missing(frame, data, missing);
    }
    error = decode_record(conn, frame, data, arms, updated, &record.arm_count);
    if (error != ARMTAP_OK)
        return error;
    record.flags |= after_gap ? ARMTAP_AFTER_GAP : 0u;
    sign_arms(conn, &record, arms);
    record.arms = arms;
    record.updated = arms[0].updated;
    record.state = arms[0].state;
    record.clock = clock_of(&record, data);
    if (conn->sink->on_record)
        error = armtap_stopped(conn->sink->on_record(conn->user, &record));
    if (error != ARMTAP_OK || !conn->sink->on_command)
        return error;
    return frame->hole_count ? armtap_conn_layers_lost(conn, frame->direction) : take_record(conn, &record);
}

int armtap_conn_properties(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_data *data)
{
    struct armtap_set none = {{0}};
    if (!conn->sink->on_properties)
        return ARMTAP_OK;
    struct armtap_record record;
    struct armtap_arm arm;
    int error = add_arm(conn, &conn->half[frame->direction], 1, &arm, &none);
    if (error != ARMTAP_OK)
        return error;
    begin_record(&record, conn, frame, data);
    record.arms = &arm;
    record.arm_count = 1;
    record.updated = &none;
    record.state = arm.state;
    record.clock = NAN;
    return armtap_stopped(conn->sink->on_properties(conn->user, &record));
}
