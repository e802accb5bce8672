#include "timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "serve/recording/far_times.h"
#include "bytes.h"
#include "nanoseconds.h"

#define CLOCKS 16u
#define NS 1e9
/* The controller's clock and the capture's may be this far apart before the capture's wins: the controller restarted,
 * or somebody set a clock. */
#define APART (SECOND / 2)
/* The clocks drift; the grid follows by such a part of the difference with each record. */
#define FOLLOW 1024
#define CLOCK_CELL 4u /* bytes before the time in a legacy packet */
#define PACKET_MAX 4096u
/* Messages that wait for the next tick: usually one or two. */
#define WAITING 1024u
#define WAITING_BYTES ((size_t)1024 * 1024)

/* When a connection's clock was 0, ns of capture time. */
struct anchor {
    uint64_t connection;
    int64_t at;
    bool known;
};

/* A message of the primary or secondary interface. */
struct waiting {
    int64_t time; /* on the capture's clock */
    uint16_t port;
    size_t length;
    uint8_t *bytes;
};

/* Of several connections to one port, the messages of one are played. */
struct speaker {
    uint16_t port; /* 0: none yet */
    uint64_t connection;
    int64_t time; /* of its last message */
    bool is_there;
};
#define SPEAKERS 4u

struct tick_maker {
    const struct timeline_wish *wish;
    const struct recorded_robot *robot;
    tick_emit *emit;
    void *user;
    struct robot_view *view;
    struct presence_cursor *cursor;
    struct armtap_state *state;   /* for packets that are made */
    const struct variable *clock; /* the variable `timestamp`, a double; NULL without one */
    struct anchor anchors[CLOCKS];
    unsigned next_anchor;
    int64_t base; /* a tick's time less its grid time */
    bool has_base, has_last;
    int64_t last;              /* time of the last tick */
    int64_t own[SERVED_COUNT]; /* of the last tick that a record of that protocol made */
    bool has_own[SERVED_COUNT];
    uint64_t leader[SERVED_COUNT];
    bool has_leader[SERVED_COUNT];
    bool has_led[SERVED_COUNT]; /* a record of that protocol made a tick in this round */
    bool has_clock, has_offset;
    double last_clock;   /* as sent */
    double clock_offset; /* s, added in later rounds */
    size_t packet_length;
    bool is_made, has_fills;
    uint8_t packet[PACKET_MAX];
    uint8_t given[VARIABLES_MAX];
    uint8_t *image;
    struct speaker speakers[SPEAKERS];
    unsigned first_waiting, waiting_count;
    size_t waiting_bytes;
    struct waiting waiting[WAITING];
};

struct tick_maker *tick_maker_new(const struct timeline_wish *wish, tick_emit *emit, void *user)
{
    struct tick_maker *maker = calloc(1, sizeof *maker);
    if (!maker)
        return NULL;
    maker->wish = wish;
    maker->robot = wish->recording->robots[wish->robot];
    maker->emit = emit;
    maker->user = user;
    maker->image = calloc(1, variables_size(maker->robot->variables) + 1);
    const struct variable *clock = variables_of_field(maker->robot->variables, ARMTAP_ID_timestamp);
    maker->clock = clock && clock->field ? clock : NULL;
    maker->cursor = malloc(sizeof *maker->cursor);
    maker->state = armtap_state_new();
    if (maker->image && maker->cursor && maker->state)
        return maker;
    tick_maker_free(maker);
    return NULL;
}

static void pass_waiting(struct tick_maker *maker)
{
    struct waiting *waiting = &maker->waiting[maker->first_waiting];
    maker->waiting_bytes -= waiting->length;
    maker->first_waiting = (maker->first_waiting + 1) % WAITING;
    maker->waiting_count--;
    free(waiting->bytes);
    waiting->bytes = NULL;
}

static void pass_all_waiting(struct tick_maker *maker)
{
    while (maker->waiting_count > 0)
        pass_waiting(maker);
}

void tick_maker_free(struct tick_maker *maker)
{
    if (!maker)
        return;
    pass_all_waiting(maker);
    robot_view_free(maker->view);
    armtap_state_free(maker->state);
    free(maker->cursor);
    free(maker->image);
    free(maker);
}

