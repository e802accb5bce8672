#include "command_line/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "base/message.h"
#include "command_line/options.h"
#include "output_files.h"

enum option_id {
    OPTION_OUT = 1,
    OPTION_FORMAT,
    OPTION_DIALECT,
    OPTION_COMPRESSION,
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
    OPTION_AFTER,
    OPTION_FINDINGS_OK,
    OPTION_MANIFEST,
    OPTION_STRICT
};

/* Columns that are not fields, separated by blanks. */
static const char columns[] = ""
#define ROW_COLUMN(name, type, meaning) " " #name
#include "row_columns.def"
#undef ROW_COLUMN
    ;

static const char fields_help[] = "fields in the order wanted: actual_q, one element as actual_q_0, globs in quotes; "
                                  "also columns that are not fields:"
#define ROW_COLUMN(name, type, meaning) " " #name
#include "row_columns.def"
#undef ROW_COLUMN
    ;

/* Rows without help are about formats: see help_of. */
static const struct option_row rows[] = {
    {OPTION_OUT, 'o', "output", "OUT",
     "file to write, - for standard output; its extension selects the format; a final .gz compresses it; DIR/: a "
     "folder (-f parquet), or a bag (-f mcap)"},
    {OPTION_FORMAT, 'f', "format", "FORMAT", NULL},
    {OPTION_DIALECT, 0, "dialect", "NAME", NULL},
    {OPTION_COMPRESSION, 0, "compression", "HOW", NULL},
    {OPTION_LAYOUT, 0, "layout", "LAYOUT", NULL},
    {OPTION_STREAM, 0, "stream", "N", "only this stream; armtap info numbers them"},
    {OPTION_SPLIT, 0, "split", NULL, "a file per table: OUT.0.csv, and OUT.0-1.csv where a recipe was replaced"},
    {OPTION_UNION, 0, "union", NULL, NULL},
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
    {OPTION_AFTER, 0, "after", "SIDECAR",
     "the capture goes on where another one ended: its sidecar, or the folder of all sidecars, from armtap index; the "
     "rows are those that exporting all captures at once gives of this one"},
    {OPTION_FINDINGS_OK, 0, "findings-ok", NULL, "exit with 0 where --strict would exit with 1"},
    {OPTION_MANIFEST, 0, "manifest", "FILE",
     "append a line of JSON to this file: inputs, outputs, rows, bytes lost, notes, status, version"},
    {OPTION_STRICT, 0, "strict", NULL,
     "exit with 1 if there is a note of warning or error; armtap info counts them; of a robot: also stop if it lacks a "
     "field that was asked for"},
};
#define ROW_COUNT (sizeof rows / sizeof *rows)

/* The help about formats. */
struct format_help {
    char summary[FORMATS_LIST_MAX + 40];
    char names[FORMATS_LIST_MAX];
    char dialects[FORMATS_LIST_MAX];
    char compressions[2 * (FORMATS_LIST_MAX + COMPRESSION_LIST_MAX + 40)];
    char layouts[FORMATS_LIST_MAX + 60];
    char joined[FORMATS_LIST_MAX + 120];
};

static void make_help(struct format_help *help)
{
    char list[FORMATS_LIST_MAX];
    snprintf(help->summary, sizeof help->summary, "Writes a capture's records as %s.", format_briefs(list));
    format_names(help->names, 0, 0);
    format_dialect_briefs(help->dialects);
    char compressions[COMPRESSION_LIST_MAX], deflates[FORMATS_LIST_MAX], deflate[COMPRESSION_LIST_MAX];
    snprintf(help->compressions, sizeof help->compressions,
             "%s: %s (the default, if it is built in); %s: %s (the default, but for --dialect v5)",
             format_names(list, FORMAT_PACKS, FORMAT_DEFLATES), compression_names(compressions, COMPRESSION_MODERN),
             format_names(deflates, FORMAT_DEFLATES, 0), compression_names(deflate, COMPRESSION_DEFLATE));
    snprintf(help->layouts, sizeof help->layouts, "%s: columns of cb2 or cb3e, whatever the stream",
             format_names(list, FORMAT_HAS_LAYOUTS, 0));
    snprintf(help->joined, sizeof help->joined,
             "one table of all streams, %s: robot, stream and protocol first, then the fields of all",
             format_names(list, FORMAT_HAS_NAMES, 0));
}

