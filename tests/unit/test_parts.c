/* Captures read in parts by several threads, however small they are (PARTS_LEAST): the sink is called as by one thread,
 * with everything that call_log.h promises, or the reading says that it cannot be done in parts and is repeated. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/armtap-analysis.h"
#include "base/buffer.h"
#include "base/thread.h"
#include "input/input_files.h"
#include "budget.h"
#include "input/replay.h"
#include "knowledge.h"
#include "layout.h"
#include "part.h"
#include "recipe.h"
#include "sample_packets.h"
#include "tcp_deliver.h"

#define TEXT_MAX 4096

/* No thread can be had, so that one reads all blocks into the same memory. */
static bool is_on_its_own;

int __real_thread_begin(pthread_t *thread, void *(*work)(void *user), void *user);
int __wrap_thread_begin(pthread_t *thread, void *(*work)(void *user), void *user);
int __wrap_thread_begin(pthread_t *thread, void *(*work)(void *user), void *user)
{
    return is_on_its_own ? EAGAIN : __real_thread_begin(thread, work, user);
}

/* All calls, as text. */
struct calls {
    struct buffer text;
    unsigned records, forgotten;
    unsigned in_vain; /* records before all was forgotten */
    unsigned stop_at; /* that record; 0: none */
    bool wants_few;   /* states */
};

static void add(struct calls *calls, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct calls *calls, const char *format, ...)
{
    char text[TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    assert_in_range(length, 0, TEXT_MAX - 1);
    buffer_put(&calls->text, text, (size_t)length);
    assert_false(calls->text.failed);
}

static void add_where(struct calls *calls, const struct armtap_where *where)
{
    add(calls, " %lld/%llu/%u", (long long)where->time, (unsigned long long)where->packet, where->file);
}

static void add_numbers(struct calls *calls, const uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add(calls, " %llu", (unsigned long long)numbers[i]);
}

static void add_stream(struct calls *calls, const struct armtap_stream *stream)
{
    if (!stream) {
        add(calls, " none");
        return;
    }
    add(calls, " [%llu %s %s %d %d %d %s %d%d %d %s", (unsigned long long)stream->connection, stream->robot,
        stream->client, (int)stream->protocol, stream->version, (int)stream->generation, stream->controller_version,
        stream->midstream, stream->forgotten, (int)stream->origin, stream->info ? stream->info->name : "-");
    add_where(calls, &stream->first);
    add_where(calls, &stream->last);
    add_where(calls, &stream->accepted);
    add_numbers(calls, stream->records, 2);
    add_numbers(calls, &stream->gaps, 1);
    add_numbers(calls, stream->bytes_decoded, 2);
    add_numbers(calls, stream->bytes_lost, 2);
    add_numbers(calls, stream->bytes_skipped, 2);
    add_numbers(calls, stream->packets, 2);
    add_numbers(calls, stream->payload, 2);
    add(calls, "]");
}

static void begin(struct calls *calls, const char *what, const struct armtap_stream *stream,
                  const struct armtap_where *where, enum armtap_direction direction)
{
    add(calls, "\n%s %d", what, (int)direction);
    add_stream(calls, stream);
    add_where(calls, where);
}

static void add_recipe(struct calls *calls, const struct armtap_recipe *recipe)
{
    for (size_t i = 0; i < armtap_recipe_count(recipe); i++)
        add(calls, " %s", armtap_recipe_at(recipe, i)->name);
}

static void add_pose(struct calls *calls, const double joints[6], const double tool[6])
{
    for (size_t i = 0; i < 6; i++)
        add(calls, " %a %a", joints[i], tool[i]);
}

/* Of an arm, if the record sets it; the list of streams looks at no other pose. */
static void add_poses(struct calls *calls, const struct armtap_arm *arm)
{
    const struct armtap_set *set = arm->updated;
    const struct armtap_state *state = arm->state;
    if (armtap_set_has(set, ARMTAP_ID_actual_q) && armtap_set_has(set, ARMTAP_ID_actual_TCP_pose))
        add_pose(calls, state->actual_q, state->actual_TCP_pose);
    else if (armtap_set_has(set, ARMTAP_ID_target_q) && armtap_set_has(set, ARMTAP_ID_target_TCP_pose))
        add_pose(calls, state->target_q, state->target_TCP_pose);
    else
        return;
    if (armtap_set_has(set, ARMTAP_ID_tcp_offset))
        add_pose(calls, state->tcp_offset, state->tcp_offset);
}

/* The modes and the timestamp of an arm, as far as the record sets them. */
static void add_arm(struct calls *calls, const struct armtap_arm *arm)
{
    static const char *const names[] = {"robot_mode",    "safety_mode",        "safety_status",
                                        "runtime_state", "safety_status_bits", "timestamp"};
    add(calls, " arm %u", arm->number);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct armtap_field *field = armtap_field_find(names[i], strlen(names[i]));
        struct armtap_value value;
        armtap_state_get(arm->state, field, &value);
        if (armtap_set_has(arm->updated, field->id))
            add(calls, " %s=%llx", names[i], (unsigned long long)value.u64[0]);
    }
}

