/* Connections: the same events whatever the chunking, recovery after gaps and damage, recognition. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "../share.h"
#include "connection/conn.h"

#define FROM ARMTAP_FROM_ROBOT
#define TO ARMTAP_TO_ROBOT
#define TWO_CUTS_UP_TO 2048 /* bytes */
/* A sample tries one pair of cuts and one place of damage in so many. */
#define CUTS 31
#define PLACES 13

static size_t pair_step, step;

static const struct armtap_conn_options unknown = {.size = sizeof unknown};
static const struct armtap_conn_options realtime = {.size = sizeof realtime, .protocol = ARMTAP_REALTIME};
static const struct armtap_conn_options rtde = {.size = sizeof rtde, .protocol = ARMTAP_RTDE};
static const struct armtap_conn_options midstream = {.size = sizeof midstream, .midstream = true};

/* ---- chunking ---- */

static void check_cuts(const struct script *script, const struct armtap_conn_options *options, const size_t *cuts,
                       size_t count, const struct log *whole, struct log *log)
{
    log_clear(log);
    script_play(script, options, cuts, count, log);
    if (log->length == whole->length && memcmp(log->text, whole->text, log->length) == 0)
        return;
    print_error("whole:\n%s\ncut:\n%s\n", whole->text, log->text);
    fail_msg("%zu cuts, the first two at %zu and %zu", count, cuts[0], count > 1 ? cuts[1] : 0);
}

static void check_chunkings(const struct script *script, const struct armtap_conn_options *options, unsigned records)
{
    size_t length = script->bytes.length, *all = calloc(length, sizeof *all);
    struct log whole = {.values = false}, log = {.values = false};
    struct script in_place = *script;
    assert_non_null(all);
    script_play(script, options, NULL, 0, &whole);
    assert_int_equal(whole.records[FROM] + whole.records[TO], records);
    for (size_t i = 0; i < length; i++)
        all[i] = i;
    check_cuts(script, options, all, length, &whole, &log);
    for (size_t a = 1; a < length; a += length <= TWO_CUTS_UP_TO ? 1 : step)
        check_cuts(script, options, &a, 1, &whole, &log);
    in_place.in_place = true;
    for (size_t a = 1; length <= TWO_CUTS_UP_TO && a < length; a++)
        for (size_t b = a + 1 + a % pair_step; b < length; b += pair_step)
            check_cuts(&in_place, options, (size_t[]){a, b}, 2, &whole, &log);
    free(all);
    log_free(&whole);
    log_free(&log);
}

static struct script packets(size_t size, unsigned count, double cycle)
{
    struct script script = {.count = 0};
    struct bytes bytes = {0};
    for (unsigned i = 0; i < count; i++)
        bytes_packet(&bytes, size, 100 + cycle * i);
    script_add(&script, FROM, &bytes);
    bytes_free(&bytes);
    return script;
}

static void check_packets(size_t size, unsigned count, const struct armtap_conn_options *options)
{
    struct script script = packets(size, count, 0.008);
    check_chunkings(&script, options, count);
    script_free(&script);
}

static void test_cb2_packets_in_any_chunks(void **unused)
{
    (void)unused;
    check_packets(540, 2, &realtime);
    check_packets(812, 4, &realtime);
    check_packets(812, 4, &unknown);
}

static void test_cb3_packets_in_any_chunks(void **unused)
{
    (void)unused;
    check_packets(1060, 3, &realtime);
    check_packets(1220, 4, &realtime);
    check_packets(1220, 4, &unknown);
}

static void test_packets_of_other_sizes_in_any_chunks(void **unused)
{
    (void)unused;
    check_packets(12, 20, &realtime);
    check_packets(101, 3, &realtime);
    struct script others = packets(101, 3, 0.008); /* other protocols have a length and a clock, too */
    check_chunkings(&others, &unknown, 0);
    script_free(&others);
    check_packets(1500, 3, &realtime);
}

static void test_script_to_the_robot_in_any_chunks(void **unused)
{
    struct script script = packets(540, 1, 0.008);
    struct bytes text = {0}, more = {0};
    (void)unused;
    bytes_text(&text, "popup(1)\ndef p():\r\n  stopj(2)\nend\n");
    script_add(&script, TO, &text);
    bytes_packet(&more, 101, 101); /* short, so that trying all pairs of cuts takes a moment */
    script_add(&script, FROM, &more);
    text.length = 0;
    bytes_text(&text, "halt\n\nno line end");
    script_add(&script, TO, &text);
    check_chunkings(&script, &realtime, 2 + 7);
    script_free(&script);
    bytes_free(&text);
    bytes_free(&more);
}

#define HZ125 "40 5f 40 00 00 00 00 00"

/* Adds data packages: `head` in hex, a clock, a register; little robots. */
static void add_data(struct script *script, const char *head, double clock, uint32_t number)
{
    struct bytes payload = {0}, bytes = {0};
    bytes_hex(&payload, head);
    bytes_double(&payload, clock);
    bytes_number(&payload, number, 4);
    bytes_package(&bytes, 'U', &payload);
    script_add(script, FROM, &bytes);
    bytes_free(&payload);
    bytes_free(&bytes);
}

static struct script rtde_session(int protocol)
{
    struct script script = {.count = 0};
    if (protocol > 1) {
        script_hex(&script, TO, protocol == 2 ? "00 05 56 00 02" : "00 05 56 00 03");
        script_list(&script, FROM, 'M', "02", "Not confirmed");
        script_hex(&script, FROM, "00 04 56 01");
    }
    script_hex(&script, TO, "00 03 76");
    script_hex(&script, FROM, "00 13 76 00 00 00 05 00 00 00 0b 00 00 00 01 00 00 00 6c");
    if (protocol == 3) {
        script_list(&script, TO, 'R', "", "v1.software.version");
        script_list(&script, FROM, 'R', "00 06", "UINT64\x01\x02\x03\x04\x05\x06\x07\x08");
    }
    script_list(&script, TO, 'O', protocol > 1 ? HZ125 : "", "timestamp,my_own");
    script_list(&script, TO, 'I', "", "speed_slider_mask,no_such");
    script_list(&script, TO, 'I', "", "speed_slider_mask");
    script_list(&script, FROM, 'O', protocol > 1 ? "01" : "", "DOUBLE,UINT32");
    script_list(&script, FROM, 'I', "00", "UINT32,NOT_FOUND");
    script_list(&script, FROM, 'I', "01", "UINT32");
    add_data(&script, protocol > 1 ? "01" : "", 1, 1);
    script_hex(&script, TO, "00 03 53");
    script_hex(&script, FROM, "00 04 53 01");
    for (unsigned i = 2; i < 6; i++) {
        add_data(&script, protocol > 1 ? "01" : "", i, i);
        script_hex(&script, TO, "00 08 55 01 00 00 00 01");
    }
    script_hex(&script, FROM, "00 05 58 01 02 00 0e 55 01 40 20 00 00 00 00 00 00 00 00"); /* unknown, short data */
    add_data(&script, protocol > 1 ? "01" : "", 7, 7);
    script_hex(&script, TO, "00 03 50");
    script_hex(&script, FROM, "00 04 50 01");
    return script;
}

