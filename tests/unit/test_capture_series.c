/* Recordings in parts: names, cuts, what a part repeats, what is deleted, full disks. The linker replaces write() and
 * unlink() by those below. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "input/capture.h"
#include "nanoseconds.h"
#include "record/part_name.h"
#include "record/capture_series.h"

#define BEGIN (INT64_C(1795348800) * SECOND) /* 2026-11-22T12:00:00Z */
#define LENGTH 500
#define REPEATED 3

/* ---- the disk ------------------------------------------------------------------------------------------------------
 */

static struct {
    uint64_t used, room;
    unsigned syncs;
} disk;

ssize_t __real_write(int file, const void *bytes, size_t length);
ssize_t __wrap_write(int file, const void *bytes, size_t length);
int __wrap_fdatasync(int file);
int __real_unlink(const char *name);
int __wrap_unlink(const char *name);

ssize_t __wrap_write(int file, const void *bytes, size_t length)
{
    if (file <= STDERR_FILENO)
        return __real_write(file, bytes, length);
    if (disk.used >= disk.room) {
        errno = ENOSPC;
        return -1;
    }
    length = length < disk.room - disk.used ? length : (size_t)(disk.room - disk.used);
    disk.used += length;
    return __real_write(file, bytes, length);
}

int __wrap_fdatasync(int file)
{
    (void)file;
    disk.syncs++;
    return 0;
}

int __wrap_unlink(const char *name)
{
    struct stat status;
    if (stat(name, &status) == 0)
        disk.used -= (uint64_t)status.st_size;
    return __real_unlink(name);
}

static int clear(void **state)
{
    glob_t found;
    (void)state;
    if (glob("test_capture_series.*.tmp*", 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            __real_unlink(found.gl_pathv[i]);
    globfree(&found);
    disk.used = 0;
    disk.syncs = 0;
    disk.room = UINT64_MAX;
    return 0;
}

/* ---- packets -------------------------------------------------------------------------------------------------------
 */

static int64_t time_of(uint32_t number)
{
    return BEGIN + number * (SECOND / 10);
}

/* A packet is its number, over and over. */
static const uint8_t *bytes_of(uint32_t number)
{
    static uint32_t words[LENGTH / 4];
    for (size_t i = 0; i < LENGTH / 4; i++)
        words[i] = number;
    return (const uint8_t *)words;
}

/* What a part begins with. */
static int repeat(void *user, int64_t time, synthetic_take *take, void *taker)
{
    int outcome = 0;
    (void)user;
    for (uint32_t i = 0; i < REPEATED && outcome == 0; i++)
        outcome = take(taker, time, bytes_of(UINT32_MAX - i), LENGTH);
    return outcome;
}

static struct capture_series_wish wish_of(const char *output)
{
    return (struct capture_series_wish){.output = output, .robot = "10.0.0.2", .sync = 5 * SECOND, .repeat = repeat};
}

static int put(struct capture_series *recording, uint32_t number)
{
    if (capture_series_cut(recording, time_of(number), LENGTH) != 0)
        return -1;
    const struct capture_packet packet = {.time = time_of(number), .bytes = bytes_of(number), .length = LENGTH};
    return capture_series_packet(recording, &packet);
}

static struct capture_series *record(const struct capture_series_wish *wish, uint32_t count)
{
    struct capture_series *recording = capture_series_open(wish, BEGIN);
    assert_non_null(recording);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(put(recording, i), 0);
        assert_int_equal(capture_series_turn(recording, i * SECOND, false), 0);
    }
    assert_int_equal(capture_series_end(recording), 0);
    return recording;
}

/* Reads one part; it must go on with packet *next. Returns how many it has. */
static uint32_t read_part(const char *name, uint32_t *next, bool first, struct section_comment *section)
{
    const struct reader_wish wish = {.name = name};
    struct capture *capture = capture_open(&wish);
    struct armtap_packet packet;
    uint32_t count = 0;
    assert_non_null(capture);
    *section = *capture_section(capture);
    assert_int_equal(section->repeated, first ? 0 : REPEATED);
    for (uint32_t i = 0; i < section->repeated; i++) {
        if (capture_next(capture, &packet) != CAPTURE_PACKET)
            break;
        assert_memory_equal(packet.data, bytes_of(UINT32_MAX - i), LENGTH);
        assert_true(packet.where.time == time_of(*next));
    }
    for (; capture_next(capture, &packet) == CAPTURE_PACKET; count++, (*next)++) {
        assert_memory_equal(packet.data, bytes_of(*next), LENGTH);
        assert_true(packet.where.time == time_of(*next));
    }
    assert_int_equal(capture_next(capture, &packet), CAPTURE_END);
    capture_close(capture);
    return count;
}

/* Reads the parts in order of their names; they must hold the packets from `first` to `end`. Returns how many. */
static size_t read_parts(const char *pattern, uint32_t first, uint32_t end)
{
    struct section_comment before = {.part = 0}, section;
    glob_t found;
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        assert_true(read_part(found.gl_pathv[i], &first, i == 0 && first == 0, &section) > 0 || first == end);
        assert_true(i == 0 || section_comment_follows(&before, &section));
        before = section;
    }
    assert_int_equal(first, end);
    size_t count = found.gl_pathc;
    globfree(&found);
    return count;
}

