#include "compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/message.h"
#include "input/stream_rank.h"
#include "by_connection.h"
#include "analysis/inside.h"
#include "input/robots/labels.h"

#define LISTED_MAX 10

#define TEXT_MAX 200

/* What is compared; other protocols have no side. */
static const enum armtap_protocol protocols[ARMTAP_SIDES] = {
    [ARMTAP_SIDE_LEGACY] = ARMTAP_REALTIME, [ARMTAP_SIDE_RTDE] = ARMTAP_RTDE};

struct stream_choice {
    struct by_connection all; /* struct chosen_stream */
};

struct stream_choice *stream_choice_new(void)
{
    return calloc(1, sizeof(struct stream_choice));
}

void stream_choice_free(struct stream_choice *choice)
{
    for (size_t i = 0; choice && i < choice->all.count; i++)
        free(choice->all.slots[i].thing);
    if (choice)
        free(choice->all.slots);
    free(choice);
}

static struct chosen_stream *chosen_at(const struct stream_choice *choice, size_t i)
{
    return choice->all.slots[i].thing;
}

static struct chosen_stream *add_stream(struct stream_choice *choice, uint64_t connection)
{
    struct chosen_stream *chosen = by_connection_new(&choice->all, connection, sizeof *chosen);
    if (chosen)
        *chosen = (struct chosen_stream){.connection = connection, .low = (double)INFINITY, .high = -(double)INFINITY};
    return chosen;
}

static bool has_clock(const struct armtap_record *record)
{
    return record->recipe && armtap_set_has(record->updated, ARMTAP_ID_timestamp);
}

int stream_choice_record(struct stream_choice *choice, const struct armtap_record *record)
{
    double clock;
    if (record->direction != ARMTAP_FROM_ROBOT)
        return 0;
    struct chosen_stream *chosen = by_connection_find(&choice->all, record->stream->connection);
    if (!chosen)
        chosen = add_stream(choice, record->stream->connection);
    if (!chosen)
        return -1;
    if (chosen->records + chosen->clockless == 0)
        chosen->first = record->where;
    chosen->last = record->where;
    chosen->opaque = chosen->opaque || !record->recipe;
    chosen->guessed = chosen->guessed || (record->flags & ARMTAP_GUESSED) != 0;
    if (!armtap_comparison_clock(record, &clock)) {
        chosen->clockless++;
        chosen->no_number += has_clock(record) ? 1 : 0;
        return 0;
    }
    chosen->records++;
    chosen->low = clock < chosen->low ? clock : chosen->low;
    chosen->high = clock > chosen->high ? clock : chosen->high;
    return 0;
}

/* ---- matching streams -------------------------------------------------------------------------------------------- */

static bool is_of_side(const struct armtap_stream_summary *summary, enum armtap_side side)
{
    return summary->stream->protocol == protocols[side];
}

/* Adds a side's ports, each behind these words: "30003 or 30013". */
static void add_ports(char text[TEXT_MAX], enum armtap_side side, const char *words)
{
    const uint16_t *ports = armtap_protocol_info(protocols[side])->ports;
    for (size_t i = 0; ports[i] != 0; i++) {
        size_t length = strlen(text);
        snprintf(text + length, TEXT_MAX - length, "%s%s%u", i == 0 ? "" : " or ", words, ports[i]);
    }
}

/* "RTDE (TCP 30004)" */
static const char *side_name(char text[TEXT_MAX], enum armtap_side side)
{
    snprintf(text, TEXT_MAX, "%s (TCP ", armtap_protocol_info(protocols[side])->title);
    add_ports(text, side, "");
    strncat(text, ")", TEXT_MAX - strlen(text) - 1);
    return text;
}

static const char *capture_both(char text[TEXT_MAX])
{
    snprintf(text, TEXT_MAX, "capture both at the same time, with Wireshark or tcpdump -s 0 -i any -w FILE \"");
    add_ports(text, ARMTAP_SIDE_LEGACY, "tcp port ");
    strncat(text, " or ", TEXT_MAX - strlen(text) - 1);
    add_ports(text, ARMTAP_SIDE_RTDE, "tcp port ");
    strncat(text, "\"", TEXT_MAX - strlen(text) - 1);
    return text;
}