static void test_rtde_sessions_in_any_chunks(void **unused)
{
    (void)unused;
    for (int protocol = 1; protocol <= 3; protocol++) {
        struct script script = rtde_session(protocol);
        check_chunkings(&script, &rtde, 7 + 4);
        if (protocol > 1)
            check_chunkings(&script, &unknown, 7 + 4);
        script_free(&script);
    }
}

/* Set-ups that go wrong, and replies that cannot be read. */
static void test_odd_set_ups_in_any_chunks(void **unused)
{
    struct script script = {.count = 0};
    (void)unused;
    script_list(&script, TO, 'O', HZ125, "timestamp,no_such");
    script_list(&script, FROM, 'O', "", "NOT_FOUND,NOT_FOUND");
    script_hex(&script, TO, "00 05 56 00 02");
    script_hex(&script, FROM, "00 04 56 01");
    script_list(&script, TO, 'O', HZ125, "timestamp,my_own");
    script_hex(&script, FROM, "00 08 4f 01 44 ff fe 2c");
    add_data(&script, "01", 1, 1);
    script_list(&script, TO, 'I', "", "speed_slider_mask");
    script_hex(&script, FROM, "00 03 49");
    script_list(&script, TO, 'O', HZ125, "timestamp,my_own,a");
    script_list(&script, FROM, 'O', "01", "DOUBLE,UINT32");
    add_data(&script, "01", 2, 2);
    check_chunkings(&script, &rtde, 2);
    script_free(&script);
}

/* An unknown type, with data of two lengths. */
static void test_an_unknown_type_in_any_chunks(void **unused)
{
    struct script script = {.count = 0};
    (void)unused;
    script_hex(&script, TO, "00 05 56 00 02");
    script_hex(&script, FROM, "00 04 56 01");
    script_list(&script, TO, 'O', "", "timestamp,my_own");
    script_list(&script, FROM, 'O', "00", "NOT_FOUND,UINT32");
    script_list(&script, TO, 'O', HZ125, "my_own,timestamp,payload");
    script_list(&script, FROM, 'O', "01", "ODD,DOUBLE,UINT32");
    add_data(&script, "01 aa bb", 3, 3);
    add_data(&script, "01 aa bc", 4, 4);
    add_data(&script, "01 aa bc cc", 5, 5);
    add_data(&script, "01 aa bd", 6, 6);
    script_hex(&script, TO, "00 03 50");
    script_hex(&script, FROM, "00 04 50 01");
    check_chunkings(&script, &rtde, 4);
    script_free(&script);
}

static void test_data_without_a_handshake_in_any_chunks(void **unused)
{
    struct armtap_conn_options options = rtde;
    struct script script = {.count = 0};
    (void)unused;
    options.midstream = true;
    script_hex(&script, FROM, "00 00 00 01");
    for (unsigned i = 0; i < 8; i++)
        add_data(&script, "01", 1.5 + i * 0.008, i);
    check_chunkings(&script, &options, 8);
    script_free(&script);
}

