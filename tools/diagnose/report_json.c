/* What diagnose prints with --json. */
#include <math.h>
#include <stdlib.h>

#include "diagnosis.h"
#include "base/json_writer.h"

#define TIME_DIGITS 9

static void key_time(struct json *json, const char *key, int64_t time)
{
    json_key(json, key);
    if (time == ARMTAP_NO_TIME)
        json_null(json);
    else
        json_decimal(json, time, TIME_DIGITS);
}

static void key_packet(struct json *json, uint64_t packet)
{
    json_key(json, "packet");
    if (packet == 0)
        json_null(json);
    else
        json_unsigned(json, packet);
}

/* With so many decimals; null where it is not known. */
static void key_double(struct json *json, const char *key, double value, bool known, unsigned digits)
{
    double scaled = value * pow(10, digits);
    json_key(json, key);
    if (known && fabs(scaled) < 9e18)
        json_decimal(json, llround(scaled), digits);
    else
        json_null(json);
}

/* ns in a larger unit: 10^-digits of it is a ns */
static void key_ns(struct json *json, const char *key, int64_t ns, bool known, unsigned digits)
{
    json_key(json, key);
    if (known)
        json_decimal(json, ns, digits);
    else
        json_null(json);
}

static void finding_json(struct json *json, const struct diagnosis *diagnosis, const struct finding *finding)
{
    json_object(json, false);
    json_key(json, "severity");
    json_text(json, armtap_severity_name(finding->kind->severity));
    json_key(json, "id");
    json_text(json, finding->kind->id);
    json_key(json, "file");
    json_text(json, diagnosis_file(diagnosis, &finding->where));
    json_key(json, "stream");
    if (finding->stream == FINDING_NO_STREAM)
        json_null(json);
    else
        json_unsigned(json, finding->stream);
    key_packet(json, finding->where.packet);
    key_time(json, "time", finding->where.time);
    json_key(json, "text");
    json_text(json, finding->text);
    if (finding->is_doubtful) {
        json_key(json, "doubtful");
        json_bool(json, true);
    }
    json_close(json);
}

static void stream_json(struct json *json, const struct diagnosis *diagnosis, const struct stream_summary *summary)
{
    static const struct stream_monitor none = {
        .stream_rates_totals = {.jitter_p50 = -1, .jitter_p99 = -1, .jitter_max = -1, .longest_silence = -1}};
    const struct stream_monitor *watch = monitors_of(diagnosis->watches, summary->stream.connection);
    watch = watch == NULL ? &none : watch;
    const struct stream_rates_totals *rates = &watch->stream_rates_totals;
    const struct clock_drift_totals *clocks = &watch->clock_drift_totals;
    json_object(json, true);
    json_key(json, "stream");
    json_unsigned(json, summary->number);
    key_double(json, "expected_hz", rates->expected_hz, rates->expected_hz > 0, 6);
    key_double(json, "rate_hz", rates->rate_hz, rates->rate_hz > 0, 6);
    json_key(json, "skipped");
    json_unsigned(json, rates->skipped);
    json_key(json, "bytes_lost");
    json_unsigned(json, summary->stream.bytes_lost[0] + summary->stream.bytes_lost[1]);
    key_ns(json, "jitter_p50_ms", rates->jitter_p50, rates->jitter_p50 >= 0, 6);
    key_ns(json, "jitter_p99_ms", rates->jitter_p99, rates->jitter_p99 >= 0, 6);
    key_ns(json, "jitter_max_ms", rates->jitter_max, rates->jitter_max >= 0, 6);
    key_ns(json, "longest_silence_s", rates->longest_silence, rates->longest_silence >= 0, 9);
    key_ns(json, "clock_offset_s", clocks->offset, clocks->has_offset, 9);
    key_double(json, "clock_drift_ppm", clocks->drift_ppm, clocks->has_drift, 3);
    json_close(json);
}

static void mode_json(struct json *json, const struct diagnosis *diagnosis, const struct mode_entry *entry)
{
    const struct stream_summary *summary = streams_of(diagnosis->streams, entry->connection);
    char name[MODES_NAME_MAX];
    if (summary == NULL)
        return;
    json_object(json, false);
    json_key(json, "stream");
    json_unsigned(json, summary->number);
    key_packet(json, entry->where.packet);
    key_time(json, "time", entry->where.time);
    json_key(json, "field");
    json_text(json, modes_field_name(entry, name));
    json_key(json, "value");
    json_signed(json, entry->value);
    json_key(json, "name");
    json_text(json, entry->name);
    json_close(json);
}

void diagnosis_print_json(const struct diagnosis *diagnosis)
{
    struct json json;
    json_begin(&json, stdout);
    json_object(&json, true);
    json_key(&json, "findings");
    json_array(&json, true);
    for (size_t i = 0; i < findings_count(diagnosis->findings); i++)
        if (diagnosis_shows(diagnosis, &findings_at(diagnosis->findings, i)->where))
            finding_json(&json, diagnosis, findings_at(diagnosis->findings, i));
    json_close(&json);
    json_key(&json, "streams");
    json_array(&json, true);
    for (size_t i = 0; i < streams_count(diagnosis->streams); i++)
        stream_json(&json, diagnosis, streams_at(diagnosis->streams, i));
    json_close(&json);
    json_key(&json, "modes");
    json_array(&json, true);
    for (size_t i = 0; i < diagnosis->modes.count; i++)
        if (diagnosis_shows(diagnosis, &diagnosis->modes.all[i].where))
            mode_json(&json, diagnosis, &diagnosis->modes.all[i]);
    json_close(&json);
    json_end(&json);
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
            json_object(&json, false);
            json_key(&json, "id");
            json_text(&json, kind->id);
            json_key(&json, "severity");
            json_text(&json, armtap_severity_name(kind->severity));
            json_key(&json, "meaning");
            json_text(&json, kind->meaning);
            json_key(&json, "remedy");
            json_text(&json, kind->remedy);
            json_close(&json);
        }
    json_end(&json);
}
