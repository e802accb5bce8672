/* The memory that the library keeps, whatever a capture holds: everything that can be filled is filled at once, and the
 * allocated bytes are counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "allocations.h"
#include "armtap.h"
#include "protocol/budget.h"
#include "bytes.h"
#include "table/layout.h"
#include "table/recipe.h"
#include "support.h"
#include "../share.h"
#include "inside.h"

enum { FIN = 1, SYN = 2, RST = 4, ACK = 16 };

/* One packet and the allocator's overhead may be added. */
#define SLACK (1536 * 1024)

/* ---- packets ---- */

#define RESET_COUNTS INT64_C(2000000000) /* ns: then a RST has ended its connection */

struct scene {
    struct armtap_net *net;
    uint64_t packets, records, gaps, hostile, overlaps, unshared;
    size_t before;           /* bytes allocated before the net was made */
    size_t most;             /* by it, at once */
    size_t live;             /* open connections with records, by what was told of them */
    int64_t step;            /* ns from packet to packet; 0: 1000 */
    uint64_t rests, perhaps; /* connections said to be the rest of one that was given up, or perhaps to be one */
    int64_t waited;          /* ns, besides what packets take */
};

static size_t once(const char *name)
{
    const struct armtap_budget *budget = armtap_budget_find(name);
    assert_non_null(budget);
    return (size_t)budget->once;
}

static void weigh(struct scene *scene)
{
    size_t bytes = memory.bytes - scene->before;
    if (bytes > scene->most)
        scene->most = bytes;
    /* Five packets a connection: at this pace few of them came in the last 10 s. */
    size_t lately = scene->step ? 1 + (size_t)(INT64_C(10000000000) / scene->step) : SIZE_MAX;
    assert_true(bytes <= once("memory") + (scene->live < lately ? scene->live : lately) * once("share") + SLACK);
}

/* Both ends of a connection; side 0 is the robot. */
struct ends {
    uint32_t address[2], seq[2];
    uint16_t port[2];
};

static void send_at(struct scene *scene, const struct ends *ends, int side, uint32_t seq, unsigned flags,
                    const void *bytes, size_t length)
{
    static uint8_t packet[40 + 65495];
    assert_true(length <= 65495);
    put_segment(packet,
                &(struct tcp_segment){{ends->address[side], ends->address[!side]},
                                      {ends->port[side], ends->port[!side]},
                                      seq,
                                      ends->seq[!side],
                                      flags},
                bytes, length);
    scene->packets++;
    int64_t time = scene->waited + (int64_t)scene->packets * (scene->step ? scene->step : 1000);
    struct armtap_packet captured = {sizeof captured, 101,         {.time = time, .packet = scene->packets},
                                     packet,          40 + length, 40 + length};
    assert_int_equal(armtap_net_packet(scene->net, &captured), ARMTAP_OK);
    weigh(scene);
}

static void send_next(struct scene *scene, struct ends *ends, int side, unsigned flags, const void *bytes,
                      size_t length)
{
    uint32_t seq = ends->seq[side];
    ends->seq[side] += (uint32_t)length + (flags & SYN ? 1 : 0);
    send_at(scene, ends, side, seq, flags, bytes, length);
}

static struct ends connect(struct scene *scene, uint32_t number, uint16_t port)
{
    struct ends ends = {{0x0a000000 + number, 0x0b000000 + number}, {1000, 2000}, {port, 40000}};
    send_next(scene, &ends, 1, SYN, NULL, 0);
    send_next(scene, &ends, 0, SYN | ACK, NULL, 0);
    return ends;
}

struct text {
    size_t length;
    uint8_t bytes[65000];
};

static void add(struct text *text, const void *bytes, size_t length)
{
    if (length > 0)
        memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
}

static void add_package(struct text *text, char type, const void *head, size_t head_length, const void *body,
                        size_t body_length)
{
    armtap_put16(text->bytes + text->length, (uint16_t)(3 + head_length + body_length));
    text->bytes[text->length + 2] = (uint8_t)type;
    text->length += 3;
    add(text, head, head_length);
    add(text, body, body_length);
}

