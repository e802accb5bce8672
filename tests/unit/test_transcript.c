/* Transcripts of a capture's parts lead to what the whole capture leads to: findings, rates, modes and verdicts of
 * every sample capture cut at every packet into two, and some into several parts; and damaged transcripts do no harm.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../share.h"
#include "analysis/armtap-analysis.h"
#include "diagnose/transcript_rows.h"
#include "sample_packets.h"

#define ROUNDS 10
#define CUTS 11 /* a sample tries one cut in so many */
#define PARTS_MAX 8
#define RAW_IP 101 /* link type: packets begin with the IP header */

/* Loses some packets and captures some twice, so that there are findings. */
static void disturb(struct sample_packets *sample, uint64_t *seed)
{
    for (size_t i = 1; i < sample->count; i++) {
        struct armtap_packet *packet = &sample->packets[i];
        uint64_t what = random_bits(seed) % 40;
        if (what == 0)
            packet->captured = packet->length = 0;
        if (what == 1 && sample->packets[i - 1].captured > 0) {
            uint8_t *data = malloc(sample->packets[i - 1].captured + 1);
            assert_non_null(data);
            memcpy(data, sample->packets[i - 1].data, sample->packets[i - 1].captured);
            free((void *)packet->data);
            packet->data = data;
            packet->captured = sample->packets[i - 1].captured;
            packet->length = sample->packets[i - 1].length;
        }
    }
}

/* ---- what a diagnosis says ---- */

static void log_findings(struct log *log, const struct armtap_diagnosis *diagnosis)
{
    for (size_t i = 0; i < armtap_diagnosis_finding_count(diagnosis); i++) {
        const struct armtap_finding *finding = armtap_diagnosis_finding_at(diagnosis, i);
        char text[ARMTAP_FINDING_TEXT_MAX];
        armtap_finding_say(text, finding, NULL);
        log_line(log, "%s %u %llu %lld %u x%llu %d: %s", finding->kind->id, finding->stream,
                 (unsigned long long)finding->where.packet, (long long)finding->where.time, finding->where.file,
                 (unsigned long long)finding->count, finding->is_doubtful, text);
    }
    for (size_t i = 0; i < armtap_diagnosis_incident_count(diagnosis); i++) {
        const struct armtap_incident *incident = armtap_diagnosis_incident_at(diagnosis, i);
        log_line(log, "incident %s %lld %lld %s %s %d %zu", incident->what->id, (long long)incident->from,
                 (long long)incident->to, incident->cause ? incident->cause->id : "-",
                 armtap_blame_name(incident->side), incident->is_network_clean, incident->evidence_count);
    }
}

static void log_streams(struct log *log, const struct armtap_diagnosis *diagnosis)
{
    for (size_t i = 0; i < armtap_diagnosis_stream_count(diagnosis); i++) {
        const struct armtap_stream_diagnosis *told = armtap_diagnosis_stream_at(diagnosis, i);
        const struct armtap_stream *stream = told->summary->stream;
        log_line(log, "stream %zu %s %s %s v%d %llu+%llu records, %llu lost, %llu gaps, %s, %llu unread", i,
                 stream->robot, stream->client, stream->controller_version, stream->version,
                 (unsigned long long)stream->records[0], (unsigned long long)stream->records[1],
                 (unsigned long long)stream->bytes_lost[0], (unsigned long long)stream->gaps, told->no_data,
                 (unsigned long long)told->unread);
        if (told->rates)
            log_line(log, "rates %a %a %llu %lld %lld %lld %lld", told->rates->expected_hz, told->rates->rate_hz,
                     (unsigned long long)told->rates->skipped, (long long)told->rates->jitter_p50,
                     (long long)told->rates->jitter_p99, (long long)told->rates->jitter_max,
                     (long long)told->rates->longest_silence);
        if (told->clock)
            log_line(log, "clock %d %lld %d %a", told->clock->has_offset, (long long)told->clock->offset,
                     told->clock->has_drift, told->clock->drift_ppm);
    }
    for (size_t i = 0; i < armtap_diagnosis_mode_count(diagnosis); i++) {
        const struct armtap_mode *mode = armtap_diagnosis_mode_at(diagnosis, i);
        log_line(log, "mode %llu %llu %s %u %lld", (unsigned long long)mode->connection,
                 (unsigned long long)mode->where.packet, mode->field->name, mode->arm, (long long)mode->value);
    }
}

