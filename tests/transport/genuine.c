#include "genuine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void begin_data(struct genuine *genuine, unsigned count)
{
    if (!genuine->starts)
        genuine->starts = calloc(count + 1, sizeof *genuine->starts);
    assert_non_null(genuine->starts);
    genuine->starts[genuine->count] = genuine->talk.side[0].length;
}

static void end_data(struct genuine *genuine)
{
    genuine->starts[++genuine->count] = genuine->talk.side[0].length;
}

void genuine_free(struct genuine *genuine)
{
    bytes_free(&genuine->talk.side[0]);
    bytes_free(&genuine->talk.side[1]);
    free(genuine->starts);
    *genuine = (struct genuine){.count = 0};
}

/* ---- legacy packets ---- */

static bool holds_integer(unsigned column)
{
    return column == 86 || column == 95 || (column >= 96 && column <= 102) || column == 131 || column == 132 ||
           column == 139;
}

static void make_realtime(struct genuine *genuine, uint64_t *seed, unsigned count)
{
    struct bytes *out = &genuine->talk.side[0];
    size_t size = legacy_size(random_below(seed, legacy_size_count()));
    double clock = random_between(seed, 1, 1e6), base[160];
    double cycle = size <= 1060 || random_below(seed, 2) ? 0.008 : 0.002;
    bool moves = random_below(seed, 2);
    for (unsigned column = 0; column < 160; column++)
        base[column] = column % 5 == 4 ? 0 : random_between(seed, -3, 3) * (column > 86 && column < 93 ? 10 : 1);
    clock = (double)(uint64_t)(clock / cycle) * cycle;
    for (unsigned i = 0; i < count; i++) {
        begin_data(genuine, count);
        bytes_number(out, size, 4);
        bytes_double(out, clock + i * cycle);
        for (unsigned column = 2; 4 + 8 * column <= size; column++)
            bytes_double(out, holds_integer(column) ? column % 9
                                                    : base[column] + (moves ? random_between(seed, 0, 0.01) : 0));
        end_data(genuine);
    }
    if (random_below(seed, 2))
        bytes_text(&genuine->talk.side[1], "movej([0,-1.57,0,-1.57,0,0])\n");
}

/* ---- RTDE: data, a text now and then, inputs ---- */

#define FIELDS_MAX 40

struct recipe {
    struct {
        char type; /* d double, i int, b bool, u 8 bytes, t the clock */
        unsigned elements;
        double value;
        bool moves;
    } fields[FIELDS_MAX];
    unsigned count;
    unsigned id;
};

static void make_recipe(struct recipe *recipe, uint64_t *seed, bool has_clock, size_t clock_at)
{
    static const struct {
        char type;
        unsigned elements;
    } kinds[] = {{'d', 1}, {'d', 3}, {'d', 6}, {'i', 1}, {'i', 6}, {'b', 1}, {'u', 1}, {'d', 6}};
    recipe->count = 1 + (unsigned)random_below(seed, FIELDS_MAX - 1);
    recipe->id = 1 + (unsigned)random_below(seed, 4);
    for (unsigned i = 0; i < recipe->count; i++) {
        size_t kind = random_below(seed, 8);
        recipe->fields[i].type = kinds[kind].type;
        recipe->fields[i].elements = kinds[kind].elements;
        recipe->fields[i].moves = random_below(seed, 2);
        recipe->fields[i].value = random_below(seed, 4) ? random_between(seed, -3, 3) : 0;
    }
    if (has_clock) {
        size_t at = clock_at < recipe->count ? clock_at : recipe->count - 1;
        recipe->fields[at].type = 't';
        recipe->fields[at].elements = 1;
    }
}

static void add_values(struct bytes *payload, const struct recipe *recipe, uint64_t *seed, double clock)
{
    for (unsigned i = 0; i < recipe->count; i++)
        for (unsigned k = 0; k < recipe->fields[i].elements; k++) {
            double value = recipe->fields[i].value + (recipe->fields[i].moves ? random_between(seed, 0, 0.01) : 0);
            switch (recipe->fields[i].type) {
            case 't':
                bytes_double(payload, clock);
                break;
            case 'd':
                bytes_double(payload, value * (k + 1));
                break;
            case 'i':
                bytes_number(payload, (uint32_t)(int32_t)(recipe->fields[i].value * 100), 4);
                break;
            case 'b':
                bytes_number(payload, recipe->fields[i].value > 0, 1);
                break;
            default:
                bytes_number(payload, (uint64_t)(int64_t)(recipe->fields[i].value * 7), 8);
            }
        }
}

