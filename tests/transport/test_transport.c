/* A stream gives the same records however networks and capturing machines rewrite it. With losses only the records
 * that these touch are missing, and every missing byte is accounted for. */
#include "outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../share.h"

static const struct {
    const char *file;
    unsigned connection;
    const char *stream;    /* as the samples' INDEX says */
    uint64_t handshake[2]; /* bytes without which the rest cannot be read */
} samples[] = {
    {"rtde-v2.pcapng.gz", 0, "rtde/2/411/396", {800, 800}},
    {"rtde-v1.pcap", 0, "rtde/1/121/1", {600, 600}},
    {"rtde-v3.pcapng", 0, "rtde/3/34/1", {1500, 1500}},
    {"cb3-1060.pcap.gz", 0, "realtime/1060/368/4", {1060, 0}},
    {"e-series-1220.pcapng.gz", 0, "realtime/1220/219/0", {1220, 0}},
    {"cb2-812.pcap.gz", 0, "realtime/812/172/0", {812, 0}},
    {"primary-stop.pcap.gz", 0, "primary/0/31/6", {1700, 0}}, /* kinematics and configuration come once */
    {"driver-stop.pcap.gz", 5, "external_control/0/0/116", {0, 256}},
};
#define SAMPLES (sizeof samples / sizeof samples[0])
#define LATE_MOST INT64_C(45000000) /* ns: a segment that comes 50 ms behind its acknowledgement is given up */
#define STRIDE 6                    /* between two rounds of a sample: another sample changes no round of the others */

static struct dialogue dialogues[SAMPLES];
static struct outcome originals[SAMPLES];

static const struct cutting whole = {.handshake = true, .end = true};
static const struct clothing plain = {.link = LINK_ETHERNET, .isn = {1000, 2000}};

static size_t rounds;

static void sample_name(char name[512], const char *file)
{
    const char *folder = getenv("srcdir");
    int length = snprintf(name, 512, "%s/captures/%s", folder ? folder : ".", file);
    assert_in_range(length, 1, 511);
}

static int read_samples(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        char name[512];
        sample_name(name, samples[i].file);
        dialogues[i].robot_calls = strncmp(samples[i].stream, "external_control/", 17) == 0;
        dialogue_read(&dialogues[i], name, samples[i].connection);
        outcome_of_dialogue(&dialogues[i], &whole, &plain, NULL, &originals[i]);
    }
    return 0;
}

static int free_samples(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        dialogue_free(&dialogues[i]);
        outcome_free(&originals[i]);
    }
    return 0;
}

/* ---- the originals, compared with the samples' index and with the length words ---- */

static bool is_data(enum armtap_protocol protocol, const uint8_t *frame)
{
    return protocol == ARMTAP_RTDE ? frame[2] == 'U' : protocol != ARMTAP_PRIMARY || frame[4] == 16;
}

static void check_frames(const struct dialogue *dialogue, const struct outcome *outcome, enum armtap_protocol protocol,
                         int direction)
{
    const struct bytes *stream = &dialogue->stream[direction];
    size_t record = 0;
    for (size_t at = 0; at < stream->length;) {
        const uint8_t *frame = stream->at + at, *word = frame + (protocol == ARMTAP_RTDE ? 0 : 2);
        size_t length = (size_t)word[0] << 8 | word[1];
        if (is_data(protocol, frame)) {
            assert_in_range(record, 0, outcome->count[direction] - 1);
            assert_int_equal(outcome->records[direction][record].offset, at);
            assert_int_equal(outcome->records[direction][record].length, length);
            record++;
        }
        at += length;
    }
    assert_int_equal(record, outcome->count[direction]);
}

static void test_originals(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        const struct armtap_stream *stream = &originals[i].streams[0];
        char found[80];
        snprintf(found, sizeof found, "%s/%d/%zu/%zu", armtap_protocol_name(stream->protocol), stream->version,
                 originals[i].count[0], originals[i].count[1]);
        assert_string_equal(found, samples[i].stream);
        check_frames(&dialogues[i], &originals[i], stream->protocol, ARMTAP_FROM_ROBOT);
        if (stream->protocol == ARMTAP_RTDE)
            check_frames(&dialogues[i], &originals[i], ARMTAP_RTDE, ARMTAP_TO_ROBOT);
        assert_int_equal(stream->gaps, 0);
        for (int d = 0; d < 2; d++) {
            assert_int_equal(stream->bytes_decoded[d], dialogues[i].stream[d].length);
            assert_int_equal(stream->bytes_skipped[d] + stream->bytes_lost[d], 0);
        }
    }
}

