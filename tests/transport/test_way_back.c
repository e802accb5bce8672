/* Resynchronisation: captures that begin anywhere in a stream, holes, and damaged bytes, while cells and registers
 * always look like the beginning of a message. */
#include "outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- streams that try to mislead ---- */

struct stream {
    struct bytes bytes;
    size_t first;   /* of the first data message */
    size_t frame;   /* bytes of each */
    unsigned count; /* data messages */
    bool rtde;
    struct armtap_recipe *recipe; /* of the data, if the handshake does not tell; or NULL */
};

/* A cell as a robot fills it, except those that are to mislead. */
static double cell(unsigned column, unsigned packet)
{
    if (column >= 87 && column <= 92)
        return 25.0; /* motor temperatures: after the digital inputs, and plausible as a clock */
    if (column == 95 || (column >= 96 && column <= 102) || column == 132 || column == 139)
        return 7; /* modes */
    return column % 7 ? (double)column / 16 + (double)packet / 512 : 0;
}

enum { RAW_INPUTS = 1, RAW_OUTPUTS = 2, RAW_EVERYWHERE = 4, ALL_WARM = 8 };

static void make_realtime(struct stream *stream, size_t size, unsigned count, unsigned how, double cycle)
{
    *stream = (struct stream){.frame = size, .count = count};
    for (unsigned i = 0; i < count; i++) {
        struct bytes packet = {0};
        bytes_packet(&packet, size, 100 + i * cycle);
        for (unsigned column = 2; 4 + 8 * column <= size; column++) {
            put_cell(packet.at, column, how & ALL_WARM && column > 102 && column < 132 ? 31.5 : cell(column, i));
            if ((how & RAW_INPUTS && column == 86) || (how & RAW_OUTPUTS && column == 131) ||
                (how & RAW_EVERYWHERE && column % 8 == 6 && column != 102))
                put_raw_cell(packet.at, column, size);
        }
        bytes_add(&stream->bytes, packet.at, packet.length);
        bytes_free(&packet);
    }
}

struct rtde_form {
    int protocol;
    const char *names, *types;
    bool handshake, clock;
    const char *constants; /* in hex: the values after the clock */
};

static void make_rtde(struct stream *stream, const struct rtde_form *form, unsigned count)
{
    *stream = (struct stream){.rtde = true, .count = count};
    if (form->handshake) {
        bytes_hex(&stream->bytes, "0004 56 01");
        bytes_list(&stream->bytes, 'O', form->protocol == 1 ? "" : "01", form->types);
        bytes_hex(&stream->bytes, "0004 53 01");
    } else {
        assert_int_equal(armtap_recipe_rtde(form->names, form->types, &stream->recipe), 0);
    }
    stream->first = stream->bytes.length;
    for (unsigned i = 0; i < count; i++) {
        struct bytes payload = {0};
        if (form->protocol > 1)
            bytes_hex(&payload, "01");
        if (form->clock)
            bytes_double(&payload, 7000 + i * 0.008);
        bytes_hex(&payload, form->constants);
        bytes_double(&payload, 0.25 + 0.3711 * i); /* no clock */
        stream->frame = 3 + payload.length;
        bytes_package(&stream->bytes, 'U', &payload);
        bytes_free(&payload);
    }
}

static void stream_free(struct stream *stream)
{
    bytes_free(&stream->bytes);
    armtap_recipe_release(stream->recipe);
}

/* ---- pushing ---- */

struct hearing {
    const struct stream *stream;
    uint64_t *offsets; /* of the records, in the whole stream */
    size_t count;
    size_t from; /* where the pushing began */
};

static int hear(void *user, const struct armtap_record *record)
{
    struct hearing *hearing = user;
    if (record->direction == ARMTAP_FROM_ROBOT)
        hearing->offsets[hearing->count++] = hearing->from + record->offset;
    return 0;
}

static struct armtap_conn *listen(struct hearing *hearing, bool midstream)
{
    struct armtap_sink sink = {.size = sizeof sink, .on_record = hear};
    struct armtap_conn_options options = {.size = sizeof options,
                                          .protocol = hearing->stream->rtde ? ARMTAP_RTDE : ARMTAP_REALTIME,
                                          .midstream = midstream};
    struct armtap_conn *conn;
    hearing->offsets = calloc(hearing->stream->bytes.length / 8 + 1, sizeof *hearing->offsets);
    assert_non_null(hearing->offsets);
    assert_int_equal(armtap_conn_new(&options, &sink, hearing, &conn), 0);
    if (hearing->stream->recipe)
        assert_int_equal(armtap_conn_set_recipe(conn, hearing->stream->recipe), 0);
    return conn;
}

