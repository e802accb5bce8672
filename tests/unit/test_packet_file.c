/* Captures as the program reads them, compared with libpcap: for every sample, for files cut at every byte or changed
 * in any one, and for packets of all sizes. Behind that, what reading in blocks rests on: their sums, files that are
 * mapped while they are read and may be cut, and the bus errors that follow. */
#define _GNU_SOURCE /* preadv2, fopencookie */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <pcap/pcap.h>

#include "base/process/bus_error.h"
#include "base/process/thread.h"
#include "input/files/block_sum.h"
#include "input/capture/capture.h"
#include "input/files/file_reader.h"
#include "input/files/input_files.h"
#include "input/files/mapped_file.h"
#include "input/capture/packet_file.h"

#define FILE_NAME "test_packet_file.tmp"
#define SIZE_MAX_TRIED (24u << 20)

/* Reads the file as the program does, to its end or to what is damaged, and returns how many packets there are. */
static uint64_t read_all(const char *name)
{
    uint64_t packets = 0;
    struct armtap_packet packet;
    struct inputs *inputs = inputs_open(&name, 1, NULL);
    const struct reader_wish wish = {.name = name, .input = inputs_at(inputs, 0), .quiet = true};
    struct capture *capture = capture_open(&wish);
    while (capture && !capture_is_raw(capture) && capture_next(capture, &packet) == CAPTURE_PACKET)
        assert_int_equal(packet.where.packet, ++packets);
    capture_close(capture);
    inputs_free(inputs);
    return packets;
}

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
    struct armtap_packet packet;
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

/* Each way to compute it gives the same, and another byte or length another sum. */
static void test_block_sum(void **state)
{
    static uint8_t bytes[1000], copy[1000];
    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * i >> 3);
    for (size_t length = 0; length < sizeof bytes; length += length < 200 ? 1 : 61) {
        uint32_t sum = block_sum(bytes + 1, length);
        assert_int_equal(sum, block_sum_plain(bytes + 1, length));
        assert_int_not_equal(sum, block_sum(bytes + 1, length + 1));
        memset(copy, 0xA5, sizeof copy);
        assert_int_equal(sum, block_sum_copy(copy, bytes + 1, length));
        assert_memory_equal(copy, bytes + 1, length);
        assert_int_equal(copy[length], 0xA5);
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

#define CHANGING 4096

struct changing {
    volatile uint64_t words[CHANGING / sizeof(uint64_t)];
    atomic_bool is_over;
};

static void *change(void *user)
{
    struct changing *changing = user;
    for (uint64_t round = 1; !atomic_load(&changing->is_over); round++)
        for (size_t i = 0; i < sizeof changing->words / sizeof *changing->words; i++)
            changing->words[i] = round;
    return NULL;
}

/* The sum is the copy's, even if another program changes the bytes meanwhile. */
static void test_sum_of_changing(void **state)
{
    static struct changing changing;
    static uint8_t copy[CHANGING];
    pthread_t thread;
    (void)state;
    assert_int_equal(thread_begin(&thread, change, &changing), 0);
    unsigned wrong = 0;
    for (int i = 0; i < 200000; i++) {
        uint32_t sum = block_sum_copy(copy, (const uint8_t *)(uintptr_t)changing.words, sizeof copy);
        wrong += sum != block_sum(copy, sizeof copy);
    }
    atomic_store(&changing.is_over, true);
    pthread_join(thread, NULL);
    assert_int_equal(wrong, 0);
}

/* ---- files that are mapped --------------------------------------------------------------------------------------- */

/* What is brought is what was aimed at, whatever the lengths of the packets. */
static void bring_all(struct mapped_file *file, uint64_t position, size_t length)
{
    const size_t step = 1 + (size_t)(position / INPUT_BLOCK) * 700;
    if (file->end > 0) {
        assert_true(file->position + file->at == position);
        assert_true(file->end - file->at == length && file->end <= file->length);
        assert_true(file->length <= (2u << 20));
    }
    size_t end = file->end;
    for (size_t done = 0; done < length; done += step) {
        mapped_file_bring(file, step);
        assert_true(file->at <= (end + ARMTAP_CACHE_LINE - 1) / ARMTAP_CACHE_LINE * ARMTAP_CACHE_LINE);
    }
    assert_true(file->at >= end);
    mapped_file_bring(file, SIZE_MAX / 2);
    assert_true(file->at <= (end + ARMTAP_CACHE_LINE - 1) / ARMTAP_CACHE_LINE * ARMTAP_CACHE_LINE);
}

/* Whether the file system tells what is in memory. */
static bool tells_cached(void)
{
#if defined(RWF_NOWAIT)
    char byte;
    const struct iovec to = {&byte, 1};
    int file = open(FILE_NAME, O_RDONLY);
    bool tells = preadv2(file, &to, 1, 0, RWF_NOWAIT) == 1;
    close(file);
    return tells;
#else
    return false;
#endif
}

static void fill_with_noise(uint8_t *bytes, size_t length)
{
    uint32_t noise = 1;
    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)((noise = noise * 1664525 + 1013904223) >> 24);
}

