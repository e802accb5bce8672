/* Other protocols on telemetry ports: reported once, otherwise ignored, and never a record. The primary interface,
 * which has been seen on the ports of the realtime interface, is decoded there. */
#include "outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 60

/* ---- other protocols ---- */

static void say_http(struct bytes *bytes, unsigned round)
{
    char text[400];
    snprintf(text, sizeof text,
             "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 120\r\nETag: \"%08x\"\r\n\r\n"
             "<html><head><title>cell %u</title></head><body>%080u</body></html>\n",
             round, round, round);
    bytes_text(bytes, text);
}

static void say_tls(struct bytes *bytes, unsigned round)
{
    uint64_t seed = 99 + round;
    size_t length = 200 + random_bits(&seed) % 1000;
    bytes_hex(bytes, round == 0 ? "16 0303" : "17 0303");
    bytes_number(bytes, length, 2);
    for (size_t i = 0; i < length; i++)
        bytes_number(bytes, round == 0 && i == 0 ? 2 : random_bits(&seed) & 255, 1);
}

static void say_json(struct bytes *bytes, unsigned round)
{
    char text[400];
    snprintf(
        text, sizeof text,
        "{\"id\":%u,\"jsonrpc\":\"2.0\",\"result\":[%u.5,-1.57,2.25,0.0,1.57,%u]}\n{\"jsonrpc\":\"2.0\",\"method\":"
        "\"RobotState.getJointActualPosition\",\"params\":[],\"id\":%u}\n",
        round, round, round % 10, round + 1);
    bytes_text(bytes, text);
}

/* Feedback in fixed packets of 1440 bytes, little-endian, as another vendor sends it on 30004. */
static void say_feedback(struct bytes *bytes, unsigned round)
{
    bytes_hex(bytes, "a005 0000 0000");
    bytes_number(bytes, 0, 2);
    for (unsigned i = 8; i < 1440; i += 8) {
        struct bytes big = {0};
        bytes_double(&big, i % 48 ? i * 0.5 + round * 0.008 : 0);
        for (unsigned k = 8; k-- > 0;)
            bytes_add(bytes, big.at + k, 1);
        bytes_free(&big);
    }
}

static const struct {
    const char *name;
    void (*say)(struct bytes *bytes, unsigned round);
    const char *asked; /* by the client, at first */
} strangers[] = {
    {"HTTP", say_http, "GET / HTTP/1.1\r\nHost: 10.0.0.2:30004\r\nAccept: */*\r\n\r\n"},
    {"TLS", say_tls, "\x16\x03\x01\x02\x01\x01\x01\xfc\x03\x03 is how a client begins"},
    {"JSON", say_json, "{\"jsonrpc\":\"2.0\",\"method\":\"RobotState.getRobotModeType\",\"params\":[],\"id\":1}\n"},
    {"feedback", say_feedback, ""},
};

/* ---- on our ports ---- */

static void check(size_t stranger, uint16_t port, const struct cutting *cutting, size_t from, const char *how)
{
    static const struct clothing plain = {.link = LINK_ETHERNET, .isn = {1000, 2000}};
    struct dialogue dialogue = {.robot_port = port, .client_port = 50001};
    struct outcome outcome = {0};
    const char *asked = strangers[stranger].asked;
    if (*asked && cutting->handshake)
        dialogue_say(&dialogue, 999000000, ARMTAP_TO_ROBOT, asked, strlen(asked));
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct bytes bytes = {0};
        strangers[stranger].say(&bytes, round + (from > 0));
        size_t skip = round == 0 ? from : 0;
        dialogue_say(&dialogue, 1000000000 + round * INT64_C(100000000), ARMTAP_FROM_ROBOT, bytes.at + skip,
                     bytes.length - skip);
        bytes_free(&bytes);
    }
    outcome_of_dialogue(&dialogue, cutting, &plain, NULL, &outcome);
    unsigned notes = outcome_notes(&outcome, "stream.foreign");
    bool quiet = notes == 1 && log_count(&outcome.notes, "\n") == 1;
    if (outcome.count[0] + outcome.count[1] > 0 || !quiet || outcome.streams[0].protocol != ARMTAP_PROTOCOL_NONE)
        fail_msg("%s on %u, %s: %zu records\n%s", strangers[stranger].name, port, how,
                 outcome.count[0] + outcome.count[1], outcome.notes.text ? outcome.notes.text : "");
    outcome_free(&outcome);
    dialogue_free(&dialogue);
}

static const struct {
    const char *how;
    struct cutting cutting;
    size_t from;
} ways[] = {
    {"whole", {.handshake = true, .end = true}, 0},
    {"cut short", {.handshake = true, .least = 1, .most = 60}, 0},
    {"in mid-stream", {.handshake = false}, 0},
    {"in the middle of a message", {.handshake = false, .least = 1, .most = 500}, 17},
    {"in the middle of another", {.handshake = false, .end = true}, 102},
};
#define WAYS (sizeof ways / sizeof ways[0])

