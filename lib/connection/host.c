/* What a connection does for its decoder and its layers: events, notes, budgets, what is known of its robot. */
#include "connection.h"

#include <string.h>

#include "knowledge.h"
#include "layers/layer.h"
#include "table/recipe.h"
#include "inside.h"

#define PACKET_HEADERS 54u /* bytes of a packet before its payload: Ethernet, IPv4, TCP */
#define NOTE_BYTES 64u     /* of a note, besides its text */

/* The stream is added. */
static int tell_event(struct armtap_conn *conn, struct armtap_event *event)
{
    armtap_conn_stir(conn);
    if (!conn->sink->on_event)
        return ARMTAP_OK;
    event->stream = &conn->stream;
    return armtap_stopped(conn->sink->on_event(conn->user, event));
}

int armtap_conn_event(struct armtap_conn *conn, enum armtap_direction direction, enum armtap_event_type type,
                      uint64_t a, const struct armtap_where *where)
{
    return tell_event(conn, &(struct armtap_event){
                                .where = *where, .direction = armtap_conn_real(conn, direction), .type = type, .a = a});
}

/* Whether an end is doubtful because nothing of the other side was captured. Of a socket, both are known. */
static bool is_unheard(const struct armtap_conn *conn, enum armtap_direction side, enum armtap_event_type type,
                       uint64_t reason)
{
    return type == ARMTAP_EVENT_CLOSE && reason <= ARMTAP_CLOSE_RESET && conn->stream.packets[!side] == 0 &&
           conn->stream.origin != ARMTAP_ORIGIN_SOCKET;
}

int armtap_conn_arrival(struct armtap_conn *conn, const struct armtap_event *event)
{
    struct armtap_event told = *event;
    told.direction = armtap_conn_real(conn, event->direction);
    for (int i = 0; i < 2; i++) {
        enum armtap_direction real = armtap_conn_real(conn, (enum armtap_direction)i);
        told.unacknowledged[real] = event->unacknowledged[i];
        told.unseen[real] = event->unseen[i];
    }
    told.doubtful = event->doubtful || is_unheard(conn, told.direction, event->type, event->a);
    return tell_event(conn, &told);
}

int armtap_conn_unreachable(struct armtap_conn *conn, uint64_t syns, const struct armtap_unreachable *unreachable,
                            const struct armtap_where *where)
{
    return tell_event(conn, &(struct armtap_event){.where = *where,
                                                   .direction = armtap_conn_real(conn, ARMTAP_FROM_ROBOT),
                                                   .type = ARMTAP_EVENT_UNREACHABLE,
                                                   .a = syns,
                                                   .unreachable = unreachable});
}

/* Sends a note that is not charged to any budget. */
static int give_note(struct armtap_conn *conn, enum armtap_note_code code, enum armtap_direction direction,
                     const struct armtap_where *where, const struct armtap_arguments *arguments,
                     const struct armtap_line *line)
{
    struct armtap_note note = {armtap_note_at(code), &conn->stream, *where, direction, line->text, *arguments};
    armtap_conn_stir(conn);
    return conn->sink->on_note ? armtap_stopped(conn->sink->on_note(conn->user, &note)) : ARMTAP_OK;
}

static int give_fact(struct armtap_conn *conn, enum armtap_note_code code, enum armtap_direction direction,
                     const struct armtap_where *where, const struct armtap_arguments *arguments)
{
    struct armtap_line line;
    armtap_note_say(&line, code, arguments);
    return give_note(conn, code, direction, where, arguments, &line);
}

static int say_hostile(struct armtap_conn *conn, enum armtap_budget_code code, enum armtap_direction direction,
                       const struct armtap_where *where)
{
    uint32_t bit = UINT32_C(1) << code;
    if (conn->account.noted & bit)
        return ARMTAP_OK;
    conn->account.noted |= bit;
    const struct armtap_budget *budget = armtap_budget_at(code);
    return give_fact(conn, ARMTAP_NOTE_input_hostile, direction, where, BUDGET_ARGS(budget));
}

/* Bytes of its packets, as far as they were examined. */
static uint64_t brought(const struct armtap_conn *conn)
{
    const struct armtap_stream *stream = &conn->stream;
    uint64_t bytes = (stream->packets[0] + stream->packets[1]) * PACKET_HEADERS;
    for (int i = 0; i < 2; i++)
        bytes += stream->bytes_decoded[i] + stream->bytes_skipped[i];
    return bytes;
}

static bool spend(struct armtap_conn *conn, enum armtap_budget_code code, uint64_t amount)
{
    return armtap_account_spend(&conn->account, conn->reserve, code, brought(conn), amount);
}

