/* Capture files, read back packet by packet. The files are built here byte by byte; error messages are checked, too. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <string.h>
#include <zlib.h>

#include "base/os/file.h"
#include "base/os/names.h"
#include "input/capture/capture.h"
#include "input/files/file_reader.h"

#define ROOM 8192
#define FILE_NAME "test_capture.tmp"
#define MESSAGE_NAME "test_capture.err"

struct file {
    uint8_t bytes[ROOM];
    size_t length;
    bool big_endian;
};

static void put(struct file *file, uint64_t number, size_t width)
{
    assert_true(file->length + width <= ROOM);
    for (size_t i = 0; i < width; i++) {
        size_t shift = 8 * (file->big_endian ? width - 1 - i : i);
        file->bytes[file->length++] = (uint8_t)(number >> shift);
    }
}

static void put_bytes(struct file *file, const void *bytes, size_t length)
{
    assert_true(file->length + length <= ROOM);
    memcpy(file->bytes + file->length, bytes, length);
    file->length += length;
}

/* ---- pcap ------------------------------------------------------------------------------------------------------ */

static void put_pcap_header(struct file *file, uint32_t magic, uint32_t link_type)
{
    put(file, magic, 4);
    put(file, 2, 2);
    put(file, 4, 2);
    put(file, 0, 8);
    put(file, 65535, 4);
    put(file, link_type, 4);
}

/* A packet of `captured` bytes, each holding its number. */
static void put_packet(struct file *file, uint32_t seconds, uint32_t fraction, uint8_t number, uint32_t captured)
{
    put(file, seconds, 4);
    put(file, fraction, 4);
    put(file, captured, 4);
    put(file, captured + 2, 4);
    for (uint32_t i = 0; i < captured; i++)
        put(file, number, 1);
}

static void put_three_packets(struct file *file)
{
    put_packet(file, 1700000000, 123456, 1, 40);
    put_packet(file, 1700000000, 999999, 2, 0);
    put_packet(file, 1700000001, 0, 3, 61);
}

/* ---- gzip, without compression, worked out by hand from RFC 1951 and 1952 ---------------------------------------- */

static uint32_t crc32_of(const uint8_t *bytes, size_t length)
{
    uint32_t crc = 0xFFFFFFFF;
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xEDB88320 & (0 - (crc & 1)));
    }
    return ~crc;
}

