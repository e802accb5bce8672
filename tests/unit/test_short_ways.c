/* Usual packets take short ways through lib/network/net.c and lib/tcp/tcp.c. All is said as on the plain ways, where
 * messages are pushed in two pieces: of every sample, as it is and with packets lost, late, doubled, cut and changed in
 * their headers. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/budget.h"
#include "connection/connection.h"
#include "packet/link.h"
#include "network/net.h"
#include "sample_packets.h"
#include "../share.h"
#include "tcp/tcp.h"
#include "tcp/tcp_deliver.h"
#include "inside.h"

#define ROUNDS 60
#define HEADERS 120 /* bytes in which a packet is changed: all headers, and the beginning of its message */
#define PAD 40

/* ---- the short ways, closed on request --------------------------------------------------------------------------- */

static bool plainly, sparing; /* sparing: of memory, which has a limit, too */
static size_t usual_packets, usual_bytes;

bool __real_armtap_header_pattern_read(struct armtap_header_pattern *pattern, const struct armtap_packet *packet);
bool __wrap_armtap_header_pattern_read(struct armtap_header_pattern *pattern, const struct armtap_packet *packet);
int __real_armtap_tcp_next(struct armtap_tcp *tcp, enum armtap_direction direction,
                           const struct armtap_segment *segment);
int __wrap_armtap_tcp_next(struct armtap_tcp *tcp, enum armtap_direction direction,
                           const struct armtap_segment *segment);
int __real_armtap_conn_push(struct armtap_conn *conn, enum armtap_direction direction, const void *bytes, size_t length,
                            const struct armtap_where *where);
int __wrap_armtap_conn_push(struct armtap_conn *conn, enum armtap_direction direction, const void *bytes, size_t length,
                            const struct armtap_where *where);

bool __real_armtap_tcp_is_next(const struct armtap_tcp *tcp, enum armtap_direction direction,
                               const struct armtap_segment *segment);
bool __wrap_armtap_tcp_is_next(const struct armtap_tcp *tcp, enum armtap_direction direction,
                               const struct armtap_segment *segment);

bool __wrap_armtap_tcp_is_next(const struct armtap_tcp *tcp, enum armtap_direction direction,
                               const struct armtap_segment *segment)
{
    return !plainly && __real_armtap_tcp_is_next(tcp, direction, segment);
}

/* What a pattern reads must be what parsing gives. */
bool __wrap_armtap_header_pattern_read(struct armtap_header_pattern *pattern, const struct armtap_packet *packet)
{
    struct armtap_segment parsed;
    const char *fault;
    if (plainly || !__real_armtap_header_pattern_read(pattern, packet))
        return false;
    const struct armtap_segment *read = &pattern->segment;
    assert_int_equal(armtap_link_parse(packet, &parsed, &fault), ARMTAP_LINK_TCP);
    assert_memory_equal(&read->source, &parsed.source, sizeof parsed.source);
    assert_memory_equal(&read->target, &parsed.target, sizeof parsed.target);
    assert_memory_equal(read->sack, parsed.sack, sizeof parsed.sack);
    assert_int_equal(read->source_port, parsed.source_port);
    assert_int_equal(read->target_port, parsed.target_port);
    assert_int_equal(read->seq, parsed.seq);
    assert_int_equal(read->ack, parsed.ack);
    assert_int_equal(read->flags, parsed.flags);
    assert_int_equal(read->window, parsed.window);
    assert_int_equal(read->window_scale, parsed.window_scale);
    assert_int_equal(read->ip_id, parsed.ip_id);
    assert_int_equal(read->has_timestamps, parsed.has_timestamps);
    assert_int_equal(read->tsval, parsed.tsval);
    assert_int_equal(read->tsecr, parsed.tsecr);
    assert_int_equal(read->sack_count, parsed.sack_count);
    assert_ptr_equal(read->payload, parsed.payload);
    assert_int_equal(read->length, parsed.length);
    assert_int_equal(read->cut, parsed.cut);
    return true;
}

static int hear_bytes(void *user, enum armtap_direction direction, const uint8_t *bytes, size_t length,
                      const struct armtap_where *where)
{
    (void)user, (void)direction, (void)bytes, (void)length, (void)where;
    return 0;
}

