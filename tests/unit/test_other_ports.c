/* Ports that armtap does not decode: messages of the primary interface, and which line of the dashboard server answers
 * which, however the bytes come in. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/recording/other_ports.h"

struct world {
    struct other_ports *ports;
    struct recorded_ports *recorded;
    size_t chunk; /* bytes at a time */
    struct armtap_stream stream;
    uint64_t offset[2];
    int64_t time;
    unsigned count, greetings;
    char said[4096]; /* each message or reply on a line */
};

static void note(struct world *world, const char *text)
{
    assert_true(strlen(world->said) + strlen(text) + 2 < sizeof world->said);
    strcat(strcat(world->said, text), "\n");
}

/* As "TYPE:LENGTH", the greeting as "greeting LENGTH". */
static int on_message(void *user, const struct port_message *message)
{
    struct world *world = user;
    char text[64];
    world->count++;
    world->greetings += message->is_greeting;
    assert_string_equal(message->robot, "10.0.0.2");
    if (message->is_greeting)
        snprintf(text, sizeof text, "greeting %zu", message->length);
    else
        snprintf(text, sizeof text, "%u:%zu", message->bytes[4], message->length);
    if (world->count < 100)
        note(world, text);
    return recorded_ports_message(world->recorded, message);
}

static int on_reply(void *user, const struct port_reply *reply)
{
    struct world *world = user;
    char text[200];
    snprintf(text, sizeof text, "%.50s=%.100s", reply->request, reply->reply);
    note(world, text);
    return recorded_ports_reply(world->recorded, reply);
}

static void begin(struct world *world, const char *robot, bool midstream, size_t chunk)
{
    *world = (struct world){.chunk = chunk, .stream = {.midstream = midstream}, .time = 1000};
    snprintf(world->stream.robot, sizeof world->stream.robot, "%s", robot);
    const struct other_ports_wish wish = {on_message, on_reply, world};
    world->ports = other_ports_new(&wish);
    world->recorded = recorded_ports_new();
    assert_true(world->ports && world->recorded);
}

static void end(struct world *world)
{
    other_ports_free(world->ports);
    recorded_ports_free(world->recorded);
}

/* `bytes` NULL: they are missing. */
static void give(struct world *world, enum armtap_direction direction, const void *bytes, size_t length)
{
    const char *colon = strrchr(world->stream.robot, ':');
    for (size_t at = 0; at < length;) {
        size_t some = bytes && length - at > world->chunk ? world->chunk : length - at;
        const struct armtap_bytes given = {.stream = &world->stream,
                                           .where = {.time = world->time},
                                           .direction = direction,
                                           .port = (uint16_t)strtoul(colon + 1, NULL, 10),
                                           .offset = world->offset[direction],
                                           .bytes = bytes ? (const uint8_t *)bytes + at : NULL,
                                           .length = some};
        assert_int_equal(other_ports_bytes(world->ports, &given), 0);
        world->offset[direction] += some;
        at += some;
    }
}

static void give_robots(struct world *world, const struct bytes *bytes)
{
    give(world, ARMTAP_FROM_ROBOT, bytes->at, bytes->length);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/* A message of that size, with sub-packages of 40 bytes if it is a state. */
static void add(struct bytes *bytes, unsigned type, size_t size)
{
    bytes_number(bytes, size, 4);
    bytes_number(bytes, type, 1);
    for (size_t at = 5; at < size;) {
        size_t sub = type != 16 ? size - at : size - at < 80 ? size - at : 40;
        size_t fill = sub;
        if (type == 16) {
            bytes_number(bytes, sub, 4);
            bytes_number(bytes, 1, 1);
            fill -= 5;
        }
        for (size_t i = 0; i < fill; i++)
            bytes_number(bytes, 0xee, 1);
        at += sub;
    }
}

static void add_all(struct bytes *bytes)
{
    add(bytes, 20, 55);
    add(bytes, 24, 181);
    add(bytes, 16, 1254);
    add(bytes, 16, 682);
    add(bytes, 20, 33);
    add(bytes, 255, 5);
    add(bytes, 16, 682);
}

static const size_t chunks[] = {1, 2, 5, 7, 100, 1448, 65536};

static void test_whole(void **state)
{
    struct bytes bytes = {0};
    (void)state;
    add_all(&bytes);
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        struct world w;
        begin(&w, "10.0.0.2:30001", false, chunks[i]);
        give_robots(&w, &bytes);
        give(&w, ARMTAP_TO_ROBOT, "def p():\n", 9); /* script is nobody's message */
        assert_string_equal(w.said, "greeting 1490\n16:682\n20:33\n255:5\n16:682\n");
        const struct recorded_port *port = recorded_ports_find(w.recorded, "10.0.0.2", 30001);
        assert_non_null(port);
        assert_int_equal(port->greeting_length, 1490);
        assert_memory_equal(port->greeting, bytes.at, 1490);
        assert_null(recorded_ports_find(w.recorded, "10.0.0.2", 30002));
        assert_null(recorded_ports_find(w.recorded, "10.0.0.3", 30001));
        end(&w);
    }
    bytes_free(&bytes);
}