static void add_data(struct bytes *out, const struct recipe *recipe, int protocol, uint64_t *seed, double clock)
{
    struct bytes payload = {0};
    if (protocol > 1)
        bytes_number(&payload, recipe->id, 1);
    add_values(&payload, recipe, seed, clock);
    bytes_package(out, 'U', &payload);
    bytes_free(&payload);
}

static void make_rtde(struct genuine *genuine, uint64_t *seed, unsigned count, int protocol)
{
    struct recipe outputs, inputs;
    size_t clock_at = random_below(seed, 4) ? 0 : random_below(seed, 10);
    double cycle = random_below(seed, 2) ? 0.002 : 0.008;
    double clock = (double)random_below(seed, 100000000) * cycle;
    bool sends = random_below(seed, 2);
    make_recipe(&outputs, seed, random_below(seed, 8) > 0, clock_at);
    make_recipe(&inputs, seed, false, 0);
    for (unsigned i = 0; i < count; i++) {
        begin_data(genuine, count);
        add_data(&genuine->talk.side[0], &outputs, protocol, seed, clock + i * cycle);
        end_data(genuine);
        if (random_below(seed, 30) == 0) {
            bytes_list(&genuine->talk.side[0], 'M', protocol > 1 ? "" : "02",
                       protocol > 1 ? "\x05Hello\x0bRTDE ServerX" : "Speed slider was taken over");
            if (protocol > 1)
                genuine->talk.side[0].at[genuine->talk.side[0].length - 1] = 2;
            genuine->starts[genuine->count] = genuine->talk.side[0].length;
        }
        if (sends)
            add_data(&genuine->talk.side[1], &inputs, 2, seed, 0);
    }
}

static void make_rtde_1(struct genuine *genuine, uint64_t *seed, unsigned count)
{
    make_rtde(genuine, seed, count, 1);
}

static void make_rtde_2(struct genuine *genuine, uint64_t *seed, unsigned count)
{
    make_rtde(genuine, seed, count, 2);
}

/* ---- the primary interface: states, messages between them ---- */

static void add_joints(struct bytes *body, uint64_t *seed, const double *q)
{
    bytes_hex(body, "000000fb 01");
    for (unsigned joint = 0; joint < 6; joint++) {
        bytes_double(body, q[joint]);
        bytes_double(body, q[joint]);
        bytes_double(body, random_between(seed, -1, 1));
        for (unsigned i = 0; i < 4; i++)
            bytes_number(body, 0x41c80000 + random_below(seed, 1 << 20), 4);
        bytes_hex(body, "fd");
    }
}

static void add_sub(struct bytes *body, uint64_t *seed, uint8_t type, unsigned doubles, unsigned tail)
{
    bytes_number(body, 5 + 8 * doubles + tail, 4);
    bytes_number(body, type, 1);
    for (unsigned i = 0; i < doubles; i++)
        bytes_double(body, i % 4 == 3 ? 0 : random_between(seed, -2, 2));
    for (unsigned i = 0; i < tail; i++)
        bytes_number(body, i % 3 ? 0 : random_below(seed, 4), 1);
}

static void add_state(struct bytes *bytes, uint64_t *seed, uint64_t time, const double *q, bool first)
{
    struct bytes body = {0};
    bytes_hex(&body, "0000002f 00");
    bytes_number(&body, time, 8);
    bytes_hex(&body, "01 01 01 00 00 00 00 07 00");
    for (unsigned i = 0; i < 3; i++)
        bytes_double(&body, 1.0);
    bytes_hex(&body, "00");
    add_joints(&body, seed, q);
    add_sub(&body, seed, 4, 12, 0);
    if (first)
        add_sub(&body, seed, 5, 27, 4);
    add_sub(&body, seed, 9, 6, 0);
    add_sub(&body, seed, 3, 4, 38);
    add_sub(&body, seed, 2, 2, 16);
    if (first)
        add_sub(&body, seed, 6, 54, 8);
    add_sub(&body, seed, 7, 7, 0);
    add_sub(&body, seed, 8, 0, 4);
    add_sub(&body, seed, 10, 4, 6);
    bytes_number(bytes, body.length + 5, 4);
    bytes_hex(bytes, "10");
    bytes_add(bytes, body.at, body.length);
    bytes_free(&body);
}

static void add_text(struct bytes *bytes, uint64_t *seed, uint64_t time)
{
    char text[40];
    snprintf(text, sizeof text, "part %zu is in place", random_below(seed, 1000));
    bytes_number(bytes, 15 + strlen(text), 4);
    bytes_hex(bytes, "14");
    bytes_number(bytes, time, 8);
    bytes_hex(bytes, "fd 00");
    bytes_text(bytes, text);
}

