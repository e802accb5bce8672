#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "scene.h"

#define COUNT_MAX 50000
#define NAME_MAX_BYTES 300
#define INPUTS 0x80
#define LONGER 0x20
#define JSON_MAX 60000 /* of one message, which fits into SCENE_MESSAGE_MAX both plain and in its frame */

const char web_request[] = "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                           "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n";
const char web_answer[] = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                          "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n";

size_t scene_count(uint8_t exponent)
{
    size_t count = exponent < 16 ? exponent : (size_t)(8 + exponent % 8) << (exponent / 8 - 1);
    return count < COUNT_MAX ? count : COUNT_MAX;
}

/* ---- names ---- */

/* What must not reach a terminal, a table or a document unchanged. */
static const char *const hostile[] = {"\x1b[2J",
                                      "a,b\"c",
                                      "=1+1",
                                      "\xc2\x9b"
                                      "31m",
                                      "\xe2\x80\xae"
                                      "x",
                                      "\xff\xfe",
                                      "x\ny",
                                      "\tq",
                                      "<a>&b;]]>",
                                      "a b#c",
                                      "-",
                                      "\"",
                                      "\xed\xa0\x80",
                                      "\xef\xbf\xbe",
                                      "timestamp\r",
                                      "@x"};

static const struct armtap_field *nth_field(size_t n, bool inputs)
{
    size_t count = armtap_field_count();
    for (size_t tries = 0; tries < count; tries++) {
        const struct armtap_field *field = armtap_field_at((n + tries) % count);
        if (field->direction == ARMTAP_FIELD_BOTH ||
            field->direction == (inputs ? ARMTAP_FIELD_INPUT : ARMTAP_FIELD_OUTPUT))
            return field;
    }
    return armtap_field_at(0);
}

enum names { NAMES_KNOWN, NAMES_SAME, NAMES_SHORT, NAMES_NEW, NAMES_LONG, NAMES_HOSTILE, NAMES_EMPTY, NAMES_NUMBERED };

static void add_name(struct bytes *out, const struct operation *operation, size_t n, unsigned round)
{
    char padding[NAME_MAX_BYTES];
    switch (operation->kind % 8) {
    case NAMES_KNOWN:
        bytes_text(out, "%s", nth_field(n + operation->value, operation->kind & INPUTS)->name);
        break;
    case NAMES_SAME:
        bytes_text(out, "%s", nth_field(operation->value, operation->kind & INPUTS)->name);
        break;
    case NAMES_SHORT:
        bytes_text(out, "%c", 'a' + (int)((operation->value + round) % 26));
        break;
    case NAMES_NEW:
        bytes_text(out, "%zx_%x", n, operation->value + round);
        break;
    case NAMES_LONG:
        memset(padding, 'x', sizeof padding);
        bytes_text(out, "%.*s%zu", (int)operation->size, padding, n);
        break;
    case NAMES_HOSTILE:
        bytes_text(out, "%s", hostile[(n + operation->value + round) % (sizeof hostile / sizeof *hostile)]);
        break;
    case NAMES_NUMBERED:
        bytes_text(out, "v_%zu", n % 8);
        break;
    }
}

/* ---- RTDE ---- */

void rtde_package(struct bytes *out, char kind, const void *body, size_t length)
{
    if (length > 65532 || out->room - out->used < length + 3)
        return;
    bytes_number(out, length + 3, 2);
    bytes_add(out, &kind, 1);
    bytes_add(out, body, length);
}

static void wrap_package(struct bytes *out, size_t begin)
{
    size_t length = out->used - begin;
    if (length > 65535) {
        length = 65535;
        out->used = begin + length;
    }
    if (length >= 2) {
        out->at[begin] = (uint8_t)(length >> 8);
        out->at[begin + 1] = (uint8_t)length;
    }
}

static size_t begin_package(struct bytes *out, bool is_input)
{
    size_t begin = out->used;
    bytes_number(out, 0, 2);
    bytes_number(out, is_input ? 'I' : 'O', 1);
    return begin;
}

void rtde_request(struct bytes *out, const struct operation *operation, const struct talk *talk, unsigned round)
{
    bool is_input = operation->kind & INPUTS;
    size_t begin = begin_package(out, is_input), many = scene_count(operation->many);
    if (talk->version > 1 && !is_input)
        bytes_number(out, UINT64_C(0x407F400000000000), 8); /* 500 Hz */
    for (size_t i = 0; i < many && out->used - begin < 65535; i++) {
        if (i > 0)
            bytes_add(out, ",", 1);
        add_name(out, operation, i, round);
    }
    wrap_package(out, begin);
}