static void put_member(struct file *file, const uint8_t *bytes, size_t length)
{
    put_bytes(file, "\x1F\x8B\x08\0\0\0\0\0\0\3", 10);
    put(file, 1, 1);
    put(file, length, 2);
    put(file, ~length, 2);
    put_bytes(file, bytes, length);
    put(file, crc32_of(bytes, length), 4);
    put(file, length, 4);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

struct reading {
    bool opened;
    bool raw;
    int last; /* the last call's return value */
    size_t count;
    struct armtap_packet packet[8];
    uint8_t first_byte[8];
    char message[4096];
};

static void save(const struct file *file)
{
    FILE *stream = fopen(FILE_NAME, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(file->bytes, 1, file->length, stream), file->length);
    assert_int_equal(fclose(stream), 0);
}

static void read_packets(struct capture *capture, struct reading *reading)
{
    struct armtap_packet packet = {.size = sizeof packet};
    while ((reading->last = capture_next(capture, &packet)) == CAPTURE_PACKET) {
        assert_true(reading->count < 8);
        reading->first_byte[reading->count] = packet.captured == 0 ? 0 : packet.data[0];
        for (size_t i = 0; i < packet.captured; i++)
            assert_int_equal(packet.data[i], packet.data[0]);
        reading->packet[reading->count++] = packet;
    }
    assert_int_equal(capture_next(capture, &packet), 0);
}

/* Reads a file, with its messages redirected to a file. */
static void read_file(const char *name, struct reading *reading)
{
    memset(reading, 0, sizeof *reading);
    fflush(stderr);
    int kept = dup(STDERR_FILENO);
    assert_non_null(freopen(MESSAGE_NAME, "w+", stderr));
    struct capture *capture = capture_open(&(struct reader_wish){.name = name});
    reading->opened = capture != NULL;
    if (capture) {
        reading->raw = capture_is_raw(capture);
        if (!reading->raw)
            read_packets(capture, reading);
        capture_close(capture);
    }
    fflush(stderr);
    rewind(stderr);
    size_t length = fread(reading->message, 1, sizeof reading->message - 1, stderr);
    reading->message[length] = '\0';
    dup2(kept, STDERR_FILENO);
    close(kept);
    remove(MESSAGE_NAME);
}

static void read_back(const struct file *file, struct reading *reading)
{
    save(file);
    read_file(FILE_NAME, reading);
    remove(FILE_NAME);
}

static void expect_message(const struct reading *reading, const char *part)
{
    if (!strstr(reading->message, part))
        fail_msg("\"%s\" is not in the message: %s", part, reading->message);
    const char *end = strchr(reading->message, '\n');
    assert_non_null(end);
    assert_int_equal(end[1], '\0');
}

static void expect_three(const struct reading *reading)
{
    assert_int_equal(reading->count, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(reading->packet[i].where.packet, i + 1);
        assert_int_equal(reading->packet[i].link_type, 1);
        assert_int_equal(reading->packet[i].length, reading->packet[i].captured + 2);
    }
    assert_int_equal(reading->first_byte[0], 1);
    assert_int_equal(reading->first_byte[2], 3);
    assert_int_equal(reading->packet[0].captured, 40);
    assert_int_equal(reading->packet[1].captured, 0);
    assert_int_equal(reading->packet[2].captured, 61);
}

/* How many of the three packets are whole in the first `length` bytes of a file; its header has 24 bytes, a
 * packet's 16. */
static size_t packets_before(size_t length)
{
    return length < 80 ? 0 : length < 96 ? 1 : length < 173 ? 2 : 3;
}

static void pcap_of_all_kinds(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        struct file file = {.big_endian = kind % 2 == 1};
        struct reading reading;
        int64_t unit = kind < 2 ? 1000 : 1;
        put_pcap_header(&file, kind < 2 ? 0xA1B2C3D4 : 0xA1B23C4D, 1);
        put_three_packets(&file);
        read_back(&file, &reading);
        assert_int_equal(reading.last, 0);
        assert_string_equal(reading.message, "");
        expect_three(&reading);
        assert_true(reading.packet[0].where.time == INT64_C(1700000000000000000) + 123456 * unit);
        assert_true(reading.packet[1].where.time == INT64_C(1700000000000000000) + 999999 * unit);
        assert_true(reading.packet[2].where.time == INT64_C(1700000001000000000));
    }
}

/* ---- pcapng ---------------------------------------------------------------------------------------------------- */

static void put_section(struct file *file)
{
    put(file, 0x0A0D0D0A, 4);
    put(file, 28, 4);
    put(file, 0x1A2B3C4D, 4);
    put(file, 1, 2);
    put(file, 0, 2);
    put(file, UINT64_MAX, 8);
    put(file, 28, 4);
}

/* An interface with a name of four letters and times in nanoseconds. */
static void put_interface(struct file *file, uint32_t link_type, uint32_t snapshot_length, const char *name)
{
    put(file, 1, 4);
    put(file, 40, 4);
    put(file, link_type, 2);
    put(file, 0, 2);
    put(file, snapshot_length, 4);
    put(file, 2, 2);
    put(file, 4, 2);
    put_bytes(file, name, 4);
    put(file, 9, 2);
    put(file, 1, 2);
    put_bytes(file, "\x09\0\0\0", 4);
    put(file, 0, 4);
    put(file, 40, 4);
}

static void put_enhanced(struct file *file, uint64_t time, uint8_t number)
{
    put(file, 6, 4);
    put(file, 72, 4);
    put(file, 0, 4);
    put(file, time >> 32, 4);
    put(file, time & 0xFFFFFFFF, 4);
    put(file, 40, 4);
    put(file, 42, 4);
    for (int i = 0; i < 40; i++)
        put(file, number, 1);
    put(file, 72, 4);
}