static const char *help_of(const struct format_help *help, const struct option_row *row)
{
    switch (row->id) {
    case OPTION_FORMAT:
        return help->names;
    case OPTION_DIALECT:
        return help->dialects;
    case OPTION_COMPRESSION:
        return help->compressions;
    case OPTION_LAYOUT:
        return help->layouts;
    case OPTION_UNION:
        return help->joined;
    default:
        return row->help;
    }
}

/* The options as given, before they are checked against each other. */
struct asked {
    struct export_wish wish;
    const char *format;
    const char *dialect;
    bool has_compression;
    bool findings_ok;
    char *bag_file; /* the output, if it is in a bag; owned */
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

static int take_compression(const char *value, struct asked *asked)
{
    char list[COMPRESSION_LIST_MAX];
    asked->has_compression = true;
    asked->wish.compression = compression_find(value);
    if (asked->wish.compression != COMPRESSION_END)
        return compression_check(asked->wish.compression);
    message_error("--compression '%s': give %s", value, compression_names(list, COMPRESSION_ANY));
    return -1;
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
    case OPTION_COMPRESSION:
        return take_compression(value, asked);
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
    case OPTION_AFTER:
        wish->after = value;
        return 0;
    case OPTION_MANIFEST:
        wish->manifest = value;
        return 0;
    case OPTION_FINDINGS_OK:
        asked->findings_ok = true;
        return 0;
    case OPTION_STRICT:
        wish->strict = true;
        return 0;
    }
    return -1;
}

/* ---- the format ------------------------------------------------------------------------------------------------ */

/* By -f, else by OUT's ending; the first format if OUT has none, as standard output and devices. */
static const struct format *choose_format(const struct asked *asked)
{
    char list[FORMATS_LIST_MAX];
    const struct format *format;
    const char *ending = output_files_ending(asked->wish.out);
    if (asked->format) {
        format = format_find(asked->format, NULL);
        if (!format)
            message_error("-f '%s': give %s", asked->format, format_names(list, 0, 0));
        return format;
    }
    format = format_of_ending(ending, strlen(ending) - (output_files_is_gzip(ending) ? strlen(".gz") : 0));
    if (!format && asked->dialect)
        format = format_find(NULL, asked->dialect);
    if (!format && (asked->dialect || *ending == '\0'))
        return format_at(0);
    if (!format)
        message_error("%s: the ending %s names no format; give -f %s", asked->wish.out, ending,
                      format_names(list, 0, 0));
    return format;
}

static const struct format *choose_dialect(const struct asked *asked)
{
    char list[FORMATS_LIST_MAX];
    const struct format *format = choose_format(asked);
    if (!format || !asked->dialect)
        return format;
    const struct format *dialect = format_find(format->name, asked->dialect);
    const struct format *other = format_find(NULL, asked->dialect);
    if (!dialect && other)
        message_error("--dialect %s goes with %s only, not with %s; leave one of them out", asked->dialect, other->name,
                      format->name);
    else if (!dialect)
        message_error("--dialect '%s': there are %s", asked->dialect, format_dialects(list));
    return dialect;
}

static const char *format_of(const struct format *format)
{
    return *format->dialect != '\0' ? format->dialect : format->name;
}

/* ---- what goes together ---------------------------------------------------------------------------------------- */

/* Whether the output can take the format. */
static int check_output(const struct export_wish *wish)
{
    const char *name = wish->format->name;
    if (format_has(wish->format, FORMAT_SEEKS) && strcmp(wish->out, "-") == 0)
        message_error("-f %s: it must seek in its output; name a file with -o", name);
    else if (format_has(wish->format, FORMAT_SEEKS) && wish->gzipped)
        message_error("-f %s: it must seek in its output, which compression prevents; leave .gz out, and compress the "
                      "file afterwards",
                      name);
    else if (format_has(wish->format, FORMAT_PACKS) && wish->gzipped)
        message_error("-f %s: it is compressed already (--compression), and its readers cannot read .gz; leave .gz out",
                      name);
    else if (format_has(wish->format, FORMAT_BINARY) && wish->is_shown)
        message_error("-f %s: binary output is not written to a terminal; name a file with -o, or send it through a "
                      "pipe",
                      name);
    else
        return 0;
    return -1;
}

