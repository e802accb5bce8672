/* Only the reassembler: segments in, one line of text per direction out. Bytes stand for themselves, <n> is a gap of n
 * bytes, | the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tcp/tcp.h"
#include "tcp/tcp_deliver.h"

#define MS INT64_C(1000000)

struct scene {
    struct armtap_pool pool;
    struct armtap_tcp tcp;
    char *out[2];
    size_t used[2], room[2];
    uint64_t gaps[2], lost[2], cut[2], unheard[2], bytes[2];
    char events[8192];
    int64_t time;
    uint64_t packet;
    uint16_t ip_id;
    unsigned overlaps, cuts, aparts;
    int fail_after; /* pushes; 0: never */
    struct armtap_where last_where;
};

static void put(struct scene *scene, enum armtap_direction direction, const void *bytes, size_t length)
{
    if (scene->used[direction] + length + 1 > scene->room[direction]) {
        scene->room[direction] = 2 * (scene->used[direction] + length + 1);
        scene->out[direction] = realloc(scene->out[direction], scene->room[direction]);
        assert_non_null(scene->out[direction]);
    }
    memcpy(scene->out[direction] + scene->used[direction], bytes, length);
    scene->used[direction] += length;
    scene->out[direction][scene->used[direction]] = '\0';
}

static int on_push(void *user, enum armtap_direction direction, const uint8_t *bytes, size_t length,
                   const struct armtap_where *where)
{
    struct scene *scene = user;
    assert_true(length > 0);
    put(scene, direction, bytes, length);
    scene->bytes[direction] += length;
    scene->last_where = *where;
    return scene->fail_after && --scene->fail_after == 0 ? ARMTAP_ERR_STOPPED : 0;
}

static int on_gap(void *user, enum armtap_direction direction, uint64_t length, enum armtap_missing_why why,
                  const struct armtap_where *where)
{
    struct scene *scene = user;
    char text[32];
    assert_true(length > 0);
    snprintf(text, sizeof text, "<%llu>", (unsigned long long)length);
    put(scene, direction, text, strlen(text));
    scene->gaps[direction]++;
    scene->lost[direction] += length;
    scene->cut[direction] += why == ARMTAP_MISSING_CUT ? length : 0;
    scene->unheard[direction] += why == ARMTAP_MISSING_UNHEARD ? length : 0;
    scene->last_where = *where;
    return 0;
}

static int on_close(void *user, enum armtap_direction direction, const struct armtap_where *where)
{
    (void)where;
    put(user, direction, "|", 1);
    return 0;
}

static int on_event(void *user, enum armtap_direction direction, enum armtap_event_type type, uint64_t a,
                    const struct armtap_where *where)
{
    static const char *const names[] = {
        [ARMTAP_EVENT_CLOSE] = "close",    [ARMTAP_EVENT_RETRANSMISSION] = "again",
        [ARMTAP_EVENT_DUPLICATE] = "copy", [ARMTAP_EVENT_OUT_OF_ORDER] = "late",
        [ARMTAP_EVENT_WINDOW] = "window",  [ARMTAP_EVENT_KEEP_ALIVE] = "alive",
    };
    struct scene *scene = user;
    size_t used = strlen(scene->events);
    assert_non_null(names[type]);
    assert_int_equal(where->packet, scene->packet);
    snprintf(scene->events + used, sizeof scene->events - used, "%s%d=%llu ", names[type], (int)direction,
             (unsigned long long)a);
    return 0;
}

/* A close by a FIN that waited carries the FIN's packet, so only other closes are checked for the current packet. */
static int on_any_event(void *user, enum armtap_direction direction, enum armtap_event_type type, uint64_t a,
                        const struct armtap_where *where)
{
    struct scene *scene = user;
    struct armtap_where now = *where;
    if (type == ARMTAP_EVENT_CLOSE) {
        assert_true(where->packet <= scene->packet);
        now.packet = scene->packet;
    }
    return on_event(user, direction, type, a, &now);
}

static int on_arrival(void *user, enum armtap_direction direction, enum armtap_event_type type, uint64_t bytes,
                      bool doubtful, const struct armtap_where *where)
{
    struct scene *scene = user;
    int error = on_any_event(user, direction, type, bytes, where);
    if (type == ARMTAP_EVENT_WINDOW && doubtful)
        scene->events[strlen(scene->events) - 1] = '?';
    return error;
}

static int on_note(void *user, enum armtap_direction direction, enum armtap_note_code code,
                   const struct armtap_where *where, const struct armtap_arguments *arguments)
{
    struct scene *scene = user;
    (void)direction;
    (void)where;
    assert_true(arguments->count > 0);
    scene->overlaps += code == ARMTAP_NOTE_tcp_overlap_differs;
    scene->cuts += code == ARMTAP_NOTE_capture_truncated;
    scene->aparts += code == ARMTAP_NOTE_capture_clocks_apart;
    return 0;
}

static const struct armtap_tcp_calls calls = {on_push, on_gap, on_close, on_any_event, on_arrival, on_note};

static void scene_begin(struct scene *scene, size_t pool_bytes)
{
    memset(scene, 0, sizeof *scene);
    armtap_pool_init(&scene->pool, pool_bytes);
    armtap_tcp_init(&scene->tcp, &scene->pool, &calls, scene);
    put(scene, ARMTAP_FROM_ROBOT, "", 0);
    put(scene, ARMTAP_TO_ROBOT, "", 0);
    scene->time = 1000000 * MS;
    scene->ip_id = 100;
}

static void scene_end(struct scene *scene)
{
    armtap_tcp_clear(&scene->tcp);
    assert_int_equal(scene->pool.used, 0);
    assert_int_equal(scene->pool.waiting, 0);
    assert_int_equal(scene->pool.histories, 0);
    assert_null(scene->pool.ring);
    for (int i = 0; i < 48; i++)
        assert_null(scene->pool.by_size[i]);
    free(scene->out[0]);
    free(scene->out[1]);
}

/* Captures a packet `ms` after the previous one. */
static int arrive(struct scene *scene, int64_t ms, enum armtap_direction direction,
                  const struct armtap_segment *segment)
{
    scene->time += ms * MS;
    scene->packet++;
    scene->pool.packets++;
    scene->pool.now.time = scene->time;
    scene->pool.now.packet = scene->packet;
    int error = armtap_tcp_segment(&scene->tcp, direction, segment);
    return error ? error : armtap_tcp_sweep(&scene->pool);
}

static struct armtap_segment segment_of(struct scene *scene, uint32_t seq, const char *text)
{
    struct armtap_segment segment = {.seq = seq,
                                     .flags = ARMTAP_TCP_ACK,
                                     .window = 10000,
                                     .window_scale = -1,
                                     .ip_id = scene->ip_id++,
                                     .payload = (const uint8_t *)text,
                                     .length = strlen(text)};
    return segment;
}

static void syn(struct scene *scene, enum armtap_direction direction, uint32_t isn, int scale)
{
    struct armtap_segment segment = segment_of(scene, isn, "");
    segment.flags = ARMTAP_TCP_SYN;
    segment.window_scale = scale;
    assert_int_equal(arrive(scene, 1, direction, &segment), 0);
}

