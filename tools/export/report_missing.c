/* Reports what is missing in an export on standard error: a line for each stream, in seconds and records. */
#define _POSIX_C_SOURCE 200809L
#include "job.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text/printf_format.h"
#include "base/process/message.h"
#include "input/stream_rank.h"
#include "input/shell_command.h"
#include "analysis/inside.h"
#include "input/robots/labels.h"

enum { STREAMS_LISTED = 8, LINE_MAX_BYTES = 1024 };

/* A line under construction. */
struct line {
    char text[LINE_MAX_BYTES];
    size_t length;
};

PRINTF_FORMAT(2, 3) static void put(struct line *line, const char *format, ...)
{
    va_list arguments;
    size_t room = sizeof line->text - line->length;
    va_start(arguments, format);
    int length = vsnprintf(line->text + line->length, room, format, arguments);
    va_end(arguments);
    line->length += length < 0 ? 0 : (size_t)length < room ? (size_t)length : room - 1;
}

static const char *plural(double count)
{
    return count == 1 ? "" : "s"; /* NOLINT: counts are whole */
}

/* "3.0 s", "0.016 s": three decimals, one for long times, without trailing zeros. */
static void put_seconds(struct line *line, double seconds)
{
    put(line, seconds >= 100 ? "%.1f" : "%.3f", seconds);
    while (line->text[line->length - 1] == '0' && line->text[line->length - 2] != '.')
        line->length--;
    put(line, " s");
}

static void put_amount(struct line *line, const struct missing_flow *missing)
{
    uint64_t bytes = missing->bytes > 0 ? missing->bytes : missing->unread;
    if (missing->seconds > 0)
        put_seconds(line, missing->seconds);
    else
        put(line, "%" PRIu64 " byte%s", bytes, plural((double)bytes));
}

/* Without trailing zeros. */
static void put_date(struct line *line, int64_t time, enum timestamp_zone zone)
{
    char date[WHEN_DATE_MAX];
    timestamp_date(date, time, zone);
    size_t point = strcspn(date, "."), end = point + strcspn(date + point, "Z+-"), kept = end;
    while (kept > point && (date[kept - 1] == '0' || date[kept - 1] == '.'))
        kept--;
    put(line, "%.*s%s", (int)kept, date, date + end);
}

/* "before packet 12 (2026-01-31T12:00:00.5Z)"; nothing in a raw dump, which has no packets. */
static void put_place(struct line *line, const struct job *job, const struct missing_place *place)
{
    const struct armtap_where *where = &place->where;
    if (place->is_end)
        put(line, " at the end");
    if (where->packet == 0)
        return;
    put(line, " before packet %" PRIu64, where->packet);
    if (replay_has_several_files(job->source) && replay_file_name(job->source, where->file))
        put(line, " of %s", replay_file_name(job->source, where->file));
    if (where->time == ARMTAP_NO_TIME)
        return;
    put(line, " (");
    put_date(line, where->time, job->wish->zone);
    put(line, ")");
}

/* ---- of one stream --------------------------------------------------------------------------------------------- */

static void put_places(struct line *line, const struct job *job, const struct missing_place *longest, uint64_t count)
{
    for (size_t i = 0; i < MISSING_PLACES && i < count; i++) {
        if (i > 0) {
            put(line, ", ");
            put_amount(line, &longest[i].missing);
        } else if (count > 1) {
            put_amount(line, &longest[i].missing);
        }
        put_place(line, job, &longest[i]);
    }
    if (count > MISSING_PLACES)
        put(line, ", ...");
}

/* `longest`: NULL if not kept; `what`: "missing from the capture" or "could not be decoded"; `places`: "gaps" or
 * "places". */
static void put_holes(struct line *line, const struct job *job, const struct missing_holes *holes,
                      const struct missing_place *longest, const char *what, const char *places)
{
    double records = floor(holes->sum.records + 0.5);
    if (holes->count == 0)
        return;
    put(line, "; ");
    put_amount(line, &holes->sum);
    put(line, " %s", what);
    if (holes->count == 1 && longest)
        put_places(line, job, longest, 1);
    if (records > 0)
        put(line, ", about %.0f record%s", records, plural(records));
    if (holes->count == 1)
        return;
    put(line, ", in %" PRIu64 " %s%s", holes->count, places, longest ? ": " : "");
    if (longest)
        put_places(line, job, longest, holes->count);
}

