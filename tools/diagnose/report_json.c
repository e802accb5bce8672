/* The output of diagnose --json. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnosis.h"
#include "command_line/shared_text.h"
#include "base/text/json_writer.h"
#include "input/sidecars/sidecar.h"
#include "input/files/file_reader.h"
#include "analysis/inside.h"
#include "input/robots/labels.h"

/* An incident in words. */
#define INCIDENT_MAX 4096

static void key_packet(struct json *json, const char *key, uint64_t packet)
{
    json_key(json, key);
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

/* Of a count as a whole number; of a measurement to a billionth: the rest of a difference is noise. */
static void number_json(struct json *json, double number, bool is_measured)
{
    if (!is_measured && number == floor(number) && fabs(number) < 1e15)
        json_signed(json, (int64_t)number);
    else if (is_measured && fabs(number) < 9e9)
        json_decimal(json, llround(number * 1e9), 9);
    else
        json_double(json, number);
}

static void value_json(struct json *json, const struct armtap_argument *argument)
{
    switch (armtap_argument_kind(argument)->type) {
    case ARMTAP_NUMBER:
        number_json(json, argument->value.number, armtap_argument_kind(argument)->digits > 0);
        break;
    case ARMTAP_COUNT:
        json_unsigned(json, argument->value.count);
        break;
    case ARMTAP_INTEGER:
        json_signed(json, argument->value.integer);
        break;
    case ARMTAP_TIME:
        json_decimal(json, argument->value.integer, 9);
        break;
    case ARMTAP_FLAG:
        json_bool(json, true);
        break;
    case ARMTAP_WORD:
        json_text(json, armtap_argument_text(argument));
        break;
    case ARMTAP_NAMES:
        json_array(json, false);
        for (const char *all = argument->value.text, *at = all; at < all + argument->length; at += strlen(at) + 1)
            json_text(json, at);
        json_close(json);
        break;
    case ARMTAP_TEXT:
    case ARMTAP_QUOTED:
        json_text(json, argument->value.text); /* findings end their copies in a NUL */
        break;
    }
}

static void arguments_json(struct json *json, const struct armtap_arguments *arguments)
{
    json_member_object(json, "args", false);
    for (size_t i = 0; i < arguments->count; i++) {
        json_key(json, armtap_argument_kind(&arguments->all[i])->name);
        value_json(json, &arguments->all[i]);
    }
    json_close(json);
}

static void finding_json(struct json *json, const struct diagnosis *diagnosis, const struct armtap_finding *finding)
{
    char text[ARMTAP_FINDING_TEXT_MAX];
    finding_say(diagnosis, finding, text, sizeof text);
    json_object(json, false);
    json_member_text(json, "severity", armtap_severity_name(finding->kind->severity));
    json_member_text(json, "id", finding->kind->id);
    json_member_text(json, "file", diagnosis_file(diagnosis, &finding->where));
    if (diagnosis->archive && finding->where.file != archive_current(diagnosis->archive))
        json_member_unsigned(json, "capture", finding->where.file);
    json_key(json, "stream");
    if (finding->stream == ARMTAP_NO_STREAM)
        json_null(json);
    else
        json_unsigned(json, diagnosis_number(diagnosis, finding->stream));
    key_packet(json, "packet", finding->where.packet);
    json_member_time(json, "time", finding->where.time);
    json_member_text(json, "text", text);
    arguments_json(json, &finding->arguments);
    if (finding->count > 1) {
        json_member_unsigned(json, "count", finding->count);
        json_member_unsigned(json, "last_packet", finding->last.packet);
        json_member_time(json, "last_time", finding->last.time);
    }
    if (finding->is_sum && diagnosis->archive) {
        json_key(json, "total");
        json_double(json, finding->total);
    }
    if (finding->is_doubtful)
        json_member_bool(json, "doubtful", true);
    json_close(json);
}

/* ---- what armtap merge adds up ----------------------------------------------------------------------------------- */

static void key_real(struct json *json, const char *key, double value)
{
    json_key(json, key);
    json_double(json, value);
}

static void flows_json(struct json *json, const struct armtap_rates *rates)
{
    const struct armtap_flow_sums *sums;
    json_member_array(json, "flows", false);
    for (size_t i = 0; (sums = armtap_rates_flow_at(rates, &i));) {
        json_object(json, false);
        json_member_unsigned(json, "channel", sums->channel);
        json_member_unsigned(json, "steps", sums->steps);
        key_real(json, "time_s", sums->time);
        key_real(json, "expected", sums->expected);
        key_real(json, "usual_s", sums->usual);
        json_member_unsigned(json, "skipped", sums->skipped);
        json_member_unsigned(json, "judged", sums->judged);
        json_member_unsigned(json, "unclocked", sums->unclocked);
        json_member_signed(json, "longest_silence_ns", sums->longest_silence);
        json_member_signed(json, "round_trip_ns", sums->round_trip);
        json_member_signed(json, "stood_still_ns", sums->longest_wait);
        json_member_unsigned(json, "stood_still_packet", sums->wait_end.packet);
        json_member_signed(json, "stopped_ns", sums->stopped);
        key_packet(json, "stopped_packet", sums->stopped_since.packet);
        json_member_time(json, "stopped_time", sums->stopped_since.time);
        json_close(json);
    }
    json_close(json);
}

/* Bins and their numbers take turns. */
static void jitter_json(struct json *json, const struct histogram *jitter)
{
    json_member_array(json, "jitter", false);
    for (size_t bin = 0; bin < ARMTAP_HISTOGRAM_BINS; bin++) {
        uint32_t times = armtap_histogram_at(jitter, bin);
        if (times > 0) {
            json_unsigned(json, bin);
            json_unsigned(json, times);
        }
    }
    json_close(json);
    json_member_signed(json, "jitter_max_ns", armtap_histogram_largest(jitter));
}

static void run_json(struct json *json, const struct armtap_clock_run *run)
{
    if (run->packages == 0)
        return;
    json_object(json, false);
    json_member_time(json, "first_time", run->first_time);
    key_real(json, "first_clock", run->first_clock);
    key_real(json, "last_s", run->last);
    json_member_unsigned(json, "packages", run->packages);
    json_member_array(json, "points", false);
    for (size_t i = 0; i < run->block_room; i++)
        if (run->block[i].used) {
            json_double(json, run->block[i].x);
            json_double(json, run->block[i].y);
        }
    json_close(json);
    json_close(json);
}

static void both_json(struct json *json, const char *key, const uint64_t numbers[2])
{
    json_member_array(json, key, false);
    json_unsigned(json, numbers[ARMTAP_FROM_ROBOT]);
    json_unsigned(json, numbers[ARMTAP_TO_ROBOT]);
    json_close(json);
}

static void counts_json(struct json *json, const struct diagnosis *diagnosis, const struct armtap_stream *stream)
{
    struct armtap_part part;
    json_member_object(json, "counts", true);
    json_member_text(json, "protocol", armtap_protocol_name(stream->protocol));
    json_member_text(json, "robot", stream->robot);
    json_member_text(json, "client", stream->client);
    labels_json(diagnosis->source->labels, json, "label", stream->robot);
    labels_json(diagnosis->source->labels, json, "client_label", stream->client);
    json_member_bool(json, "socket", stream->origin == ARMTAP_ORIGIN_SOCKET);
    json_member_bool(json, "midstream", stream->midstream);
    both_json(json, "records", stream->records);
    both_json(json, "bytes_decoded", stream->bytes_decoded);
    both_json(json, "bytes_lost", stream->bytes_lost);
    both_json(json, "bytes_skipped", stream->bytes_skipped);
    if (armtap_diagnosis_part(diagnosis->found, stream->connection, &part)) {
        json_member_bool(json, "was_full", *part.was_full);
        flows_json(json, part.rates);
        jitter_json(json, part.jitter);
        json_member_array(json, "clock", false);
        run_json(json, &part.clocks->best);
        run_json(json, &part.clocks->now);
        json_close(json);
    }
    json_close(json);
}

/* ---- streams, modes, incidents ----------------------------------------------------------------------------------- */

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
    labels_json(diagnosis->source->labels, json, "label", summary->stream->robot);
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
    bool has_waited = diagnosis_has_waited(stream), has_stopped = diagnosis_has_stopped(diagnosis, stream);
    key_ns(json, "stood_still_s", rates->longest_wait, has_waited, 9);
    key_packet(json, "stood_still_packet", has_waited ? rates->wait_end.packet : 0);
    key_ns(json, "stopped_s", rates->stopped, has_stopped, 9);
    key_packet(json, "stopped_packet", has_stopped ? rates->stopped_since.packet : 0);
    key_ns(json, "clock_offset_s", clocks->offset, clocks->has_offset, 9);
    key_double(json, "clock_drift_ppm", clocks->drift_ppm, clocks->has_drift, 3);
    if (diagnosis->archive)
        counts_json(json, diagnosis, summary->stream);
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
    key_packet(json, "packet", entry->where.packet);
    json_member_time(json, "time", entry->where.time);
    json_member_text(json, "field", armtap_mode_field(entry, name));
    json_member_signed(json, "value", entry->value);
    json_member_text(json, "name", entry->name);
    if (entry->kept_until != ARMTAP_NO_TIME)
        json_member_time(json, "kept_until", entry->kept_until);
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

static void kind_json(struct json *json, const char *key, const struct armtap_note_kind *kind)
{
    json_key(json, key);
    if (kind)
        json_text(json, kind->id);
    else
        json_null(json);
}

static void incident_json(struct json *json, const struct diagnosis *diagnosis, const struct armtap_incident *incident,
                          const size_t *places)
{
    char text[INCIDENT_MAX];
    snprintf(text, sizeof text, "%s", incident->text);
    labels_in_text(diagnosis->source->labels, text, sizeof text);
    json_object(json, false);
    json_member_text(json, "robot", incident->robot);
    if (diagnosis_name(diagnosis, incident))
        json_member_text(json, "label", diagnosis_name(diagnosis, incident));
    json_member_array(json, "streams", false);
    for (size_t i = 0; i < incident->stream_count; i++)
        json_unsigned(json, diagnosis_number(diagnosis, incident->streams[i]));
    json_close(json);
    json_member_time(json, "from", incident->from);
    json_member_time(json, "to", incident->to);
    key_packet(json, "packet", incident->where.packet);
    kind_json(json, "what", incident->what);
    kind_json(json, "cause", incident->cause);
    json_member_text(json, "side", armtap_blame_name(incident->side));
    json_member_text(json, "text", text);
    json_member_text(json, "doubt", incident->doubt);
    json_member_array(json, "evidence", false);
    for (size_t i = 0; i < incident->evidence_count; i++)
        if (places[incident->evidence[i]] != SIZE_MAX)
            json_unsigned(json, places[incident->evidence[i]]);
    json_close(json);
    json_close(json);
}

static void incidents_json(struct json *json, const struct diagnosis *diagnosis, const size_t *places)
{
    const struct armtap_incident *incident;
    json_member_array(json, "incidents", true);
    for (size_t i = 0; (incident = armtap_diagnosis_incident_at(diagnosis->found, i)); i++)
        incident_json(json, diagnosis, incident, places);
    json_close(json);
}

/* Where the capture stands in its archive. */
static void archive_json(struct json *json, const struct diagnosis *diagnosis)
{
    const struct archive *archive = diagnosis->archive;
    const struct armtap_connections *connections = armtap_streams_connections(diagnosis->streams);
    json_member_object(json, "archive", false);
    json_member_unsigned(json, "capture", archive_current(archive));
    json_member_unsigned(json, "captures", archive_count(archive));
    json_member_text(json, "file", reader_name(archive_name(archive, archive_current(archive))));
    json_close(json);
    json_member_array(json, "other_ports", false);
    for (size_t i = 0; i < connections->port_count; i++)
        json_text(json, connections->ports[i]);
    json_close(json);
}

/* Of an archive, streams of the captures before are known, too; what came there may be decided here. */
static bool is_in_capture(const struct diagnosis *diagnosis, const struct armtap_stream_diagnosis *stream)
{
    const struct armtap_stream *of = stream->summary->stream;
    struct armtap_part part;
    return !diagnosis->archive || of->last.file == archive_current(diagnosis->archive) ||
           armtap_diagnosis_part(diagnosis->found, of->connection, &part);
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
        if (is_in_capture(diagnosis, armtap_diagnosis_stream_at(diagnosis->found, i)))
            stream_json(&json, diagnosis, armtap_diagnosis_stream_at(diagnosis->found, i));
    json_close(&json);
    json_member_array(&json, "modes", true);
    for (size_t i = 0; i < armtap_diagnosis_mode_count(diagnosis->found); i++)
        if (diagnosis_shows(diagnosis, &armtap_diagnosis_mode_at(diagnosis->found, i)->where))
            mode_json(&json, diagnosis, armtap_diagnosis_mode_at(diagnosis->found, i));
    json_close(&json);
    json_member_unsigned(&json, "modes_left_out",
                         diagnosis->modes_left_out + armtap_diagnosis_modes_left_out(diagnosis->found));
    incidents_json(&json, diagnosis, places);
    struct standing all[STANDING_MAX];
    size_t count = diagnosis_standing(diagnosis, all);
    json_member_array(&json, "standing", true);
    for (size_t i = 0; i < count; i++)
        mode_json(&json, diagnosis, &all[i].mode);
    json_close(&json);
    comments_json(&json, &diagnosis->comments, diagnosis->source);
    if (diagnosis->archive)
        archive_json(&json, diagnosis);
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