/* Bytes from the robot, 1 ms after the previous packet, without a useful acknowledgement. */
static void data(struct scene *scene, uint32_t seq, const char *text)
{
    struct armtap_segment segment = segment_of(scene, seq, text);
    segment.flags = 0;
    assert_int_equal(arrive(scene, 1, ARMTAP_FROM_ROBOT, &segment), 0);
}

/* The same, sent as the `ip_id`-th packet. */
static void data_of(struct scene *scene, uint16_t ip_id, uint32_t seq, const char *text)
{
    uint16_t next = scene->ip_id;
    scene->ip_id = ip_id;
    data(scene, seq, text);
    scene->ip_id = next;
}

static void ack(struct scene *scene, int64_t ms, uint32_t number)
{
    struct armtap_segment segment = segment_of(scene, 77, "");
    segment.ack = number;
    assert_int_equal(arrive(scene, ms, ARMTAP_TO_ROBOT, &segment), 0);
}

static void fin(struct scene *scene, enum armtap_direction direction, uint32_t seq, const char *text)
{
    struct armtap_segment segment = segment_of(scene, seq, text);
    segment.flags = ARMTAP_TCP_FIN;
    assert_int_equal(arrive(scene, 1, direction, &segment), 0);
}

/* Packets of the capture that do not concern this connection. */
static void others(struct scene *scene, unsigned count, int64_t ms)
{
    for (unsigned i = 0; i < count; i++) {
        scene->pool.packets++;
        scene->packet++;
        if (i == count - 1)
            scene->time += ms * MS;
        scene->pool.now.time = scene->time;
        scene->pool.now.packet = scene->packet;
        assert_int_equal(armtap_tcp_sweep(&scene->pool), 0);
    }
}

static void finish(struct scene *scene)
{
    assert_int_equal(armtap_tcp_finish(&scene->tcp, ARMTAP_FROM_ROBOT, ARMTAP_CLOSE_END_OF_CAPTURE), 0);
    assert_true(armtap_tcp_is_closed(&scene->tcp));
}

#define assert_out(scene, text) assert_string_equal((scene)->out[ARMTAP_FROM_ROBOT], text)
#define assert_events(scene, text) assert_string_equal((scene)->events, text)

/* Begins with the robot's SYN; its first byte has sequence number 1000. */
static void begin_open(struct scene *scene)
{
    scene_begin(scene, 1 << 20);
    syn(scene, ARMTAP_FROM_ROBOT, 999, -1);
}

/* A SYN that comes again half a second later was sent again, so its acknowledgement measures nothing; before, it is a
 * copy. */
static void test_syn_again(void **state)
{
    (void)state;
    for (int ms = 499; ms <= 500; ms++) {
        struct scene s;
        begin_open(&s);
        struct armtap_segment segment = segment_of(&s, 999, "");
        segment.flags = ARMTAP_TCP_SYN;
        assert_int_equal(arrive(&s, ms, ARMTAP_FROM_ROBOT, &segment), 0);
        ack(&s, 1, 1000);
        assert_int_equal(armtap_sender_round_trip(&s.tcp.side[ARMTAP_FROM_ROBOT].sender), ms < 500 ? (ms + 1) * MS : 0);
        scene_end(&s);
    }
}

/* A segment that came late is remembered as such: what equals it tells less. */
static void test_late_ones_are_remembered(void **state)
{
    struct scene s;
    (void)state;
    begin_open(&s);
    data(&s, 1000, "abc");
    s.ip_id++;
    data(&s, 1006, "ghi");
    data_of(&s, (uint16_t)(s.ip_id - 2), 1003, "def");
    assert_out(&s, "abcdefghi");
    assert_non_null(strstr(s.events, "late0=3"));
    const struct armtap_history *history = s.tcp.side[ARMTAP_FROM_ROBOT].history;
    assert_non_null(history);
    assert_int_equal(history->count, 3);
    for (unsigned i = 0; i < history->count; i++)
        assert_int_equal(armtap_history_segment(history, i)->late, i == 2);
    scene_end(&s);
}

/* ---- order ----------------------------------------------------------------------------------------------------- */

static void test_in_order(void **state)
{
    struct scene s;
    (void)state;
    begin_open(&s);
    data(&s, 1000, "abc");
    assert_out(&s, "abc");
    data(&s, 1003, "def");
    assert_out(&s, "abcdef");
    assert_int_equal(s.pool.used, 0);
    fin(&s, ARMTAP_FROM_ROBOT, 1006, "gh");
    assert_out(&s, "abcdefgh|");
    assert_events(&s, "close0=0 ");
    fin(&s, ARMTAP_TO_ROBOT, 5, "");
    assert_true(armtap_tcp_is_closed(&s.tcp));
    assert_events(&s, "close0=0 close1=0 ");
    scene_end(&s);
}

static void test_reorder(void **state)
{
    struct scene s;
    (void)state;
    begin_open(&s);
    data_of(&s, 204, 1009, "jkl");
    data_of(&s, 203, 1006, "ghi");
    assert_out(&s, "");
    assert_true(s.pool.used > 6);
    assert_int_equal(s.pool.waiting, 1);
    data_of(&s, 201, 1000, "abc");
    assert_out(&s, "abc");
    data_of(&s, 202, 1003, "def");
    assert_out(&s, "abcdefghijkl");
    assert_int_equal(s.last_where.packet, 2); /* the last bytes came with the first packet after the SYN */
    assert_events(&s, "late0=3 late0=3 late0=3 ");
    assert_int_equal(s.pool.used, 0);
    scene_end(&s);
}

static void test_wrap(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s, 1 << 20);
    syn(&s, ARMTAP_FROM_ROBOT, 0xfffffffcU, -1);
    data(&s, 0xfffffffdU, "abcd");
    data(&s, 4, "hij");
    data(&s, 1, "efg");
    assert_out(&s, "abcdefghij");
    scene_end(&s);
}

static void test_midstream_waits_for_earlier_bytes(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s, 1 << 20);
    data(&s, 1003, "def");
    data(&s, 1000, "abc");
    assert_out(&s, "");
    others(&s, 40, 10);
    assert_out(&s, "");
    others(&s, 1, 40);
    assert_out(&s, "abcdef");
    data(&s, 1006, "ghi");
    assert_out(&s, "abcdefghi");
    data(&s, 990, "0123");
    assert_out(&s, "abcdefghi");
    scene_end(&s);
}

static void test_midstream_where_the_peer_acknowledged(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s, 1 << 20);
    ack(&s, 1, 1000);
    data(&s, 1000, "abc");
    assert_out(&s, "abc");
    scene_end(&s);
}

static void test_syn_behind_its_data(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s, 1 << 20);
    data(&s, 1003, "def");
    struct armtap_segment segment = segment_of(&s, 999, "");
    segment.flags = ARMTAP_TCP_SYN;
    assert_false(armtap_tcp_is_other(&s.tcp, ARMTAP_FROM_ROBOT, &segment));
    syn(&s, ARMTAP_FROM_ROBOT, 999, -1);
    assert_out(&s, "");
    data(&s, 1000, "abc");
    assert_out(&s, "abcdef");
    assert_false(armtap_tcp_is_other(&s.tcp, ARMTAP_FROM_ROBOT, &segment));
    scene_end(&s);
}