static int on_record(void *user, const struct armtap_record *record)
{
    struct calls *calls = user;
    uint64_t clock;
    memcpy(&clock, &record->clock, sizeof clock);
    begin(calls, "record", record->stream, &record->where, record->direction);
    add(calls, " %d %d %u %d %zu %llx", (int)record->protocol, record->version, record->flags, record->recipe_id,
        record->frame_length, (unsigned long long)clock);
    bool is_wanted = !calls->wants_few || armtap_streams_wants_state(record->stream, record->direction);
    for (size_t i = 0; i < record->arm_count && is_wanted; i++)
        add_arm(calls, &record->arms[i]);
    if (record->arm_count > 0 && armtap_streams_reads_pose(record))
        add_poses(calls, &record->arms[0]);
    assert_ptr_equal(record->updated, record->arms[0].updated);
    assert_ptr_equal(record->state, record->arms[0].state);
    add_recipe(calls, record->recipe);
    return ++calls->records == calls->stop_at ? REPLAY_GAVE_UP : REPLAY_GO_ON;
}

static int on_recipe(void *user, const struct armtap_recipe_event *event)
{
    begin(user, "recipe", event->stream, &event->where, event->direction);
    add(user, " %d %g %u", event->recipe_id, event->frequency, event->flags);
    add_recipe(user, event->recipe);
    return 0;
}

static int on_note(void *user, const struct armtap_note *note)
{
    begin(user, "note", note->stream, &note->where, note->direction);
    add(user, " %s %s", note->kind->id, note->text ? note->text : "");
    return 0;
}

static int on_event(void *user, const struct armtap_event *event)
{
    begin(user, "event", event->stream, &event->where, event->direction);
    add(user, " %d %llu %d", (int)event->type, (unsigned long long)event->a, event->doubtful);
    if (event->unreachable)
        add(user, " %s %u %u %s", event->unreachable->reporter, event->unreachable->type, event->unreachable->code,
            event->unreachable->reason);
    return 0;
}

/* Only these are kept. */
static int on_message(void *user, const struct armtap_message *message)
{
    if (message->stream->protocol != ARMTAP_RTDE || message->stream->records[ARMTAP_FROM_ROBOT] > 0)
        return 0;
    begin(user, "message", message->stream, &message->where, message->direction);
    add_where(user, &message->first);
    if (!message->skipped)
        add(user, " %d", message->bytes[2]);
    return 0;
}

static int on_refused(void *user, const struct armtap_refused_setup *setup)
{
    begin(user, "refused", setup->stream, &setup->where, setup->direction);
    add(user, " %g %d", setup->frequency, setup->version);
    add_recipe(user, setup->accepted);
    for (size_t i = 0; i < setup->refused_count; i++)
        add(user, " %.*s=%d", (int)setup->refused[i].length, setup->refused[i].name, (int)setup->refused[i].why);
    return 0;
}

static int on_traffic(void *user, const struct armtap_traffic *traffic)
{
    add(user, "\ntraffic %s %u %s %llu %llu", traffic->robot, traffic->port, traffic->name,
        (unsigned long long)traffic->packets, (unsigned long long)traffic->bytes);
    return 0;
}

static int forget(void *user)
{
    struct calls *calls = user;
    calls->text.length = 0;
    calls->in_vain += calls->records;
    calls->records = 0;
    calls->forgotten++;
    return 0;
}

static const struct armtap_sink sink = {.size = sizeof sink,
                                        .on_record = on_record,
                                        .on_recipe = on_recipe,
                                        .on_note = on_note,
                                        .on_event = on_event,
                                        .on_message = on_message,
                                        .on_refused = on_refused,
                                        .on_traffic = on_traffic};

/* As info does: few states are looked at. */
static int wants_state(void *user, const struct armtap_stream *stream, enum armtap_direction direction)
{
    (void)user;
    return armtap_streams_wants_state(stream, direction);
}