/* ---- ways to fill memory ---- */

static const uint8_t hertz[8] = {0x40, 0x5f, 0x40};

/* A recipe of `count` fields that no other connection has, and one data package. */
static void set_up_on(struct scene *scene, struct ends *ends, uint32_t number, size_t count)
{
    static struct text asked, answered, data;
    static char names[32000], types[32000];
    static const uint8_t zeroes[8 * 2000];
    size_t name_bytes = 0, type_bytes = 0;
    for (size_t i = 0; i < count; i++) {
        name_bytes += (size_t)sprintf(names + name_bytes, "%sf%x_%x", i > 0 ? "," : "", (unsigned)number, (unsigned)i);
        type_bytes += (size_t)sprintf(types + type_bytes, "%sDOUBLE", i > 0 ? "," : "");
    }
    asked.length = answered.length = data.length = 0;
    add_package(&asked, 'V', "\0\2", 2, NULL, 0);
    add_package(&asked, 'O', hertz, 8, names, name_bytes);
    add_package(&answered, 'V', "\1", 1, NULL, 0);
    add_package(&answered, 'O', "\1", 1, types, type_bytes);
    add_package(&data, 'U', "\1", 1, zeroes, 8 * count);
    send_next(scene, ends, 1, ACK, asked.bytes, asked.length);
    send_next(scene, ends, 0, ACK, answered.bytes, answered.length);
    send_next(scene, ends, 0, ACK, data.bytes, data.length);
}

/* A recipe of `count` fields of the table that all connections of a kind have, and one data package. */
static void set_up_kind(struct scene *scene, struct ends *ends, uint32_t kind, size_t count)
{
    static struct text asked, answered, data;
    static char names[32000], types[32000];
    static const uint8_t zeroes[8 * 2000];
    size_t name_bytes = 0, type_bytes = 0, size = 0;
    for (size_t i = 0; i < count; i++) {
        bool whole = i < 32 && (kind >> i & 1);
        name_bytes += (size_t)sprintf(names + name_bytes, "%soutput_%s_register_%u", i > 0 ? "," : "",
                                      whole ? "int" : "double", (unsigned)i % 48);
        type_bytes += (size_t)sprintf(types + type_bytes, "%s%s", i > 0 ? "," : "", whole ? "INT32" : "DOUBLE");
        size += whole ? 4 : 8;
    }
    asked.length = answered.length = data.length = 0;
    add_package(&asked, 'V', "\0\2", 2, NULL, 0);
    add_package(&asked, 'O', hertz, 8, names, name_bytes);
    add_package(&answered, 'V', "\1", 1, NULL, 0);
    add_package(&answered, 'O', "\1", 1, types, type_bytes);
    add_package(&data, 'U', "\1", 1, zeroes, size);
    send_next(scene, ends, 1, ACK, asked.bytes, asked.length);
    send_next(scene, ends, 0, ACK, answered.bytes, answered.length);
    send_next(scene, ends, 0, ACK, data.bytes, data.length);
}

/* What a robot's client asks for; the data are 13 doubles. */
static struct ends set_up_honestly(struct scene *scene, uint32_t number, const struct text *data)
{
    static const char asked[] = "timestamp,actual_q,actual_TCP_pose", answered[] = "DOUBLE,VECTOR6D,VECTOR6D";
    struct ends ends = connect(scene, number, 30004);
    struct text set_up = {.length = 0};
    add_package(&set_up, 'V', "\0\2", 2, NULL, 0);
    add_package(&set_up, 'O', hertz, 8, asked, sizeof asked - 1);
    send_next(scene, &ends, 1, ACK, set_up.bytes, set_up.length);
    set_up.length = 0;
    add_package(&set_up, 'V', "\1", 1, NULL, 0);
    add_package(&set_up, 'O', "\1", 1, answered, sizeof answered - 1);
    send_next(scene, &ends, 0, ACK, set_up.bytes, set_up.length);
    send_next(scene, &ends, 0, ACK, data->bytes, data->length);
    return ends;
}

