/* What was found, and what to do about it. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/diagnosis.h"
#include "sections.h"
#include "plot/kinds.h"
#include "recipe/recipe.h"

/* ---- incidents --------------------------------------------------------------------------------------------------- */

struct sentences {
    struct buffer *page;
    const struct report *report;
    const char *title; /* before the first; NULL: none */
};

static void put_sentence(void *user, const char *subject, const char *text)
{
    struct sentences *sentences = user;
    if (sentences->title) {
        html_put(sentences->page, "<h2>");
        html_put(sentences->page, sentences->title);
        html_put(sentences->page, "</h2>\n");
        sentences->title = NULL;
    }
    html_put(sentences->page, "<p>");
    if (*subject) {
        html_put(sentences->page, "<strong>");
        html_text(sentences->page, subject);
        html_put(sentences->page, ":</strong> ");
    }
    html_text(sentences->page, text);
    html_put(sentences->page, "</p>\n");
}

/* Where the arm was at the first stop that the incident shows of the robot that is drawn. */
static void put_pose(void *user, const struct armtap_incident *incident)
{
    const struct sentences *sentences = user;
    const struct report *report = sentences->report;
    for (size_t i = 0; report->chart && i < incident->evidence_count; i++) {
        const struct armtap_finding *finding =
            armtap_diagnosis_finding_at(report->diagnosis.found, incident->evidence[i]);
        const struct armtap_stream_summary *of = armtap_streams_at(report->diagnosis.streams, finding->stream);
        if (strcmp(finding->kind->id, "safety.stop") != 0 || !of || !chart_has_robot(report->chart, of->stream->robot))
            continue;
        page_put_pose(sentences->page, report->chart, finding->where.time, report->diagnosis.zone);
        return;
    }
}

static void put_headline(void *user, const char *subject, const char *text)
{
    struct sentences *sentences = user;
    (void)subject;
    html_put(sentences->page, "<p><strong>");
    html_text(sentences->page, text);
    html_put(sentences->page, "</strong></p>\n");
}

/* The class of the worst finding. */
static const char *worst_of(const struct report *report)
{
    const struct armtap_finding *finding;
    enum armtap_severity worst = ARMTAP_INFO;
    for (size_t i = 0; (finding = armtap_diagnosis_finding_at(report->diagnosis.found, i)); i++)
        worst = finding->kind->severity > worst ? finding->kind->severity : worst;
    return armtap_severity_name(worst);
}

void report_put_verdict(struct buffer *page, const struct report *report)
{
    struct sentences sentences = {.page = page, .report = report};
    html_format(page, "<div class=\"verdict %s\">\n", worst_of(report));
    diagnosis_say_verdict(&report->diagnosis, &(struct speech){put_headline, &sentences});
    diagnosis_say_incidents(&report->diagnosis, &(struct speech){put_sentence, &sentences}, put_pose);
    diagnosis_say_remarks(&report->diagnosis, &(struct speech){put_sentence, &sentences});
    html_put(page, "</div>\n");
}

/* ---- findings ---------------------------------------------------------------------------------------------------- */

/* A packet, which moves the plots to its time where there are any. */
static void put_packet(struct buffer *page, const struct report *report, const struct armtap_finding *finding)
{
    const struct chart *chart = report->chart;
    const struct armtap_where *where = &finding->where;
    const struct armtap_stream_summary *of = armtap_streams_at(report->diagnosis.streams, finding->stream);
    bool is_drawn = chart && (!of || chart_has_robot(chart, of->stream->robot)) && !chart->is_clock &&
                    where->time != ARMTAP_NO_TIME && where->time >= chart->from && where->time <= chart->to;
    html_put(page, "<td class=\"number\">");
    if (where->packet == 0)
        html_put(page, "-");
    else if (is_drawn)
        html_format(page, "<button type=\"button\" class=\"packet\" data-at=\"%.6f\">%" PRIu64 "</button>",
                    page_seconds(chart, where->time), where->packet);
    else
        html_format(page, "%" PRIu64, where->packet);
    html_put(page, "</td>");
}

static void put_row(struct buffer *page, const struct report *report, const struct armtap_finding *finding,
                    const char *text)
{
    const char *severity = armtap_severity_name(finding->kind->severity);
    html_format(page, "<tr><td class=\"%s\">%s</td><td>", severity, severity);
    html_text(page, finding->kind->id);
    if (finding->stream == ARMTAP_NO_STREAM)
        html_put(page, "</td><td class=\"number\">-</td>");
    else
        html_format(page, "</td><td class=\"number\">%" PRIu32 "</td>", finding->stream);
    report_put_file(page, report, &finding->where);
    put_packet(page, report, finding);
    report_put_time(page, report, finding->where.time);
    html_put(page, "<td>");
    html_text(page, text);
    html_put(page, "</td></tr>\n");
}

/* What a severity's rows take, then what they may still take. */
struct share {
    size_t rows, bytes;
};
struct rows {
    const struct report *report;
    struct buffer *page;
    struct share shares[ARMTAP_ERROR + 1];
    size_t left_out;
};