static void pcapng_of_both_orders(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        struct file file = {.big_endian = kind == 1};
        struct reading reading;
        put_section(&file);
        put_interface(&file, 1, 65535, "eth0");
        put_enhanced(&file, UINT64_C(1700000000123456789), 7);
        read_back(&file, &reading);
        assert_int_equal(reading.last, 0);
        assert_int_equal(reading.count, 1);
        assert_true(reading.packet[0].where.time == INT64_C(1700000000123456789));
        assert_int_equal(reading.first_byte[0], 7);
    }
}

/* A packet of an interface. */
static void put_packet_of(struct file *file, uint32_t interface, uint64_t time, uint8_t number)
{
    size_t begin = file->length;
    put_enhanced(file, time, number);
    size_t end = file->length;
    file->length = begin + 8;
    put(file, interface, 4);
    file->length = end;
}

/* In a section of either byte order each packet has its interface's link type; statistics of a link type that armtap
 * does not read are no reason to stop. */
static void pcapng_with_interfaces_that_differ(void **state)
{
    struct reading reading;
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        struct file file = {.big_endian = kind % 2};
        put_section(&file);
        put_interface(&file, 1, 65535, "eth0");
        put_enhanced(&file, 1000, 1);
        put_interface(&file, 113, 96, "any0");
        put_packet_of(&file, 1, 2000, 2);
        file.big_endian = kind / 2;
        put_section(&file);
        put_interface(&file, 276, 65535, "any1");
        put_enhanced(&file, 3000, 3);
        read_back(&file, &reading);
        assert_string_equal(reading.message, "");
        assert_int_equal(reading.last, 0);
        assert_int_equal(reading.count, 3);
        static const int link_types[] = {1, 113, 276};
        for (int i = 0; i < 3; i++) {
            assert_int_equal(reading.packet[i].link_type, link_types[i]);
            assert_int_equal(reading.packet[i].where.time, 1000 * (i + 1));
            assert_int_equal(reading.first_byte[i], i + 1);
        }
    }
}

/* Packets of link types without TCP beside others are a warning; without others they are what is wrong. */
static void pcapng_with_link_types_that_are_not_read(void **state)
{
    struct reading reading;
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        struct file file = {.big_endian = false};
        put_section(&file);
        put_interface(&file, 127, 65535, "mon0");
        put_enhanced(&file, 1000, 1);
        if (kind == 1) {
            put_interface(&file, 1, 65535, "eth0");
            put_packet_of(&file, 1, 2000, 2);
        }
        read_back(&file, &reading);
        assert_int_equal(reading.count, 1 + kind);
        assert_int_equal(reading.last, kind == 0 ? -1 : 0);
        expect_message(&reading, kind == 0 ? FILE_NAME ": armtap cannot read TCP from link type 127 ("
                                           : "1 of 2 packets have link type 127 (");
    }
}

/* Packets dropped by the interface (option 5) and by the system (7), after an unrelated option. */
static void put_statistics(struct file *file, uint32_t interface, uint64_t by_interface, uint64_t by_system)
{
    put(file, 5, 4);
    put(file, 64, 4);
    put(file, interface, 4);
    put(file, 0, 8);
    for (unsigned option = 4; option <= 7; option++) {
        if (option == 6)
            continue;
        put(file, option, 2);
        put(file, 8, 2);
        put(file, option == 4 ? 1000 : option == 5 ? by_interface : by_system, 8);
    }
    put(file, 0, 4);
    put(file, 64, 4);
}

/* The latest statistics of an interface count; each section numbers its interfaces from 0; statistics of an unknown
 * interface are ignored. */