uint64_t armtap_conn_left(const struct armtap_conn *conn, enum armtap_budget_code code)
{
    return armtap_account_left(&conn->account, conn->reserve, code, brought(conn));
}

int armtap_conn_spend(struct armtap_conn *conn, const struct armtap_frame *frame, enum armtap_budget_code code,
                      uint64_t amount, bool *has)
{
    *has = spend(conn, code, amount);
    return *has ? ARMTAP_OK : say_hostile(conn, code, frame->direction, &frame->where);
}

int armtap_conn_limit(struct armtap_conn *conn, const struct armtap_frame *frame, enum armtap_budget_code code)
{
    return say_hostile(conn, code, frame->direction, &frame->where);
}

enum armtap_rest armtap_conn_rest(const struct armtap_conn *conn)
{
    return conn->rest;
}

int armtap_conn_give_up(struct armtap_conn *conn, enum armtap_budget_code limit, const struct armtap_where *where)
{
    if (conn->stream.records[0] + conn->stream.records[1] == 0)
        return ARMTAP_OK;
    return say_hostile(conn, limit, ARMTAP_FROM_ROBOT, where);
}

struct armtap_robot *armtap_conn_robot(const struct armtap_conn *conn)
{
    return conn->robot;
}

int armtap_conn_tell_unshared(struct armtap_conn *conn, enum armtap_budget_code code, const struct armtap_where *where)
{
    const struct armtap_budget *budget = armtap_budget_at(code);
    if (conn->reserve->told_unshared)
        return ARMTAP_OK;
    conn->reserve->told_unshared = true;
    return give_fact(conn, ARMTAP_NOTE_capture_many_robots, ARMTAP_FROM_ROBOT, where, BUDGET_ARGS(budget));
}

static int tell_note(struct armtap_conn *conn, enum armtap_note_code code, enum armtap_direction direction,
                     const struct armtap_where *where, const struct armtap_arguments *arguments)
{
    struct armtap_line line;
    armtap_conn_stir(conn);
    if (!conn->sink->on_note)
        return ARMTAP_OK;
    if (armtap_conn_left(conn, ARMTAP_BUDGET_notes) < NOTE_BYTES) /* nobody would see the sentence */
        return say_hostile(conn, ARMTAP_BUDGET_notes, direction, where);
    armtap_note_say(&line, code, arguments);
    if (!spend(conn, ARMTAP_BUDGET_notes, NOTE_BYTES + line.length))
        return say_hostile(conn, ARMTAP_BUDGET_notes, direction, where);
    return give_note(conn, code, direction, where, arguments, &line);
}

int armtap_conn_note(struct armtap_conn *conn, enum armtap_direction direction, enum armtap_note_code code,
                     const struct armtap_where *where, const struct armtap_arguments *arguments)
{
    return tell_note(conn, code, armtap_conn_real(conn, direction), where, arguments);
}

int armtap_conn_raise(struct armtap_conn *conn, const struct armtap_frame *frame, enum armtap_note_code code,
                      const struct armtap_arguments *arguments)
{
    return tell_note(conn, code, frame->direction, &frame->where, arguments);
}

int armtap_conn_signal(struct armtap_conn *conn, const struct armtap_frame *frame, enum armtap_event_type type)
{
    armtap_conn_begin(conn);
    return tell_event(conn, &(struct armtap_event){.where = frame->where, .direction = frame->direction, .type = type});
}

int armtap_conn_pause(struct armtap_conn *conn, const struct armtap_frame *frame, enum armtap_direction direction,
                      int channel)
{
    return tell_event(
        conn, &(struct armtap_event){
                  .where = frame->where, .direction = direction, .type = ARMTAP_EVENT_PAUSE, .a = (uint64_t)channel});
}

void armtap_conn_version(struct armtap_conn *conn, int version, enum armtap_generation generation)
{
    if (version != conn->stream.version || generation != conn->stream.generation)
        armtap_conn_begin(conn);
    conn->stream.version = version;
    conn->stream.generation = generation;
    conn->robot->generation = generation;
}

void armtap_conn_controller(struct armtap_conn *conn, const char *version)
{
    armtap_conn_begin(conn);
    size_t room = sizeof conn->stream.controller_version - 1;
    strncpy(conn->stream.controller_version, version, room);
    strncpy(conn->robot->controller_version, version, room);
}

const char *armtap_conn_release(struct armtap_conn *conn)
{
    if (conn->stream.controller_version[0] != '\0')
        return conn->stream.controller_version;
    conn->robot->release_missed |= conn->robot->controller_version[0] == '\0';
    return conn->robot->controller_version;
}

