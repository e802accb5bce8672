#include "command_line/commands.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "export.h"
#include "base/message.h"
#include "command_line/options.h"
#include "output_files.h"

enum option_id {
    OPTION_OUT = 1,
    OPTION_FORMAT,
    OPTION_DIALECT,
    OPTION_LAYOUT,
    OPTION_STREAM,
    OPTION_SPLIT,
    OPTION_UNION,
    OPTION_FIELDS,
    OPTION_TO_ROBOT,
    OPTION_FROM,
    OPTION_TO,
    OPTION_EVERY,
    OPTION_ENUMS,
    OPTION_CSV_SAFE,
    OPTION_STRICT
};

static const char fields_help[] = "fields in the order wanted: actual_q, one element as actual_q_0, globs in quotes; "
                                  "also columns that are no fields:"
#define ROW_COLUMN(name, is_number, meaning) " " #name
#include "row_columns.def"
#undef ROW_COLUMN
    ;

static const struct option_row rows[] = {
    {OPTION_OUT, 'o', "output", "OUT",
     "file to write, - for standard output; its ending tells the format, and .gz behind it that it is compressed"},
    {OPTION_FORMAT, 'f', "format", "FORMAT", "csv, gnuplot or ndjson"},
    {OPTION_DIALECT, 0, "dialect", "NAME", "record.py: csv as UR's record.py writes it"},
    {OPTION_LAYOUT, 0, "layout", "LAYOUT", "gnuplot: columns of cb2 or cb3e, whatever the stream"},
    {OPTION_STREAM, 0, "stream", "N", "only this stream; armtap info numbers them"},
    {OPTION_SPLIT, 0, "split", NULL, "a file per table: OUT.0.csv, and OUT.0-1.csv where a recipe was replaced"},
    {OPTION_UNION, 0, "union", NULL,
     "one table of all streams, csv or ndjson: robot, stream and protocol first, then the fields of all"},
    {OPTION_FIELDS, 0, "fields", "A,B,C", fields_help},
    {OPTION_TO_ROBOT, 0, "to-robot", NULL, "what the client sent to the robot"},
    {OPTION_FROM, 0, "from", "T", "records captured at T or later"},
    {OPTION_TO, 0, "to", "T",
     "records captured at T or before; 2026-01-31T12:00:00.5Z, seconds since the epoch, +10.5, +1m or +2h from the "
     "first packet, or 08:53:30, the first such time in the capture"},
    {OPTION_EVERY, 0, "every", "N", "the first record of a table, and every Nth after it"},
    {OPTION_ENUMS, 0, "enums", "HOW",
     "modes as number (the default), by name, or both: robot_mode and robot_mode_name"},
    {OPTION_CSV_SAFE, 0, "csv-safe", NULL,
     "for spreadsheets: an apostrophe before each text that begins as a formula does, with = + - @, a tab or a line "
     "end"},
    {OPTION_STRICT, 0, "strict", NULL, "exit with 1 if there is a note of warning or error; armtap info counts them"},
};

static const struct option_usage usage = {
    .command = "export",
    .arguments = "[CAPTURE...]",
    .summary = "Writes a capture's records as CSV, gnuplot columns or JSON lines.",
    .rows = rows,
    .row_count = sizeof rows / sizeof *rows,
    .reads_captures = true,
    .may_follow = true,
    .examples = "  armtap export robot.pcapng -o robot.csv\n"
                "  armtap export --fields timestamp,actual_q,'*_mode' robot.pcapng -o robot.csv\n"
                "  armtap export --to-robot -f ndjson robot.pcapng\n",
};

static const struct output *const outputs[] = {
#define OUTPUT(id) &output_##id,
#include "formats.def"
#undef OUTPUT
};
#define OUTPUT_COUNT (sizeof outputs / sizeof *outputs)

/* What the options said, before it is known to go together. */
struct asked {
    struct export_wish wish;
    const char *format;
    const char *dialect;
};