static enum compression_family family_of(const struct format *format)
{
    return format_has(format, FORMAT_DEFLATES) ? COMPRESSION_DEFLATE : COMPRESSION_MODERN;
}

/* Whether the format is built in. */
static int check_built_in(const struct format *format)
{
    char what[80];
    if (format->writer->lacks == LIBRARY_NONE)
        return format->writer->load ? format->writer->load() : 0;
    snprintf(what, sizeof what, "-f %s%s%s", format->name, *format->dialect != '\0' ? " --dialect " : "",
             format->dialect);
    library_report_missing(format->writer->lacks, what);
    return -1;
}

/* Whether the options go with the format. */
static int check_format(const struct asked *asked, const struct options *options)
{
    char list[FORMATS_LIST_MAX];
    const struct export_wish *wish = &asked->wish;
    const char *name = format_of(wish->format);
    if (wish->layout != ARMTAP_GENERATION_UNKNOWN && !format_has(wish->format, FORMAT_HAS_LAYOUTS))
        message_error("--layout works only with -f %s; %s names all fields", format_names(list, FORMAT_HAS_LAYOUTS, 0),
                      wish->format->name);
    else if (wish->joined && (wish->split || wish->has_stream))
        message_error("--union puts all streams into one table, %s; leave one of them out",
                      wish->split ? "--split each into its own" : "--stream takes one of them");
    else if (wish->joined && !format_has(wish->format, FORMAT_HAS_NAMES))
        message_error("--union: %s has no place for the streams' names; give -f %s", name,
                      format_names(list, FORMAT_HAS_NAMES, 0));
    else if (wish->joined && !replay_is_repeatable(&options->source))
        message_error("--union: the fields of all streams must be known before the first row, and standard input, "
                      "interfaces and what is followed are read once; save what is read to a file and export that");
    else if (wish->enums != MODES_BY_NUMBER && !format_has(wish->format, FORMAT_HAS_NAMES))
        message_error("--enums: %s has numbers only; give -f %s", name, format_names(list, FORMAT_HAS_NAMES, 0));
    else if (asked->has_compression && !format_has(wish->format, FORMAT_PACKS))
        message_error("--compression works only with -f %s; for a compressed %s give OUT a name that ends in .gz",
                      format_names(list, FORMAT_PACKS, 0), name);
    else if (asked->has_compression && !compression_is_of(wish->compression, family_of(wish->format)))
        message_error("--compression %s does not work with -f %s; give %s", compression_name(wish->compression),
                      wish->format->name, compression_names(list, family_of(wish->format)));
    else if (wish->is_guarded && !format_has(wish->format, FORMAT_CAN_GUARD))
        message_error("--csv-safe works only with -f %s; %s is not for spreadsheets, leave it out",
                      format_names(list, FORMAT_CAN_GUARD, 0), name);
    else
        return 0;
    return -1;
}

/* Whether the format can make a folder, if one is asked for. */
static int check_folder(const struct export_wish *wish)
{
    char list[FORMATS_LIST_MAX], bags[FORMATS_LIST_MAX];
    if (!wish->is_folder)
        return 0;
    if (!format_has(wish->format, FORMAT_PARTITIONS))
        message_error("-o %s: a folder, which %s does not make; name a file in it, or give -f %s or %s", wish->out,
                      format_of(wish->format), format_names(list, FORMAT_PARTITIONS, 0),
                      format_names(bags, FORMAT_BAG, 0));
    else if (wish->split)
        message_error("--split: -o %s is a folder, which has a file for each table anyway; leave --split out",
                      wish->out);
    else if (wish->joined)
        message_error("--union: -o %s is a folder, whose files readers take for one table; leave --union out",
                      wish->out);
    else
        return 0;
    return -1;
}

/* A bag has one file with a name of its own. 0, or -1 after a message. */
static int aim_at_bag(struct asked *asked)
{
    char ending[FORMATS_ENDING_MAX];
    struct export_wish *wish = &asked->wish;
    if (wish->split) {
        message_error("--split: -o %s is a bag, which has one file; leave --split out", wish->out);
        return -1;
    }
    asked->bag_file = bag_file_name(wish->out, format_ending(wish->format, ending));
    if (!asked->bag_file) {
        message_no_memory();
        return -1;
    }
    wish->bag = wish->out;
    wish->out = asked->bag_file;
    wish->is_folder = false;
    return 0;
}

