/* UR's RTDE, TCP 30004, protocols 1, 2 and 3, both directions.
 *
 * A client may ask for a protocol (V) and the controller's release (v), sets up an output recipe (O) and input recipes
 * (I), and starts (S) and pauses (P); data packages (U) then follow the recipes, in the types that the controller
 * replied. Text messages (M) may come at any time. Protocol 3 adds properties (R).
 *
 * Source: UR's RTDE guide; its contradictions are settled by UR's own clients. */

#include "bytes.h"
#include "protocol/clock.h"
#include "speed.h"
#include "rtde_package.h"
#include "rtde_reply.h"
#include "rtde_session.h"

#define SETUP_BEYOND_DOUBT 16 /* bytes of a set-up: this many letters are no accident */
#define READ_AS 1u            /* a sure frame was read: with the protocol added, rtde_sure()'s answer */
#define WAITED_FOR 512        /* bytes of a package that must confirm the one before it */

/* ---- telling packages from other bytes ---- */

/* The last frame ended where this one begins. */
static bool rtde_in_step(const struct armtap_rtde *rtde, enum armtap_direction direction)
{
    return rtde && rtde->in_step[direction];
}

static bool parse_any(const struct armtap_rtde *rtde, const uint8_t *bytes, size_t length,
                      enum armtap_direction direction, struct armtap_rtde_package *package)
{
    return armtap_rtde_read(bytes, length, direction, rtde ? rtde->protocol : 0, rtde_in_step(rtde, direction),
                            package);
}

/* A reply with a list to a captured request, where a package must begin: accepted even if it cannot be read. */
static bool is_awaited(const struct armtap_rtde *rtde, enum armtap_direction direction, uint8_t type)
{
    bool has_list =
        type == ARMTAP_RTDE_SETUP_OUTPUTS || type == ARMTAP_RTDE_SETUP_INPUTS || type == ARMTAP_RTDE_PROPERTIES;
    if (!has_list || direction != ARMTAP_FROM_ROBOT || !rtde_in_step(rtde, direction))
        return false;
    return armtap_rtde_waiting(rtde, (enum armtap_rtde_type)type) != NULL;
}

static long rtde_frame(const void *context, enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    const struct armtap_rtde *rtde = context;
    if (length < ARMTAP_RTDE_HEADER)
        return 0;
    size_t size = armtap_be16(bytes);
    if (size < ARMTAP_RTDE_HEADER)
        return -1;
    if (!rtde_in_step(rtde, direction) && !armtap_rtde_size_fits(bytes[2], direction, size))
        return -1;
    return (long)size;
}

static size_t rtde_next(const void *context, enum armtap_direction direction, const uint8_t *bytes, size_t length,
                        size_t at)
{
    at++;
    return rtde_in_step(context, direction) ? at : at + armtap_rtde_before_package(direction, bytes + at, length - at);
}

/* Where the values of a data package begin, if its recipe is known and it has exactly its length; NULL otherwise. */
static const uint8_t *values_of(const struct armtap_rtde *rtde, enum armtap_direction direction, const uint8_t *frame,
                                size_t length)
{
    const uint8_t *payload = frame + ARMTAP_RTDE_HEADER;
    size_t left = length - ARMTAP_RTDE_HEADER;
    if (!rtde || left == 0)
        return NULL;
    const struct armtap_recipe *recipe = direction == ARMTAP_FROM_ROBOT ? rtde->outputs
                                         : rtde->inputs                 ? rtde->inputs->by_id[payload[0]]
                                                                        : NULL;
    if (!recipe || recipe->open)
        return NULL;
    if (direction == ARMTAP_FROM_ROBOT && rtde->protocol == 1)
        return left == recipe->size ? payload : NULL;
    if (direction == ARMTAP_FROM_ROBOT && rtde->outputs_id >= 0 && payload[0] != rtde->outputs_id)
        return NULL;
    return left == recipe->size + 1 ? payload + 1 : NULL;
}

static unsigned message_reading(const struct armtap_rtde *rtde, enum armtap_direction direction, const uint8_t *frame,
                                size_t length)
{
    struct armtap_rtde_package package = {.size = sizeof package};
    if (!armtap_rtde_size_fits(frame[2], direction, length))
        return 0;
    if (!parse_any(rtde, frame, length, direction, &package))
        return is_awaited(rtde, direction, frame[2]);
    return rtde_in_step(rtde, direction) ? READ_AS + (unsigned)package.protocol : 1;
}

/* A data package from the robot that is shorter or longer than its recipe, where a package must begin: it need not wait
 * for what follows. If one of the right length ends within it, before another one, its length is what is wrong. */