static void test_foreign_bytes_in_any_chunks(void **unused)
{
    struct script script = {.count = 0};
    struct bytes bytes = {0};
    (void)unused;
    bytes_text(&bytes, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 12\r\n\r\n<p>hello</p>");
    script_add(&script, FROM, &bytes);
    check_chunkings(&script, &unknown, 0);
    check_chunkings(&script, &realtime, 0);
    check_chunkings(&script, &rtde, 0);
    script_free(&script);
    for (unsigned i = 0; i < 6000; i++)
        bytes_number(&bytes, 0x16030100u + i, 4);
    bytes.length = 3000;
    for (unsigned i = 0; i < 4; i++)
        bytes_packet(&bytes, 540, 1 + i * 0.008);
    script_add(&script, FROM, &bytes);
    check_chunkings(&script, &midstream, 4);
    script_free(&script);
    bytes.length = 0;
    for (unsigned i = 0; i < 1300; i++)
        bytes_number(&bytes, 0x16030100u + i, 4); /* over 4 kB of meaningless bytes */
    for (unsigned i = 0; i < 4; i++)
        bytes_packet(&bytes, 540, 1 + i * 0.008);
    script_add(&script, FROM, &bytes);
    check_chunkings(&script, &midstream, 0);
    script_free(&script);
    bytes_free(&bytes);
}

static void add_nothing(struct script *script, enum armtap_direction direction, unsigned count)
{
    struct bytes bytes = {0};
    while (count-- > 0)
        bytes_hex(&bytes, "ee");
    script_add(script, direction, &bytes);
    bytes_free(&bytes);
}

/* Unrecognised bytes are examined ever more rarely, but always once they suffice to call the connection foreign: the
 * granted PAUSE of the other direction is not taken for RTDE's when the connection ends. */
static void test_a_little_more_than_enough_in_any_chunks(void **unused)
{
    struct script script = {.count = 0};
    (void)unused;
    script_hex(&script, FROM, "00 04 50 01");
    add_nothing(&script, TO, 4200);
    check_chunkings(&script, &unknown, 0);
    script_free(&script);
}

/* Requests after skipped bytes are found, even if both come in one chunk. */
static void test_requests_behind_foreign_bytes_in_any_chunks(void **unused)
{
    struct script script = {.count = 0};
    struct log whole = {.values = false}, log = {.values = false};
    (void)unused;
    add_nothing(&script, TO, 16 * 1024);
    script_list(&script, TO, 'O', HZ125, "timestamp,actual_q");
    script_hex(&script, TO, "00 03 53");
    script_list(&script, FROM, 'O', "01", "DOUBLE,VECTOR6D");
    script_play(&script, &rtde, NULL, 0, &whole);
    assert_true(log_has(&whole, "recipe < id1 125 Hz 56 bytes"));
    for (size_t i = 0; i < 9; i++)
        check_cuts(&script, &rtde, (size_t[]){2000 + 100 * i, 16 * 1024 - 4 + i}, 2, &whole, &log);
    log_free(&whole);
    log_free(&log);
    script_free(&script);
}

static const struct armtap_conn_options late = {.size = sizeof late, .protocol = ARMTAP_RTDE, .midstream = true};

/* In a connection that began before the capture, the search for telemetry goes further than the bytes after which a
 * port would be called foreign. */
static void test_telemetry_late_behind_foreign_bytes_in_any_chunks(void **unused)
{
    struct script script = {.count = 0};
    struct log whole = {.values = false}, log = {.values = false};
    (void)unused;
    add_nothing(&script, FROM, 50000);
    script_list(&script, TO, 'O', HZ125, "timestamp,actual_q");
    script_list(&script, FROM, 'O', "01", "DOUBLE,VECTOR6D");
    script_hex(&script, FROM, "00 04 53 01");
    script_play(&script, &late, NULL, 0, &whole);
    assert_true(log_has(&whole, "recipe < id1 125 Hz 56 bytes"));
    assert_true(log_has(&whole, "note < stream.resync: bytes=50000 direction=from-robot offset=50000 case=resumed\n"));
    assert_int_equal(log_count(&whole, "stream.foreign"), 0);
    for (size_t i = 0; i < 9; i++)
        check_cuts(&script, &late, (size_t[]){2000 + 100 * i, 3 * 16 * 1024 - 4 + i}, 2, &whole, &log);
    log_free(&whole);
    log_free(&log);
    script_free(&script);
}

static void check_late_without_telemetry(unsigned length, const char *says)
{
    struct script script = {.count = 0};
    add_nothing(&script, FROM, length);
    struct log log = script_log(&script, &late);
    assert_int_equal(log_count(&log, "stream.foreign"), 1);
    assert_true(log_has(&log, says));
    log_free(&log);
    script_free(&script);
}

/* A direction that was searched to its end has no telemetry; otherwise the rest is unknown. */
static void test_late_without_telemetry(void **unused)
{
    (void)unused;
    check_late_without_telemetry(5000, "stream.foreign: case=other protocol=rtde quoted='\\xee\\xee");
    check_late_without_telemetry(20000, "stream.foreign: case=nowhere protocol=rtde bytes=20000\n");
    check_late_without_telemetry(1100000, "stream.foreign: case=undecided protocol=rtde bytes=1048576\n");
}

/* Data before bytes that begin like a long set-up, but are not one. */
static void test_data_before_a_false_set_up_in_any_chunks(void **unused)
{
    struct script script = {.count = 0};
    (void)unused;
    script_hex(&script, TO, "ee ee ee 00 05 55 01 02 02 44 4f");
    add_nothing(&script, TO, 0x244 - 3);
    script_hex(&script, TO, "00 05 55 01 02 00 05 55 01 02");
    check_chunkings(&script, &rtde, 3);
    script_free(&script);
}

/* ---- gaps and damage ---- */

/* A stream of frames with some bytes lost or changed, and what was decoded from it. */
struct damage {
    const uint8_t *bytes;
    size_t length, begin; /* frames follow one another from `begin` */
    size_t frame;         /* bytes of each */
    size_t from, to;      /* the damaged bytes */
    bool *seen;           /* frame by frame */
    uint64_t flagged;     /* offset of the first flagged record, UINT64_MAX without */
    bool quiet;           /* only notes of gaps and skipped bytes are allowed */
};

static int see_record(void *user, const struct armtap_record *record)
{
    struct damage *damage = user;
    if (record->direction != FROM)
        return 0;
    if (record->frame_length != damage->frame || record->offset < damage->begin ||
        (record->offset - damage->begin) % damage->frame != 0)
        return 0; /* made from a damaged frame: it must not count as a whole one */
    size_t i = (size_t)((record->offset - damage->begin) / damage->frame);
    assert_false(damage->seen[i]);
    if (record->offset + damage->frame <= damage->from || record->offset >= damage->to) {
        damage->seen[i] = true;
        assert_memory_equal(record->frame, damage->bytes + record->offset, damage->frame);
    }
    if (record->flags & ARMTAP_AFTER_GAP && damage->flagged == UINT64_MAX)
        damage->flagged = record->offset;
    return 0;
}

static int see_note(void *user, const struct armtap_note *note)
{
    const struct damage *damage = user;
    if (damage->quiet && strncmp(note->kind->id, "stream.", 7) != 0)
        fail_msg("%s: %s", note->kind->id, note->text);
    assert_string_not_equal(note->kind->id, "stream.foreign");
    return 0;
}

static struct armtap_conn *damage_conn(struct damage *damage, const struct armtap_conn_options *options)
{
    struct armtap_sink sink = {.size = sizeof sink, .on_record = see_record, .on_note = see_note};
    struct armtap_conn *conn;
    damage->seen = calloc((damage->length - damage->begin) / damage->frame + 1, sizeof *damage->seen);
    damage->flagged = UINT64_MAX;
    assert_non_null(damage->seen);
    assert_int_equal(armtap_conn_new(options, &sink, damage, &conn), ARMTAP_OK);
    return conn;
}

/* Every frame that ends before the damage was decoded, and all but `may_lack` of those after it. */
static void check_damage(struct damage *damage, struct armtap_conn *conn, unsigned may_lack)
{
    const struct armtap_stream *stream = armtap_conn_stream(conn);
    unsigned lack = 0;
    bool first = true;
    assert_int_equal(stream->bytes_decoded[FROM] + stream->bytes_skipped[FROM] + stream->bytes_lost[FROM],
                     damage->length);
    for (size_t at = damage->begin, i = 0; at + damage->frame <= damage->length; at += damage->frame, i++) {
        if (at + damage->frame <= damage->from) {
            if (!damage->seen[i])
                fail_msg("damage [%zu, %zu): the frame at %zu before it is missing", damage->from, damage->to, at);
        } else if (at >= damage->to) {
            lack += !damage->seen[i];
            if (damage->seen[i] && first && damage->flagged > at)
                fail_msg("damage [%zu, %zu): the frame at %zu is the first after it, and not flagged", damage->from,
                         damage->to, at);
            first = first && !damage->seen[i];
        }
    }
    if (lack > may_lack)
        fail_msg("damage [%zu, %zu): %u whole frames after it are missing", damage->from, damage->to, lack);
    free(damage->seen);
    armtap_conn_free(conn);
}

static void push_all(struct armtap_conn *conn, enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    for (size_t at = 0; at < length; at += 1448)
        assert_int_equal(armtap_conn_push(conn, direction, bytes + at, length - at < 1448 ? length - at : 1448, NULL),
                         ARMTAP_OK);
}

static void check_gap(const struct bytes *bytes, size_t frame, size_t from, size_t lost,
                      const struct armtap_conn_options *options)
{
    size_t to = from + lost < bytes->length ? from + lost : bytes->length;
    struct damage damage = {bytes->at, bytes->length, 0, frame, from, to, NULL, 0, true};
    struct armtap_conn *conn = damage_conn(&damage, options);
    push_all(conn, FROM, bytes->at, from);
    assert_int_equal(armtap_conn_gap(conn, FROM, to - from, NULL), ARMTAP_OK);
    push_all(conn, FROM, bytes->at + to, bytes->length - to);
    assert_int_equal(armtap_conn_close(conn, FROM, NULL), ARMTAP_OK);
    assert_int_equal(armtap_conn_stream(conn)->gaps, 1);
    assert_int_equal(armtap_conn_stream(conn)->bytes_lost[FROM], to - from);
    check_damage(&damage, conn, 1);
}

/* A packet of 540 bytes has no modes: recognising the protocol on any port takes two. */
static void test_gaps_in_realtime_streams(void **unused)
{
    static const size_t sizes[] = {540, 812, 1060, 1220}, losses[] = {1, 7, 8, 600, 1220, 1448, 2896};
    (void)unused;
    for (size_t s = 0; s < 4; s++) {
        struct script script = packets(sizes[s], 7, 0.002);
        for (size_t from = 0; from < script.bytes.length; from += from % sizes[s] < 16 ? 1 : 3 * step)
            for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++)
                check_gap(&script.bytes, sizes[s], from, losses[i], i % 2 && sizes[s] > 540 ? &unknown : &realtime);
        script_free(&script);
    }
}