/* From a window's beginning, across its end, and to the file's. */
static void test_mapped_file(void **state)
{
    enum { LENGTH = 40 * INPUT_BLOCK + 12345 };
    static uint8_t bytes[LENGTH], copy[INPUT_BLOCK];
    const char *const names[] = {FILE_NAME};
    (void)state;
    fill_with_noise(bytes, sizeof bytes);
    write_file(bytes, sizeof bytes);
    struct inputs *inputs = inputs_open(names, 1, NULL);
    struct mapped_file file = {.input = inputs_at(inputs, 0)};
    size_t mapped = 0;
    uint32_t sum;
    for (uint64_t position = 0; position <= LENGTH + INPUT_BLOCK; position += INPUT_BLOCK) {
        size_t left = position < LENGTH ? (size_t)(LENGTH - position) : 0;
        left = left < INPUT_BLOCK ? left : INPUT_BLOCK;
        mapped_file_aim(&file, position, INPUT_BLOCK);
        assert_true(file.position + file.length <= LENGTH);
        bring_all(&file, position, left);
        if (left == 0 || !mapped_file_copy(&file, position, copy, left, &sum))
            continue;
        mapped++;
        assert_memory_equal(copy, bytes + position, left);
        assert_int_equal(sum, block_sum(copy, left));
    }
    assert_int_equal(mapped, tells_cached() ? 41 : 0);
    mapped_file_aim(&file, 0, INPUT_BLOCK);
    void *last = file.bytes;
    mapped_file_end(&file);
    assert_true(!last || msync(last, 1, MS_ASYNC) != 0); /* no longer mapped */
    mapped_file_aim(&file, 0, INPUT_BLOCK);
    assert_true(!file.bytes && file.end == 0 && !mapped_file_copy(&file, 0, copy, 1, &sum));
    mapped_file_bring(&file, 1000);
    inputs_free(inputs);
}

/* A file of 40 blocks, mapped, then cut to so many bytes. */
static bool copies_of_cut(off_t length, uint64_t position, uint8_t to[INPUT_BLOCK])
{
    static uint8_t bytes[40 * INPUT_BLOCK];
    const char *const names[] = {FILE_NAME};
    uint32_t sum;
    fill_with_noise(bytes, sizeof bytes);
    write_file(bytes, sizeof bytes);
    struct inputs *inputs = inputs_open(names, 1, NULL);
    struct mapped_file file = {.input = inputs_at(inputs, 0)};
    mapped_file_aim(&file, position, INPUT_BLOCK);
    bool is_mapped = file.bytes != NULL;
    assert_int_equal(is_mapped, tells_cached());
    assert_int_equal(truncate(FILE_NAME, length), 0);
    bool is_good = mapped_file_copy(&file, position, to, INPUT_BLOCK, &sum);
    assert_true(is_good || (!file.bytes && !file.input)); /* for good */
    assert_true(!is_good || memcmp(to, bytes + position, INPUT_BLOCK) == 0);
    mapped_file_aim(&file, position, INPUT_BLOCK);
    bring_all(&file, position, INPUT_BLOCK);
    mapped_file_end(&file);
    inputs_free(inputs);
    return is_good || !is_mapped;
}