/* From every byte on: never part of a message, and at most one state and the text before it are lost. */
static void test_from_the_middle(void **state)
{
    struct bytes bytes = {0};
    (void)state;
    for (unsigned i = 0; i < 4; i++)
        add_all(&bytes);
    for (size_t skip = 1; skip < 2500; skip += 3) {
        struct world w;
        begin(&w, "10.0.0.2:30002", true, 300);
        give(&w, ARMTAP_FROM_ROBOT, bytes.at + skip, bytes.length - skip);
        assert_int_equal(w.greetings, 0);
        const char *tail = "16:682\n20:33\n255:5\n16:682\n20:55\n24:181\n16:1254\n16:682\n20:33\n255:5\n16:682\n";
        assert_true(strlen(w.said) >= strlen(tail));
        assert_string_equal(w.said + strlen(w.said) - strlen(tail), tail);
        assert_null(strstr(w.said, ":4"));
        end(&w);
    }
    bytes_free(&bytes);
}

/* A hole of any length: no message that it cuts comes out, and those behind it do. */
static void test_hole(void **state)
{
    struct bytes bytes = {0};
    (void)state;
    add_all(&bytes);
    for (unsigned i = 0; i < 6; i++)
        add(&bytes, 16, 682);
    for (size_t length = 1; length < 1500; length += 7) {
        struct world w;
        begin(&w, "10.0.0.2:30001", false, 500);
        give(&w, ARMTAP_FROM_ROBOT, bytes.at, 1600);
        give(&w, ARMTAP_FROM_ROBOT, NULL, length);
        give(&w, ARMTAP_FROM_ROBOT, bytes.at + 1600 + length, bytes.length - 1600 - length);
        assert_true(strncmp(w.said, "greeting 1490\n", 14) == 0);
        size_t left = (bytes.length - 1600 - length) / 682;
        unsigned states = 0;
        for (const char *at = w.said; (at = strstr(at, "16:682\n")); at++)
            states++;
        assert_true(states >= left && states <= 7);
        end(&w);
    }
    bytes_free(&bytes);
}

/* Without a state there is no greeting: what came is played as anything else, nothing is lost. */
static void test_no_greeting(void **state)
{
    struct bytes bytes = {0};
    struct world w;
    (void)state;
    add(&bytes, 20, 55);
    add(&bytes, 20, 60);
    begin(&w, "10.0.0.2:30001", false, 10);
    give_robots(&w, &bytes);
    assert_string_equal(w.said, "");
    assert_int_equal(other_ports_close(w.ports, 0), 0);
    assert_string_equal(w.said, "20:55\n20:60\n");
    assert_null(recorded_ports_find(w.recorded, "10.0.0.2", 30001)->greeting);
    end(&w);
    begin(&w, "10.0.0.2:30001", false, 10);
    give_robots(&w, &bytes);
    give(&w, ARMTAP_FROM_ROBOT, NULL, 1);
    assert_string_equal(w.said, "20:55\n20:60\n");
    end(&w);
    for (unsigned i = 0; i < 20; i++)
        add(&bytes, 20, 70);
    begin(&w, "10.0.0.2:30001", false, 1000);
    give_robots(&w, &bytes);
    assert_int_equal(w.count, 22);
    assert_int_equal(w.greetings, 0);
    end(&w);
    bytes_free(&bytes);
}