/* ---- RTDE: a handshake, then data of 24 bytes ---- */

struct rtde_stream {
    struct bytes request, bytes; /* to the robot, from it */
    size_t begin;                /* of the data */
};

static struct rtde_stream rtde_stream(bool with_clock, unsigned count)
{
    struct rtde_stream stream = {.begin = 0};
    bytes_hex(&stream.request, "00 05 56 00 02");
    bytes_list(&stream.request, 'O', HZ125,
               with_clock ? "timestamp,output_int_register_0,runtime_state,output_int_register_1"
                          : "speed_scaling,output_int_register_0,runtime_state,output_int_register_1");
    bytes_hex(&stream.bytes, "00 04 56 01");
    bytes_list(&stream.bytes, 'O', "01", "DOUBLE,INT32,UINT32,INT32");
    stream.begin = stream.bytes.length;
    for (unsigned i = 0; i < count; i++) {
        bytes_hex(&stream.bytes, "00 18 55 01");
        bytes_double(&stream.bytes, with_clock ? 10 + i * 0.002 : 1.0);
        bytes_number(&stream.bytes, 0x00185501, 4); /* a register that always looks like a header */
        bytes_number(&stream.bytes, 2, 4);
        bytes_number(&stream.bytes, i, 4);
    }
    return stream;
}

static void rtde_stream_free(struct rtde_stream *stream)
{
    bytes_free(&stream->request);
    bytes_free(&stream->bytes);
}

static void test_gaps_in_rtde_streams(void **unused)
{
    static const size_t losses[] = {1, 3, 4, 23, 24, 25, 100};
    (void)unused;
    for (int with_clock = 0; with_clock < 2; with_clock++) {
        struct rtde_stream stream = rtde_stream(with_clock, 20);
        const struct bytes *bytes = &stream.bytes;
        for (size_t from = stream.begin; from < bytes->length; from++)
            for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++) {
                size_t to = from + losses[i] < bytes->length ? from + losses[i] : bytes->length;
                struct damage damage = {bytes->at, bytes->length, stream.begin, 24, from, to, NULL, 0, true};
                struct armtap_conn *conn = damage_conn(&damage, &rtde);
                push_all(conn, TO, stream.request.at, stream.request.length);
                push_all(conn, FROM, bytes->at, from);
                assert_int_equal(armtap_conn_gap(conn, FROM, to - from, NULL), ARMTAP_OK);
                push_all(conn, FROM, bytes->at + to, bytes->length - to);
                assert_int_equal(armtap_conn_close(conn, FROM, NULL), ARMTAP_OK);
                check_damage(&damage, conn, 1);
            }
        rtde_stream_free(&stream);
    }
}

static void check_changed_byte(const struct bytes *bytes, const struct bytes *request, size_t begin, size_t frame,
                               size_t at, uint8_t to, const struct armtap_conn_options *options)
{
    struct damage damage = {bytes->at, bytes->length, begin, frame, at, at + 1, NULL, 0, false};
    uint8_t before = bytes->at[at];
    if (before == to)
        return;
    struct armtap_conn *conn = damage_conn(&damage, options);
    if (request)
        push_all(conn, TO, request->at, request->length);
    bytes->at[at] = to;
    push_all(conn, FROM, bytes->at, bytes->length);
    bytes->at[at] = before;
    assert_int_equal(armtap_conn_close(conn, FROM, NULL), ARMTAP_OK);
    damage.flagged = 0; /* a changed value is not a gap */
    check_damage(&damage, conn, 1);
}

static void test_changed_bytes_cost_little(void **unused)
{
    static const uint8_t values[] = {0, 1, 4, 0x55, 0x7f, 0xff};
    struct script script = packets(812, 7, 0.008);
    struct rtde_stream stream = rtde_stream(true, 20);
    (void)unused;
    for (size_t i = 0; i < sizeof values; i++) {
        for (size_t at = 0; at < script.bytes.length; at += at % 812 < 16 ? 1 : 5)
            check_changed_byte(&script.bytes, NULL, 0, 812, at, values[i], &realtime);
        for (size_t at = stream.begin; at < stream.bytes.length; at++)
            check_changed_byte(&stream.bytes, &stream.request, stream.begin, 24, at, values[i], &rtde);
    }
    script_free(&script);
    rtde_stream_free(&stream);
}

/* ---- beginning in mid-stream, with cells that look like headers ---- */

/* Steps of the temperature cell after a digital input cell that holds the packet's size: constant or rising. */
static const double rises[] = {0, -0.01, 0.01, 0.002, 0.008, 0.1, 0.0625, 1};

static struct bytes packets_with_false_chain(size_t size, unsigned count, double cycle, double rise, unsigned every)
{
    struct bytes bytes = {0};
    for (unsigned i = 0; i < count; i++) {
        size_t begin = bytes.length;
        bytes_packet(&bytes, size, 539.952 + cycle * i);
        put_raw_cell(bytes.at + begin, 86, size);
        for (unsigned joint = 0; joint < 6; joint++)
            put_cell(bytes.at + begin, 87 + joint, 30 + joint + rise * (i / every));
    }
    return bytes;
}

static void check_midstream(const struct bytes *bytes, size_t size, size_t start,
                            const struct armtap_conn_options *options)
{
    struct bytes cut = {bytes->at + start, bytes->length - start, 0};
    size_t begin = (size - start) % size;
    struct damage damage = {cut.at, cut.length, begin, size, 0, begin, NULL, 0, true};
    struct armtap_conn *conn = damage_conn(&damage, options);
    push_all(conn, FROM, cut.at, cut.length);
    assert_int_equal(armtap_conn_close(conn, FROM, NULL), ARMTAP_OK);
    if (begin == 0)
        damage.flagged = 0;
    check_damage(&damage, conn, 1);
}

