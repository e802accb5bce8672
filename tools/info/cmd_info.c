/* armtap info: shows what a capture holds. */
#include <stdio.h>
#include <stdlib.h>

#include "info.h"
#include "command_line/shared_text.h"
#include "array.h"
#include "command_line/commands.h"
#include "base/process/message.h"
#include "input/sidecars/sidecar.h"
#include "command_line/options.h"
#include "analysis/inside.h"

#define OPTIONS_STRUCT struct info
static const struct option_row rows[] = {
#define OPTIONS_INFO
#include "command_line/options.def"
};

static const struct option_usage usage = {
    .command = "info",
    .arguments = "[CAPTURE... | ROBOT...]",
    .summary = "Shows the streams of a capture: robot and client, protocol and version, records, rate, duration, gaps, "
               "and findings. Exit status 1 after a warning or an error.",
    .rows = rows,
    .groups = GROUPS_info,
    .examples = "  armtap info robot.pcapng\n  armtap info --json monday-*.pcap.gz | jq .streams\n"
                "  armtap info rtde://10.0.0.2\n"};

/* ---- reading --------------------------------------------------------------------------------------------------- */

static int on_record(void *user, const struct armtap_record *record)
{
    struct info *info = user;
    if (info->part && !info->totals.elsewhere && info_part_record(info->part, record) != 0)
        return REPLAY_NO_MEMORY;
    return armtap_streams_record(info->streams, record) == ARMTAP_OK ? REPLAY_GO_ON : REPLAY_NO_MEMORY;
}

static int on_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct info *info = user;
    return armtap_streams_recipe(info->streams, event) == ARMTAP_OK ? REPLAY_GO_ON : REPLAY_NO_MEMORY;
}

static int on_candidates(void *user, const struct armtap_candidates *candidates)
{
    struct info *info = user;
    return armtap_streams_candidates(info->streams, candidates) == ARMTAP_OK ? REPLAY_GO_ON : REPLAY_NO_MEMORY;
}

static int on_refused(void *user, const struct armtap_refused_setup *setup)
{
    struct info *info = user;
    remedy_offer(&info->offers, setup);
    return 0;
}

static int on_note(void *user, const struct armtap_note *note)
{
    struct info *info = user;
    size_t kind = (size_t)(note->kind - armtap_note_at(0));
    struct example *example = &info->examples[kind];
    if (armtap_streams_note_counts(info->streams)[kind] == 0) {
        example->where = note->where;
        snprintf(example->text, sizeof example->text, "%s", note->text ? note->text : "");
        armtap_arguments_free(&example->arguments);
        if (!armtap_arguments_copy(&example->arguments, &note->arguments))
            return REPLAY_NO_MEMORY;
    }
    return armtap_streams_note(info->streams, note) == ARMTAP_OK ? REPLAY_GO_ON : REPLAY_NO_MEMORY;
}

static int on_event(void *user, const struct armtap_event *event)
{
    struct info *info = user;
    struct armtap_note note;
    if (armtap_streams_event(info->streams, event) != 0)
        return -1;
    return armtap_streams_due_note(info->streams, event, &note) ? on_note(user, &note) : 0;
}

static int on_traffic(void *user, const struct armtap_traffic *traffic)
{
    struct info *info = user;
    if (!MAKE_ROOM(info->ports, info->port_count))
        return -1;
    info->ports[info->port_count++] = *traffic;
    return 0;
}

/* ---- the command ----------------------------------------------------------------------------------------------- */

/* An archive's streams are numbered while it is read, so that they are not packed. NULL if memory runs out. */
static struct armtap_streams *new_streams(const struct info *info)
{
    struct armtap_streams *streams = armtap_streams_new();
    if (streams && !info->part)
        armtap_streams_pack(streams);
    return streams;
}

/* Prepares for a second reading, which uses what the first one learned. */
static int forget(void *user)
{
    struct info *info = user;
    struct armtap_streams *streams = new_streams(info);
    if (!streams)
        return -1;
    armtap_streams_free(info->streams);
    info->streams = streams;
    info->port_count = 0;
    info->offers.count = 0;
    return 0;
}