/* Another program cuts the file behind the block, at its end, in its last page, in its middle, and before it. */
static void test_mapped_and_cut(void **state)
{
    static uint8_t copy[INPUT_BLOCK];
    (void)state;
    assert_true(copies_of_cut(7 * INPUT_BLOCK + 1, 6 * INPUT_BLOCK, copy));
    assert_true(copies_of_cut(7 * INPUT_BLOCK, 6 * INPUT_BLOCK, copy));
    if (!tells_cached())
        return;
    assert_false(copies_of_cut(7 * INPUT_BLOCK - 1, 6 * INPUT_BLOCK, copy));
    assert_false(copies_of_cut(6 * INPUT_BLOCK + 5000, 6 * INPUT_BLOCK, copy));
    assert_false(copies_of_cut(6 * INPUT_BLOCK, 6 * INPUT_BLOCK, copy));
    assert_false(copies_of_cut(0, 6 * INPUT_BLOCK, copy));
}

/* The same message, whether or not the file is mapped when it is cut. */
static void says_that_it_was_cut(bool is_mapped, off_t length)
{
    static uint8_t bytes[40 * INPUT_BLOCK], block[INPUT_BLOCK];
    const char *const names[] = {FILE_NAME};
    fill_with_noise(bytes, sizeof bytes);
    write_file(bytes, sizeof bytes);
    struct inputs *inputs = inputs_open(names, 1, NULL);
    struct reader *reader = reader_open(&(struct reader_wish){.name = FILE_NAME, .input = inputs_at(inputs, 0)});
    assert_non_null(reader);
    const struct mapped_file *mapped = is_mapped ? reader_allow_mapping(reader) : NULL;
    size_t got = reader_read(reader, block, INPUT_BLOCK); /* its first bytes were looked at */
    while (got < 2 * INPUT_BLOCK)
        got += reader_read(reader, block, INPUT_BLOCK);
    assert_memory_equal(block, bytes + INPUT_BLOCK, INPUT_BLOCK);
    assert_true(!mapped || (mapped->bytes != NULL) == tells_cached());
    assert_int_equal(truncate(FILE_NAME, length), 0);
    assert_int_equal(reader_read(reader, block, INPUT_BLOCK), 0);
    assert_true(!mapped || !tells_cached() || !mapped->input); /* the copy found that bytes are gone */
    assert_non_null(reader_problem(reader));
    assert_string_equal(reader_problem(reader),
                        "byte 262144: another program cut the file here since the reading began; read it again, or a "
                        "copy of it");
    reader_close(reader);
    inputs_free(inputs);
}

static void test_reader_of_cut(void **state)
{
    static const off_t lengths[] = {0, 1000, 2 * INPUT_BLOCK, 2 * INPUT_BLOCK + 9999, 3 * INPUT_BLOCK - 1};
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        says_that_it_was_cut(false, lengths[i]);
        says_that_it_was_cut(true, lengths[i]);
    }
}

/* Whether the file is mapped; false where the system does not tell. */
static bool is_mapped_now(void)
{
    char line[4000];
    bool is_found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        is_found = is_found || strstr(line, FILE_NAME);
    if (maps)
        fclose(maps);
    return is_found;
}

/* Writes a capture of at least so many bytes, and behind them a packet that is too long: that is damage. Returns
 * how many bytes come before that. */
