/* armtap compare: checks that RTDE and the legacy stream agree. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command_line/shared_text.h"
#include "command_line/commands.h"
#include "compare.h"
#include "analysis/armtap-analysis.h"
#include "base/process/message.h"
#include "command_line/options.h"

struct compare {
    struct options options;
    struct replay_source source;
    struct stream_choice_wish wish;
    double tolerance;
    bool json;
    struct armtap_knowledge *knowledge;
    struct armtap_streams *streams;
    struct stream_choice *choice;
    struct stream_choice_taken taken;
    const struct chosen_stream *chosen[ARMTAP_SIDES];
    uint64_t read_again[ARMTAP_SIDES]; /* records of these */
    struct armtap_comparison *comparison;
    struct replay_totals totals;
    enum exit_status status;
};

static int read_stream(const struct option_row *row, const char *value, void *place)
{
    struct compare *compare = place;
    struct stream_choice_wish *wish = &compare->wish;
    char number[24];
    for (const char *at = value;; at++) {
        size_t length = strcspn(at, ",");
        if (wish->count == ARMTAP_SIDES || length >= sizeof number)
            return option_refuse(row, value, "the numbers of a legacy and an RTDE stream, as in --stream \"0,1\"");
        memcpy(number, at, length);
        number[length] = '\0';
        if (options_number("--stream", number, 0, UINT32_MAX, &wish->stream[wish->count]) != 0)
            return -1;
        wish->count++;
        at += length;
        if (*at == '\0')
            return 0;
    }
}

#define OPTIONS_STRUCT struct compare
static const struct option_row rows[] = {
#define OPTIONS_COMPARE
#include "command_line/options.def"
};

static const struct option_usage usage = {
    .command = "compare",
    .arguments = "[CAPTURE... | ROBOT...]",
    .summary =
        "Pairs the records of a robot's legacy stream (port 30003) and its RTDE stream by the controller's clock, "
        "and shows for each field how much the values differ. Exit status 0: all are equal; 1: a field differs; 2: "
        "nothing could be compared.",
    .rows = rows,
    .groups = GROUPS_compare,
    .examples = "  armtap compare both.pcap.gz\n  armtap compare --tolerance 1e-6 port30003.pcap port30004.pcap\n"
                "  armtap compare rtde://10.0.0.2 realtime://10.0.0.2\n"};

/* Returns the value with which a callback stops the reading; a message was printed. */
static int give_up(struct compare *compare)
{
    compare->status = EXIT_FAILED;
    return REPLAY_GAVE_UP;
}

static void raise_status(struct compare *compare, enum exit_status status)
{
    if (status > compare->status)
        compare->status = status;
}

static int give_up_memory(struct compare *compare)
{
    message_no_memory();
    return give_up(compare);
}