static int hear_gap(void *user, enum armtap_direction direction, uint64_t length, enum armtap_missing_why why,
                    const struct armtap_where *where)
{
    (void)user, (void)direction, (void)length, (void)why, (void)where;
    return 0;
}

static int hear_event(void *user, enum armtap_direction direction, enum armtap_event_type type, uint64_t a,
                      const struct armtap_where *where)
{
    (void)user, (void)direction, (void)type, (void)a, (void)where;
    return 0;
}

static int hear_arrival(void *user, enum armtap_direction direction, enum armtap_event_type type, uint64_t bytes,
                        bool doubtful, const struct armtap_where *where)
{
    (void)user, (void)direction, (void)type, (void)bytes, (void)doubtful, (void)where;
    return 0;
}

/* The plain way leaves both sides as the short one does. */
int __wrap_armtap_tcp_next(struct armtap_tcp *tcp, enum armtap_direction direction,
                           const struct armtap_segment *segment)
{
    static const struct armtap_tcp_calls calls = {
        .push = hear_bytes, .gap = hear_gap, .event = hear_event, .arrival = hear_arrival};
    struct armtap_tcp plain = *tcp;
    plain.calls = &calls;
    plain.side[0].history = plain.side[1].history = NULL;
    assert_false(armtap_tcp_is_other(&plain, direction, segment));
    assert_int_equal(armtap_tcp_segment(&plain, direction, segment), 0);
    int error = __real_armtap_tcp_next(tcp, direction, segment);
    for (int i = 0; i < 2; i++) {
        const struct armtap_tcp_side *is = &tcp->side[i], *was = &plain.side[i];
        assert_memory_equal(&is->sender, &was->sender, sizeof is->sender);
        assert_int_equal(is->state, was->state);
        assert_int_equal(is->has_first, was->has_first);
        assert_int_equal(is->next, was->next);
        assert_int_equal(is->highest, was->highest);
        assert_int_equal(is->first, was->first);
        assert_int_equal(is->lost, was->lost);
        assert_int_equal(is->missed, was->missed);
        assert_int_equal(is->keep_alives, was->keep_alives);
        assert_int_equal(is->window, was->window);
        assert_int_equal(is->window_peak, was->window_peak);
        assert_int_equal(is->queue.acked, was->queue.acked);
    }
    armtap_tcp_drop_histories(&plain, 0);
    usual_packets++;
    usual_bytes += segment->length;
    return error;
}

/* In two pieces where a message may begin, so that none is a whole one. While a protocol or a message is still
 * searched, pieces decide when it is found. */
int __wrap_armtap_conn_push(struct armtap_conn *conn, enum armtap_direction direction, const void *bytes, size_t length,
                            const struct armtap_where *where)
{
    if (!plainly || sparing || length < 2 || conn->half[armtap_conn_real(conn, direction)].mode != ARMTAP_HALF_SYNCED)
        return __real_armtap_conn_push(conn, direction, bytes, length, where);
    size_t first = 1 + length % 7 < length ? 1 + length % 7 : 1;
    int error = __real_armtap_conn_push(conn, direction, bytes, first, where);
    if (error != ARMTAP_OK)
        return error;
    return __real_armtap_conn_push(conn, direction, (const uint8_t *)bytes + first, length - first, where);
}

/* ---- packets with faults ----------------------------------------------------------------------------------------- */

/* A copy in a block of its own, so that the sanitizer detects a read beyond it. */
static void copy_packet(struct armtap_packet *to, const struct armtap_packet *from, size_t captured)
{
    uint8_t *data = malloc(captured ? captured : 1);
    assert_non_null(data);
    memset(data, 0, captured);
    memcpy(data, from->data, captured < from->captured ? captured : from->captured);
    *to = *from;
    to->data = data;
    to->captured = captured;
}

static uint8_t *writable(const uint8_t *data)
{
    return (uint8_t *)(uintptr_t)data;
}

static void change_bits(struct armtap_packet *packet, uint64_t *seed)
{
    size_t within = packet->captured < HEADERS ? packet->captured : HEADERS;
    for (size_t k = 1 + random_bits(seed) % 2; within > 0 && k > 0; k--)
        writable(packet->data)[random_bits(seed) % within] ^= (uint8_t)(1u << random_bits(seed) % 8);
}