static enum exit_status read_files(const char *const *names, size_t count, unsigned threads, struct calls *calls,
                                   struct replay_totals *totals)
{
    struct inputs *inputs = inputs_open(names, count, NULL);
    struct replay_source source = {
        .names = names, .count = count, .inputs = inputs, .threads = threads, .in_parts = true, .quiet = true};
    struct armtap_sink heard = sink;
    heard.wants_state = calls->wants_few ? wants_state : NULL;
    assert_non_null(inputs);
    assert_int_equal(armtap_knowledge_new(&source.knowledge), ARMTAP_OK);
    enum exit_status status = replay_learning(&source, &heard, calls, forget, totals);
    armtap_knowledge_free(source.knowledge);
    inputs_free(inputs);
    return status;
}

/* Reads with that many threads, and with one; with 3 or 5 few states are looked at. */
static void compare(const char *const *names, size_t count, unsigned threads, bool is_in_parts)
{
    struct calls alone = {.wants_few = threads == 3 || threads == 5}, together = {.wants_few = alone.wants_few};
    struct replay_totals one, several;
    enum exit_status status = read_files(names, count, 1, &alone, &one);
    assert_int_equal(read_files(names, count, threads, &together, &several), status);
    assert_false(one.in_parts);
    if (several.in_parts != is_in_parts)
        fail_msg("%s: %s in parts", names[0], is_in_parts ? "not" : "read");
    assert_int_equal(several.packets, one.packets);
    assert_int_equal(several.bytes, one.bytes);
    assert_int_equal(several.first_time, one.first_time);
    if (alone.text.length != together.text.length || memcmp(alone.text.data, together.text.data, alone.text.length))
        fail_msg("%s: not the same with %u threads", names[0], threads);
    free(alone.text.data);
    free(together.text.data);
}

static const char *path_of(char path[256], const char *name)
{
    const char *source = getenv("srcdir");
    snprintf(path, 256, "%s/captures/%s", source ? source : ".", name);
    return path;
}

/* What drivers command is compared with the robot's joints, which are not kept: driver-stop. */
static void test_samples(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++)
        for (unsigned threads = 2; threads <= 8; threads += 3) {
            char path[256];
            const char *names[] = {path_of(path, sample_names[i])};
            compare(names, 1, threads, strncmp(sample_names[i], "driver-stop", 11) != 0);
        }
}

static void test_several_files(void **state)
{
    char paths[4][256];
    const char *names[] = {path_of(paths[0], "several-clients.pcapng"), path_of(paths[1], "rtde-v3.pcapng"),
                           path_of(paths[2], "both-streams.pcap.gz"), path_of(paths[3], "no such file")};
    (void)state;
    /* One thread reads them, since they may be of the same time. */
    compare(names, 3, 3, false);
    compare(names, 4, 2, false); /* what cannot be opened is reported, the others are read */
}

static void test_strained_is_read_again(void **state)
{
    char path[256];
    const char *names[] = {path_of(path, "driver-stop.pcap.gz")};
    struct calls calls = {.records = 0};
    struct replay_totals totals;
    (void)state;
    assert_int_equal(read_files(names, 1, 2, &calls, &totals), EXIT_DONE);
    assert_false(totals.in_parts);
    assert_int_equal(calls.forgotten, 1);
    assert_true(calls.records > 0);
    free(calls.text.data);
}

/* A callback that has enough ends the reading in parts, too, and nothing is called after it. */
static void test_callback_stops(void **state)
{
    char path[256];
    const char *names[] = {path_of(path, "several-clients.pcapng")};
    struct calls calls = {.stop_at = 20};
    struct replay_totals totals;
    (void)state;
    assert_int_equal(read_files(names, 1, 3, &calls, &totals), EXIT_FAILED);
    assert_true(totals.in_parts && totals.broken_off);
    assert_int_equal(calls.records, 20);
    assert_int_equal(calls.forgotten, 0);
    free(calls.text.data);
}

/* ---- captures in which parts depend on each other's packets ------------------------------------------------------ */

#define SCENE "test_parts.tmp"
#define SECOND_SCENE "test_parts_2.tmp"
#define CYCLE INT64_C(8000000)
enum { SYN = 2, RST = 4, ACK = 16, RECORD = 1060, HEADERS = 54, STEADY = 1000, CLIENT = 9 };

/* One connection of a client to port 30003 of a robot. */
struct line {
    uint8_t robot;
    uint16_t number; /* among those of this robot */
    uint32_t seq;
    double clock;
};

static void put_32(uint8_t *to, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(number >> (24 - 8 * i));
}

static void put_packet(FILE *file, int64_t time, const uint8_t *packet, size_t length, size_t said)
{
    const uint32_t head[] = {(uint32_t)(time / 1000000000), (uint32_t)(time % 1000000000), (uint32_t)length,
                             (uint32_t)said};
    assert_int_equal(fwrite(head, sizeof head, 1, file), 1);
    assert_int_equal(fwrite(packet, length, 1, file), 1);
}