static void dropped_packets(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        struct file file = {.big_endian = kind % 2};
        struct armtap_packet packet = {.size = sizeof packet};
        put_section(&file);
        put_interface(&file, 1, 65535, "eth0");
        put_interface(&file, 1, 65535, "eth1");
        put_statistics(&file, 0, 3, 1);
        put_enhanced(&file, 1000, 1);
        put_statistics(&file, 0, 10, 2);
        put_statistics(&file, 1, 0, 5);
        put_statistics(&file, 2, 900, 900);
        file.big_endian = kind / 2;
        put_section(&file);
        put_interface(&file, 1, 65535, "eth0");
        put_statistics(&file, 0, UINT64_C(1) << 33, 0);
        put_statistics(&file, UINT32_MAX, 900, 900);
        save(&file);
        struct capture *capture = capture_open(&(struct reader_wish){.name = FILE_NAME});
        assert_non_null(capture);
        assert_int_equal(capture_next(capture, &packet), CAPTURE_PACKET);
        assert_int_equal(capture_dropped(capture), 4);
        assert_int_equal(capture_next(capture, &packet), CAPTURE_END);
        assert_true(capture_dropped(capture) == 10 + 2 + 5 + (UINT64_C(1) << 33));
        capture_close(capture);
        remove(FILE_NAME);
    }
}

/* ---- gzip ------------------------------------------------------------------------------------------------------ */

static void make_members(struct file *packed, const size_t *cuts, size_t count)
{
    struct file plain = {.big_endian = false};
    put_pcap_header(&plain, 0xA1B2C3D4, 1);
    put_three_packets(&plain);
    size_t from = 0;
    for (size_t i = 0; i <= count; i++) {
        size_t to = i == count ? plain.length : cuts[i];
        put_member(packed, plain.bytes + from, to - from);
        from = to;
    }
}

/* Plain bytes, compressed by zlib. */
static void put_packed(struct file *file, uint8_t *plain, size_t length)
{
    z_stream stream = {
        .next_in = plain, .avail_in = (uInt)length, .next_out = file->bytes, .avail_out = (uInt)sizeof file->bytes};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    file->length = sizeof file->bytes - stream.avail_out;
}

/* How much zlib inflates from these bytes at once. */
static size_t inflated_at_once(struct file *packed)
{
    static uint8_t plain[65536];
    z_stream stream = {
        .next_in = packed->bytes, .avail_in = (uInt)packed->length, .next_out = plain, .avail_out = sizeof plain};
    assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
    inflate(&stream, Z_NO_FLUSH);
    inflateEnd(&stream);
    return sizeof plain - stream.avail_out;
}

/* A file that is cut where zlib still holds output that did not fit into its buffer. */
static void gzip_cut_anywhere_read_in_any_room(void **state)
{
    static uint8_t plain[20000];
    struct file packed = {.big_endian = false};
    uint8_t got[997];
    (void)state;
    for (size_t i = 0; i < sizeof plain; i++)
        plain[i] = (uint8_t)(i / 700);
    put_packed(&packed, plain, sizeof plain);
    size_t whole = packed.length;
    for (packed.length = 20; packed.length <= whole; packed.length++) {
        save(&packed);
        for (size_t room = 1; room < sizeof got; room += 83) {
            size_t length, all = 0;
            struct reader *reader = reader_open(&(struct reader_wish){.name = FILE_NAME, .quiet = true});
            assert_non_null(reader);
            while ((length = reader_read(reader, got, room)) > 0)
                all += length;
            assert_int_equal(all, inflated_at_once(&packed));
            reader_close(reader);
        }
    }
}

static void gzip_of_several_members(void **state)
{
    struct reading reading;
    (void)state;
    for (size_t count = 0; count < 4; count++) {
        struct file packed = {.big_endian = false};
        make_members(&packed, (const size_t[]){1, 2, 100}, count);
        read_back(&packed, &reading);
        assert_string_equal(reading.message, "");
        assert_int_equal(reading.last, 0);
        expect_three(&reading);
    }
}

static void gzip_with_something_behind(void **state)
{
    struct file packed = {.big_endian = false};
    struct reading reading;
    (void)state;
    make_members(&packed, NULL, 0);
    put(&packed, 0, 8);
    read_back(&packed, &reading);
    assert_string_equal(reading.message, "");
    expect_three(&reading);
    put_bytes(&packed, "hello", 5);
    read_back(&packed, &reading);
    expect_three(&reading);
    assert_int_equal(reading.last, -1);
    expect_message(&reading, "other bytes follow the gzip data");
}