/* More connections than are followed at a time: those silent longest make place. */
static void test_many(void **state)
{
    struct bytes bytes = {0};
    struct world w;
    (void)state;
    add(&bytes, 20, 55);
    begin(&w, "10.0.0.2:30001", false, 1000);
    for (unsigned i = 0; i < 1000; i++) {
        w.stream.connection = i;
        w.offset[0] = 0;
        give_robots(&w, &bytes);
    }
    assert_int_equal(w.count, 1000 - 64);
    end(&w);
    bytes_free(&bytes);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void ask(struct world *world, const char *line)
{
    world->time++;
    give(world, ARMTAP_TO_ROBOT, line, strlen(line));
}

static void reply(struct world *world, const char *line)
{
    world->time++;
    give(world, ARMTAP_FROM_ROBOT, line, strlen(line));
}

static void test_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        struct world w;
        begin(&w, "10.0.0.2:29999", false, chunks[i]);
        reply(&w, "Connected: here\r\n");
        ask(&w, "robotmode \r\nplay\n"); /* two at once */
        reply(&w, "Robotmode: IDLE\nStarting program\n");
        reply(&w, "unasked\n");
        ask(&w, "robotmode\n");
        reply(&w, "Robotmode: RUNNING\n"); /* at 1006 */
        assert_string_equal(
            w.said,
            "=Connected: here\nrobotmode=Robotmode: IDLE\nplay=Starting program\nrobotmode=Robotmode: RUNNING\n");
        assert_string_equal(recorded_ports_answer(w.recorded, "10.0.0.2", "robotmode", INT64_MIN), "Robotmode: IDLE");
        assert_string_equal(recorded_ports_answer(w.recorded, "10.0.0.2", "robotmode", 1005), "Robotmode: IDLE");
        assert_string_equal(recorded_ports_answer(w.recorded, "10.0.0.2", "robotmode", 1006), "Robotmode: RUNNING");
        assert_null(recorded_ports_answer(w.recorded, "10.0.0.2", "stop", 1006));
        assert_null(recorded_ports_answer(w.recorded, "10.0.0.3", "play", 1006));
        assert_int_equal(recorded_ports_requests(w.recorded, "10.0.0.2"), 3);
        end(&w);
    }
}

/* What might answer another request than it seems to is left alone. */
static void test_uncertain_lines(void **state)
{
    struct world w;
    (void)state;
    begin(&w, "10.0.0.2:29999", true, 100);
    reply(&w, "of before\n");
    ask(&w, "running\n");
    reply(&w, "Program running: true\n");
    assert_string_equal(w.said, "running=Program running: true\n");
    give(&w, ARMTAP_FROM_ROBOT, NULL, 10);
    ask(&w, "play\n");
    reply(&w, "late\nStarting program\n");
    assert_string_equal(w.said, "running=Program running: true\n");
    end(&w);
    begin(&w, "10.0.0.2:29999", false, 100);
    reply(&w, "hello\n");
    for (unsigned i = 0; i < 20; i++)
        ask(&w, "running\n"); /* more than are kept */
    reply(&w, "1\n2\n");
    assert_string_equal(w.said, "=hello\n");
    end(&w);
}

static void test_long_lines(void **state)
{
    struct world w;
    static char line[300000];
    (void)state;
    memset(line, 'x', sizeof line - 1);
    begin(&w, "10.0.0.2:29999", false, 1448);
    reply(&w, "hello\n");
    ask(&w, line);
    ask(&w, "\nplay\n");
    reply(&w, "what?\n");
    reply(&w, line);
    reply(&w, "\n");
    ask(&w, "stop\n");
    reply(&w, "Stopped\n");
    assert_string_equal(w.said, "=hello\nstop=Stopped\n");
    end(&w);
}

/* Very many different requests and replies: a bounded number is kept, and it is counted. */
static void test_many_lines(void **state)
{
    struct recorded_ports *ports = recorded_ports_new();
    char request[32], text[4000];
    (void)state;
    assert_non_null(ports);
    memset(text, 'y', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (unsigned i = 0; i < 3000; i++) {
        snprintf(request, sizeof request, "request %u", i);
        memcpy(text, request, strlen(request));
        const struct port_reply one = {"10.0.0.2", i, request, text};
        assert_int_equal(recorded_ports_reply(ports, &one), 0);
    }
    assert_true(recorded_ports_left_out(ports) > 2000);
    assert_true(recorded_ports_requests(ports, "10.0.0.2") > 200);
    recorded_ports_free(ports);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_from_the_middle),
        cmocka_unit_test(test_hole),
        cmocka_unit_test(test_no_greeting),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_uncertain_lines),
        cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_many_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