/* ---- repeated bytes -------------------------------------------------------------------------------------------- */

static void test_copies_and_retransmissions(void **state)
{
    struct scene s;
    (void)state;
    begin_open(&s);
    struct armtap_segment segment = segment_of(&s, 1000, "abc");
    segment.flags = 0;
    arrive(&s, 1, ARMTAP_FROM_ROBOT, &segment);
    arrive(&s, 0, ARMTAP_FROM_ROBOT, &segment);
    assert_events(&s, "copy0=3 ");
    arrive(&s, 30, ARMTAP_FROM_ROBOT, &segment); /* the same IP id, delayed */
    assert_events(&s, "copy0=3 copy0=3 ");
    segment.ip_id++; /* at once, but another IP id */
    arrive(&s, 0, ARMTAP_FROM_ROBOT, &segment);
    assert_events(&s, "copy0=3 copy0=3 again0=3 ");
    assert_out(&s, "abc");
    assert_int_equal(s.overlaps, 0);
    scene_end(&s);
}

static void test_copy_of_what_waits(void **state)
{
    struct scene s;
    (void)state;
    begin_open(&s);
    struct armtap_segment segment = segment_of(&s, 1003, "def");
    segment.flags = 0;
    arrive(&s, 1, ARMTAP_FROM_ROBOT, &segment);
    arrive(&s, 0, ARMTAP_FROM_ROBOT, &segment);
    assert_events(&s, "copy0=3 ");
    data(&s, 1000, "abc");
    assert_out(&s, "abcdef");
    scene_end(&s);
}

static void test_overlap_first_copy_wins(void **state)
{
    struct scene s;
    (void)state;
    begin_open(&s);
    data(&s, 1004, "efgh");
    data(&s, 1002, "cdEF"); /* overlaps waiting bytes, with different ones */
    assert_int_equal(s.overlaps, 1);
    data(&s, 1000, "abcdefghij"); /* overlaps everything, with the same bytes */
    assert_int_equal(s.overlaps, 1);
    assert_out(&s, "abcdefghij");
    data(&s, 1006, "GHijkl"); /* overlaps delivered bytes */
    assert_int_equal(s.overlaps, 2);
    assert_out(&s, "abcdefghijkl");
    data(&s, 1006, "ghijkl");
    assert_int_equal(s.overlaps, 2);
    assert_events(&s, "again0=4 again0=8 again0=4 again0=6 ");
    scene_end(&s);
}

/* Lost before the capture and retransmitted: its IP id is later than that of the following bytes, and the receiver had
 * asked for it. */
static void test_fast_retransmission(void **state)
{
    struct scene s;
    (void)state;
    begin_open(&s);
    data(&s, 1000, "abc");
    ack(&s, 1, 1003);
    data(&s, 1006, "ghi");
    ack(&s, 1, 1003);
    data(&s, 1003, "def");
    assert_events(&s, "again0=3 ");
    assert_out(&s, "abcdefghi");
    scene_end(&s);
}

static void test_keep_alives(void **state)
{
    struct scene s;
    (void)state;
    begin_open(&s);
    data(&s, 1000, "abc");
    data(&s, 1002, "");  /* without a byte */
    data(&s, 1002, "X"); /* with a byte, of any content */
    data(&s, 1002, "X");
    data(&s, 1003, "def");
    data_of(&s, 202, 1009, "jkl");
    data(&s, 1011, "X");
    data_of(&s, 201, 1006, "ghi");
    assert_out(&s, "abcdefghijkl");
    assert_events(&s, "alive0=1 late0=3 ");
    assert_int_equal(s.overlaps, 0);
    scene_end(&s);
}

static void keep_alive(struct scene *scene, int64_t ms, enum armtap_direction direction, uint32_t seq)
{
    struct armtap_segment segment = segment_of(scene, seq, "");
    assert_int_equal(arrive(scene, ms, direction, &segment), 0);
}

/* Counted until the peer sends a packet; a keep-alive within half a second of another is a copy. */
static void test_keep_alives_in_vain(void **state)
{
    struct scene s;
    (void)state;
    begin_open(&s);
    data(&s, 1000, "abc");
    keep_alive(&s, 1, ARMTAP_FROM_ROBOT, 1003); /* an acknowledgement */
    keep_alive(&s, 1, ARMTAP_FROM_ROBOT, 1002);
    keep_alive(&s, 499, ARMTAP_FROM_ROBOT, 1002);
    keep_alive(&s, 1, ARMTAP_FROM_ROBOT, 1002);
    ack(&s, 1, 1003);
    keep_alive(&s, 1, ARMTAP_FROM_ROBOT, 1002);
    assert_events(&s, "alive0=1 alive0=2 alive0=1 ");
    scene_end(&s);
}

/* Bytes that were never captured: the packet that acknowledges them reveals them. */
static void test_missed_at_the_end(void **state)
{
    struct scene s;
    (void)state;
    begin_open(&s);
    data(&s, 1000, "abc");
    ack(&s, 1, 1003);
    ack(&s, 1, 1004); /* one may be a FIN */
    ack(&s, 1, 1010);
    uint64_t packet = s.packet;
    ack(&s, 1, 1011);
    ack(&s, 1, 1011);
    finish(&s);
    assert_out(&s, "abc<8>|");
    assert_int_equal(s.last_where.packet, packet);
    scene_end(&s);
}

static void test_keep_alive_before_all(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s, 1 << 20);
    ack(&s, 1, 1000);
    data(&s, 999, "X");
    data(&s, 1000, "abc");
    finish(&s);
    assert_out(&s, "abc|");
    scene_end(&s);
}

static void window(struct scene *scene, uint32_t size)
{
    struct armtap_segment segment = segment_of(scene, 77, "");
    segment.flags = 0;
    segment.window = size;
    assert_int_equal(arrive(scene, 1, ARMTAP_TO_ROBOT, &segment), 0);
}

static void test_window_probes(void **state)
{
    struct scene s;
    (void)state;
    begin_open(&s);
    data(&s, 1000, "abc");
    window(&s, 0);
    data(&s, 1003, "d"); /* dropped by the peer, and retransmitted */
    data(&s, 1003, "d");
    window(&s, 100);
    data(&s, 1003, "def");
    assert_out(&s, "abcdef");
    assert_events(&s, "window1=0?window1=100?");
    window(&s, 0);
    data(&s, 1006, "g"); /* accepted by the peer */
    ack(&s, 1, 1007);
    data(&s, 1007, "hi");
    assert_out(&s, "abcdefghi");
    window(&s, 0);
    data(&s, 1009, "j"); /* accepted, the last one */
    ack(&s, 1, 1010);
    fin(&s, ARMTAP_FROM_ROBOT, 1010, "");
    assert_out(&s, "abcdefghij|");
    assert_null(strstr(s.events, "again"));
    scene_end(&s);
}

static void test_windows(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s, 1 << 20);
    syn(&s, ARMTAP_TO_ROBOT, 76, 3);
    syn(&s, ARMTAP_FROM_ROBOT, 999, 2);
    window(&s, 1000);
    window(&s, 501);
    window(&s, 500);
    window(&s, 251);
    window(&s, 250);
    window(&s, 183); /* 1464 bytes: any packet fits */
    window(&s, 182); /* 1456: not any more */
    window(&s, 182);
    window(&s, 181);
    window(&s, 183);
    window(&s, 200);
    window(&s, 0);
    window(&s, 0);
    window(&s, 7);
    assert_events(&s, "window1=4000 window1=2000 window1=1456 window1=1448 window1=1464 window1=0 window1=56 ");
    scene_end(&s);
}

