/* The text output of diagnose. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnosis.h"
#include "command_line/shared_text.h"
#include "base/terminal/fold.h"
#include "base/numbers/number_text.h"
#include "base/terminal/word_wrap.h"
#include "base/text/utf8.h"
#include "base/numbers/timestamp.h"
#include "analysis/inside.h"
#include "input/robots/labels.h"

/* Lines of one stream's modes. */
#define MODE_LINES 40
#define MODE_STREAMS 100 /* with modes of their own */
#define MODES_WIDE 72    /* columns from which modes stand below each other, beside their time */
#define CLOCK_WIDTH 13
#define ZERO_WIDTH 32
#define SUMMARY_MAX 160
#define DRIFT_WIDTH 21
#define STREAM_WIDTH 6
#define ADDRESS_WIDTH 22
#define FINDING_INDENT 8

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* Prints a line when the day or file of the next lines changes; the first packet's day is at the top of the report. */
struct headline {
    char day[WHEN_DATE_MAX];
    uint32_t file;
};

/* Keeps that many characters of a date's fraction, including its dot. */
static void cut_fraction(char date[WHEN_DATE_MAX], size_t characters)
{
    char *dot = strchr(date, '.');
    if (dot)
        memmove(dot + characters, dot + 10, strlen(dot + 10) + 1);
}

static void day_text(char to[WHEN_DATE_MAX], int64_t time, enum timestamp_zone zone)
{
    timestamp_date(to, time, zone);
    to[strcspn(to, "T")] = '\0';
}

static struct headline headline_begin(const struct diagnosis *diagnosis)
{
    struct headline headline = {.file = 0};
    if (diagnosis->totals.first_time != ARMTAP_NO_TIME)
        day_text(headline.day, diagnosis->totals.first_time, diagnosis->zone);
    return headline;
}

/* Escapes the name: it may hold any bytes. */
static void print_file(const char *name)
{
    char shown[UTF8_SHOWN_MAX];
    for (size_t left = strlen(name), used; left > 0; name += used, left -= used)
        fwrite(shown, 1, utf8_show(shown, name, left, &used), stdout);
    puts(":");
}

static void print_headline(struct headline *headline, const struct diagnosis *diagnosis,
                           const struct armtap_where *where)
{
    char day[WHEN_DATE_MAX];
    if (where->time != ARMTAP_NO_TIME) {
        day_text(day, where->time, diagnosis->zone);
        if (strcmp(day, headline->day) != 0)
            printf("%s:\n", day);
        strcpy(headline->day, day);
    }
    if (where->file != headline->file)
        print_file(diagnosis_file(diagnosis, where));
    headline->file = where->file;
}

/* ---- findings ---------------------------------------------------------------------------------------------------- */

struct findings_table {
    const struct diagnosis *diagnosis;
    struct headline headline;
    struct text_row row; /* for one after the other */
    int columns;         /* as text_columns() has them */
    int id_width, stream_width, packet_width;
    bool any;
};

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static void measure(struct findings_table *table, const struct armtap_finding *finding)
{
    char cell[CELL_MAX];
    table->id_width = larger(table->id_width, (int)strlen(finding->kind->id));
    table->packet_width = larger(table->packet_width, (int)number_unsigned(finding->where.packet, cell));
    if (finding->stream != ARMTAP_NO_STREAM)
        table->stream_width = larger(table->stream_width, (int)number_unsigned(finding->stream, cell));
}

static void print_cells(const struct findings_table *table, struct text_row *row, const char *id, const char *stream,
                        const char *packet, const char *time)
{
    text_row_cell(row, -table->id_width, id);
    text_row_cell(row, table->stream_width, stream);
    text_row_painted(row, table->packet_width, row->paint == PAINT_NONE ? PAINT_PACKET : row->paint, packet);
    text_row_cell(row, CLOCK_WIDTH, time);
}

static void print_heading(const struct findings_table *table)
{
    struct text_row row = text_row_heading(stdout, FINDING_INDENT, 1);
    putchar('\n');
    text_row_cell(&row, -7, "");
    print_cells(table, &row, "id", "#", "packet", table->diagnosis->zone == TIMESTAMP_UTC ? "time" : "local time");
    text_row_cell(&row, 0, "what");
    text_row_end(&row);
}