static bool is_misfit(const struct armtap_rtde *rtde, const uint8_t *frame, size_t length)
{
    const struct armtap_recipe *recipe = rtde->outputs;
    size_t id = rtde->protocol >= 2 ? 1 : 0, behind = ARMTAP_RTDE_HEADER + id + (recipe ? recipe->size : 0);
    bool is_of_it = rtde_in_step(rtde, ARMTAP_FROM_ROBOT) && recipe && !recipe->open && rtde->protocol > 0 &&
                    !rtde->outputs_guessed && length > ARMTAP_RTDE_HEADER + id &&
                    (id == 0 || frame[ARMTAP_RTDE_HEADER] == rtde->outputs_id);
    if (!is_of_it || length <= behind)
        return is_of_it;
    const uint8_t *next = frame + behind;
    return length - behind < ARMTAP_RTDE_HEADER ||
           !armtap_rtde_size_fits(next[2], ARMTAP_FROM_ROBOT, armtap_be16(next));
}

static unsigned rtde_sure(const void *context, enum armtap_direction direction, const uint8_t *frame, size_t length)
{
    const struct armtap_rtde *rtde = context;
    if (frame[2] == ARMTAP_RTDE_DATA)
        return length == rtde->last_data[direction] || values_of(rtde, direction, frame, length) ||
               (direction == ARMTAP_FROM_ROBOT && is_misfit(rtde, frame, length));
    return message_reading(rtde, direction, frame, length);
}

/* The step of the controller's clock between two data packages whose values are known. */
static enum armtap_fit clock_fit(const struct armtap_rtde *rtde, const uint8_t *values, const uint8_t *next_values,
                                 const uint8_t *end)
{
    if (rtde->clock_offset < 0)
        return ARMTAP_FIT_YES;
    if (next_values + rtde->clock_offset + 8 > end)
        return ARMTAP_FIT_MORE;
    return armtap_clock_fit(values + rtde->clock_offset, next_values + rtde->clock_offset);
}

/* Two data packages of one length with unknown values. Most clients ask for the clock first: a value there that
 * advances in whole cycles distinguishes a package from a register that always looks like a header. */
static enum armtap_fit first_clock_fit(const uint8_t *frame, size_t length, const uint8_t *next, size_t available)
{
    for (size_t at = ARMTAP_RTDE_HEADER; at <= ARMTAP_RTDE_HEADER + 1 && at + 8 <= length; at++) {
        if (at + 8 > available)
            return ARMTAP_FIT_MORE;
        double clock = armtap_be_double(frame + at);
        if (armtap_clock_may_show(clock) && armtap_clock_fit(frame + at, next + at) == ARMTAP_FIT_WELL)
            return ARMTAP_FIT_WELL;
    }
    return ARMTAP_FIT_YES;
}

static enum armtap_fit rtde_follows(const void *context, enum armtap_direction direction, const uint8_t *frame,
                                    size_t length, const uint8_t *next, size_t available)
{
    const struct armtap_rtde *rtde = context;
    struct armtap_rtde_package package = {.size = sizeof package};
    if (available < ARMTAP_RTDE_HEADER)
        return ARMTAP_FIT_MORE;
    size_t size = armtap_be16(next);
    if (!armtap_rtde_size_fits(next[2], direction, size))
        return ARMTAP_FIT_NO;
    bool known_type = armtap_rtde_size_fits(frame[2], direction, length);
    if (frame[2] != ARMTAP_RTDE_DATA) {
        if (known_type && !parse_any(rtde, frame, length, direction, &package) &&
            !is_awaited(rtde, direction, frame[2]))
            return ARMTAP_FIT_NO;
        bool is_list = frame[2] == ARMTAP_RTDE_SETUP_OUTPUTS || frame[2] == ARMTAP_RTDE_SETUP_INPUTS;
        return known_type && is_list && length >= SETUP_BEYOND_DOUBT ? ARMTAP_FIT_WELL : ARMTAP_FIT_YES;
    }
    if (next[2] != ARMTAP_RTDE_DATA) {
        if (size > WAITED_FOR)
            return ARMTAP_FIT_YES; /* even if all of it has arrived, or the answer would depend on the chunks */
        if (available < size)
            return ARMTAP_FIT_MORE;
        return parse_any(rtde, next, size, direction, &package) || is_awaited(rtde, direction, next[2]) ? ARMTAP_FIT_YES
                                                                                                        : ARMTAP_FIT_NO;
    }
    if (available < ARMTAP_RTDE_HEADER + 1)
        return ARMTAP_FIT_MORE;
    const uint8_t *values = values_of(rtde, direction, frame, length);
    const uint8_t *next_values = values_of(rtde, direction, next, size);
    if (values && next_values && direction == ARMTAP_FROM_ROBOT)
        return clock_fit(rtde, values, next_values, next + available);
    if (direction == ARMTAP_TO_ROBOT || rtde_in_step(rtde, direction))
        return ARMTAP_FIT_YES; /* data may be shorter or longer than its recipe */
    if (values || next_values || size != length)
        return ARMTAP_FIT_NO;
    return first_clock_fit(frame, length, next, available);
}

static int rtde_lost(void *context, struct armtap_conn *conn, const struct armtap_frame *here, bool gap)
{
    struct armtap_rtde *rtde = context;
    rtde->in_step[here->direction] = false;
    rtde->lost_requests = rtde->lost_requests || here->direction == ARMTAP_TO_ROBOT;
    int error = gap ? armtap_rtde_gap(rtde, conn, here) : ARMTAP_OK;
    if (error != ARMTAP_OK || here->direction == ARMTAP_TO_ROBOT)
        return error;
    armtap_rtde_missed_replies(rtde);
    armtap_rtde_lost_properties(rtde);
    return armtap_rtde_doubt_outputs(rtde, conn, here->where.time);
}