/* ---- options --------------------------------------------------------------------------------------------------- */

static int take_time(const char *option, const char *value, struct timestamp *when)
{
    if (timestamp_parse(value, when) == 0)
        return 0;
    message_error("%s '%s': not a time; %s", option, value, when_forms);
    return -1;
}

static int take_layout(const char *value, enum armtap_generation *layout)
{
    if (strcmp(value, "cb2") == 0)
        *layout = ARMTAP_GENERATION_CB2;
    else if (strcmp(value, "cb3e") == 0)
        *layout = ARMTAP_GENERATION_CB3E;
    else
        message_error("--layout '%s': give cb2 or cb3e", value);
    return *layout == ARMTAP_GENERATION_UNKNOWN ? -1 : 0;
}

static int take_enums(const char *value, struct export_wish *wish)
{
    static const char *const names[] = {
        [MODES_BY_NUMBER] = "number", [MODES_BY_NAME] = "name", [MODES_BY_BOTH] = "both"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(value, names[i]) != 0)
            continue;
        wish->enums = (enum mode_names)i;
        return 0;
    }
    message_error("--enums '%s': give number, name or both", value);
    return -1;
}

static int take_stream(const char *value, struct export_wish *wish)
{
    uint64_t number;
    wish->has_stream = true;
    if (options_number("--stream", value, 0, UINT32_MAX, &number) != 0)
        return -1;
    wish->stream = (unsigned)number;
    return 0;
}

static int take(void *user, int id, const char *value)
{
    struct asked *asked = user;
    struct export_wish *wish = &asked->wish;
    switch ((enum option_id)id) {
    case OPTION_OUT:
        wish->out = value;
        return 0;
    case OPTION_FORMAT:
        asked->format = value;
        return 0;
    case OPTION_DIALECT:
        asked->dialect = value;
        return 0;
    case OPTION_LAYOUT:
        return take_layout(value, &wish->layout);
    case OPTION_STREAM:
        return take_stream(value, wish);
    case OPTION_SPLIT:
        wish->split = true;
        return 0;
    case OPTION_UNION:
        wish->joined = true;
        return 0;
    case OPTION_FIELDS:
        wish->fields = value;
        return 0;
    case OPTION_TO_ROBOT:
        wish->direction = ARMTAP_TO_ROBOT;
        return 0;
    case OPTION_FROM:
        return take_time("--from", value, &wish->from);
    case OPTION_TO:
        return take_time("--to", value, &wish->to);
    case OPTION_EVERY:
        return options_number("--every", value, 1, UINT64_MAX, &wish->every);
    case OPTION_ENUMS:
        return take_enums(value, wish);
    case OPTION_CSV_SAFE:
        wish->is_guarded = true;
        return 0;
    case OPTION_STRICT:
        wish->strict = true;
        return 0;
    }
    return -1;
}

/* ---- the format ------------------------------------------------------------------------------------------------ */

static const struct output *output_of_ending(const char *ending)
{
    size_t length = strlen(ending) - (output_files_is_gzip(ending) ? strlen(".gz") : 0);
    for (size_t i = 0; i < OUTPUT_COUNT; i++)
        for (size_t k = 0; k < sizeof outputs[i]->endings / sizeof *outputs[i]->endings; k++)
            if (outputs[i]->endings[k] && strlen(outputs[i]->endings[k]) == length &&
                strncasecmp(outputs[i]->endings[k], ending, length) == 0)
                return outputs[i];
    return NULL;
}

static const struct output *output_of_name(const char *name, const char *dialect)
{
    for (size_t i = 0; i < OUTPUT_COUNT; i++)
        if (strcmp(outputs[i]->name, name) == 0 &&
            (!dialect || (outputs[i]->dialect && strcmp(outputs[i]->dialect, dialect) == 0)))
            return outputs[i];
    return NULL;
}