int tick_maker_begin_round(struct tick_maker *maker)
{
    robot_view_free(maker->view);
    maker->view = robot_view_new(maker->robot->variables);
    presence_rewind(maker->cursor, maker->robot->presence);
    memset(maker->anchors, 0, sizeof maker->anchors);
    memset(maker->has_leader, 0, sizeof maker->has_leader);
    memset(maker->has_led, 0, sizeof maker->has_led);
    memset(maker->speakers, 0, sizeof maker->speakers);
    pass_all_waiting(maker);
    maker->has_base = false;
    maker->has_offset = false;
    return maker->view ? 0 : -1;
}

bool tick_maker_has_ticks(const struct tick_maker *maker)
{
    return maker->has_base;
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

static struct anchor *anchor_of(struct tick_maker *maker, uint64_t connection)
{
    for (unsigned i = 0; i < CLOCKS; i++)
        if (maker->anchors[i].known && maker->anchors[i].connection == connection)
            return &maker->anchors[i];
    struct anchor *anchor = &maker->anchors[maker->next_anchor++ % CLOCKS];
    *anchor = (struct anchor){.connection = connection};
    return anchor;
}

/* A record's place on the grid: by the controller's clock, which does not jitter, on the capture's time scale. */
static int64_t grid_time(struct tick_maker *maker, const struct armtap_record *record)
{
    int64_t captured = record->read.time;
    bool has_clock = isfinite(record->clock) && fabs(record->clock) < 1e9;
    if (!has_clock)
        return captured != ARMTAP_NO_TIME ? captured
                                          : far_sum(far_difference(maker->last, maker->base), maker->wish->cycle);
    int64_t clock = (int64_t)(record->clock * NS);
    if (captured == ARMTAP_NO_TIME)
        return clock;
    if (maker->wish->gaps == GAPS_KEEP)
        return captured;
    struct anchor *anchor = anchor_of(maker, record->stream->connection);
    int64_t off = far_difference(far_difference(captured, clock), anchor->at);
    if (!anchor->known || off > APART || off < -APART)
        anchor->at = far_sum(anchor->at, off);
    else
        anchor->at += off / FOLLOW;
    anchor->known = true;
    return far_sum(clock, anchor->at);
}

/* The time of a tick on the grid: rounds follow each other at a cycle's distance. */
static int64_t tick_time(struct tick_maker *maker, int64_t grid)
{
    if (!maker->has_base) {
        int64_t begin = maker->has_last ? far_sum(maker->last, maker->wish->cycle) : 0;
        maker->base = far_difference(begin, grid);
        maker->has_base = true;
        for (unsigned i = 0; i < SERVED_COUNT; i++)
            maker->own[i] = begin;
        for (unsigned i = 0; i < SERVED_COUNT; i++)
            maker->has_own[i] = maker->robot->records[i] > 0;
    }
    int64_t time = far_sum(grid, maker->base);
    return maker->has_last && time < maker->last ? maker->last : time;
}

/* ---- who makes ticks --------------------------------------------------------------------------------------------- */

/* Of several connections of one protocol, one makes the ticks: the one named, or the one with the most records, unless
 * it is silent. */
static bool leads(struct tick_maker *maker, const struct armtap_record *record, enum served protocol, int64_t time)
{
    const struct timeline_wish *wish = maker->wish;
    uint64_t connection = record->stream->connection;
    if (maker->has_leader[protocol] && maker->leader[protocol] == connection)
        return true;
    bool silent = far_difference(time, maker->own[protocol]) > TIMELINE_GAP ||
                  !presence_has_connection(maker->cursor, maker->leader[protocol]);
    bool better = !maker->has_leader[protocol] || recording_weight(wish->recording, connection) >
                                                      recording_weight(wish->recording, maker->leader[protocol]);
    if (wish->has_leader && maker->has_leader[protocol] && maker->leader[protocol] == wish->leader)
        better = false;
    if (wish->has_leader && connection == wish->leader)
        better = true;
    if (!better && !silent)
        return false;
    bool repeats = maker->has_led[protocol] && far_difference(time, maker->own[protocol]) < wish->cycle / 2;
    maker->leader[protocol] = connection;
    maker->has_leader[protocol] = true;
    return !repeats;
}

static unsigned bit_of(enum served protocol)
{
    return protocol == SERVED_RTDE ? TICK_RTDE : TICK_REALTIME;
}

/* A record is for the clients of its own protocol; for the others, too, while theirs is not there. */
static unsigned for_whom(const struct tick_maker *maker, enum served protocol, int64_t time)
{
    enum served other = protocol == SERVED_RTDE ? SERVED_REALTIME : SERVED_RTDE;
    bool other_lives = maker->has_own[other] && far_difference(time, maker->own[other]) <= TIMELINE_GAP;
    return bit_of(protocol) | (other_lives ? 0 : bit_of(other));
}

/* ---- contents ---------------------------------------------------------------------------------------------------- */

/* Adds to both clocks. A controller's clock counts ms: sums are rounded to us, which hides the noise of adding. */
static void advance_clocks(struct tick_maker *maker, double by)
{
    if (maker->clock) {
        uint8_t *at = maker->image + maker->clock->offset;
        armtap_put_double(at, round((armtap_be_double(at) + by) * 1e6) / 1e6);
    }
    if (maker->packet_length >= CLOCK_CELL + 8) {
        uint8_t *at = maker->packet + CLOCK_CELL;
        armtap_put_double(at, round((armtap_be_double(at) + by) * 1e6) / 1e6);
    }
}

static enum given how_given(const struct tick_maker *maker, const struct variable *variable)
{
    if (maker->cursor->holders[variable->index] > 0)
        return GIVEN_RECORDED;
    if (maker->wish->holds && maker->cursor->was_recorded[variable->index])
        return GIVEN_AGAIN;
    return variable->fill ? GIVEN_FILL : GIVEN_NOT;
}

/* Which are given changes seldom. */
static void find_given(struct tick_maker *maker)
{
    const struct variables *variables = maker->robot->variables;
    maker->has_fills = false;
    for (size_t i = 0; i < variables_count(variables); i++) {
        maker->given[i] = (uint8_t)how_given(maker, variables_at(variables, i));
        maker->has_fills = maker->has_fills || maker->given[i] == GIVEN_FILL;
    }
    maker->cursor->has_changed = false;
}

static void make_image(struct tick_maker *maker)
{
    const struct variables *variables = maker->robot->variables;
    if (maker->cursor->has_changed)
        find_given(maker);
    memcpy(maker->image, robot_view_image(maker->view), variables_size(variables));
    for (size_t i = 0; maker->has_fills && i < variables_count(variables); i++) {
        const struct variable *variable = variables_at(variables, i);
        if (maker->given[i] == GIVEN_FILL)
            memcpy(maker->image + variable->offset, variable->fill, variable->size);
    }
}

static void make_state(struct tick_maker *maker)
{
    const struct variables *variables = maker->robot->variables;
    struct armtap_value value;
    armtap_state_clear(maker->state);
    for (size_t i = 0; i < variables_count(variables); i++) {
        const struct variable *variable = variables_at(variables, i);
        if (maker->given[i] == GIVEN_NOT || !variable->field)
            continue;
        variable_value(variable, maker->image, &value);
        armtap_state_set(maker->state, variable->field, &value);
    }
}

static void make_packet(struct tick_maker *maker, const struct armtap_record *record, enum served protocol)
{
    size_t size = maker->wish->packet_size;
    maker->is_made = protocol != SERVED_REALTIME || record->missing_count > 0 || record->frame_length > PACKET_MAX;
    if (!maker->is_made) {
        memcpy(maker->packet, record->frame, record->frame_length);
        maker->packet_length = record->frame_length;
        return;
    }
    make_state(maker);
    if (armtap_encode_realtime(maker->state, size, maker->packet) == ARMTAP_OK)
        maker->packet_length = size;
}

/* In a later round the clocks go on where the last round ended. */
static void follow_clock(struct tick_maker *maker, double clock)
{
    if (!isfinite(clock))
        return;
    if (!maker->has_offset) {
        maker->has_offset = true;
        maker->clock_offset = maker->has_clock && maker->wish->loop == LOOP_SMOOTH
                                  ? maker->last_clock + (double)maker->wish->cycle / NS - clock
                                  : 0;
    }
    maker->has_clock = true;
    maker->last_clock = clock + maker->clock_offset;
    if (maker->clock_offset != 0)
        advance_clocks(maker, maker->clock_offset);
}

/* Sends the messages whose time is not after `time`. */
static int emit_waiting(struct tick_maker *maker, int64_t time)
{
    int outcome = 0;
    while (maker->waiting_count > 0 && outcome == 0) {
        const struct waiting *waiting = &maker->waiting[maker->first_waiting];
        int64_t due = far_sum(waiting->time, maker->base);
        if (due > time)
            break;
        const struct tick tick = {.time = maker->has_last && due < maker->last ? maker->last : due,
                                  .captured = waiting->time,
                                  .message_port = waiting->port,
                                  .message = waiting->bytes,
                                  .message_length = waiting->length};
        outcome = maker->emit(maker->user, &tick);
        pass_waiting(maker);
    }
    return outcome;
}

/* What is sent at a tick. */
enum kind { RECORDED, REPEATED, SILENT };

static int emit(struct tick_maker *maker, int64_t time, unsigned whom, enum kind kind)
{
    int outcome = emit_waiting(maker, time);
    if (outcome != 0)
        return outcome;
    const struct tick tick = {.time = time,
                              .captured = far_difference(time, maker->base),
                              .for_whom = whom,
                              .is_repeated = kind == REPEATED,
                              .is_silent = kind == SILENT,
                              .image = maker->image,
                              .given = maker->given,
                              .packet = maker->packet,
                              .packet_length = maker->packet_length,
                              .is_made = maker->is_made};
    maker->last = time;
    maker->has_last = true;
    return maker->emit(maker->user, &tick);
}

/* ---- gaps -------------------------------------------------------------------------------------------------------- */

/* Until the next record. */
static void cease_recording(struct tick_maker *maker, enum given given)
{
    for (size_t i = 0; i < variables_count(maker->robot->variables); i++)
        if (maker->given[i] == GIVEN_RECORDED)
            maker->given[i] = (uint8_t)given;
    maker->cursor->has_changed = true;
}

/* Says that nothing follows for a while. The next tick may have the same time. */
static int fall_silent(struct tick_maker *maker)
{
    int64_t last = maker->last;
    cease_recording(maker, GIVEN_NOT);
    int outcome = emit(maker, far_sum(last, maker->wish->cycle), TICK_RTDE, SILENT);
    maker->last = last;
    return outcome;
}

/* Repeats the last tick until `time`. */
static int hold(struct tick_maker *maker, int64_t time)
{
    int outcome = 0;
    int64_t cycle = maker->wish->cycle, end = time - cycle / 2;
    cease_recording(maker, GIVEN_AGAIN);
    for (int64_t at = maker->last + cycle; at < end && outcome == 0; at += cycle) {
        advance_clocks(maker, (double)cycle / NS);
        maker->last_clock += (double)cycle / NS;
        outcome = emit(maker, at, TICK_RTDE | TICK_REALTIME, REPEATED);
    }
    return outcome;
}

/* The tick at `*time` ends a gap, if it is one. */
static int bridge_gap(struct tick_maker *maker, int64_t *time)
{
    if (!maker->has_last || far_difference(*time, maker->last) <= TIMELINE_GAP)
        return 0;
    if (maker->wish->gaps == GAPS_HOLD)
        return hold(maker, *time);
    int outcome = fall_silent(maker);
    if (maker->wish->gaps == GAPS_SQUEEZE && outcome == 0) {
        int64_t late = far_difference(far_difference(*time, maker->last), maker->wish->cycle);
        pass_all_waiting(maker);
        maker->base = far_difference(maker->base, late);
        *time = far_difference(*time, late);
    }
    return outcome;
}

int tick_maker_record(struct tick_maker *maker, const struct armtap_record *record, bool is_wanted)
{
    enum served protocol;
    if (!recording_protocol(record->protocol, &protocol) || record->direction != ARMTAP_FROM_ROBOT || !record->recipe)
        return 0;
    if (robot_view_take(maker->view, record) != 0)
        return TICK_MAKER_NO_MEMORY;
    presence_step(maker->cursor);
    if (!is_wanted)
        return 0;
    int64_t time = tick_time(maker, grid_time(maker, record));
    if (!leads(maker, record, protocol, time))
        return 0;
    int outcome = bridge_gap(maker, &time);
    if (outcome != 0)
        return outcome;
    unsigned whom = for_whom(maker, protocol, time);
    maker->own[protocol] = time;
    maker->has_own[protocol] = maker->has_led[protocol] = true;
    make_image(maker);
    if (whom & TICK_REALTIME)
        make_packet(maker, record, protocol);
    follow_clock(maker, record->clock);
    return emit(maker, time, whom, RECORDED);
}

void tick_maker_close(struct tick_maker *maker, uint64_t connection)
{
    for (unsigned i = 0; i < SPEAKERS; i++)
        if (maker->speakers[i].connection == connection)
            maker->speakers[i].is_there = false;
}

/* ---- messages of other ports ------------------------------------------------------------------------------------- */

static bool speaks(struct tick_maker *maker, const struct port_message *message)
{
    struct speaker *speaker = maker->speakers;
    while (speaker->port != 0 && speaker->port != message->port)
        if (++speaker == maker->speakers + SPEAKERS)
            return false;
    bool is_silent = !speaker->is_there || (message->time > speaker->time &&
                                            (uint64_t)message->time - (uint64_t)speaker->time > TIMELINE_GAP);
    if (speaker->connection != message->connection && !is_silent)
        return false;
    *speaker = (struct speaker){message->port, message->connection, message->time, true};
    return true;
}

/* So many wait that the first of them can wait for no tick: perhaps none comes for long. */
static int make_room(struct tick_maker *maker)
{
    unsigned newest = (maker->first_waiting + maker->waiting_count - 1) % WAITING;
    int64_t due = far_sum(maker->waiting[maker->first_waiting].time, maker->base);
    bool is_in_gap = far_difference(far_sum(maker->waiting[newest].time, maker->base), maker->last) > TIMELINE_GAP;
    if (is_in_gap && maker->wish->gaps == GAPS_SQUEEZE) {
        pass_waiting(maker);
        return 0;
    }
    int outcome = is_in_gap && maker->wish->gaps == GAPS_HOLD ? hold(maker, far_sum(due, maker->wish->cycle)) : 0;
    return outcome == 0 ? emit_waiting(maker, due) : outcome;
}

/* Telemetry gives the beginning and the end: what was said before its first record, or long after its last, is not
 * played. */
static bool is_within(const struct tick_maker *maker, int64_t time)
{
    const struct recorded_robot *robot = maker->robot;
    return maker->has_base && robot->last_time != ARMTAP_NO_TIME && time >= robot->earliest &&
           (time <= robot->latest || (uint64_t)time - (uint64_t)robot->latest <= TIMELINE_GAP);
}

int tick_maker_message(struct tick_maker *maker, const struct port_message *message)
{
    if (message->is_greeting || !is_within(maker, message->time) || !speaks(maker, message))
        return 0;
    int outcome = 0;
    while (outcome == 0 && maker->waiting_count > 0 &&
           (maker->waiting_count == WAITING || maker->waiting_bytes + message->length > WAITING_BYTES))
        outcome = make_room(maker);
    if (outcome != 0)
        return outcome;
    uint8_t *bytes = malloc(message->length);
    if (!bytes)
        return TICK_MAKER_NO_MEMORY;
    memcpy(bytes, message->bytes, message->length);
    maker->waiting[(maker->first_waiting + maker->waiting_count++) % WAITING] =
        (struct waiting){message->time, message->port, message->length, bytes};
    maker->waiting_bytes += message->length;
    return 0;
}

int tick_maker_end_round(struct tick_maker *maker)
{
    int64_t last = maker->last;
    if (maker->waiting_count > 0)
        last = far_sum(maker->waiting[(maker->first_waiting + maker->waiting_count - 1) % WAITING].time, maker->base);
    int outcome = emit_waiting(maker, INT64_MAX);
    if (last > maker->last)
        maker->last = last; /* the next round follows */
    return outcome;
}