static struct ends set_up(struct scene *scene, uint32_t number, size_t count)
{
    struct ends ends = connect(scene, number, 30004);
    set_up_on(scene, &ends, number, count);
    return ends;
}

static void fill_recipes(struct scene *scene, uint32_t number)
{
    set_up(scene, number, 100);
}

/* Recipes that connections share, and that outlive the connection for which they were made. */
static void fill_shared_recipes(struct scene *scene, uint32_t number)
{
    struct ends first = connect(scene, number, 30004), second = connect(scene, 0x80000 + number, 30004);
    set_up_kind(scene, &first, number, 150);
    set_up_kind(scene, &second, number, 150);
    send_next(scene, &first, 0, RST, NULL, 0);
}

static void fill_wide_recipes(struct scene *scene, uint32_t number)
{
    set_up(scene, number, 1500);
}

/* Data after a hole that is never filled. */
static void fill_holes(struct scene *scene, uint32_t number)
{
    static uint8_t bytes[20000];
    struct ends ends = set_up(scene, number, 2);
    for (int i = 0; i < 4; i++)
        send_at(scene, &ends, 0, ends.seq[0] + 100 + (uint32_t)i * 30000, ACK, bytes, sizeof bytes);
}

/* A message without end, byte by byte. */
static void fill_buffers(struct scene *scene, uint32_t number)
{
    static const uint8_t part[4] = {0xff, 0x00, 'M', 1};
    struct ends ends = set_up(scene, number, 2);
    send_next(scene, &ends, 0, ACK, part, sizeof part);
    for (int i = 0; i < 200; i++)
        send_next(scene, &ends, 0, ACK, part + 3, 1);
}

/* Connections that were open when the capture began, each with its own package length. */
static void fill_samples(struct scene *scene, uint32_t number)
{
    static struct text data;
    static uint8_t values[1200];
    struct ends ends = {{0x0a000000 + number, 0x0b000000 + number}, {1000, 2000}, {30004, 40000}};
    for (int i = 0; i < 8; i++) {
        data.length = 0;
        armtap_put_double(values, 1000 + i * 0.008);
        add_package(&data, 'U', "\1", 1, values, sizeof values);
        send_next(scene, &ends, 0, ACK, data.bytes, data.length);
    }
}

/* Arms, each with a state except the first. */
static void fill_arms(struct scene *scene, uint32_t number)
{
    static const char ask[] = "[100,{\"chanel\":99,\"frequency\":50,\"segments\":[\"R2_actual_q\",\"R3_actual_q\","
                              "\"R4_actual_q\"],\"to_server\":false,\"trigger\":0}]";
    static const char say[] = "[99,[1,2,3,4,5,6],[1,2,3,4,5,6],[1,2,3,4,5,6]]";
    struct ends ends = connect(scene, number, 30010);
    send_next(scene, &ends, 1, ACK, ask, sizeof ask - 1);
    send_next(scene, &ends, 0, ACK, say, sizeof say - 1);
}

static void fill_attempts(struct scene *scene, uint32_t number)
{
    for (uint32_t i = 0; i < 5; i++) {
        struct ends ends = {{0x0c000000 + number, 0x0d000000 + number}, {1, 2}, {30004, (uint16_t)(1000 + i)}};
        send_next(scene, &ends, 1, SYN, NULL, 0);
    }
}

/* A segment far from the others, which may belong to another connection. */
static void fill_doubts(struct scene *scene, uint32_t number)
{
    static uint8_t bytes[60000];
    struct ends ends = set_up(scene, number, 2);
    send_at(scene, &ends, 0, ends.seq[0] + 0x40000000, ACK, bytes, sizeof bytes);
}

/* ---- the test ---- */

static int on_record(void *user, const struct armtap_record *record)
{
    struct scene *scene = user;
    scene->records++;
    scene->live += record->stream->records[0] + record->stream->records[1] == 1;
    assert_non_null(record->state);
    return 0;
}