static void put_skips(struct line *line, const struct job *job, const struct missing_total *total,
                      const struct missing_place *largest)
{
    if (total->skips == 0)
        return;
    put(line, "; %" PRIu64 " package%s skipped by the controller", total->skipped, plural((double)total->skipped));
    if (total->skips > 1)
        put(line, " in %" PRIu64 " places", total->skips);
    if (total->skips > 1 && largest)
        put(line, ", %" PRIu64 " of them", largest->missing.skipped);
    if (largest)
        put_place(line, job, largest);
}

static void put_opaque(struct line *line, const struct job *job, const struct missing_total *total)
{
    if (total->opaque == 0)
        return;
    put(line, "; %" PRIu64 " record%s", total->opaque, plural((double)total->opaque));
    if (total->opaque > 1 && total->first_opaque.time != ARMTAP_NO_TIME) {
        put(line, " in ");
        put_seconds(line, (double)armtap_time_between(total->first_opaque.time, total->last_opaque.time) / 1e9);
    }
    put(line, " %s no known recipe and %s %s the output", total->opaque == 1 ? "has" : "have",
        total->opaque == 1 ? "is" : "are",
        format_has(job->wish->format, FORMAT_OPAQUE) ? "without fields in" : "not in");
}

/* "(packet 628)" is left out in a raw dump, which has no packets. */
static void put_unsure(struct line *line, const struct missing_total *total)
{
    if (total->unsure == 0)
        return;
    put(line, "; the field names of %" PRIu64 " record%s", total->unsure, plural((double)total->unsure));
    if (total->first_unsure.packet > 0)
        put(line, " from packet %" PRIu64 " on", total->first_unsure.packet);
    put(line,
        " are uncertain: bytes missing before %s may hold another setup of the same length, and the values do not show "
        "it: check that they are plausible",
        total->unsure == 1 ? "it" : "them");
}

/* Everything that is missing in a stream, each item after "; ". `places`: NULL if not kept. */
static void put_all(struct line *line, const struct job *job, const struct missing_total *total,
                    const struct missing_places *places)
{
    put_holes(line, job, &total->gaps, places ? places->gaps : NULL, "missing from the capture", "gaps");
    put_holes(line, job, &total->unread, places ? places->unread : NULL, "could not be decoded", "places");
    put_skips(line, job, total, places ? &places->skip : NULL);
    put_opaque(line, job, total);
    put_unsure(line, total);
}

/* Adds a note, which counts for --strict. */
static void note_hostile(struct job *job, const struct armtap_stream *stream, const struct armtap_where *where)
{
    struct armtap_note note = {.kind = armtap_note_find("input.hostile"),
                               .stream = stream,
                               .where = *where,
                               .direction = job->wish->direction,
                               .text = ""};
    if (note.kind && armtap_streams_note(job->streams, &note) != 0)
        job_give_up_memory(job);
}

/* ---- of all ---------------------------------------------------------------------------------------------------- */

static void add_total(struct missing_total *sum, const struct missing_total *one)
{
    sum->gaps.sum.seconds += one->gaps.sum.seconds;
    sum->gaps.sum.records += one->gaps.sum.records;
    sum->unread.sum.seconds += one->unread.sum.seconds;
    sum->unread.sum.records += one->unread.sum.records;
    sum->skipped += one->skipped;
    sum->opaque += one->opaque;
    sum->unsure += one->unsure;
}

static void report_rest(const struct missing_total *rest, unsigned streams)
{
    struct line line = {.length = 0};
    if (streams == 0)
        return;
    put_seconds(&line, rest->gaps.sum.seconds);
    put(&line, " missing from the capture, about %.0f records; ", rest->gaps.sum.records);
    if (rest->unread.sum.seconds > 0) {
        put_seconds(&line, rest->unread.sum.seconds);
        put(&line, " could not be decoded, about %.0f records; ", rest->unread.sum.records);
    }
    if (rest->unsure > 0)
        put(&line, "the field names of %" PRIu64 " records are uncertain; ", rest->unsure);
    message_warning("%u more streams: %s%" PRIu64 " packages skipped by the controller; %" PRIu64
                    " records without a recipe",
                    streams, line.text, rest->skipped, rest->opaque);
}

static void report_remedies(const struct job *job, bool any_opaque)
{
    if (any_opaque && job->source->recipe)
        message_warning("the given recipe differs in length from these records, or they belong to another recipe");
    else if (any_opaque)
        message_warning("where the recipe is missing, specify it with --recipe FILE, or capture from before the client "
                        "connects");
    char command[SHELL_MAX];
    if (shell_command(command, "armtap diagnose FILE", job->source, NULL))
        message_warning("for more: %s", command);
}

