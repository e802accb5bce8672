/* The output of diagnose --json. */
#include <math.h>
#include <stdlib.h>

#include "diagnosis.h"
#include "command_line/shared_text.h"
#include "base/text/json_writer.h"
#include "input/sidecars/sidecar.h"
#include "input/files/file_reader.h"
#include "analysis/inside.h"

static void key_packet(struct json *json, uint64_t packet)
{
    json_key(json, "packet");
    if (packet == 0)
        json_null(json);
    else
        json_unsigned(json, packet);
}

/* With `digits` decimals; null if unknown. */
static void key_double(struct json *json, const char *key, double value, bool known, unsigned digits)
{
    double scaled = value * pow(10, digits);
    json_key(json, key);
    if (known && fabs(scaled) < 9e18)
        json_decimal(json, llround(scaled), digits);
    else
        json_null(json);
}

/* ns in a larger unit, of which a ns is 10^-digits */
static void key_ns(struct json *json, const char *key, int64_t ns, bool known, unsigned digits)
{
    json_key(json, key);
    if (known)
        json_decimal(json, ns, digits);
    else
        json_null(json);
}

static void finding_json(struct json *json, const struct diagnosis *diagnosis, const struct armtap_finding *finding)
{
    json_object(json, false);
    json_member_text(json, "severity", armtap_severity_name(finding->kind->severity));
    json_member_text(json, "id", finding->kind->id);
    json_member_text(json, "file", diagnosis_file(diagnosis, &finding->where));
    json_key(json, "stream");
    if (finding->stream == ARMTAP_NO_STREAM)
        json_null(json);
    else
        json_unsigned(json, diagnosis_number(diagnosis, finding->stream));
    key_packet(json, finding->where.packet);
    json_member_time(json, "time", finding->where.time);
    json_member_text(json, "text", finding->text);
    if (finding->count > 1) {
        json_member_unsigned(json, "count", finding->count);
        json_member_unsigned(json, "last_packet", finding->last.packet);
    }
    if (finding->is_doubtful)
        json_member_bool(json, "doubtful", true);
    json_close(json);
}

static void stream_json(struct json *json, const struct diagnosis *diagnosis,
                        const struct armtap_stream_diagnosis *stream)
{
    static const struct armtap_rates_totals no_rates = {
        .jitter_p50 = -1, .jitter_p99 = -1, .jitter_max = -1, .longest_silence = -1};
    static const struct armtap_clock_totals no_clock;
    const struct armtap_stream_summary *summary = stream->summary;
    const struct armtap_rates_totals *rates = stream->rates ? stream->rates : &no_rates;
    const struct armtap_clock_totals *clocks = stream->clock ? stream->clock : &no_clock;
    json_object(json, true);
    json_member_unsigned(json, "stream", diagnosis_number(diagnosis, summary->number));
    key_double(json, "expected_hz", rates->expected_hz, rates->expected_hz > 0, 6);
    key_double(json, "rate_hz", rates->rate_hz, rates->rate_hz > 0, 6);
    json_key(json, "skipped");
    if (armtap_rates_know_skips(stream->rates))
        json_unsigned(json, rates->skipped);
    else
        json_null(json);
    json_member_unsigned(json, "bytes_lost", summary->stream->bytes_lost[0] + summary->stream->bytes_lost[1]);
    key_ns(json, "jitter_p50_ms", rates->jitter_p50, rates->jitter_p50 >= 0, 6);
    key_ns(json, "jitter_p99_ms", rates->jitter_p99, rates->jitter_p99 >= 0, 6);
    key_ns(json, "jitter_max_ms", rates->jitter_max, rates->jitter_max >= 0, 6);
    key_ns(json, "longest_silence_s", rates->longest_silence, rates->longest_silence >= 0, 9);
    key_ns(json, "clock_offset_s", clocks->offset, clocks->has_offset, 9);
    key_double(json, "clock_drift_ppm", clocks->drift_ppm, clocks->has_drift, 3);
    json_close(json);
}

static void mode_json(struct json *json, const struct diagnosis *diagnosis, const struct armtap_mode *entry)
{
    const struct armtap_stream_summary *summary = armtap_streams_of(diagnosis->streams, entry->connection);
    char name[ARMTAP_MODE_NAME_MAX];
    if (!summary)
        return;
    json_object(json, false);
    json_member_unsigned(json, "stream", diagnosis_number(diagnosis, summary->number));
    key_packet(json, entry->where.packet);
    json_member_time(json, "time", entry->where.time);
    json_member_text(json, "field", armtap_mode_field(entry, name));
    json_member_signed(json, "value", entry->value);
    json_member_text(json, "name", entry->name);
    json_close(json);
}

/* The index of each finding in the printed list; SIZE_MAX if it is not shown. NULL if memory runs out. */
static size_t *places_of(const struct diagnosis *diagnosis)
{
    size_t count = armtap_diagnosis_finding_count(diagnosis->found), shown = 0;
    size_t *places = calloc(count + 1, sizeof *places);
    for (size_t i = 0; places && i < count; i++)
        places[i] =
            diagnosis_shows(diagnosis, &armtap_diagnosis_finding_at(diagnosis->found, i)->where) ? shown++ : SIZE_MAX;
    return places;
}

