/* armtap stats: extremes, means and deviations, changes, and times in modes. */
#include <inttypes.h>
#include <string.h>

#include "base/process/message.h"
#include "command_line/commands.h"
#include "command_line/options.h"
#include "command_line/shared_text.h"
#include "stats.h"

struct stats {
    struct options options;
    struct timestamp from, to;
    uint64_t stream;
    bool has_stream, to_robot, json;
    struct armtap_knowledge *knowledge;
    struct armtap_streams *streams;
    struct timestamp_range range;
    bool is_range_known;
    uint64_t connection; /* of --stream */
    bool is_adding;      /* not only numbering the streams */
    struct sums sums;
    struct replay_totals totals;
    enum exit_status status;
};

#define OPTIONS_STRUCT struct stats
static const struct option_row rows[] = {
#define OPTIONS_STATS
#include "command_line/options.def"
};

static const struct option_usage usage = {
    .command = "stats",
    .arguments = "[CAPTURE... | ROBOT...]",
    .summary = "Shows for each field of each robot its minimum and maximum and their packets, mean and standard "
               "deviation, first and last value, and number of changes; for modes, how long each value lasted.",
    .rows = rows,
    .groups = GROUPS_stats,
    .examples = "  armtap stats robot.pcapng\n  armtap stats --fields \"actual_*,robot_mode\" --from +1m robot.pcapng\n"
                "  armtap stats --json robot.pcapng | jq .robots\n"};

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool is_wanted(struct stats *stats, const struct armtap_record *record)
{
    int64_t time = record->read.time;
    if (!stats->is_range_known)
        stats->range = timestamp_range(&stats->from, &stats->to, stats->totals.first_time, stats->options.zone);
    stats->is_range_known = true;
    if (!stats->is_adding || record->direction != (stats->to_robot ? ARMTAP_TO_ROBOT : ARMTAP_FROM_ROBOT))
        return false;
    if (stats->has_stream && record->stream->connection != stats->connection)
        return false;
    return time == ARMTAP_NO_TIME || (time >= stats->range.from && time <= stats->range.to);
}

static int on_record(void *user, const struct armtap_record *record)
{
    struct stats *stats = user;
    if (is_wanted(stats, record) && sums_record(&stats->sums, record) != 0)
        return REPLAY_NO_MEMORY;
    return armtap_streams_record(stats->streams, record) == ARMTAP_OK ? REPLAY_GO_ON : REPLAY_NO_MEMORY;
}

static int on_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct stats *stats = user;
    return armtap_streams_recipe(stats->streams, event) == ARMTAP_OK ? REPLAY_GO_ON : REPLAY_NO_MEMORY;
}

static int on_note(void *user, const struct armtap_note *note)
{
    struct stats *stats = user;
    return armtap_streams_note(stats->streams, note) == ARMTAP_OK ? REPLAY_GO_ON : REPLAY_NO_MEMORY;
}

static int on_event(void *user, const struct armtap_event *event)
{
    struct stats *stats = user;
    if (event->type == ARMTAP_EVENT_PAUSE)
        sums_pause(&stats->sums, event->stream);
    return armtap_streams_event(stats->streams, event) == ARMTAP_OK ? REPLAY_GO_ON : REPLAY_NO_MEMORY;
}

/* Prepares for another reading. */
static int forget(void *user)
{
    struct stats *stats = user;
    armtap_streams_free(stats->streams);
    stats->streams = armtap_streams_new();
    stats->is_range_known = false;
    sums_clear(&stats->sums);
    return stats->streams ? 0 : -1;
}