/* Without the SYN of its sender a window's scale is unknown: it may be large. */
static void test_windows_unscaled(void **state)
{
    struct scene s;
    (void)state;
    begin_open(&s);
    window(&s, 100);
    window(&s, 51);
    window(&s, 50);
    window(&s, 70);
    window(&s, 0);
    window(&s, 60);
    assert_events(&s, "window1=50?window1=0?window1=60?");
    scene_end(&s);
}

/* ---- holes ----------------------------------------------------------------------------------------------------- */

static void begin_hole(struct scene *scene)
{
    begin_open(scene);
    data(scene, 1000, "abc");
    data(scene, 1006, "ghi");
    assert_out(scene, "abc");
}

static void test_hole_acknowledged(void **state)
{
    struct scene s;
    (void)state;
    begin_hole(&s);
    others(&s, 100, 1000); /* never acknowledged */
    assert_out(&s, "abc");
    ack(&s, 1, 1005); /* not past it */
    others(&s, 40, 60);
    assert_out(&s, "abc");
    ack(&s, 1, 1009);
    others(&s, 31, 800); /* not enough packets */
    assert_out(&s, "abc");
    others(&s, 1, 0);
    assert_out(&s, "abc<3>ghi");
    assert_int_equal(s.last_where.packet, 3);
    data_of(&s, 102, 1003, "def"); /* too late: not accepted, and not a retransmission either */
    assert_out(&s, "abc<3>ghi");
    assert_events(&s, "late0=3 ");
    data(&s, 1003, "def"); /* this one is */
    assert_events(&s, "late0=3 again0=3 ");
    scene_end(&s);
}

static void test_hole_acknowledged_but_fresh(void **state)
{
    struct scene s;
    (void)state;
    begin_hole(&s);
    ack(&s, 1, 1009);
    others(&s, 40, 749); /* enough packets, not enough time */
    assert_out(&s, "abc");
    data(&s, 1003, "def");
    assert_out(&s, "abcdefghi");
    scene_end(&s);

    begin_hole(&s);
    ack(&s, 1, 1009);
    others(&s, 40, 750);
    assert_out(&s, "abc<3>ghi");
    scene_end(&s);
}

static void test_hole_too_old(void **state)
{
    struct scene s;
    (void)state;
    begin_hole(&s);
    others(&s, 1, 1999);
    assert_out(&s, "abc");
    others(&s, 1, 1);
    assert_out(&s, "abc<3>ghi");
    scene_end(&s);

    begin_hole(&s);
    s.time += 5000 * MS; /* the packet that fills it comes late, with nothing before it */
    data(&s, 1003, "def");
    assert_out(&s, "abcdefghi");
    assert_events(&s, "again0=3 ");
    scene_end(&s);
}

/* Lost repeatedly: the peer is heard, and has not acknowledged it, so it will come. */
static void test_hole_still_asked_for(void **state)
{
    struct scene s;
    (void)state;
    for (int quiet = 0; quiet < 2; quiet++) {
        begin_hole(&s);
        struct armtap_segment report = segment_of(&s, 77, "");
        report.ack = 1003;
        report.sack_count = 1;
        report.sack[0].start = 1006;
        report.sack[0].end = 1009;
        assert_int_equal(arrive(&s, 1500, ARMTAP_TO_ROBOT, &report), 0);
        others(&s, 1, 1999);
        assert_out(&s, "abc");
        if (quiet) {
            others(&s, 1, 100000); /* the sender waits, too */
            assert_out(&s, "abc");
            data(&s, 1009, "j"); /* it goes on, and the peer is no longer heard */
            assert_out(&s, "abc<3>ghij");
        } else {
            data(&s, 1003, "def");
            assert_out(&s, "abcdefghi");
            assert_events(&s, "again0=3 ");
        }
        scene_end(&s);
    }
}

static void test_hole_at_the_end(void **state)
{
    struct scene s;
    (void)state;
    begin_hole(&s);
    finish(&s);
    assert_out(&s, "abc<3>ghi|");
    assert_events(&s, "close0=3 ");
    scene_end(&s);

    begin_hole(&s);
    data(&s, 1003, "def");
    ack(&s, 1, 1020); /* bytes that were not captured */
    finish(&s);
    assert_out(&s, "abcdefghi<11>|");
    scene_end(&s);

    begin_open(&s);
    data(&s, 1000, "abc");
    ack(&s, 1, 1004); /* a FIN that was not captured */
    finish(&s);
    assert_out(&s, "abc|");
    scene_end(&s);
}

static void test_hole_before_fin(void **state)
{
    struct scene s;
    (void)state;
    begin_open(&s);
    data(&s, 1000, "abc");
    fin(&s, ARMTAP_FROM_ROBOT, 1006, "");
    assert_out(&s, "abc");
    size_t used = s.pool.used;
    data(&s, 1006, "XX"); /* bytes after the end do not count */
    assert_int_equal(s.pool.used, used);
    data(&s, 1003, "defXX");
    assert_out(&s, "abcdef|");
    scene_end(&s);

    begin_open(&s);
    data(&s, 1000, "abc");
    fin(&s, ARMTAP_FROM_ROBOT, 1006, "");
    ack(&s, 1, 1007);
    others(&s, 40, 760);
    assert_out(&s, "abc<3>|");
    assert_events(&s, "close0=0 ");
    scene_end(&s);
}

static void test_fin_amid_the_bytes(void **state)
{
    struct scene s;
    (void)state;
    begin_hole(&s);
    fin(&s, ARMTAP_FROM_ROBOT, 1001, "");
    fin(&s, ARMTAP_FROM_ROBOT, 1004, "");
    data(&s, 1003, "def");
    assert_out(&s, "abcdefghi");
    fin(&s, ARMTAP_FROM_ROBOT, 1009, "");
    assert_out(&s, "abcdefghi|");
    scene_end(&s);
}

/* The acknowledgement was captured before the bytes after the hole. */
static void test_hole_acknowledged_before(void **state)
{
    struct scene s;
    (void)state;
    begin_open(&s);
    data(&s, 1000, "abc");
    ack(&s, 1, 1009);
    data(&s, 1006, "ghi");
    others(&s, 31, 760);
    assert_out(&s, "abc");
    others(&s, 1, 0);
    assert_out(&s, "abc<3>ghi");
    scene_end(&s);
}

/* A packet of `from`, acknowledging up to `number`. */
static void answer(struct scene *scene, int64_t ms, enum armtap_direction from, uint32_t seq, uint32_t number,
                   const char *text)
{
    struct armtap_segment segment = segment_of(scene, seq, text);
    segment.ack = number;
    assert_int_equal(arrive(scene, ms, from, &segment), 0);
}