static void measure(void *user, const struct armtap_finding *finding, const char *text)
{
    struct rows *rows = user;
    struct share *share = &rows->shares[finding->kind->severity];
    size_t before = rows->page->length;
    put_row(rows->page, rows->report, finding, text);
    share->rows++;
    share->bytes += rows->page->length - before;
    rows->page->length = before;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* If not all fit, the worst come first. */
static void divide(struct share shares[ARMTAP_ERROR + 1])
{
    struct share left = {REPORT_FINDINGS_MAX, REPORT_FINDINGS_BYTES};
    for (int severity = ARMTAP_ERROR; severity >= ARMTAP_INFO; severity--) {
        struct share *share = &shares[severity];
        *share = (struct share){smaller(share->rows, left.rows), smaller(share->bytes, left.bytes)};
        left.rows -= share->rows;
        left.bytes -= share->bytes;
    }
}

static void put_finding(void *user, const struct armtap_finding *finding, const char *text)
{
    struct rows *rows = user;
    struct share *share = &rows->shares[finding->kind->severity];
    size_t before = rows->page->length;
    if (share->rows == 0 || share->bytes == 0) {
        rows->left_out++;
        return;
    }
    put_row(rows->page, rows->report, finding, text);
    share->rows--;
    share->bytes -= smaller(rows->page->length - before, share->bytes);
}

/* 0, or -1 without memory. */
static int put_rows(struct buffer *page, const struct report *report, size_t *left_out)
{
    struct rows rows = {.report = report, .page = page};
    if (findings_tell(&report->diagnosis, false, measure, &rows) != 0)
        return -1;
    divide(rows.shares);
    int outcome = findings_tell(&report->diagnosis, false, put_finding, &rows);
    *left_out = rows.left_out;
    return outcome;
}

int report_put_findings(struct buffer *page, const struct report *report)
{
    size_t left_out = 0;
    html_put(page, "<h2>Findings</h2>\n");
    if (armtap_diagnosis_finding_count(report->diagnosis.found) == 0) {
        html_put(page, "<p>Nothing.</p>\n");
        return 0;
    }
    html_put(page, "<div class=\"scroll\"><table>\n<thead><tr><th></th><th>id</th><th class=\"number\">stream</th>");
    html_put(page, replay_has_several_files(report->diagnosis.source) ? "<th>file</th>" : "");
    html_put(page, "<th class=\"number\">packet</th>");
    report_put_time_heading(page, report, "time");
    html_put(page, "<th>what</th></tr></thead>\n<tbody>\n");
    int outcome = put_rows(page, report, &left_out);
    html_put(page, "</tbody>\n</table></div>\n");
    if (left_out > 0)
        html_format(page,
                    "<p><strong>%zu more rows are omitted here, the least severe and the latest: armtap "
                    "diagnose lists them.</strong></p>\n",
                    left_out);
    return outcome;
}

/* ---- remedies ---------------------------------------------------------------------------------------------------- */

static void put_remedy(void *user, const char *subject, const struct remedy *remedy)
{
    struct sentences *sentences = user;
    for (size_t i = 0; i < remedy->count; i++) {
        put_sentence(user, i == 0 ? subject : "", remedy->steps[i].advice);
        if (remedy->steps[i].command[0] == '\0')
            continue;
        html_put(sentences->page, "<pre>");
        html_text(sentences->page, remedy->steps[i].command);
        html_put(sentences->page, "</pre>\n");
    }
}

int report_put_remedies(struct buffer *page, const struct report *report)
{
    struct sentences sentences = {.page = page, .title = "Remedies"};
    return remedies_tell(&report->diagnosis, &(struct remedy_listener){put_remedy, &sentences});
}

/* ---- recipes that the controller would accept -------------------------------------------------------------------- */

static char *recipe_xml(const struct armtap_recipe *recipe)
{
    size_t count = armtap_recipe_count(recipe);
    struct buffer xml = {0};
    struct recipe_line *lines = calloc(count + 1, sizeof *lines);
    for (size_t i = 0; lines && i < count; i++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(recipe, i);
        lines[i] = (struct recipe_line){entry->name, armtap_type_name(entry->type, entry->count)};
    }
    if (lines) {
        recipe_write_xml(&xml, "out", lines, count);
        buffer_char(&xml, '\0');
    }
    free(lines);
    if (!xml.failed)
        return xml.data;
    free(xml.data);
    return NULL;
}

static int put_recipe(struct buffer *page, struct report *report, const struct armtap_where *where)
{
    const struct replay_source *source = report->diagnosis.source;
    struct capture_recipe_wish wish = {.names = (const char **)source->names,
                                       .count = source->count,
                                       .how = source,
                                       .accepted = true,
                                       .packet = where->packet,
                                       .file = where->file + 1};
    struct capture_recipe captured = {0};
    char *xml = NULL;
    if (capture_recipe_read(&wish, &captured) != EXIT_DONE && report->read == EXIT_DONE)
        report->is_broken = true;
    if (captured.recipe && captured.direction == ARMTAP_FROM_ROBOT)
        xml = recipe_xml(captured.recipe);
    if (xml && strlen(xml) > REPORT_RECIPE_BYTES) {
        html_format(page,
                    "<p>The recipe for packet %" PRIu64 " is too long for this page: run armtap recipe --from CAPTURE "
                    "--accepted --packet %" PRIu64 ".</p>\n",
                    where->packet, where->packet);
    } else if (xml) {
        html_format(page, "<p>Without the names that the controller refused in packet %" PRIu64 ":</p>\n<pre>",
                    where->packet);
        html_lines(page, xml);
        html_put(page, "</pre>\n");
    }
    int outcome = captured.recipe && captured.direction == ARMTAP_FROM_ROBOT && !xml ? -1 : 0;
    free(xml);
    capture_recipe_free(&captured);
    return outcome;
}

int report_put_recipes(struct buffer *page, struct report *report)
{
    const struct remedy_offers *offers = &report->diagnosis.offers;
    if (offers->count == 0)
        return 0;
    html_put(page, "<h2>The recipe that the controller accepts</h2>\n");
    for (size_t i = 0; i < offers->count && i < REPORT_RECIPES_MAX; i++)
        if (put_recipe(page, report, &offers->places[i]) != 0)
            return -1;
    if (offers->count > REPORT_RECIPES_MAX)
        html_put(page, "<p>For the other recipes run armtap recipe --from CAPTURE --accepted --packet N.</p>\n");
    return 0;
}