/* ---- data ---- */

/* Position of the clock in opaque data, once found. */
static const uint8_t *sampled_clock(const struct armtap_rtde *rtde, const struct armtap_frame *frame)
{
    bool found = rtde->sampled_clock >= 0 && frame->length - ARMTAP_RTDE_HEADER == rtde->sampled_length;
    return found ? frame->bytes + ARMTAP_RTDE_HEADER + rtde->sampled_clock : NULL;
}

/* Notes how many more misfits of a kind followed the first, which is noted. */
static int end_run(struct armtap_conn *conn, enum armtap_direction direction, struct armtap_rtde_misfits *run,
                   bool is_long)
{
    struct armtap_rtde_misfits ended = *run;
    struct armtap_frame last = armtap_place(direction, ended.offset, ended.where);
    *run = (struct armtap_rtde_misfits){.noted = false};
    if (ended.more == 0)
        return ARMTAP_OK;
    return armtap_conn_raise(conn, &last, is_long ? ARMTAP_NOTE_rtde_data_long : ARMTAP_NOTE_rtde_data_short,
                             ARGS(arg_more(ended.more)));
}

static bool has_misfits(const struct armtap_rtde *rtde, enum armtap_direction direction)
{
    return rtde->misfits[direction][0].noted || rtde->misfits[direction][1].noted;
}

/* A package fits, or there are no more. */
ARMTAP_RARE static int end_misfits(struct armtap_rtde *rtde, struct armtap_conn *conn, enum armtap_direction direction)
{
    struct armtap_rtde_misfits *runs = rtde->misfits[direction];
    size_t first = runs[0].offset <= runs[1].offset ? 0 : 1, second = 1 - first;
    int error = end_run(conn, direction, &runs[first], first == 1);
    return error == ARMTAP_OK ? end_run(conn, direction, &runs[second], second == 1) : error;
}

ARMTAP_RARE static int note_misfit(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                                   size_t length, size_t wanted)
{
    bool is_long = length > wanted;
    struct armtap_rtde_misfits *misfits = &rtde->misfits[frame->direction][is_long];
    misfits->where = frame->where;
    misfits->offset = frame->offset;
    if (misfits->noted) {
        misfits->more++;
        return ARMTAP_OK;
    }
    misfits->noted = true;
    return armtap_conn_raise(conn, frame, is_long ? ARMTAP_NOTE_rtde_data_long : ARMTAP_NOTE_rtde_data_short,
                             ARGS(arg_bytes(length), arg_bytes_known(wanted)));
}

static bool is_guessed(const struct armtap_rtde *rtde, enum armtap_direction direction,
                       const struct armtap_recipe *recipe)
{
    return recipe && (direction == ARMTAP_FROM_ROBOT ? rtde->outputs_guessed : recipe->assumed);
}

static int deliver(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                   const struct armtap_recipe *recipe, bool has_id)
{
    const uint8_t *payload = frame->bytes + ARMTAP_RTDE_HEADER;
    size_t skip = has_id ? 1 : 0;
    struct armtap_data data = {
        .recipe = recipe,
        .recipe_id = has_id ? payload[0] : 0,
        .version = rtde->protocol,
        .flags = is_guessed(rtde, frame->direction, recipe) ? ARMTAP_GUESSED : 0u,
        .values = payload + skip,
        .values_length = frame->length - ARMTAP_RTDE_HEADER - skip,
        .is_alone = frame->direction == ARMTAP_FROM_ROBOT,
        .clock = recipe || frame->direction == ARMTAP_TO_ROBOT ? NULL : sampled_clock(rtde, frame),
    };
    if (!recipe)
        return armtap_conn_record(conn, frame, &data);
    bool fits = recipe->open || data.values_length == recipe->size;
    if (!fits)
        data.flags |= data.values_length < recipe->size ? (unsigned)ARMTAP_SHORT : (unsigned)ARMTAP_LONG;
    int error = ARMTAP_OK;
    if (!fits)
        error = note_misfit(rtde, conn, frame, data.values_length, recipe->size);
    else if (has_misfits(rtde, frame->direction))
        error = end_misfits(rtde, conn, frame->direction);
    return error == ARMTAP_OK ? armtap_conn_record(conn, frame, &data) : error;
}

/* Which well-known clients' data this unnamed data may be. Returns how many. */
static size_t list_candidates(const struct armtap_rtde *rtde, enum armtap_direction direction, struct armtap_line *line)
{
    const struct armtap_rtde_candidates *candidates = &rtde->candidates;
    size_t count = direction == ARMTAP_FROM_ROBOT ? candidates->count : 0;
    armtap_line_begin(line);
    for (size_t i = 0; i < count; i++) {
        armtap_line_string(line, "@");
        armtap_line_name(line, armtap_known_recipe_at(candidates->rows[i])->name);
    }
    return count;
}