/* What a direction's data answer goes before them, for as long as merged captures may be apart. */
static void test_answer_before_its_request(void **state)
{
    static const int64_t late[] = {10, 748, 749};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct scene s;
        scene_begin(&s, 1 << 20);
        syn(&s, ARMTAP_TO_ROBOT, 4999, -1);
        syn(&s, ARMTAP_FROM_ROBOT, 999, -1);
        answer(&s, 1, ARMTAP_TO_ROBOT, 5000, 1000, "hello");
        answer(&s, 1, ARMTAP_FROM_ROBOT, 1000, 5009, "abc"); /* it has read more than was captured */
        answer(&s, 1, ARMTAP_FROM_ROBOT, 1003, 5009, "def");
        assert_out(&s, "");
        others(&s, 1, late[i]);
        assert_out(&s, late[i] < 749 ? "" : "abcdef");
        answer(&s, 0, ARMTAP_TO_ROBOT, 5005, 1000, "more");
        assert_out(&s, "abcdef");
        answer(&s, 1, ARMTAP_FROM_ROBOT, 1006, 5009, "ghi");
        assert_out(&s, "abcdefghi");
        scene_end(&s);
    }
}

/* Bytes that are never captured are waited for once. */
static void test_request_never_captured(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s, 1 << 20);
    syn(&s, ARMTAP_FROM_ROBOT, 999, -1);
    answer(&s, 1, ARMTAP_FROM_ROBOT, 1000, 5000, "a");
    answer(&s, 1, ARMTAP_FROM_ROBOT, 1001, 5009, "b");
    assert_out(&s, "a");
    others(&s, 1, 750);
    assert_out(&s, "ab");
    answer(&s, 1, ARMTAP_FROM_ROBOT, 1002, 5009, "c");
    assert_out(&s, "abc");
    answer(&s, 1, ARMTAP_FROM_ROBOT, 1003, 5010, "d"); /* one position may be a FIN */
    assert_out(&s, "abcd");
    scene_end(&s);
}

/* Clocks are apart if three packets come 5 ms after their acknowledgement. */
static void test_clocks_apart(void **state)
{
    (void)state;
    for (unsigned packets = 2; packets <= 3; packets++) {
        for (int64_t ms = 4; ms <= 5; ms++) {
            struct scene s;
            begin_open(&s);
            data(&s, 1000, "abc");
            for (uint32_t i = 0; i < packets; i++) {
                ack(&s, 1, 1006 + 3 * i);
                others(&s, 1, ms - 1);
                data(&s, 1003 + 3 * i, "def");
            }
            data(&s, 1003 + 3 * packets, "ghi");
            finish(&s);
            assert_int_equal(s.aparts, packets == 3 && ms == 5);
            scene_end(&s);
        }
    }
}

/* That many packets in time, or else 20 ms after their acknowledgement, as every fourth is if the clock that stamped
 * them is ahead; `swaps`: older acknowledgements come behind them, too. */
static unsigned told_apart(unsigned late, unsigned in_time, bool swaps)
{
    struct scene s;
    begin_open(&s);
    for (uint32_t i = 0; i < late + in_time; i++) {
        bool is_late = i % 4 == 0 && i / 4 < late;
        if (is_late) {
            ack(&s, 1, 1003 + 3 * i);
            others(&s, 1, 19);
        }
        data(&s, 1000 + 3 * i, "abc");
        ack(&s, 1, 1003 + 3 * i);
        if (swaps)
            ack(&s, 1, 1000 + 3 * i);
    }
    finish(&s);
    unsigned told = s.aparts;
    scene_end(&s);
    return told;
}

/* A few packets in another order are what one machine does. */
static void test_clock_of_some_packets(void **state)
{
    (void)state;
    assert_int_equal(told_apart(7, 93, false), 0);
    assert_int_equal(told_apart(8, 92, false), 1);
    assert_int_equal(told_apart(8, 152, false), 1);
    assert_int_equal(told_apart(8, 153, false), 0);
    assert_int_equal(told_apart(8, 92, true), 0);
}

static void test_many_holes_share_the_grace(void **state)
{
    struct scene s;
    (void)state;
    begin_open(&s);
    for (uint32_t i = 0; i < 20; i++)
        data(&s, 1001 + 2 * i, "x");
    ack(&s, 1, 1041);
    others(&s, 40, 760);
    assert_int_equal(s.gaps[0], 20);
    assert_int_equal(s.bytes[0], 20);
    scene_end(&s);
}

/* What waits behind holes when a RST ends the connection is delivered: if its receiver was heard and acknowledged
 * nothing of the holes, they are not the capture's. */
static void test_reset(void **state)
{
    (void)state;
    for (int heard = 0; heard < 2; heard++) {
        struct scene s;
        begin_hole(&s);
        if (heard)
            ack(&s, 1, 1003);
        struct armtap_segment segment = segment_of(&s, 1009 + (32 << 20), "");
        segment.flags = ARMTAP_TCP_RST;
        assert_int_equal(arrive(&s, 1, ARMTAP_FROM_ROBOT, &segment), 0); /* of an older connection */
        assert_out(&s, "abc");
        segment.seq = 1009;
        assert_int_equal(arrive(&s, 1, ARMTAP_FROM_ROBOT, &segment), 0);
        data(&s, 1009, "jkl"); /* behind a hole that was there before */
        data(&s, 1015, "pqr"); /* behind one that came later */
        finish(&s);
        assert_out(&s, "abc<3>ghijkl<3>pqr|");
        assert_int_equal(s.unheard[0], heard ? 6 : 0);
        assert_string_equal(s.out[1], "|");
        assert_events(&s, "close0=1 ");
        scene_end(&s);
    }
}

/* Of a hole, only what was acknowledged is missing in the capture: the rest is waited for. */
static void test_hole_acknowledged_in_part(void **state)
{
    struct scene s;
    (void)state;
    begin_open(&s);
    data(&s, 1000, "abc");
    data(&s, 1009, "jkl");
    ack(&s, 1, 1006);
    for (int i = 0; i < 5; i++) {
        others(&s, 40, 600);
        ack(&s, 1, 1006);
    }
    data(&s, 1006, "ghi");
    assert_out(&s, "abc<3>ghijkl");
    finish(&s);
    scene_end(&s);
}

static void test_cut_by_the_snapshot_length(void **state)
{
    struct scene s;
    (void)state;
    begin_open(&s);
    struct armtap_segment segment = segment_of(&s, 1000, "abc");
    segment.cut = 5;
    arrive(&s, 1, ARMTAP_FROM_ROBOT, &segment);
    segment.seq = 1016; /* waits, also cut */
    arrive(&s, 1, ARMTAP_FROM_ROBOT, &segment);
    assert_out(&s, "abc");
    segment.seq = 1008;
    arrive(&s, 1, ARMTAP_FROM_ROBOT, &segment);
    data(&s, 1024, "xyz");
    assert_out(&s, "abc<5>abc<5>abc<5>xyz");
    assert_int_equal(s.cuts, 1);
    segment.seq = 1027;
    segment.length = 0;
    arrive(&s, 1, ARMTAP_FROM_ROBOT, &segment);
    data(&s, 1034, "k"); /* two bytes before it are missing for another reason: a gap of their own */
    finish(&s);
    assert_out(&s, "abc<5>abc<5>abc<5>xyz<5><2>k|");
    assert_int_equal(s.lost[0], 22);
    assert_int_equal(s.cut[0], 20); /* all but those two */
    scene_end(&s);
}