static void test_a_constant_cell_does_not_fool_midstream(void **unused)
{
    static const size_t sizes[] = {812, 1060, 1220};
    struct armtap_conn_options known = realtime;
    (void)unused;
    known.midstream = true;
    for (size_t s = 0; s < 3; s++)
        for (size_t r = 0; r < sizeof rises / sizeof rises[0]; r++)
            for (unsigned every = 1; every <= 4; every += 3) {
                struct bytes bytes = packets_with_false_chain(sizes[s], 8, 0.008, rises[r], every);
                for (size_t start = 0; start < sizes[s]; start += step)
                    check_midstream(&bytes, sizes[s], start, start % 2 ? &known : &midstream);
                bytes_free(&bytes);
            }
}

static void test_a_constant_cell_does_not_fool_after_a_gap(void **unused)
{
    (void)unused;
    for (size_t r = 0; r < sizeof rises / sizeof rises[0]; r++) {
        struct bytes bytes = packets_with_false_chain(1220, 8, 0.002, rises[r], 1);
        for (size_t from = 2440; from < 3660; from += 3) {
            check_gap(&bytes, 1220, from, 500, &realtime);
            check_gap(&bytes, 1220, from, 1448, &realtime);
        }
        bytes_free(&bytes);
    }
}

static void test_rtde_midstream_with_a_given_recipe(void **unused)
{
    struct armtap_conn_options options = rtde;
    struct rtde_stream stream = rtde_stream(true, 20);
    struct armtap_recipe *recipe;
    (void)unused;
    options.midstream = true;
    assert_int_equal(armtap_recipe_rtde("timestamp,output_int_register_0,runtime_state,output_int_register_1",
                                        "DOUBLE,INT32,UINT32,INT32", &recipe),
                     ARMTAP_OK);
    for (size_t start = 0; start < 24; start++) {
        size_t at = stream.begin + start, begin = (24 - start) % 24;
        struct damage damage = {stream.bytes.at + at, stream.bytes.length - at, begin, 24, 0, begin, NULL, 0, false};
        struct armtap_conn *conn = damage_conn(&damage, &options);
        assert_int_equal(armtap_conn_set_recipe(conn, recipe), ARMTAP_OK);
        push_all(conn, FROM, damage.bytes, damage.length);
        assert_int_equal(armtap_conn_close(conn, FROM, NULL), ARMTAP_OK);
        if (begin == 0)
            damage.flagged = 0;
        check_damage(&damage, conn, 1);
    }
    armtap_recipe_release(recipe);
    rtde_stream_free(&stream);
}

/* ---- recognition and roles ---- */

static void test_a_text_does_not_make_a_realtime_connection(void **unused)
{
    struct script script = {.count = 0};
    struct bytes bytes = {0};
    (void)unused;
    bytes_text(&bytes, "GET / HTTP/1.1\r\nHost: robot\r\n\r\n");
    script_add(&script, TO, &bytes);
    bytes.length = 0;
    bytes_text(&bytes, "HTTP/1.1 404 Not Found\r\n\r\n");
    script_add(&script, FROM, &bytes);
    struct log log = script_log(&script, &unknown);
    assert_true(log_has(&log, "stream none v0 unknown"));
    assert_int_equal(log.records[TO] + log.records[FROM], 0);
    log_free(&log);
    script_free(&script);
    bytes_free(&bytes);
}

static void test_roles_the_other_way_round(void **unused)
{
    struct script script = packets(1060, 3, 0.008), turned = {.count = 0};
    (void)unused;
    script_add(&turned, TO, &script.bytes);
    struct log log = script_log(&turned, &unknown);
    assert_int_equal(log.records[FROM], 3);
    assert_true(log_has(&log, "record < @2120 +1060 v1060"));
    log_free(&log);
    script_free(&script);
    script_free(&turned);
    script = rtde_session(2);
    for (size_t i = 0; i < script.count; i++)
        script.parts[i].direction = script.parts[i].direction == TO ? FROM : TO;
    log = script_log(&script, &unknown);
    assert_int_equal(log.records[FROM], 7);
    assert_int_equal(log.records[TO], 4);
    assert_true(log_has(&log, "recipe < id1 125 Hz timestamp:DOUBLE my_own:UINT32?\n"));
    log_free(&log);
    script_free(&script);
}

static void test_foreign_protocols_are_left_alone(void **unused)
{
    static const char *const first[] = {
        "00 00 02 2f 10 00 00 00 2f 00 00 00 00 02 fb ee", /* primary interface: robot state */
        "16 03 01 02 00 01 00 01 fc 03 03",                /* TLS */
        "7b 22 6a 73 6f 6e 72 70 63 22 3a 22 32 2e 30 22", /* JSON-RPC */
    };
    (void)unused;
    for (size_t i = 0; i < 3; i++)
        for (int protocol = 0; protocol < 2; protocol++) {
            struct script script = {.count = 0};
            struct bytes bytes = {0};
            for (unsigned k = 0; k < 300; k++) {
                bytes_hex(&bytes, first[i]);
                bytes_number(&bytes, k * 7, 2);
            }
            script_add(&script, FROM, &bytes);
            struct log log = script_log(&script, protocol ? &rtde : &realtime);
            assert_int_equal(log.records[FROM], 0);
            assert_int_equal(log_count(&log, "note < stream.foreign"), 1);
            assert_int_equal(log.notes, 1);
            assert_true(log_has(&log, "stream none v0"));
            log_free(&log);
            script_free(&script);
            bytes_free(&bytes);
        }
}

/* ---- where, stopping, arguments ---- */

static void test_a_record_names_the_packet_of_its_last_byte(void **unused)
{
    /* pieces of two packets of 540 bytes: end, packet number; the third piece was captured before the second */
    static const struct {
        size_t end;
        uint64_t packet;
    } pieces[] = {{100, 11}, {200, 13}, {540, 12}, {600, 14}, {1080, 15}};
    struct script script = packets(540, 2, 0.008);
    struct armtap_sink sink = log_sink();
    struct log log = {.values = true};
    struct armtap_conn *conn;
    size_t at = 0;
    (void)unused;
    assert_int_equal(armtap_conn_new(&realtime, &sink, &log, &conn), ARMTAP_OK);
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        struct armtap_where where = {
            .size = sizeof where, .time = 1000 * (int64_t)pieces[i].packet, .packet = pieces[i].packet};
        assert_int_equal(armtap_conn_push(conn, FROM, script.bytes.at + at, pieces[i].end - at, &where), ARMTAP_OK);
        at = pieces[i].end;
    }
    assert_true(log_has(&log, "record < @0 +540 v540 id0 packet 12 read 13 "));
    assert_true(log_has(&log, "record < @540 +540 v540 id0 packet 15 "));
    assert_int_equal(armtap_conn_stream(conn)->last.packet, 15);
    armtap_conn_free(conn);
    log_free(&log);
    script_free(&script);
}

