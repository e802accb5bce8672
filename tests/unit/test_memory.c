/* Memory: every n-th allocation fails, for n = 1, 2, 3 ... until a scenario passes; and a steady stream allocates
 * nothing. The linker redirects this program's malloc, calloc, realloc and free to the functions of allocations.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "allocations.h"
#include "armtap.h"
#include "client/armtap-client.h"
#include "bytes.h"
#include "robot_model.h"
#include "support.h"

/* ---- bytes to be sent ------------------------------------------------------------------------------------------ */

#define ROOM 200000

/* Segments of one or more connections, one after the other. */
struct wire {
    size_t length;
    uint8_t bytes[ROOM];
};

static void put(struct wire *wire, uint64_t number, unsigned width)
{
    assert_true(wire->length + width <= ROOM);
    while (width > 0)
        wire->bytes[wire->length++] = (uint8_t)(number >> (8 * --width));
}

static void put_text(struct wire *wire, const char *text)
{
    for (; *text; text++)
        put(wire, (uint8_t)*text, 1);
}

static void put_real(struct wire *wire, double number)
{
    assert_true(wire->length + 8 <= ROOM);
    armtap_put_double(wire->bytes + wire->length, number);
    wire->length += 8;
}

static void put_realtime(struct wire *wire, size_t size, double clock)
{
    put(wire, size, 4);
    put_real(wire, clock);
    for (size_t at = 12; at + 8 <= size; at += 8)
        put_real(wire, (double)(at / 8));
}

static void put_package(struct wire *wire, char type, const char *head, size_t head_length, const char *text)
{
    put(wire, 3 + head_length + strlen(text), 2);
    put(wire, (uint8_t)type, 1);
    for (size_t i = 0; i < head_length; i++)
        put(wire, (uint8_t)head[i], 1);
    put_text(wire, text);
}

static void put_data(struct wire *wire, double clock)
{
    put(wire, 3 + 1 + 8 + 48, 2);
    put(wire, 'U', 1);
    put(wire, 1, 1);
    put_real(wire, clock);
    for (int i = 0; i < 6; i++)
        put_real(wire, i);
}

/* ---- sinks ----------------------------------------------------------------------------------------------------- */

struct seen {
    unsigned long records, recipes, texts, notes, events, properties;
    unsigned long first_count, last_count; /* allocations at the second and the latest record */
};

static int on_record(void *user, const struct armtap_record *record)
{
    struct seen *seen = user;
    (void)record;
    if (++seen->records == 2)
        seen->first_count = memory.count;
    seen->last_count = memory.count;
    return 0;
}

static int on_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct seen *seen = user;
    (void)event;
    seen->recipes++;
    return 0;
}

static int on_text(void *user, const struct armtap_text *text)
{
    struct seen *seen = user;
    (void)text;
    seen->texts++;
    return 0;
}

static int on_note(void *user, const struct armtap_note *note)
{
    struct seen *seen = user;
    (void)note;
    seen->notes++;
    return 0;
}

static int on_event(void *user, const struct armtap_event *event)
{
    struct seen *seen = user;
    (void)event;
    seen->events++;
    return 0;
}

static int on_properties(void *user, const struct armtap_record *record)
{
    struct seen *seen = user;
    (void)record;
    seen->properties++;
    return 0;
}

static const struct armtap_sink sink = {.size = sizeof sink,
                                        .on_record = on_record,
                                        .on_recipe = on_recipe,
                                        .on_text = on_text,
                                        .on_note = on_note,
                                        .on_event = on_event,
                                        .on_properties = on_properties};

/* ---- scenarios ------------------------------------------------------------------------------------------------- */

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        int try_error = (call);                                                                                        \
        if (try_error)                                                                                                 \
            return try_error;                                                                                          \
    } while (0)

static struct wire wire; /* too large for a stack */

/* Pushes the wire's bytes in two pieces, and empties it. */
static int push_all(struct armtap_conn *conn, enum armtap_direction direction)
{
    size_t first = wire.length / 3, length = wire.length;
    wire.length = 0;
    TRY(armtap_conn_push(conn, direction, wire.bytes, first, NULL));
    return armtap_conn_push(conn, direction, wire.bytes + first, length - first, NULL);
}