static void gzip_with_a_bad_checksum(void **state)
{
    struct file packed = {.big_endian = false};
    struct reading reading;
    (void)state;
    make_members(&packed, NULL, 0);
    packed.bytes[packed.length - 8] ^= 1;
    read_back(&packed, &reading);
    expect_three(&reading);
    assert_int_equal(reading.last, -1);
    expect_message(&reading, FILE_NAME ": after packet 3: byte ");
    expect_message(&reading, "data check");
}

/* 15 bytes precede the file when it is packed. */
static void gzip_that_ends_early(void **state)
{
    struct file packed = {.big_endian = false};
    struct reading reading;
    (void)state;
    make_members(&packed, NULL, 0);
    size_t whole = packed.length;
    for (packed.length = 2; packed.length < whole; packed.length++) {
        size_t unpacked = packed.length < 15 ? 0 : packed.length - 15;
        size_t expected = packets_before(unpacked);
        read_back(&packed, &reading);
        assert_int_equal(reading.count, expected);
        if (unpacked < 4)
            continue; /* too short to show that it is a capture */
        assert_true(!reading.opened || reading.last == -1);
        expect_message(&reading, "ends early");
    }
}

#define LONG_MEMBERS 400
#define LONG_MEMBER 8000

static uint8_t long_byte(size_t at)
{
    return (uint8_t)((uint32_t)at * UINT32_C(2654435761) >> 24);
}

/* Saves a file many times as long as a block, with a wrong last checksum; returns its compressed length. */
static size_t save_long(void)
{
    FILE *stream = fopen(FILE_NAME, "wb");
    size_t whole = 0;
    assert_non_null(stream);
    for (size_t member = 0; member < LONG_MEMBERS; member++) {
        struct file packed = {.big_endian = false};
        uint8_t bytes[LONG_MEMBER];
        for (size_t i = 0; i < LONG_MEMBER; i++)
            bytes[i] = long_byte(member * LONG_MEMBER + i);
        put_member(&packed, bytes, LONG_MEMBER);
        if (member == LONG_MEMBERS - 1)
            packed.bytes[packed.length - 8] ^= 1;
        assert_int_equal(fwrite(packed.bytes, 1, packed.length, stream), packed.length);
        whole += packed.length;
    }
    assert_int_equal(fclose(stream), 0);
    return whole;
}

/* Reads `wanted` bytes, or up to the end, in pieces of odd sizes. Returns the last call's result. */
static long read_long(struct capture *capture, size_t wanted, size_t whole)
{
    uint8_t got[10007];
    uint64_t position = 0;
    size_t length = 0;
    long part = 1;
    while (length < wanted && (part = capture_read(capture, got, sizeof got)) > 0) {
        for (size_t i = 0; i < (size_t)part; i++)
            if (got[i] != long_byte(length + i))
                fail_msg("byte %zu differs", length + i);
        length += (size_t)part;
        assert_true(capture_position(capture) >= position && capture_position(capture) <= whole);
        position = capture_position(capture);
    }
    if (part <= 0) {
        assert_int_equal(length, LONG_MEMBERS * LONG_MEMBER);
        assert_int_equal(position, whole);
    }
    return part;
}

static void gzip_longer_than_a_block(void **state)
{
    static const size_t wanted[] = {1, 300000, 2000000, SIZE_MAX};
    size_t whole = save_long();
    (void)state;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct capture *capture = capture_open(&(struct reader_wish){.name = FILE_NAME, .quiet = true});
        assert_non_null(capture);
        long last = read_long(capture, wanted[i], whole);
        assert_true(wanted[i] == SIZE_MAX ? last == -1 : last > 0);
        capture_close(capture);
    }
    remove(FILE_NAME);
}