/* Behind 4096 pieces the last place stands for all others: it stays that of the latest packet. */
static void test_very_many_pieces_have_the_latest_packet(void **unused)
{
    enum { PIECES = 5000, EARLIER = 20 };
    static const struct {
        uint64_t last, completed_by;
    } cases[] = {{PIECES, PIECES}, {EARLIER, PIECES - 1}};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct armtap_sink sink = log_sink();
        struct log log = {.values = true};
        struct script script = packets(540, 1, 0.008);
        struct armtap_conn *conn;
        char told[32];
        assert_int_equal(armtap_conn_new(&realtime, &sink, &log, &conn), ARMTAP_OK);
        assert_int_equal(armtap_conn_push(conn, FROM, script.bytes.at, 540, NULL), ARMTAP_OK);
        for (uint64_t packet = 1; packet <= PIECES; packet++) {
            struct armtap_where where = {.size = sizeof where, .packet = packet < PIECES ? packet : cases[i].last};
            const char *byte = packet < PIECES ? "a" : "\n";
            assert_int_equal(armtap_conn_push(conn, TO, (const uint8_t *)byte, 1, &where), ARMTAP_OK);
        }
        snprintf(told, sizeof told, " packet %u ", (unsigned)cases[i].completed_by);
        assert_true(log_has(&log, told));
        armtap_conn_free(conn);
        script_free(&script);
        log_free(&log);
    }
}

/* A first packet of a size that no robot is known for, or of another size than the one before, waits for what follows.
 */
static void test_packets_of_odd_sizes_wait_for_the_next(void **unused)
{
    static const struct {
        size_t first, second;
        int at_once;
    } cases[] = {{812, 812, 2}, {812, 540, 1}, {101, 101, 0}};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct armtap_sink sink = log_sink();
        struct log log = {.values = false};
        struct bytes bytes = {0};
        struct armtap_conn *conn;
        assert_int_equal(armtap_conn_new(&realtime, &sink, &log, &conn), ARMTAP_OK);
        bytes_packet(&bytes, cases[i].first, 100);
        assert_int_equal(armtap_conn_push(conn, FROM, bytes.at, bytes.length, NULL), ARMTAP_OK);
        bytes.length = 0;
        if (cases[i].at_once > 0) {
            bytes_packet(&bytes, cases[i].second, 100.008);
            assert_int_equal(armtap_conn_push(conn, FROM, bytes.at, bytes.length, NULL), ARMTAP_OK);
        }
        assert_int_equal(log.records[FROM], cases[i].at_once);
        armtap_conn_free(conn);
        bytes_free(&bytes);
        log_free(&log);
    }
}

static int see_recognised(void *user, const struct armtap_event *event)
{
    uint64_t *packet = user;
    if (event->type == ARMTAP_EVENT_RECOGNISED)
        *packet = event->where.packet;
    return 0;
}

/* The event names this packet, not the one in which the protocol was recognised, which depends on the pieces. */
static void test_a_protocol_is_recognised_where_its_first_byte_came(void **unused)
{
    static const size_t pieces[] = {100, 7, 1};
    struct armtap_sink sink = {.size = sizeof sink, .on_event = see_recognised};
    struct script script = packets(812, 3, 0.008);
    (void)unused;
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        uint64_t packet = 0;
        struct armtap_conn *conn;
        assert_int_equal(armtap_conn_new(&midstream, &sink, &packet, &conn), ARMTAP_OK);
        for (size_t at = 0, next; at < script.bytes.length; at = next) {
            struct armtap_where where = {.size = sizeof where, .packet = 11 + at / 100};
            size_t end = (at / 100 + 1) * 100 < script.bytes.length ? (at / 100 + 1) * 100 : script.bytes.length;
            next = at + pieces[i] < end ? at + pieces[i] : end;
            assert_int_equal(armtap_conn_push(conn, FROM, script.bytes.at + at, next - at, &where), ARMTAP_OK);
        }
        assert_int_equal(packet, 11);
        armtap_conn_free(conn);
    }
    script_free(&script);
}

static void test_callbacks_can_stop_a_push(void **unused)
{
    struct script script = packets(540, 2, 0.008);
    struct armtap_sink sink = log_sink();
    struct log log = {.values = true, .stop = 1};
    struct armtap_conn *conn;
    (void)unused;
    assert_int_equal(armtap_conn_new(&realtime, &sink, &log, &conn), ARMTAP_OK);
    assert_int_equal(armtap_conn_push(conn, FROM, script.bytes.at, 1080, NULL), ARMTAP_ERR_STOPPED);
    assert_int_equal(log_count(&log, "\n"), 1);
    armtap_conn_free(conn);
    log_free(&log);
    script_free(&script);
}

static int count_record(void *user, const struct armtap_record *record)
{
    (void)record;
    ++*(unsigned *)user;
    return 0;
}

static void test_sinks_and_options_may_be_smaller(void **unused)
{
    struct script script = packets(540, 2, 0.008);
    struct armtap_sink old = {.size = offsetof(struct armtap_sink, on_recipe), .on_record = count_record};
    struct armtap_conn *conn;
    unsigned records = 0;
    (void)unused;
    assert_int_equal(armtap_conn_new(NULL, &old, &records, &conn), ARMTAP_OK);
    assert_int_equal(armtap_conn_push(conn, FROM, script.bytes.at, 1080, NULL), ARMTAP_OK);
    assert_int_equal(armtap_conn_close(conn, FROM, NULL), ARMTAP_OK);
    assert_int_equal(records, 2);
    armtap_conn_free(conn);
    assert_int_equal(armtap_conn_new(NULL, NULL, NULL, &conn), ARMTAP_OK); /* delimits and counts */
    assert_int_equal(armtap_conn_push(conn, FROM, script.bytes.at, 1080, NULL), ARMTAP_OK);
    assert_int_equal(armtap_conn_stream(conn)->records[FROM], 2);
    armtap_conn_free(conn);
    script_free(&script);
}