static int feed_realtime(struct armtap_conn *conn)
{
    for (int i = 0; i < 4; i++)
        put_realtime(&wire, i < 2 ? 1060 : 1108, 1 + 0.008 * i);
    TRY(push_all(conn, ARMTAP_FROM_ROBOT));
    put_text(&wire, "movej([0,0,0,0,0,0])\nstopj(2)");
    TRY(push_all(conn, ARMTAP_TO_ROBOT));
    TRY(armtap_conn_gap(conn, ARMTAP_FROM_ROBOT, 100, NULL));
    for (int i = 0; i < 3; i++)
        put_realtime(&wire, 812, 2 + 0.008 * i);
    TRY(push_all(conn, ARMTAP_FROM_ROBOT));
    TRY(armtap_conn_close(conn, ARMTAP_TO_ROBOT, NULL));
    return armtap_conn_close(conn, ARMTAP_FROM_ROBOT, NULL);
}

static int feed_rtde(struct armtap_conn *conn)
{
    static const char hertz[8] = {0x40, 0x5f, 0x40, 0, 0, 0, 0, 0};
    put_package(&wire, 'V', "\0\2", 2, "");
    put_package(&wire, 'O', hertz, 8, "timestamp,actual_q");
    put_package(&wire, 'I', "", 0, "input_int_register_24,wonder");
    put_package(&wire, 'R', "", 0, "serial");
    TRY(push_all(conn, ARMTAP_TO_ROBOT));
    put_package(&wire, 'M', "\5ready\4RTDE\3", 12, "");
    put_package(&wire, 'V', "\1", 1, "");
    put_package(&wire, 'O', "\1", 1, "DOUBLE,VECTOR6D");
    put_package(&wire, 'I', "\1", 1, "INT32,STRANGE");
    put_package(&wire, 'R', "\0\5", 2, "INT32abcd");
    for (int i = 0; i < 3; i++)
        put_data(&wire, 10 + 0.008 * i);
    TRY(push_all(conn, ARMTAP_FROM_ROBOT));
    put_package(&wire, 'U', "\1\0\0\0\7", 5, "");
    TRY(push_all(conn, ARMTAP_TO_ROBOT));
    TRY(armtap_conn_close(conn, ARMTAP_TO_ROBOT, NULL));
    return armtap_conn_close(conn, ARMTAP_FROM_ROBOT, NULL);
}

/* Data without a handshake, of a moving robot, in a well-known client's recipe. */
static size_t known_at;
static struct armtap_recipe *known_recipe;

static int feed_without_handshake(struct armtap_conn *conn)
{
    const struct robot_options options = {.motion = MOTION_WAVES, .cycle = 0.008};
    struct robot robot;
    robot_begin(&robot, &options, 7);
    for (int64_t i = 0; i < 32; i++) {
        const struct armtap_where where = {.size = sizeof where, .time = i * 8000000, .packet = (uint64_t)i + 1};
        static uint8_t package[ROBOT_PACKAGE_MAX];
        robot_step(&robot);
        size_t length = robot_package(&robot, known_recipe, 2, 1, package);
        TRY(armtap_conn_push(conn, ARMTAP_FROM_ROBOT, package, length, &where));
    }
    return armtap_conn_close(conn, ARMTAP_FROM_ROBOT, NULL);
}

static int run_conn(struct seen *seen, enum armtap_protocol protocol, bool midstream,
                    int (*feed)(struct armtap_conn *conn))
{
    struct armtap_conn_options options = {.size = sizeof options,
                                          .protocol = protocol,
                                          .robot = "10.0.0.2:30004",
                                          .client = "10.0.0.9:1",
                                          .midstream = midstream};
    struct armtap_conn *conn = NULL;
    int error = armtap_conn_new(&options, &sink, seen, &conn);
    assert_true((error == ARMTAP_OK) == (conn != NULL));
    if (error == ARMTAP_OK)
        error = feed(conn);
    armtap_conn_free(conn);
    return error;
}

static int run_realtime(struct seen *seen)
{
    return run_conn(seen, ARMTAP_REALTIME, false, feed_realtime);
}

static int run_realtime_untold(struct seen *seen)
{
    return run_conn(seen, ARMTAP_PROTOCOL_NONE, false, feed_realtime);
}

static int run_rtde(struct seen *seen)
{
    return run_conn(seen, ARMTAP_RTDE, false, feed_rtde);
}

static int run_without_handshake(struct seen *seen)
{
    return run_conn(seen, ARMTAP_RTDE, true, feed_without_handshake);
}

