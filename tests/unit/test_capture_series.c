/* Recordings in parts: names, cuts, what a part repeats, what is deleted, full disks. The linker replaces
 * file_write_some(), fdatasync() and path_remove() by those below. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <string.h>

#include "base/os/names.h"
#include "base/os/path.h"
#include "input/capture/capture.h"
#include "nanoseconds.h"
#include "record/rotation.h"
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

ptrdiff_t __real_file_write_some(int file, const void *bytes, size_t length);
ptrdiff_t __wrap_file_write_some(int file, const void *bytes, size_t length);
int __wrap_fdatasync(int file);
int __real_path_remove(const char *name);
int __wrap_path_remove(const char *name);

ptrdiff_t __wrap_file_write_some(int file, const void *bytes, size_t length)
{
    if (disk.used >= disk.room) {
        errno = ENOSPC;
        return -1;
    }
    length = length < disk.room - disk.used ? length : (size_t)(disk.room - disk.used);
    disk.used += length;
    return __real_file_write_some(file, bytes, length);
}

int __wrap_fdatasync(int file)
{
    (void)file;
    disk.syncs++;
    return 0;
}

int __wrap_path_remove(const char *name)
{
    struct stat status;
    if (stat(name, &status) == 0)
        disk.used -= (uint64_t)status.st_size;
    return __real_path_remove(name);
}

/* When a run begins, after BEGIN. */
static int64_t later;

/* The files of this run, and those that it found. */
static struct kept_parts *kept;