/* The length of a packet as IP says it, changed by that. */
static void lengthen(const struct armtap_segment *segment, int by)
{
    uint8_t *ip = writable(segment->ip) + (segment->source.version == 4 ? 2 : 4);
    unsigned length = (unsigned)((ip[0] << 8 | ip[1]) + by);
    ip[0] = (uint8_t)(length >> 8);
    ip[1] = (uint8_t)length;
}

/* A closed window, a single byte as a sender tries one, an end, another window, a sender's clock that went back. */
static void change_header(struct armtap_packet *packet, uint64_t *seed)
{
    struct armtap_segment segment;
    const char *fault;
    if (armtap_link_parse(packet, &segment, &fault) != ARMTAP_LINK_TCP)
        return;
    uint8_t *tcp = writable(segment.tcp);
    switch (random_bits(seed) % 5) {
    case 0:
        tcp[14] = tcp[15] = 0;
        break;
    case 1:
        if (segment.length > 1)
            lengthen(&segment, 1 - (int)segment.length);
        break;
    case 2:
        tcp[13] |= ARMTAP_TCP_FIN;
        break;
    case 3:
        tcp[14] = (uint8_t)random_bits(seed);
        break;
    default:
        if (segment.has_timestamps)
            tcp[26] -= (uint8_t)(random_bits(seed) % 3);
    }
}

/* Gives a packet without options timestamps, as Linux sends them. */
static void add_timestamps(struct armtap_packet *packet)
{
    struct armtap_segment segment;
    const char *fault;
    bool is_plain = armtap_link_parse(packet, &segment, &fault) == ARMTAP_LINK_TCP && (segment.tcp[12] >> 4) == 5;
    if (!is_plain || segment.cut)
        return;
    size_t at = (size_t)(segment.tcp - packet->data) + 20;
    uint32_t clock = (uint32_t)(packet->where.time / 1000000);
    uint8_t *data = malloc(packet->captured + 12);
    assert_non_null(data);
    lengthen(&segment, 12);
    memcpy(data, packet->data, at);
    memcpy(data + at + 12, packet->data + at, packet->captured - at);
    data[at - 8] = 0x80 | (data[at - 8] & 15);
    memcpy(data + at, "\1\1\10\12", 4);
    for (size_t i = 0; i < 4; i++) {
        data[at + 4 + i] = (uint8_t)(clock >> (24 - 8 * i));
        data[at + 8 + i] = (uint8_t)((clock - 2) >> (24 - 8 * i));
    }
    free(writable(packet->data));
    packet->data = data;
    packet->captured += 12;
    packet->length += 12;
}

/* Adds a packet as it was captured, with one fault in `every` packets. */
static void add(struct sample_packets *to, const struct armtap_packet *packet, uint64_t *seed, unsigned every)
{
    struct armtap_packet *copy = &to->packets[to->count];
    size_t captured = packet->captured;
    uint64_t fault = random_bits(seed) % (8 * every);
    if (fault == 0)
        captured = random_size(captured + 1, seed);
    if (fault == 1)
        captured += random_size(PAD, seed);
    copy_packet(copy, packet, captured);
    if (fault == 1 && random_bits(seed) % 2)
        copy->length = captured;
    if (fault >= 2 && fault < 4)
        change_bits(copy, seed);
    if (fault >= 4 && fault < 8)
        change_header(copy, seed);
    copy->where.packet = ++to->count;
}

/* The packet itself, or one captured some packets ago: a retransmission. */
static const struct armtap_packet *one_before(const struct sample_packets *from, size_t i, uint64_t *seed)
{
    size_t back = random_size(12, seed);
    return &from->packets[i - (back < i ? back : i)];
}

/* `every` 0: as it is. */
static struct sample_packets disturbed(const struct sample_packets *from, uint64_t *seed, unsigned every)
{
    struct sample_packets to = {.packets = calloc(2 * from->count + 1, sizeof *to.packets)};
    assert_non_null(to.packets);
    for (size_t i = 0; i < from->count; i++) {
        uint64_t what = every ? random_bits(seed) % (3 * every) : 3;
        if (every == 0)
            copy_packet(&to.packets[to.count++], &from->packets[i], from->packets[i].captured);
        else if (what == 0 && i + 2 < from->count) /* late */
            add(&to, &from->packets[i + 1 + random_bits(seed) % 2], seed, every);
        else if (what != 1) /* lost */
            add(&to, &from->packets[i], seed, every);
        if (every && what == 2) /* doubled */
            add(&to, one_before(from, i, seed), seed, every);
    }
    return to;
}