static size_t type_size(const char *type)
{
    static const struct {
        const char *name;
        size_t size;
    } sizes[] = {{"BOOL", 1},   {"UINT8", 1},     {"UINT32", 4},    {"INT32", 4},         {"UINT64", 8},
                 {"DOUBLE", 8}, {"VECTOR3D", 24}, {"VECTOR6D", 48}, {"VECTOR6INT32", 24}, {"VECTOR6UINT32", 24}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strcmp(sizes[i].name, type) == 0)
            return sizes[i].size;
    return 0;
}

static const char *nth_type(const struct operation *operation, size_t n)
{
    static const char *const types[] = {"BOOL",   "UINT8",     "DOUBLE",       "VECTOR6D",      "INT32",
                                        "UINT32", "UINT64",    "VECTOR6INT32", "VECTOR6UINT32", "VECTOR3D",
                                        "STRING", "NOT_FOUND", "IN_USE"};
    unsigned kind = operation->kind % 16;
    if (kind == 0) { /* those of the names of NAMES_KNOWN */
        const struct armtap_field *field = nth_field(n + operation->size, operation->kind & INPUTS);
        return armtap_type_name(field->type, field->count);
    }
    return types[kind > 13 ? (n + kind) % 10 : kind - 1];
}

size_t rtde_reply(struct bytes *out, const struct operation *operation, const struct talk *talk)
{
    bool is_input = operation->kind & INPUTS;
    size_t begin = begin_package(out, is_input), many = scene_count(operation->many), size = 0;
    if (talk->version > 1 || is_input)
        bytes_number(out, operation->value, 1);
    for (size_t i = 0; i < many && out->used - begin < 65535; i++) {
        const char *type = nth_type(operation, i);
        bytes_text(out, "%s%s", i > 0 ? "," : "", type);
        size += type_size(type);
    }
    wrap_package(out, begin);
    return size;
}

static void put_double(uint8_t *at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    for (unsigned i = 0; i < 8; i++)
        at[i] = (uint8_t)(bits >> (56 - 8 * i));
}

enum contents { CONTENTS_MOVING, CONTENTS_NOISE, CONTENTS_ZEROS, CONTENTS_SAME };

/* A clock, followed by numbers that change slowly, noise, zeros, or repeated octets. */
static void fill(uint8_t *at, size_t length, enum contents contents, unsigned number)
{
    uint64_t state = number * UINT64_C(0x9E3779B97F4A7C15) + 1;
    memset(at, contents == CONTENTS_SAME ? 0xFF : 0, length);
    for (size_t i = 0; i + 8 <= length && contents <= CONTENTS_NOISE; i += 8) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        if (contents == CONTENTS_NOISE)
            memcpy(at + i, &state, 8);
        else
            put_double(at + i, 0.5 + number * 0.001 + (double)i);
    }
    if (length >= 8 && contents != CONTENTS_SAME)
        put_double(at, 100 + number * 0.002);
}

/* The recipe's size, or any multiple of 4 up to 508, of 8 up to 1528. */
static size_t usual_size(const struct operation *operation, const struct talk *talk)
{
    if (operation->size == 0)
        return talk->recipe_size;
    return operation->size < 128 ? operation->size * 4u : 512 + (operation->size - 128u) * 8;
}

void rtde_data(struct bytes *out, const struct operation *operation, const struct talk *talk, unsigned number)
{
    uint8_t body[4096 + 1];
    size_t length = usual_size(operation, talk) + (operation->kind & LONGER ? number % 2 * 4 : 0);
    if (length > 4096)
        length = 4096;
    body[0] = operation->value;
    fill(body + 1, length, (enum contents)(operation->kind % 4), number);
    bool has_id = talk->version > 1 || operation->kind & INPUTS;
    rtde_package(out, 'U', has_id ? body : body + 1, has_id ? length + 1 : length);
}

/* ---- the realtime interface ---- */

void realtime_packet(struct bytes *out, const struct operation *operation, unsigned number)
{
    static const uint16_t sizes[] = {1220, 1116, 1108, 1060, 1044, 812, 764, 756, 1200, 12, 4096, 100};
    uint8_t packet[4096];
    size_t size = sizes[operation->kind % (sizeof sizes / sizeof *sizes)];
    fill(packet + 4, size - 4, (enum contents)(operation->value % 4), number);
    packet[0] = packet[1] = 0;
    packet[2] = (uint8_t)(size >> 8);
    packet[3] = (uint8_t)size;
    bytes_add(out, packet, size);
}