/* The stop of a robot that a verdict is about, one of its evidence; else null. */
static void stop_json(struct json *json, const struct diagnosis *diagnosis, const struct armtap_verdict *verdict,
                      const size_t *places)
{
    json_key(json, "stop");
    for (size_t i = 0; verdict->stop && i < verdict->evidence_count; i++) {
        size_t place = places[verdict->evidence[i]];
        if (armtap_diagnosis_finding_at(diagnosis->found, verdict->evidence[i]) == verdict->stop && place != SIZE_MAX) {
            json_unsigned(json, place);
            return;
        }
    }
    json_null(json);
}

static void verdict_json(struct json *json, const struct diagnosis *diagnosis, const struct armtap_verdict *verdict,
                         const size_t *places)
{
    json_object(json, false);
    json_key(json, "stream");
    if (verdict->stream == ARMTAP_NO_STREAM)
        json_null(json);
    else
        json_unsigned(json, diagnosis_number(diagnosis, verdict->stream));
    json_member_time(json, "from", verdict->from);
    json_member_time(json, "to", verdict->to);
    json_member_text(json, "side", armtap_blame_name(verdict->side));
    json_member_text(json, "text", verdict->text);
    stop_json(json, diagnosis, verdict, places);
    json_member_array(json, "evidence", false);
    for (size_t i = 0; i < verdict->evidence_count; i++)
        if (places[verdict->evidence[i]] != SIZE_MAX)
            json_unsigned(json, places[verdict->evidence[i]]);
    json_close(json);
    json_close(json);
}

/* Faults only; notices are among the findings. */
static void verdicts_json(struct json *json, const struct diagnosis *diagnosis, const size_t *places)
{
    json_member_array(json, "verdicts", true);
    for (size_t i = 0; i < armtap_diagnosis_verdict_count(diagnosis->found); i++) {
        const struct armtap_verdict *verdict = armtap_diagnosis_verdict_at(diagnosis->found, i);
        if (verdict->severity >= ARMTAP_WARNING)
            verdict_json(json, diagnosis, verdict, places);
    }
    json_close(json);
}

/* Where the capture stands in its archive, and what armtap merge makes findings of all captures from. */
static void part_json(struct json *json, const struct diagnosis_part *part)
{
    const struct archive *archive = diagnosis_part_archive(part);
    size_t length;
    const uint8_t *bytes = diagnosis_part_transcript(part, &length);
    json_member_object(json, "archive", false);
    json_member_unsigned(json, "capture", archive_current(archive));
    json_member_unsigned(json, "captures", archive_count(archive));
    json_member_text(json, "file", reader_name(archive_name(archive, archive_current(archive))));
    json_close(json);
    json_key(json, "transcript");
    json_base64(json, bytes, length);
}

int diagnosis_print_json(const struct diagnosis *diagnosis)
{
    struct json json;
    size_t *places = places_of(diagnosis);
    if (!places)
        return -1;
    json_begin(&json, stdout);
    json_object(&json, true);
    json_member_array(&json, "findings", true);
    for (size_t i = 0; i < armtap_diagnosis_finding_count(diagnosis->found); i++)
        if (diagnosis_shows(diagnosis, &armtap_diagnosis_finding_at(diagnosis->found, i)->where))
            finding_json(&json, diagnosis, armtap_diagnosis_finding_at(diagnosis->found, i));
    json_close(&json);
    json_member_array(&json, "streams", true);
    for (size_t i = 0; i < armtap_diagnosis_stream_count(diagnosis->found); i++)
        stream_json(&json, diagnosis, armtap_diagnosis_stream_at(diagnosis->found, i));
    json_close(&json);
    json_member_array(&json, "modes", true);
    for (size_t i = 0; i < armtap_diagnosis_mode_count(diagnosis->found); i++)
        if (diagnosis_shows(diagnosis, &armtap_diagnosis_mode_at(diagnosis->found, i)->where))
            mode_json(&json, diagnosis, armtap_diagnosis_mode_at(diagnosis->found, i));
    json_close(&json);
    verdicts_json(&json, diagnosis, places);
    comments_json(&json, &diagnosis->comments, diagnosis->source);
    if (diagnosis->part)
        part_json(&json, diagnosis->part);
    json_end(&json);
    free(places);
    return 0;
}

void diagnosis_list_json(void)
{
    struct json json;
    json_begin(&json, stdout);
    json_array(&json, true);
    for (int severity = ARMTAP_ERROR; severity >= ARMTAP_INFO; severity--)
        for (size_t i = 0; i < armtap_note_count(); i++) {
            const struct armtap_note_kind *kind = armtap_note_at(i);
            if ((int)kind->severity != severity)
                continue;
            char remedy[REMEDY_MAX];
            remedy_whole(remedy, kind);
            json_object(&json, false);
            json_member_text(&json, "id", kind->id);
            json_member_text(&json, "severity", armtap_severity_name(kind->severity));
            json_member_text(&json, "meaning", kind->meaning);
            json_member_text(&json, "remedy", remedy);
            json_close(&json);
        }
    json_end(&json);
}