static enum armtap_word why_missing(const struct armtap_rtde *rtde, const struct armtap_conn *conn,
                                    enum armtap_direction direction)
{
    const struct armtap_rtde_bad *bad = &rtde->bad_reply[direction];
    const struct armtap_stream *stream = armtap_conn_stream(conn);
    if (direction == ARMTAP_FROM_ROBOT && armtap_rtde_waiting(rtde, ARMTAP_RTDE_SETUP_OUTPUTS))
        return ARMTAP_WORD_no_reply;
    if (bad->refused || bad->seen)
        return bad->refused ? ARMTAP_WORD_refused : ARMTAP_WORD_unreadable;
    switch (armtap_conn_rest(conn)) {
    case ARMTAP_REST_NOT:
        return !stream->midstream && stream->gaps_cut > 0 ? ARMTAP_WORD_cut : ARMTAP_WORD_not_captured;
    case ARMTAP_REST_SURELY:
        return ARMTAP_WORD_given_up;
    default:
        return ARMTAP_WORD_forgotten;
    }
}

static int note_missing(const struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    enum armtap_word reason = why_missing(rtde, conn, frame->direction);
    bool has_reply = reason == ARMTAP_WORD_refused || reason == ARMTAP_WORD_unreadable;
    bool is_from_robot = frame->direction == ARMTAP_FROM_ROBOT;
    uint64_t packet = has_reply ? rtde->bad_reply[frame->direction].packet : 0;
    struct armtap_line names;
    size_t candidates = list_candidates(rtde, frame->direction, &names);
    bool has_candidates = reason == ARMTAP_WORD_not_captured && candidates > 0;
    if (!has_candidates)
        armtap_line_begin(&names);
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_rtde_recipe_missing,
                             ARGS(arg_bytes(frame->length - ARMTAP_RTDE_HEADER),
                                  arg_direction(is_from_robot ? ARMTAP_WORD_from_robot : ARMTAP_WORD_to_robot),
                                  arg_reason(reason), packet > 0 ? arg_packet(packet) : arg_none(true),
                                  has_candidates ? arg_candidates(candidates) : arg_none(true), arg_names(&names)));
}

/* Data with an unknown recipe: counted, and noted once. */
static int deliver_opaque(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    size_t payload = frame->length - ARMTAP_RTDE_HEADER;
    bool *noted = &rtde->missing_noted[frame->direction];
    const struct armtap_recipe *given = armtap_conn_given_recipe(conn);
    if (!*noted) {
        int error;
        *noted = true;
        if (given && frame->direction == ARMTAP_FROM_ROBOT)
            error = armtap_conn_raise(
                conn, frame, ARMTAP_NOTE_rtde_recipe_missing,
                ARGS(arg_reason(ARMTAP_WORD_given_recipe), arg_bytes_known(given->size), arg_bytes(payload)));
        else
            error = note_missing(rtde, conn, frame);
        if (error != ARMTAP_OK)
            return error;
    }
    return deliver(rtde, conn, frame, NULL, false);
}

/* Without a handshake the user's recipe is used; the protocol is the one in which it fits exactly. */
ARMTAP_RARE static int adopt_given(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    const struct armtap_recipe *given = armtap_conn_given_recipe(conn);
    size_t payload = frame->length - ARMTAP_RTDE_HEADER;
    if (!given || rtde->outputs_refused)
        return ARMTAP_OK;
    size_t id = payload == given->size + 1 ? 1 : 0;
    if (payload != given->size + id || (rtde->protocol != 0 && (rtde->protocol >= 2) != (id == 1)))
        return ARMTAP_OK;
    if (rtde->protocol == 0)
        armtap_rtde_read_as(rtde, conn, id ? 2 : 1);
    armtap_rtde_take_outputs(rtde, armtap_recipe_hold(given));
    return armtap_conn_recipe(conn, frame, ARMTAP_FROM_ROBOT,
                              rtde->protocol >= 2 ? frame->bytes[ARMTAP_RTDE_HEADER] : 0, 0, 0, given);
}

/* Noted when data comes: until then the request may still turn up. */
ARMTAP_RARE static int note_unnamed(struct armtap_rtde *rtde, struct armtap_conn *conn,
                                    const struct armtap_frame *frame)
{
    rtde->outputs_unnamed = false;
    if (rtde->bad_reply[ARMTAP_FROM_ROBOT].seen)
        return armtap_conn_raise(conn, frame, ARMTAP_NOTE_rtde_recipe_missing,
                                 ARGS(arg_reason(ARMTAP_WORD_other_count), arg_types(rtde->outputs->count)));
    const struct armtap_budget *limit = rtde->forgotten[ARMTAP_FROM_ROBOT].limit;
    if (limit)
        return armtap_conn_raise(conn, frame, ARMTAP_NOTE_rtde_recipe_missing,
                                 ARGS(arg_reason(ARMTAP_WORD_names_forgotten), arg_types(rtde->outputs->count),
                                      arg_most(limit->once), arg_unit(limit->unit), arg_scope(limit->of)));
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_rtde_recipe_missing,
                             ARGS(arg_reason(ARMTAP_WORD_no_names), arg_types(rtde->outputs->count)));
}