/* Whether a text begins beside its row: it fits there, or would take one more line below. */
static bool begins_beside(const struct text_row *row, int columns, int length)
{
    int beside = columns - row->column - 1, below = columns - FINDING_INDENT;
    return length <= beside || (beside > 0 && below > 0 && (length - 1) / below > (length - beside - 1) / below);
}

static void print_finding(void *user, const struct armtap_finding *finding, const char *text)
{
    struct findings_table *table = user;
    print_headline(&table->headline, table->diagnosis, &finding->where);
    struct text_row *row = &table->row;
    char stream[CELL_MAX] = "-", packet[CELL_MAX] = "-", clock[CELL_MAX];
    if (finding->stream != ARMTAP_NO_STREAM)
        text_count(stream, finding->stream);
    if (finding->where.packet > 0)
        text_count(packet, finding->where.packet);
    text_row_painted(row, -7, text_paint_of(finding->kind->severity), armtap_severity_name(finding->kind->severity));
    print_cells(table, row, finding->kind->id, stream, packet,
                cell_clock(clock, finding->where.time, table->diagnosis->zone));
    bool is_beside = begins_beside(row, table->columns, (int)strlen(text));
    if (!is_beside)
        putchar('\n');
    struct text_wrap wrap = text_wrap_within(stdout, table->columns, is_beside ? row->column : 0, FINDING_INDENT);
    text_row_again(row);
    text_wrap_words(&wrap, text);
    text_wrap_end(&wrap);
}

/* 0, or -1 if memory runs out. */
static int print_findings(const struct diagnosis *diagnosis)
{
    struct findings_table table = {.diagnosis = diagnosis,
                                   .headline = headline_begin(diagnosis),
                                   .row = text_row_begin(stdout, FINDING_INDENT, 1),
                                   .columns = text_columns(stdout),
                                   .id_width = 2,
                                   .stream_width = 1,
                                   .packet_width = 6};
    for (size_t i = 0; i < armtap_diagnosis_finding_count(diagnosis->found); i++) {
        const struct armtap_finding *finding = armtap_diagnosis_finding_at(diagnosis->found, i);
        if (diagnosis_shows(diagnosis, &finding->where)) {
            measure(&table, finding);
            table.any = true;
        }
    }
    if (table.any)
        print_heading(&table);
    return findings_tell(diagnosis, true, print_finding, &table);
}

static void print_remedy(void *user, const char *subject, const struct remedy *remedy)
{
    bool *any = user;
    if (!*any)
        text_heading(stdout, 2, "\nremedies");
    *any = true;
    int column = printf("  %s:", subject);
    struct text_wrap wrap = text_wrap_begin(stdout, column, 4);
    if (wrap.column == wrap.indent) /* as behind an incident's robot */
        putc(' ', stdout);
    remedy_print(&wrap, remedy);
}

/* 0, or -1 if memory runs out. */
static int print_remedies(const struct diagnosis *diagnosis)
{
    bool any = false;
    return remedies_tell(diagnosis, &(struct remedy_listener){print_remedy, &any});
}

/* "2 warnings, 7 infos", counting what is shown */
static void write_counts(char to[SUMMARY_MAX], const struct diagnosis *diagnosis)
{
    static const char *const names[][2] = {
        {"info", "infos"}, {"notice", "notices"}, {"warning", "warnings"}, {"error", "errors"}};
    uint64_t counts[4] = {0};
    size_t length = 0;
    for (size_t i = 0; i < armtap_diagnosis_finding_count(diagnosis->found); i++) {
        const struct armtap_finding *finding = armtap_diagnosis_finding_at(diagnosis->found, i);
        if (diagnosis_shows(diagnosis, &finding->where))
            counts[finding->kind->severity] += finding->count;
    }
    strcpy(to, "No findings");
    for (int severity = ARMTAP_ERROR; severity >= ARMTAP_INFO; severity--)
        if (counts[severity] > 0)
            length += (size_t)snprintf(to + length, SUMMARY_MAX - length, "%s%" PRIu64 " %s", length > 0 ? ", " : "",
                                       counts[severity], names[severity][counts[severity] != 1]);
}