/* ---- another connection ---------------------------------------------------------------------------------------- */

static bool is_other(struct scene *scene, uint32_t seq, const char *text, unsigned flags)
{
    struct armtap_segment segment = segment_of(scene, seq, text);
    segment.flags = flags;
    return armtap_tcp_is_other(&scene->tcp, ARMTAP_FROM_ROBOT, &segment);
}

static void test_other_connection(void **state)
{
    struct scene s;
    (void)state;
    begin_open(&s);
    data(&s, 1000, "abc");
    assert_false(is_other(&s, 999, "", ARMTAP_TCP_SYN));
    assert_true(is_other(&s, 1000, "", ARMTAP_TCP_SYN));
    assert_false(is_other(&s, 1003 + (16 << 20), "x", 0));
    assert_true(is_other(&s, 1004 + (16 << 20), "x", 0));
    assert_true(is_other(&s, 1002U - (16 << 20), "x", 0));
    assert_false(is_other(&s, 1004 + (16 << 20), "", 0)); /* no byte, no jump */
    assert_false(is_other(&s, 0x7fffffff, "", ARMTAP_TCP_RST));
    finish(&s);
    assert_false(is_other(&s, 999, "late", 0)); /* a straggler */
    assert_false(is_other(&s, 999, "", ARMTAP_TCP_SYN));
    assert_true(is_other(&s, 1200, "", ARMTAP_TCP_SYN));
    assert_false(is_other(&s, 1000, "abc", 0));
    assert_false(is_other(&s, 1003, "k", 0));
    assert_true(is_other(&s, 1004 + (16 << 20), "new", 0));
    scene_end(&s);
}

/* Bytes behind the end were on their way, if the peer was heard; where it is not captured, nothing else will tell. */
static void test_bytes_after_end(void **state)
{
    (void)state;
    for (int heard = 0; heard < 2; heard++) {
        struct scene s;
        begin_open(&s);
        data(&s, 1000, "abc");
        if (heard)
            ack(&s, 1, 1003);
        finish(&s);
        assert_int_equal(is_other(&s, 1003, "new", 0), !heard);
        assert_false(is_other(&s, 1000, "abc", 0));
        scene_end(&s);
    }
}

static bool is_ack_of_other(struct scene *scene, uint32_t ack)
{
    struct armtap_segment segment = segment_of(scene, 500, "");
    segment.flags = ARMTAP_TCP_ACK;
    segment.ack = ack;
    return armtap_tcp_is_other(&scene->tcp, ARMTAP_TO_ROBOT, &segment);
}

/* Bytes after the end that are acknowledged: it was not the end. */
static void test_goes_on_after_end(void **state)
{
    struct scene s;
    (void)state;
    begin_open(&s);
    data(&s, 1000, "abc");
    finish(&s);
    assert_false(is_ack_of_other(&s, 1006)); /* of bytes that were not captured */
    struct armtap_segment again = segment_of(&s, 1000, "abcd"), more = segment_of(&s, 1003, "def");
    armtap_tcp_after_end(&s.tcp, ARMTAP_FROM_ROBOT, &again);
    assert_false(is_ack_of_other(&s, 1006));
    armtap_tcp_after_end(&s.tcp, ARMTAP_FROM_ROBOT, &more);
    assert_false(is_ack_of_other(&s, 1004)); /* of a FIN */
    assert_true(is_ack_of_other(&s, 1006));
    scene_end(&s);
}

static int reset_at(struct scene *scene, uint32_t seq)
{
    struct armtap_segment segment = segment_of(scene, seq, "");
    segment.flags = ARMTAP_TCP_RST;
    return arrive(scene, 1, ARMTAP_FROM_ROBOT, &segment);
}

static void acknowledge(struct scene *scene, uint32_t ack)
{
    struct armtap_segment segment = segment_of(scene, 500, "");
    segment.flags = ARMTAP_TCP_ACK;
    segment.ack = ack;
    segment.window = 100;
    assert_int_equal(arrive(scene, 1, ARMTAP_TO_ROBOT, &segment), 0);
}

/* A RST counts only at the byte that its receiver expects: others end the connection unless it goes on. */
static void test_reset_in_doubt(void **state)
{
    (void)state;
    for (int goes_on = 0; goes_on < 2; goes_on++) {
        struct scene s;
        begin_open(&s);
        data(&s, 1000, "abcdef");
        acknowledge(&s, 1003);
        assert_int_equal(reset_at(&s, 1002), 0); /* acknowledged already: ignored */
        assert_int_equal(reset_at(&s, 1004), 0);
        assert_false(armtap_tcp_is_closed(&s.tcp));
        acknowledge(&s, 1006); /* sent before */
        if (goes_on) {
            others(&s, 1, 50);
            data(&s, 1006, "ghi");
            acknowledge(&s, 1009);
        }
        finish(&s);
        assert_out(&s, goes_on ? "abcdefghi|" : "abcdef|");
        assert_events(&s, goes_on ? "close0=3 " : "close0=1 ");
        scene_end(&s);
    }
}

/* A RST whose TTL is another is somebody else's, who may not know what got lost: it ends nothing that goes on. */
static void test_foreign_reset(void **state)
{
    (void)state;
    for (int goes_on = 0; goes_on < 2; goes_on++) {
        struct scene s;
        begin_open(&s);
        struct armtap_segment first = segment_of(&s, 1000, "abc"), reset = segment_of(&s, 1003, "");
        first.ttl = 64;
        assert_int_equal(arrive(&s, 1, ARMTAP_FROM_ROBOT, &first), 0);
        acknowledge(&s, 1001);
        reset.flags = ARMTAP_TCP_RST;
        reset.ttl = 57;
        assert_int_equal(arrive(&s, 1, ARMTAP_FROM_ROBOT, &reset), 0);
        assert_false(armtap_tcp_is_closed(&s.tcp));
        if (goes_on) {
            others(&s, 1, 50);
            data(&s, 1003, "def");
            acknowledge(&s, 1006);
        }
        finish(&s);
        assert_events(&s, goes_on ? "close0=3 " : "close0=1 ");
        assert_int_equal(s.tcp.reset.what.ttl_of_rest, 64);
        scene_end(&s);
    }
}

static int from_client(struct scene *scene, unsigned flags, uint32_t seq, uint32_t ack, uint8_t ttl)
{
    struct armtap_segment segment = segment_of(scene, seq, "");
    segment.flags = flags;
    segment.ack = ack;
    segment.ttl = ttl;
    return arrive(scene, 1, ARMTAP_TO_ROBOT, &segment);
}