/* The robot's answer to a request. It lacks a name unless asked `again`. */
static void put_answer(char request, bool again)
{
    static const char release[16] = {0, 0, 0, 5, 0, 0, 0, 11, 0, 0, 0, 1, 0, 0, 0, 108};
    if (request == 'v')
        put_package(&wire, 'v', release, sizeof release, "");
    else if (request == 'O')
        put_package(&wire, 'O', "\1", 1, again ? "DOUBLE,VECTOR6D" : "DOUBLE,VECTOR6D,NOT_FOUND");
    else if (request == 'I')
        put_package(&wire, 'I', "\1", 1, "INT32");
    else
        put_package(&wire, request, "\1", 1, "");
}

/* Answers what the client asks until it asks no more. `again`: it lacks that name no longer. */
static int answer_client(struct armtap_client *client, bool again)
{
    const void *bytes;
    for (size_t length; (length = armtap_client_send(client, &bytes)) > 0;) {
        char request = ((const char *)bytes)[2];
        TRY(armtap_client_sent(client, length, 0, NULL));
        put_answer(request, again);
        again |= request == 'O';
        TRY(armtap_client_receive(client, wire.bytes, wire.length, 0, NULL));
        wire.length = 0;
    }
    return ARMTAP_OK;
}

static int feed_client(struct armtap_client *client, struct armtap_state *values)
{
    for (int i = 0; i < 2; i++) {
        TRY(armtap_client_connected(client, 0, NULL));
        TRY(answer_client(client, i > 0));
        for (int k = 0; k < 3; k++)
            put_data(&wire, 10 - i + 0.008 * k);
        TRY(armtap_client_receive(client, wire.bytes, wire.length - 9, 0, NULL));
        wire.length = 0;
        TRY(armtap_client_write(client, 0, values));
        if (i == 0)
            TRY(armtap_client_closed(client, 0, ARMTAP_CLIENT_RESET, NULL));
    }
    TRY(armtap_client_stop(client, 0));
    TRY(answer_client(client, true));
    return armtap_client_closed(client, 0, ARMTAP_CLIENT_CLOSED_HERE, NULL);
}

static int run_client(struct seen *seen)
{
    static const char *const inputs[] = {"input_int_register_24"};
    struct armtap_client_options options = {.size = sizeof options,
                                            .protocol = ARMTAP_RTDE,
                                            .outputs = "timestamp,actual_q,wonder",
                                            .inputs = inputs,
                                            .input_count = 1};
    struct armtap_client *client;
    struct armtap_state *values = armtap_state_new();
    int error = values ? armtap_client_new(&options, &sink, seen, &client) : ARMTAP_ERR_MEMORY;
    if (error == ARMTAP_OK) {
        error = feed_client(client, values);
        assert_int_equal(armtap_client_verdict(client)->what, error ? ARMTAP_CLIENT_GIVE_UP : ARMTAP_CLIENT_DONE);
        armtap_client_free(client);
    }
    armtap_state_free(values);
    return error;
}

static int run_recipes(struct seen *seen)
{
    struct armtap_recipe *first = NULL, *second = NULL;
    int error = armtap_recipe_rtde("timestamp,wonder", "DOUBLE,INT32", &first);
    if (error == ARMTAP_OK)
        error = armtap_recipe_realtime(1220, &second);
    struct armtap_state *state = error == ARMTAP_OK ? armtap_state_new() : NULL;
    if (error == ARMTAP_OK && !state)
        error = ARMTAP_ERR_MEMORY;
    seen->records = error == ARMTAP_OK;
    armtap_state_free(state);
    armtap_recipe_release(first);
    armtap_recipe_release(second);
    return error;
}

/* ---- packets --------------------------------------------------------------------------------------------------- */

/* One connection as it is captured: raw IPv4. */
struct link {
    uint8_t robot, client; /* last bytes of the addresses */
    uint16_t port;
    uint32_t seq[2];
    uint64_t number;
};

enum { SYN = 2, FIN = 1, ACK = 16 };

