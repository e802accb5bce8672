/* The key r of armtap watch: a capture that begins half a minute before the key, though the connection is older. */
#include "support.h"

#include <string.h>

#include "base/os/names.h"
#include "bytes.h"
#include "input/capture/capture.h"
#include "input/robots/robot_event.h"
#include "nanoseconds.h"
#include "watch/recorder.h"

#define BEGIN (INT64_C(1795348800) * SECOND) /* 2026-11-22T12:00:00Z */
enum { HZ = 125, LENGTH = 12 };

/* ---- a robot ----------------------------------------------------------------------------------------------------- */

static void send_bytes(struct recorder *recorder, int64_t time, enum armtap_direction direction, const void *bytes,
                       size_t length, bool is_record)
{
    const struct robot_event event = {.kind = ROBOT_BYTES,
                                      .time = time,
                                      .direction = direction,
                                      .is_record = is_record,
                                      .bytes = bytes,
                                      .length = length};
    assert_int_equal(recorder_take(recorder, &event), 0);
}

static void connect_client(struct recorder *recorder, int64_t time)
{
    static const char version[] = "\0\5V\0\2", outputs[] = "\0\24O\x40\x5f\x40\0\0\0\0\0timestamp", start[] = "\0\3S";
    static const char accepted[] = "\0\4V\1", types[] = "\0\12O\1DOUBLE", started[] = "\0\4S\1";
    struct robot_event opened = {.kind = ROBOT_OPENED, .time = time};
    assert_int_equal(tcp_address_parse(&opened.address[ARMTAP_FROM_ROBOT], "10.0.0.2", 30004), 0);
    assert_int_equal(tcp_address_parse(&opened.address[ARMTAP_TO_ROBOT], "10.0.0.9", 40001), 0);
    assert_int_equal(recorder_take(recorder, &opened), 0);
    send_bytes(recorder, time, ARMTAP_TO_ROBOT, version, 5, false);
    send_bytes(recorder, time, ARMTAP_FROM_ROBOT, accepted, 4, false);
    send_bytes(recorder, time, ARMTAP_TO_ROBOT, outputs, 20, false);
    send_bytes(recorder, time, ARMTAP_FROM_ROBOT, types, 10, false);
    send_bytes(recorder, time, ARMTAP_TO_ROBOT, start, 3, false);
    send_bytes(recorder, time, ARMTAP_FROM_ROBOT, started, 4, false);
}

static void send_cycles(struct recorder *recorder, int first, int last)
{
    for (int i = first; i < last; i++) {
        uint8_t package[LENGTH] = {0, LENGTH, 'U', 1};
        double clock = 1000 + (double)i / HZ;
        uint64_t bits;
        memcpy(&bits, &clock, sizeof bits);
        for (int k = 0; k < 8; k++)
            package[4 + k] = (uint8_t)(bits >> (56 - 8 * k));
        send_bytes(recorder, BEGIN + i * (SECOND / HZ), ARMTAP_FROM_ROBOT, package, LENGTH, true);
    }
}

/* ---- what was recorded ------------------------------------------------------------------------------------------- */

struct found {
    unsigned records, opaque, notes;
    double first, last; /* the robot's clock */
};

static int on_record(void *user, const struct armtap_record *record)
{
    struct found *found = user;
    found->opaque += !record->recipe;
    found->last = record->clock;
    if (found->records++ == 0)
        found->first = record->clock;
    return 0;
}

static int on_note(void *user, const struct armtap_note *note)
{
    struct found *found = user;
    found->notes += note->kind->severity >= ARMTAP_NOTICE;
    return 0;
}

static void read_back(const char *name, struct found *found)
{
    const struct armtap_sink sink = {.size = sizeof sink, .on_record = on_record, .on_note = on_note};
    const struct reader_wish wish = {.name = name};
    struct armtap_packet packet;
    struct armtap_net *net;
    *found = (struct found){.records = 0};
    struct capture *capture = capture_open(&wish);
    assert_non_null(capture);
    assert_int_equal(armtap_net_new(NULL, &sink, found, &net), ARMTAP_OK);
    while (capture_next(capture, &packet) == CAPTURE_PACKET)
        assert_int_equal(armtap_net_packet(net, &packet), ARMTAP_OK);
    assert_int_equal(armtap_net_finish(net), ARMTAP_OK);
    armtap_net_free(net);
    capture_close(capture);
    assert_int_equal(unlink(name), 0);
}

static void it_begins_half_a_minute_before(void **state)
{
    struct found found;
    struct recorder *recorder = recorder_new(1);
    (void)state;
    assert_non_null(recorder);
    connect_client(recorder, BEGIN);
    send_cycles(recorder, 0, 100 * HZ);
    assert_false(recorder_is_running(recorder));
    assert_int_equal(recorder_begin(recorder), 0);
    assert_true(recorder_is_running(recorder));
    send_cycles(recorder, 100 * HZ, 102 * HZ);
    assert_int_equal(recorder_end(recorder), 0);
    assert_true(recorder_bytes(recorder) > 32 * HZ * LENGTH);
    read_back(recorder_name(recorder), &found);
    assert_int_equal(found.opaque, 0);
    assert_int_equal(found.notes, 0);
    assert_true(found.records >= 32 * HZ && found.records <= 32 * HZ + 2);
    assert_true(found.first > 1069.98 && found.first < 1070.02);
    assert_true(found.last > 1101.98);

    /* Once more: what is in the first capture is not in the second. */
    send_cycles(recorder, 102 * HZ, 103 * HZ);
    assert_int_equal(recorder_begin(recorder), 0);
    assert_int_equal(recorder_end(recorder), 0);
    read_back(recorder_name(recorder), &found);
    assert_int_equal(found.opaque, 0);
    assert_int_equal(found.records, HZ);
    recorder_free(recorder);
}

static void its_memory_is_bounded(void **state)
{
    static uint8_t large[60000];
    struct recorder *recorder = recorder_new(1);
    (void)state;
    assert_non_null(recorder);
    connect_client(recorder, BEGIN);
    large[0] = sizeof large >> 8;
    large[1] = sizeof large & 0xff;
    large[2] = 'U';
    for (int i = 0; i < 3000; i++) /* 180 MB within 30 s */
        send_bytes(recorder, BEGIN + i * MILLISECOND, ARMTAP_FROM_ROBOT, large, sizeof large, true);
    assert_int_equal(recorder_begin(recorder), 0);
    assert_int_equal(recorder_end(recorder), 0);
    assert_true(recorder_bytes(recorder) < (64u << 20) + (2u << 20));
    assert_true(recorder_bytes(recorder) > (60u << 20));
    assert_int_equal(unlink(recorder_name(recorder)), 0);
    recorder_free(recorder);
}

int main(void)
{
    static const char folder[] = "test_watch_recorder.tmp";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_begins_half_a_minute_before),
        cmocka_unit_test(its_memory_is_bounded),
    };
    if (make_folder(folder) != 0 || chdir(folder) != 0)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return chdir("..") == 0 && remove_folder(folder) == 0 ? failed : 1;
}