/* A segment of the robot, or of its client. */
static void put_tcp(FILE *file, int64_t time, const struct line *line, bool by_robot, unsigned flags,
                    const struct bytes *payload, size_t lacks)
{
    static const uint8_t ip[] = {0x08, 0, 0x45, 0, 0, 0, 0, 0, 0, 0, 64, 6, 0, 0};
    uint8_t packet[HEADERS + RECORD] = {0};
    size_t length = payload ? payload->length : 0;
    memcpy(packet + 12, ip, sizeof ip);
    packet[16] = (uint8_t)((length + 40) >> 8);
    packet[17] = (uint8_t)(length + 40);
    put_32(packet + 26, 0x0a000000u + (by_robot ? 256u + line->robot : CLIENT));
    put_32(packet + 30, 0x0a000000u + (by_robot ? CLIENT : 256u + line->robot));
    uint32_t ports[] = {30003, 40000u + line->robot + line->number};
    put_32(packet + 34, ports[!by_robot] << 16 | ports[by_robot]);
    put_32(packet + 38, by_robot ? line->seq : 1);
    put_32(packet + 42, by_robot ? 1 : line->seq);
    packet[46] = 0x50;
    packet[47] = (uint8_t)flags;
    packet[48] = 0x10;
    if (length > 0)
        memcpy(packet + HEADERS, payload->at, length);
    put_packet(file, time, packet, HEADERS + length, HEADERS + length - lacks);
}

/* The next record of a robot; if it is lost, only its bytes are missing. */
static void put_record(FILE *file, int64_t time, struct line *line, bool is_lost, size_t lacks)
{
    struct bytes bytes = {0};
    bytes_packet(&bytes, RECORD, line->clock += 0.008);
    if (!is_lost)
        put_tcp(file, time, line, true, ACK, &bytes, lacks);
    line->seq += RECORD;
    bytes_free(&bytes);
}

static void put_handshake(FILE *file, int64_t time, struct line *line)
{
    put_tcp(file, time, line, false, SYN, NULL, 0);
    put_tcp(file, time + 100, line, true, SYN | ACK, NULL, 0);
    line->seq++;
}

static FILE *begin_file(const char *name)
{
    const uint32_t head[] = {0xA1B23C4D, 2 | 4 << 16, 0, 0, 262144, 1};
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(head, sizeof head, 1, file), 1);
    return file;
}

static FILE *begin_scene(void)
{
    return begin_file(SCENE);
}

static void end_scene(FILE *file, bool is_in_parts)
{
    const char *names[] = {SCENE};
    assert_int_equal(fclose(file), 0);
    for (unsigned threads = 2; threads <= 4; threads++)
        compare(names, 1, threads, is_in_parts);
    remove(SCENE);
}

#define BEGIN INT64_C(1700000000000000000)

/* Robots that do not answer: that is told at the first packet of anybody after 3 s, each at another one. */
static void test_attempts_end_by_others(void **state)
{
    struct line steady = {.robot = 1, .seq = 1000};
    FILE *file = begin_scene();
    (void)state;
    for (unsigned i = 0; i < STEADY; i++) {
        put_record(file, BEGIN + i * CYCLE, &steady, false, 0);
        if (i % 20 == 0 && i < 200) {
            const struct line silent = {.robot = (uint8_t)(50 + i / 20)};
            put_tcp(file, BEGIN + i * CYCLE + 1000, &silent, false, SYN, NULL, 0);
        }
    }
    end_scene(file, true);
}

/* Holes of robots that fall silent are given up at a packet of another after 2 s. */
static void test_holes_end_by_others(void **state)
{
    struct line steady = {.robot = 1, .seq = 1000};
    struct line lossy[3] = {{.robot = 20, .seq = 5}, {.robot = 21, .seq = 6}, {.robot = 22, .seq = 7}};
    FILE *file = begin_scene();
    (void)state;
    for (unsigned i = 0; i < STEADY; i++) {
        put_record(file, BEGIN + i * CYCLE, &steady, false, 0);
        for (unsigned k = 0; k < 3 && i < 100 + 10 * k; k++)
            put_record(file, BEGIN + i * CYCLE + 1000 * (k + 1), &lossy[k], i == 97 + 10 * k, 0);
    }
    end_scene(file, true);
}

/* Where several parts have something to tell at one packet, their order is not known. */
static void test_two_ends_at_once(void **state)
{
    struct line steady = {.robot = 1, .seq = 1000};
    FILE *file = begin_scene();
    (void)state;
    for (unsigned i = 0; i < STEADY; i++) {
        put_record(file, BEGIN + i * CYCLE, &steady, false, 0);
        for (unsigned k = 0; k < 10 && i == 50; k++) {
            const struct line silent = {.robot = (uint8_t)(50 + k)};
            put_tcp(file, BEGIN + i * CYCLE + 1000, &silent, false, SYN, NULL, 0);
        }
    }
    end_scene(file, false);
}