static void push(struct armtap_conn *conn, const uint8_t *bytes, size_t from, size_t to, size_t chunk)
{
    struct armtap_where where = {.size = sizeof where, .time = ARMTAP_NO_TIME};
    for (size_t at = from; at < to; at += chunk)
        assert_int_equal(
            armtap_conn_push(conn, ARMTAP_FROM_ROBOT, bytes + at, at + chunk < to ? chunk : to - at, &where), 0);
}

static void end(struct armtap_conn *conn, size_t total, const char *what)
{
    struct armtap_where where = {.size = sizeof where, .time = ARMTAP_NO_TIME};
    assert_int_equal(armtap_conn_close(conn, ARMTAP_FROM_ROBOT, &where), 0);
    const struct armtap_stream *stream = armtap_conn_stream(conn);
    if (stream->bytes_decoded[0] + stream->bytes_skipped[0] + stream->bytes_lost[0] != total)
        fail_msg("%s: %zu decoded, %zu skipped, %zu lost, of %zu", what, (size_t)stream->bytes_decoded[0],
                 (size_t)stream->bytes_skipped[0], (size_t)stream->bytes_lost[0], total);
    armtap_conn_free(conn);
}

/* Each record is a whole message of the stream; of the messages wholly inside the stretches, at most one is missing at
 * each place. */
struct stretch {
    size_t from, to;
};
static void judge(struct hearing *hearing, const struct stretch *stretches, size_t count, const char *what)
{
    const struct stream *stream = hearing->stream;
    size_t heard = 0, spurious = 0;
    for (size_t k = 0; k < count; k++) {
        size_t missed = 0;
        for (unsigned i = 0; i < stream->count; i++) {
            size_t at = stream->first + i * stream->frame;
            if (at < stretches[k].from || at + stream->frame > stretches[k].to)
                continue;
            if (heard < hearing->count && hearing->offsets[heard] < at) {
                spurious++;
                heard++;
            }
            if (heard < hearing->count && hearing->offsets[heard] == at)
                heard++;
            else
                missed++;
        }
        if (missed > 1)
            fail_msg("%s: %zu whole records missing", what, missed);
    }
    if (spurious > 0 || heard < hearing->count)
        fail_msg("%s: %zu records that are no messages", what, spurious + hearing->count - heard);
    free(hearing->offsets);
}

/* ---- the three ways to lose synchronisation ---- */

static void begin_anywhere(const struct stream *stream, const char *name, size_t chunk)
{
    for (size_t from = stream->first; from < stream->first + stream->frame; from++) {
        struct hearing hearing = {.stream = stream, .from = from};
        struct stretch rest = {from, stream->bytes.length};
        char what[120];
        snprintf(what, sizeof what, "%s, joined at byte %zu of a message", name, from - stream->first);
        struct armtap_conn *conn = listen(&hearing, true);
        push(conn, stream->bytes.at, from, stream->bytes.length, chunk);
        end(conn, stream->bytes.length - from, what);
        judge(&hearing, &rest, 1, what);
    }
}

static void lose_anywhere(const struct stream *stream, const char *name, size_t hole)
{
    size_t third = stream->first + stream->frame * 3, step = stream->frame > 400 ? 3 : 1;
    for (size_t from = third; from < third + stream->frame; from += step) {
        struct hearing hearing = {.stream = stream};
        struct stretch parts[] = {{0, from}, {from + hole, stream->bytes.length}};
        struct armtap_where where = {.size = sizeof where, .time = ARMTAP_NO_TIME};
        char what[120];
        snprintf(what, sizeof what, "%s, %zu bytes lost at byte %zu of a message", name, hole, from - third);
        struct armtap_conn *conn = listen(&hearing, false);
        push(conn, stream->bytes.at, 0, from, 100);
        assert_int_equal(armtap_conn_gap(conn, ARMTAP_FROM_ROBOT, hole, &where), 0);
        push(conn, stream->bytes.at, from + hole, stream->bytes.length, 1448);
        end(conn, stream->bytes.length, what);
        judge(&hearing, parts, 2, what);
    }
}