/* Bytes after the last message are counted and reported. */
static void test_a_tail_that_is_no_message(void **unused)
{
    struct script script = {0};
    struct bytes bytes = {0};
    (void)unused;
    bytes_packet(&bytes, 1060, 10.0);
    bytes_packet(&bytes, 1060, 10.008);
    for (int i = 0; i < 3000; i++)
        bytes_hex(&bytes, "ee");
    script_add(&script, ARMTAP_FROM_ROBOT, &bytes);
    struct log log = script_log(&script, NULL);
    assert_int_equal(log.records[ARMTAP_FROM_ROBOT], 2);
    assert_true(log_has(&log, "note < stream.resync: bytes=3000 direction=from-robot offset=5120 case=last\n"));
    log_free(&log);
    script_free(&script);
    bytes_free(&bytes);
}

static void test_bytes_before_a_gap_that_are_no_message(void **unused)
{
    struct armtap_sink sink = log_sink();
    struct log log = {0};
    struct bytes bytes = {0};
    struct armtap_conn *conn;
    (void)unused;
    bytes_packet(&bytes, 1060, 10.0);
    bytes_packet(&bytes, 1060, 10.008);
    for (int i = 0; i < 3000; i++)
        bytes_hex(&bytes, "ee");
    assert_int_equal(armtap_conn_new(NULL, &sink, &log, &conn), ARMTAP_OK);
    push_all(conn, FROM, bytes.at, bytes.length);
    assert_int_equal(armtap_conn_gap(conn, FROM, 100, NULL), ARMTAP_OK);
    assert_true(log_has(&log, "note < stream.resync: bytes=3000 direction=from-robot offset=5120 case=before-gap\n"));
    armtap_conn_free(conn);
    log_free(&log);
    bytes_free(&bytes);
}

static struct armtap_where at_packet(uint64_t packet)
{
    return (struct armtap_where){.size = sizeof(struct armtap_where), .time = ARMTAP_NO_TIME, .packet = packet};
}

/* Where notes of skipped bytes are, and what is said of those bytes. */
struct skips {
    uint64_t notes[8];
    size_t note_count, whole[8], whole_count;
};

static int take_note(void *user, const struct armtap_note *note)
{
    struct skips *skips = user;
    if (strcmp(note->kind->id, "stream.resync") == 0 && skips->note_count < 8)
        skips->notes[skips->note_count++] = note->where.packet;
    return 0;
}

static int take_message(void *user, const struct armtap_message *message)
{
    struct skips *skips = user;
    if (message->skipped && skips->whole_count < 8)
        skips->whole[skips->whole_count++] = message->whole;
    return 0;
}

/* Packets of which a capture has only the first 100 bytes: each head says how long the message is, so that each gives a
 * record of the fields that are there. Only where a byte more is missing, which the snapshot length did not take, the
 * message is skipped, and that is told where it begins. */
static void test_messages_that_are_cut(void **unused)
{
    static const size_t kept = 100, size = 1060;
    struct skips skips = {.note_count = 0};
    struct armtap_sink sink = {.size = sizeof sink, .on_note = take_note, .on_message = take_message};
    struct bytes bytes = {0};
    struct armtap_conn *conn;
    struct armtap_where where;
    (void)unused;
    for (int i = 0; i < 3; i++)
        bytes_packet(&bytes, 1060, 10.0 + i * 0.008);
    assert_int_equal(armtap_conn_new(&realtime, &sink, &skips, &conn), ARMTAP_OK);
    for (uint64_t packet = 1; packet <= 6; packet++) {
        where = at_packet(packet);
        size_t length = packet <= 2 ? size : kept, from = packet <= 2 ? (size_t)(size * (packet - 1)) : size * 2;
        assert_int_equal(armtap_conn_push(conn, FROM, bytes.at + from, length, &where), ARMTAP_OK);
        if (packet > 2) /* behind the fifth more is missing than the rest of its message */
            assert_int_equal(armtap_conn_miss(conn, FROM, size - kept + (packet == 5),
                                              packet == 5 ? ARMTAP_MISSING_LOST : ARMTAP_MISSING_CUT, &where),
                             ARMTAP_OK);
    }
    where = at_packet(7);
    assert_int_equal(armtap_conn_close(conn, FROM, &where), ARMTAP_OK);
    assert_int_equal(armtap_conn_stream(conn)->gaps, 4);
    assert_int_equal(armtap_conn_stream(conn)->gaps_cut, 3);
    assert_int_equal(armtap_conn_stream(conn)->records[FROM], 5);
    assert_int_equal(armtap_conn_stream(conn)->bytes_decoded[FROM], 2 * size + 3 * kept);
    assert_int_equal(armtap_conn_stream(conn)->bytes_skipped[FROM], kept);
    assert_int_equal(armtap_conn_stream(conn)->bytes_lost[FROM], 4 * (size - kept) + 1);
    assert_int_equal(skips.note_count, 1);
    assert_int_equal(skips.notes[0], 5);
    assert_int_equal(skips.whole_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(skips.whole[i], size);
    armtap_conn_free(conn);
    bytes_free(&bytes);
}

/* When the pool is exhausted, a connection drops its waiting bytes, counts them, and resynchronises. */
static void test_a_dry_pool_bounds_what_waits(void **unused)
{
    size_t used = 0;
    struct armtap_conn_setup setup = {.pool_used = &used, .pool_limit = 8192, .protocol = ARMTAP_RTDE};
    struct armtap_sink sink = log_sink();
    struct log log = {0};
    struct armtap_conn *conn;
    uint8_t piece[1000] = {0xf0, 0x00, 'U'}; /* announces 61440 bytes, more than the pool has */
    (void)unused;
    assert_int_equal(armtap_conn_create(&setup, &sink, &log, &conn), ARMTAP_OK);
    assert_int_equal(armtap_conn_push(conn, ARMTAP_TO_ROBOT, "\0\5V\0\2", 5, NULL), ARMTAP_OK);
    assert_int_equal(armtap_conn_push(conn, ARMTAP_FROM_ROBOT, "\0\4V\1", 4, NULL), ARMTAP_OK);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(armtap_conn_push(conn, ARMTAP_FROM_ROBOT, piece, sizeof piece, NULL), ARMTAP_OK);
        memset(piece, 0xee, 3);
        assert_in_range(used, 0, setup.pool_limit);
    }
    const struct armtap_stream *stream = armtap_conn_stream(conn);
    assert_in_range(stream->bytes_skipped[ARMTAP_FROM_ROBOT], 4000, 20000);
    assert_int_equal(armtap_conn_close(conn, ARMTAP_FROM_ROBOT, NULL), ARMTAP_OK);
    assert_int_equal(stream->bytes_decoded[ARMTAP_FROM_ROBOT] + stream->bytes_skipped[ARMTAP_FROM_ROBOT], 20004);
    armtap_conn_free(conn);
    assert_int_equal(used, 0);
    log_free(&log);
}