static char *say(struct armtap_diagnosis *diagnosis)
{
    struct log log = {0};
    assert_int_equal(armtap_diagnosis_finish(diagnosis), ARMTAP_OK);
    log_findings(&log, diagnosis);
    log_streams(&log, diagnosis);
    armtap_diagnosis_free(diagnosis);
    return log.text ? log.text : calloc(1, 1);
}

static struct armtap_diagnosis *diagnosis_new(void)
{
    struct armtap_diagnosis *diagnosis;
    assert_int_equal(armtap_diagnosis_new(NULL, &diagnosis), ARMTAP_OK);
    return diagnosis;
}

static char *whole(const struct sample_packets *sample)
{
    struct armtap_net *net;
    struct armtap_diagnosis *diagnosis = diagnosis_new();
    assert_int_equal(armtap_net_new(NULL, armtap_diagnosis_sink(diagnosis), diagnosis, &net), ARMTAP_OK);
    for (size_t i = 0; i < sample->count; i++)
        assert_int_equal(armtap_net_packet(net, &sample->packets[i]), ARMTAP_OK);
    assert_int_equal(armtap_net_finish(net), ARMTAP_OK);
    armtap_net_free(net);
    return say(diagnosis);
}

/* ---- transcripts ---- */

struct parts {
    struct transcript *all[PARTS_MAX];
    size_t count;
};

#define WRITE(callback, type, write)                                                                                   \
    static int callback(void *user, const struct type *what)                                                           \
    {                                                                                                                  \
        const struct parts *parts = user;                                                                              \
        return write(parts->all[parts->count - 1], what);                                                              \
    }
WRITE(on_record, armtap_record, transcript_record)
WRITE(on_recipe, armtap_recipe_event, transcript_recipe)
WRITE(on_note, armtap_note, transcript_note)
WRITE(on_event, armtap_event, transcript_event)
WRITE(on_message, armtap_message, transcript_message)
WRITE(on_command, armtap_command, transcript_command)
#undef WRITE

/* The transcripts of the parts that begin at these packets, in order. */
static void write_parts(struct parts *parts, const struct sample_packets *sample, const size_t *begins, size_t count)
{
    const struct armtap_sink sink = {.size = sizeof sink,
                                     .on_record = on_record,
                                     .on_recipe = on_recipe,
                                     .on_note = on_note,
                                     .on_event = on_event,
                                     .on_message = on_message,
                                     .on_command = on_command};
    struct armtap_net *net;
    *parts = (struct parts){.count = 1, .all = {transcript_new()}};
    assert_int_equal(armtap_net_new(NULL, &sink, parts, &net), ARMTAP_OK);
    for (size_t i = 0; i < sample->count; i++) {
        if (parts->count <= count && i >= begins[parts->count - 1])
            parts->all[parts->count++] = transcript_new();
        assert_int_equal(armtap_net_packet(net, &sample->packets[i]), ARMTAP_OK);
    }
    assert_int_equal(armtap_net_finish(net), ARMTAP_OK);
    armtap_net_free(net);
}