static size_t write_two_parts(size_t least)
{
    static struct file file;
    uint32_t noise = 5;
    file.length = 0;
    put_pcap(&file, 0xA1B2C3D4, 0);
    while (file.length < least)
        put_record(&file, 1000 + noise % 500, &noise);
    size_t usual = file.length;
    put_record(&file, 262144 + 1, &noise);
    write_file(file.bytes, file.length);
    return usual;
}

static struct capture *open_written(struct inputs **inputs)
{
    static const char *const names[] = {FILE_NAME};
    *inputs = inputs_open(names, 1, NULL);
    struct reader_wish wish = {.name = FILE_NAME, .input = inputs_at(*inputs, 0), .quiet = true};
    struct capture *capture = capture_open(&wish);
    assert_non_null(capture);
    return capture;
}

/* A capture in memory is read from its mapping, until it is closed. */
static void test_capture_is_mapped(void **state)
{
    struct inputs *inputs;
    struct armtap_packet packet;
    (void)state;
    write_two_parts(3 * INPUT_BLOCK);
    struct capture *capture = open_written(&inputs);
    while (capture_position(capture) < 2 * INPUT_BLOCK)
        assert_int_equal(capture_next(capture, &packet), CAPTURE_PACKET);
    assert_int_equal(is_mapped_now(), tells_cached());
    capture_close(capture);
    assert_false(is_mapped_now());
    inputs_free(inputs);
}

/* Packets that stay where they are, as they were when they came. */
struct staying {
    const uint8_t *at[4000];
    uint8_t *copies[4000];
    size_t lengths[4000], count, turns;
    bool stays;
};

static void check_staying(const struct staying *staying)
{
    for (size_t i = 0; i < staying->count; i++)
        assert_memory_equal(staying->at[i], staying->copies[i], staying->lengths[i]);
}

static void hear_turn(void *user, bool stays)
{
    struct staying *staying = user;
    check_staying(staying);
    while (staying->count > 0)
        free(staying->copies[--staying->count]);
    staying->stays = stays;
    staying->turns++;
}

static void stay(struct staying *staying, const struct armtap_packet *packet)
{
    uint8_t *copy = malloc(packet->captured + 1);
    assert_non_null(copy);
    memcpy(copy, packet->data, packet->captured);
    staying->at[staying->count] = packet->data;
    staying->lengths[staying->count] = packet->captured;
    staying->copies[staying->count++] = copy;
}

/* Packets stay from turn to turn, one for each block, and one behind the bytes that were looked at first. */
static void test_packets_stay(void **state)
{
    static struct staying staying;
    const size_t usual = write_two_parts(5 * INPUT_BLOCK);
    (void)state;
    for (int ends_early = 0; ends_early < 2; ends_early++) {
        struct inputs *inputs;
        struct capture *capture = open_written(&inputs);
        struct armtap_packet packet;
        staying.turns = 0;
        capture_on_turn(capture, hear_turn, &staying);
        assert_true(staying.stays);
        for (size_t at = 24; at < (ends_early ? usual / 2 : usual); at += 16 + packet.captured) {
            assert_int_equal(capture_next(capture, &packet), CAPTURE_PACKET);
            assert_true(staying.stays);
            stay(&staying, &packet);
        }
        check_staying(&staying);
        assert_int_equal(staying.turns, ends_early ? 4 : 7);
        if (!ends_early)
            assert_int_equal(capture_next(capture, &packet), CAPTURE_DAMAGED);
        capture_on_turn(capture, NULL, NULL);
        assert_false(staying.stays);
        assert_int_equal(staying.count, 0);
        capture_close(capture);
        inputs_free(inputs);
    }
}

static void read_byte(void *user)
{
    *(volatile uint8_t *)user;
}

static void *read_gone(void *user)
{
    return bus_error_guard(read_byte, user) ? user : NULL;
}

