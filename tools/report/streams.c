/* The streams, how regular they were, and their modes; and what the report was made from. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/sha256.h"
#include "base/process/message.h"
#include "command_line/shared_text.h"
#include "diagnose/diagnosis.h"
#include "input/files/file_reader.h"
#include "input/files/input_files.h"
#include "sections.h"
#include "analysis/inside.h"
#include "input/robots/labels.h"

/* ---- times ------------------------------------------------------------------------------------------------------- */

/* "2026-01-31T12:00:00.000129Z", or "-". Returns `to`. */
static const char *report_date(char to[WHEN_DATE_MAX], int64_t time, enum timestamp_zone zone)
{
    if (time == ARMTAP_NO_TIME)
        return strcpy(to, "-");
    timestamp_date(to, time, zone);
    char *dot = strchr(to, '.');
    if (dot && strlen(dot) > 10) /* microseconds are enough */
        memmove(dot + 7, dot + 10, strlen(dot + 10) + 1);
    return to;
}

/* The latest packet of a stream; ARMTAP_NO_TIME if none has a time. */
static int64_t end_of(const struct report *report)
{
    const struct armtap_streams *streams = report->diagnosis.streams;
    int64_t end = ARMTAP_NO_TIME;
    for (size_t i = 0; i < armtap_streams_count(streams); i++) {
        int64_t last = armtap_streams_at(streams, i)->stream->last.time;
        if (last != ARMTAP_NO_TIME && (end == ARMTAP_NO_TIME || last > end))
            end = last;
    }
    return end;
}

void report_find_day(struct report *report)
{
    char first[WHEN_DATE_MAX], last[WHEN_DATE_MAX];
    int64_t begin = report->diagnosis.totals.first_time, end = end_of(report);
    report->day[0] = '\0';
    if (begin == ARMTAP_NO_TIME || end == ARMTAP_NO_TIME)
        return;
    report_date(first, begin, report->diagnosis.zone);
    report_date(last, end, report->diagnosis.zone);
    if (strncmp(first, last, REPORT_DAY_MAX) == 0) /* with its T */
        snprintf(report->day, sizeof report->day, "%.10s", first);
}

/* Behind the T, if that is the day. */
static const char *time_of_day(const struct report *report, const char *date)
{
    size_t length = strlen(report->day);
    bool is_day = length > 0 && strncmp(date, report->day, length) == 0 && date[length] == 'T';
    return is_day ? date + length + 1 : date;
}

void report_put_time(struct buffer *page, const struct report *report, int64_t time)
{
    char date[WHEN_DATE_MAX];
    html_put(page, "<td class=\"time\">");
    html_text(page, time_of_day(report, report_date(date, time, report->diagnosis.zone)));
    html_put(page, "</td>");
}

void report_put_file(struct buffer *page, const struct report *report, const struct armtap_where *where)
{
    const char *file = diagnosis_file(&report->diagnosis, where);
    if (!replay_has_several_files(report->diagnosis.source))
        return;
    html_put(page, "<td>");
    html_text(page, file ? file : "-");
    html_put(page, "</td>");
}

void report_put_time_heading(struct buffer *page, const struct report *report, const char *title)
{
    html_put(page, "<th>");
    html_put(page, title);
    html_put(page, report->day[0] ? ", " : "");
    html_put(page, report->day);
    html_put(page, "</th>");
}

