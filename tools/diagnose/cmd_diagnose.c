/* armtap diagnose: what went wrong, when, in which packet. */
#include <stdio.h>
#include <stdlib.h>

#include "command_line/options.h"
#include "command_line/shared_text.h"
#include "command_line/commands.h"
#include "diagnosis.h"
#include "input/sidecars/sidecar.h"
#include "base/process/message.h"

struct command {
    bool json, list, findings_ok, no_primary;
    const char *after;
    struct options options;
    struct armtap_knowledge *knowledge;
    struct diagnosis diagnosis;
    int status; /* enum exit_status */
};

static int read_around(const struct option_row *row, const char *value, void *place)
{
    struct command *command = place;
    (void)row;
    return around_parse("diagnose", value, &command->diagnosis.around, &command->diagnosis.reach);
}

#define OPTIONS_STRUCT struct command
static const struct option_row rows[] = {
#define OPTIONS_DIAGNOSE
#include "command_line/options.def"
};

static int prepare(void *user)
{
    struct command *command = user;
    command->options.request.with_primary = !command->no_primary;
    return 0;
}

static const struct option_usage usage = {
    .command = "diagnose",
    .arguments = "[CAPTURE... | ROBOT...]",
    .summary = "Shows what went wrong, when, and in which packet: refused requests, skipped packages, lost and "
               "retransmitted packets, gaps in the capture, closed connections, safety stops. Prints the incidents, "
               "each with its cause, then all findings and remedies; the verdict is the last line. Exit status 1 after "
               "a warning or an error.",
    .rows = rows,
    .prepare = prepare,
    .groups = GROUPS_diagnose,
    .examples = "  armtap diagnose robot.pcapng\n  armtap diagnose --around safety.stop=2 robot.pcapng\n"
                "  armtap diagnose --json robot.pcapng | jq .findings\n  armtap diagnose rtde://10.0.0.2\n"};

/* ---- the command ------------------------------------------------------------------------------------------------- */

static enum replay_answer on_turn(void *user, const struct replay_totals *totals)
{
    const struct diagnosis *diagnosis = user;
    live_turn(diagnosis->live, totals);
    return REPLAY_GO_ON;
}

/* A capture without telemetry is in order where others have it. */
static bool is_of_archive(const struct diagnosis *diagnosis)
{
    return diagnosis->numbering && armtap_streams_count(diagnosis->numbering) > 0;
}

static void run_diagnosis(struct command *command)
{
    struct diagnosis *diagnosis = &command->diagnosis;
    struct replay_source source = command->options.source;
    source.knowledge = command->knowledge;
    if (diagnosis->live) {
        source.on_turn = on_turn;
        source.progress = false;
    }
    diagnosis->source = &source;
    command->status = (int)diagnosis_read(diagnosis);
    bool any_shown = diagnosis->live && live_end(diagnosis->live);
    if (diagnosis->totals.broken_off)
        return;
    if (any_shown)
        putchar('\n');
    if (diagnosis_settle(diagnosis) != 0) {
        message_no_memory();
        command->status = EXIT_FAILED;
        return;
    }
    bool blank = !diagnosis_has_content(diagnosis),
         none = !diagnosis_has_subject(diagnosis) && !is_of_archive(diagnosis);
    if (command->json ? diagnosis_print_json(diagnosis) != 0 : !blank && diagnosis_print(diagnosis) != 0) {
        message_no_memory();
        command->status = EXIT_FAILED;
    }
    if (blank && !command->json)
        comments_print(&diagnosis->comments, diagnosis->source, diagnosis->zone);
    if (none && command->status == EXIT_DONE)
        no_telemetry_report(diagnosis->streams, &diagnosis->totals);
    if (none)
        command->status = EXIT_FAILED;
    if (command->status == EXIT_DONE && no_telemetry_came(&source, diagnosis->streams)) {
        no_telemetry_report_robots(&source, diagnosis->streams);
        command->status = EXIT_FAILED;
    }
    if (command->status == EXIT_DONE && diagnosis_found_fault(diagnosis))
        command->status = EXIT_FOUND;
}

/* Shows findings live, unless --json or --around need the whole input first. 0, or -1 if memory runs out. */
static int begin_diagnosis(struct command *command)
{
    const struct replay_source *source = &command->options.source;
    struct diagnosis *diagnosis = &command->diagnosis;
    diagnosis->source = source;
    diagnosis->zone = command->options.zone;
    if (replay_is_live(source) && !command->json && !diagnosis->around) {
        diagnosis->live = live_new(!replay_is_endless(source), command->options.zone, source->labels);
        if (!diagnosis->live)
            return -1;
    }
    return diagnosis_begin(diagnosis) == 0 && armtap_knowledge_new(&command->knowledge) == ARMTAP_OK ? 0 : -1;
}

/* Whether the capture is one that others can precede. */
static int find_archive(struct command *command)
{
    const struct replay_source *source = &command->options.source;
    if (!command->after)
        return 0;
    if (source->count != 1 || source->follow) {
        message_error("--after: name one capture, which continues where the sidecar's ended");
        return -1;
    }
    command->diagnosis.archive = archive_open(command->after, source->names[0]);
    return command->diagnosis.archive ? 0 : -1;
}

static int list(const struct command *command)
{
    if (command->json)
        diagnosis_list_json();
    else
        diagnosis_list();
    return EXIT_DONE;
}

int cmd_diagnose(int argc, char **argv)
{
    struct command command = {.status = EXIT_FAILED};
    enum options_outcome outcome = options_parse(&usage, argc, argv, &command.options, &command);
    if (outcome != OPTIONS_RUN)
        return options_status(outcome);
    if (command.list)
        command.status = list(&command);
    else if (find_archive(&command) != 0)
        command.status = EXIT_FAILED;
    else if (begin_diagnosis(&command) == 0)
        run_diagnosis(&command);
    else
        message_no_memory();
    diagnosis_free(&command.diagnosis);
    archive_free(command.diagnosis.archive);
    live_free(command.diagnosis.live);
    armtap_knowledge_free(command.knowledge);
    options_free(&command.options);
    return command.status == EXIT_FOUND && command.findings_ok ? EXIT_DONE : command.status;
}
