#include "strangers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

size_t random_below(uint64_t *seed, size_t limit)
{
    return (size_t)((random_bits(seed) >> 11) % limit);
}

double random_between(uint64_t *seed, double least, double most)
{
    return least + (most - least) * (double)(random_bits(seed) >> 11) * 0x1p-53;
}

void bytes_random(struct bytes *bytes, uint64_t *seed, size_t length)
{
    for (; length >= 8; length -= 8) {
        uint64_t bits = random_bits(seed);
        bytes_add(bytes, &bits, 8);
    }
    uint64_t bits = random_bits(seed);
    bytes_add(bytes, &bits, length);
}

static void bytes_little(struct bytes *bytes, uint64_t number, unsigned width)
{
    for (unsigned i = 0; i < width; i++, number >>= 8)
        bytes_number(bytes, number & 255, 1);
}

static void talk_random(struct talk *talk, uint64_t *seed, size_t length)
{
    bytes_random(&talk->side[0], seed, length);
    bytes_random(&talk->side[1], seed, random_below(seed, 4) ? 2000 : length);
}

/* ---- TLS: records of random content behind their headers ---- */

static void add_tls(struct bytes *bytes, uint64_t *seed, uint8_t type, size_t length)
{
    bytes_number(bytes, type, 1);
    bytes_number(bytes, 0x0303, 2);
    bytes_number(bytes, length, 2);
    bytes_random(bytes, seed, length);
}

static void talk_tls(struct talk *talk, uint64_t *seed, size_t length)
{
    size_t usual = 20 + random_below(seed, 1400);
    bool steady = random_below(seed, 2) == 0; /* telemetry in TLS: records of one length */
    add_tls(&talk->side[1], seed, 22, 200 + random_below(seed, 400));
    add_tls(&talk->side[0], seed, 22, 60 + random_below(seed, 3000));
    while (talk->side[0].length < length) {
        add_tls(&talk->side[0], seed, 23, steady ? usual : 20 + random_below(seed, 16384));
        if (random_below(seed, 3) == 0)
            add_tls(&talk->side[1], seed, 23, 20 + random_below(seed, 300));
    }
}

/* ---- deflate ---- */

static void add_words(struct bytes *bytes, uint64_t *seed, size_t count)
{
    static const char *const words[] = {
        "robot", "joint", "position", "the",     "Move",    "POSE", "of", "Universal", "UR10e", "Is",   "RTDE", "SPEED",
        "a",     "Ok",    "PLAYING",  "Version", "stopped", "M",    "U",  "O",         "value", "3.14", "-0.5", "true"};
    for (size_t i = 0; i < count; i++) {
        bytes_text(bytes, words[random_below(seed, sizeof words / sizeof words[0])]);
        bytes_text(bytes, random_below(seed, 8) == 0 ? "\r\n" : " ");
    }
}

static void add_deflated(struct bytes *bytes, uint64_t *seed, size_t length)
{
    struct bytes text = {0};
    int level = 1 + (int)random_below(seed, 5);
    while (text.length < 3 * length) {
        add_words(&text, seed, 40);
        bytes_random(&text, seed, random_below(seed, 300));
    }
    uLongf room = compressBound(text.length);
    uint8_t *packed = malloc(room);
    assert_non_null(packed);
    assert_int_equal(compress2(packed, &room, text.at, text.length, level), Z_OK);
    bytes_add(bytes, packed, room < length ? room : length);
    free(packed);
    bytes_free(&text);
}

static void talk_deflate(struct talk *talk, uint64_t *seed, size_t length)
{
    while (talk->side[0].length < length)
        add_deflated(&talk->side[0], seed, length - talk->side[0].length);
    add_deflated(&talk->side[1], seed, 500);
}

/* ---- HTTP ---- */

static void add_body(struct bytes *bytes, uint64_t *seed, size_t length)
{
    size_t end = bytes->length + length;
    switch (random_below(seed, 3)) {
    case 0:
        bytes_random(bytes, seed, length);
        return;
    case 1:
        add_deflated(bytes, seed, length);
        return;
    default:
        bytes_text(bytes, "<html><body>");
        while (bytes->length < end)
            add_words(bytes, seed, 4);
    }
}