/* Bytes arrive while the pipe stays open; the reader gets them before it ends. */
static void gzip_from_a_pipe_that_goes_on(void **state)
{
    struct file packed = {.big_endian = false};
    int ends[2], kept = dup(STDIN_FILENO);
    uint8_t got[16];
    (void)state;
    put_member(&packed, (const uint8_t *)"abcdefgh", 8);
    packed.length -= 8;
    assert_int_equal(make_pipe(ends), 0);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(file_write_all(ends[1], packed.bytes, packed.length), 0);
    struct capture *capture = capture_open(&(struct reader_wish){.name = "-", .quiet = true});
    assert_non_null(capture);
    assert_int_equal(capture_read(capture, got, sizeof got), 8);
    assert_memory_equal(got, "abcdefgh", 8);
    capture_close(capture);
    dup2(kept, STDIN_FILENO);
    close(kept);
    close(ends[0]);
    close(ends[1]);
}

/* ---- damage ---------------------------------------------------------------------------------------------------- */

static void cut_anywhere(void **state)
{
    struct file file = {.big_endian = false};
    struct reading reading;
    (void)state;
    put_pcap_header(&file, 0xA1B2C3D4, 1);
    put_three_packets(&file);
    size_t whole = file.length;
    assert_int_equal(whole, 173);
    for (file.length = 4; file.length <= whole; file.length++) {
        size_t end = file.length;
        bool is_clean = end == 24 || end == 80 || end == 96 || end == 173;
        read_back(&file, &reading);
        assert_int_equal(reading.count, packets_before(end));
        assert_int_equal(reading.opened, end >= 24);
        if (is_clean) {
            assert_string_equal(reading.message, "");
            assert_int_equal(reading.last, 0);
        } else {
            assert_true(!reading.opened || reading.last == -1);
            expect_message(&reading, end < 80   ? "before the first packet"
                                     : end < 96 ? "after packet 1"
                                                : "after packet 2");
        }
    }
}

static void packet_of_absurd_length(void **state)
{
    struct file file = {.big_endian = false};
    struct reading reading;
    (void)state;
    put_pcap_header(&file, 0xA1B2C3D4, 1);
    put_packet(&file, 1, 2, 1, 40);
    put(&file, UINT64_MAX, 8);
    put(&file, UINT64_MAX, 8);
    put_packet(&file, 1, 2, 2, 40);
    read_back(&file, &reading);
    assert_int_equal(reading.count, 1);
    assert_int_equal(reading.last, -1);
    expect_message(&reading, FILE_NAME ": after packet 1: ");
}

static void link_type_that_is_not_read(void **state)
{
    struct file file = {.big_endian = false};
    struct reading reading;
    (void)state;
    put_pcap_header(&file, 0xA1B2C3D4, 127);
    put_three_packets(&file);
    read_back(&file, &reading);
    assert_false(reading.opened);
    expect_message(&reading, "link type 127 (");
}

static void raw_ip_by_its_number_in_files(void **state)
{
    struct file file = {.big_endian = false};
    struct reading reading;
    (void)state;
    put_pcap_header(&file, 0xA1B2C3D4, 101);
    put_three_packets(&file);
    read_back(&file, &reading);
    assert_int_equal(reading.count, 3);
    assert_int_equal(reading.packet[0].link_type, 101);
}

static void what_is_no_capture(void **state)
{
    static const char *const texts[] = {"", "h", "hello", "\x1F\x8B", "\xD4\xC3\xB2", "\n\r\r\r"};
    struct reading reading;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct file file = {.big_endian = false};
        put_bytes(&file, texts[i], strlen(texts[i]));
        read_back(&file, &reading);
        assert_true(reading.opened);
        assert_true(reading.raw);
        assert_string_equal(reading.message, "");
    }
}