/* A controller keeps one output recipe: data with another id follows a set-up that was not captured. */
ARMTAP_RARE static int deliver_other_id(struct armtap_rtde *rtde, struct armtap_conn *conn,
                                        const struct armtap_frame *frame)
{
    bool *noted = &rtde->missing_noted[ARMTAP_FROM_ROBOT];
    int error =
        *noted ? ARMTAP_OK
               : armtap_conn_raise(
                     conn, frame, ARMTAP_NOTE_rtde_recipe_missing,
                     ARGS(arg_reason(rtde->outputs_guessed ? ARMTAP_WORD_guessed_other : ARMTAP_WORD_other_recipe),
                          arg_recipe(frame->bytes[ARMTAP_RTDE_HEADER]), arg_recipe_known((uint64_t)rtde->outputs_id)));
    *noted = true;
    return error == ARMTAP_OK ? deliver(rtde, conn, frame, NULL, false) : error;
}

/* Data without a set-up: the beginning is missing, as in a raw dump, and may have set another protocol. */
ARMTAP_RARE static void distrust_default(struct armtap_rtde *rtde, struct armtap_conn *conn)
{
    if (rtde->outputs_refused || armtap_rtde_waiting(rtde, ARMTAP_RTDE_SETUP_OUTPUTS))
        return;
    rtde->assumed = false;
    rtde->protocol = 0;
    armtap_conn_version(conn, 0, ARMTAP_GENERATION_CB3E);
}

ARMTAP_RARE static int doubt_requests(struct armtap_rtde *rtde, struct armtap_conn *conn, int64_t now)
{
    int error = armtap_rtde_overdue_properties(rtde, conn, now);
    return error == ARMTAP_OK ? armtap_rtde_doubt_outputs(rtde, conn, now) : error;
}

static int decode_output(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    if (rtde->assumed && !rtde->outputs)
        distrust_default(rtde, conn);
    int error = rtde->requests ? doubt_requests(rtde, conn, frame->where.time) : ARMTAP_OK;
    if (error == ARMTAP_OK && rtde->doubt.judging && !frame->hole_count)
        error = armtap_rtde_doubt_data(rtde, conn, frame);
    if (error == ARMTAP_OK && !rtde->outputs)
        error = adopt_given(rtde, conn, frame);
    if (error == ARMTAP_OK && (!rtde->outputs || rtde->outputs_inferred || rtde->typed) && !frame->hole_count)
        error = armtap_rtde_guess(rtde, conn, frame);
    if (error != ARMTAP_OK)
        return error;
    if (!rtde->outputs)
        return deliver_opaque(rtde, conn, frame);
    size_t payload = frame->length - ARMTAP_RTDE_HEADER;
    if (rtde->protocol == 0 && payload == rtde->outputs->size)
        rtde->protocol = 1;
    else if (rtde->protocol == 0)
        rtde->protocol = 2;
    bool has_id = rtde->protocol >= 2 && payload > 0;
    if (has_id && rtde->outputs_id < 0)
        rtde->outputs_id = frame->bytes[ARMTAP_RTDE_HEADER];
    if (has_id && frame->bytes[ARMTAP_RTDE_HEADER] != rtde->outputs_id)
        return deliver_other_id(rtde, conn, frame);
    if (rtde->outputs_unnamed)
        error = note_unnamed(rtde, conn, frame);
    if (error != ARMTAP_OK)
        return error;
    if (!armtap_rtde_size_is_known(rtde->outputs))
        error = armtap_rtde_size_unknown(rtde, conn, frame, &rtde->outputs, payload - (has_id ? 1 : 0));
    return error == ARMTAP_OK ? deliver(rtde, conn, frame, rtde->outputs, has_id) : error;
}

/* Where no recipe of that id is known. */
ARMTAP_RARE static int assume_inputs(struct armtap_rtde *rtde, struct armtap_conn *conn,
                                     const struct armtap_frame *frame)
{
    bool has_bytes = frame->length > ARMTAP_RTDE_HEADER;
    bool is_known = has_bytes && rtde->inputs && rtde->inputs->by_id[frame->bytes[ARMTAP_RTDE_HEADER]];
    return is_known ? ARMTAP_OK : armtap_rtde_assume_inputs(rtde, conn, frame);
}