static void talk_http(struct talk *talk, uint64_t *seed, size_t length)
{
    static const char *const paths[] = {"/", "/api/robot/UR10e", "/v1/POSITION?joint=3", "/index.html"};
    while (talk->side[0].length < length) {
        char head[400];
        size_t body = random_below(seed, 6000);
        snprintf(head, sizeof head,
                 "%s %s HTTP/1.1\r\nHost: 10.0.0.2:30004\r\nUser-Agent: Mozilla/5.0\r\nAccept: */*\r\n\r\n",
                 random_below(seed, 5) ? "GET" : "OPTIONS", paths[random_below(seed, 4)]);
        bytes_text(&talk->side[1], head);
        snprintf(head, sizeof head,
                 "HTTP/1.1 %s\r\nServer: nginx\r\nVary: Origin\r\nMIME-Version: 1.0\r\nOrigin-Agent-Cluster: ?1\r\n"
                 "Upgrade-Insecure-Requests: 1\r\nContent-Length: %zu\r\nETag: \"%08x\"\r\n\r\n",
                 random_below(seed, 9) ? "200 OK" : "404 Not Found", body, (unsigned)random_bits(seed));
        bytes_text(&talk->side[0], head);
        add_body(&talk->side[0], seed, body);
    }
}

/* ---- JSON ---- */

static void add_numbers(struct bytes *bytes, uint64_t *seed, size_t count)
{
    char number[40];
    for (size_t i = 0; i < count; i++) {
        snprintf(number, sizeof number, i ? ",%.*g" : "%.*g", 1 + (int)random_below(seed, 15),
                 random_between(seed, -7, 7));
        bytes_text(bytes, number);
    }
}

static void json_rpc(struct talk *talk, uint64_t *seed, unsigned round)
{
    char text[200];
    snprintf(text, sizeof text,
             "{\"jsonrpc\":\"2.0\",\"method\":\"rob1.RobotState.getJointPositions\",\"params\":[],\"id\":%u}\n", round);
    bytes_text(&talk->side[1], text);
    snprintf(text, sizeof text, "{\"id\":%u,\"jsonrpc\":\"2.0\",\"result\":[", round);
    bytes_text(&talk->side[0], text);
    add_numbers(&talk->side[0], seed, 6);
    bytes_text(&talk->side[0], "]}");
    bytes_text(&talk->side[0], round % 2 ? "\n" : "");
}

/* Rows of numbers, one to a line, or in an array of rows. */
static void json_rows(struct talk *talk, uint64_t *seed, unsigned round)
{
    char text[40];
    bool lines = random_below(seed, 2) == 0, counts = random_below(seed, 2) == 0;
    size_t columns = 1 + random_below(seed, 6);
    if (!lines)
        bytes_text(&talk->side[0], "[");
    for (unsigned i = 0; i < 30; i++) {
        snprintf(text, sizeof text, "[%u,", counts ? (round * 30 + i) % 1000 : (unsigned)random_below(seed, 100));
        bytes_text(&talk->side[0], i && !lines ? "," : "");
        bytes_text(&talk->side[0], text);
        add_numbers(&talk->side[0], seed, columns);
        bytes_text(&talk->side[0], lines ? "]\n" : "]");
    }
    bytes_text(&talk->side[0], lines ? "" : "]\n");
}

static void json_document(struct talk *talk, uint64_t *seed, unsigned round)
{
    char text[160];
    snprintf(text, sizeof text, "{\n  \"Mode\": \"RUNNING\",\n  \"OK\": true,\n  \"Index\": %u,\n  \"Pose\": [\n    ",
             round);
    bytes_text(&talk->side[0], text);
    add_numbers(&talk->side[0], seed, random_below(seed, 40) + 1);
    bytes_text(&talk->side[0], "\n  ],\n  \"Matrix\": [[1,0,0],[0,1,0],[0,0,1]],\n  \"Units\": null\n}\n");
    if (round % 5 == 0)
        bytes_text(&talk->side[1], "{\"subscribe\":[\"Mode\",\"Pose\"],\"ids\":[0,1,2]}\n");
}