static int send_at(struct armtap_net *net, struct link *link, enum armtap_direction direction, uint32_t seq,
                   unsigned flags, const uint8_t *bytes, size_t length)
{
    uint8_t packet[40 + 4096];
    uint8_t ends[2] = {link->robot, link->client};
    uint16_t ports[2] = {link->port, 40000};
    assert_true(length <= 4096);
    put_segment(packet,
                &(struct tcp_segment){{0x0a000000u + ends[direction], 0x0a000000u + ends[!direction]},
                                      {ports[direction], ports[!direction]},
                                      seq,
                                      link->seq[!direction],
                                      flags},
                bytes, length);
    link->number++;
    struct armtap_packet captured = {.size = sizeof captured,
                                     .link_type = 101,
                                     .where = {.time = (int64_t)link->number * 2000000, .packet = link->number},
                                     .data = packet,
                                     .captured = 40 + length,
                                     .length = 40 + length};
    return armtap_net_packet(net, &captured);
}

static int send_next(struct armtap_net *net, struct link *link, enum armtap_direction direction, unsigned flags,
                     const uint8_t *bytes, size_t length)
{
    uint32_t seq = link->seq[direction];
    link->seq[direction] += (uint32_t)length + (flags & (SYN | FIN) ? 1 : 0);
    return send_at(net, link, direction, seq, flags, bytes, length);
}

/* Sends the wire's bytes in segments, and empties it. With `swap` every second segment overtakes the one before. */
static int send_all(struct armtap_net *net, struct link *link, enum armtap_direction direction, size_t size, bool swap)
{
    size_t length = wire.length, at = 0;
    wire.length = 0;
    while (at < length) {
        size_t first = length - at < size ? length - at : size;
        size_t second = length - at - first < size ? length - at - first : size;
        uint32_t seq = link->seq[direction];
        if (!swap)
            second = 0;
        if (second > 0)
            TRY(send_at(net, link, direction, seq + (uint32_t)first, ACK, wire.bytes + at + first, second));
        TRY(send_at(net, link, direction, seq, ACK, wire.bytes + at, first));
        link->seq[direction] += (uint32_t)(first + second);
        at += first + second;
    }
    return 0;
}

static int begin(struct armtap_net *net, struct link *link)
{
    TRY(send_next(net, link, ARMTAP_TO_ROBOT, SYN, NULL, 0));
    return send_next(net, link, ARMTAP_FROM_ROBOT, SYN | ACK, NULL, 0);
}

static int set_up_as(struct armtap_net *net, struct link *link, const char *types)
{
    static const char hertz[8] = {0x40, 0x5f, 0x40, 0, 0, 0, 0, 0};
    put_package(&wire, 'V', "\0\2", 2, "");
    put_package(&wire, 'O', hertz, 8, "timestamp,actual_q");
    TRY(send_all(net, link, ARMTAP_TO_ROBOT, 1000, false));
    put_package(&wire, 'V', "\1", 1, "");
    put_package(&wire, 'O', "\1", 1, types);
    return send_all(net, link, ARMTAP_FROM_ROBOT, 1000, false);
}

static int set_up(struct armtap_net *net, struct link *link)
{
    return set_up_as(net, link, "DOUBLE,VECTOR6D");
}

static int feed_net(struct armtap_net *net)
{
    struct link rtde = {2, 9, 30004, {1000, 5000}, 0}, legacy = {2, 8, 30003, {0xFFFFFE00u, 7}, 100};
    struct link late = {3, 7, 30004, {1, 2}, 200}, joined = {2, 6, 30004, {40, 50}, 300};
    TRY(begin(net, &rtde));
    TRY(set_up(net, &rtde));
    for (int i = 0; i < 6; i++)
        put_data(&wire, 1 + 0.008 * i);
    TRY(send_all(net, &rtde, ARMTAP_FROM_ROBOT, 50, true));
    for (int i = 0; i < 3; i++)
        put_realtime(&wire, 1060, 1 + 0.008 * i);
    TRY(send_all(net, &legacy, ARMTAP_FROM_ROBOT, 700, true));
    for (int i = 0; i < 3; i++)
        put_data(&wire, 5 + 0.008 * i);
    TRY(send_all(net, &late, ARMTAP_FROM_ROBOT, 61, false));
    for (int i = 0; i < 3; i++)
        put_data(&wire, 6 + 0.008 * i);
    TRY(send_all(net, &joined, ARMTAP_FROM_ROBOT, 80, false));
    rtde.seq[0] += 60; /* lost */
    put_data(&wire, 3);
    put_data(&wire, 3.008);
    TRY(send_all(net, &rtde, ARMTAP_FROM_ROBOT, 200, false));
    TRY(send_next(net, &rtde, ARMTAP_FROM_ROBOT, FIN | ACK, NULL, 0));
    TRY(send_at(net, &legacy, ARMTAP_FROM_ROBOT, legacy.seq[0] + 0x20000000, ACK, wire.bytes, 40)); /* in doubt */
    return armtap_net_finish(net);
}