/* A byte that another program cut away. */
static void *map_gone(void)
{
    write_file((const uint8_t *)"x", 1);
    int file = open(FILE_NAME, O_RDONLY);
    void *gone = mmap(NULL, 1, PROT_READ, MAP_SHARED, file, 0);
    assert_true(gone != MAP_FAILED && truncate(FILE_NAME, 0) == 0);
    close(file);
    return gone;
}

/* Threads of thread_begin() block signals. */
static void test_threads_and_bus_errors(void **state)
{
    void *gone = map_gone(), *got = gone;
    (void)state;
    pthread_t thread;
    assert_int_equal(thread_begin(&thread, read_gone, gone), 0);
    assert_int_equal(pthread_join(thread, &got), 0);
    assert_null(got);
    munmap(gone, 1);
}

/* Packets bring what follows them into the cache, as long as it is mapped. */
static void test_packets_bring(void **state)
{
    static struct file file;
    (void)state;
    for (int is_pcapng = 0; is_pcapng < 2; is_pcapng++) {
        uint32_t noise = 5;
        int link_type;
        struct armtap_packet packet;
        file.length = 0;
        if (is_pcapng) {
            put_section(&file);
            put_interface(&file, 0, 0);
        } else {
            put_pcap(&file, 0xA1B2C3D4, 0);
        }
        for (int i = 0; file.length < 4 * INPUT_BLOCK; i++)
            if (is_pcapng)
                put_block(&file, 0, 1700000000000000, 1000, &noise);
            else
                put_record(&file, 1000, &noise);
        write_file(file.bytes, file.length);
        struct reader *reader = reader_open(&(struct reader_wish){.name = FILE_NAME});
        struct packet_file *packets = reader ? packet_file_new(reader, is_pcapng, NULL, NULL) : NULL;
        assert_non_null(packets);
        assert_int_equal(packet_file_begin(packets, &link_type), PACKET_FILE_PACKET);
        const struct mapped_file *mapped = reader_allow_mapping(reader);
        while (mapped->end == 0 && packet_file_next(packets, &packet) == PACKET_FILE_PACKET)
            ;
        assert_int_equal(mapped->end > 0, tells_cached());
        for (size_t before = mapped->at, i = 0; mapped->end > 0 && i < 20; before = mapped->at, i++) {
            assert_int_equal(packet_file_next(packets, &packet), PACKET_FILE_PACKET);
            assert_in_range(mapped->at - before, 1000, 1100);
        }
        packet_file_free(packets);
        reader_close(reader);
    }
}

/* How a program ends in which a bus error follows a guarded read. */
static int status_after(void *read)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        bus_error_guard(read_byte, read);
        raise(SIGBUS);
        _exit(0);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    return status;
}

/* A bus error that is not a guarded read's ends the program, as before the first such read. */
static void test_other_bus_errors(void **state)
{
    uint8_t byte = 1;
    void *gone = map_gone();
    (void)state;
    int after_good = status_after(&byte), after_gone = status_after(gone);
    assert_true(WIFSIGNALED(after_good) && WTERMSIG(after_good) == SIGBUS);
    assert_true(WIFSIGNALED(after_gone) && WTERMSIG(after_gone) == SIGBUS);
    munmap(gone, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples),
                                       cmocka_unit_test(test_damage),
                                       cmocka_unit_test(test_sizes),
                                       cmocka_unit_test(test_unusual),
                                       cmocka_unit_test(test_block_sum),
                                       cmocka_unit_test(test_sum_of_changing),
                                       cmocka_unit_test(test_mapped_file),
                                       cmocka_unit_test(test_mapped_and_cut),
                                       cmocka_unit_test(test_reader_of_cut),
                                       cmocka_unit_test(test_capture_is_mapped),
                                       cmocka_unit_test(test_packets_stay),
                                       cmocka_unit_test(test_packets_bring),
                                       cmocka_unit_test(test_other_bus_errors),
                                       cmocka_unit_test(test_threads_and_bus_errors)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(FILE_NAME);
    return failed;
}