static int clear(void **state)
{
    glob_t found;
    (void)state;
    kept_parts_free(kept);
    kept = NULL;
    later = 0;
    if (glob("test_capture_series.*.tmp*", 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            __real_path_remove(found.gl_pathv[i]);
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
    return BEGIN + later + number * (SECOND / 10);
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

static struct capture_series_wish wish_of(const char *output, uint64_t keep)
{
    kept_parts_free(kept);
    kept = kept_parts_new(keep);
    assert_non_null(kept);
    assert_int_equal(kept_parts_find(kept, output, "10.0.0.2"), 0);
    return (struct capture_series_wish){
        .output = output, .robot = "10.0.0.2", .sync = 5 * SECOND, .repeat = repeat, .kept = kept};
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
    struct capture_series *recording = capture_series_open(wish, BEGIN + later);
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
    struct armtap_packet packet = {.size = sizeof packet};
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
        assert_true(i == 0 || armtap_section_comment_follows(&before, &section));
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
    struct capture_series_wish wish = wish_of("test_capture_series.%H%M%S.tmp.pcapng", 0);
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
    struct capture_series_wish wish = wish_of("test_capture_series.size.tmp.pcapng", 0);
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
    struct capture_series_wish wish = wish_of("test_capture_series.small.tmp.pcapng", 0);
    (void)state;
    wish.part_size = 1;
    struct capture_series *recording = record(&wish, 20);
    capture_series_free(recording);
    assert_int_equal(read_parts("test_capture_series.small.tmp*.pcapng", 0, 20), 20);
}

static void parts_are_deleted(void **state)
{
    struct capture_series_wish wish = wish_of("test_capture_series.keep.tmp.pcapng", 90000);
    (void)state;
    wish.part_size = 20000;
    struct capture_series *recording = capture_series_open(&wish, BEGIN);
    assert_non_null(recording);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(put(recording, i), 0);
        assert_int_equal(capture_series_turn(recording, i * SECOND, true), 0);
        assert_true(disk.used <= 110000);
    }
    assert_int_equal(capture_series_end(recording), 0);
    uint64_t deleted = kept_parts_deleted(kept), parts = capture_series_totals(recording)->parts;
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
    struct armtap_packet packet = {.size = sizeof packet};
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
    struct capture_series_wish wish = wish_of("test_capture_series.full.tmp.pcapng", 1000000);
    (void)state;
    wish.part_size = 20000;
    disk.room = 100000;
    struct capture_series *recording = record(&wish, 1000);
    assert_true(kept_parts_deleted(kept) > 20);
    assert_int_equal(capture_series_totals(recording)->lost, 0);
    assert_int_equal(capture_series_totals(recording)->packets, 1000);
    capture_series_free(recording);
    clear(NULL);
    disk.room = 100000;
    wish = wish_of("test_capture_series.full.tmp.pcapng", 0);
    wish.part_size = 20000;
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

/* ---- runs after one another ---- */

#define KEEP 90000
#define PART 20000

static bool is_there(const char *name)
{
    struct file_status status;
    return file_status_of_link(name, &status) == 0;
}

static uint64_t bytes_of_all(const char *pattern)
{
    glob_t found;
    uint64_t sum = 0;
    if (glob(pattern, 0, NULL, &found) != 0)
        return 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct stat status;
        assert_int_equal(stat(found.gl_pathv[i], &status), 0);
        sum += (uint64_t)status.st_size;
    }
    globfree(&found);
    return sum;
}

/* Runs go on from `run` to `end`, an hour after one another; after each all files of the pattern fit together. */
static void run_again(const char *pattern, const char *files, unsigned run, unsigned end)
{
    for (; run < end; run++) {
        struct capture_series_wish wish = wish_of(pattern, KEEP);
        later = run * 3600 * SECOND;
        wish.part_size = PART;
        struct capture_series *recording = capture_series_open(&wish, BEGIN + later);
        assert_non_null(recording);
        for (uint32_t i = 0; i < 120; i++) {
            assert_int_equal(put(recording, i), 0);
            assert_int_equal(capture_series_turn(recording, i * SECOND, true), 0);
            assert_true(run == 0 || i < 10 || bytes_of_all(files) <= KEEP + PART);
        }
        assert_int_equal(capture_series_end(recording), 0);
        capture_series_free(recording);
        assert_true(bytes_of_all(files) <= KEEP + PART);
    }
}

/* What earlier runs left counts, whatever of the name tells the time, and the oldest goes first. */
static void earlier_runs_count(void **state)
{
    static const char *const patterns[][2] = {
        {"test_capture_series.%Y%m%dT%H%M%SZ-ROBOT.tmp.pcapng", "test_capture_series.*.tmp*"},
        {"test_capture_series.%j-%H.tmp", "test_capture_series.*.tmp*"},
        {"test_capture_series.%d.tmp.x", "test_capture_series.*.tmp*"},
        /* Windows has no such names. */
        {"./test_capture_series.ROBOT.%F_%T.tmp.pcapng", "test_capture_series.*.tmp*"},
        {"test_capture_series.[%s]*?%%.tmp.pcapng", "test_capture_series.*.tmp*"},
    };
    for (size_t i = 0; i < (ON_WINDOWS ? 3 : 5); i++) {
        glob_t found;
        clear(state);
        run_again(patterns[i][0], patterns[i][1], 0, 4);
        assert_int_equal(glob(patterns[i][1], 0, NULL, &found), 0);
        for (size_t k = 0; k < found.gl_pathc; k++) {
            const struct reader_wish one = {.name = found.gl_pathv[k]};
            struct armtap_packet packet = {.size = sizeof packet};
            struct capture *capture = capture_open(&one);
            assert_non_null(capture);
            assert_int_equal(capture_next(capture, &packet), CAPTURE_PACKET);
            assert_true(packet.where.time >= BEGIN + 2 * 3600 * SECOND); /* the two first runs are gone */
            capture_close(capture);
        }
        globfree(&found);
    }
}

static void write_text(const char *name)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs("mine", file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Nothing is deleted that armtap did not record under such a name. */
static void others_files_stay(void **state)
{
    static const char pattern[] = "test_capture_series.%H%M%S.tmp.pcapng";
    static const char *const others[] = {
        "test_capture_series.100000.tmp.pcapng",       /* text */
        "test_capture_series.100001.tmp_00002.pcapng", /* another's capture */
        "test_capture_series.1000.tmp.pcapng",         /* armtap's, of other patterns, from here on */
        "test_capture_series.1000000.tmp.pcapng",      "test_capture_series.100002.tmp_2.pcapng",
        "test_capture_series.100002.tmp.pcapng.gz",    "test_capture_series.x00002.tmp.pcapng",
        "test_capture_series.-100003.tmp.pcapng",
    };
    static const uint8_t plain[] = {0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0, 0,   0, 0, 0,
                                    0,    0,    0,    0,    0, 0, 4, 0, 101, 0, 0, 0};
    (void)state;
    later = -7200 * SECOND;
    for (size_t i = 2; i < sizeof others / sizeof *others; i++) {
        const struct capture_series_wish wish = wish_of(others[i], 0);
        capture_series_free(record(&wish, 10));
    }
    write_text(others[0]);
    FILE *file = fopen(others[1], "w");
    assert_non_null(file);
    assert_int_equal(fwrite(plain, 1, sizeof plain, file), sizeof plain);
    fclose(file);
    bool has_link = make_link(others[2], "test_capture_series.100004.tmp.pcapng") == 0;
    assert_true(has_link || ON_WINDOWS);
    const struct capture_series_wish open = wish_of("test_capture_series.100005.tmp.pcapng", 0);
    struct kept_parts *of_other_run = kept;
    kept = NULL;
    struct capture_series *written = capture_series_open(&open, BEGIN + later); /* by another run, still */
    assert_non_null(written);
    for (unsigned run = 0; run < 3; run++) {
        struct capture_series_wish wish = wish_of(pattern, 25000);
        later = run * 3600 * SECOND;
        wish.part_size = PART;
        capture_series_free(record(&wish, 100));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_true(is_there(others[i]));
    assert_int_equal(is_there("test_capture_series.100004.tmp.pcapng"), has_link);
    assert_true(is_there("test_capture_series.100005.tmp.pcapng"));
    assert_false(is_there("test_capture_series.120000.tmp.pcapng"));
    capture_series_end(written);
    capture_series_free(written);
    kept_parts_free(of_other_run);
}

/* A file that took the place of a recording meanwhile is not deleted for it. */
static void replaced_files_stay(void **state)
{
    struct capture_series_wish wish = wish_of("test_capture_series.%H%M%S.tmp.pcapng", 25000);
    (void)state;
    wish.part_size = PART;
    struct capture_series *recording = capture_series_open(&wish, BEGIN);
    assert_non_null(recording);
    uint32_t i = 0;
    for (; capture_series_totals(recording)->parts < 2; i++)
        assert_int_equal(put(recording, i), 0);
    assert_int_equal(rename("test_capture_series.120000.tmp.pcapng", "test_capture_series.moved.tmp"), 0);
    write_text("test_capture_series.120000.tmp.pcapng");
    for (; i < 300; i++)
        assert_int_equal(put(recording, i), 0);
    assert_int_equal(capture_series_end(recording), 0);
    capture_series_free(recording);
    assert_true(is_there("test_capture_series.120000.tmp.pcapng"));
    assert_true(is_there("test_capture_series.moved.tmp"));
}

static void nothing_is_overwritten(void **state)
{
    struct capture_series_wish wish = wish_of("test_capture_series.own.tmp.pcapng", 0);
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
        CASE(names_tell_time_and_robot), CASE(parts_by_time),      CASE(parts_by_size),
        CASE(parts_too_small),           CASE(parts_are_deleted),  CASE(a_full_disk),
        CASE(nothing_is_overwritten),    CASE(earlier_runs_count), CASE(others_files_stay),
        CASE(replaced_files_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
