/* Captures that armtap writes: read back packet by packet and from their bytes, with disks that are full or slow. The
 * linker replaces file_write_some(), fdatasync() and path_sync_folder() by those below. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <string.h>

#include "base/os/names.h"
#include "base/os/path.h"
#include "input/capture/capture.h"
#include "nanoseconds.h"
#include "record/capture_series.h"

#define NAME "test_capture_file.tmp.pcapng"
#define ZIPPED NAME ".gz"
#define BEGIN (INT64_C(1795000000) * SECOND)
#define PACKET_MAX 65535

static const struct section_comment from_socket = {
    .from_socket = true, .recording = "0123456789abcdef", .part = 3, .repeated = 7};

/* ---- the disk ------------------------------------------------------------------------------------------------------
 */

static struct {
    size_t room;    /* bytes that fit */
    size_t at_once; /* bytes that one write takes */
    int error;      /* of a write without room */
    unsigned syncs, folders;
} disk;

ptrdiff_t __real_file_write_some(int file, const void *bytes, size_t length);
ptrdiff_t __wrap_file_write_some(int file, const void *bytes, size_t length);
int __wrap_fdatasync(int file);
int __wrap_path_sync_folder(const char *folder);

ptrdiff_t __wrap_file_write_some(int file, const void *bytes, size_t length)
{
    if (disk.room == 0) {
        errno = disk.error;
        return -1;
    }
    length = length < disk.at_once ? length : disk.at_once;
    length = length < disk.room ? length : disk.room;
    disk.room -= length;
    return __real_file_write_some(file, bytes, length);
}

int __wrap_fdatasync(int file)
{
    (void)file;
    disk.syncs++;
    return 0;
}

int __wrap_path_sync_folder(const char *folder)
{
    assert_string_equal(folder, ".");
    disk.folders++;
    return 0;
}

static int reset(void **state)
{
    (void)state;
    disk.room = disk.at_once = SIZE_MAX;
    disk.error = ENOSPC;
    disk.syncs = disk.folders = 0;
    unlink(NAME);
    unlink(ZIPPED);
    return 0;
}

/* ---- packets -------------------------------------------------------------------------------------------------------
 */

static uint8_t bytes[PACKET_MAX];

/* Packet `number` has a length and bytes of its own. */
static struct capture_packet packet_of(uint32_t number)
{
    size_t length = number * 7919 % 1500 + 20;
    if (number % 97 == 96)
        length = PACKET_MAX;
    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)(number + i);
    return (struct capture_packet){.time = BEGIN + number * INT64_C(2000001), .bytes = bytes, .length = length};
}

static enum capture_file_outcome put(struct capture_file *file, uint32_t number)
{
    struct capture_packet packet = packet_of(number);
    return capture_file_packet(file, &packet);
}

/* Reads the file to its end: it must hold the first `count` packets, and end well if `whole`. */
static void check_file(const char *name, uint32_t count, bool whole)
{
    const struct reader_wish wish = {.name = name, .quiet = !whole};
    struct capture *capture = capture_open(&wish);
    struct armtap_packet packet = {.size = sizeof packet};
    enum capture_outcome outcome;
    uint32_t found = 0;
    assert_non_null(capture);
    for (; (outcome = capture_next(capture, &packet)) == CAPTURE_PACKET; found++) {
        struct capture_packet wanted = packet_of(found);
        assert_int_equal(packet.link_type, 101);
        assert_true(packet.where.time == wanted.time);
        assert_int_equal(packet.captured, wanted.length);
        assert_int_equal(packet.length, wanted.length);
        assert_memory_equal(packet.data, wanted.bytes, wanted.length);
    }
    assert_int_equal(found, count);
    assert_int_equal(outcome, whole ? CAPTURE_END : CAPTURE_DAMAGED);
    capture_close(capture);
}

static void write_file(const char *name, uint32_t count)
{
    struct capture_file *file = capture_file_open(name, &from_socket);
    assert_non_null(file);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(put(file, i), CAPTURE_FILE_OK);
    assert_int_equal(capture_file_end(file), CAPTURE_FILE_OK);
    assert_int_equal(capture_file_free(file), 0);
}

/* ---- cases ---------------------------------------------------------------------------------------------------------
 */

static void what_is_written_is_read(void **state)
{
    (void)state;
    write_file(NAME, 1000);
    check_file(NAME, 1000, true);
    assert_int_equal(disk.folders, 1);
    assert_true(disk.syncs > 0);
}

static void compressed_too(void **state)
{
    struct stat plain, zipped;
    (void)state;
    write_file(NAME, 1000);
    write_file(ZIPPED, 1000);
    check_file(ZIPPED, 1000, true);
    assert_int_equal(stat(NAME, &plain), 0);
    assert_int_equal(stat(ZIPPED, &zipped), 0);
    assert_true(zipped.st_size < plain.st_size / 2);
}