/* A raw dump has no address, so it may come from any robot. */
static bool same_robot(const struct stream_choice_wish *wish, const char *one, const char *other)
{
    return one[0] == '\0' || other[0] == '\0' || labels_are_one(wish->labels, one, other);
}

/* Whether a stream can be that side of a comparison. */
static bool has_side(const struct chosen_stream *one, enum armtap_side side)
{
    return one->summary && one->records > 0 && is_of_side(one->summary, side);
}

static bool overlap(const struct chosen_stream *legacy, const struct chosen_stream *rtde)
{
    return legacy->low <= rtde->high && rtde->low <= legacy->high;
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

#define CLOCK_BYTES 40

/* Clocks come from the wire, so they may have any value. */
static const char *clock_text(char text[CLOCK_BYTES], double clock)
{
    snprintf(text, CLOCK_BYTES, fabs(clock) < 1e12 ? "%.3f" : "%.6g", clock);
    return text;
}

static void list_streams(const struct stream_choice *choice)
{
    size_t listed = 0;
    for (size_t i = 0; i < choice->all.count; i++) {
        const struct chosen_stream *one = chosen_at(choice, i);
        if (!one->summary)
            continue;
        if (listed++ >= LISTED_MAX)
            continue;
        const struct armtap_stream *stream = one->summary->stream;
        char span[120] = "", low[CLOCK_BYTES], high[CLOCK_BYTES];
        if (one->records > 0)
            snprintf(span, sizeof span, ", clock %s to %s s", clock_text(low, one->low), clock_text(high, one->high));
        message_error("  stream %u: %s, robot %s, client %s, %" PRIu64 " records%s", one->summary->number,
                      armtap_protocol_name(stream->protocol), stream->robot[0] != '\0' ? stream->robot : "?",
                      stream->client[0] != '\0' ? stream->client : "?", one->records + one->clockless, span);
    }
    if (listed > LISTED_MAX)
        message_error("  and %zu more: armtap info groups similar ones, armtap info --json lists them all",
                      listed - LISTED_MAX);
}

/* Checks that the stream has a clock; 0, or -1 after a message. */
static int check_clock(const struct chosen_stream *one)
{
    if (one->records > 0)
        return 0;
    if (one->opaque)
        message_error("stream %u: its recipe is unknown, so its fields cannot be compared; use --recipe FILE, or "
                      "capture from before the client connects",
                      one->summary->number);
    else if (one->no_number > 0)
        message_error("stream %u: the timestamp of its records, needed to pair them, is never a number; check its "
                      "recipe",
                      one->summary->number);
    else
        message_error("stream %u: its records have no timestamp, which is needed to pair them; add timestamp to the "
                      "client's recipe",
                      one->summary->number);
    return -1;
}

static int check_side(const struct stream_choice *choice, const struct armtap_streams *streams, enum armtap_side side)
{
    const struct chosen_stream *clockless = NULL;
    char name[TEXT_MAX], remedy[TEXT_MAX];
    bool there = false;
    for (size_t i = 0; i < choice->all.count; i++) {
        const struct chosen_stream *one = chosen_at(choice, i);
        if (!one->summary || !is_of_side(one->summary, side))
            continue;
        if (one->records > 0)
            return 0;
        clockless = one;
    }
    if (clockless)
        return check_clock(clockless);
    for (size_t i = 0; i < armtap_streams_count(streams); i++)
        there = there || is_of_side(armtap_streams_at(streams, i), side);
    if (there)
        message_error("the %s stream has no record from the robot; %s", side_name(name, side), capture_both(remedy));
    else
        message_error("there is no %s stream to compare; %s", side_name(name, side), capture_both(remedy));
    return -1;
}

static int refuse_apart(const struct chosen_stream *const chosen[ARMTAP_SIDES])
{
    char text[2 * ARMTAP_SIDES][CLOCK_BYTES], remedy[TEXT_MAX];
    message_error(
        "no common controller time: stream %u (legacy) has the clock from %s to %s s, stream %u (RTDE) from %s "
        "to %s s; %s",
        chosen[0]->summary->number, clock_text(text[0], chosen[0]->low), clock_text(text[1], chosen[0]->high),
        chosen[1]->summary->number, clock_text(text[2], chosen[1]->low), clock_text(text[3], chosen[1]->high),
        capture_both(remedy));
    return -1;
}

/* ---- the choice -------------------------------------------------------------------------------------------------- */

static void find_summaries(struct stream_choice *choice, const struct armtap_streams *streams)
{
    for (size_t i = 0; i < choice->all.count; i++)
        chosen_at(choice, i)->summary = armtap_streams_of(streams, choice->all.slots[i].connection);
}

static const struct chosen_stream *find_number(const struct stream_choice *choice, uint64_t number)
{
    for (size_t i = 0; i < choice->all.count; i++)
        if (chosen_at(choice, i)->summary && chosen_at(choice, i)->summary->number == number)
            return chosen_at(choice, i);
    return NULL;
}

static int check_chosen(const struct chosen_stream *const chosen[ARMTAP_SIDES])
{
    for (int side = 0; side < ARMTAP_SIDES; side++)
        if (check_clock(chosen[side]) != 0)
            return -1;
    return overlap(chosen[ARMTAP_SIDE_LEGACY], chosen[ARMTAP_SIDE_RTDE]) ? 0 : refuse_apart(chosen);
}

static int choose_wished(const struct stream_choice *choice, const struct armtap_streams *streams,
                         const struct stream_choice_wish *wish, const struct chosen_stream *chosen[ARMTAP_SIDES])
{
    for (unsigned i = 0; i < wish->count; i++) {
        const struct chosen_stream *one = find_number(choice, wish->stream[i]);
        if (!one && wish->stream[i] < armtap_streams_count(streams)) {
            message_error("stream %" PRIu64 " has no record from the robot; --stream accepts two of these:",
                          wish->stream[i]);
            list_streams(choice);
            return -1;
        }
        if (!one) {
            message_error("no stream %" PRIu64 "; --stream accepts two of these:", wish->stream[i]);
            list_streams(choice);
            return -1;
        }
        for (int side = 0; side < ARMTAP_SIDES; side++)
            if (is_of_side(one->summary, (enum armtap_side)side))
                chosen[side] = one;
    }
    if (chosen[ARMTAP_SIDE_LEGACY] && chosen[ARMTAP_SIDE_RTDE])
        return check_chosen(chosen);
    message_error("streams %" PRIu64 " and %" PRIu64 ": --stream needs one legacy and one RTDE stream:",
                  wish->stream[0], wish->stream[1]);
    list_streams(choice);
    return -1;
}

/* Counts the pairs of streams that fit; `chosen` becomes the last. */
static size_t count_fitting(const struct stream_choice *choice, const struct stream_choice_wish *wish,
                            bool with_common_time, const struct chosen_stream *chosen[ARMTAP_SIDES])
{
    size_t fitting = 0;
    for (size_t i = 0; i < choice->all.count; i++) {
        const struct chosen_stream *legacy = chosen_at(choice, i);
        for (size_t k = 0; k < choice->all.count && has_side(legacy, ARMTAP_SIDE_LEGACY); k++) {
            const struct chosen_stream *rtde = chosen_at(choice, k);
            if ((with_common_time && !overlap(legacy, rtde)) || !has_side(rtde, ARMTAP_SIDE_RTDE) ||
                !same_robot(wish, legacy->summary->stream->robot, rtde->summary->stream->robot))
                continue;
            chosen[ARMTAP_SIDE_LEGACY] = legacy;
            chosen[ARMTAP_SIDE_RTDE] = rtde;
            if (++fitting > 1)
                return fitting;
        }
    }
    return fitting;
}

int stream_choice_choose(struct stream_choice *choice, const struct armtap_streams *streams,
                         const struct stream_choice_wish *wish, const struct chosen_stream *chosen[ARMTAP_SIDES])
{
    chosen[ARMTAP_SIDE_LEGACY] = chosen[ARMTAP_SIDE_RTDE] = NULL;
    find_summaries(choice, streams);
    if (wish->count > 0)
        return choose_wished(choice, streams, wish, chosen);
    char remedy[TEXT_MAX];
    size_t fitting = count_fitting(choice, wish, true, chosen);
    if (fitting == 1)
        return 0;
    if (fitting > 1) {
        message_error("several pairs of streams match; choose a legacy and an RTDE stream with --stream A,B:");
        list_streams(choice);
        return -1;
    }
    for (int side = 0; side < ARMTAP_SIDES; side++)
        if (check_side(choice, streams, (enum armtap_side)side) != 0)
            return -1;
    fitting = count_fitting(choice, wish, false, chosen);
    if (fitting == 1)
        return refuse_apart(chosen);
    if (fitting > 1)
        message_error("no legacy and RTDE stream of one robot have controller time in common; %s:",
                      capture_both(remedy));
    else
        message_error("no robot has both a legacy and an RTDE stream; if two addresses are one robot's, choose with "
                      "--stream A,B:");
    list_streams(choice);
    return -1;
}

/* ---- reading once ------------------------------------------------------------------------------------------------ */

static int refuse_second(const struct armtap_stream *stream)
{
    message_error(
        "a second %s stream of the robot begins (client %s), but this input can be read only once; choose with "
        "--stream A,B, or save it to a file first",
        armtap_protocol_name(stream->protocol), stream->client);
    return -1;
}

/* The side that a record's connection would have; ARMTAP_SIDES: none, or it was taken already. */
static unsigned new_side(const struct stream_choice_taken *taken, const struct armtap_record *record)
{
    const struct armtap_stream *stream = record->stream;
    unsigned side = 0;
    while (side < ARMTAP_SIDES && stream->protocol != protocols[side])
        side++;
    bool is_new = record->direction == ARMTAP_FROM_ROBOT && side < ARMTAP_SIDES &&
                  !(taken->has[side] && taken->connection[side] == stream->connection);
    return is_new ? side : ARMTAP_SIDES;
}

static void take_stream(struct stream_choice_taken *taken, unsigned side, const struct armtap_stream *stream)
{
    taken->has[side] = true;
    taken->connection[side] = stream->connection;
    memcpy(taken->robot, stream->robot, sizeof taken->robot);
}

static bool is_wished(struct armtap_streams *streams, const struct stream_choice_wish *wish, uint64_t connection)
{
    armtap_streams_number(streams);
    const struct armtap_stream_summary *summary = armtap_streams_of(streams, connection);
    for (unsigned i = 0; summary && i < wish->count; i++)
        if (summary->number == wish->stream[i])
            return true;
    return false;
}

int stream_choice_take(struct stream_choice_taken *taken, struct armtap_streams *streams,
                       const struct stream_choice_wish *wish, const struct armtap_record *record)
{
    const struct armtap_stream *stream = record->stream;
    unsigned side = new_side(taken, record);
    if (side == ARMTAP_SIDES)
        return 0;
    bool wanted =
        wish->count > 0 ? is_wished(streams, wish, stream->connection) : same_robot(wish, taken->robot, stream->robot);
    if (!wanted)
        return 0;
    if (taken->has[side])
        return refuse_second(stream);
    take_stream(taken, side, stream);
    return 0;
}

unsigned stream_choice_side(const struct stream_choice_taken *taken, const struct armtap_record *record)
{
    unsigned side = 0;
    while (side < ARMTAP_SIDES && !(taken->has[side] && record->direction == ARMTAP_FROM_ROBOT &&
                                    taken->connection[side] == record->stream->connection))
        side++;
    return side;
}

int stream_choice_check(struct stream_choice *choice, const struct armtap_streams *streams,
                        const struct stream_choice_taken *taken, const struct chosen_stream *chosen[ARMTAP_SIDES])
{
    char name[TEXT_MAX];
    find_summaries(choice, streams);
    for (int side = 0; side < ARMTAP_SIDES; side++) {
        if (!taken->has[side]) {
            if (check_side(choice, streams, (enum armtap_side)side) == 0) {
                message_error("robot %s, the first one, has no %s stream; choose with --stream A,B:", taken->robot,
                              side_name(name, (enum armtap_side)side));
                list_streams(choice);
            }
            return -1;
        }
        chosen[side] = by_connection_find(&choice->all, taken->connection[side]);
        if (!chosen[side] || !chosen[side]->summary)
            return -1;
    }
    return check_chosen(chosen);
}

static bool is_before(const struct armtap_where *one, const struct armtap_where *other)
{
    return one->file != other->file ? one->file < other->file : one->packet < other->packet;
}

bool stream_choice_are_interleaved(const struct chosen_stream *const chosen[ARMTAP_SIDES])
{
    uint32_t file = chosen[0]->first.file;
    for (int side = 0; side < ARMTAP_SIDES; side++)
        if (chosen[side]->first.file != file || chosen[side]->last.file != file)
            return false;
    return is_before(&chosen[0]->first, &chosen[1]->last) && is_before(&chosen[1]->first, &chosen[0]->last);
}