/* One finding covers all attempts of a client at a port. */
static void write_attempt_count(char to[SUMMARY_MAX], const struct diagnosis *diagnosis)
{
    const struct armtap_attempts *attempts = armtap_streams_attempts(diagnosis->streams);
    uint64_t total = 0, entries = 0;
    for (int i = 0; i < ARMTAP_ATTEMPT_OUTCOMES; i++)
        total += armtap_attempts_total(attempts, (enum armtap_attempt_outcome)i);
    while (armtap_attempts_at(attempts, (size_t)entries))
        entries++;
    to[0] = '\0';
    if (total > entries && !diagnosis->around)
        snprintf(to, SUMMARY_MAX, " (%" PRIu64 " failed connection attempts)", total);
}

/* Attempts that the end of the capture left open. */
static void print_open_attempts(const struct diagnosis *diagnosis)
{
    struct armtap_attempt_open open;
    char text[ARMTAP_ATTEMPT_TEXT_MAX];
    for (size_t i = 0; armtap_attempts_open_at(armtap_streams_attempts(diagnosis->streams), i, &open); i++) {
        armtap_attempt_open_text(text, &open, timestamp_zone(diagnosis->zone));
        labels_in_text(diagnosis->source->labels, text, sizeof text);
        if (i == 0)
            putchar('\n');
        struct text_wrap wrap = text_wrap_begin(stdout, 0, 2);
        text_wrap_words(&wrap, text);
        text_wrap_end(&wrap);
    }
}