/* Always reports guessed names, however good the guess. */
static void report_guessed(const struct job *job)
{
    for (size_t i = 0; i < armtap_streams_count(job->streams) && job->wish->direction == ARMTAP_FROM_ROBOT; i++) {
        const struct armtap_stream_summary *summary = armtap_streams_at(job->streams, i);
        unsigned number = tables_stream_number(job->tables, summary->stream->connection);
        if (!job_wants_stream(job, number) || summary->guessed == 0)
            continue;
        size_t names = 0, by_position = summary->guess ? armtap_streams_by_position(summary, &names) : 0;
        char unsupported[80] = "";
        if (by_position > 0)
            snprintf(unsupported, sizeof unsupported, "; %zu of %zu names rest only on their position in the recipe",
                     by_position, names);
        message_warning("stream %u: the field names of %" PRIu64 " record%s are guessed, since %s; taken from %s%s. "
                        "'armtap info' shows the evidence, --no-guess omits the names",
                        number, summary->guessed, plural((double)summary->guessed),
                        summary->guess && summary->guess->types_captured
                            ? "only the controller's reply of its handshake was captured, which has their types"
                            : "its handshake was not captured",
                        summary->guess ? summary->guess->source : "a guess that later data contradicted", unsupported);
    }
}

static void report_unnamed(const struct job *job)
{
    unsigned reported = 0;
    for (size_t i = 0; i < armtap_streams_count(job->streams) && job->wish->direction == ARMTAP_FROM_ROBOT; i++) {
        const struct armtap_stream_summary *summary = armtap_streams_at(job->streams, i);
        unsigned number = tables_stream_number(job->tables, summary->stream->connection);
        size_t unnamed = summary->recipe ? invented_names(summary->recipe) : 0;
        if (unnamed == 0 || !job_wants_stream(job, number) || reported++ >= STREAMS_LISTED)
            continue;
        message_warning("stream %u: the names of %zu field%s are not known, since the setup request was not captured, "
                        "or cannot be read: they are called value_0 and so on; %s",
                        number, unnamed, plural((double)unnamed),
                        job->source->recipe ? "the given recipe has other types"
                                            : "specify their names with --recipe FILE, or capture from before the "
                                              "client "
                                              "connects");
    }
}

/* Lists recipes that records without names may follow. */
static void report_candidates_of(const struct job *job, unsigned number, const struct armtap_stream_summary *summary)
{
    char pattern[120], command[SHELL_MAX];
    struct line line = {.length = 0};
    for (size_t i = 0; i < summary->candidate_count; i++)
        put(&line, "%s@%s (%s)", i > 0 ? ", " : "", summary->candidates[i]->name, summary->candidates[i]->client);
    message_warning("stream %u: its data has the length of %s, and neither proves nor contradicts %s: %s", number,
                    summary->candidate_count == 1 ? "a well-known recipe" : "well-known recipes",
                    summary->candidate_count == 1 ? "it" : "them", line.text);
    snprintf(pattern, sizeof pattern, "armtap export --recipe @%s FILE", summary->candidates[0]->name);
    if (shell_command(command, pattern, job->source, NULL))
        message_warning("stream %u: if that is the client, run: %s", number, command);
}

static void report_candidates(const struct job *job)
{
    unsigned reported = 0;
    for (size_t i = 0; i < armtap_streams_count(job->streams) && job->wish->direction == ARMTAP_FROM_ROBOT; i++) {
        const struct armtap_stream_summary *summary = armtap_streams_at(job->streams, i);
        unsigned number = tables_stream_number(job->tables, summary->stream->connection);
        if (summary->candidate_count > 0 && job_wants_stream(job, number) && reported++ < STREAMS_LISTED)
            report_candidates_of(job, number, summary);
    }
}

/* Whether a connection is a stream that is listed; sets its number. */
static bool is_stream(const struct job *job, uint64_t connection, unsigned *number)
{
    const struct armtap_stream_summary *summary = armtap_streams_of(job->streams, connection);
    *number = summary ? summary->number : 0;
    return summary && armtap_streams_at(job->streams, summary->number) == summary;
}

static void report_one_cut(const struct job *job, const struct cut *cut)
{
    struct line line = {.length = 0};
    unsigned number;
    if (is_stream(job, cut->connection, &number))
        put(&line, "stream %u, ", number);
    put(&line, "robot %s, client %s", cut->robot, cut->client);
    if (cut->where.packet > 0)
        put(&line, ", packet %" PRIu64, cut->where.packet);
    message_warning("input.hostile: %s: %s", line.text, cut->text);
}