static void bytes_of_a_raw_dump(void **state)
{
    struct file plain = {.big_endian = true}, packed = {.big_endian = false};
    uint8_t got[ROOM];
    (void)state;
    for (unsigned i = 0; i < 1000; i++)
        put(&plain, i, 4);
    put_member(&packed, plain.bytes, plain.length);
    for (unsigned kind = 0; kind < 2; kind++) {
        size_t length = 0;
        long part;
        save(kind == 0 ? &plain : &packed);
        struct capture *capture = capture_open(&(struct reader_wish){.name = FILE_NAME});
        assert_non_null(capture);
        while ((part = capture_read(capture, got + length, 97)) > 0)
            length += (size_t)part;
        assert_int_equal(part, 0);
        assert_int_equal(length, plain.length);
        assert_memory_equal(got, plain.bytes, length);
        assert_int_equal(capture_position(capture), kind == 0 ? plain.length : packed.length);
        capture_close(capture);
        remove(FILE_NAME);
    }
}

static void files_that_cannot_be_opened(void **state)
{
    struct reading reading;
    (void)state;
    read_file("no/such/file", &reading);
    assert_false(reading.opened);
    expect_message(&reading, "no/such/file: cannot be opened: ");
    read_file(".", &reading);
    assert_false(reading.opened);
    expect_message(&reading, ".: cannot be opened: ");
    read_file("no/such\nfile", &reading);
    expect_message(&reading, "no/such\\x0afile");
}

/* ---- packets that were dropped --------------------------------------------------------------------------------- */

static void counters_that_wrap(void **state)
{
    struct drops_counter counter = {0};
    (void)state;
    assert_true(drops_count(&counter, 0) == 0);
    assert_true(drops_count(&counter, 7) == 7);
    assert_true(drops_count(&counter, 7) == 7);
    assert_true(drops_count(&counter, UINT32_MAX) == UINT32_MAX);
    assert_true(drops_count(&counter, 4) == (uint64_t)UINT32_MAX + 5);
}

static void drops_in_time(void **state)
{
    struct drops drops;
    struct armtap_where since;
    (void)state;
    drops_begin(&drops, 1000);
    assert_true(drops_read(&drops, 0,
                           &(struct armtap_where){.size = sizeof(struct armtap_where), .time = 1100, .packet = 5},
                           &since) == 0);
    assert_true(drops_read(&drops, 30,
                           &(struct armtap_where){.size = sizeof(struct armtap_where), .time = 1200, .packet = 9},
                           &since) == 30);
    assert_true(since.time == 1100 && since.packet == 5);
    assert_true(drops_read(&drops, 30,
                           &(struct armtap_where){.size = sizeof(struct armtap_where), .time = 1300, .packet = 11},
                           &since) == 0);
    assert_true(drops_read(&drops, 29,
                           &(struct armtap_where){.size = sizeof(struct armtap_where), .time = 1400, .packet = 12},
                           &since) == 0);
    assert_true(drops_read(&drops, 31,
                           &(struct armtap_where){.size = sizeof(struct armtap_where), .time = 1500, .packet = 20},
                           &since) == 1);
    assert_true(since.time == 1400 && since.packet == 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pcap_of_all_kinds),
        cmocka_unit_test(pcapng_of_both_orders),
        cmocka_unit_test(pcapng_with_interfaces_that_differ),
        cmocka_unit_test(pcapng_with_link_types_that_are_not_read),
        cmocka_unit_test(dropped_packets),
        cmocka_unit_test(gzip_cut_anywhere_read_in_any_room),
        cmocka_unit_test(gzip_of_several_members),
        cmocka_unit_test(gzip_with_something_behind),
        cmocka_unit_test(gzip_with_a_bad_checksum),
        cmocka_unit_test(gzip_that_ends_early),
        cmocka_unit_test(gzip_longer_than_a_block),
        cmocka_unit_test(gzip_from_a_pipe_that_goes_on),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(packet_of_absurd_length),
        cmocka_unit_test(link_type_that_is_not_read),
        cmocka_unit_test(raw_ip_by_its_number_in_files),
        cmocka_unit_test(what_is_no_capture),
        cmocka_unit_test(bytes_of_a_raw_dump),
        cmocka_unit_test(counters_that_wrap),
        cmocka_unit_test(drops_in_time),
        cmocka_unit_test(files_that_cannot_be_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