/* ---- other encapsulations ---- */

static const struct {
    const char *what;
    struct clothing clothing;
} wardrobe[] = {
    {"VLAN", {.link = LINK_ETHERNET, .tags = 1, .isn = {1, 2}}},
    {"QinQ", {.link = LINK_ETHERNET, .tags = 2, .isn = {1, 2}}},
    {"padded", {.link = LINK_ETHERNET, .padded = true, .isn = {1, 2}}},
    {"no IP length", {.link = LINK_ETHERNET, .no_ip_length = true, .isn = {1, 2}}},
    {"IPv6", {.link = LINK_ETHERNET, .v6 = true, .isn = {1, 2}}},
    {"IPv6, VLAN", {.link = LINK_ETHERNET, .v6 = true, .tags = 1, .isn = {1, 2}}},
    {"IPv6, extension headers", {.link = LINK_ETHERNET, .v6 = true, .extensions = true, .isn = {1, 2}}},
    {"SLL", {.link = LINK_SLL, .isn = {1, 2}}},
    {"SLL, VLAN", {.link = LINK_SLL, .tags = 1, .isn = {1, 2}}},
    {"SLL, IPv6", {.link = LINK_SLL, .v6 = true, .isn = {1, 2}}},
    {"SLL2", {.link = LINK_SLL2, .isn = {1, 2}}},
    {"SLL2, IPv6", {.link = LINK_SLL2, .v6 = true, .isn = {1, 2}}},
    {"raw", {.link = LINK_RAW, .isn = {1, 2}}},
    {"raw, IPv6", {.link = LINK_RAW, .v6 = true, .extensions = true, .isn = {1, 2}}},
    {"null, big-endian", {.link = LINK_NULL, .isn = {1, 2}}},
    {"null, little-endian", {.link = LINK_NULL, .little_endian = true, .isn = {1, 2}}},
    {"null, IPv6", {.link = LINK_NULL, .little_endian = true, .v6 = true, .isn = {1, 2}}},
    {"loop", {.link = LINK_LOOP, .isn = {1, 2}}},
    {"loop, IPv6", {.link = LINK_LOOP, .v6 = true, .isn = {1, 2}}},
    {"wrapped at once", {.link = LINK_ETHERNET, .isn = {0xffffffff, 0xfffffffe}}},
    {"wrapped in the stream", {.link = LINK_ETHERNET, .isn = {0xffffec00, 0xfffffc00}}},
};

static void test_clothes(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++)
        for (size_t k = 0; k < sizeof wardrobe / sizeof wardrobe[0]; k++) {
            struct outcome outcome = {0};
            outcome_of_dialogue(&dialogues[i], &whole, &wardrobe[k].clothing, NULL, &outcome);
            assert_same_records(&originals[i], &outcome, wardrobe[k].what);
            assert_int_equal(outcome_notes(&outcome, "stream.gap"), 0);
            outcome_free(&outcome);
        }
}

static void test_segment_sizes(void **state)
{
    static const struct cutting sizes[] = {
        {.least = 1, .most = 1, .handshake = true, .end = true},
        {.least = 1, .most = 3, .handshake = true},
        {.least = 1, .most = 40, .handshake = true, .end = true, .without_acks = true},
        {.least = 1, .most = 1448, .handshake = true, .end = true},
        {.least = 536, .most = 536, .handshake = true, .end = true},
    };
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++)
        for (size_t k = checks_all() ? 0 : i % 3; k < sizeof sizes / sizeof sizes[0]; k += checks_all() ? 1 : 3) {
            struct outcome outcome = {0};
            outcome_of_dialogue(&dialogues[i], &sizes[k], &plain, NULL, &outcome);
            assert_same_records(&originals[i], &outcome, "segment sizes");
            outcome_free(&outcome);
        }
}

/* ---- an unruly network ---- */