void report_put_range(struct buffer *page, const struct report *report)
{
    char date[WHEN_DATE_MAX];
    int64_t begin = report->diagnosis.totals.first_time, end = end_of(report);
    enum timestamp_zone zone = report->diagnosis.zone;
    if (begin == ARMTAP_NO_TIME)
        return;
    html_put(page, ", from ");
    html_text(page, report_date(date, begin, zone));
    if (end == ARMTAP_NO_TIME || end <= begin)
        return;
    html_put(page, "; streams until ");
    html_text(page, time_of_day(report, report_date(date, end, zone)));
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

static void put_cell(struct buffer *page, const char *text)
{
    html_put(page, "<td>");
    html_text(page, *text ? text : "-");
    html_put(page, "</td>");
}

static void put_number(struct buffer *page, double value, bool is_known, int digits)
{
    if (is_known)
        html_format(page, "<td class=\"number\">%s</td>", cell_number((char[CELL_MAX]){0}, value, digits));
    else
        html_put(page, "<td class=\"number\">-</td>");
}

static void put_count(struct buffer *page, uint64_t count)
{
    html_format(page, "<td class=\"number\">%" PRIu64 "</td>", count);
}

static void put_stream(struct buffer *page, const struct report *report, const struct stream_kinds *kinds,
                       const struct stream_group *group)
{
    const struct diagnosis_line line = diagnosis_line_of(&report->diagnosis, kinds, group);
    const struct labels *labels = report->diagnosis.source->labels;
    const struct armtap_stream *stream = line.any->stream;
    const struct armtap_rates_totals *rates = &line.rates;
    const char *protocol = armtap_protocol_name(stream->protocol);
    char text[STREAM_GROUP_MAX];
    html_format(page, "<tr><td class=\"number\">%s</td>", stream_group_numbers(text, group));
    put_cell(page, protocol ? protocol : "");
    put_cell(page, labels_name(labels, stream->robot));
    put_cell(page, stream_group_client(text, kinds, group, labels_name(labels, stream->client)));
    put_count(page, line.records);
    put_number(page, rates->expected_hz, rates->expected_hz > 0, 1);
    put_number(page, rates->rate_hz, rates->rate_hz > 0, 1);
    put_number(page, (double)rates->skipped, armtap_rates_know_skips(rates), 0);
    put_count(page, line.lost);
    put_number(page, (double)rates->jitter_p50 / 1e6, rates->jitter_p50 >= 0, 3);
    put_number(page, (double)rates->jitter_p99 / 1e6, rates->jitter_p99 >= 0, 3);
    put_number(page, (double)rates->jitter_max / 1e6, rates->jitter_max >= 0, 3);
    put_number(page, (double)rates->longest_gap / 1e9, rates->longest_gap >= 0, 3);
    bool has_drift = line.clock && line.clock->has_drift;
    put_number(page, has_drift ? line.clock->drift_ppm : 0, has_drift, 1);
    html_put(page, "</tr>\n");
}

int report_put_streams(struct buffer *page, const struct report *report)
{
    struct stream_kinds kinds;
    if (!diagnosis_find_kinds(&report->diagnosis, &kinds)) {
        stream_kinds_free(&kinds);
        return -1;
    }
    html_put(page, "<h2>Streams</h2>\n<div class=\"scroll\"><table>\n<thead><tr>");
    static const char *const titles[] = {"#",
                                         "protocol",
                                         "robot",
                                         "client",
                                         "records",
                                         "expected, Hz",
                                         "rate, Hz",
                                         "skipped packages",
                                         "lost bytes",
                                         "jitter as read: p50, ms",
                                         "p99, ms",
                                         "max, ms",
                                         "longest gap while data was due, s",
                                         "clock drift, ppm"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        html_format(page, "<th%s>%s</th>", i >= 1 && i <= 3 ? "" : " class=\"number\"", titles[i]);
    html_put(page, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < kinds.row_count && i < REPORT_STREAMS_MAX; i++)
        put_stream(page, report, &kinds, &kinds.rows[i]);
    html_put(page, "</tbody>\n</table></div>\n");
    if (kinds.row_count < armtap_streams_count(report->diagnosis.streams))
        html_put(page, "<p>(N): one line for N similar streams: the lowest rate, sums of skipped and lost, the largest "
                       "jitter, gap and drift.</p>\n");
    if (kinds.row_count > REPORT_STREAMS_MAX)
        html_format(page, "<p>%zu more lines are omitted here: armtap info --json lists all streams.</p>\n",
                    kinds.row_count - REPORT_STREAMS_MAX);
    stream_kinds_free(&kinds);
    return 0;
}

/* ---- modes ------------------------------------------------------------------------------------------------------- */

/* `alike`: so many more streams have the same values. */
static void put_mode(struct buffer *page, const struct report *report, const struct armtap_mode *mode, size_t alike)
{
    char name[ARMTAP_MODE_NAME_MAX];
    const struct armtap_stream_summary *summary = armtap_streams_of(report->diagnosis.streams, mode->connection);
    html_put(page, "<tr>");
    report_put_time(page, report, mode->where.time);
    report_put_file(page, report, &mode->where);
    html_format(page, "<td class=\"number\">%" PRIu64 "</td><td class=\"number\">%u", mode->where.packet,
                summary ? summary->number : 0);
    if (alike > 0)
        html_format(page, " (%zu)", alike + 1);
    html_put(page, "</td>");
    put_cell(page, armtap_mode_field(mode, name));
    html_format(page, "<td class=\"number\">%" PRId64 "</td>", mode->value);
    put_cell(page, mode->name ? mode->name : "");
    html_put(page, "</tr>\n");
}

static void put_modes_heading(struct buffer *page, const struct report *report)
{
    html_put(page, "<h2>Modes</h2>\n<div class=\"scroll\"><table>\n<thead><tr>");
    report_put_time_heading(page, report, "since");
    html_put(page, replay_has_several_files(report->diagnosis.source) ? "<th>file</th>" : "");
    html_put(page, "<th class=\"number\">packet</th><th class=\"number\">stream</th><th>field</th><th "
                   "class=\"number\">value</th><th>name</th></tr></thead>\n<tbody>\n");
}

/* The changes that are shown, in the order of time: of streams with the same values, if they are many, the first one's.
 * `of`: by stream. How many there are. */
static size_t put_modes(struct buffer *page, const struct report *report, const struct mode_list *const *of)
{
    const struct armtap_mode *mode;
    size_t count = 0;
    bool are_alike = false;
    for (size_t i = 0; (mode = armtap_diagnosis_mode_at(report->diagnosis.found, i)); i++) {
        const struct armtap_stream_summary *summary = armtap_streams_of(report->diagnosis.streams, mode->connection);
        if (!summary || of[summary->number]->is_told || count++ >= REPORT_MODES_MAX)
            continue;
        if (count == 1)
            put_modes_heading(page, report);
        put_mode(page, report, mode, of[summary->number]->alike);
        are_alike = are_alike || of[summary->number]->alike > 0;
    }
    html_put(page, count > 0 ? "</tbody>\n</table></div>\n" : "");
    html_put(page, are_alike
                       ? "<p>(N): the modes of N streams took the same values; the times are the first stream's.</p>\n"
                       : "");
    return count;
}

int report_put_modes(struct buffer *page, const struct report *report)
{
    struct mode_lists lists;
    const struct mode_list **of = calloc(armtap_streams_count(report->diagnosis.streams) + 1, sizeof(*of));
    bool is_found = mode_lists_find(&report->diagnosis, &lists) && of;
    for (size_t i = 0; is_found && i < lists.count; i++)
        of[lists.all[i].places->stream] = &lists.all[i];
    size_t count = is_found ? put_modes(page, report, of) : 0;
    free(of);
    mode_lists_free(&lists);
    if (count > REPORT_MODES_MAX)
        html_format(page, "<p>%zu more changes are omitted here: armtap diagnose --json lists them.</p>\n",
                    count - REPORT_MODES_MAX);
    uint64_t unkept = armtap_diagnosis_modes_left_out(report->diagnosis.found);
    if (unkept > 0)
        html_format(page, "<p>%" PRIu64 " further changes were omitted: there were too many.</p>\n", unkept);
    return is_found ? 0 : -1;
}

/* ---- comments ---------------------------------------------------------------------------------------------------- */

static void put_comment(struct buffer *page, const struct report *report, const struct capture_comment *comment)
{
    char place[COMMENT_PLACE_MAX], date[WHEN_DATE_MAX];
    const char *file = comments_file(comment, report->diagnosis.source);
    html_put(page, "<li>");
    html_text(page, comments_place(place, comment));
    if (file) {
        html_put(page, " of ");
        html_text(page, reader_name(file));
    }
    if (comment->time != ARMTAP_NO_TIME) {
        html_put(page, ", ");
        html_text(page, report_date(date, comment->time, report->diagnosis.zone));
    }
    html_put(page, ": ");
    html_lines(page, comment->text);
    html_put(page, comment->is_cut ? "...</li>\n" : "</li>\n");
}

void report_put_comments(struct buffer *page, const struct report *report)
{
    const struct capture_comments *comments = &report->diagnosis.comments;
    if (comments->count == 0)
        return;
    html_put(page, "<h2>Comments in the capture</h2>\n<ul>\n");
    for (size_t i = 0; i < comments->count; i++)
        put_comment(page, report, &comments->list[i]);
    html_put(page, "</ul>\n");
    if (comments->left_out > 0)
        html_format(page, "<p>and %" PRIu64 " more</p>\n", comments->left_out);
}

/* ---- identity ---------------------------------------------------------------------------------------------------- */

#define SUM_TEXT (2 * SHA256_BYTES + 1)

/* The sum of the file as it was read; false if that cannot be told. */
static bool sum_of(struct input *input, char hex[SUM_TEXT])
{
    static const size_t block_size = INPUT_BLOCK;
    uint8_t *block = malloc(block_size);
    uint8_t digest[SHA256_BYTES];
    struct sha256 *sum = sha256_begin();
    bool is_good = block && input_is_ordinary(input);
    size_t length = block_size;
    for (uint64_t at = 0; is_good && length == block_size; at += length) {
        is_good = input_block(input, at, block, &length) == INPUT_OK;
        sha256_add(sum, block, length);
    }
    free(block);
    if (!sha256_end(sum, digest))
        return false;
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    return is_good;
}

static void put_source(struct buffer *page, struct report *report, size_t index)
{
    const struct replay_source *source = report->diagnosis.source;
    struct input *input = inputs_at(source->inputs, index);
    char hex[SUM_TEXT];
    html_put(page, "<tr>");
    put_cell(page, reader_name(source->names[index]));
    if (input && input_is_ordinary(input))
        put_count(page, input_length(input));
    else
        html_put(page, "<td class=\"number\">-</td>");
    bool is_summed = input && sum_of(input, hex);
    if (!is_summed && report->read == EXIT_DONE) {
        message_error("%s: its SHA-256 could not be computed", reader_name(source->names[index]));
        report->is_broken = true;
    }
    html_put(page, "<td><code>");
    html_put(page, is_summed ? hex : "-");
    html_put(page, "</code></td></tr>\n");
}

static void put_sources(struct buffer *page, struct report *report)
{
    size_t count = report->diagnosis.source->count, end = page->length + REPORT_FILES_BYTES, shown = 0;
    for (; shown < count && shown < REPORT_FILES_MAX && page->length < end; shown++)
        put_source(page, report, shown);
    if (shown < count)
        html_format(page,
                    "<tr><td>and %zu more files, whose checksums armtap report did not compute</td><td "
                    "class=\"number\">-</td><td>-</td></tr>\n",
                    count - shown);
}

void report_put_identity(struct buffer *page, struct report *report)
{
    const struct replay_totals *totals = &report->diagnosis.totals;
    char date[WHEN_DATE_MAX];
    html_put(page,
             "<h2>Made from</h2>\n<table>\n<thead><tr><th>file</th><th class=\"number\">bytes</th><th>SHA-256</th>"
             "</tr></thead>\n<tbody>\n");
    put_sources(page, report);
    html_put(page, "</tbody>\n</table>\n<p>");
    html_format(page, "%" PRIu64 " packets, %" PRIu64 " bytes captured; first packet: ", totals->packets,
                totals->bytes);
    html_text(page, report_date(date, totals->first_time, report->diagnosis.zone));
    html_put(page, ".</p>\n<p>By armtap ");
    html_text(page, armtap_version());
    html_put(page, ".</p>\n");
}