/* Protocol 1 clients that robots understand send the id too; UR's newest client does not. The length decides. */
static int decode_input(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    const uint8_t *payload = frame->bytes + ARMTAP_RTDE_HEADER;
    size_t length = frame->length - ARMTAP_RTDE_HEADER;
    if (rtde->requests) {
        int error = assume_inputs(rtde, conn, frame);
        if (error != ARMTAP_OK)
            return error;
    }
    struct armtap_recipe **place = length > 0 && rtde->inputs ? &rtde->inputs->by_id[payload[0]] : NULL;
    const struct armtap_recipe *recipe = place ? *place : NULL;
    if (recipe && rtde->protocol >= 2 && armtap_rtde_size_is_known(recipe))
        return deliver(rtde, conn, frame, recipe, true);
    if (recipe && rtde->protocol >= 2) {
        size_t size = recipe->size;
        int error = armtap_rtde_size_unknown(rtde, conn, frame, place, length - 1);
        if ((*place)->size != size)
            armtap_rtde_inputs_sort(rtde->inputs, payload[0]);
        return error == ARMTAP_OK ? deliver(rtde, conn, frame, *place, true) : error;
    }
    if (recipe && length == recipe->size + 1)
        return deliver(rtde, conn, frame, recipe, true);
    const struct armtap_recipe *fitting =
        rtde->inputs && rtde->protocol <= 1 ? armtap_rtde_inputs_of_size(rtde->inputs, length) : NULL;
    if (fitting)
        return deliver(rtde, conn, frame, fitting, false);
    if (recipe)
        return deliver(rtde, conn, frame, recipe, true);
    return deliver_opaque(rtde, conn, frame);
}

/* ---- everything else ---- */

static int decode_text(struct armtap_conn *conn, const struct armtap_frame *frame,
                       const struct armtap_rtde_package *package)
{
    static const enum armtap_note_code codes[] = {ARMTAP_NOTE_rtde_text_exception, ARMTAP_NOTE_rtde_text_error,
                                                  ARMTAP_NOTE_rtde_text_warning, ARMTAP_NOTE_rtde_text_info};
    struct armtap_text said = {.level = (int)package->level,
                               .text = package->text,
                               .text_length = package->text_length,
                               .source = package->source,
                               .source_length = package->source_length};
    int error = armtap_conn_text(conn, frame, &said);
    if (error != ARMTAP_OK || frame->direction == ARMTAP_TO_ROBOT)
        return error;
    enum armtap_note_code code = package->level < 4 ? codes[package->level] : ARMTAP_NOTE_rtde_text_info;
    bool is_empty = package->source_length == 0 && package->text_length == 0;
    return armtap_conn_raise(
        conn, frame, code,
        ARGS(arg_quoted_source(package->source_length > 0 ? package->source : NULL, package->source_length),
             is_empty ? arg_none(true) : arg_quoted(package->text ? package->text : "", package->text_length)));
}

static void settle_protocol(struct armtap_rtde *rtde, struct armtap_conn *conn, int protocol)
{
    rtde->protocol = protocol;
    rtde->default_in_force = false;
    rtde->assumed = false;
    if (protocol > 0)
        armtap_conn_version(conn, protocol, ARMTAP_GENERATION_CB3E);
}

/* Protocol 1 is in force from the beginning until another is accepted. A client that continues without the reply to its
 * request got one that was not captured. */
ARMTAP_RARE static void take_default(struct armtap_rtde *rtde, struct armtap_conn *conn, uint8_t type)
{
    const struct armtap_stream *stream = armtap_conn_stream(conn);
    bool asked = armtap_rtde_waiting(rtde, ARMTAP_RTDE_VERSION) != NULL;
    if (!rtde->begun && !stream->midstream) {
        rtde->protocol = 1;
        rtde->default_in_force = true;
    }
    if (!rtde->begun)
        armtap_conn_version(conn, 0, ARMTAP_GENERATION_CB3E);
    rtde->begun = true;
    if (!rtde->default_in_force || type == ARMTAP_RTDE_VERSION || type == ARMTAP_RTDE_TEXT)
        return;
    if (asked)
        rtde->protocol = 0;
    else
        settle_protocol(rtde, conn, 1);
    rtde->default_in_force = false;
    rtde->assumed = !asked;
}

/* Notes refused protocols once the client continues without another request. */
ARMTAP_RARE static int note_refusals(struct armtap_rtde *rtde, struct armtap_conn *conn)
{
    int error = ARMTAP_OK;
    if (rtde->refusal_count == 0)
        return ARMTAP_OK;
    for (size_t i = 0; i < rtde->refusal_count && error == ARMTAP_OK; i++) {
        const struct armtap_rtde_refusal *refusal = &rtde->refusals[i];
        struct armtap_frame frame = armtap_place(ARMTAP_FROM_ROBOT, refusal->offset, refusal->where);
        error = armtap_conn_raise(conn, &frame, ARMTAP_NOTE_rtde_version_refused, ARGS(arg_version(refusal->version)));
    }
    rtde->refusal_count = 0;
    return error;
}

static int rtde_ends(void *context, struct armtap_conn *conn, enum armtap_direction direction)
{
    struct armtap_rtde *rtde = context;
    int error = note_refusals(rtde, conn);
    if (error == ARMTAP_OK)
        error = armtap_rtde_note_held(rtde, conn);
    if (error == ARMTAP_OK && direction == ARMTAP_FROM_ROBOT)
        error = armtap_rtde_note_not_taken(rtde, conn);
    if (error == ARMTAP_OK && direction == ARMTAP_FROM_ROBOT && rtde->in_step[direction])
        error = armtap_rtde_overdue_properties(rtde, conn, armtap_conn_stream(conn)->last.time);
    return error == ARMTAP_OK && has_misfits(rtde, direction) ? end_misfits(rtde, conn, direction) : error;
}