static void test_directions_and_protocols_are_checked(void **unused)
{
    struct armtap_conn_options options = {.size = sizeof options, .protocol = (enum armtap_protocol)77};
    struct armtap_sink sink = log_sink();
    struct log log = {0};
    struct armtap_conn *conn;
    (void)unused;
    assert_int_equal(armtap_conn_new(&options, &sink, &log, &conn), ARMTAP_ERR_UNSUPPORTED);
    assert_int_equal(armtap_conn_new(NULL, &sink, &log, &conn), ARMTAP_OK);
    assert_int_equal(armtap_conn_push(conn, (enum armtap_direction)2, "x", 1, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_conn_gap(conn, (enum armtap_direction) - 1, 1, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_conn_close(conn, (enum armtap_direction)5, NULL), ARMTAP_ERR_ARGUMENT);
    armtap_conn_free(conn);
}

static void test_arguments_are_checked(void **unused)
{
    struct armtap_conn *conn;
    (void)unused;
    assert_int_equal(armtap_conn_new(NULL, NULL, NULL, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_conn_new(NULL, NULL, NULL, &conn), ARMTAP_OK);
    assert_int_equal(armtap_conn_push(conn, FROM, NULL, 1, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_conn_push(conn, FROM, NULL, 0, NULL), ARMTAP_OK);
    assert_int_equal(armtap_conn_push(NULL, FROM, "", 1, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_conn_gap(NULL, FROM, 1, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_conn_gap(conn, FROM, 0, NULL), ARMTAP_OK);
    assert_int_equal(armtap_conn_stream(conn)->gaps, 0);
    assert_int_equal(armtap_conn_close(NULL, FROM, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_conn_set_recipe(NULL, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_conn_set_recipe(conn, NULL), ARMTAP_OK);
    armtap_conn_free(conn);
    armtap_conn_free(NULL);
}

static int keep_length(void *user, const struct armtap_record *record)
{
    *(size_t *)user = *(size_t *)user * 1000 + record->frame_length;
    return 0;
}

/* External Control's driver sends words without a header: the port that it listens on tells what they are. */
static void test_the_port_tells_what_external_control_sends(void **unused)
{
    static const struct {
        const char *client;
        enum armtap_protocol protocol;
        size_t lengths; /* of the records */
    } rows[] = {
        {"10.0.0.9:50003", ARMTAP_EXTERNAL_CONTROL, 84},     {"10.0.0.9:50003", ARMTAP_PROTOCOL_NONE, 84},
        {"[fd00::9]:50003", ARMTAP_EXTERNAL_CONTROL, 84},    {"10.0.0.9:50001", ARMTAP_EXTERNAL_CONTROL, 32032},
        {"10.0.0.9:500030", ARMTAP_EXTERNAL_CONTROL, 32032}, {"10.0.0.9", ARMTAP_EXTERNAL_CONTROL, 32032},
        {"10.0.0.9:x", ARMTAP_EXTERNAL_CONTROL, 32032},
    };
    const struct armtap_sink sink = {.size = sizeof sink, .on_record = keep_length};
    uint8_t point[84] = {0};
    (void)unused;
    point[4 * 8 + 1] = 1; /* the word that an early driver's shorter point has for its type */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct armtap_conn_options options = {
            .size = sizeof options, .protocol = rows[i].protocol, .robot = "10.0.0.2:41000", .client = rows[i].client};
        struct armtap_conn *conn;
        size_t lengths = 0;
        assert_int_equal(armtap_conn_new(&options, &sink, &lengths, &conn), ARMTAP_OK);
        assert_int_equal(armtap_conn_push(conn, ARMTAP_TO_ROBOT, point, sizeof point, NULL), ARMTAP_OK);
        assert_int_equal(armtap_conn_close(conn, ARMTAP_TO_ROBOT, NULL), ARMTAP_OK);
        assert_int_equal(lengths, rows[i].lengths);
        armtap_conn_free(conn);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_port_tells_what_external_control_sends),
        cmocka_unit_test(test_cb2_packets_in_any_chunks),
        cmocka_unit_test(test_cb3_packets_in_any_chunks),
        cmocka_unit_test(test_packets_of_other_sizes_in_any_chunks),
        cmocka_unit_test(test_script_to_the_robot_in_any_chunks),
        cmocka_unit_test(test_rtde_sessions_in_any_chunks),
        cmocka_unit_test(test_odd_set_ups_in_any_chunks),
        cmocka_unit_test(test_an_unknown_type_in_any_chunks),
        cmocka_unit_test(test_data_without_a_handshake_in_any_chunks),
        cmocka_unit_test(test_foreign_bytes_in_any_chunks),
        cmocka_unit_test(test_a_little_more_than_enough_in_any_chunks),
        cmocka_unit_test(test_requests_behind_foreign_bytes_in_any_chunks),
        cmocka_unit_test(test_telemetry_late_behind_foreign_bytes_in_any_chunks),
        cmocka_unit_test(test_late_without_telemetry),
        cmocka_unit_test(test_data_before_a_false_set_up_in_any_chunks),
        cmocka_unit_test(test_gaps_in_realtime_streams),
        cmocka_unit_test(test_gaps_in_rtde_streams),
        cmocka_unit_test(test_changed_bytes_cost_little),
        cmocka_unit_test(test_a_constant_cell_does_not_fool_midstream),
        cmocka_unit_test(test_a_constant_cell_does_not_fool_after_a_gap),
        cmocka_unit_test(test_rtde_midstream_with_a_given_recipe),
        cmocka_unit_test(test_a_text_does_not_make_a_realtime_connection),
        cmocka_unit_test(test_roles_the_other_way_round),
        cmocka_unit_test(test_foreign_protocols_are_left_alone),
        cmocka_unit_test(test_a_record_names_the_packet_of_its_last_byte),
        cmocka_unit_test(test_very_many_pieces_have_the_latest_packet),
        cmocka_unit_test(test_packets_of_odd_sizes_wait_for_the_next),
        cmocka_unit_test(test_a_protocol_is_recognised_where_its_first_byte_came),
        cmocka_unit_test(test_callbacks_can_stop_a_push),
        cmocka_unit_test(test_sinks_and_options_may_be_smaller),
        cmocka_unit_test(test_a_tail_that_is_no_message),
        cmocka_unit_test(test_messages_that_are_cut),
        cmocka_unit_test(test_bytes_before_a_gap_that_are_no_message),
        cmocka_unit_test(test_a_dry_pool_bounds_what_waits),
        cmocka_unit_test(test_directions_and_protocols_are_checked),
        cmocka_unit_test(test_arguments_are_checked),
    };
    pair_step = CUTS / share_of(CUTS, 1, "pairs of cuts");
    step = PLACES / share_of(PLACES, 1, "places");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