/* ---- both ways --------------------------------------------------------------------------------------------------- */

static void take(struct armtap_net *net, const struct armtap_packet *packet, struct log *log)
{
    int error = armtap_net_packet(net, packet);
    assert_true(error == ARMTAP_OK || error == ARMTAP_ERR_UNSUPPORTED);
    log_line(log, "packet %zu", (size_t)packet->where.packet);
}

static struct log heard(const struct sample_packets *sample, bool is_plain)
{
    struct log log = {.values = true};
    struct armtap_net *net;
    struct armtap_sink sink = log_sink();
    plainly = is_plain;
    assert_int_equal(armtap_net_new(NULL, &sink, &log, &net), ARMTAP_OK);
    if (sparing)
        assert_int_equal(armtap_net_brief(net), ARMTAP_OK);
    for (size_t i = 0; i < sample->count; i++)
        take(net, &sample->packets[i], &log);
    assert_int_equal(armtap_net_finish(net), ARMTAP_OK);
    armtap_net_free(net);
    return log;
}

static void compare(const struct sample_packets *sample, const char *name, unsigned round)
{
    struct log one = heard(sample, true), other = heard(sample, false);
    if (strcmp(one.text, other.text) != 0) {
        size_t i = 0;
        while (one.text[i] == other.text[i])
            i++;
        while (i > 0 && one.text[i - 1] != '\n')
            i--;
        fail_msg("%s, round %u:\n%.300s\ninstead of\n%.300s", name, round, other.text + i, one.text + i);
    }
    log_free(&one);
    log_free(&other);
}

/* Every third time with timestamps, which the samples lack. */
static void each_sample_both_ways(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (size_t i = 0; i < SAMPLES; i += checks_all() ? 1 : 4) {
        struct sample_packets sample;
        sample_read(&sample, sample_names[i]);
        usual_packets = usual_bytes = 0;
        for (unsigned round = 0; round < ROUNDS; round++) {
            struct sample_packets other = disturbed(&sample, &seed, round ? 2 + round % 30 : 0);
            for (size_t k = 0; k < other.count && round % 3 == 1; k++)
                add_timestamps(&other.packets[k]);
            compare(&other, sample_names[i], round);
            sample_free(&other);
            if (round == 0)
                print_message("%s: %zu of %zu packets on the short way, %zu bytes\n", sample_names[i], usual_packets,
                              sample.count, usual_bytes);
        }
        sample_free(&sample);
    }
}

/* ---- states at which nobody looks -------------------------------------------------------------------------------- */

/* What is heard of records, and which of their states were asked for. */
struct listener {
    struct log log;
    uint64_t seed; /* 0: all */
    int wants;     /* bits of enum armtap_wanted */
    size_t unwanted;
};

static int wants(void *user, const struct armtap_stream *stream, enum armtap_direction direction)
{
    struct listener *listener = user;
    assert_true(stream->records[direction] > 0);
    listener->wants = listener->seed == 0 ? ARMTAP_WANTS_STATE : (int)(random_bits(&listener->seed) % 3);
    listener->unwanted += listener->wants != ARMTAP_WANTS_STATE;
    return listener->wants;
}

/* Each value of the record that is wanted is in the state, unless a later one of the same field is. */
static void check_state(const struct armtap_record *record, int wants)
{
    for (size_t i = 0; record->recipe && i < armtap_recipe_count(record->recipe); i++) {
        const struct armtap_field *field = armtap_recipe_at(record->recipe, i)->field;
        struct armtap_value sent, kept;
        bool is_last = field && armtap_set_has(record->updated, field->id);
        for (size_t k = i + 1; is_last && k < armtap_recipe_count(record->recipe); k++)
            is_last = armtap_recipe_at(record->recipe, k)->field != field;
        if (!is_last || record->arm_count > 1 || (wants == ARMTAP_WANTS_MODES && armtap_type_width(field->type) > 4))
            continue;
        armtap_record_value(record, i, &sent);
        armtap_state_get(record->state, field, &kept);
        if (sent.present && sent.type == kept.type)
            assert_memory_equal(kept.u64, sent.u64, sent.count * sizeof sent.u64[0]);
    }
}