/* ---- cases ---------------------------------------------------------------------------------------------------------
 */

static void names_tell_time_and_robot(void **state)
{
    static const struct {
        const char *pattern, *robot, *name;
        unsigned copy;
    } cases[] = {
        {"x.pcapng", "r", "x.pcapng", 1},
        {"x.pcapng", "r", "x_00002.pcapng", 2},
        {"d.e/x", "r", "d.e/x_00010", 10},
        {"d/%Y%m%dT%H%M%SZ-ROBOT.pcapng.gz", "10.0.0.2", "d/20261122T120007Z-10.0.0.2.pcapng.gz", 1},
        {"d/%Y%m%dT%H%M%SZ-ROBOT.pcapng.gz", "10.0.0.2", "d/20261122T120007Z-10.0.0.2_00003.pcapng.gz", 3},
        {"ROBOT%%ROBOT", "[fe80::1%eth0]", "-fe80--1-eth0-%-fe80--1-eth0-", 1},
        {"%H/.hidden", "../x", "12/.hidden_00002", 2},
        {"ROBOT", "../x", "..-x", 1},
    };
    char name[PART_NAME_MAX], longest[PART_NAME_MAX + 10];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(part_name(name, cases[i].pattern, cases[i].robot, BEGIN + 7 * SECOND + 1, cases[i].copy), 0);
        assert_string_equal(name, cases[i].name);
    }
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(part_name(name, longest, "r", BEGIN, 1), -1);
    longest[PART_NAME_MAX - 1] = '\0';
    assert_int_equal(part_name(name, longest, "r", BEGIN, 1), 0);
    assert_int_equal(part_name(name, longest, "r", BEGIN, 2), -1);
    assert_int_equal(part_name(name, "ROBOT", longest, BEGIN, 1), 0);
    assert_int_equal(part_name(name, "xROBOT", longest, BEGIN, 1), -1);
}

/* Cuts are at whole minutes, whenever the recording began. */
static void parts_by_time(void **state)
{
    struct capture_series_wish wish = wish_of("test_capture_series.%H%M%S.tmp.pcapng");
    (void)state;
    wish.rotate = 60 * SECOND;
    struct capture_series *recording = record(&wish, 3000);
    assert_int_equal(capture_series_totals(recording)->parts, 5);
    assert_int_equal(capture_series_totals(recording)->packets, 3000);
    assert_int_equal(disk.syncs,
                     3000 / 5 + 4); /* a turn each second, one sync in five; and one at each end of a part */
    capture_series_free(recording);
    assert_int_equal(read_parts("test_capture_series.*.tmp.pcapng", 0, 3000), 5);
    assert_int_equal(access("test_capture_series.120000.tmp.pcapng", F_OK), 0);
    assert_int_equal(access("test_capture_series.120400.tmp.pcapng", F_OK), 0);
}

/* No part is larger than asked for, all but the last are nearly so; one name for all is no obstacle. */
static void parts_by_size(void **state)
{
    struct capture_series_wish wish = wish_of("test_capture_series.size.tmp.pcapng");
    (void)state;
    wish.part_size = 20000;
    struct capture_series *recording = record(&wish, 1000);
    size_t parts = (size_t)capture_series_totals(recording)->parts;
    capture_series_free(recording);
    assert_int_equal(read_parts("test_capture_series.size.tmp*.pcapng", 0, 1000), parts);
    for (size_t i = 1; i <= parts; i++) {
        char name[80];
        struct stat status;
        snprintf(name, sizeof name,
                 i == 1 ? "test_capture_series.size.tmp.pcapng" : "test_capture_series.size.tmp_%05zu.pcapng", i);
        assert_int_equal(stat(name, &status), 0);
        assert_true(status.st_size <= 20000 && (i == parts || status.st_size > 20000 - 2 * LENGTH));
    }
}