/* Whether there is one capture that others can precede. */
static int check_after(const struct export_wish *wish, const struct options *options)
{
    if (wish->after && (options->source.count != 1 || replay_is_endless(&options->source) || options->source.follow))
        message_error("--after: name one capture, which goes on where the sidecar's ended");
    else if (wish->after && wish->every > 1)
        message_error("--every: which rows they are depends on the rows of the captures before; leave out --after or "
                      "--every");
    else
        return 0;
    return -1;
}

static int check_asked(struct asked *asked, const struct options *options)
{
    struct export_wish *wish = &asked->wish;
    if (!wish->out)
        wish->out = "-";
    wish->gzipped = output_files_is_gzip(wish->out);
    wish->format = choose_dialect(asked);
    wish->is_shown = sink_file_is_terminal(wish->out);
    if (!wish->format)
        return -1;
    size_t length = strlen(wish->out);
    wish->is_folder = length > 0 && wish->out[length - 1] == '/';
    if (!asked->has_compression)
        wish->compression =
            format_has(wish->format, FORMAT_LOOSE) ? COMPRESSION_NONE : compression_best(family_of(wish->format));
    if (wish->is_folder && format_has(wish->format, FORMAT_BAG) && aim_at_bag(asked) != 0)
        return -1;
    if (check_folder(wish) != 0)
        return -1;
    wish->split = wish->split || wish->is_folder;
    if (wish->split && strcmp(wish->out, "-") == 0)
        message_error("--split: needs -o OUT to name the files after");
    else if (*wish->out == '\0')
        message_error("-o: the name is empty");
    else if (wish->manifest && strcmp(wish->manifest, "-") == 0)
        message_error("--manifest -: needs the name of a file; for standard output give /dev/stdout");
    else if (check_built_in(wish->format) != 0 || check_output(wish) != 0 || check_format(asked, options) != 0 ||
             check_after(wish, options) != 0)
        return -1;
    else if (wish->from.given && wish->to.given && wish->from.relative == wish->to.relative && !wish->from.of_day &&
             !wish->to.of_day && wish->to.ns < wish->from.ns)
        message_error("--to is before --from; swap them");
    else if (wish->fields && wish->fields[strspn(wish->fields, " ,\t")] == '\0')
        message_error("--fields: no name is given");
    else
        return 0;
    return -1;
}

static enum options_outcome parse(int argc, char **argv, struct options *options, struct asked *asked)
{
    struct format_help help = {.summary = ""};
    struct option_row helped[ROW_COUNT];
    make_help(&help);
    for (size_t i = 0; i < ROW_COUNT; i++) {
        helped[i] = rows[i];
        helped[i].help = help_of(&help, &rows[i]);
    }
    const struct option_usage usage = {
        .command = "export",
        .arguments = "[CAPTURE... | ROBOT...]",
        .summary = help.summary,
        .rows = helped,
        .row_count = ROW_COUNT,
        .reads_captures = true,
        .may_follow = true,
        .reads_robots = true,
        .columns = columns,
        .examples = "  armtap export robot.pcapng -o robot.csv\n"
                    "  armtap export --fields timestamp,actual_q,'*_mode' robot.pcapng -o robot.csv\n"
                    "  armtap export --to-robot -f ndjson robot.pcapng\n"
                    "  armtap export --after sidecars monday-2.pcapng -o monday-2.csv\n"
                    "  armtap export --fields timestamp,actual_q --to +60 rtde://10.0.0.2 -o robot.csv\n",
    };
    return options_parse(&usage, argc, argv, options, take, asked);
}

int cmd_export(int argc, char **argv)
{
    struct asked asked = {.wish = {.every = 1}};
    struct options options;
    enum options_outcome outcome = parse(argc, argv, &options, &asked);
    if (outcome != OPTIONS_RUN)
        return options_status(outcome);
    asked.wish.threads = options.threads;
    asked.wish.zone = options.zone;
    enum exit_status status =
        check_asked(&asked, &options) == 0 ? export_run(&asked.wish, &options.source) : EXIT_FAILED;
    options_free(&options);
    free(asked.bag_file);
    return status == EXIT_FOUND && asked.findings_ok ? EXIT_DONE : (int)status;
}