/* Whoever looks at a state or not, the clock is the record's own. */
static void check_clock(const struct armtap_record *record)
{
    bool is_binary = record->protocol == ARMTAP_RTDE || record->protocol == ARMTAP_REALTIME;
    for (size_t i = 0; is_binary && record->recipe && i < armtap_recipe_count(record->recipe); i++) {
        const struct armtap_field *field = armtap_recipe_at(record->recipe, i)->field;
        struct armtap_value value;
        if (!field || field->id != ARMTAP_ID_timestamp)
            continue;
        armtap_record_value(record, i, &value);
        if (value.present)
            assert_memory_equal(&record->clock, value.u64, sizeof record->clock);
    }
}

static int hear_record(void *user, const struct armtap_record *record)
{
    struct listener *listener = user;
    uint64_t clock;
    memcpy(&clock, &record->clock, sizeof clock);
    log_line(&listener->log, "%d %d %u %llx", record->direction, record->version, record->flags,
             (unsigned long long)clock);
    for (size_t i = 0; i < sizeof record->updated->word / sizeof record->updated->word[0]; i++)
        log_line(&listener->log, " %llx", (unsigned long long)record->updated->word[i]);
    check_clock(record);
    if (listener->wants)
        check_state(record, listener->wants);
    listener->wants = ARMTAP_WANTS_STATE; /* of records about whose state nobody asks */
    return 0;
}

static int hear_note(void *user, const struct armtap_note *note)
{
    struct listener *listener = user;
    log_line(&listener->log, "%s %llu %s", note->kind->id, (unsigned long long)note->where.packet, note->text);
    return 0;
}

static struct listener heard_of(const struct sample_packets *sample, uint64_t seed)
{
    struct listener listener = {.seed = seed, .wants = ARMTAP_WANTS_STATE};
    const struct armtap_sink sink = {
        .size = sizeof sink, .on_record = hear_record, .on_note = hear_note, .wants = wants};
    struct armtap_net *net;
    plainly = false;
    assert_int_equal(armtap_net_new(NULL, &sink, &listener, &net), ARMTAP_OK);
    assert_int_equal(armtap_net_brief(net), ARMTAP_OK);
    for (size_t i = 0; i < sample->count; i++) {
        int error = armtap_net_packet(net, &sample->packets[i]);
        assert_true(error == ARMTAP_OK || error == ARMTAP_ERR_UNSUPPORTED);
    }
    assert_int_equal(armtap_net_finish(net), ARMTAP_OK);
    armtap_net_free(net);
    return listener;
}

/* Nothing else depends on whether a state is wanted, and those that are hold all values; packets with changed bits have
 * cells that are no whole numbers, too. */
static void states_that_nobody_wants(void **state)
{
    uint64_t seed = 9;
    size_t unwanted = 0;
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        struct sample_packets sample;
        sample_read(&sample, sample_names[i]);
        for (unsigned round = 0; round < 8; round++) {
            struct sample_packets other = disturbed(&sample, &seed, round ? 2 + round : 0);
            for (size_t k = 0; k < other.count && round > 3; k++)
                if (other.packets[k].captured > 0)
                    writable(other.packets[k].data)[other.packets[k].captured * (random_bits(&seed) % 1000) / 1000] ^=
                        64;
            struct listener all = heard_of(&other, 0), some = heard_of(&other, 1 + round);
            assert_string_equal(all.log.text ? all.log.text : "", some.log.text ? some.log.text : "");
            unwanted += some.unwanted;
            log_free(&all.log);
            log_free(&some.log);
            sample_free(&other);
        }
        sample_free(&sample);
    }
    assert_true(unwanted > 1000);
}

/* ---- conversations ----------------------------------------------------------------------------------------------- */

#define CONVERSATIONS 600
#define SIZE 812
#define SENT_MAX (200 * SIZE)

/* A robot that sends legacy packets, and a client that acknowledges them. */
struct talk {
    struct sample_packets *sample;
    struct tcp_segment robot, client;
    struct bytes sent; /* by the robot, all of its packets */
    uint32_t at;       /* how many of these bytes it has sent */
    uint32_t acked;
    unsigned window;
    int64_t time;
};