/* The comparison returned an error. */
static int give_up_error(struct compare *compare, int error)
{
    if (error != ARMTAP_ERR_SPACE)
        return give_up_memory(compare);
    message_error("compare: the streams have more fields than a robot has");
    return give_up(compare);
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static int check_options(const struct compare *compare)
{
    if (compare->wish.count == 0 || compare->wish.count == ARMTAP_SIDES)
        return 0;
    message_error("compare: --stream needs two streams: --stream \"A,B\"");
    return -1;
}

/* ---- finding the streams ----------------------------------------------------------------------------------------- */

static int survey_record(void *user, const struct armtap_record *record)
{
    struct compare *compare = user;
    return armtap_streams_record(compare->streams, record) != 0 || stream_choice_record(compare->choice, record) != 0
               ? REPLAY_NO_MEMORY
               : 0;
}

static int survey_event(void *user, const struct armtap_event *event)
{
    struct compare *compare = user;
    return armtap_streams_event(compare->streams, event) != 0 ? REPLAY_NO_MEMORY : 0;
}

static int forget(void *user)
{
    struct compare *compare = user;
    armtap_streams_free(compare->streams);
    stream_choice_free(compare->choice);
    compare->streams = armtap_streams_new();
    compare->choice = stream_choice_new();
    return !compare->streams || !compare->choice ? -1 : 0;
}

static int check_telemetry(struct compare *compare)
{
    armtap_streams_number(compare->streams);
    bool nothing_came = no_telemetry_came(&compare->source, compare->streams);
    if (armtap_streams_count(compare->streams) > 0 && !nothing_came)
        return 0;
    if (compare->status != EXIT_FAILED && nothing_came)
        no_telemetry_report_robots(&compare->source, compare->streams);
    else if (compare->status != EXIT_FAILED)
        no_telemetry_report(compare->streams, &compare->totals);
    return give_up(compare);
}

/* 0, or -1 after a message if the reading was broken off. */
static int read_all(struct compare *compare, const struct armtap_sink *sink)
{
    raise_status(compare, replay(&compare->source, sink, compare, &compare->totals));
    return compare->totals.broken_off ? -1 : 0;
}

static int survey(struct compare *compare)
{
    const struct armtap_sink sink = {.size = sizeof sink, .on_record = survey_record, .on_event = survey_event};
    struct replay_source source = compare->source;
    raise_status(compare, replay_learning(&source, &sink, compare, forget, &compare->totals));
    compare->source.quiet = compare->status == EXIT_FAILED;
    if (compare->totals.broken_off || check_telemetry(compare) != 0)
        return -1;
    if (stream_choice_choose(compare->choice, compare->streams, &compare->wish, compare->chosen) != 0)
        return give_up(compare);
    return 0;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static int push(struct compare *compare, enum armtap_side side, const struct armtap_record *record)
{
    int error = armtap_comparison_record(compare->comparison, side, record);
    return error == ARMTAP_OK ? 0 : give_up_error(compare, error);
}

static int end_side(struct compare *compare, enum armtap_side side)
{
    int error = armtap_comparison_end(compare->comparison, side);
    return error == ARMTAP_OK ? 0 : give_up_error(compare, error);
}

static bool is_chosen(const struct compare *compare, unsigned side, const struct armtap_stream *stream,
                      enum armtap_direction direction)
{
    return direction == ARMTAP_FROM_ROBOT && stream->connection == compare->chosen[side]->connection;
}

/* Whether a chosen stream has no more records than those that were read again. */
static bool is_read(const struct compare *compare, unsigned side)
{
    return compare->read_again[side] >= compare->chosen[side]->records + compare->chosen[side]->clockless;
}

static int compare_record(void *user, const struct armtap_record *record)
{
    struct compare *compare = user;
    unsigned side = 0;
    while (side < ARMTAP_SIDES && !is_chosen(compare, side, record->stream, record->direction))
        side++;
    if (side == ARMTAP_SIDES)
        return REPLAY_GO_ON;
    compare->read_again[side]++;
    if (push(compare, (enum armtap_side)side, record) != 0)
        return REPLAY_GAVE_UP;
    return is_read(compare, ARMTAP_SIDE_LEGACY) && is_read(compare, ARMTAP_SIDE_RTDE) ? REPLAY_HAS_ENOUGH
                                                                                      : REPLAY_GO_ON;
}

static int wants_chosen(void *user, const struct armtap_stream *stream, enum armtap_direction direction)
{
    return is_chosen(user, ARMTAP_SIDE_LEGACY, stream, direction) ||
           is_chosen(user, ARMTAP_SIDE_RTDE, stream, direction);
}

static bool side_by_side_wants(void *user, unsigned reading, const struct armtap_stream *stream,
                               enum armtap_direction direction)
{
    return is_chosen(user, reading, stream, direction);
}

static enum side_by_side_turn side_by_side_record(void *user, unsigned reading, const struct armtap_record *record)
{
    struct compare *compare = user;
    enum armtap_side side = (enum armtap_side)reading;
    if (!is_chosen(compare, side, record->stream, record->direction))
        return TURN_GOES_ON;
    compare->read_again[side]++;
    if (push(compare, side, record) != 0)
        return TURN_ENDS;
    if (is_read(compare, side))
        return TURN_HAS_ENOUGH;
    return armtap_comparison_is_ahead(compare->comparison, side) ? TURN_PASSES : TURN_GOES_ON;
}

static int side_by_side_over(void *user, unsigned reading)
{
    return end_side(user, (enum armtap_side)reading);
}

static int begin_pairs(struct compare *compare, bool in_capture_order)
{
    const struct armtap_comparison_options options = {
        .size = sizeof options, .tolerance = compare->tolerance, .in_capture_order = in_capture_order};
    int error = armtap_comparison_new(&options, &compare->comparison);
    return error == ARMTAP_OK ? 0 : give_up_error(compare, error);
}

static int end_pairs(struct compare *compare)
{
    for (int side = 0; side < ARMTAP_SIDES; side++)
        if (end_side(compare, (enum armtap_side)side) != 0)
            return -1;
    return 0;
}

/* Reads the chosen streams again: side by side if they do not interleave, as in two files. */
static int compare_chosen(struct compare *compare)
{
    const struct armtap_sink sink = {.size = sizeof sink, .on_record = compare_record, .wants = wants_chosen};
    const struct side_by_side_calls calls = {
        .wants = side_by_side_wants, .record = side_by_side_record, .over = side_by_side_over};
    bool interleaved = stream_choice_are_interleaved(compare->chosen);
    bool broken_off = false;
    if (begin_pairs(compare, interleaved) != 0)
        return -1;
    if (interleaved)
        broken_off = read_all(compare, &sink) != 0;
    else
        raise_status(compare, replay_side_by_side(&compare->source, &calls, compare, &broken_off));
    return broken_off ? -1 : end_pairs(compare);
}

/* ---- inputs that can be read only once --------------------------------------------------------------------------- */

static int take_record(void *user, const struct armtap_record *record)
{
    struct compare *compare = user;
    struct stream_choice_taken *taken = &compare->taken;
    if (survey_record(compare, record) != 0)
        return REPLAY_NO_MEMORY;
    if (stream_choice_take(taken, compare->streams, &compare->wish, record) != 0)
        return give_up(compare);
    unsigned side = stream_choice_side(taken, record);
    return side < ARMTAP_SIDES ? push(compare, (enum armtap_side)side, record) : 0;
}

static int compare_once(struct compare *compare)
{
    const struct armtap_sink sink = {.size = sizeof sink, .on_record = take_record, .on_event = survey_event};
    if (begin_pairs(compare, true) != 0)
        return -1;
    if (read_all(compare, &sink) != 0 || end_pairs(compare) != 0 || check_telemetry(compare) != 0)
        return -1;
    if (stream_choice_check(compare->choice, compare->streams, &compare->taken, compare->chosen) != 0)
        return give_up(compare);
    return 0;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static int check_pairs(struct compare *compare)
{
    const struct armtap_pairing_tally *tally = armtap_comparison_tally(compare->comparison);
    if (tally->pairs > 0)
        return 0;
    message_error("no record of stream %u (legacy) is within %.6g s, half a cycle, of one of stream %u (RTDE) by the "
                  "controller's clock: they are from different robots, or from different times",
                  compare->chosen[ARMTAP_SIDE_LEGACY]->summary->number, tally->cycle / 2,
                  compare->chosen[ARMTAP_SIDE_RTDE]->summary->number);
    return give_up(compare);
}

static void print_comparison(struct compare *compare)
{
    struct comparison comparison = {.sides = {compare->chosen[0], compare->chosen[1]},
                                    .tally = armtap_comparison_tally(compare->comparison),
                                    .found = compare->comparison,
                                    .tolerance = compare->tolerance,
                                    .source = &compare->source};
    size_t differ;
    int error = armtap_comparison_finish(compare->comparison);
    if (error != ARMTAP_OK) {
        give_up_error(compare, error);
        return;
    }
    if (compare->json)
        comparison_json(&comparison);
    else
        comparison_print(&comparison);
    comparison_compared(&comparison, &differ);
    if (differ > 0)
        raise_status(compare, EXIT_FOUND);
}

static void run_comparison(struct compare *compare)
{
    compare->source = compare->options.source;
    compare->wish.labels = compare->options.labels;
    compare->source.knowledge = compare->knowledge;
    compare->status = EXIT_DONE;
    int outcome;
    if (replay_is_repeatable(&compare->source))
        outcome = survey(compare) != 0 ? -1 : compare_chosen(compare);
    else
        outcome = compare_once(compare);
    if (outcome == 0 && check_pairs(compare) == 0)
        print_comparison(compare);
}

int cmd_compare(int argc, char **argv)
{
    struct compare compare = {.status = EXIT_FAILED};
    enum options_outcome outcome = options_parse(&usage, argc, argv, &compare.options, &compare);
    if (outcome != OPTIONS_RUN)
        return options_status(outcome);
    compare.streams = armtap_streams_new();
    compare.choice = stream_choice_new();
    bool has_memory = compare.streams && compare.choice && armtap_knowledge_new(&compare.knowledge) == ARMTAP_OK;
    if (!has_memory)
        message_no_memory();
    else if (check_options(&compare) == 0)
        run_comparison(&compare);
    armtap_comparison_free(compare.comparison);
    stream_choice_free(compare.choice);
    armtap_streams_free(compare.streams);
    armtap_knowledge_free(compare.knowledge);
    options_free(&compare.options);
    return (int)compare.status;
}