enum { REORDER = 1, COPY = 2, RESEND = 4, OVERLAP = 8, KEEP_ALIVE = 16, ALL = 31 };

static bool carries(const struct segment *segment)
{
    return segment->to > segment->from;
}

/* Whether a request of the handshake and its reply would change places. */
static bool crosses_handshake(const struct segments *segments, size_t from, size_t to, const uint64_t *handshake)
{
    bool directions[2] = {false, false}, early = false;
    for (size_t i = from; i <= to; i++) {
        const struct segment *segment = &segments->at[i];
        directions[segment->direction] |= carries(segment);
        early |= carries(segment) && segment->from < handshake[segment->direction];
    }
    return early && directions[0] && directions[1];
}

/* Segments change places as network cards with several queues and networks reorder them; times stay in order. */
static void reorder(struct segments *segments, const uint64_t *handshake, uint64_t *seed)
{
    for (size_t i = 0; i + 1 < segments->count; i++) {
        if (random_bits(seed) % 4)
            continue;
        size_t far = i + 1 + random_bits(seed) % 12;
        if (far >= segments->count || segments->at[i].flags & 3 || segments->at[far].flags & 3 ||
            crosses_handshake(segments, i, far, handshake) || segments->at[far].time - segments->at[i].time > LATE_MOST)
            continue;
        struct segment moved = segments->at[i];
        int64_t time = segments->at[far].time;
        for (size_t k = i; k < far; k++) {
            int64_t earlier = segments->at[k].time;
            segments->at[k] = segments->at[k + 1];
            segments->at[k].time = earlier;
        }
        segments->at[far] = moved;
        segments->at[far].time = time;
        i = far; /* each is moved once, so none comes later than that */
    }
}

static void overlap(size_t sample, struct segments *segments, uint64_t *seed)
{
    for (size_t i = 0; i < segments->count; i++) {
        struct segment *segment = &segments->at[i];
        size_t end = dialogues[sample].stream[segment->direction].length;
        if (!carries(segment) || random_bits(seed) % 3)
            continue;
        if (segment->from < samples[sample].handshake[segment->direction])
            end = segment->to; /* no reply before its request */
        size_t before = random_bits(seed) % 300, after = random_bits(seed) % 300;
        segment->from -= before < segment->from ? before : segment->from;
        segment->to += after < end - segment->to ? after : end - segment->to;
    }
}

/* Segments are repeated: at once and unchanged, later with another IP id, or as a keep-alive's byte. */
static void repeat(struct segments *segments, unsigned how, uint64_t *seed)
{
    for (size_t i = 3; i < segments->count; i++) {
        struct segment again = segments->at[i];
        unsigned choice = (unsigned)(1u << random_bits(seed) % 5);
        if (!carries(&again) || !(choice & how & (COPY | RESEND | KEEP_ALIVE)))
            continue;
        size_t place = i + 1;
        if (choice == RESEND)
            place += random_bits(seed) % 20;
        if (choice != COPY)
            again.ip_id = (uint16_t)(again.ip_id + 1000);
        if (choice == KEEP_ALIVE)
            again.from = again.to - 1;
        if (place >= segments->count)
            continue;
        again.time = segments->at[place].time;
        segments_insert(segments, place, &again);
    }
}

static void unrest(size_t sample, struct segments *segments, unsigned how, uint64_t *seed)
{
    if (how & OVERLAP)
        overlap(sample, segments, seed);
    if (how & (COPY | RESEND | KEEP_ALIVE))
        repeat(segments, how, seed);
    if (how & REORDER)
        reorder(segments, samples[sample].handshake, seed);
}