static size_t load_file(const char *name, uint8_t *to, size_t room)
{
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    size_t length = fread(to, 1, room, file);
    fclose(file);
    return length;
}

/* Two blocks as the specification of pcapng has them, in the byte order of the machine that writes. */
static void blocks_as_specified(void **state)
{
    static const uint8_t ip[] = {0x45, 1, 2, 3, 4};
    static const struct {
        uint32_t type, length, interface, time[2], captured, original;
        uint8_t bytes[8];
        uint16_t comment, comment_length;
        char text[4];
        uint16_t dropped, dropped_length;
        uint64_t count;
        uint16_t end[2];
        uint32_t length_again;
    } packet = {6, 64, 0, {1, 2}, 5, 5, {0x45, 1, 2, 3, 4}, 1, 2, "hi", 4, 8, 9, {0, 0}, 64};
    static const struct {
        uint32_t type, length, interface, time[2];
        uint16_t dropped, dropped_length;
        uint64_t count;
        uint16_t end[2];
        uint32_t length_again;
    } statistics = {5, 40, 0, {1, 2}, 7, 8, 9, {0, 0}, 40};
    uint8_t all[1024];
    const struct capture_packet one = {
        .time = (INT64_C(1) << 32) + 2, .bytes = ip, .length = sizeof ip, .dropped = 9, .comment = "hi"};
    (void)state;
    struct capture_file *file = capture_file_open(NAME, &from_socket);
    assert_non_null(file);
    assert_int_equal(capture_file_packet(file, &one), CAPTURE_FILE_OK);
    assert_int_equal(capture_file_end(file), CAPTURE_FILE_OK);
    assert_int_equal(capture_file_cost(&one), 64);
    uint64_t size = capture_file_size(file);
    capture_file_free(file);
    size_t length = load_file(NAME, all, sizeof all);
    assert_int_equal(length, size);
    assert_int_equal(sizeof packet + sizeof statistics, 104);
    assert_memory_equal(all + length - 40, &statistics, 40);
    assert_memory_equal(all + length - 104, &packet, 64);
}

static void readers_learn_where_it_comes_from(void **state)
{
    (void)state;
    write_file(NAME, 10);
    struct capture *capture = capture_open(&(struct reader_wish){.name = NAME});
    assert_non_null(capture);
    const struct section_comment *comment = capture_section(capture);
    assert_true(comment->from_socket);
    assert_string_equal(comment->recording, from_socket.recording);
    assert_int_equal(comment->part, from_socket.part);
    assert_int_equal(comment->repeated, from_socket.repeated);
    assert_int_equal(capture_comments(capture)->count, 0);
    capture_close(capture);
}

static void other_comments_mean_nothing(void **state)
{
    static const char *const others[] = {"",
                                         "armtap",
                                         "armtap 1.0.0",
                                         "tcpdump: from a socket",
                                         "armtap 1.0.0: from a s",
                                         "x armtap 1.0.0: from a socket"};
    const struct section_comment alone = {.from_socket = true};
    char text[SECTION_COMMENT_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(armtap_section_comment_read(others[i], strlen(others[i])).from_socket);
    size_t length = armtap_section_comment_write(text, &alone);
    struct section_comment read = armtap_section_comment_read(text, length);
    assert_true(read.from_socket);
    assert_string_equal(read.recording, "");
    length = armtap_section_comment_write(text, &from_socket);
    for (size_t i = 0; i <= length; i++) {
        read = armtap_section_comment_read(text, i);
        assert_true(read.repeated == 0 || read.repeated == from_socket.repeated);
    }
}

static void parts_follow_one_another(void **state)
{
    struct section_comment next = from_socket, other = from_socket;
    const struct section_comment none = {.part = 2}, first = {.part = 3};
    (void)state;
    next.part++;
    other.part++;
    other.recording[0] = '1';
    assert_true(armtap_section_comment_follows(&from_socket, &next));
    assert_false(armtap_section_comment_follows(&next, &from_socket));
    assert_false(armtap_section_comment_follows(&from_socket, &from_socket));
    assert_false(armtap_section_comment_follows(&from_socket, &other));
    assert_false(armtap_section_comment_follows(&none, &first));
}

/* The disk takes a few bytes at a time, and is full now and then: nothing is lost. */
static void a_full_disk_is_waited_for(void **state)
{
    static const char *const names[] = {NAME, ZIPPED};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        unsigned full = 0;
        struct capture_file *file = capture_file_open(names[k], &from_socket);
        assert_non_null(file);
        disk.at_once = 1001;
        for (uint32_t i = 0; i < 2000; i++) {
            disk.room = i % 3 == 0 ? 0 : 30011;
            enum capture_file_outcome outcome = put(file, i);
            assert_true(outcome == CAPTURE_FILE_OK || outcome == CAPTURE_FILE_FULL);
            full += outcome == CAPTURE_FILE_FULL ? 1 : 0;
        }
        assert_true(full > 0);
        disk.room = 0;
        assert_int_equal(capture_file_end(file), CAPTURE_FILE_FULL);
        disk.room = SIZE_MAX;
        assert_int_equal(capture_file_end(file), CAPTURE_FILE_OK);
        assert_int_equal(capture_file_free(file), 0);
        check_file(names[k], 2000, true);
    }
}