/* A client that only listens did not send the RST if it acknowledges what the robot sends long afterwards. */
static void test_reset_of_a_listener(void **state)
{
    (void)state;
    for (int later = 0; later < 2; later++) {
        struct scene s;
        begin_open(&s);
        data(&s, 1000, "abc");
        assert_int_equal(from_client(&s, ARMTAP_TCP_ACK, 500, 1003, 64), 0);
        assert_int_equal(from_client(&s, ARMTAP_TCP_RST | ARMTAP_TCP_ACK, 500, 1003, 57), 0);
        assert_false(armtap_tcp_is_closed(&s.tcp));
        others(&s, 1, later ? 1000 : 10);
        data(&s, 1003, "def");
        assert_true(s.tcp.may_be_reset);
        assert_int_equal(from_client(&s, ARMTAP_TCP_ACK, 500, 1003, 64), 0); /* nothing new */
        assert_true(s.tcp.may_be_reset);
        assert_int_equal(from_client(&s, ARMTAP_TCP_ACK, 500, 1006, 64), 0);
        assert_int_equal(s.tcp.may_be_reset, !later);
        finish(&s);
        assert_out(&s, "abcdef|");
        assert_events(&s, later ? "close0=3 " : "close1=1 ");
        scene_end(&s);
    }
}

/* Nor if its FIN came later, and is acknowledged. */
static void test_fin_after_reset_in_doubt(void **state)
{
    struct scene s;
    (void)state;
    begin_open(&s);
    data(&s, 1000, "abc");
    syn(&s, ARMTAP_TO_ROBOT, 499, -1);
    assert_int_equal(from_client(&s, ARMTAP_TCP_ACK, 500, 1003, 64), 0);
    assert_int_equal(from_client(&s, ARMTAP_TCP_RST | ARMTAP_TCP_ACK, 510, 1003, 64), 0);
    assert_true(s.tcp.may_be_reset);
    others(&s, 1, 50);
    assert_int_equal(from_client(&s, ARMTAP_TCP_FIN | ARMTAP_TCP_ACK, 510, 1003, 64), 0);
    struct armtap_segment answer = segment_of(&s, 1003, "");
    answer.ack = 510;
    assert_int_equal(arrive(&s, 1, ARMTAP_FROM_ROBOT, &answer), 0);
    assert_true(s.tcp.may_be_reset);
    answer.ack = 511;
    assert_int_equal(arrive(&s, 1, ARMTAP_FROM_ROBOT, &answer), 0);
    assert_false(s.tcp.may_be_reset);
    scene_end(&s);
}

static void test_long_before_the_start(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s, 1 << 20);
    data(&s, 1000000, "abc");
    assert_false(is_other(&s, 900000, "abc", 0)); /* the first bytes still wait */
    data(&s, 999997, "xyz");
    others(&s, 32, 50);
    assert_out(&s, "xyzabc");
    assert_false(is_other(&s, 999997 - 65539, "abc", 0));
    assert_true(is_other(&s, 999997 - 65540, "abc", 0));
    assert_false(is_other(&s, 900000, "", 0));
    armtap_tcp_ignore(&s.tcp);
    assert_false(is_other(&s, 900000, "abc", 0));
    scene_end(&s);
}

/* ---- bounds ---------------------------------------------------------------------------------------------------- */

static void test_pool_dry(void **state)
{
    static struct armtap_pool pool;
    struct scene small, large;
    (void)state;
    scene_begin(&small, 0);
    scene_begin(&large, 0);
    armtap_pool_init(&pool, 20 * 1024);
    struct scene *both[2] = {&small, &large};
    char block[1001];
    memset(block, 'x', 1000);
    block[1000] = '\0';
    for (int i = 0; i < 2; i++) {
        armtap_tcp_init(&both[i]->tcp, &pool, &calls, both[i]);
        struct armtap_segment segment = segment_of(both[i], 999, "");
        segment.flags = ARMTAP_TCP_SYN;
        assert_int_equal(armtap_tcp_segment(&both[i]->tcp, ARMTAP_FROM_ROBOT, &segment), 0);
    }
    struct armtap_segment segment = segment_of(&small, 3000, block);
    for (uint32_t i = 0; i < 40; i++) {
        struct scene *scene = i % 3 ? &large : &small;
        segment.seq = 3000 + 2000 * i;
        assert_int_equal(armtap_tcp_segment(&scene->tcp, ARMTAP_FROM_ROBOT, &segment), 0);
        assert_true(pool.used <= pool.limit);
        if (i == 17)
            assert_int_equal(small.gaps[0], 0); /* it holds less, so it keeps its bytes */
    }
    assert_true(large.gaps[0] > 0);
    assert_true(small.gaps[0] > 0);
    assert_true(pool.used > pool.limit / 2);
    armtap_tcp_clear(&small.tcp);
    armtap_tcp_clear(&large.tcp);
    assert_int_equal(pool.used, 0);
    scene_end(&small);
    scene_end(&large);
}

/* Of two that hold nearly the same, the larger one gives up its bytes, whichever came first. */
static void test_largest_of_equals(void **state)
{
    (void)state;
    for (size_t six = 0; six < 2; six++) {
        struct armtap_pool pool;
        struct armtap_queue queues[2];
        struct armtap_overlap overlap = {0, false};
        struct armtap_sent sent = {0};
        static const uint8_t bytes[1000];
        armtap_pool_init(&pool, 1 << 20);
        for (size_t i = 0; i < 2; i++) {
            armtap_queue_init(&queues[i], &pool, NULL, ARMTAP_FROM_ROBOT);
            for (uint64_t k = 0; k < (i == six ? 6 : 5); k++)
                assert_int_equal(armtap_queue_insert(&queues[i], 2000 * k, bytes, sizeof bytes, &sent, &overlap), 0);
        }
        assert_int_equal(queues[0].size_class, queues[1].size_class);
        assert_ptr_equal(armtap_pool_largest(&pool), &queues[six]);
        armtap_queue_clear(&queues[0]);
        armtap_queue_clear(&queues[1]);
        assert_null(armtap_pool_largest(&pool));
        assert_int_equal(overlap.bytes, 0);
    }
}

static void test_pool_of_nothing(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s, 1);
    data(&s, 1000, "abc");
    data(&s, 1006, "ghi");
    data(&s, 1003, "def");
    assert_out(&s, "abc<3>ghi");
    scene_end(&s);
}

static void test_tiny_segments_are_bounded(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s, 24 << 20);
    syn(&s, ARMTAP_FROM_ROBOT, 999, -1);
    for (uint32_t i = 0; i < 20000; i++) {
        s.time -= MS; /* all at once: no hole is given up because of its age */
        data(&s, 1001 + 2 * (i ^ 1), "x");
    }
    assert_true(s.pool.used < 1 << 20);
    finish(&s);
    assert_int_equal(s.bytes[0] + s.lost[0], 40000);
    scene_end(&s);
}

static void test_ignored(void **state)
{
    struct scene s;
    (void)state;
    begin_hole(&s);
    armtap_tcp_ignore(&s.tcp);
    assert_int_equal(s.pool.used, 0);
    data(&s, 1009, "jkl");
    data(&s, 1020, "xyz");
    assert_int_equal(s.pool.used, 0);
    assert_out(&s, "abc");
    assert_true(is_other(&s, 5, "", ARMTAP_TCP_SYN));
    fin(&s, ARMTAP_FROM_ROBOT, 1023, "");
    assert_out(&s, "abc|");
    finish(&s);
    assert_events(&s, "close0=0 close0=3 ");
    scene_end(&s);
}

static void test_stop(void **state)
{
    struct scene s;
    (void)state;
    begin_hole(&s);
    data(&s, 1010, "klm");
    s.fail_after = 1;
    struct armtap_segment segment = segment_of(&s, 1003, "def");
    assert_int_equal(arrive(&s, 1, ARMTAP_FROM_ROBOT, &segment), ARMTAP_ERR_STOPPED);
    scene_end(&s);
}