/* By -f, else by OUT's ending; CSV for what has none, as standard output and devices. */
static const struct output *choose_format(const struct asked *asked)
{
    const struct output *output;
    const char *ending = output_files_ending(asked->wish.out);
    if (asked->format) {
        output = output_of_name(asked->format, NULL);
        if (!output)
            message_error("-f '%s': give csv, gnuplot or ndjson", asked->format);
        return output;
    }
    output = output_of_ending(ending);
    if (!output && (asked->dialect || *ending == '\0'))
        return outputs[0];
    if (!output)
        message_error("%s: the ending %s names no format; give -f csv, gnuplot or ndjson", asked->wish.out, ending);
    return output;
}

static const struct output *choose_output(const struct asked *asked)
{
    const struct output *output = choose_format(asked);
    if (!output || !asked->dialect)
        return output;
    const struct output *dialect = output_of_name(output->name, asked->dialect);
    if (!dialect && output_of_name("csv", asked->dialect))
        message_error("--dialect %s goes with csv only, not with %s; leave one of them out", asked->dialect,
                      output->name);
    else if (!dialect)
        message_error("--dialect '%s': there is only record.py, of csv", asked->dialect);
    return dialect;
}

static const char *format_of(const struct output *output)
{
    return output->dialect ? output->dialect : output->name;
}

/* ---- what goes together ---------------------------------------------------------------------------------------- */

static int judge(struct asked *asked, const struct options *options)
{
    struct export_wish *wish = &asked->wish;
    if (!wish->out)
        wish->out = "-";
    wish->gzipped = output_files_is_gzip(wish->out);
    wish->output = choose_output(asked);
    wish->is_shown = sink_file_is_terminal(wish->out);
    if (!wish->output)
        return -1;
    if (wish->split && strcmp(wish->out, "-") == 0)
        message_error("--split: needs -o OUT to name the files after");
    else if (*wish->out == '\0')
        message_error("-o: the name is empty");
    else if (wish->layout != ARMTAP_GENERATION_UNKNOWN && strcmp(wish->output->name, "gnuplot") != 0)
        message_error("--layout is of -f gnuplot; %s has all fields under their names", wish->output->name);
    else if (wish->joined && (wish->split || wish->has_stream))
        message_error("--union puts all streams into one table, %s; leave one of them out",
                      wish->split ? "--split each into its own" : "--stream takes one of them");
    else if (wish->joined && !wish->output->has_names)
        message_error("--union: %s has no place for the streams' names; give -f csv or ndjson",
                      format_of(wish->output));
    else if (wish->joined && !replay_is_repeatable(&options->source))
        message_error("--union: the fields of all streams must be known before the first row, and standard input, "
                      "interfaces and what is followed are read once; save what is read to a file and export that");
    else if (wish->enums != MODES_BY_NUMBER && !wish->output->has_names)
        message_error("--enums: %s has numbers only; give -f csv or ndjson", format_of(wish->output));
    else if (wish->is_guarded && !wish->output->can_guard)
        message_error("--csv-safe is of -f csv; %s is not for spreadsheets, leave it out", format_of(wish->output));
    else if (wish->from.given && wish->to.given && wish->from.relative == wish->to.relative && !wish->from.of_day &&
             !wish->to.of_day && wish->to.ns < wish->from.ns)
        message_error("--to is before --from, so there is nothing between; swap them");
    else if (wish->fields && wish->fields[strspn(wish->fields, " ,\t")] == '\0')
        message_error("--fields: no name is given");
    else
        return 0;
    return -1;
}

int cmd_export(int argc, char **argv)
{
    struct asked asked = {.wish = {.every = 1}};
    struct options options;
    enum options_outcome outcome = options_parse(&usage, argc, argv, &options, take, &asked);
    if (outcome != OPTIONS_RUN)
        return options_status(outcome);
    asked.wish.threads = options.threads;
    asked.wish.zone = options.zone;
    enum exit_status status = judge(&asked, &options) == 0 ? export_run(&asked.wish, &options.source) : EXIT_FAILED;
    options_free(&options);
    return (int)status;
}