/* No connection here ends by FIN, which would be told twice. */
static int on_event(void *user, const struct armtap_event *event)
{
    struct scene *scene = user;
    if (event->type == ARMTAP_EVENT_CLOSE)
        scene->live -= event->stream->records[0] + event->stream->records[1] > 0;
    return 0;
}

static int on_note(void *user, const struct armtap_note *note)
{
    struct scene *scene = user;
    scene->gaps += strcmp(note->kind->id, "stream.gap") == 0;
    scene->hostile += strcmp(note->kind->id, "input.hostile") == 0;
    bool is_hostile = strcmp(note->kind->id, "input.hostile") == 0;
    scene->rests += is_hostile && strstr(note->text, "the rest of a connection");
    scene->perhaps += strcmp(note->kind->id, "stream.midstream") == 0 && strstr(note->text, "or is the rest of one");
    scene->unshared += strcmp(note->kind->id, "capture.many-robots") == 0;
    scene->overlaps += strcmp(note->kind->id, "tcp.overlap-differs") == 0;
    return 0;
}

static void (*const fills[])(struct scene *scene, uint32_t number) = {
    fill_recipes, fill_shared_recipes, fill_wide_recipes, fill_holes,  fill_buffers,
    fill_samples, fill_arms,           fill_attempts,     fill_doubts,
};
#define FILLS (sizeof fills / sizeof fills[0])

static struct scene play(size_t first, size_t count, uint32_t rounds)
{
    static const struct armtap_sink sink = {
        .size = sizeof sink, .on_record = on_record, .on_note = on_note, .on_event = on_event};
    struct scene scene = {.before = memory.bytes};
    assert_int_equal(armtap_net_new(NULL, &sink, &scene, &scene.net), ARMTAP_OK);
    for (uint32_t number = 1; number <= rounds; number++)
        for (size_t i = 0; i < count; i++)
            fills[first + i](&scene, number * 16 + (uint32_t)i);
    assert_int_equal(armtap_net_finish(scene.net), ARMTAP_OK);
    armtap_net_free(scene.net);
    assert_true(memory.bytes == scene.before && scene.live == 0);
    return scene;
}

static void test_all_at_once(void **unused)
{
    (void)unused;
    struct scene scene = play(0, FILLS, (uint32_t)share_of(700, 200, "rounds of all ways to fill memory"));
    print_message("%zu of %zu bytes, %u packets\n", scene.most, once("memory"), (unsigned)scene.packets);
    assert_true(scene.most >= once("memory") / 2); /* otherwise the test filled nothing */
    assert_true(scene.gaps > 0 && scene.hostile > 0 && scene.records > 0);
}

static void test_each_alone(void **unused)
{
    (void)unused;
    uint32_t rounds = (uint32_t)share_of(1800, 400, "rounds of each way to fill memory");
    for (size_t i = 0; i < FILLS; i++) {
        struct scene scene = play(i, 1, rounds);
        print_message("%zu: %zu of %zu bytes\n", i, scene.most, once("memory"));
        assert_true(scene.most >= once("memory") / 8);
    }
}

/* Thousands of connections at once, whose recipes would be too many if each had its own. */
static void test_clients_of_one_kind(void **unused)
{
    enum { CONNECTIONS = 6000, FIELDS = 200, EACH = 5 * 1024 + 512 };
    static const struct armtap_sink sink = {
        .size = sizeof sink, .on_record = on_record, .on_note = on_note, .on_event = on_event};
    (void)unused;
    for (uint32_t kinds = 1; kinds <= 32; kinds *= 32) {
        struct scene scene = {.before = memory.bytes};
        assert_int_equal(armtap_net_new(NULL, &sink, &scene, &scene.net), ARMTAP_OK);
        assert_int_equal(armtap_net_brief(scene.net), ARMTAP_OK);
        for (uint32_t i = 0; i < CONNECTIONS; i++) {
            struct ends ends = connect(&scene, i, 30004);
            set_up_kind(&scene, &ends, i % kinds, FIELDS);
        }
        assert_true(scene.records == CONNECTIONS && scene.hostile == 0);
        assert_in_range(scene.most, CONNECTIONS * 1024, CONNECTIONS * EACH);
        armtap_net_free(scene.net);
        assert_true(memory.bytes == scene.before);
    }
}