int armtap_conn_layout(struct armtap_conn *conn, size_t number, armtap_layout_maker *make,
                       struct armtap_recipe **recipe)
{
    struct armtap_layouts *layouts = conn->reserve->layouts;
    return layouts ? armtap_layout_of(layouts, conn->decoder->info.protocol, number, make, recipe)
                   : make(number, recipe);
}

struct armtap_recipe *armtap_conn_text_layout(struct armtap_conn *conn, const struct armtap_text_key *key)
{
    return conn->reserve->layouts ? armtap_layout_of_text(conn->reserve->layouts, key) : NULL;
}

int armtap_conn_keep_layout(struct armtap_conn *conn, const struct armtap_text_key *key, struct armtap_recipe *recipe)
{
    return conn->reserve->layouts ? armtap_layout_keep(conn->reserve->layouts, key, recipe) : ARMTAP_OK;
}

struct armtap_robot *armtap_conn_shared(struct armtap_conn *conn)
{
    return conn->robot;
}

const struct armtap_learned *armtap_conn_learned(const struct armtap_conn *conn, size_t i)
{
    return i < ARMTAP_LEARNED_MAX && conn->robot->learned[i].recipe ? &conn->robot->learned[i] : NULL;
}

int armtap_conn_teach(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_recipe *recipe,
                      int protocol, int recipe_id)
{
    armtap_conn_begin(conn);
    return armtap_robot_learn(conn->robot, recipe, protocol, recipe_id)
               ? ARMTAP_OK
               : armtap_conn_tell_unshared(conn, ARMTAP_BUDGET_learned, &frame->where);
}

int armtap_conn_guess(struct armtap_conn *conn, struct armtap_guess **guess)
{
    int error = ARMTAP_OK;
    *guess = NULL;
    if (conn->knowledge)
        error = armtap_knowledge_guess(conn->knowledge, conn->stream.connection, guess);
    if (!*guess)
        *guess = &conn->guess;
    return error;
}

int armtap_conn_sample(struct armtap_conn *conn, struct armtap_guess *guess, size_t length)
{
    if (guess != &conn->guess)
        return armtap_knowledge_sample(conn->knowledge, guess, length);
    if (conn->knowledge) { /* it has no room for more of them */
        guess->ruled_out = true;
        return ARMTAP_OK;
    }
    guess->sample = armtap_sample_new(length);
    return guess->sample ? ARMTAP_OK : ARMTAP_ERR_MEMORY;
}

const struct armtap_recipe *armtap_conn_given_recipe(const struct armtap_conn *conn)
{
    bool fits = conn->given_recipe && conn->decoder && conn->given_recipe->protocol == conn->decoder->info.protocol;
    return fits ? conn->given_recipe : NULL;
}

bool armtap_conn_may_guess(const struct armtap_conn *conn)
{
    return !conn->no_guess && !armtap_conn_given_recipe(conn);
}

void armtap_conn_claim(struct armtap_conn *conn, size_t bytes)
{
    conn->reserve->taken = conn->reserve->taken - conn->claimed + bytes;
    conn->reserve->held = conn->reserve->held - conn->claimed + bytes;
    conn->claimed = bytes;
}

int armtap_conn_may_keep(struct armtap_conn *conn, const struct armtap_frame *frame, size_t bytes, bool *may)
{
    size_t held = conn->reserve->held, limit = ARMTAP_LIMIT_held + conn->reserve->shares / 3;
    *may = bytes <= limit && held <= limit - bytes;
    return *may ? ARMTAP_OK : armtap_conn_limit(conn, frame, ARMTAP_BUDGET_held);
}

/* ---- layers ---- */

void armtap_conn_layer_moved(struct armtap_conn *conn)
{
    armtap_conn_stir(conn);
}

uint64_t armtap_conn_client_bytes(const struct armtap_conn *conn)
{
    const struct armtap_half *half = &conn->half[ARMTAP_TO_ROBOT];
    return half->offset + half->used;
}

int armtap_conn_command(struct armtap_conn *conn, struct armtap_command *command)
{
    command->stream = &conn->stream;
    return conn->sink->on_command ? armtap_stopped(conn->sink->on_command(conn->user, command)) : ARMTAP_OK;
}

int armtap_conn_strange_script(struct armtap_conn *conn, const struct armtap_record *record)
{
    const struct armtap_frame frame = {.direction = record->direction, .where = record->where};
    return armtap_conn_raise(conn, &frame, ARMTAP_FINDING_command_unknown,
                             ARGS(arg_case(ARMTAP_WORD_script), arg_release(armtap_ur_rtde_last(ARMTAP_UR_RTDE_ALL))));
}