static void test_strangers(void **state)
{
    static const uint16_t ports[] = {30003, 30004, 30013, 30001, 30002};
    (void)state;
    for (size_t i = 0; i < sizeof strangers / sizeof strangers[0]; i++)
        for (size_t p = 0; p < sizeof ports / sizeof ports[0]; p++)
            for (size_t w = 0; w < WAYS; w++)
                check(i, ports[p], &ways[w].cutting, ways[w].from, ways[w].how);
}

/* ---- the primary interface on ports of others ---- */

/* The primary and secondary interfaces, from their documentation: {int32 length, uint8 type, sub-packages {int32
 * length, uint8 type, content}}, ten a second. */
static void say_state(struct bytes *bytes, unsigned round, bool primary)
{
    struct bytes body = {0};
    bytes_hex(&body, "0000002f 00"); /* robot mode data, 47 bytes */
    bytes_number(&body, UINT64_C(1000000) * round, 8);
    bytes_hex(&body, "01 01 01 00 00 00 00 07 00");
    for (unsigned i = 0; i < 3; i++)
        bytes_double(&body, 1.0);
    bytes_hex(&body, "00");
    bytes_hex(&body, "000000fb 01"); /* joint data: 6 * 41 bytes */
    for (unsigned joint = 0; joint < 6; joint++) {
        for (unsigned i = 0; i < 3; i++)
            bytes_double(&body, -1.5 + joint * 0.25 + round * 0.001);
        for (unsigned i = 0; i < 4; i++)
            bytes_hex(&body, "41c80000");
        bytes_hex(&body, "fd");
    }
    bytes_hex(&body, "00000025 02 00 00 00 00 00 00 00 00 41200000 42400000 00000000 4123d70a 3d cc cc cd 00 00 00 00");
    bytes_number(bytes, body.length + 5, 4);
    bytes_hex(bytes, "10");
    bytes_add(bytes, body.at, body.length);
    bytes_free(&body);
    if (!primary)
        return;
    bytes_hex(bytes, "0000003e 14 0000000000abcdef fd 00"); /* a text */
    for (unsigned i = 0; i < 62 - 15; i++)
        bytes_number(bytes, 'a' + i % 26, 1);
}

static void say_primary(struct bytes *bytes, unsigned round)
{
    if (round == 0) {
        bytes_hex(bytes, "00000037 14 ffffffffffffffff fe 03 09"); /* the version message that comes first */
        bytes_text(bytes, "URControl");
        bytes_hex(bytes, "05 0b 00000001 0000006c");
        bytes_text(bytes, "05-10-2021, 12:00:00");
    }
    say_state(bytes, round, true);
}

static void say_secondary(struct bytes *bytes, unsigned round)
{
    say_state(bytes, round, false);
}

static void check_primary(bool primary, uint16_t port, size_t way)
{
    static const struct clothing plain = {.link = LINK_ETHERNET, .isn = {1000, 2000}};
    struct dialogue dialogue = {.robot_port = port, .client_port = 50001};
    struct outcome outcome = {0};
    size_t from = ways[way].from, states = from > 0 ? ROUNDS - 1 : ROUNDS;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct bytes bytes = {0};
        (primary ? say_primary : say_secondary)(&bytes, round + (from > 0));
        size_t skip = round == 0 ? from : 0;
        dialogue_say(&dialogue, 1000000000 + round * INT64_C(100000000), ARMTAP_FROM_ROBOT, bytes.at + skip,
                     bytes.length - skip);
        bytes_free(&bytes);
    }
    outcome_of_dialogue(&dialogue, &ways[way].cutting, &plain, NULL, &outcome);
    if (outcome.count[0] != states || outcome.streams[0].protocol != ARMTAP_PRIMARY ||
        outcome_notes(&outcome, "stream.foreign") > 0)
        fail_msg("%s on %u, %s: %zu records\n%s", primary ? "primary" : "secondary", port, ways[way].how,
                 outcome.count[0], outcome.notes.text ? outcome.notes.text : "");
    outcome_free(&outcome);
    dialogue_free(&dialogue);
}

static void test_primary(void **state)
{
    static const uint16_t ports[] = {30001, 30002, 30003, 30004, 40000};
    (void)state;
    for (unsigned primary = 0; primary < 2; primary++)
        for (size_t p = 0; p < sizeof ports / sizeof ports[0]; p++)
            for (size_t w = 0; w < WAYS; w++)
                check_primary(primary, ports[p], w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strangers),
        cmocka_unit_test(test_primary),
    };
    return cmocka_run_group_tests_name("foreign", tests, NULL, NULL);
}