static int hold_refusal(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                        unsigned version)
{
    int error = rtde->refusal_count < ARMTAP_RTDE_REFUSALS ? ARMTAP_OK : note_refusals(rtde, conn);
    rtde->refusals[rtde->refusal_count++] = (struct armtap_rtde_refusal){version, frame->offset, frame->where};
    return error;
}

static int decode_version_reply(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                                const struct armtap_rtde_package *package)
{
    struct armtap_rtde_request *request = armtap_rtde_answered(rtde, ARMTAP_RTDE_VERSION);
    unsigned asked = request ? request->version : 0;
    armtap_rtde_free_request(rtde, request);
    rtde->refused_version = package->accepted ? 0 : asked;
    if (!package->accepted && rtde->default_in_force)
        settle_protocol(rtde, conn, 1);
    if (!package->accepted)
        return hold_refusal(rtde, conn, frame, asked);
    rtde->refusal_count = 0;
    settle_protocol(rtde, conn, (int)asked);
    return ARMTAP_OK;
}

static void take_release(struct armtap_conn *conn, const struct armtap_rtde_package *package)
{
    struct armtap_line line;
    armtap_line_begin(&line);
    for (unsigned i = 0; i < package->release_count; i++) {
        armtap_line_string(&line, i > 0 ? "." : "");
        armtap_line_unsigned(&line, package->release[i]);
    }
    armtap_conn_controller(conn, line.text);
}

static int decode_reply(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                        const struct armtap_rtde_package *package)
{
    int error = rtde->requests ? armtap_rtde_passed_properties(rtde, conn, package->type) : ARMTAP_OK;
    if (error != ARMTAP_OK)
        return error;
    switch (package->type) {
    case ARMTAP_RTDE_VERSION:
        return decode_version_reply(rtde, conn, frame, package);
    case ARMTAP_RTDE_CONTROLLER_VERSION:
        take_release(conn, package);
        return ARMTAP_OK;
    case ARMTAP_RTDE_SETUP_OUTPUTS:
        return armtap_rtde_set_up_outputs(rtde, conn, frame, package);
    case ARMTAP_RTDE_SETUP_INPUTS:
        return armtap_rtde_set_up_inputs(rtde, conn, frame, package);
    case ARMTAP_RTDE_PROPERTIES:
        return armtap_rtde_read_properties(rtde, conn, frame, package);
    case ARMTAP_RTDE_START:
        armtap_rtde_missed_replies(rtde);
        error = armtap_rtde_doubt_outputs(rtde, conn, frame->where.time);
        if (error != ARMTAP_OK)
            return error;
        if (package->accepted)
            return armtap_conn_signal(conn, frame, ARMTAP_EVENT_START);
        return armtap_conn_raise(conn, frame, ARMTAP_NOTE_rtde_start_refused,
                                 ARGS(arg_reason(rtde->outputs ? ARMTAP_WORD_none : ARMTAP_WORD_no_recipe)));
    case ARMTAP_RTDE_PAUSE:
        return package->accepted ? armtap_conn_signal(conn, frame, ARMTAP_EVENT_PAUSE) : ARMTAP_OK;
    default:
        return decode_text(conn, frame, package);
    }
}

static int decode_request(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                          const struct armtap_rtde_package *package)
{
    switch (package->type) {
    case ARMTAP_RTDE_VERSION:
    case ARMTAP_RTDE_SETUP_OUTPUTS:
    case ARMTAP_RTDE_SETUP_INPUTS:
    case ARMTAP_RTDE_PROPERTIES:
        return armtap_rtde_remember(rtde, conn, frame, package);
    case ARMTAP_RTDE_START:
        armtap_rtde_went_on(rtde);
        return ARMTAP_OK;
    case ARMTAP_RTDE_TEXT:
        return decode_text(conn, frame, package);
    default:
        return ARMTAP_OK;
    }
}

/* A set-up reveals the protocol if the negotiation was not captured; the controller's reply does in any case. */
static void learn_protocol(struct armtap_rtde *rtde, struct armtap_conn *conn,
                           const struct armtap_rtde_package *package)
{
    bool replied = package->direction == ARMTAP_FROM_ROBOT && (rtde->protocol >= 2) != (package->protocol >= 2);
    bool awaited = package->direction == ARMTAP_TO_ROBOT && armtap_rtde_waiting(rtde, ARMTAP_RTDE_VERSION);
    if ((rtde->protocol == 0 || replied) && !awaited && package->type == ARMTAP_RTDE_SETUP_OUTPUTS) {
        rtde->assumed = false;
        armtap_rtde_read_as(rtde, conn, package->protocol);
    }
}

/* Clients ask for the release and send texts between two requests for a protocol. */
static bool gives_up_versions(enum armtap_rtde_type type)
{
    return type != ARMTAP_RTDE_VERSION && type != ARMTAP_RTDE_CONTROLLER_VERSION && type != ARMTAP_RTDE_TEXT;
}