/* What the transcripts lead to; frees them. */
static char *play_parts(struct parts *parts, size_t *bytes)
{
    struct armtap_diagnosis *diagnosis = diagnosis_new();
    struct transcript_player *player = transcript_player_new();
    assert_non_null(player);
    for (size_t i = 0; i < parts->count; i++) {
        size_t length;
        const uint8_t *text = transcript_end(parts->all[i], &length);
        *bytes += length;
        assert_int_equal(transcript_play(player, text, length, armtap_diagnosis_sink(diagnosis), diagnosis),
                         TRANSCRIPT_PLAYED);
        transcript_free(parts->all[i]);
    }
    char *text = say(diagnosis);
    transcript_player_free(player);
    return text;
}

static size_t check(const char *name, const struct sample_packets *sample, const char *expected, const size_t *begins,
                    size_t count)
{
    struct parts parts;
    size_t i = 0, bytes = 0;
    write_parts(&parts, sample, begins, count);
    char *text = play_parts(&parts, &bytes);
    while (text[i] != '\0' && text[i] == expected[i])
        i++;
    while (i > 0 && text[i - 1] != '\n')
        i--;
    if (strcmp(text, expected) != 0)
        fail_msg("%s cut at packet %zu and %zu more:\n%.300s\ninstead of\n%.300s", name, begins[0], count - 1, text + i,
                 expected + i);
    free(text);
    return bytes;
}

/* Frees the packets; returns what the whole says, which the caller frees. */
static char *cut(const char *name, struct sample_packets *sample, bool disturbed, uint64_t *seed)
{
    size_t begins[PARTS_MAX], bytes = 0, packets = 0;
    if (disturbed)
        disturb(sample, seed);
    for (size_t i = 0; i < sample->count; i++)
        packets += sample->packets[i].captured;
    char *expected = whole(sample);
    for (size_t at = 1; at < sample->count && !disturbed; at += checks_all() ? 1 : CUTS)
        bytes = check(name, sample, expected, &at, 1);
    for (unsigned round = 0; round < ROUNDS; round++) {
        size_t count = 0;
        for (size_t at = 0; count < PARTS_MAX - 1 && at < sample->count; at = begins[count++])
            begins[count] = at + 1 + random_size(sample->count / 4, seed);
        check(name, sample, expected, begins, count);
    }
    print_message("%s: %zu packets of %zu bytes; transcripts of %zu bytes\n", name, sample->count, packets, bytes);
    sample_free(sample);
    return expected;
}

static void parts_lead_to_what_the_whole_leads_to(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        struct sample_packets sample;
        for (int disturbed = 0; disturbed < 2; disturbed++) {
            sample_read(&sample, sample_names[i]);
            free(cut(sample_names[i], &sample, disturbed == 1, &seed));
        }
    }
}

/* Adds an RTDE package of a connection that has sent seq[0] and seq[1] bytes. */
static void add_package(struct sample_packets *sample, bool to_robot, uint32_t seq[2], char type, struct bytes *payload)
{
    const uint32_t address[2] = {0x0a000002, 0x0a000009};
    const uint16_t port[2] = {30004, 50000};
    struct bytes package = {0};
    bytes_package(&package, type, payload);
    uint8_t *data = malloc(40 + package.length);
    sample->packets = realloc(sample->packets, (sample->count + 1) * sizeof *sample->packets);
    assert_true(data && sample->packets);
    put_segment(data,
                &(struct tcp_segment){{address[to_robot], address[!to_robot]},
                                      {port[to_robot], port[!to_robot]},
                                      seq[to_robot],
                                      seq[!to_robot],
                                      0x18},
                package.at, package.length);
    seq[to_robot] += (uint32_t)package.length;
    sample->packets[sample->count] =
        (struct armtap_packet){.link_type = RAW_IP,
                               .where = {.time = (int64_t)sample->count * 8000000, .packet = sample->count + 1},
                               .data = data,
                               .captured = 40 + package.length,
                               .length = 40 + package.length};
    sample->count++;
    bytes_free(&package);
    bytes_free(payload);
    *payload = (struct bytes){0};
}