static int run_net(struct seen *seen)
{
    struct armtap_net *net = NULL;
    struct armtap_recipe *recipe = NULL;
    static const struct armtap_port port = {sizeof port, 30003, ARMTAP_REALTIME};
    wire.length = 0;
    TRY(armtap_recipe_rtde("timestamp", "DOUBLE", &recipe));
    struct armtap_net_options options = {
        .size = sizeof options, .ports = &port, .port_count = 1, .recipe = recipe, .pool_bytes = 0};
    int error = armtap_net_new(&options, &sink, seen, &net);
    armtap_recipe_release(recipe);
    assert_true((error == ARMTAP_OK) == (net != NULL));
    if (error == ARMTAP_OK)
        error = feed_net(net);
    armtap_net_free(net);
    return error;
}

/* Two passes over one capture; the second knows more. */
static int run_twice(struct seen *seen)
{
    struct armtap_knowledge *knowledge = NULL;
    int error = armtap_knowledge_new(&knowledge);
    assert_true((error == ARMTAP_OK) == (knowledge != NULL));
    for (int pass = 0; pass < 2 && error == ARMTAP_OK; pass++) {
        struct armtap_net_options options = {.size = sizeof options, .knowledge = knowledge};
        struct armtap_net *net = NULL;
        error = armtap_net_new(&options, &sink, seen, &net);
        if (error == ARMTAP_OK)
            error = feed_net(net);
        armtap_net_free(net);
        armtap_knowledge_seal(knowledge);
    }
    armtap_knowledge_free(knowledge);
    return error;
}

/* ---- every n-th allocation ------------------------------------------------------------------------------------- */

static unsigned long recipes_seen; /* of all scenarios */

/* What is to hold where an allocation failed; of the process in which it did. */
static bool is_sound(int error, const struct seen *seen, const struct seen *whole, long held)
{
    if (error != ARMTAP_ERR_MEMORY)
        fprintf(stderr, "allocation %lu failed, and the answer was %d\n", memory.count, error);
    if (memory.held != held)
        fprintf(stderr, "an allocation failed, and %ld blocks are left\n", memory.held - held);
    return error == ARMTAP_ERR_MEMORY && memory.held == held && seen->records <= whole->records;
}

static void fail_each(int (*run)(struct seen *seen))
{
    struct seen whole = {0}, seen = {0};
    long held = memory.held;
    wire.length = 0;
    memory.count = memory.fail_at = 0;
    assert_int_equal(run(&whole), ARMTAP_OK);
    unsigned long count = memory.count;
    assert_int_equal(memory.held, held);
    assert_true(count > 2 && whole.records > 0);
    recipes_seen += whole.recipes;
    wire.length = 0;
    memory.count = memory.broken = 0;
    memory.forks = true;
    int error = run(&seen);
    if (!memory.forks)
        _exit(is_sound(error, &seen, &whole, held) ? 0 : 1);
    memory.forks = false;
    assert_int_equal(error, ARMTAP_OK);
    assert_int_equal(memory.count, count);
    assert_int_equal(memory.broken, 0);
}

static void test_realtime(void **state)
{
    (void)state;
    fail_each(run_realtime);
    fail_each(run_realtime_untold);
}

static void test_rtde(void **state)
{
    (void)state;
    fail_each(run_rtde);
}

static void test_client(void **state)
{
    (void)state;
    fail_each(run_client);
}

static void test_without_handshake(void **state)
{
    (void)state;
    unsigned long tried = 0;
    recipes_seen = 0;
    for (known_at = 0; armtap_known_recipe_at(known_at); known_at++) {
        if (strncmp(armtap_known_recipe_at(known_at)->fields, "timestamp", 9) != 0)
            continue; /* recognised late, with buffers that shrink again: shrinking may fail */
        assert_int_equal(armtap_recipe_rtde(armtap_known_recipe_at(known_at)->fields, NULL, &known_recipe), 0);
        fail_each(run_without_handshake);
        armtap_recipe_release(known_recipe);
        tried++;
    }
    assert_true(tried > 20 && recipes_seen >= tried); /* guessed */
}