static void make_primary(struct genuine *genuine, uint64_t *seed, unsigned count)
{
    struct bytes *out = &genuine->talk.side[0];
    double q[6];
    bool is_secondary = random_below(seed, 2) == 0, stands = random_below(seed, 2) == 0;
    uint64_t time = random_below(seed, 1000000000) * 1000;
    for (unsigned i = 0; i < 6; i++)
        q[i] = random_between(seed, -3, 3);
    if (random_below(seed, 2)) {
        bytes_hex(out, "00000037 14 ffffffffffffffff fe 03 09");
        bytes_text(out, "URControl");
        bytes_hex(out, "05 0b 00000001 0000006c");
        bytes_text(out, "05-10-2021, 12:00:00");
    }
    for (unsigned i = 0; i < count; i++, time += 96000) {
        begin_data(genuine, count);
        add_state(out, seed, time, q, i == 0);
        end_data(genuine);
        for (unsigned k = 0; k < 6 && !stands; k++)
            q[k] += random_between(seed, -0.01, 0.01);
        if (!is_secondary && random_below(seed, 3) == 0)
            add_text(out, seed, time);
        genuine->starts[genuine->count] = out->length;
        if (random_below(seed, 5) == 0)
            bytes_text(&genuine->talk.side[1],
                       "set_digital_out(0, True)\nmovej([0,-1.57,0,-1.57,0,0], a=1.4, v=1.05)\n");
    }
}

/* ---- AUBO ---- */

static void add_list(struct bytes *text, uint64_t *seed, unsigned channel, const unsigned *shape, unsigned shapes)
{
    char number[40];
    snprintf(number, sizeof number, "[%u", channel);
    bytes_text(text, number);
    for (unsigned i = 0; i < shapes; i++) {
        bytes_text(text, shape[i] > 1 ? ",[" : ",");
        for (unsigned k = 0; k < shape[i]; k++) {
            snprintf(number, sizeof number, k ? ",%.17g" : "%.17g", random_between(seed, -3, 3));
            bytes_text(text, number);
        }
        bytes_text(text, shape[i] > 1 ? "]" : "");
    }
    bytes_text(text, "]");
}

struct channels {
    unsigned count;
    unsigned shapes[3];
    unsigned shape[3][8];
};

static void make_channels(struct channels *channels, uint64_t *seed)
{
    static const unsigned elements[] = {1, 1, 6, 6, 3};
    channels->count = 1 + (unsigned)random_below(seed, 3);
    for (unsigned c = 0; c < 3; c++) {
        channels->shapes[c] = 1 + (unsigned)random_below(seed, 8);
        for (unsigned i = 0; i < 8; i++)
            channels->shape[c][i] = elements[random_below(seed, 5)];
    }
}

static void make_aubo(struct genuine *genuine, uint64_t *seed, unsigned count)
{
    struct channels channels;
    genuine->between = random_below(seed, 3);
    make_channels(&channels, seed);
    for (unsigned i = 0; i < count; i++) {
        unsigned c = (unsigned)random_below(seed, channels.count);
        begin_data(genuine, count);
        bytes_text(&genuine->talk.side[0], genuine->between == 0 ? "" : genuine->between == 1 ? "\n" : "\r\n");
        add_list(&genuine->talk.side[0], seed, c, channels.shape[c], channels.shapes[c]);
        end_data(genuine);
    }
}

static void make_aubo_web(struct genuine *genuine, uint64_t *seed, unsigned count)
{
    struct channels channels;
    struct bytes *out = &genuine->talk.side[0];
    make_channels(&channels, seed);
    for (unsigned i = 0; i < count; i++) {
        struct bytes text = {0};
        unsigned c = (unsigned)random_below(seed, channels.count);
        begin_data(genuine, count);
        add_list(&text, seed, c, channels.shape[c], channels.shapes[c]);
        bytes_hex(out, "81");
        if (text.length >= 126)
            bytes_hex(out, "7e");
        bytes_number(out, text.length, text.length < 126 ? 1 : 2);
        bytes_add(out, text.at, text.length);
        end_data(genuine);
        bytes_free(&text);
    }
}

const struct genuine_kind genuine_kinds[] = {
    {"realtime", ARMTAP_REALTIME, false, make_realtime}, {"RTDE 1", ARMTAP_RTDE, false, make_rtde_1},
    {"RTDE 2 and 3", ARMTAP_RTDE, false, make_rtde_2},   {"primary", ARMTAP_PRIMARY, false, make_primary},
    {"AUBO, raw", ARMTAP_AUBO, true, make_aubo},         {"AUBO, WebSocket", ARMTAP_AUBO, true, make_aubo_web},
};
const size_t genuine_kind_count = sizeof genuine_kinds / sizeof genuine_kinds[0];
