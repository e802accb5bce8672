/* Captures as the program reads them, compared with libpcap, which Windows lacks: for every sample, for files cut at
 * every byte or changed in any one, and for packets of all sizes. Behind that, what reading in blocks rests on: their
 * sums, and files that another program cuts meanwhile. */
#define _GNU_SOURCE /* fopencookie */
#include "support.h"

#include <dirent.h>
#ifndef _WIN32
#include <pcap/pcap.h>
#endif

#include "base/os/file.h"
#include "base/os/names.h"
#include "input/capture/capture.h"
#include "input/files/file_bytes.h"
#include "input/files/file_reader.h"
#include "input/files/input_files.h"
#include "capture/packet_file.h"

#define FILE_NAME "test_packet_file.tmp"
#define SIZE_MAX_TRIED (24u << 20)

/* Reads the file as the program does, to its end or to what is damaged, and returns how many packets there are. */
static uint64_t read_all(const char *name)
{
    uint64_t packets = 0;
    struct armtap_packet packet = {.size = sizeof packet};
    struct inputs *inputs = inputs_open(&name, 1, NULL);
    const struct reader_wish wish = {.name = name, .input = inputs_at(inputs, 0), .quiet = true};
    struct capture *capture = capture_open(&wish);
    while (capture && !capture_is_raw(capture) && capture_next(capture, &packet) == CAPTURE_PACKET)
        assert_int_equal(packet.where.packet, ++packets);
    capture_close(capture);
    inputs_free(inputs);
    return packets;
}

#ifdef _WIN32

static void compare_with_libpcap(const char *name, const char *what)
{
    (void)name;
    (void)what;
}

#else

static ssize_t give_unpacked(void *reader, char *to, size_t room)
{
    return (ssize_t)reader_read(reader, to, room);
}

/* libpcap's seconds are signed, it gives simple packets the time 0, and adds whatever fraction it finds. Where it
 * divides, it may round otherwise. */
static bool is_same_time(const struct armtap_packet *packet, const struct pcap_pkthdr *other)
{
    int64_t seconds = other->ts.tv_sec, time = packet->where.time;
    if (time == ARMTAP_NO_TIME || seconds < 0 || seconds > INT64_C(9000000000))
        return true;
    int64_t difference = time - seconds * 1000000000 - other->ts.tv_usec;
    return difference >= -1 && difference <= 1;
}

/* What cat put behind a capture: libpcap takes the file's header for a packet, and has lost its place then. */
static bool is_next_file(const struct pcap_pkthdr *header)
{
    return header->caplen == 0 && header->len == 0 && (uint32_t)header->ts.tv_sec == 0xA1B2C3D4;
}

/* Each of libpcap's packets is read; more than these only where libpcap gave up. */
static void compare_packets(struct capture *capture, pcap_t *pcap, const char *what)
{
    struct pcap_pkthdr *header;
    const u_char *data;
    struct armtap_packet packet = {.size = sizeof packet};
    int got;
    uint64_t number = 0;
    while ((got = pcap_next_ex(pcap, &header, &data)) == 1) {
        if (is_next_file(header)) {
            got = PCAP_ERROR;
            break;
        }
        number++;
        if (capture_next(capture, &packet) != CAPTURE_PACKET)
            fail_msg("%s: libpcap reads packet %llu", what, (unsigned long long)number);
        size_t length = header->caplen < packet.captured ? header->caplen : packet.captured;
        if (packet.captured < header->caplen || packet.length != header->len || !is_same_time(&packet, header) ||
            memcmp(packet.data, data, length) != 0)
            fail_msg("%s: packet %llu differs: %zu of %zu bytes, libpcap's %u of %u; time %lld, libpcap's %lld", what,
                     (unsigned long long)number, packet.captured, packet.length, header->caplen, header->len,
                     (long long)packet.where.time, (long long)header->ts.tv_sec);
    }
    if (got != PCAP_ERROR)
        assert_int_not_equal(capture_next(capture, &packet), CAPTURE_PACKET);
}