/* Reports data that the library discarded because of a limit. */
static void report_cut(const struct job *job)
{
    char command[SHELL_MAX];
    uint64_t reported = job->cut_count;
    for (size_t i = 0; i < CUTS_KEPT && i < job->cut_count; i++)
        report_one_cut(job, &job->cuts[i]);
    if (job->cut_count > CUTS_KEPT)
        message_warning("input.hostile: %" PRIu64 " more", job->cut_count - CUTS_KEPT);
    uint64_t rest = armtap_streams_rest(job->streams)->count;
    if (rest > 0) {
        reported++;
        message_warning("input.hostile: %" PRIu64 " more stream%s: %s", rest, rest == 1 ? "" : "s",
                        armtap_budget_find("streams")->text);
    }
    if (reported > 0 && shell_command(command, "armtap diagnose FILE", job->source, NULL))
        message_warning("to list all that was omitted: %s", command);
}

/* Reports rows that were left out because of their cost. */
static void report_left_out(struct job *job)
{
    unsigned reported = 0;
    uint64_t more = 0, rows = 0;
    static const char no_room[] =
        "one table has no room for the columns of so many streams; remove --union, or choose one with --stream N";
    char too_long[240];
    snprintf(too_long, sizeof too_long, "%s; for shorter rows choose --fields a,b, for the rest --from",
             armtap_budget_find("text")->text);
    for (size_t i = 0; i < armtap_streams_count(job->streams); i++) {
        const struct armtap_stream *stream = armtap_streams_at(job->streams, i)->stream;
        struct tables_left_out left_out = tables_left_out(job->tables, stream->connection);
        if (left_out.rows == 0)
            continue;
        note_hostile(job, stream, &left_out.first);
        if (reported++ < STREAMS_LISTED) {
            message_warning(
                "input.hostile: stream %u, robot %s, client %s: %" PRIu64 " row%s omitted, from packet "
                "%" PRIu64 " on: %s",
                tables_stream_number(job->tables, stream->connection), labels_name(job->source->labels, stream->robot),
                labels_name(job->source->labels, stream->client), left_out.rows, left_out.rows == 1 ? " is" : "s are",
                left_out.first.packet, left_out.has_no_room ? no_room : too_long);
        } else {
            more++;
            rows += left_out.rows;
        }
    }
    rows += tables_rest_left_out(job->tables);
    if (rows > 0)
        message_warning("input.hostile: of %" PRIu64 " more streams %" PRIu64 " rows are omitted",
                        more + armtap_streams_rest(job->streams)->count, rows);
}

void job_report(struct job *job)
{
    struct missing_total total, rest = {0};
    struct missing_places places;
    unsigned reported = 0, more = 0;
    bool any_opaque = false, are_kept;
    report_cut(job);
    report_left_out(job);
    report_guessed(job);
    report_unnamed(job);
    for (size_t i = 0; i < armtap_streams_count(job->streams); i++) {
        const struct armtap_stream *stream = armtap_streams_at(job->streams, i)->stream;
        unsigned number = tables_stream_number(job->tables, stream->connection);
        struct line line = {.length = 0};
        if (!job_wants_stream(job, number) || !missing_data_total(job->missing, stream, &total, &places, &are_kept))
            continue;
        put_all(&line, job, &total, are_kept ? &places : NULL);
        any_opaque = any_opaque || total.opaque > 0;
        if (line.length == 0)
            continue;
        if (reported++ < STREAMS_LISTED) {
            message_warning("stream %u: %s", number, line.text + strlen("; "));
        } else {
            more++;
            add_total(&rest, &total);
        }
    }
    report_rest(&rest, more);
    if (any_opaque)
        report_candidates(job);
    if (reported > 0)
        report_remedies(job, any_opaque);
}

void job_report_strict(const struct job *job)
{
    const uint64_t *counts = armtap_streams_note_counts(job->streams);
    struct line line = {.length = 0};
    for (size_t i = 0; i < armtap_note_count(); i++)
        if (counts[i] > 0 && armtap_note_at(i)->severity >= ARMTAP_WARNING)
            put(&line, "%s%s (%" PRIu64 ")", line.length > 0 ? ", " : "", armtap_note_at(i)->id, counts[i]);
    message_warning("--strict: the status is %s there are warnings or errors, which armtap info shows: %s",
                    job->wish->findings_ok ? "0, by --findings-ok, although" : "1, since", line.text);
}
