#include "command_line/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "base/message.h"
#include "command_line/options.h"

enum option_id {
    OPTION_OUT = 1,
    OPTION_FORMAT,
    OPTION_DIALECT,
    OPTION_COMPRESSION,
    OPTION_LAYOUT,
    OPTION_STREAM,
    OPTION_SPLIT,
    OPTION_UNION,
    OPTION_COMMANDS,
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
    {OPTION_COMMANDS, 0, "commands", NULL,
     "a row for each command that ur_rtde's client gave the robot; csv or ndjson"},
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

/* ---- options --------------------------------------------------------------------------------------------------- */

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

/* Where the text of an option goes; NULL if it is not kept as it is. */
static const char **text_of(struct asked *asked, enum option_id id)
{
    switch (id) {
    case OPTION_OUT:
        return &asked->wish.out;
    case OPTION_FORMAT:
        return &asked->format;
    case OPTION_DIALECT:
        return &asked->dialect;
    case OPTION_FIELDS:
        return &asked->wish.fields;
    case OPTION_AFTER:
        return &asked->wish.after;
    case OPTION_MANIFEST:
        return &asked->wish.manifest;
    default:
        return NULL;
    }
}

/* What an option without a value switches on; NULL: nothing. */
static bool *switch_of(struct export_wish *wish, enum option_id id)
{
    switch (id) {
    case OPTION_SPLIT:
        return &wish->split;
    case OPTION_UNION:
        return &wish->joined;
    case OPTION_COMMANDS:
        return &wish->commands;
    case OPTION_CSV_SAFE:
        return &wish->is_guarded;
    case OPTION_FINDINGS_OK:
        return &wish->findings_ok;
    case OPTION_STRICT:
        return &wish->strict;
    default:
        return NULL;
    }
}

static int take_value(struct asked *asked, enum option_id id, const char *value)
{
    struct export_wish *wish = &asked->wish;
    switch (id) {
    case OPTION_COMPRESSION:
        return take_compression(value, asked);
    case OPTION_LAYOUT:
        return take_layout(value, &wish->layout);
    case OPTION_STREAM:
        return take_stream(value, wish);
    case OPTION_TO_ROBOT:
        wish->direction = ARMTAP_TO_ROBOT;
        return 0;
    case OPTION_FROM:
        return options_time("--from", value, &wish->from);
    case OPTION_TO:
        return options_time("--to", value, &wish->to);
    case OPTION_EVERY:
        return options_number("--every", value, 1, UINT64_MAX, &wish->every);
    case OPTION_ENUMS:
        return take_enums(value, wish);
    default:
        return -1;
    }
}

static int take(void *user, int id, const char *value)
{
    struct asked *asked = user;
    const char **text = text_of(asked, (enum option_id)id);
    bool *is_on = switch_of(&asked->wish, (enum option_id)id);
    if (!text && !is_on)
        return take_value(asked, (enum option_id)id, value);
    if (text)
        *text = value;
    else
        *is_on = true;
    return 0;
}

static enum options_outcome parse(int argc, char **argv, struct options *options, struct asked *asked)
{
    struct format_help help = {.summary = ""};
    struct option_row helped[ROW_COUNT];
    char dialects[FORMATS_LIST_MAX], compressions[COMPRESSION_LIST_MAX + 8];
    make_help(&help);
    compression_names(compressions, COMPRESSION_MODERN);
    strcat(compressions, ", gzip");
    const struct option_words words[] = {
        {OPTION_FORMAT, help.names},
        {OPTION_DIALECT, format_dialect_names(dialects)},
        {OPTION_COMPRESSION, compressions},
        {OPTION_LAYOUT, "cb2 or cb3e"},
        {OPTION_ENUMS, "number, name or both"},
    };
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
        .words = words,
        .words_count = sizeof words / sizeof *words,
        .prepare = asked_choose,
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
    enum exit_status status = EXIT_FAILED;
    if (asked_check(&asked, &options) == 0)
        status = asked.wish.commands ? export_commands_run(&asked.wish, &options.source)
                                     : export_run(&asked.wish, &options.source);
    options_free(&options);
    free(asked.bag_file);
    return status == EXIT_FOUND && asked.wish.findings_ok ? EXIT_DONE : (int)status;
}