/* A thousand connections at once, with 40 fields each, lose no record while very many others open and send nothing. */
static void test_a_thousand_connections(void **unused)
{
    enum { CONNECTIONS = 1000, FIELDS = 40, TURNS = 5 };
    static const struct armtap_sink sink = {
        .size = sizeof sink, .on_record = on_record, .on_note = on_note, .on_event = on_event};
    static struct ends ends[CONNECTIONS];
    static struct text data;
    static const uint8_t zeroes[8 * FIELDS];
    struct scene scene = {.before = memory.bytes};
    (void)unused;
    assert_int_equal(armtap_net_new(NULL, &sink, &scene, &scene.net), ARMTAP_OK);
    add_package(&data, 'U', "\1", 1, zeroes, sizeof zeroes);
    for (uint32_t i = 0; i < CONNECTIONS; i++)
        ends[i] = set_up(&scene, i, FIELDS);
    for (uint32_t turn = 1; turn < TURNS; turn++) {
        for (uint32_t i = 0; i < 2000; i++)
            connect(&scene, 0x10000 * turn + i, 30004);
        for (uint32_t i = 0; i < CONNECTIONS; i++) { /* in two segments, of which the second comes first */
            uint32_t seq = ends[i].seq[0];
            send_at(&scene, &ends[i], 0, seq + 100, ACK, data.bytes + 100, data.length - 100);
            send_next(&scene, &ends[i], 0, ACK, data.bytes, 100);
            ends[i].seq[0] = seq + (uint32_t)data.length;
        }
    }
    assert_int_equal(armtap_net_finish(scene.net), ARMTAP_OK);
    armtap_net_free(scene.net);
    print_message("%zu bytes\n", scene.most);
    assert_true(scene.records == CONNECTIONS * TURNS && scene.gaps == 0 && scene.hostile == 0);
}

/* Robots that send in turns. */
static struct scene play_turns(uint32_t connections, int turns, uint32_t ended, int64_t step)
{
    static const struct armtap_sink sink = {
        .size = sizeof sink, .on_record = on_record, .on_note = on_note, .on_event = on_event};
    static struct ends ends[ARMTAP_LIMIT_connections + 1];
    static struct text data;
    static const uint8_t zeroes[8 * 13];
    struct scene scene = {.before = memory.bytes, .step = step};
    assert_int_equal(armtap_net_new(NULL, &sink, &scene, &scene.net), ARMTAP_OK);
    assert_int_equal(armtap_net_brief(scene.net), ARMTAP_OK);
    data.length = 0;
    add_package(&data, 'U', "\1", 1, zeroes, sizeof zeroes);
    for (uint32_t i = 0; i < connections; i++)
        ends[i] = set_up_honestly(&scene, i, &data);
    for (int turn = 1; turn < turns; turn++)
        for (uint32_t i = 0; i < connections; i++)
            send_next(&scene, &ends[i], 0, ACK, data.bytes, data.length);
    for (uint32_t i = 0; i < ended; i++) {
        struct ends other = connect(&scene, 0x10000 + i, 30004);
        send_next(&scene, &other, 0, FIN | ACK, NULL, 0);
        send_next(&scene, &other, 1, FIN | ACK, NULL, 0);
    }
    for (int i = 0; i < 2 && connections > ARMTAP_LIMIT_connections; i++)
        send_next(&scene, &ends[0], 0, ACK, data.bytes, data.length);
    assert_int_equal(armtap_net_finish(scene.net), ARMTAP_OK);
    armtap_net_free(scene.net);
    assert_true(memory.bytes == scene.before && scene.live == 0);
    print_message("%u connections: %zu bytes each\n", (unsigned)connections, scene.most / connections);
    return scene;
}