/* A record of a robot by its number, for the first time or again, perhaps with another byte. */
static void put_numbered(FILE *file, int64_t time, const struct line *first, uint32_t number, bool is_changed)
{
    struct line line = *first;
    struct bytes bytes = {0};
    bytes_packet(&bytes, RECORD, number * 0.008);
    bytes.at[RECORD / 2] ^= is_changed;
    line.seq += number * RECORD;
    put_tcp(file, time, &line, true, ACK, &bytes, 0);
    bytes_free(&bytes);
}

static unsigned count(const struct buffer *text, const char *word)
{
    unsigned found = 0;
    for (const char *at = text->data; (at = strstr(at, word)); at++)
        found++;
    return found;
}

/* What is sent again is compared with what came, in this block or the one before, in this file or the one before: each
 * seventh time the last three records come again, the second of them mostly with another byte. */
static void test_sent_again(void **state)
{
    static const char *const names[] = {SCENE, SECOND_SCENE};
    struct line line = {.robot = 1, .seq = 1000};
    unsigned changed = 0;
    uint32_t number = 0;
    (void)state;
    for (unsigned f = 0; f < 2; f++) {
        FILE *file = begin_file(names[f]);
        if (f == 0)
            put_handshake(file, BEGIN, &line);
        for (unsigned i = 0; i < STEADY; i++) {
            const int64_t time = BEGIN + (number + 1) * CYCLE;
            for (uint32_t back = 3; number > 0 && i % 7 == 0 && back > 0; back--) {
                bool is_changed = back == 2 && i % 3 != 1;
                put_numbered(file, time - 1000 * back, &line, number - back, is_changed);
                changed += is_changed;
            }
            put_numbered(file, time, &line, number++, false);
        }
        assert_int_equal(fclose(file), 0);
    }
    for (unsigned i = 0; i < 8; i++) {
        struct calls calls = {.records = 0};
        struct replay_totals totals;
        is_on_its_own = i >= 4;
        assert_int_equal(read_files(names, 2, 1 + i % 4, &calls, &totals), EXIT_DONE);
        is_on_its_own = false;
        assert_int_equal(calls.records, 2 * STEADY);
        buffer_put(&calls.text, "", 1);
        assert_int_equal(count(&calls.text, " tcp.overlap-differs "), changed);
        free(calls.text.data);
    }
    remove(names[0]);
    remove(names[1]);
}

/* Notes of the capture are counted together: 64 of a kind are told. */
static void test_notes_of_the_capture(void **state)
{
    struct line robots[3];
    FILE *file = begin_scene();
    (void)state;
    for (unsigned k = 0; k < 3; k++)
        robots[k] = (struct line){.robot = (uint8_t)(50 + k), .seq = 1000};
    for (unsigned i = 0; i < 60; i++)
        for (unsigned k = 0; k < 3; k++)
            put_record(file, BEGIN + i * CYCLE + 1000 * k, &robots[k], false, i > 10);
    end_scene(file, false);
}

/* ---- the library's side ------------------------------------------------------------------------------------------ */

static void test_split(void **state)
{
    static const struct armtap_port ports[] = {{4000, ARMTAP_RTDE}};
    struct armtap_split *split;
    struct sample_packets sample;
    bool jumps;
    (void)state;
    assert_int_equal(armtap_split_new(NULL, 1, 2, &split), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_split_new(ports, 1, 0, &split), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_split_new(ports, 1, ARMTAP_PARTS_MAX + 1, &split), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_split_new(ports, 1, 7, &split), ARMTAP_OK);
    sample_read(&sample, "both-streams.pcap.gz");
    unsigned parts_seen = 0;
    for (size_t i = 0; i < sample.count; i++) {
        /* Both directions, and tagged packets of the same connection, are one part's. */
        struct armtap_packet *packet = &sample.packets[i];
        uint8_t tagged[65536 + 4], turned[65536];
        unsigned part = armtap_split_part(split, packet, &jumps);
        assert_true(part < 7);
        parts_seen |= 1u << part;
        assert_true(jumps == (i == 0));
        memcpy(tagged, packet->data, 12);
        memcpy(tagged + 12, "\x81\0\0\x05", 4);
        memcpy(tagged + 16, packet->data + 12, packet->captured - 12);
        struct armtap_packet other = *packet;
        other.data = tagged;
        other.captured += 4;
        other.length += 4;
        assert_int_equal(armtap_split_part(split, &other, NULL), part);
        memcpy(turned, packet->data, packet->captured);
        memcpy(turned + 26, packet->data + 30, 4);
        memcpy(turned + 30, packet->data + 26, 4);
        memcpy(turned + 34, packet->data + 36, 2);
        memcpy(turned + 36, packet->data + 34, 2);
        other = *packet;
        other.data = turned;
        assert_int_equal(armtap_split_part(split, &other, NULL), part);
        memcpy(turned + 34, "\x1f\x90\x9c\x40", 4); /* 8080 and 40000: no ports of robots */
        assert_int_equal(armtap_split_part(split, &other, NULL), 0);
    }
    assert_true(parts_seen != 1);
    sample.packets[0].where.time += INT64_C(100000000000);
    armtap_split_part(split, &sample.packets[0], &jumps);
    assert_true(jumps);
    sample_free(&sample);
    armtap_split_free(split);
    armtap_split_free(NULL);
}