static void damage_anywhere(const struct stream *stream, const char *name, size_t length, uint64_t seed)
{
    size_t third = stream->first + stream->frame * 3, step = stream->frame > 400 ? 3 : 1;
    for (size_t from = third; from < third + stream->frame; from += step) {
        struct hearing hearing = {.stream = stream};
        struct bytes damaged = {0};
        char what[120];
        snprintf(what, sizeof what, "%s, %zu bytes damaged at byte %zu of a message", name, length, from - third);
        bytes_add(&damaged, stream->bytes.at, stream->bytes.length);
        for (size_t i = from; i < from + length; i++)
            damaged.at[i] = seed ? (uint8_t)random_bits(&seed) : 0;
        struct armtap_conn *conn = listen(&hearing, false);
        push(conn, damaged.at, 0, damaged.length, 1448);
        end(conn, damaged.length, what);
        bytes_free(&damaged);
        /* A damaged message with an intact length is still one: damaged messages may come out or not. */
        size_t kept = 0;
        for (size_t i = 0; i < hearing.count; i++) {
            size_t at = hearing.offsets[i];
            bool touched = at < from + length && from < at + stream->frame;
            if (!touched || (at - stream->first) % stream->frame != 0)
                hearing.offsets[kept++] = at;
        }
        hearing.count = kept;
        struct stretch parts[] = {{0, from}, {from + length, stream->bytes.length}};
        judge(&hearing, parts, 2, what);
    }
}

static void lead_astray(const struct stream *stream, const char *name)
{
    static const size_t holes[] = {1, 7, 1000};
    begin_anywhere(stream, name, 1448);
    if (stream->frame < 300)
        begin_anywhere(stream, name, 1);
    if (stream->recipe)
        return;
    for (size_t i = 0; i < 3; i++) {
        lose_anywhere(stream, name, holes[i]);
        damage_anywhere(stream, name, holes[i] < 100 ? holes[i] : 100, 77 + i);
        damage_anywhere(stream, name, holes[i] < 100 ? holes[i] : 100, 0);
    }
}

static void test_realtime(void **state)
{
    static const struct {
        const char *name;
        size_t size;
        unsigned how;
        double cycle;
    } streams[] = {
        {"1220", 1220, 0, 0.002},
        {"1220, inputs of 1220", 1220, RAW_INPUTS, 0.002},
        {"1220, inputs and outputs of 1220", 1220, RAW_INPUTS | RAW_OUTPUTS, 0.002},
        {"1220, many cells of 1220", 1220, RAW_EVERYWHERE, 0.002},
        {"1060, inputs of 1060", 1060, RAW_INPUTS, 0.008},
        {"1060, outputs of 1060", 1060, RAW_OUTPUTS, 0.008},
        {"1220, cells of 31.5", 1220, ALL_WARM, 0.002}, /* a zero and 0x40 make a length of 64, 0x3f8 a clock */
        {"812, inputs of 812", 812, RAW_INPUTS, 0.008},
    };
    (void)state;
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) {
        struct stream stream;
        make_realtime(&stream, streams[i].size, 12, streams[i].how, streams[i].cycle);
        lead_astray(&stream, streams[i].name);
        stream_free(&stream);
    }
}

static void test_rtde(void **state)
{
    /* the data messages are 3 + 1 + 8 + constants + 8 bytes */
    static const struct {
        const char *name;
        struct rtde_form form;
    } streams[] = {
        {"RTDE",
         {2, "timestamp,output_int_register_0,output_int_register_1,actual_momentum", "DOUBLE,INT32,INT32,DOUBLE", true,
          true, "00000001 00000002"}},
        {"RTDE, a register that looks like a header",
         {2, "timestamp,output_int_register_0,output_int_register_1,actual_momentum", "DOUBLE,INT32,INT32,DOUBLE", true,
          true, "001c5501 00000002"}},
        {"RTDE, a pair of registers that looks like a header",
         {2, "timestamp,output_int_register_0,output_int_register_1,actual_momentum", "DOUBLE,INT32,INT32,DOUBLE", true,
          true, "0000001c 55010000"}},
        {"RTDE, nothing but headers",
         {2,
          "timestamp,output_int_register_0,output_int_register_1,output_int_register_2,output_int_register_3,actual_"
          "momentum",
          "DOUBLE,INT32,INT32,INT32,INT32,DOUBLE", true, true, "00245501 00245501 00245501 00245501"}},
        {"RTDE 1, a register that looks like a header",
         {1, "timestamp,output_int_register_0,output_int_register_1,actual_momentum", "DOUBLE,INT32,INT32,DOUBLE", true,
          true, "001b5501 00000002"}},
        {"RTDE, the recipe given",
         {2, "timestamp,output_int_register_0,output_int_register_1,actual_momentum", "DOUBLE,INT32,INT32,DOUBLE",
          false, true, "001c5501 001c5501"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) {
        struct stream stream;
        make_rtde(&stream, &streams[i].form, 60);
        lead_astray(&stream, streams[i].name);
        stream_free(&stream);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_realtime),
        cmocka_unit_test(test_rtde),
    };
    return cmocka_run_group_tests_name("way back", tests, NULL, NULL);
}