/* What fits stays, in whole packets; the rest is counted. */
static void a_full_disk_leaves_whole_packets(void **state)
{
    (void)state;
    for (size_t room = 5000; room < 400000; room += 9973) {
        reset(NULL);
        struct capture_file *file = capture_file_open(NAME, &from_socket);
        uint32_t taken = 0;
        assert_non_null(file);
        disk.room = room;
        for (enum capture_file_outcome outcome = CAPTURE_FILE_OK; outcome == CAPTURE_FILE_OK; taken++)
            outcome = put(file, taken);
        uint64_t lost = capture_file_free(file);
        assert_true(lost < taken);
        check_file(NAME, taken - (uint32_t)lost, true);
        uint64_t next = capture_file_cost(&(struct capture_packet){.length = PACKET_MAX});
        struct stat status;
        assert_int_equal(stat(NAME, &status), 0);
        assert_true((uint64_t)status.st_size <= room && (uint64_t)status.st_size + next > room);
    }
}

static void a_full_disk_leaves_whole_gzip(void **state)
{
    (void)state;
    struct capture_file *file = capture_file_open(ZIPPED, &from_socket);
    uint32_t taken = 0;
    assert_non_null(file);
    disk.room = 70000;
    for (enum capture_file_outcome outcome = CAPTURE_FILE_OK; outcome == CAPTURE_FILE_OK; taken++)
        outcome = put(file, taken);
    uint64_t lost = capture_file_free(file);
    assert_true(lost > 0 && lost < taken);
    check_file(ZIPPED, taken - (uint32_t)lost, false); /* the end of gzip is missing */
}

static void other_errors_are_told(void **state)
{
    static const struct {
        int error;
        enum capture_file_outcome outcome;
    } cases[] = {{EIO, CAPTURE_FILE_FAILED}, {EPIPE, CAPTURE_FILE_CLOSED}, {EDQUOT, CAPTURE_FILE_FULL}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reset(NULL);
        struct capture_file *file = capture_file_open(NAME, &from_socket);
        assert_non_null(file);
        disk.room = 0;
        disk.error = cases[i].error;
        assert_int_equal(put(file, 0), CAPTURE_FILE_OK);
        assert_int_equal(capture_file_sync(file), cases[i].outcome);
        assert_int_equal(capture_file_free(file), 1);
    }
}

/* After a sync, everything is in the file, though the program be killed then. */
static void synced_packets_stay(void **state)
{
    static const char *const names[] = {NAME, ZIPPED};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        reset(NULL);
        struct capture_file *file = capture_file_open(names[k], &from_socket);
        assert_non_null(file);
        for (uint32_t i = 0; i < 50; i++)
            assert_int_equal(put(file, i), CAPTURE_FILE_OK);
        assert_int_equal(disk.syncs, 0);
        assert_int_equal(capture_file_sync(file), CAPTURE_FILE_OK);
        assert_int_equal(disk.syncs, 1);
        check_file(names[k], 50, k == 0);
        capture_file_free(file);
    }
}

static void no_file_is_overwritten(void **state)
{
    (void)state;
    write_file(NAME, 3);
    assert_null(capture_file_open(NAME, &from_socket));
    assert_int_equal(errno, EEXIST);
    assert_null(capture_file_open("no/such/folder/x.pcapng", &from_socket));
    assert_int_equal(errno, ENOENT);
    check_file(NAME, 3, true);
}

static int remove_files(void **state)
{
    return reset(state);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, reset, remove_files)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_is_written_is_read),       CASE(compressed_too),
        CASE(blocks_as_specified),           CASE(readers_learn_where_it_comes_from),
        CASE(other_comments_mean_nothing),   CASE(parts_follow_one_another),
        CASE(a_full_disk_is_waited_for),     CASE(a_full_disk_leaves_whole_packets),
        CASE(a_full_disk_leaves_whole_gzip), CASE(other_errors_are_told),
        CASE(synced_packets_stay),           CASE(no_file_is_overwritten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