static void print_summary(const struct diagnosis *diagnosis)
{
    char date[WHEN_DATE_MAX] = "", counts[SUMMARY_MAX], attempts[SUMMARY_MAX];
    size_t streams = armtap_streams_count(diagnosis->streams);
    bool raw = diagnosis->totals.packets == 0; /* a raw dump has no packets */
    write_counts(counts, diagnosis);
    write_attempt_count(attempts, diagnosis);
    if (diagnosis->totals.first_time != ARMTAP_NO_TIME) {
        timestamp_date(date, diagnosis->totals.first_time, diagnosis->zone);
        cut_fraction(date, 0);
    }
    text_line(stdout, 2, "%s%s: %zu stream%s, %" PRIu64 " %s%s%s", counts, attempts, streams, streams == 1 ? "" : "s",
              raw ? diagnosis->totals.bytes : diagnosis->totals.packets, raw ? "bytes" : "packets",
              date[0] == '\0' ? "" : " from ", date);
    if (diagnosis->around && diagnosis->near_count == 0)
        text_line(stdout, 2, "Nothing to show: %s was not found.", diagnosis->around->id);
    else if (diagnosis->around)
        text_line(stdout, 2, "Showing only events within %g s of %s.", (double)diagnosis->reach / 1e9,
                  diagnosis->around->id);
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

static void print_ends_row(struct text_row *row, int width, const char *number, const char *protocol, const char *robot,
                           const char *client)
{
    text_row_cell(row, -7, number);
    text_row_cell(row, -width, protocol);
    text_row_cell(row, -ADDRESS_WIDTH, robot);
    text_row_cell(row, -ADDRESS_WIDTH, client);
    text_row_end(row);
}

/* The number of a stream, or those of a group, below their heading. */
static const char *stream_numbers(char to[STREAM_GROUP_MAX], const struct stream_group *group)
{
    char numbers[STREAM_GROUP_MAX];
    snprintf(to, STREAM_GROUP_MAX, "%*s", STREAM_WIDTH, stream_group_numbers(numbers, group));
    return to;
}

static const char *protocol_of(const struct stream_kinds *kinds, size_t row)
{
    const char *name = armtap_protocol_name(kinds->members[kinds->rows[row].from].summary->stream->protocol);
    return name ? name : "-";
}

/* The two ends of each stream. */
static void print_ends(const struct diagnosis *diagnosis, const struct stream_kinds *kinds)
{
    const struct labels *labels = diagnosis->source->labels;
    int width = 9;
    for (size_t i = 0; i < kinds->row_count; i++) {
        int length = (int)strlen(protocol_of(kinds, i));
        width = length > width ? length : width;
    }
    putchar('\n');
    struct text_row row = text_row_heading(stdout, 8, 1);
    print_ends_row(&row, width, "stream", "protocol", "robot", "client");
    row.paint = PAINT_NONE;
    for (size_t i = 0; i < kinds->row_count; i++) {
        const struct stream_group *group = &kinds->rows[i];
        const struct armtap_stream *stream = kinds->members[group->from].summary->stream;
        char number[STREAM_GROUP_MAX], client[STREAM_GROUP_MAX];
        print_ends_row(&row, width, stream_numbers(number, group), protocol_of(kinds, i),
                       stream->robot[0] == '\0' ? "-" : labels_name(labels, stream->robot),
                       stream_group_client(client, kinds, group, labels_name(labels, stream->client)));
    }
    if (kinds->row_count == armtap_streams_count(diagnosis->streams))
        return;
    struct text_wrap wrap = text_lead(stdout, 2, "(N): one line for N similar streams, here and below:");
    text_wrap_words(&wrap, "the lowest rate, sums of skipped and lost, the largest jitter, gap and drift; diagnose "
                           "--json lists each");
    text_wrap_end(&wrap);
}

static const char *number_text(char to[CELL_MAX], double value, bool known, int digits)
{
    return known ? cell_number(to, value, digits) : strcpy(to, "-");
}

static const char *ms_text(char to[CELL_MAX], int64_t ns)
{
    return number_text(to, (double)ns / 1e6, ns >= 0, 3);
}

static const struct {
    int width;
    const char *title, *unit;
} rate_columns[] = {{6, "stream", ""},       {9, "expected", "Hz"}, {9, "rate", "Hz"}, {8, "skipped", "packages"},
                    {8, "lost", "bytes"},    {8, "", "p50"},        {8, "", "p99"},    {8, "", "max"},
                    {8, "longest", "gap, s"}};
#define RATE_COLUMNS (sizeof rate_columns / sizeof *rate_columns)
#define JITTER_FROM 5
#define JITTER_COLUMNS 3
#define JITTER_WIDTH 26

static void print_rates_heading(struct text_row *row)
{
    char jitter[CELL_MAX];
    snprintf(jitter, sizeof jitter, "%8s %8s %8s", rate_columns[JITTER_FROM].unit, rate_columns[JITTER_FROM + 1].unit,
             rate_columns[JITTER_FROM + 2].unit);
    for (size_t i = 0; i < RATE_COLUMNS; i++)
        if (i == JITTER_FROM) {
            text_row_head(row, JITTER_WIDTH, "jitter as read, ms", jitter);
            i += JITTER_COLUMNS - 1;
        } else {
            text_row_head(row, rate_columns[i].width, rate_columns[i].title, rate_columns[i].unit);
        }
    text_row_end(row);
}

static void print_stream(struct text_row *row, const struct stream_group *group, const struct diagnosis_line *line)
{
    const struct armtap_rates_totals *rates = &line->rates;
    bool has_gap = rates->longest_gap >= 0 && line->records > 0;
    char cells[RATE_COLUMNS][CELL_MAX], numbers[STREAM_GROUP_MAX];
    number_text(cells[1], rates->expected_hz, rates->expected_hz > 0, 1);
    number_text(cells[2], rates->rate_hz, rates->rate_hz > 0, 1);
    number_text(cells[3], (double)rates->skipped, armtap_rates_know_skips(rates), 0);
    text_count(cells[4], line->lost);
    ms_text(cells[5], rates->jitter_p50);
    ms_text(cells[6], rates->jitter_p99);
    ms_text(cells[7], rates->jitter_max);
    number_text(cells[8], (double)rates->longest_gap / 1e9, has_gap, 3);
    text_row_cell(row, rate_columns[0].width, stream_group_numbers(numbers, group));
    for (size_t i = 1; i < RATE_COLUMNS; i++) {
        if (i == JITTER_FROM)
            text_row_together(row, JITTER_WIDTH);
        text_row_cell(row, rate_columns[i].width, cells[i]);
    }
    text_row_end(row);
}

static void print_clock_row(struct text_row *row, const char *number, const char *zero, const char *drift)
{
    text_row_cell(row, -7, number);
    text_row_cell(row, -ZERO_WIDTH, zero);
    text_row_cell(row, DRIFT_WIDTH, drift);
    text_row_end(row);
}

/* When the controller's clock was 0, and its drift. */
static void print_clock(struct text_row *row, const struct stream_group *group,
                        const struct armtap_clock_totals *clocks, enum timestamp_zone zone)
{
    char date[WHEN_DATE_MAX] = "-", drift[CELL_MAX], number[STREAM_GROUP_MAX];
    if (clocks->has_offset) {
        timestamp_date(date, clocks->offset, zone);
        cut_fraction(date, 7); /* microseconds are enough */
    }
    print_clock_row(row, stream_numbers(number, group), date,
                    number_text(drift, clocks->drift_ppm, clocks->has_drift, 1));
}

/* "stream 17", or "streams 0-2999" at the beginning of a line; "\n" before the first. */
static const char *streams_text(char to[STREAM_GROUP_MAX + 10], const struct stream_group *group, bool is_first)
{
    char numbers[STREAM_GROUP_MAX];
    snprintf(to, STREAM_GROUP_MAX + 10, "%sstream%s %s", is_first ? "\n" : "", group->count > 1 ? "s" : "",
             stream_group_numbers(numbers, group));
    return to;
}

/* The client may not know that the controller cannot send at the rate it requests. */
static bool print_request(const struct stream_group *group, const struct diagnosis_line *line, bool is_first)
{
    double requested = line->rates.requested_hz, highest = line->rates.highest_hz;
    char subject[STREAM_GROUP_MAX + 10];
    if (!(requested > 0) || !(highest > 0) || requested == highest)
        return false;
    text_line(stdout, 2, "%s: the client requested %g Hz; this controller can send %g Hz",
              streams_text(subject, group, is_first), requested, highest);
    return true;
}

static bool print_clock_set_back(const struct stream_group *group, const struct diagnosis_line *line, bool is_first)
{
    char subject[STREAM_GROUP_MAX + 10];
    if (!line->back)
        return false;
    text_line(stdout, 2,
              "%s: the capture's clock was set back by %.3f s at packet %" PRIu64 "; the rate is based on %s",
              streams_text(subject, group, is_first), (double)line->back->by / 1e9, line->back->where.packet,
              isnan(line->any->last_clock) ? "the usual interval there" : "the controller's clock there");
    return true;
}

/* 0 at other times: the controller was started again in between, or it is another. */
#define ZEROS_APART 1000000000

static bool is_zero_apart(const struct armtap_clock_totals *one, const struct armtap_clock_totals *other)
{
    return one && other && other->has_offset && llabs(one->offset / 2 - other->offset / 2) >= ZEROS_APART / 2;
}

/* A line for each time at which the clock of streams alike was 0; those too short to tell are with those before them.
 */
static void print_clocks_of(const struct diagnosis *diagnosis, struct text_row *row, const struct stream_kinds *kinds,
                            const struct stream_group *group)
{
    const struct armtap_clock_totals *known = NULL;
    struct stream_group part = {.from = group->from};
    for (size_t i = group->from, to = i + group->count; i <= to; i++) {
        const struct armtap_stream_diagnosis *stream =
            i < to ? armtap_diagnosis_stream_at(diagnosis->found, kinds->members[i].summary->number) : NULL;
        if (part.count > 0 && (!stream || is_zero_apart(known, stream->clock))) {
            struct diagnosis_line line = diagnosis_line_of(diagnosis, kinds, &part);
            if (line.clock)
                print_clock(row, &part, known ? known : line.clock, diagnosis->zone);
            part = (struct stream_group){.from = i};
            known = NULL;
        }
        if (!stream)
            return;
        part.first = part.count++ == 0 ? stream->summary->number : part.first;
        part.last = stream->summary->number;
        known =
            stream->clock && stream->clock->has_offset && (!known || stream->clock->has_drift) ? stream->clock : known;
    }
}

static void print_clocks(const struct diagnosis *diagnosis, const struct stream_kinds *kinds)
{
    putchar('\n');
    struct text_row row = text_row_heading(stdout, 8, 1);
    print_clock_row(&row, "stream", "controller clock zero", "drift, ppm (+ = fast)");
    row.paint = PAINT_NONE;
    for (size_t i = 0; i < kinds->row_count; i++)
        print_clocks_of(diagnosis, &row, kinds, &kinds->rows[i]);
}

static void print_streams(const struct diagnosis *diagnosis, const struct stream_kinds *kinds)
{
    bool any_clock = false, any_request = false, any_back = false;
    putchar('\n');
    struct text_row row = text_row_heading(stdout, 0, 1);
    print_rates_heading(&row);
    row.paint = PAINT_NONE;
    for (size_t i = 0; i < kinds->row_count; i++) {
        struct diagnosis_line line = diagnosis_line_of(diagnosis, kinds, &kinds->rows[i]);
        if (line.has_rates)
            print_stream(&row, &kinds->rows[i], &line);
        any_clock = any_clock || (line.has_rates && line.clock && line.clock->has_offset);
    }
    for (size_t i = 0; i < kinds->row_count; i++) {
        struct diagnosis_line line = diagnosis_line_of(diagnosis, kinds, &kinds->rows[i]);
        any_request = print_request(&kinds->rows[i], &line, !any_request) || any_request;
    }
    for (size_t i = 0; i < kinds->row_count; i++) {
        struct diagnosis_line line = diagnosis_line_of(diagnosis, kinds, &kinds->rows[i]);
        any_back = print_clock_set_back(&kinds->rows[i], &line, !any_back) || any_back;
    }
    if (any_clock)
        print_clocks(diagnosis, kinds);
}

/* ---- modes ------------------------------------------------------------------------------------------------------- */

#define MODES_TOGETHER (ARMTAP_MODE_FIELDS * ARMTAP_ARMS_MAX)

/* Collects the indices of the entries that one record changed, from `first` on. Without packet numbers, a repeated
 * field marks the next record. */
static size_t collect_record(const struct armtap_diagnosis *found, size_t first, size_t together[MODES_TOGETHER])
{
    const struct armtap_mode *entry = armtap_diagnosis_mode_at(found, first);
    size_t count = 0;
    for (size_t i = first; i < armtap_diagnosis_mode_count(found) && count < MODES_TOGETHER; i++) {
        const struct armtap_mode *next = armtap_diagnosis_mode_at(found, i);
        if (next->connection != entry->connection)
            break;
        bool again = i > first && next->field == entry->field && next->arm == entry->arm;
        if (again || next->where.packet != entry->where.packet || next->where.file != entry->where.file)
            break;
        together[count++] = i;
    }
    return count;
}

/* What is the same for all lines: the terminal is asked once. */
struct modes_table {
    const struct diagnosis *diagnosis;
    struct text_row row; /* for one after the other */
    int columns;         /* as text_columns() has them */
};

/* Prints entry `first` and those of the same record on one line. Returns the index of the last. */
static size_t print_mode(struct modes_table *table, size_t first)
{
    const struct armtap_diagnosis *found = table->diagnosis->found;
    const struct armtap_mode *entry = armtap_diagnosis_mode_at(found, first);
    size_t together[MODES_TOGETHER], count = collect_record(found, first, together);
    char clock[CELL_MAX], packet[CELL_MAX] = "-", number[CELL_MAX];
    struct text_row *row = &table->row;
    if (entry->where.packet > 0)
        text_count(packet, entry->where.packet);
    text_row_cell(row, 2 + CLOCK_WIDTH, cell_clock(clock, entry->where.time, table->diagnosis->zone));
    text_row_painted(row, 8, PAINT_PACKET, packet);
    struct text_wrap wrap =
        text_wrap_within(stdout, table->columns, row->column, table->columns < MODES_WIDE ? 4 : row->column + 1);
    text_row_again(row);
    for (size_t i = 0; i < count; i++) {
        const struct armtap_mode *next = armtap_diagnosis_mode_at(found, together[i]);
        char name[ARMTAP_MODE_NAME_MAX], text[140];
        text_join(text, sizeof text,
                  (const char *const[]){armtap_mode_field(next, name), " ", text_integer(number, next->value),
                                        next->name ? " " : "", next->name ? next->name : "", i + 1 < count ? "," : "",
                                        NULL});
        text_wrap_word(&wrap, text);
    }
    text_wrap_end(&wrap);
    return together[count - 1];
}

static void print_modes_title(const struct modes_table *table, const struct mode_list *list)
{
    char number[CELL_MAX], others[CELL_MAX + 60] = "";
    if (list->alike > 0)
        snprintf(others, sizeof others, ", and the same values in %zu more streams, up to %u", list->alike, list->last);
    const char *const texts[] = {"\n",
                                 text_paint_if(table->row.is_coloured, PAINT_HEADING),
                                 "modes of stream ",
                                 text_count(number, list->places->stream),
                                 text_plain_if(table->row.is_coloured),
                                 others,
                                 NULL};
    text_line_of(stdout, table->row.room, 2, texts);
}

/* Prints the changes of one stream. Returns whether there were any to show. */
static bool print_modes_of(struct modes_table *table, const struct mode_list *list)
{
    const struct diagnosis *diagnosis = table->diagnosis;
    struct headline headline = headline_begin(diagnosis);
    size_t lines = 0, more = 0, next = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct armtap_mode *mode = armtap_diagnosis_mode_at(diagnosis->found, list->places[i].index);
        if (list->places[i].index < next || !diagnosis_shows(diagnosis, &mode->where))
            continue;
        if (lines == MODE_LINES) {
            more++;
            continue;
        }
        if (lines++ == 0)
            print_modes_title(table, list);
        print_headline(&headline, diagnosis, &mode->where);
        next = print_mode(table, list->places[i].index) + 1;
    }
    if (more > 0)
        text_line(stdout, 4, "  and %zu more changes; --json lists them", more);
    return lines > 0;
}