/* A client that asks for data does not mend its set-up any more. */
static int give_up(struct armtap_rtde *rtde, struct armtap_conn *conn, enum armtap_rtde_type type)
{
    int error = rtde->refusal_count > 0 && gives_up_versions(type) ? note_refusals(rtde, conn) : ARMTAP_OK;
    bool goes_on = type == ARMTAP_RTDE_START || type == ARMTAP_RTDE_DATA;
    return error == ARMTAP_OK && goes_on && rtde->held.lists ? armtap_rtde_note_held(rtde, conn) : error;
}

/* As parse_any() does, which rtde_sure() may have called: reading a long list takes its time. */
static bool parse_again(const struct armtap_rtde *rtde, const struct armtap_frame *frame,
                        struct armtap_rtde_package *package)
{
    if (frame->reading <= READ_AS)
        return parse_any(rtde, frame->bytes, frame->length, frame->direction, package);
    return armtap_rtde_parse(frame->bytes, frame->length, frame->direction, (int)(frame->reading - READ_AS), package) ==
           ARMTAP_OK;
}

/* Not data. `before` is the protocol in which rtde_sure() read it. */
ARMTAP_RARE static int decode_other(struct armtap_rtde *rtde, struct armtap_conn *conn,
                                    const struct armtap_frame *frame, int before)
{
    struct armtap_rtde_package package = {.size = sizeof package};
    bool readable = rtde->protocol == before ? parse_again(rtde, frame, &package)
                                             : parse_any(rtde, frame->bytes, frame->length, frame->direction, &package);
    if (!readable && is_awaited(rtde, frame->direction, frame->bytes[2]))
        return armtap_rtde_unreadable(rtde, conn, frame);
    if (!readable)
        return armtap_conn_raise(conn, frame, ARMTAP_NOTE_rtde_package_unknown,
                                 ARGS(arg_type(frame->bytes[2]), arg_bytes(frame->length)));
    learn_protocol(rtde, conn, &package);
    return frame->direction == ARMTAP_FROM_ROBOT ? decode_reply(rtde, conn, frame, &package)
                                                 : decode_request(rtde, conn, frame, &package);
}

static int decode_package(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    int before = rtde->protocol;
    rtde->in_step[frame->direction] = true;
    if (!rtde->begun || rtde->default_in_force)
        take_default(rtde, conn, frame->bytes[2]);
    int error = give_up(rtde, conn, (enum armtap_rtde_type)frame->bytes[2]);
    if (error != ARMTAP_OK)
        return error;
    if (frame->bytes[2] != ARMTAP_RTDE_DATA)
        return decode_other(rtde, conn, frame, before);
    rtde->last_data[frame->direction] = frame->length;
    return frame->direction == ARMTAP_FROM_ROBOT ? decode_output(rtde, conn, frame) : decode_input(rtde, conn, frame);
}

static int rtde_decode(void *context, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    int error = decode_package(context, conn, frame);
    armtap_rtde_claim(context, conn);
    return error;
}

/* Of a data package the values that are there; the recipe's id must be. */
static size_t rtde_cut(enum armtap_direction direction, const uint8_t *frame)
{
    (void)direction;
    return !frame || frame[2] == ARMTAP_RTDE_DATA ? ARMTAP_RTDE_HEADER + 1 : 0;
}

/* A robot sends data of one recipe. */
static size_t rtde_expects(const void *context, enum armtap_direction direction, uint8_t head[ARMTAP_HEAD_MOST],
                           size_t *head_length)
{
    const struct armtap_rtde *rtde = context;
    size_t id = rtde->protocol >= 2 ? 1 : 0;
    if (direction == ARMTAP_TO_ROBOT || !rtde->outputs || rtde->outputs->open || (id && rtde->outputs_id < 0))
        return 0;
    size_t length = ARMTAP_RTDE_HEADER + id + rtde->outputs->size;
    if (length != rtde->last_data[direction])
        return 0;
    armtap_put16(head, (uint16_t)length);
    head[2] = ARMTAP_RTDE_DATA;
    head[3] = (uint8_t)rtde->outputs_id;
    *head_length = ARMTAP_RTDE_HEADER + id;
    return length;
}

static const uint16_t ports[] = {30004, 0};

const struct armtap_decoder armtap_decoder_rtde = {
    .info = {.size = sizeof(struct armtap_protocol_info),
             .protocol = ARMTAP_RTDE,
             .name = "rtde",
             .title = "RTDE",
             .description = "Universal Robots' RTDE, protocols 1 to 3: the recipes that clients set up, and their data",
             .ports = ports,
             .traits = ARMTAP_TRAIT_ANSWERED | ARMTAP_TRAIT_UR_CYCLE,
             .header = 3},
    .context_size = sizeof(struct armtap_rtde),
    .open = armtap_rtde_open,
    .close = armtap_rtde_close,
    .frame = rtde_frame,
    .next = rtde_next,
    .sure = rtde_sure,
    .follows = rtde_follows,
    .begins = armtap_rtde_begins,
    .speaks = armtap_rtde_speaks,
    .shows = armtap_rtde_shows,
    .cut = rtde_cut,
    .expects = rtde_expects,
    .decode = rtde_decode,
    .lost = rtde_lost,
    .ends = rtde_ends,
    .describe = armtap_rtde_describe,
    .identify = armtap_rtde_identify,
};