/* A part that has room for nothing takes one record all the same. */
static void parts_too_small(void **state)
{
    struct capture_series_wish wish = wish_of("test_capture_series.small.tmp.pcapng");
    (void)state;
    wish.part_size = 1;
    struct capture_series *recording = record(&wish, 20);
    capture_series_free(recording);
    assert_int_equal(read_parts("test_capture_series.small.tmp*.pcapng", 0, 20), 20);
}

static void parts_are_deleted(void **state)
{
    struct capture_series_wish wish = wish_of("test_capture_series.keep.tmp.pcapng");
    (void)state;
    wish.part_size = 20000;
    wish.keep = 90000;
    struct capture_series *recording = capture_series_open(&wish, BEGIN);
    assert_non_null(recording);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(put(recording, i), 0);
        assert_int_equal(capture_series_turn(recording, i * SECOND, true), 0);
        assert_true(disk.used <= 110000);
    }
    assert_int_equal(capture_series_end(recording), 0);
    uint64_t deleted = capture_series_totals(recording)->deleted, parts = capture_series_totals(recording)->parts;
    capture_series_free(recording);
    assert_true(deleted > 20);
    assert_true(disk.used > 60000);
    struct section_comment section;
    char name[80];
    snprintf(name, sizeof name, "test_capture_series.keep.tmp_%05u.pcapng", (unsigned)deleted + 1);
    const struct reader_wish first = {.name = name};
    struct capture *capture = capture_open(&first);
    assert_non_null(capture);
    section = *capture_section(capture);
    assert_int_equal(section.part, deleted + 1);
    struct armtap_packet packet;
    for (uint32_t i = 0; i <= REPEATED; i++)
        assert_int_equal(capture_next(capture, &packet), CAPTURE_PACKET);
    uint32_t number;
    memcpy(&number, packet.data, sizeof number);
    capture_close(capture);
    assert_int_equal(read_parts("test_capture_series.keep.tmp*.pcapng", number, 1000), parts - deleted);
}

/* The oldest parts make room; without --keep it ends, and says how many packets are lost. */
static void a_full_disk(void **state)
{
    struct capture_series_wish wish = wish_of("test_capture_series.full.tmp.pcapng");
    (void)state;
    wish.part_size = 20000;
    wish.keep = 1000000;
    disk.room = 100000;
    struct capture_series *recording = record(&wish, 1000);
    assert_true(capture_series_totals(recording)->deleted > 20);
    assert_int_equal(capture_series_totals(recording)->lost, 0);
    assert_int_equal(capture_series_totals(recording)->packets, 1000);
    capture_series_free(recording);
    clear(NULL);
    disk.room = 100000;
    wish.keep = 0;
    recording = capture_series_open(&wish, BEGIN);
    assert_non_null(recording);
    uint32_t taken = 0;
    while (put(recording, taken) == 0 && capture_series_turn(recording, taken * SECOND, true) == 0)
        taken++;
    assert_int_equal(capture_series_end(recording), -1);
    assert_int_equal(put(recording, taken), -1);
    const struct capture_series_totals totals = *capture_series_totals(recording);
    capture_series_free(recording);
    assert_true(totals.lost == 1);
    assert_int_equal(totals.packets + totals.lost, taken + 1);
    read_parts("test_capture_series.full.tmp*.pcapng", 0, (uint32_t)totals.packets);
}

static void nothing_is_overwritten(void **state)
{
    struct capture_series_wish wish = wish_of("test_capture_series.own.tmp.pcapng");
    (void)state;
    capture_series_free(record(&wish, 10));
    assert_null(capture_series_open(&wish, BEGIN));
    read_parts("test_capture_series.own.tmp.pcapng", 0, 10);
    wish.output = "test_capture_series.%H.tmp.pcapng";
    capture_series_free(record(&wish, 10));
    capture_series_free(record(&wish, 20));
    read_parts("test_capture_series.12.tmp.pcapng", 0, 10);
    read_parts("test_capture_series.12.tmp_00002.pcapng", 0, 20);
    wish.output = "no/such/folder/x";
    assert_null(capture_series_open(&wish, BEGIN));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, clear, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(names_tell_time_and_robot), CASE(parts_by_time), CASE(parts_by_size),          CASE(parts_too_small),
        CASE(parts_are_deleted),         CASE(a_full_disk),   CASE(nothing_is_overwritten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