static void print_lists(const struct diagnosis *diagnosis, const struct mode_lists *lists)
{
    struct modes_table table = {diagnosis, text_row_begin(stdout, 4, 1), text_columns(stdout)};
    size_t shown = 0, more = 0;
    for (size_t i = 0; i < lists->count; i++) {
        const struct mode_list *list = &lists->all[i];
        if (shown < MODE_STREAMS)
            shown += !list->is_told && print_modes_of(&table, list);
        else
            more += !list->is_told;
    }
    if (more > 0)
        text_line(stdout, 2, "\nand the modes of %zu more streams; --json lists them", more);
}

/* ---- all of it
 * ------------------------------------------------------------------------------------------------------- */

/* 0, or -1 if memory runs out. */
static int print_tables(const struct diagnosis *diagnosis)
{
    struct stream_kinds kinds;
    bool is_found = diagnosis_find_kinds(diagnosis, &kinds);
    if (is_found && kinds.row_count > 0) {
        print_ends(diagnosis, &kinds);
        print_streams(diagnosis, &kinds);
    }
    stream_kinds_free(&kinds);
    if (!is_found)
        return -1;
    struct mode_lists lists;
    is_found = mode_lists_find(diagnosis, &lists);
    if (is_found)
        print_lists(diagnosis, &lists);
    mode_lists_free(&lists);
    if (!is_found)
        return -1;
    uint64_t left_out = armtap_diagnosis_modes_left_out(diagnosis->found);
    if (left_out > 0)
        printf("\n%" PRIu64 " mode change%s omitted: there were too many\n", left_out,
               left_out == 1 ? " was" : "s were");
    return 0;
}