/* A robot that two parts know, and what the first of them asked for. */
struct two_parts {
    struct armtap_knowledge *knowledge[2];
    struct armtap_robot *robot[2];
};

static void begin_two(struct two_parts *two)
{
    const struct armtap_address address = {4, {10, 0, 0, 1}};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(armtap_knowledge_new(&two->knowledge[i]), ARMTAP_OK);
        assert_int_equal(armtap_knowledge_robot(two->knowledge[i], &address, &two->robot[i]), ARMTAP_OK);
    }
}

static bool stand_beside(const struct two_parts *two)
{
    assert_true(armtap_knowledge_stands_beside(two->knowledge[1], two->knowledge[0])); /* it asked for nothing */
    return armtap_knowledge_stands_beside(two->knowledge[0], two->knowledge[1]);
}

static void end_two(struct two_parts *two)
{
    for (int i = 0; i < 2; i++) {
        armtap_robot_release(two->robot[i]);
        armtap_knowledge_free(two->knowledge[i]);
    }
}

static void test_releases(void **state)
{
    struct two_parts two;
    (void)state;
    begin_two(&two);
    strcpy(two.robot[1]->controller_version, "5.9.4");
    assert_true(stand_beside(&two));
    strcpy(two.robot[0]->controller_version, "5.9.4");
    armtap_robot_ask_release(two.robot[0]);
    assert_true(stand_beside(&two)); /* the other says the same */
    strcpy(two.robot[1]->controller_version, "5.9.5");
    assert_false(stand_beside(&two));
    two.robot[1]->controller_version[0] = '\0';
    assert_true(stand_beside(&two));
    strcpy(two.robot[0]->controller_version, "5.9.6");
    armtap_robot_ask_release(two.robot[0]);
    strcpy(two.robot[1]->controller_version, "5.9.6");
    assert_false(stand_beside(&two)); /* it may have been known earlier */
    end_two(&two);
}

static void test_recipes_and_programs(void **state)
{
    struct armtap_recipe *recipe;
    struct two_parts two;
    (void)state;
    begin_two(&two);
    assert_int_equal(armtap_recipe_rtde("timestamp", "DOUBLE", &recipe), ARMTAP_OK);
    assert_true(armtap_robot_learn(two.robot[1], recipe, 2, 1));
    armtap_recipe_release(recipe);
    assert_true(stand_beside(&two));
    two.robot[0]->asked_learned = true;
    assert_false(stand_beside(&two));
    two.robot[0]->asked_learned = false;
    assert_int_equal(armtap_robot_grow_program(two.robot[1], 100), ARMTAP_OK);
    assert_true(stand_beside(&two));
    two.robot[0]->asked_program = true;
    assert_false(stand_beside(&two));
    end_two(&two);
}

/* How many of a capture's records the parts told in vain, before one thread read it again. */
static unsigned read_in_vain(FILE *file, unsigned records, bool is_in_parts)
{
    const char *names[] = {SCENE};
    struct calls calls = {.records = 0};
    struct replay_totals totals;
    assert_int_equal(fclose(file), 0);
    assert_int_equal(read_files(names, 1, 2, &calls, &totals), EXIT_DONE);
    assert_int_equal(calls.records, records);
    assert_int_equal(totals.in_parts, is_in_parts);
    assert_int_equal(calls.forgotten, !is_in_parts);
    free(calls.text.data);
    remove(SCENE);
    return calls.in_vain;
}