/* None is given up, and each takes little: the bound holds at every packet. */
static void test_as_many_as_are_followed(void **unused)
{
    (void)unused;
    struct scene scene = play_turns(ARMTAP_LIMIT_connections, 3, 0, 0);
    assert_true(scene.records == 3 * (uint64_t)ARMTAP_LIMIT_connections);
    assert_true(scene.hostile == 0 && scene.gaps == 0);
    assert_true(scene.most < (size_t)ARMTAP_LIMIT_connections * 8000);
}

/* The one that was silent longest is given up for the last one, and both say so, it and its rest; with 40 others that
 * end meanwhile, too. */
static void test_one_more(void **unused)
{
    (void)unused;
    struct scene scene = play_turns(ARMTAP_LIMIT_connections + 1, 1, 40, 0);
    assert_int_equal(scene.hostile, 1 + scene.rests);
    assert_int_equal(scene.rests, 1);
    assert_int_equal(scene.perhaps, 0);
}

/* Once more have ended than are remembered, the rest of one that was given up is only perhaps that. */
static void test_forgotten(void **unused)
{
    (void)unused;
    struct scene scene = play_turns(ARMTAP_LIMIT_connections + 1, 1, ARMTAP_LIMIT_ended + 1, 0);
    assert_int_equal(scene.rests, 0);
    assert_int_equal(scene.perhaps, 1);
}

/* A client that connects again and again, and whose connections never end: those that sent long ago make place, and say
 * so; a thousand stay. */
static void test_left_open(void **unused)
{
    (void)unused;
    struct scene scene = play_turns(8000, 1, 0, 10000000);
    assert_true(scene.records == 8000);
    assert_true(scene.hostile > 0 && scene.hostile < 7000);
}

/* Connections that showed no record add nothing to the limit, though each brought messages. */
static void test_what_has_shown_nothing(void **unused)
{
    (void)unused;
    static const struct armtap_sink sink = {
        .size = sizeof sink, .on_record = on_record, .on_note = on_note, .on_event = on_event};
    struct scene scene = {.before = memory.bytes};
    assert_int_equal(armtap_net_new(NULL, &sink, &scene, &scene.net), ARMTAP_OK);
    for (uint32_t i = 0; i < 20000; i++) {
        struct ends ends = connect(&scene, i, 30004);
        send_next(&scene, &ends, 1, ACK, "\0\5V\0\2", 5);
        send_next(&scene, &ends, 0, ACK, "\0\4V\1", 4);
    }
    assert_int_equal(armtap_net_finish(scene.net), ARMTAP_OK);
    armtap_net_free(scene.net);
    assert_true(scene.records == 0 && scene.live == 0 && scene.most <= once("memory") + SLACK);
    assert_true(scene.most >= once("memory") / 8);
}

/* Twice as many robots as are remembered, whose recipes together exceed the limit `learned`: this is honest input, so
 * there is no note of hostile input, and the consequence is reported once. */
static void test_many_robots(void **unused)
{
    enum { ROBOTS = 2 * ARMTAP_LIMIT_robots, FIELDS = 60 };
    static const struct armtap_sink sink = {
        .size = sizeof sink, .on_record = on_record, .on_note = on_note, .on_event = on_event};
    static struct ends ends[ROBOTS];
    struct scene scene = {.before = memory.bytes};
    (void)unused;
    assert_int_equal(armtap_net_new(NULL, &sink, &scene, &scene.net), ARMTAP_OK);
    for (uint32_t i = 0; i < ROBOTS; i++)
        ends[i] = connect(&scene, i, 30004);
    for (uint32_t i = 0; i < ROBOTS; i++)
        set_up_on(&scene, &ends[i], i, FIELDS);
    assert_int_equal(armtap_net_finish(scene.net), ARMTAP_OK);
    armtap_net_free(scene.net);
    assert_int_equal(scene.records, ROBOTS);
    assert_int_equal(scene.hostile, 0);
    assert_int_equal(scene.unshared, 1);
}