/* ---- AUBO ---- */

static void add_escaped(struct bytes *out, const struct operation *operation, size_t n, unsigned round)
{
    uint8_t name[NAME_MAX_BYTES + 64];
    struct bytes plain = {name, 0, sizeof name};
    add_name(&plain, operation, n, round);
    for (size_t i = 0; i < plain.used; i++) {
        if (name[i] < ' ' || name[i] == '"' || name[i] == '\\')
            bytes_text(out, "\\u%04x", name[i]);
        else
            bytes_add(out, &name[i], 1);
    }
}

void aubo_subscription(struct bytes *out, const struct operation *operation, unsigned round)
{
    size_t many = scene_count(operation->many);
    bytes_text(out, "[100,{\"chanel\":%u,\"frequency\":50.0,\"segments\":[", operation->value);
    for (size_t i = 0; i < many && out->used < JSON_MAX; i++) {
        bytes_text(out, i > 0 ? ",\"" : "\"");
        add_escaped(out, operation, i, round);
        bytes_add(out, "\"", 1);
    }
    bytes_text(out, "],\"to_server\":%s,\"trigger\":0}]", operation->kind & INPUTS ? "true" : "false");
}

static void add_value(struct bytes *out, unsigned kind, size_t n)
{
    static const char *const values[] = {"1",
                                         "0.1",
                                         "[1,2,3,4,5,6]",
                                         "\"a\\u0000\\u001b\\u202e\"",
                                         "1e-300",
                                         "null",
                                         "true",
                                         "{\"k\":1}",
                                         "9007199254740993",
                                         "\"\xff\"",
                                         "[[1],[[2]]]",
                                         "\"=1,\\\"x\\n\""};
    if (kind % 16 < sizeof values / sizeof *values)
        bytes_text(out, "%s", values[kind % 16]);
    else
        bytes_text(out, "%zu.5", n);
}

enum form { FORM_VALUES, FORM_ARRAY, FORM_NESTED, FORM_STRING };

void aubo_values(struct bytes *out, const struct operation *operation)
{
    size_t count = scene_count(operation->size);
    enum form form = (enum form)(operation->kind >> 4 & 3);
    static const char *const before[] = {"", ",[", ",", ",\""}, *const after[] = {"", "]", "", "\""};
    bytes_text(out, "[%u%s", operation->value, before[form]);
    for (size_t i = 0; i < count && out->used < JSON_MAX; i++) {
        if (form == FORM_VALUES || (form == FORM_ARRAY && i > 0))
            bytes_add(out, ",", 1);
        if (form == FORM_NESTED || form == FORM_STRING)
            bytes_add(out, form == FORM_NESTED ? "[" : "a", 1);
        else
            add_value(out, operation->kind, i);
    }
    for (size_t i = 0; i < count && form == FORM_NESTED; i++)
        bytes_add(out, "]", 1);
    bytes_text(out, "%s]", after[form]);
}

/* ---- WebSocket ---- */

static size_t deflate_message(const void *message, size_t length, uint8_t *to, size_t room)
{
    z_stream stream = {0};
    CHECK(deflateInit2(&stream, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) == Z_OK);
    stream.next_in = (Bytef *)(uintptr_t)message;
    stream.avail_in = (uInt)length;
    stream.next_out = to;
    stream.avail_out = (uInt)room;
    deflate(&stream, Z_SYNC_FLUSH);
    size_t used = room - stream.avail_out;
    deflateEnd(&stream);
    return used > 4 ? used - 4 : 0; /* without the empty block at the end */
}

void web_frame(struct bytes *out, const void *message, size_t length, bool masked, bool deflated)
{
    uint8_t *packed = NULL;
    if (deflated) {
        packed = malloc(length + 1024);
        CHECK(packed);
        length = deflate_message(message, length, packed, length + 1024);
    }
    bytes_number(out, deflated ? 0xC1 : 0x81, 1);
    if (length < 126) {
        bytes_number(out, (masked ? 0x80 : 0) | length, 1);
    } else if (length < 65536) {
        bytes_number(out, masked ? 0xFE : 0x7E, 1);
        bytes_number(out, length, 2);
    } else {
        bytes_number(out, masked ? 0xFF : 0x7F, 1);
        bytes_number(out, length, 8);
    }
    if (masked)
        bytes_number(out, 0, 4);
    bytes_add(out, packed ? packed : message, length);
    free(packed);
}