static void compare_with_libpcap(const char *name, const char *what)
{
    char error[PCAP_ERRBUF_SIZE];
    struct reader_wish wish = {.name = name, .quiet = true};
    struct reader *reader = reader_open(&wish);
    if (!reader)
        return;
    FILE *file = fopencookie(reader, "r", (cookie_io_functions_t){.read = give_unpacked});
    assert_non_null(file);
    pcap_t *pcap = pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, error);
    struct capture *capture = capture_open(&wish);
    if (pcap && capture && !capture_is_raw(capture))
        compare_packets(capture, pcap, what);
    capture_close(capture);
    if (pcap)
        pcap_close(pcap);
    else
        fclose(file);
    reader_close(reader);
}

#endif

/* Returns how many packets there are. */
static uint64_t compare(const char *name, const char *what)
{
    compare_with_libpcap(name, what);
    return read_all(name);
}

/* ---- samples and inputs of fuzzing ------------------------------------------------------------------------------- */

static size_t compare_folder(const char *folder, uint64_t *packets)
{
    char path[1024];
    struct stat status;
    size_t files = 0;
    const char *top = getenv("srcdir");
    snprintf(path, sizeof path, "%s/%s", top ? top : ".", folder);
    DIR *all = opendir(path);
    assert_non_null(all);
    for (struct dirent *entry; (entry = readdir(all));) {
        snprintf(path, sizeof path, "%s/%s/%s", top ? top : ".", folder, entry->d_name);
        if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > SIZE_MAX_TRIED)
            continue;
        *packets += compare(path, path);
        files++;
    }
    closedir(all);
    return files;
}

static void test_samples(void **state)
{
    (void)state;
    uint64_t packets = 0;
    assert_true(compare_folder("captures", &packets) > 20);
    assert_true(packets > 3000);
    assert_true(compare_folder("tests/fuzz/corpus/capture", &packets) > 10);
}

/* ---- files made here --------------------------------------------------------------------------------------------- */

#define FILE_MAX (4u << 20)
struct file {
    uint8_t bytes[FILE_MAX];
    size_t length;
};

static void put(struct file *file, uint64_t number, size_t width)
{
    assert_true(file->length + width <= FILE_MAX);
    for (size_t i = 0; i < width; i++)
        file->bytes[file->length++] = (uint8_t)(number >> 8 * i);
}

static void fill_bytes(struct file *file, uint32_t length, uint32_t *noise)
{
    for (uint32_t i = 0; i < length; i++) {
        *noise = *noise * 1664525 + 1013904223;
        put(file, *noise >> 24, 1);
    }
}

static void put_pcap(struct file *file, uint32_t magic, uint32_t snapshot)
{
    put(file, magic, 4);
    put(file, 2 | 4 << 16, 4);
    put(file, 0, 8);
    put(file, snapshot, 4);
    put(file, 1, 4);
}

static void put_record(struct file *file, uint32_t length, uint32_t *noise)
{
    put(file, 1700000000, 4);
    put(file, *noise % 1000000, 4);
    put(file, length, 4);
    put(file, length + 3, 4);
    fill_bytes(file, length, noise);
}

static void put_section(struct file *file)
{
    put(file, 0x0A0D0D0A, 4);
    put(file, 28, 4);
    put(file, 0x1A2B3C4D, 4);
    put(file, 1, 4);
    put(file, UINT64_MAX, 8);
    put(file, 28, 4);
}

/* `resolution` 0: no such option. */
static void put_interface(struct file *file, uint32_t snapshot, uint8_t resolution)
{
    uint32_t length = resolution ? 32 : 20;
    put(file, 1, 4);
    put(file, length, 4);
    put(file, 1, 4);
    put(file, snapshot, 4);
    if (resolution) {
        put(file, 9 | 1 << 16, 4);
        put(file, resolution, 4);
        put(file, 0, 4);
    }
    put(file, length, 4);
}

static void put_block(struct file *file, uint32_t interface, uint64_t time, uint32_t length, uint32_t *noise)
{
    uint32_t padded = (length + 3) / 4 * 4;
    put(file, 6, 4);
    put(file, 32 + padded, 4);
    put(file, interface, 4);
    put(file, time >> 32, 4);
    put(file, time & UINT32_MAX, 4);
    put(file, length, 4);
    put(file, length + 3, 4);
    fill_bytes(file, length, noise);
    put(file, 0, padded - length);
    put(file, 32 + padded, 4);
}