static void talk_json(struct talk *talk, uint64_t *seed, size_t length)
{
    static void (*const styles[])(struct talk *, uint64_t *, unsigned) = {json_rpc, json_rows, json_document};
    size_t style = random_below(seed, 4);
    for (unsigned round = 0; talk->side[0].length < length; round++)
        styles[style < 3 ? style : random_below(seed, 3)](talk, seed, round);
}

/* ---- messages of {int32 length, uint8 type}, as UR's primary interface has them, with any content ---- */

static void talk_framed(struct talk *talk, uint64_t *seed, size_t length)
{
    size_t usual = random_below(seed, 1400), types = 1 + random_below(seed, 31), first = random_below(seed, 32);
    while (talk->side[0].length < length) {
        size_t size = random_below(seed, 4) ? usual : random_below(seed, 200);
        bytes_number(&talk->side[0], size + 5, 4);
        bytes_number(&talk->side[0], first + random_below(seed, types), 1);
        bytes_random(&talk->side[0], seed, size);
        if (random_below(seed, 5) == 0)
            bytes_text(&talk->side[1], "next\n");
    }
}

/* ---- lines of text ---- */

static void talk_text(struct talk *talk, uint64_t *seed, size_t length)
{
    static const char *const asked[] = {"robotmode\n",          "PolyscopeVersion\n", "programState\n",
                                        "get loaded program\n", "safetystatus\n",     "SAFETYMODE\n",
                                        "popup MOVE\n"};
    static const char *const told[] = {"Robotmode: RUNNING\n",
                                       "URSoftware 5.11.1.108318 (Mar 31 2021)\n",
                                       "PLAYING /programs/MAIN.urp\n",
                                       "Loaded program: /programs/I.urp\n",
                                       "Safetystatus: NORMAL\n",
                                       "Safetymode: REDUCED\n",
                                       "showing popup\n"};
    bytes_text(&talk->side[0], "Connected: Universal Robots Dashboard Server\n");
    bool prose = random_below(seed, 3) == 0;
    while (talk->side[0].length < length) {
        size_t which = random_below(seed, 7);
        bytes_text(&talk->side[1], asked[which]);
        bytes_text(&talk->side[0], told[which]);
        if (prose)
            add_words(&talk->side[0], seed, 30);
    }
}

/* ---- other vendors' binary feedback: records of one length ---- */

/* How a field of a record behaves. */
enum kind { CONSTANT, ZERO, COUNTER, MILLISECONDS, ANGLE, NOISE, SMALL, KINDS };

struct layout {
    enum kind kind[400];
    unsigned width[400]; /* 4 or 8 bytes, a float or a double if it has a fraction */
    uint64_t constant[400];
    unsigned fields;
    size_t length;
    bool little, prefixed, still;
};

static void make_layout(struct layout *layout, uint64_t *seed)
{
    *layout = (struct layout){.fields = 4 + (unsigned)random_below(seed, 180)};
    layout->little = random_below(seed, 2) == 0;
    layout->prefixed = random_below(seed, 2) == 0;
    layout->still = random_below(seed, 4) == 0; /* values change only by chance: a machine that is off */
    layout->length = layout->prefixed ? 4 : 0;
    for (unsigned i = 0; i < layout->fields; i++) {
        layout->kind[i] = layout->still ? (enum kind)random_below(seed, 2) : (enum kind)random_below(seed, KINDS);
        layout->width[i] = random_below(seed, 2) ? 4 : 8;
        layout->constant[i] = random_bits(seed);
        layout->length += layout->width[i];
    }
}

static uint64_t bits_of(double number, unsigned width)
{
    uint64_t bits;
    float narrow = (float)number;
    uint32_t few;
    memcpy(&bits, &number, sizeof bits);
    memcpy(&few, &narrow, sizeof few);
    return width == 8 ? bits : few;
}