/* In how many of a few dozen connections it is detected that repeated bytes differ. */
static uint64_t overlaps_seen(struct scene *scene, uint32_t first, uint32_t count)
{
    static const uint8_t bytes[16] = {0xff};
    uint64_t before = scene->overlaps;
    for (uint32_t number = first; number < first + count; number++) {
        struct ends ends = set_up(scene, number, 2);
        send_at(scene, &ends, 0, ends.seq[0] - (uint32_t)sizeof bytes, ACK, bytes, sizeof bytes);
    }
    return scene->overlaps - before;
}

/* While memory is scarce, few histories are kept; when it is free again, as many as before. */
static void test_histories_after_a_burst(void **unused)
{
    enum { BURST = 700, SEEN = 50 };
    static const struct armtap_sink sink = {
        .size = sizeof sink, .on_record = on_record, .on_note = on_note, .on_event = on_event};
    static struct ends ends[BURST];
    struct scene scene = {.before = memory.bytes};
    (void)unused;
    assert_int_equal(armtap_net_new(NULL, &sink, &scene, &scene.net), ARMTAP_OK);
    assert_int_equal(overlaps_seen(&scene, 0x10000, SEEN), SEEN);
    for (uint32_t i = 0; i < BURST; i++)
        ends[i] = set_up(&scene, i, 1500);
    assert_true(overlaps_seen(&scene, 0x20000, SEEN) < SEEN);
    for (uint32_t i = 0; i < BURST; i++)
        send_next(&scene, &ends[i], 0, RST, NULL, 0);
    scene.waited += RESET_COUNTS;
    assert_int_equal(overlaps_seen(&scene, 0x30000, SEEN), SEEN);
    assert_int_equal(armtap_net_finish(scene.net), ARMTAP_OK);
    armtap_net_free(scene.net);
}

/* Recipes of texts that connections share: ten of a thousand fields fit, forty do not. */
static void test_bytes_of_recipes(void **unused)
{
    enum { FIELDS = 1000, NAME = 7 };
    static char names[FIELDS * NAME + 1], types[FIELDS * sizeof "BOOL" + 1];
    struct armtap_layouts layouts = {.text_bytes = 0};
    size_t most = 0;
    (void)unused;
    for (unsigned i = 0; i < FIELDS; i++) {
        sprintf(names + strlen(names), "%sf%05u", i > 0 ? "," : "", i);
        strcat(types, i > 0 ? ",BOOL" : "BOOL");
    }
    for (unsigned i = 1; i <= 40; i++) {
        char text[8];
        const struct armtap_text_key key = {
            ARMTAP_RTDE, {names, text}, {strlen(names), (size_t)sprintf(text, "%u", i)}};
        struct armtap_recipe *recipe;
        assert_int_equal(armtap_recipe_rtde(names, types, &recipe), ARMTAP_OK);
        assert_int_equal(armtap_layout_keep(&layouts, &key, recipe), ARMTAP_OK);
        assert_in_range(layouts.text_bytes, 1, ARMTAP_TEXTS_BYTES);
        most += strlen(names) + recipe->bytes;
        assert_true(i > 10 || layouts.text_bytes >= most);
        armtap_recipe_release(recipe);
    }
    assert_true(most > ARMTAP_TEXTS_BYTES); /* otherwise the test filled nothing */
    armtap_layouts_clear(&layouts);
    assert_int_equal(layouts.text_bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_at_once),
        cmocka_unit_test(test_each_alone),
        cmocka_unit_test(test_clients_of_one_kind),
        cmocka_unit_test(test_a_thousand_connections),
        cmocka_unit_test(test_as_many_as_are_followed),
        cmocka_unit_test(test_one_more),
        cmocka_unit_test(test_forgotten),
        cmocka_unit_test(test_left_open),
        cmocka_unit_test(test_what_has_shown_nothing),
        cmocka_unit_test(test_histories_after_a_burst),
        cmocka_unit_test(test_many_robots),
        cmocka_unit_test(test_bytes_of_recipes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