static int read_all(struct stats *stats)
{
    const struct armtap_sink sink = {.size = sizeof sink,
                                     .on_record = on_record,
                                     .on_recipe = on_recipe,
                                     .on_note = on_note,
                                     .on_event = on_event,
                                     .wants = armtap_streams_wants};
    struct replay_source source = stats->options.source;
    source.knowledge = stats->knowledge;
    source.quiet = stats->status == EXIT_FAILED;
    enum exit_status status = replay_learning(&source, &sink, stats, forget, &stats->totals);
    stats->status = status > stats->status ? status : stats->status;
    if (stats->totals.broken_off)
        return -1;
    armtap_streams_number(stats->streams);
    const struct armtap_stream_summary *summary;
    for (size_t i = 0; (summary = armtap_streams_at(stats->streams, i)); i++)
        if (!stats->has_stream || i == stats->stream)
            sums_lost(&stats->sums, summary->stream, stats->to_robot ? ARMTAP_TO_ROBOT : ARMTAP_FROM_ROBOT);
    return 0;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static int fail(struct stats *stats)
{
    stats->status = EXIT_FAILED;
    return -1;
}

/* The streams have their numbers when all was read. */
static int find_stream(struct stats *stats)
{
    if (!replay_is_repeatable(&stats->options.source)) {
        message_error("stats: --stream reads the capture twice: name a file");
        return fail(stats);
    }
    if (read_all(stats) != 0)
        return -1;
    const struct armtap_stream_summary *summary = armtap_streams_at(stats->streams, (size_t)stats->stream);
    if (!summary && armtap_streams_count(stats->streams) > 0) {
        message_error("stats: there is no stream %" PRIu64 "; armtap info lists them", stats->stream);
        return fail(stats);
    }
    stats->connection = summary ? summary->stream->connection : 0;
    if (forget(stats) == 0)
        return 0;
    message_no_memory();
    return fail(stats);
}

static int check_names(struct stats *stats)
{
    const struct selection *selection = &stats->sums.selection;
    for (size_t i = 0; i < selection->count; i++) {
        const char *name = selection->names[i] + (selection->names[i][0] == '!');
        const struct armtap_field *meant = armtap_field_nearest(name, strlen(name), ARMTAP_FIELD_BOTH);
        if (selection->found[i])
            continue;
        if (meant && strcmp(meant->name, name) != 0)
            message_error("--fields: no field here is named '%s'; did you mean '%s'?", name, meant->name);
        else
            message_error("--fields: no field here is named '%s'; armtap info --json lists the fields of every stream",
                          name);
        return fail(stats);
    }
    return 0;
}

/* Whether there is something to print; else a message says why not. */
static int check_sums(struct stats *stats)
{
    if (armtap_streams_count(stats->streams) == 0) {
        if (stats->status == EXIT_DONE)
            no_telemetry_report(stats->streams, &stats->totals);
        return fail(stats);
    }
    if (no_telemetry_came(&stats->options.source, stats->streams)) {
        if (stats->status == EXIT_DONE)
            no_telemetry_report_robots(&stats->options.source, stats->streams);
        return fail(stats);
    }
    if (stats->sums.robot_count > 0 && check_names(stats) != 0)
        return -1;
    if (stats->sums.robot_count == 0)
        message_warning("no record %s%s%s", stats->to_robot ? "to the robot" : "from the robot",
                        stats->has_stream ? " in that stream" : "",
                        stats->from.given || stats->to.given ? " in that time" : "");
    range_report(&stats->from, &stats->to, &stats->totals, stats->options.zone, stats->sums.robot_count == 0);
    if (stats->sums.has_left_out)
        message_warning("too many robots or fields: the rest is omitted");
    return 0;
}

static void run_stats(struct stats *stats)
{
    const struct report report = {.sums = &stats->sums,
                                  .source = &stats->options.source,
                                  .direction = stats->to_robot ? ARMTAP_TO_ROBOT : ARMTAP_FROM_ROBOT,
                                  .zone = stats->options.zone,
                                  .is_whole = !stats->from.given && !stats->to.given};
    if (timestamp_is_swapped(&stats->from, &stats->to)) {
        message_error("--to is before --from; swap them");
        fail(stats);
        return;
    }
    if (replay_count_back(&stats->options.source, &stats->from, &stats->to) != 0) {
        fail(stats);
        return;
    }
    if (stats->has_stream && find_stream(stats) != 0)
        return;
    stats->is_adding = true;
    if (read_all(stats) != 0 || check_sums(stats) != 0)
        return;
    if (stats->json)
        report_json(&report);
    else
        report_text(&report);
}

int cmd_stats(int argc, char **argv)
{
    struct stats stats = {.status = EXIT_FAILED};
    enum options_outcome outcome = options_parse(&usage, argc, argv, &stats.options, &stats);
    if (outcome != OPTIONS_RUN)
        return options_status(outcome);
    stats.sums.labels = stats.options.labels;
    stats.streams = armtap_streams_new();
    if (!stats.streams || armtap_knowledge_new(&stats.knowledge) != ARMTAP_OK ||
        selection_parse(stats.options.request.fields, &stats.sums.selection) != 0) {
        message_no_memory();
    } else {
        stats.status = EXIT_DONE;
        run_stats(&stats);
    }
    sums_clear(&stats.sums);
    selection_free(&stats.sums.selection);
    armtap_streams_free(stats.streams);
    armtap_knowledge_free(stats.knowledge);
    options_free(&stats.options);
    return (int)stats.status;
}
