#include "command_line/commands.h"

#include <stdio.h>
#include <stdlib.h>

#include "export.h"
#include "base/process/message.h"
#include "command_line/options.h"

/* Columns that are not fields, separated by blanks. */
static const char columns[] = ""
#define ROW_COLUMN(name, type, meaning) " " #name
#include "export/rows/row_columns.def"
    ;

/* ---- the help about formats -------------------------------------------------------------------------------------- */

static void list_columns(char text[OPTION_TEXT_MAX])
{
    snprintf(text, OPTION_TEXT_MAX, "%s", columns);
}

static void list_formats(char text[OPTION_TEXT_MAX])
{
    format_names(text, 0, 0);
}

static void list_layout_formats(char text[OPTION_TEXT_MAX])
{
    format_names(text, FORMAT_HAS_LAYOUTS, 0);
}

static void list_named_formats(char text[OPTION_TEXT_MAX])
{
    format_names(text, FORMAT_HAS_NAMES, 0);
}

static void describe_dialects(char text[OPTION_TEXT_MAX])
{
    format_dialect_briefs(text);
}

static void list_dialects(char text[OPTION_TEXT_MAX])
{
    format_dialect_names(text);
}

static void describe_compressions(char text[OPTION_TEXT_MAX])
{
    char list[FORMATS_LIST_MAX], compressions[COMPRESSION_LIST_MAX];
    char deflates[FORMATS_LIST_MAX], deflate[COMPRESSION_LIST_MAX];
    snprintf(text, OPTION_TEXT_MAX,
             "%s: %s (the default, if it is built in); %s: %s (the default, except with --dialect v5)",
             format_names(list, FORMAT_PACKS, FORMAT_DEFLATES), compression_names(compressions, COMPRESSION_MODERN),
             format_names(deflates, FORMAT_DEFLATES, 0), compression_names(deflate, COMPRESSION_DEFLATE));
}

static void list_compressions(char text[OPTION_TEXT_MAX])
{
    char list[COMPRESSION_LIST_MAX];
    snprintf(text, OPTION_TEXT_MAX, "%s", compression_names(list, COMPRESSION_ANY));
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static int read_compression(const struct option_row *row, const char *value, void *place)
{
    struct asked *asked = place;
    char list[COMPRESSION_LIST_MAX];
    asked->wish.compression = compression_find(value);
    if (asked->wish.compression != COMPRESSION_END)
        return compression_check(asked->wish.compression);
    message_error("--%s '%s': give %s", row->name, value, compression_names(list, COMPRESSION_ANY));
    return -1;
}

#define OPTIONS_STRUCT struct asked
/* 10ms, 0.5s or 1m; a number alone is none. 0, or -1 without a message. */
static int read_interval(const char *value, int64_t *ns)
{
    struct timestamp span;
    char text[64];
    snprintf(text, sizeof text, "+%s", value);
    if (strlen(value) + 1 >= sizeof text || timestamp_parse(text, &span) != 0 || span.ns == 0 ||
        strspn(value, "0123456789.") == strlen(value))
        return -1;
    *ns = span.ns;
    return 0;
}

static int read_grid(const struct option_row *row, const char *value, void *place)
{
    return read_interval(value, place) == 0
               ? 0
               : option_refuse(row, value, "a time such as 10ms, 0.5s or 1m, of 1us at least");
}

/* A number of records, or a time. */
static int read_every(const struct option_row *row, const char *value, void *place)
{
    struct row_interval *every = place;
    bool is_number = value[strspn(value, "0123456789")] == '\0';
    *every = (struct row_interval){0};
    if (is_number && options_number("--every", value, 1, UINT64_MAX, &every->records) == 0)
        return 0;
    if (is_number)
        return -1;
    if (read_interval(value, &every->ns) != 0)
        return option_refuse(row, value, "a number of records, or a time such as 10ms, 0.5s or 1m, of 1us at least");
    return 0;
}

static const struct option_row rows[] = {
#define OPTIONS_EXPORT
#include "command_line/options.def"
};

static enum exit_status run_export(struct asked *asked)
{
    struct export_wish *wish = &asked->wish;
    const struct replay_source *source = &asked->options.source;
    if (asked_check(asked) != 0 || replay_count_back(source, &wish->from, &wish->to) != 0)
        return EXIT_FAILED;
    return wish->commands ? export_commands_run(wish, source) : export_run(wish, source);
}

int cmd_export(int argc, char **argv)
{
    char list[FORMATS_LIST_MAX], summary[FORMATS_LIST_MAX + 40];
    snprintf(summary, sizeof summary, "Writes a capture's records as %s.", format_briefs(list));
    const struct option_usage usage = {
        .command = "export",
        .arguments = "[CAPTURE... | ROBOT...]",
        .summary = summary,
        .rows = rows,
        .groups = GROUPS_export,
        .columns = columns,
        .prepare = asked_choose,
        .examples = "  armtap export robot.pcapng -o robot.csv\n"
                    "  armtap export --fields \"timestamp,actual_q,*_mode\" robot.pcapng -o robot.csv\n"
                    "  armtap export --to-robot -f ndjson robot.pcapng\n"
                    "  armtap export --after sidecars monday-2.pcapng -o monday-2.csv\n"
                    "  armtap export --fields \"timestamp,actual_q\" --to +60 rtde://10.0.0.2 -o robot.csv\n",
    };
    struct asked asked = {.wish = {.every = {.records = 1}}};
    enum options_outcome outcome = options_parse(&usage, argc, argv, &asked.options, &asked); /* it refers to `usage` */
    if (outcome != OPTIONS_RUN)
        return options_status(outcome);
    enum exit_status status = run_export(&asked);
    options_free(&asked.options);
    free(asked.bag_file);
    return status == EXIT_FOUND && asked.wish.findings_ok ? EXIT_DONE : (int)status;
}
