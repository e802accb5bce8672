/* armtap merge: what armtap info --json or diagnose --json printed of many captures, as it would print it of all. */
#include "base/process/message.h"
#include "command_line/commands.h"
#include "command_line/options.h"
#include "summaries.h"

struct merge {
    struct options options;
    struct summaries summaries;
    struct infos infos;
    bool findings_ok;
};

#define OPTIONS_STRUCT struct merge
static const struct option_row rows[] = {
#define OPTIONS_MERGE
#include "command_line/options.def"
};

static const struct option_usage usage = {
    .command = "merge",
    .arguments = "SUMMARY...",
    .summary =
        "Combines the output of armtap info --json or armtap diagnose --json. For captures of one archive, read with "
        "--after, the result equals one run over all captures; streams of other captures are listed one after another. "
        "Exit status 1 after a warning or an error.",
    .rows = rows,
    .examples = "  for f in monday-*.pcapng; do armtap info --json --after sidecars $f > $f.json; done\n"
                "  armtap merge monday-*.json > monday.json\n"};

static int take_info(void *user, struct summary *summary)
{
    return infos_add(user, summary);
}

static enum exit_status run_merge(struct merge *merge)
{
    if (merge->options.operand_count == 0) {
        message_error("merge: name the files to combine, written by armtap info --json or diagnose --json");
        return EXIT_FAILED;
    }
    if (summaries_read(&merge->summaries, merge->options.operands, merge->options.operand_count, take_info,
                       &merge->infos) != 0)
        return EXIT_FAILED;
    enum exit_status status = EXIT_DONE;
    if (merge->summaries.is_diagnosis) {
        status = diagnoses_merge(&merge->summaries);
    } else {
        infos_print(&merge->infos);
        status = infos_have_fault(&merge->infos) ? EXIT_FOUND : EXIT_DONE;
    }
    return status == EXIT_FOUND && merge->findings_ok ? EXIT_DONE : status;
}

int cmd_merge(int argc, char **argv)
{
    struct merge merge = {.findings_ok = false};
    enum options_outcome outcome = options_parse(&usage, argc, argv, &merge.options, &merge);
    if (outcome != OPTIONS_RUN)
        return options_status(outcome);
    enum exit_status status = run_merge(&merge);
    infos_release(&merge.infos);
    summaries_free(&merge.summaries);
    options_free(&merge.options);
    return (int)status;
}