static void test_unrest(void **state)
{
    static const unsigned kinds[] = {REORDER, COPY, RESEND, OVERLAP, KEEP_ALIVE, ALL};
    (void)state;
    for (size_t i = 0; i < rounds * SAMPLES; i++) {
        size_t sample = i % SAMPLES;
        uint64_t round = i / SAMPLES * STRIDE + sample, seed = 7919 * round + 1;
        struct cutting cutting = {
            .least = 1, .most = 1 + random_bits(&seed) % 1448, .seed = round, .handshake = true, .end = round % 2};
        struct clothing clothing = wardrobe[round % (sizeof wardrobe / sizeof wardrobe[0])].clothing;
        unsigned how = kinds[i / SAMPLES % (sizeof kinds / sizeof kinds[0])];
        char what[80];
        clothing.isn[0] = (uint32_t)random_bits(&seed) | 0xffff0000;
        clothing.isn[1] = (uint32_t)random_bits(&seed);
        struct segments segments = {0};
        struct capture_list list = {0};
        struct outcome outcome = {0};
        cut(&dialogues[sample], &cutting, &segments);
        unrest(sample, &segments, how, &seed);
        dress(&dialogues[sample], &segments, &clothing, &list);
        outcome_of(&list, NULL, &outcome);
        snprintf(what, sizeof what, "round %u, unrest %u", (unsigned)round, how);
        assert_same_records(&originals[sample], &outcome, what);
        assert_int_equal(outcome.streams[0].gaps, 0);
        assert_int_equal(outcome_notes(&outcome, "tcp.overlap-differs"), 0);
        outcome_free(&outcome);
        capture_list_free(&list);
        segments_free(&segments);
    }
}

/* ---- losses ---- */

struct range {
    size_t from, to;
};

/* The bytes in no segment: ranges in the order of the stream. */
static size_t missing(const struct dialogue *dialogue, const struct segments *segments, int direction,
                      struct range *ranges, size_t room)
{
    size_t length = dialogue->stream[direction].length, count = 0;
    uint8_t *seen = calloc(length + 1, 1);
    assert_non_null(seen);
    for (size_t i = 0; i < segments->count; i++)
        if ((int)segments->at[i].direction == direction && carries(&segments->at[i]))
            memset(seen + segments->at[i].from, 1, segments->at[i].to - segments->at[i].from);
    for (size_t at = 0; at < length; at++) {
        if (seen[at])
            continue;
        if (count > 0 && ranges[count - 1].to == at) {
            ranges[count - 1].to++;
            continue;
        }
        assert_true(count < room);
        ranges[count++] = (struct range){at, at + 1};
    }
    free(seen);
    return count;
}

static void drop(const struct dialogue *dialogue, struct segments *segments, const uint64_t *keep, unsigned one_in,
                 uint64_t *seed)
{
    size_t to = 0;
    for (size_t i = 0; i < segments->count; i++) {
        const struct segment *segment = &segments->at[i];
        bool safe = segment->from < keep[segment->direction] ||
                    segment->to + 3000 > dialogue->stream[segment->direction].length;
        if (carries(segment) && !safe && random_bits(seed) % one_in == 0)
            continue;
        segments->at[to++] = *segment;
    }
    segments->count = to;
}

static bool is_touched(const struct outcome_record *record, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (record->offset < ranges[i].to && ranges[i].from < record->offset + record->length)
            return true;
    return false;
}

/* Each record is one of the original's, in order. No record that a hole does not touch is missing, except one for each
 * hole. Only the first after a hole is flagged. */
static void check_losses(const struct outcome *original, const struct outcome *outcome, int direction,
                         const struct range *ranges, size_t count, const char *what)
{
    size_t next = 0, extra = 0;
    bool hole = false;
    for (size_t i = 0; i < original->count[direction]; i++) {
        const struct outcome_record *expected = &original->records[direction][i];
        const struct outcome_record *got = next < outcome->count[direction] ? &outcome->records[direction][next] : NULL;
        if (got && same_record(expected, got)) {
            for (size_t k = 0; k < count; k++)
                hole |= i > 0 && ranges[k].from >= original->records[direction][i - 1].offset &&
                        ranges[k].from < expected->offset;
            if (hole != !!(got->flags & ARMTAP_AFTER_GAP))
                fail_msg("%s: direction %d: flag of record %zu", what, direction, i);
            hole = false;
            next++;
            continue;
        }
        hole = true;
        extra += !is_touched(expected, ranges, count);
    }
    if (next != outcome->count[direction])
        print_error("the first that differs: byte %zu, length %zu\n", (size_t)outcome->records[direction][next].offset,
                    outcome->records[direction][next].length);
    if (next != outcome->count[direction])
        fail_msg("%s: direction %d: %zu records, %zu of them the original's", what, direction,
                 outcome->count[direction], next);
    if (extra > count)
        fail_msg("%s: direction %d: %zu untouched records are missing, with %zu holes", what, direction, extra, count);
}