/* ---- any order ------------------------------------------------------------------------------------------------- */

static uint64_t random_state;

static uint32_t random_below(uint32_t bound)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((random_state >> 33) % bound);
}

enum { STREAM = 20000, CUTS_MAX = 4096 };

struct cut {
    uint32_t from, to;
};

/* Cuts a stream into overlapping segments, some of them repeated, slightly out of order. */
static size_t cut_stream(struct cut *cuts, bool with_losses)
{
    size_t count = 0;
    uint32_t largest = 1 + random_below(random_below(2) ? 8 : 300);
    if (largest < 6)
        largest = 6;
    for (uint32_t at = 0; at < STREAM && count < CUTS_MAX - 2;) {
        uint32_t back = random_below(8) ? 0 : random_below(at < 20 ? at + 1 : 20);
        uint32_t length = 1 + random_below(largest);
        struct cut cut = {at - back, at + length < STREAM ? at + length : STREAM};
        at = cut.to;
        if (with_losses && random_below(16) == 0)
            continue;
        cuts[count++] = cut;
        if (random_below(16) == 0)
            cuts[count++] = cut;
    }
    for (size_t i = 0; i + 8 <= count; i += 8) {
        for (uint32_t k = random_below(4) ? 8 : 1; k > 1; k--) {
            size_t j = i + random_below(k);
            struct cut other = cuts[i + k - 1];
            cuts[i + k - 1] = cuts[j];
            cuts[j] = other;
        }
    }
    return count;
}

/* The expected output: the bytes that any segment carries, in order, with the number of missing bytes between them. */
static void expect(const uint8_t *stream, const struct cut *cuts, size_t count, bool with_syn, const struct scene *s)
{
    static bool covered[STREAM];
    memset(covered, 0, sizeof covered);
    uint32_t first = STREAM, last = 0;
    for (size_t i = 0; i < count; i++) {
        for (uint32_t k = cuts[i].from; k < cuts[i].to; k++)
            covered[k] = true;
        first = cuts[i].from < first ? cuts[i].from : first;
        last = cuts[i].to > last ? cuts[i].to : last;
    }
    if (with_syn)
        first = 0;
    uint64_t bytes = 0, lost = 0;
    const char *out = s->out[0];
    for (uint32_t k = first; k < last; k++) {
        if (covered[k]) {
            bytes++;
            assert_int_equal((uint8_t)*out++, stream[k]);
            continue;
        }
        uint64_t hole = 0;
        for (; k < last && !covered[k]; k++)
            hole++;
        k--;
        lost += hole;
        assert_int_equal(*out++, '<');
        assert_int_equal(strtoull(out, (char **)&out, 10), hole);
        assert_int_equal(*out++, '>');
    }
    assert_string_equal(out, "|");
    assert_int_equal(s->bytes[0], bytes);
    assert_int_equal(s->lost[0], lost);
    assert_int_equal(bytes + lost, last - first);
}

static void run_any_order(uint64_t seed)
{
    static uint8_t stream[STREAM];
    static struct cut cuts[CUTS_MAX];
    struct scene s;
    random_state = seed;
    bool with_losses = seed % 3 == 0, with_syn = seed % 2 == 0;
    uint32_t base = 0U - random_below(2 * STREAM); /* mostly wraps */
    for (size_t i = 0; i < STREAM; i++)
        stream[i] = (uint8_t)(1 + random_below(255));
    size_t count = cut_stream(cuts, with_losses);
    scene_begin(&s, 24 << 20);
    if (with_syn)
        syn(&s, ARMTAP_FROM_ROBOT, base - 1, -1);
    uint32_t top = 0;
    for (size_t i = 0; i < count; i++) {
        struct armtap_segment segment = segment_of(&s, base + cuts[i].from, "");
        segment.flags = 0;
        segment.payload = stream + cuts[i].from;
        segment.length = cuts[i].to - cuts[i].from;
        assert_int_equal(arrive(&s, 4, ARMTAP_FROM_ROBOT, &segment), 0);
        top = cuts[i].to > top ? cuts[i].to : top;
        if (i % 2)
            ack(&s, 0, base + top);
    }
    finish(&s);
    expect(stream, cuts, count, with_syn, &s);
    assert_int_equal(s.overlaps, 0);
    assert_true(with_losses == (s.gaps[0] > 0));
    scene_end(&s);
}

static void test_any_order(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++)
        run_any_order(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_syn_again),
        cmocka_unit_test(test_late_ones_are_remembered),
        cmocka_unit_test(test_in_order),
        cmocka_unit_test(test_reorder),
        cmocka_unit_test(test_wrap),
        cmocka_unit_test(test_midstream_waits_for_earlier_bytes),
        cmocka_unit_test(test_midstream_where_the_peer_acknowledged),
        cmocka_unit_test(test_syn_behind_its_data),
        cmocka_unit_test(test_copies_and_retransmissions),
        cmocka_unit_test(test_copy_of_what_waits),
        cmocka_unit_test(test_overlap_first_copy_wins),
        cmocka_unit_test(test_fast_retransmission),
        cmocka_unit_test(test_keep_alives),
        cmocka_unit_test(test_keep_alives_in_vain),
        cmocka_unit_test(test_missed_at_the_end),
        cmocka_unit_test(test_keep_alive_before_all),
        cmocka_unit_test(test_window_probes),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_windows_unscaled),
        cmocka_unit_test(test_hole_acknowledged),
        cmocka_unit_test(test_hole_acknowledged_but_fresh),
        cmocka_unit_test(test_hole_too_old),
        cmocka_unit_test(test_hole_still_asked_for),
        cmocka_unit_test(test_hole_at_the_end),
        cmocka_unit_test(test_hole_before_fin),
        cmocka_unit_test(test_fin_amid_the_bytes),
        cmocka_unit_test(test_hole_acknowledged_before),
        cmocka_unit_test(test_answer_before_its_request),
        cmocka_unit_test(test_request_never_captured),
        cmocka_unit_test(test_clocks_apart),
        cmocka_unit_test(test_clock_of_some_packets),
        cmocka_unit_test(test_many_holes_share_the_grace),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_hole_acknowledged_in_part),
        cmocka_unit_test(test_cut_by_the_snapshot_length),
        cmocka_unit_test(test_other_connection),
        cmocka_unit_test(test_goes_on_after_end),
        cmocka_unit_test(test_reset_in_doubt),
        cmocka_unit_test(test_foreign_reset),
        cmocka_unit_test(test_bytes_after_end),
        cmocka_unit_test(test_reset_of_a_listener),
        cmocka_unit_test(test_fin_after_reset_in_doubt),
        cmocka_unit_test(test_long_before_the_start),
        cmocka_unit_test(test_pool_dry),
        cmocka_unit_test(test_largest_of_equals),
        cmocka_unit_test(test_pool_of_nothing),
        cmocka_unit_test(test_tiny_segments_are_bounded),
        cmocka_unit_test(test_ignored),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_any_order),
    };
    return cmocka_run_group_tests_name("tcp", tests, NULL, NULL);
}