static enum replay_answer on_capture(void *user, bool begins)
{
    struct info *info = user;
    int outcome = begins ? info_part_begin(info->part, info->streams) : info_part_end(info->part, info->streams);
    return outcome == 0 ? REPLAY_GO_ON : REPLAY_NO_MEMORY;
}

static bool has_warning(const struct info *info)
{
    for (size_t i = 0; info->part && i < armtap_note_count(); i++)
        if (armtap_note_at(i)->severity >= ARMTAP_WARNING && info_notes_of(info->part, info->streams, NULL, i) > 0)
            return true;
    return !info->part && armtap_streams_have_warning(info->streams);
}

static void run_info(struct info *info)
{
    const struct armtap_sink sink = {.size = sizeof sink,
                                     .on_record = on_record,
                                     .on_recipe = on_recipe,
                                     .on_note = on_note,
                                     .on_event = on_event,
                                     .on_traffic = on_traffic,
                                     .on_refused = on_refused,
                                     .on_candidates = on_candidates,
                                     .wants = armtap_streams_wants};
    struct replay_source source = info->options.source;
    source.knowledge = info->knowledge;
    source.archive = info->archive;
    source.part = REPLAY_AMONG;
    source.comments = &info->comments;
    source.on_capture = info->archive ? on_capture : NULL;
    info->status = (int)replay_learning(&source, &sink, info, forget, &info->totals);
    if (info->totals.broken_off)
        return;
    if (armtap_streams_unpack(info->streams) != ARMTAP_OK ||
        (info->part && !info_part_has_ended(info->part) && info_part_end(info->part, info->streams) != 0)) {
        message_no_memory();
        info->status = EXIT_FAILED;
        return;
    }
    armtap_streams_number(info->streams);
    const struct armtap_attempts *attempts = armtap_streams_attempts(info->streams);
    bool none = armtap_streams_count(info->streams) == 0 && !armtap_attempts_have_fault(attempts);
    if (info->json)
        info_print_json(info);
    else if (!none || info->port_count > 0 || info->comments.count > 0 || armtap_attempts_at(attempts, 0)) {
        if (info_print_text(info) != 0) {
            message_no_memory();
            info->status = EXIT_FAILED;
            return;
        }
    }
    if (none && info->status == EXIT_DONE)
        no_telemetry_report(info->streams, &info->totals);
    if (none)
        info->status = EXIT_FAILED;
    if (info->status == EXIT_DONE && no_telemetry_came(&source, info->streams)) {
        no_telemetry_report_robots(&source, info->streams);
        info->status = EXIT_FAILED;
    }
    if (info->status == EXIT_DONE && has_warning(info))
        info->status = EXIT_FOUND;
}

/* Whether the capture is one that others can precede. */
static int find_archive(struct info *info)
{
    const struct replay_source *source = &info->options.source;
    if (!info->after)
        return 0;
    if (source->count != 1 || source->follow) {
        message_error("--after: name one capture, which continues where the sidecar's ended");
        return -1;
    }
    info->archive = archive_open(info->after, source->names[0]);
    info->part = info->archive ? info_part_new() : NULL;
    if (info->archive && !info->part)
        message_no_memory();
    return info->part ? 0 : -1;
}

int cmd_info(int argc, char **argv)
{
    struct info info = {.status = EXIT_FAILED};
    enum options_outcome outcome = options_parse(&usage, argc, argv, &info.options, &info);
    if (outcome != OPTIONS_RUN)
        return options_status(outcome);
    if (find_archive(&info) != 0) {
        archive_free(info.archive);
        options_free(&info.options);
        return EXIT_FAILED;
    }
    info.streams = new_streams(&info);
    info.examples = calloc(armtap_note_count() + 1, sizeof *info.examples);
    if (info.streams && info.examples && armtap_knowledge_new(&info.knowledge) == ARMTAP_OK)
        run_info(&info);
    else
        message_no_memory();
    armtap_streams_free(info.streams);
    armtap_knowledge_free(info.knowledge);
    info_part_free(info.part);
    archive_free(info.archive);
    for (size_t i = 0; info.examples && i < armtap_note_count(); i++)
        armtap_arguments_free(&info.examples[i].arguments);
    free(info.examples);
    free(info.ports);
    armtap_comments_free(&info.comments);
    options_free(&info.options);
    return info.status == EXIT_FOUND && info.findings_ok ? EXIT_DONE : info.status;
}