static void say(struct talk *talk, struct tcp_segment *segment, unsigned flags, const void *data, size_t length)
{
    uint8_t *bytes = malloc(40 + length);
    struct armtap_packet *packet = &talk->sample->packets[talk->sample->count++];
    assert_non_null(bytes);
    segment->flags = flags;
    put_segment(bytes, segment, data, length);
    if (segment == &talk->client) {
        bytes[34] = (uint8_t)(talk->window >> 8);
        bytes[35] = (uint8_t)talk->window;
    }
    talk->time += 2000000;
    *packet = (struct armtap_packet){.size = sizeof(struct armtap_packet),
                                     .link_type = 101,
                                     .data = bytes,
                                     .captured = 40 + length,
                                     .length = 40 + length};
    packet->where.packet = talk->sample->count;
    packet->where.time = talk->time;
}

/* Bytes of the robot's from one place on, sent for the first time or again. */
static void send_from(struct talk *talk, uint32_t from, uint32_t length, unsigned flags)
{
    talk->robot.seq = 1000 + from;
    talk->robot.ack = talk->client.seq;
    say(talk, &talk->robot, flags, talk->sent.at + from, length);
    if (talk->at < from + length)
        talk->at = from + length;
}

static void acknowledge(struct talk *talk, uint32_t up_to, unsigned flags)
{
    talk->acked = talk->acked < up_to ? up_to : talk->acked;
    talk->client.ack = 1000 + up_to;
    say(talk, &talk->client, flags, NULL, 0);
}

static void take_a_step(struct talk *talk, uint64_t *seed)
{
    uint32_t back = (uint32_t)(random_bits(seed) % (2 * SIZE));
    switch (random_bits(seed) % 26) {
    case 0: /* a window probe, and perhaps the same byte again with those behind it */
        talk->window = 0;
        acknowledge(talk, talk->at, ARMTAP_TCP_ACK);
        send_from(talk, talk->at, 1, ARMTAP_TCP_ACK);
        if (random_bits(seed) % 2)
            send_from(talk, talk->at - 1, SIZE - (talk->at - 1) % SIZE, ARMTAP_TCP_ACK);
        talk->window = random_bits(seed) % 2 ? 64000 : 0;
        break;
    case 1: /* again */
        send_from(talk, talk->at > back ? talk->at - back : 0, talk->at > back ? back : 0, ARMTAP_TCP_ACK);
        break;
    case 2: /* lost, and sent again or not */
        talk->at += SIZE;
        send_from(talk, talk->at, SIZE, ARMTAP_TCP_ACK);
        if (random_bits(seed) % 2)
            send_from(talk, talk->at - 2 * SIZE, SIZE, ARMTAP_TCP_ACK);
        break;
    case 3: /* a keep-alive */
        send_from(talk, talk->at > 0 ? talk->at - 1 : 0, random_bits(seed) % 2, ARMTAP_TCP_ACK);
        break;
    case 4:
        talk->window = (unsigned)(random_bits(seed) % 65536);
        break;
    case 5: /* the client speaks */
        say(talk, &talk->client, ARMTAP_TCP_ACK, "stop\n", 5);
        talk->client.seq += random_bits(seed) % 4 ? 5 : 0;
        break;
    case 6: /* up to there, or beyond what was captured */
        acknowledge(talk, talk->at + (random_bits(seed) % 4 ? 0 : SIZE), ARMTAP_TCP_ACK);
        break;
    case 7: /* a piece of a packet */
        send_from(talk, talk->at, 1 + (uint32_t)(random_bits(seed) % SIZE), ARMTAP_TCP_ACK);
        break;
    case 8: /* a pause */
        talk->time += (int64_t)(random_bits(seed) % 4000000000u);
        break;
    case 9: /* a number from elsewhere, and on */
        talk->robot.seq = 900000000;
        say(talk, &talk->robot, ARMTAP_TCP_ACK, "?", 1);
        break;
    case 10: /* captured twice */
        if (talk->sample->count > 0) {
            struct armtap_packet *copy = &talk->sample->packets[talk->sample->count];
            copy_packet(copy, copy - 1, copy[-1].captured);
            copy->where.packet = ++talk->sample->count;
            copy->where.time = talk->time += (int64_t)(random_bits(seed) % 400000);
        }
        break;
    case 11:
        if (random_bits(seed) % 4 == 0)
            send_from(talk, talk->at, 0, ARMTAP_TCP_ACK | ARMTAP_TCP_FIN);
        break;
    default:
        send_from(talk, talk->at, SIZE - talk->at % SIZE, ARMTAP_TCP_ACK | 8);
        if (random_bits(seed) % 2)
            acknowledge(talk, talk->at, ARMTAP_TCP_ACK);
    }
}