/* Connections that take turns, more than one part of a capture may have: that shows in the first turn. */
static void test_too_many_at_once(void **state)
{
    enum { LINES = 5000, TURNS = 4 };
    static struct line lines[LINES];
    FILE *file = begin_scene();
    (void)state;
    for (unsigned i = 0; i < LINES; i++) {
        lines[i] = (struct line){.robot = 1, .number = (uint16_t)i, .seq = 1000};
        put_handshake(file, BEGIN + i * 1000, &lines[i]);
        put_record(file, BEGIN + i * 1000 + 200, &lines[i], false, 0);
    }
    for (unsigned i = LINES; i < TURNS * LINES; i++)
        put_record(file, BEGIN + i * 1000, &lines[i % LINES], false, 0);
    assert_in_range(read_in_vain(file, TURNS * LINES, false), 0, LINES);
}

/* Connections one after the other, more than are remembered once they ended: that can be foreseen. Fewer are read in
 * parts. */
static void test_too_many_in_a_row(void **state)
{
    enum { EACH = 2 };
    static const unsigned counts[] = {10000, 3000};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        FILE *file = begin_scene();
        for (unsigned i = 0; i < counts[k]; i++) {
            struct line line = {.robot = 1, .number = (uint16_t)i, .seq = 1000};
            put_handshake(file, BEGIN + i * 1000000, &line);
            for (unsigned n = 1; n <= EACH; n++)
                put_record(file, BEGIN + i * 1000000 + n * 1000, &line, false, 0);
            put_tcp(file, BEGIN + i * 1000000 + 3000, &line, true, RST, NULL, 0);
        }
        assert_in_range(read_in_vain(file, EACH * counts[k], k > 0), 0, EACH * counts[k] / 4);
    }
}

/* Each of the sums at its limit, and above it. */
static void test_room(void **state)
{
    struct armtap_part_sum sum;
    const struct {
        size_t *most, limit;
    } sums[] = {
        {&sum.most.kept,
         ARMTAP_LIMIT_waiting / 2 < ARMTAP_LIMIT_memory / 2 ? ARMTAP_LIMIT_waiting / 2 : ARMTAP_LIMIT_memory / 2},
        {&sum.most.held, ARMTAP_LIMIT_held / 2},
        {&sum.most.waiting, ARMTAP_SWEEP_QUEUES},
        {&sum.most.histories, ARMTAP_LIMIT_histories},
        {&sum.most.doubts, ARMTAP_DOUBTS},
        {&sum.most.knowledge.learned, ARMTAP_LIMIT_learned / 2},
        {&sum.most.knowledge.samples, ARMTAP_LIMIT_samples / 2},
        {&sum.most.knowledge.guesses, ARMTAP_GUESSES / 2},
        {&sum.most.knowledge.robots, ARMTAP_LIMIT_robots},
        {&sum.most.flows[ARMTAP_FLOW_IDLE], ARMTAP_LIMIT_ended},
        {&sum.most.flows[ARMTAP_FLOW_NEW], ARMTAP_LIMIT_attempts},
        {&sum.most.flows[ARMTAP_FLOW_LIVE], ARMTAP_LIMIT_quiet},
        {&sum.most.flows[ARMTAP_FLOW_SENDING], ARMTAP_LIMIT_connections},
    };
    (void)state;
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        sum = (struct armtap_part_sum){.most = {.is_one = true}};
        unsigned lasting, of_ended = sums[i].most == &sum.most.flows[ARMTAP_FLOW_IDLE];
        *sums[i].most = sums[i].limit / 2;
        assert_int_equal(armtap_part_load(&sum, &lasting), 500000);
        assert_int_equal(lasting, 500000 * of_ended);
        *sums[i].most = sums[i].limit;
        assert_true(armtap_part_has_room(&sum));
        assert_int_equal(armtap_part_load(&sum, &lasting), 1000000);
        ++*sums[i].most;
        assert_false(armtap_part_has_room(&sum));
        assert_int_equal(armtap_part_load(&sum, &lasting), 1000000);
    }
    sum = (struct armtap_part_sum){.most = {.is_strained = true}};
    assert_false(armtap_part_has_room(&sum));
    for (size_t i = 0; i < ARMTAP_ACCOUNTS; i++) {
        sum = (struct armtap_part_sum){.most = {.is_one = true}};
        sum.drawn[i] = armtap_budget_at(i)->once / 2;
        assert_true(armtap_part_has_room(&sum));
        sum.drawn[i]++;
        assert_false(armtap_part_has_room(&sum));
    }
}

/* Tables with the recipes of `count` texts from the given one on, all of them in use or none. */
static void fill_layouts(struct armtap_layouts *layouts, unsigned from, size_t count, size_t users)
{
    *layouts = (struct armtap_layouts){.text_bytes = 0};
    for (size_t i = 0; i < count; i++) {
        char text[8];
        const struct armtap_text_key key = {ARMTAP_RTDE, {text, ""}, {(size_t)sprintf(text, "%zu", from + i), 0}};
        struct armtap_recipe *recipe;
        assert_int_equal(armtap_recipe_rtde("timestamp", "DOUBLE", &recipe), ARMTAP_OK);
        assert_int_equal(armtap_layout_keep(layouts, &key, recipe), ARMTAP_OK);
        recipe->users = users;
        armtap_recipe_release(recipe);
    }
}