int diagnosis_print(const struct diagnosis *diagnosis)
{
    if (diagnosis_print_incidents(diagnosis))
        putchar('\n');
    print_summary(diagnosis);
    if (print_findings(diagnosis) != 0 || print_remedies(diagnosis) != 0)
        return -1;
    print_open_attempts(diagnosis);
    diagnosis_print_stops(diagnosis);
    if (diagnosis->has_tables && print_tables(diagnosis) != 0)
        return -1;
    comments_print(&diagnosis->comments, diagnosis->source, diagnosis->zone);
    diagnosis_print_verdict(diagnosis);
    return 0;
}

void diagnosis_list(void)
{
    for (int severity = ARMTAP_ERROR; severity >= ARMTAP_INFO; severity--)
        for (size_t i = 0; i < armtap_note_count(); i++) {
            const struct armtap_note_kind *kind = armtap_note_at(i);
            if ((int)kind->severity != severity)
                continue;
            printf("%s%-7s%s  %s%s%s\n", text_colour(stdout, kind->severity), armtap_severity_name(kind->severity),
                   text_plain(stdout), text_paint(stdout, PAINT_HEADING), kind->id, text_plain(stdout));
            struct text_wrap wrap = text_wrap_begin(stdout, 0, 9);
            text_wrap_words(&wrap, kind->meaning);
            text_wrap_end(&wrap);
            char remedy[REMEDY_MAX];
            remedy_whole(remedy, kind);
            if (*remedy == '\0')
                continue;
            wrap = text_wrap_begin(stdout, 0, 9);
            text_wrap_words(&wrap, "remedy:");
            text_wrap_words(&wrap, remedy);
            text_wrap_end(&wrap);
        }
}