static void put_statistics(struct file *file)
{
    put(file, 5, 4);
    put(file, 40, 4);
    put(file, 0, 4);
    put(file, 0, 8);
    put(file, 5 | 8 << 16, 4);
    put(file, 7, 8);
    put(file, 0, 4);
    put(file, 40, 4);
}

static void put_small_pcapng(struct file *file)
{
    uint32_t noise = 5;
    put_section(file);
    put_interface(file, 262144, 9);
    put_interface(file, 262144, 0);
    put_block(file, 0, UINT64_C(1700000000123456789), 61, &noise);
    put_block(file, 1, UINT64_C(1700000000123456), 0, &noise);
    put_statistics(file);
    put_block(file, 0, UINT64_C(1700000001123456789), 18, &noise);
}

static void put_small_pcap(struct file *file)
{
    uint32_t noise = 7;
    put_pcap(file, 0xA1B2C3D4, 65535);
    put_record(file, 40, &noise);
    put_record(file, 0, &noise);
    put_record(file, 61, &noise);
}

static void write_file(const uint8_t *bytes, size_t length)
{
    FILE *out = fopen(FILE_NAME, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, length, out), length);
    assert_int_equal(fclose(out), 0);
}

static uint64_t compare_made(const uint8_t *bytes, size_t length, const char *what)
{
    write_file(bytes, length);
    return compare(FILE_NAME, what);
}

static void cut_and_change(void (*make)(struct file *))
{
    static struct file file;
    static const uint8_t changes[] = {0x01, 0x02, 0x80, 0xFF, 0x7F};
    char what[60];
    file.length = 0;
    make(&file);
    assert_int_equal(compare_made(file.bytes, file.length, "unchanged"), 3);
    for (size_t length = 0; length < file.length; length++) {
        snprintf(what, sizeof what, "cut at %zu", length);
        compare_made(file.bytes, length, what);
    }
    for (size_t at = 0; at < file.length; at++)
        for (size_t i = 0; i < sizeof changes; i++) {
            uint8_t kept = file.bytes[at];
            file.bytes[at] ^= changes[i];
            snprintf(what, sizeof what, "byte %zu changed by %02x", at, changes[i]);
            compare_made(file.bytes, file.length, what);
            file.bytes[at] = kept;
        }
}

static void test_damage(void **state)
{
    (void)state;
    if (ON_WINDOWS)
        skip(); /* without libpcap it shows nothing */
    cut_and_change(put_small_pcap);
    cut_and_change(put_small_pcapng);
}

/* Packets that cross the blocks in which the file is read, the largest ones longer than a block. */
static void test_sizes(void **state)
{
    static struct file file;
    (void)state;
    for (uint32_t round = 0; round < 6; round++) {
        bool is_pcapng = round % 2;
        uint32_t noise = 100 + round, snapshot = round < 2 ? 0 : 262144, packets = 0;
        file.length = 0;
        if (is_pcapng) {
            put_section(&file);
            put_interface(&file, snapshot, round == 3 ? 9 : 0);
        } else {
            put_pcap(&file, round == 2 ? 0xA1B23C4D : 0xA1B2C3D4, snapshot);
        }
        for (; file.length < FILE_MAX - 300000; packets++) {
            uint32_t length = packets % 7 == 0 ? 262144 - noise % 5 : noise >> 8 & (packets % 3 ? 0x7FF : 0x1FFFF);
            if (is_pcapng)
                put_block(&file, 0, 1700000000000000 + packets, length, &noise);
            else
                put_record(&file, length, &noise);
        }
        assert_int_equal(compare_made(file.bytes, file.length, "sizes"), packets);
    }
}