static void conversations_both_ways(void **state)
{
    uint64_t seed = 9;
    struct bytes sent = {0};
    (void)state;
    while (sent.length < SENT_MAX)
        bytes_packet(&sent, SIZE, 0.008 * (double)(sent.length / SIZE));
    usual_packets = 0;
    for (unsigned round = 0; round < CONVERSATIONS; round++) {
        struct sample_packets sample = {.packets = calloc(400, sizeof *sample.packets)};
        struct talk talk = {.sample = &sample,
                            .robot = {{0x0A000002, 0x0A000009}, {30003, 50000}, 1000, 1, 0},
                            .client = {{0x0A000009, 0x0A000002}, {50000, 30003}, 1, 1000, 0},
                            .sent = sent,
                            .window = 64000};
        assert_non_null(sample.packets);
        while (sample.count < 150 && talk.at + 4 * SIZE < SENT_MAX)
            take_a_step(&talk, &seed);
        for (size_t k = 0; k < sample.count && round % 2; k++)
            add_timestamps(&sample.packets[k]);
        compare(&sample, "a conversation", round);
        sample_free(&sample);
    }
    print_message("%zu packets on the short way\n", usual_packets);
    bytes_free(&sent);
}

/* ---- that the short ways are used -------------------------------------------------------------------------------- */

#define PACKETS 400

static void add_data(struct sample_packets *sample, const struct armtap_packet *model,
                     const struct tcp_segment *segment, const uint8_t *data, size_t length)
{
    uint8_t *bytes = malloc(40 + SIZE);
    assert_non_null(bytes);
    put_segment(bytes, segment, data, length);
    struct armtap_packet *packet = &sample->packets[sample->count++];
    *packet = *model;
    packet->data = bytes;
    packet->captured = packet->length = 40 + length;
    packet->where.packet = sample->count;
    packet->where.time = (int64_t)sample->count * 8000000;
}

/* Two robots in turns: after their first packets all go the short way. */
static void steady_streams_take_it(void **state)
{
    struct sample_packets sample = {.packets = calloc(PACKETS + 1, sizeof *sample.packets)};
    struct armtap_packet model = {.size = sizeof(struct armtap_packet), .link_type = 101};
    struct tcp_segment robots[2] = {{{0x0A000002, 0x0A000009}, {30003, 50000}, 1, 1, ARMTAP_TCP_ACK},
                                    {{0x0A000003, 0x0A000009}, {30003, 50001}, 1, 1, ARMTAP_TCP_ACK}};
    (void)state;
    assert_non_null(sample.packets);
    for (size_t i = 0; i < PACKETS; i++) {
        struct bytes packet = {0};
        bytes_packet(&packet, SIZE, (double)i);
        add_data(&sample, &model, &robots[i % 2], packet.at, packet.length);
        robots[i % 2].seq += SIZE;
        bytes_free(&packet);
    }
    usual_packets = 0;
    struct log log = heard(&sample, false);
    assert_int_equal(log.records[ARMTAP_FROM_ROBOT], PACKETS);
    assert_true(usual_packets > PACKETS - 40); /* the first wait a little, as nobody knows whether they are the first */
    log_free(&log);
    sample_free(&sample);
}

/* A request may be a few bytes: whatever lies behind the headers, they are compared whole, and nothing beyond them. */
static void headers_are_compared_whole(void **state)
{
    struct tcp_segment segment = {{0x0A000002, 0x0A000009}, {30003, 50000}, 1, 1, ARMTAP_TCP_ACK};
    const struct armtap_packet model = {.size = sizeof(struct armtap_packet), .link_type = 101};
    (void)state;
    plainly = false;
    for (size_t length = 1; length < 40; length++) {
        struct armtap_packet packet = model, changed;
        struct armtap_segment parsed;
        struct armtap_header_pattern pattern;
        const char *fault;
        uint8_t bytes[40 + 40], text[40] = {0};
        put_segment(bytes, &segment, text, length);
        packet.data = bytes;
        packet.captured = packet.length = 40 + length;
        for (int with_timestamps = 0; with_timestamps < 2; with_timestamps++) {
            copy_packet(&changed, &packet, packet.captured);
            if (with_timestamps)
                add_timestamps(&changed);
            assert_int_equal(armtap_link_parse(&changed, &parsed, &fault), ARMTAP_LINK_TCP);
            armtap_header_pattern_learn(&pattern, &changed, &parsed);
            assert_true(armtap_header_pattern_read(&pattern, &changed));
            for (size_t at = 20; at < 24; at++) { /* the ports */
                uint8_t *byte = (uint8_t *)(uintptr_t)changed.data + at;
                *byte ^= 1;
                assert_false(armtap_header_pattern_read(&pattern, &changed));
                *byte ^= 1;
            }
            uint8_t *last = (uint8_t *)(uintptr_t)changed.data + 33; /* the flags */
            *last ^= ARMTAP_TCP_FIN;
            assert_false(armtap_header_pattern_read(&pattern, &changed));
            free((void *)(uintptr_t)changed.data);
        }
    }
}

