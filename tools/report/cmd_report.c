/* armtap report: one page to hand over. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/os/path.h"
#include "base/process/message.h"
#include "command_line/commands.h"
#include "command_line/shared_text.h"
#include "command_line/options.h"
#include "export/files/atomic_file.h"
#include "input/files/file_reader.h"
#include "sections.h"
#include "plot/kinds.h"

struct command {
    struct options options;
    const char *out;
    bool findings_ok;
};

#define OPTIONS_STRUCT struct command
static const struct option_row rows[] = {
#define OPTIONS_REPORT
#include "command_line/options.def"
};

static const struct option_usage usage = {
    .command = "report",
    .arguments = "-o REPORT.html CAPTURE...",
    .summary =
        "Writes the diagnosis as one self-contained HTML page: the verdict, plots that zoom, findings with their "
        "packets and remedies, rates, modes, and the files with their SHA-256. The page needs no network and is "
        "printable. Exit status 1 after a warning or an error.",
    .rows = rows,
    .groups = GROUPS_report,
    .examples = "  armtap report -o cell-3.html robot.pcapng\n"};

/* Standard output, devices and names without an ending take a page, too. */
static bool is_page(const char *name)
{
    const char *base = path_base(name), *dot = strrchr(base, '.');
    return !dot || dot == base || strcasecmp(dot, ".html") == 0 || strcasecmp(dot, ".htm") == 0;
}

static int check_command(const struct command *command)
{
    if (!command->out)
        message_error("report: name the page, such as -o report.html");
    else if (!is_page(command->out))
        message_error("report: -o %s: a report is a page for browsers, which print it as PDF, too: use a name that "
                      "ends in .html",
                      command->out);
    else if (!replay_is_repeatable(&command->options.source))
        message_error("report: the capture is read several times: name files");
    else
        return 0;
    return -1;
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

/* The name without its folders. */
static const char *base_name(const char *path)
{
    const char *base = path_base(path);
    return *base != '\0' ? base : path;
}

static void put_heading(struct buffer *page, const struct report *report, const char *title)
{
    const struct armtap_streams *streams = report->diagnosis.streams;
    html_put(page, "<h1>");
    html_text(page, title);
    html_format(page, "</h1>\n<p class=\"faint\">%zu stream%s in %" PRIu64 " packets", armtap_streams_count(streams),
                armtap_streams_count(streams) == 1 ? "" : "s", report->diagnosis.totals.packets);
    report_put_range(page, report);
    html_put(page, "</p>\n");
    if (report->read != EXIT_DONE)
        html_put(page, "<p><strong>Not all of the capture could be read: this page describes only the part that could."
                       "</strong></p>\n");
}

/* 0, or -1 without memory. */
static int put_page(struct buffer *page, struct report *report)
{
    const struct replay_source *source = report->diagnosis.source;
    char title[300];
    if (source->count == 1)
        snprintf(title, sizeof title, "%s", base_name(reader_name(source->names[0])));
    else
        snprintf(title, sizeof title, "%s and %zu more", base_name(reader_name(source->names[0])), source->count - 1);
    if (html_begin(page, title) != 0)
        return -1;
    report_find_day(report);
    put_heading(page, report, title);
    report_put_verdict(page, report);
    if (report->chart) {
        html_put(page, "<h2>");
        html_text(page, report->chart->title);
        html_put(page, "</h2>\n");
    }
    if (report->chart && page_put_chart(page, report->chart, report->diagnosis.zone) != 0)
        return -1;
    if (report->chart && report->chart->is_partial)
        html_put(page,
                 "<p class=\"faint\">Not all of the capture is drawn here: armtap plot --stream N draws a stream of "
                 "armtap info.</p>\n");
    if (report_put_findings(page, report) != 0 || report_put_remedies(page, report) != 0 ||
        report_put_recipes(page, report) != 0 || report_put_streams(page, report) != 0 ||
        report_put_modes(page, report) != 0)
        return -1;
    report_put_comments(page, report);
    report_put_identity(page, report);
    html_end(page);
    return page->failed ? -1 : 0;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

/* The findings, then the chart: each reading begins with what those before it learned. 0, or -1 after a message. */
static int read_all(struct command *command, struct report *report, struct replay_source *source, struct chart **chart)
{
    const struct chart_wish wish = {
        .zone = command->options.zone, .bins = PAGE_BINS, .is_for_page = true, .has_figure = true};
    struct diagnosis *diagnosis = &report->diagnosis;
    diagnosis->source = source;
    diagnosis->zone = command->options.zone;
    if (diagnosis_begin(diagnosis) != 0)
        return message_no_memory();
    report->read = diagnosis_read(diagnosis);
    if (diagnosis->totals.broken_off)
        return -1;
    if (diagnosis_settle(diagnosis) != 0)
        return message_no_memory();
    if (!diagnosis_has_subject(diagnosis)) {
        if (report->read == EXIT_DONE)
            no_telemetry_report(diagnosis->streams, &diagnosis->totals);
        return -1;
    }
    source->quiet = report->read != EXIT_DONE;
    if (chart_collect(&wish, source, chart) != EXIT_DONE && report->read == EXIT_DONE)
        report->is_broken = true;
    report->chart = *chart;
    return report->is_broken ? -1 : 0;
}

static enum exit_status write_report(struct command *command)
{
    struct report report = {.read = EXIT_FAILED};
    struct replay_source source = command->options.source;
    struct chart *chart = NULL;
    struct buffer page = {0};
    enum exit_status status = EXIT_FAILED;
    if (armtap_knowledge_new(&source.knowledge) != ARMTAP_OK)
        message_no_memory();
    else if (read_all(command, &report, &source, &chart) == 0 && put_page(&page, &report) != 0)
        message_no_memory();
    else if (page.length > 0 && !report.is_broken)
        status = sink_file_put(command->out, command->options.source.inputs, page.data, page.length) == SINK_FAILED
                     ? EXIT_FAILED
                     : EXIT_DONE;
    if (status == EXIT_DONE)
        status = report.read;
    if (status == EXIT_DONE && !command->findings_ok && diagnosis_found_fault(&report.diagnosis))
        status = EXIT_FOUND;
    free(page.data);
    chart_free(chart);
    diagnosis_free(&report.diagnosis);
    armtap_knowledge_free(source.knowledge);
    return status;
}

int cmd_report(int argc, char **argv)
{
    struct command command = {0};
    enum options_outcome outcome = options_parse(&usage, argc, argv, &command.options, &command);
    if (outcome != OPTIONS_RUN)
        return options_status(outcome);
    enum exit_status status = check_command(&command) == 0 ? write_report(&command) : EXIT_FAILED;
    options_free(&command.options);
    return (int)status;
}