/* A second section, interfaces that differ, a packet beyond the snapshot length, one without a time: all are read. */
static void test_unusual(void **state)
{
    static struct file file;
    (void)state;
    for (int round = 0; round < 6; round++) {
        uint32_t noise = 9;
        file.length = 0;
        put_section(&file);
        put_interface(&file, 1000, 0);
        put_block(&file, 0, 1700000000000000, 61, &noise);
        put_block(&file, 0, 1700000000000001, 1000, &noise);
        if (round == 0 || round == 1)
            put_section(&file);
        if (round != 5)
            put_interface(&file, round == 2 ? 999 : 1000, round == 3 ? 3 : 0);
        put_block(&file, round > 1 && round < 5, 1700000000000002, round == 4 ? 1001 : 500, &noise);
        put_statistics(&file);
        if (round == 5) {
            put(&file, 3, 4); /* a simple packet */
            put(&file, 20, 4);
            put(&file, 4, 4);
            put(&file, 0x01020304, 4);
            put(&file, 20, 4);
        }
        put_block(&file, 0, 1700000000000003, 77, &noise);
        assert_int_equal(compare_made(file.bytes, file.length, "unusual"), round == 5 ? 5 : 4);
    }
}

/* ---- sums of blocks ---------------------------------------------------------------------------------------------- */

/* Another byte or length gives another sum. */
static void test_block_sum(void **state)
{
    static uint8_t bytes[1000];
    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * i >> 3);
    for (size_t length = 0; length < sizeof bytes; length += length < 200 ? 1 : 61) {
        uint32_t sum = block_sum(bytes + 1, length);
        assert_int_not_equal(sum, block_sum(bytes + 1, length + 1));
        for (size_t i = 1; i <= length; i++) {
            bytes[i] ^= (uint8_t)i | 1;
            assert_int_not_equal(sum, block_sum(bytes + 1, length));
            bytes[i] ^= (uint8_t)i | 1;
        }
        for (size_t i = 1; i + 64 <= length; i++) { /* bytes in another place */
            uint8_t other[sizeof bytes];
            memcpy(other, bytes, sizeof other);
            memmove(other + i, bytes + i + 1, 63);
            other[i + 63] = bytes[i];
            assert_true(memcmp(other, bytes, sizeof other) == 0 || block_sum(other + 1, length) != sum);
        }
    }
}

static void fill_with_noise(uint8_t *bytes, size_t length)
{
    uint32_t noise = 1;
    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)((noise = noise * 1664525 + 1013904223) >> 24);
}

/* ---- files that another program cuts ---- */

static void says_that_it_was_cut(off_t length)
{
    static uint8_t bytes[40 * INPUT_BLOCK], block[INPUT_BLOCK];
    const char *const names[] = {FILE_NAME};
    fill_with_noise(bytes, sizeof bytes);
    write_file(bytes, sizeof bytes);
    struct inputs *inputs = inputs_open(names, 1, NULL);
    struct reader *reader = reader_open(&(struct reader_wish){.name = FILE_NAME, .input = inputs_at(inputs, 0)});
    assert_non_null(reader);
    size_t got = reader_read(reader, block, INPUT_BLOCK); /* its first bytes were looked at */
    while (got < 2 * INPUT_BLOCK)
        got += reader_read(reader, block, INPUT_BLOCK);
    assert_memory_equal(block, bytes + INPUT_BLOCK, INPUT_BLOCK);
    int file = file_open(FILE_NAME, O_WRONLY);
    assert_int_equal(ftruncate(file, length), 0);
    close(file);
    assert_int_equal(reader_read(reader, block, INPUT_BLOCK), 0);
    assert_non_null(reader_problem(reader));
    assert_string_equal(reader_problem(reader),
                        "byte 262144: another program truncated the file here after reading began; read it again, or a "
                        "copy of it");
    reader_close(reader);
    inputs_free(inputs);
}

static void test_reader_of_cut(void **state)
{
    static const off_t lengths[] = {0, 1000, 2 * INPUT_BLOCK, 2 * INPUT_BLOCK + 9999, 3 * INPUT_BLOCK - 1};
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        says_that_it_was_cut(lengths[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples),   cmocka_unit_test(test_damage),
                                       cmocka_unit_test(test_sizes),     cmocka_unit_test(test_unusual),
                                       cmocka_unit_test(test_block_sum), cmocka_unit_test(test_reader_of_cut)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(FILE_NAME);
    return failed;
}