/* Every byte of the stream is decoded, skipped or lost. */
static void check_accounts(const struct dialogue *dialogue, const struct outcome *outcome, int direction,
                           const struct range *ranges, size_t count, const char *what)
{
    const struct armtap_stream *stream = &outcome->streams[0];
    uint64_t sum = stream->bytes_decoded[direction] + stream->bytes_skipped[direction] + stream->bytes_lost[direction];
    uint64_t lost = 0;
    for (size_t i = 0; i < count; i++)
        lost += ranges[i].to - ranges[i].from;
    if (sum != dialogue->stream[direction].length)
        fail_msg("%s: direction %d: %zu bytes accounted for, of %zu", what, direction, (size_t)sum,
                 dialogue->stream[direction].length);
    if (stream->bytes_lost[direction] != lost || outcome->gap_bytes[direction] != lost)
        fail_msg("%s: direction %d: %zu bytes lost, expected %zu", what, direction,
                 (size_t)stream->bytes_lost[direction], (size_t)lost);
    if (outcome->gap_events[direction] != count)
        fail_msg("%s: direction %d: %zu gaps, expected %zu", what, direction, (size_t)outcome->gap_events[direction],
                 count);
}

static void lose_some(size_t sample, uint64_t round, bool all_kept)
{
    static const unsigned rates[] = {4, 20, 100};
    static struct range ranges[2][20000];
    const struct dialogue *dialogue = &dialogues[sample];
    const uint64_t nothing[2] = {0};
    uint64_t seed = 104729 * round + 3;
    struct cutting cutting = {.least = 1,
                              .most = 1 + random_bits(&seed) % 1448,
                              .seed = round,
                              .handshake = true,
                              .end = round % 3 != 0,
                              .without_acks = round % 5 == 4};
    struct segments segments = {0};
    struct capture_list list = {0};
    struct outcome outcome = {0};
    size_t count[2];
    char what[80];
    snprintf(what, sizeof what, "%s, round %u", samples[sample].file, (unsigned)round);
    cut(dialogue, &cutting, &segments);
    if (round % 2)
        unrest(sample, &segments, round % 4 == 1 ? REORDER : COPY | KEEP_ALIVE, &seed);
    drop(dialogue, &segments, all_kept ? samples[sample].handshake : nothing, rates[round % 3], &seed);
    dress(dialogue, &segments, &plain, &list);
    outcome_of(&list, NULL, &outcome);
    for (int d = 0; d < 2; d++) {
        count[d] = missing(dialogue, &segments, d, ranges[d], 20000);
        check_accounts(dialogue, &outcome, d, ranges[d], count[d], what);
        if (all_kept && (d == 0 || originals[sample].streams[0].protocol != ARMTAP_REALTIME))
            check_losses(&originals[sample], &outcome, d, ranges[d], count[d], what);
    }
    if (outcome.streams[0].gaps != count[0] + count[1])
        fail_msg("%s: %zu gaps, expected %zu and %zu", what, (size_t)outcome.streams[0].gaps, count[0], count[1]);
    if (all_kept) /* a hole before the protocol is recognised raises no note */
        assert_in_range(outcome_notes(&outcome, "stream.gap") + 2, count[0] + count[1], count[0] + count[1] + 2);
    outcome_free(&outcome);
    capture_list_free(&list);
    segments_free(&segments);
}

static void test_losses(void **state)
{
    (void)state;
    for (size_t i = 0; i < rounds * SAMPLES; i++)
        lose_some(i % SAMPLES, i / SAMPLES * STRIDE + i % SAMPLES, true);
}

/* Loses parts of the handshake, too: the counters must still add up. */
static void test_losses_anywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < rounds * SAMPLES; i++)
        lose_some(i % SAMPLES, 1000 + i / SAMPLES * STRIDE + i % SAMPLES, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_originals), cmocka_unit_test(test_clothes), cmocka_unit_test(test_segment_sizes),
        cmocka_unit_test(test_unrest),    cmocka_unit_test(test_losses),  cmocka_unit_test(test_losses_anywhere),
    };
    rounds = share_of(24, 2, "rounds of each sample");
    return cmocka_run_group_tests_name("transport", tests, read_samples, free_samples);
}