/* One table has room for what two have, or not. */
static void test_recipes_as_one(void **state)
{
    enum { MOST = ARMTAP_TEXTS_MAX, HALF = MOST / 2 };
    static const struct {
        unsigned from[2];
        size_t count[2], users;
        bool is_as_one;
    } cases[] = {
        {{0, HALF}, {HALF, MOST - HALF}, 0, true}, {{0, HALF}, {HALF, MOST - HALF + 1}, 0, false},
        {{0, 0}, {MOST, MOST}, 0, true},           {{0, 1}, {MOST, MOST}, 0, false},
        {{0, 0}, {MOST + 1, 0}, 0, false},         {{0, 0}, {0, MOST + 1}, 1, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct armtap_layouts two[2];
        const struct armtap_layouts *const all[2] = {&two[0], &two[1]};
        for (size_t k = 0; k < 2; k++)
            fill_layouts(&two[k], cases[i].from[k], cases[i].count[k], cases[i].users);
        assert_int_equal(armtap_layouts_are_as_one(all, 2), cases[i].is_as_one);
        for (size_t k = 0; k < 2; k++)
            armtap_layouts_clear(&two[k]);
    }
}

/* Recipes of a thousand fields: ten fit, twenty do not. */
static void test_bytes_of_recipes(void **state)
{
    enum { FIELDS = 1000, NAME = 7 };
    static char names[FIELDS * NAME + 1], types[FIELDS * sizeof "BOOL" + 1];
    struct armtap_layouts layouts = {.text_bytes = 0};
    (void)state;
    for (unsigned i = 0; i < FIELDS; i++) {
        sprintf(names + strlen(names), "%sf%05u", i > 0 ? "," : "", i);
        strcat(types, i > 0 ? ",BOOL" : "BOOL");
    }
    for (unsigned i = 1; i <= 20; i++) {
        char text[8];
        const struct armtap_text_key key = {
            ARMTAP_RTDE, {names, text}, {strlen(names), (size_t)sprintf(text, "%u", i)}};
        struct armtap_recipe *recipe;
        assert_int_equal(armtap_recipe_rtde(names, types, &recipe), ARMTAP_OK);
        assert_int_equal(armtap_layout_keep(&layouts, &key, recipe), ARMTAP_OK);
        assert_in_range(layouts.text_bytes, 1, ARMTAP_TEXTS_BYTES);
        assert_true(i > 10 || layouts.text_bytes >= i * (strlen(names) + recipe->bytes));
        armtap_recipe_release(recipe);
    }
    assert_true(layouts.is_crowded);
    armtap_layouts_clear(&layouts);
    assert_int_equal(layouts.text_bytes, 0);
}

static void test_misuse(void **state)
{
    const struct armtap_where where = {.time = 5, .packet = 1};
    struct armtap_net *net;
    (void)state;
    assert_int_equal(armtap_net_new(NULL, NULL, NULL, &net), ARMTAP_OK);
    assert_int_equal(armtap_net_part(NULL, 0), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_net_part(net, ARMTAP_PARTS_MAX), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_net_part(net, 3), ARMTAP_OK);
    assert_int_equal(armtap_net_tick(NULL, &where, 1), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_net_tick(net, NULL, 1), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_net_tick(net, &where, 0), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_net_tick(net, &where, 7), ARMTAP_OK);
    assert_int_equal(armtap_net_part(net, 3), ARMTAP_ERR_NOT_READY);
    assert_false(armtap_net_waits(net));
    assert_false(armtap_net_waits(NULL));
    assert_true(armtap_nets_stand_alone(&net, 1));
    assert_false(armtap_nets_stand_alone(NULL, 1));
    armtap_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_several_files),
        cmocka_unit_test(test_strained_is_read_again),
        cmocka_unit_test(test_callback_stops),
        cmocka_unit_test(test_attempts_end_by_others),
        cmocka_unit_test(test_holes_end_by_others),
        cmocka_unit_test(test_two_ends_at_once),
        cmocka_unit_test(test_sent_again),
        cmocka_unit_test(test_notes_of_the_capture),
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_releases),
        cmocka_unit_test(test_recipes_and_programs),
        cmocka_unit_test(test_too_many_at_once),
        cmocka_unit_test(test_too_many_in_a_row),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_recipes_as_one),
        cmocka_unit_test(test_bytes_of_recipes),
        cmocka_unit_test(test_misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