static uint64_t field_bits(const struct layout *layout, unsigned i, uint64_t *seed, unsigned round)
{
    double base = (double)(layout->constant[i] & 0xffff) / 10000 - 3;
    switch (layout->kind[i]) {
    case CONSTANT:
        return layout->constant[i];
    case ZERO:
        return 0;
    case COUNTER:
        return round;
    case MILLISECONDS:
        return (layout->constant[i] & 0xffffff) + 8 * round;
    case ANGLE:
        return bits_of(base + 0.003 * round, layout->width[i]);
    case NOISE:
        return bits_of(base + random_between(seed, -0.01, 0.01), layout->width[i]);
    default:
        return layout->constant[i] & 15;
    }
}

static void add_feedback(struct bytes *bytes, const struct layout *layout, uint64_t *seed, unsigned round)
{
    void (*add)(struct bytes *, uint64_t, unsigned) = layout->little ? bytes_little : bytes_number;
    if (layout->prefixed)
        add(bytes, layout->length, 4);
    for (unsigned i = 0; i < layout->fields; i++)
        add(bytes, field_bits(layout, i, seed, round), layout->width[i]);
}

static void talk_feedback(struct talk *talk, uint64_t *seed, size_t length)
{
    struct layout layout, command;
    make_layout(&layout, seed);
    make_layout(&command, seed);
    for (unsigned round = 0; talk->side[0].length < length; round++) {
        add_feedback(&talk->side[0], &layout, seed, round);
        if (round % 4 == 0)
            add_feedback(&talk->side[1], &command, seed, round);
    }
}

/* ---- a compressed WebSocket without its beginning ---- */

static void add_frame(struct bytes *bytes, uint64_t *seed, bool masked, const struct bytes *payload)
{
    bytes_hex(bytes, "c1");
    unsigned mask = masked ? 0x80 : 0;
    if (payload->length < 126) {
        bytes_number(bytes, mask | payload->length, 1);
    } else {
        bytes_number(bytes, mask | 126, 1);
        bytes_number(bytes, payload->length, 2);
    }
    uint8_t key[4] = {0, 0, 0, 0};
    for (unsigned i = 0; i < 4 && masked; i++) {
        key[i] = (uint8_t)random_bits(seed);
        bytes_number(bytes, key[i], 1);
    }
    for (size_t i = 0; i < payload->length; i++)
        bytes_number(bytes, payload->at[i] ^ key[i % 4], 1);
}

/* Messages that refer to those before, which were not captured. */
static void talk_websocket(struct talk *talk, uint64_t *seed, size_t length)
{
    z_stream z = {0};
    uint8_t packed[4096];
    assert_int_equal(deflateInit2(&z, 1 + (int)random_below(seed, 6), Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    for (unsigned round = 0; talk->side[0].length < length; round++) {
        struct bytes text = {0}, payload = {0};
        bytes_text(&text, "[0,[");
        add_numbers(&text, seed, 6);
        bytes_text(&text, "],[");
        add_numbers(&text, seed, 12);
        bytes_text(&text, "]]");
        z.next_in = text.at;
        z.avail_in = (uInt)text.length;
        z.next_out = packed;
        z.avail_out = sizeof packed;
        assert_int_equal(deflate(&z, Z_SYNC_FLUSH), Z_OK);
        bytes_add(&payload, packed, sizeof packed - z.avail_out - 4);
        if (round >= 3) /* these refer to the ones before */
            add_frame(&talk->side[0], seed, false, &payload);
        if (round % 50 == 49)
            add_frame(&talk->side[1], seed, true, &payload);
        bytes_free(&text);
        bytes_free(&payload);
    }
    deflateEnd(&z);
}

const struct stranger strangers[] = {
    {"random", talk_random}, {"TLS", talk_tls},           {"HTTP", talk_http},
    {"JSON", talk_json},     {"deflate", talk_deflate},   {"framed", talk_framed},
    {"text", talk_text},     {"feedback", talk_feedback}, {"packed WebSocket", talk_websocket},
};
const size_t stranger_count = sizeof strangers / sizeof strangers[0];