/* ---- many connections ----------------------------------------------------------------------------------------------
 */

static void add_segment(struct sample_packets *to, const struct tcp_segment *segment, const char *text)
{
    struct armtap_packet *packet = &to->packets[to->count++];
    size_t length = strlen(text);
    uint8_t *bytes = malloc(40 + length);
    assert_non_null(bytes);
    put_segment(bytes, segment, text, length);
    *packet = (struct armtap_packet){.size = sizeof(struct armtap_packet),
                                     .link_type = 101,
                                     .where = {.time = (int64_t)to->count * 1000, .packet = to->count},
                                     .data = bytes,
                                     .captured = 40 + length,
                                     .length = 40 + length};
}

/* One of many dashboard clients, as far as it has come. */
enum stage { OPENS, ASKS, GOES_ON };
static void add_stage(struct sample_packets *to, unsigned client, enum stage stage)
{
    static const char greeting[] = "Connected: Universal Robots Dashboard Server\n", request[] = "robotmode\n";
    const uint32_t asked = 101 + sizeof request - 1, greeted = 501 + sizeof greeting - 1;
    const uint32_t address = 0x0A010000 + client / 50;
    const uint16_t port = (uint16_t)(40000 + client % 50);
    struct tcp_segment of_client = {{address, 0x0A000002}, {port, 29999}, 100, 0, ARMTAP_TCP_SYN};
    struct tcp_segment of_robot = {{0x0A000002, address}, {29999, port}, 500, 101, ARMTAP_TCP_SYN | ARMTAP_TCP_ACK};
    if (stage == OPENS) {
        add_segment(to, &of_client, "");
        add_segment(to, &of_robot, "");
        return;
    }
    of_client.flags = of_robot.flags = ARMTAP_TCP_ACK;
    of_client.seq = stage == ASKS ? 101 : asked;
    of_client.ack = greeted;
    of_robot.seq = 501;
    if (stage == ASKS) {
        add_segment(to, &of_robot, greeting);
        add_segment(to, &of_client, request);
        of_robot.seq = greeted;
        of_robot.ack = asked;
        add_segment(to, &of_robot, "Robotmode: RUNNING\n");
    } else {
        add_segment(to, &of_client, "");
    }
}

/* The one connection too many shows where the plain way would see it. */
static void limits_are_seen_at_once(void **state)
{
    enum { TOGETHER = 2000, AFTER = 100 };
    const unsigned limit = ARMTAP_LIMIT_connections;
    struct sample_packets sample = {.packets = calloc(5 * (limit + 1) + AFTER, sizeof *sample.packets)};
    (void)state;
    assert_non_null(sample.packets);
    for (unsigned from = 0, to; from <= limit; from = to) {
        to = from + TOGETHER < limit + 1 ? from + TOGETHER : limit + 1;
        for (unsigned i = from; i < to; i++)
            add_stage(&sample, i, OPENS);
        for (unsigned i = from; i < to; i++)
            add_stage(&sample, i, ASKS);
    }
    for (unsigned i = 0; i < AFTER; i++)
        add_stage(&sample, i % 3, GOES_ON);
    sparing = true;
    compare(&sample, "many connections", 0);
    sparing = false;
    sample_free(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_sample_both_ways),      cmocka_unit_test(states_that_nobody_wants),
        cmocka_unit_test(conversations_both_ways),    cmocka_unit_test(steady_streams_take_it),
        cmocka_unit_test(headers_are_compared_whole), cmocka_unit_test(limits_are_seen_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