/* No sample asks for the bits of safety alone. */
static void bits_are_transcribed(void **state)
{
    static const uint32_t bits[] = {0x410, 0x001, 0x404, 0x001, 0x500};
    struct sample_packets sample = {0};
    struct bytes payload = {0};
    uint32_t seq[2] = {1000, 2000};
    uint64_t seed = 7;
    (void)state;
    bytes_hex(&payload, "00 02");
    add_package(&sample, true, seq, 'V', &payload);
    bytes_hex(&payload, "01");
    add_package(&sample, false, seq, 'V', &payload);
    bytes_hex(&payload, "40 5f 40 00 00 00 00 00");
    bytes_text(&payload, "timestamp,safety_status_bits");
    add_package(&sample, true, seq, 'O', &payload);
    bytes_hex(&payload, "01");
    bytes_text(&payload, "DOUBLE,UINT32");
    add_package(&sample, false, seq, 'O', &payload);
    for (unsigned i = 0; i < 50; i++) {
        bytes_hex(&payload, "01");
        bytes_double(&payload, 10 + 0.008 * i);
        bytes_number(&payload, bits[i / 10], 4);
        add_package(&sample, false, seq, 'U', &payload);
    }
    char *said = cut("bits of safety", &sample, false, &seed);
    assert_non_null(strstr(said, "IS_SAFEGUARD_STOPPED (safety_status_bits 1040), already when the data began"));
    assert_non_null(strstr(said, "IS_PROTECTIVE_STOPPED (safety_status_bits 1028)"));
    assert_non_null(strstr(said, "IS_VIOLATION (safety_status_bits 1280)"));
    free(said);
}

/* ---- damage ---- */

/* A sum that fits, as in a transcript that somebody made on purpose. */
static void put_sum(uint8_t *bytes, size_t length)
{
    uint64_t sum = rows_sum(bytes, length - SUM_BYTES);
    for (unsigned i = 0; i < SUM_BYTES; i++)
        bytes[length - SUM_BYTES + i] = (uint8_t)(sum >> 8 * i);
}

static void play_damaged(const uint8_t *bytes, size_t length, uint64_t *seed, unsigned round)
{
    struct armtap_diagnosis *diagnosis = diagnosis_new();
    struct transcript_player *player = transcript_player_new();
    const struct armtap_sink *sink = armtap_diagnosis_sink(diagnosis);
    uint8_t *damaged = malloc(length);
    assert_true(damaged && player);
    memcpy(damaged, bytes, length);
    for (unsigned k = 0; k < 1 + round % 4; k++)
        damaged[1 + random_bits(seed) % (length - 1)] ^= (uint8_t)(1 + random_bits(seed) % 255);
    assert_int_equal(transcript_play(player, damaged, length, sink, diagnosis), TRANSCRIPT_DAMAGED);
    assert_int_equal(transcript_play(player, bytes, length / 2, sink, diagnosis), TRANSCRIPT_DAMAGED);
    put_sum(damaged, length);
    assert_int_not_equal(transcript_play(player, damaged, length, sink, diagnosis), TRANSCRIPT_STOPPED);
    free(say(diagnosis));
    transcript_player_free(player);
    free(damaged);
}

static void damaged_transcripts_do_no_harm(void **state)
{
    uint64_t seed = 9;
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        struct sample_packets sample;
        struct parts parts;
        size_t length, begin = SIZE_MAX;
        sample_read(&sample, sample_names[i]);
        write_parts(&parts, &sample, &begin, 0);
        const uint8_t *bytes = transcript_end(parts.all[0], &length);
        for (unsigned round = 0; round < 4 * ROUNDS; round++)
            play_damaged(bytes, length, &seed, round);
        transcript_free(parts.all[0]);
        sample_free(&sample);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_lead_to_what_the_whole_leads_to),
        cmocka_unit_test(bits_are_transcribed),
        cmocka_unit_test(damaged_transcripts_do_no_harm),
    };
    share_of(CUTS, 1, "cuts");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