static void test_recipes(void **state)
{
    (void)state;
    fail_each(run_recipes);
}

static void test_net(void **state)
{
    (void)state;
    fail_each(run_net);
}

static void test_two_passes(void **state)
{
    (void)state;
    fail_each(run_twice);
}

/* ---- a steady stream allocates nothing ------------------------------------------------------------------------- */

#define STEADY 1000

static void check_steady(struct armtap_net *net, struct link *link, const struct seen *seen, size_t segment)
{
    for (int i = 0; i < STEADY; i++) {
        if (link->port == 30004)
            put_data(&wire, 1 + 0.008 * i);
        else
            put_realtime(&wire, 1220, 1 + 0.002 * i);
        /* the rest waits for the next segment, so that records are split anywhere */
        size_t rest = wire.length % segment, length = wire.length - rest;
        uint8_t kept[4096];
        memcpy(kept, wire.bytes + length, rest);
        wire.length = length;
        assert_int_equal(send_all(net, link, ARMTAP_FROM_ROBOT, segment, false), ARMTAP_OK);
        memcpy(wire.bytes, kept, rest);
        wire.length = rest;
        assert_int_equal(send_next(net, link, ARMTAP_TO_ROBOT, ACK, NULL, 0), ARMTAP_OK);
    }
    assert_true(seen->records >= STEADY - 2 - segment / 60);
    assert_int_equal(seen->last_count - seen->first_count, 0);
}

static void steady(uint16_t port, size_t segment, const char *types)
{
    struct link link = {2, 9, port, {1000, 5000}, 0};
    struct seen seen = {0};
    struct armtap_net *net;
    wire.length = 0;
    assert_int_equal(armtap_net_new(NULL, &sink, &seen, &net), ARMTAP_OK);
    assert_int_equal(begin(net, &link), ARMTAP_OK);
    if (port == 30004)
        assert_int_equal(set_up_as(net, &link, types), ARMTAP_OK);
    check_steady(net, &link, &seen, segment);
    wire.length = 0;
    assert_int_equal(armtap_net_finish(net), ARMTAP_OK);
    armtap_net_free(net);
}

static void test_steady_realtime(void **state)
{
    (void)state;
    steady(30003, 1220, NULL);
    steady(30003, 1000, NULL);
    steady(30003, 1448, NULL);
    steady(30003, 77, NULL);
}

static void test_steady_rtde(void **state)
{
    (void)state;
    steady(30004, 60, "DOUBLE,VECTOR6D");
    steady(30004, 41, "DOUBLE,VECTOR6D");
    steady(30004, 1448, "DOUBLE,VECTOR6D");
    steady(30004, 7, "DOUBLE,VECTOR6D");
    steady(30004, 41, "DOUBLE,MATRIX"); /* its size follows from the first package */
    steady(30004, 41, "MATRIX,MATRIX"); /* nothing to go by */
}

static void test_steady_client(void **state)
{
    struct armtap_client_options options = {
        .size = sizeof options, .protocol = ARMTAP_RTDE, .outputs = "timestamp,actual_q,wonder"};
    struct armtap_client *client;
    struct seen seen = {0};
    (void)state;
    wire.length = 0;
    assert_int_equal(armtap_client_new(&options, &sink, &seen, &client), ARMTAP_OK);
    assert_int_equal(armtap_client_connected(client, 0, NULL), ARMTAP_OK);
    assert_int_equal(answer_client(client, false), ARMTAP_OK);
    for (int i = 0; i < STEADY; i++) {
        put_data(&wire, 1 + 0.008 * i);
        assert_int_equal(armtap_client_receive(client, wire.bytes, wire.length, i, NULL), ARMTAP_OK);
        wire.length = 0;
    }
    assert_int_equal(seen.records, STEADY);
    assert_int_equal(seen.last_count - seen.first_count, 0);
    armtap_client_free(client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_realtime),
        cmocka_unit_test(test_rtde),
        cmocka_unit_test(test_client),
        cmocka_unit_test(test_steady_client),
        cmocka_unit_test(test_without_handshake),
        cmocka_unit_test(test_recipes),
        cmocka_unit_test(test_net),
        cmocka_unit_test(test_two_passes),
        cmocka_unit_test(test_steady_realtime),
        cmocka_unit_test(test_steady_rtde),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
