/* The MCAP writer: a file is read again record by record, by the layout of the specification: sums, offsets, counts. */
#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "mcap/mcap.h"

#define MAGIC "\x89MCAP0\r\n"

enum { HEAD = 9, CHANNELS = 3, MESSAGES = 5000, OPCODES = 16 };

static uint64_t number(const char *at, unsigned bytes)
{
    uint64_t number = 0;
    while (bytes-- > 0)
        number = number << 8 | (unsigned char)at[bytes];
    return number;
}

static uint32_t sum(const char *from, const char *to)
{
    return (uint32_t)crc32(0, (const unsigned char *)from, (unsigned)(to - from));
}

static int take(void *user, const char *bytes, size_t length)
{
    buffer_put(user, bytes, length);
    return 0;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Times go back and forth, on each channel in another way. */
static uint64_t time_of(unsigned i)
{
    return 1000000 + (i * UINT64_C(7919)) % MESSAGES;
}

static void put_messages(struct mcap_file *file, struct buffer *bytes)
{
    for (unsigned i = 0; i < MESSAGES; i++) {
        char data[900];
        memset(data, (int)i, sizeof data);
        bytes->length = 0;
        size_t begin = mcap_message_begin(bytes, 7, i, (int64_t)time_of(i));
        buffer_put(bytes, data, i % sizeof data);
        mcap_message_end(bytes, begin);
        const struct mcap_message message = mcap_message_at(bytes->data);
        assert_int_equal(message.mark, 7);
        assert_int_equal(message.mark32, i);
        assert_int_equal(message.length, i % sizeof data);
        assert_int_equal(mcap_file_message(file, i % CHANNELS + 1, &message), 0);
    }
}

/* What the caller puts aside among messages is read in order with them. */
static void aside(void **state)
{
    struct buffer bytes = {0};
    (void)state;
    size_t begin = mcap_aside_begin(&bytes);
    buffer_string(&bytes, "who");
    mcap_message_end(&bytes, begin);
    begin = mcap_message_begin(&bytes, 7, 8, 9);
    buffer_string(&bytes, "says");
    mcap_message_end(&bytes, begin);
    const struct mcap_message first = mcap_message_at(bytes.data),
                              second = mcap_message_at(bytes.data + first.record_length);
    assert_true(first.is_aside);
    assert_int_equal(first.length, 3);
    assert_memory_equal(first.data, "who", 3);
    assert_false(second.is_aside);
    assert_int_equal(second.mark, 7);
    assert_int_equal(second.length, 4);
    assert_memory_equal(second.data, "says", 4);
    assert_int_equal(first.record_length + second.record_length, bytes.length);
    free(bytes.data);
}

/* A file with three channels; the caller frees its bytes. */
static struct buffer make(unsigned threads, size_t in_memory)
{
    struct buffer out = {0}, bytes = {0};
    struct packer *packer = packer_new(COMPRESSION_NONE, threads);
    struct spool *spool = spool_new(".", in_memory);
    const struct mcap_options options = {packer, spool, take, &out, true, "ros2", "test"};
    struct mcap_file *file = mcap_file_new(&options);
    assert_int_equal(mcap_file_open(file), 0);
    struct buffer map = {0};
    mcap_map_add(&map, "key", "value", 5);
    assert_int_equal(mcap_file_add_metadata(file, "about", &map), 0);
    const struct mcap_schema schema = {"a/msg/B", "ros2msg", "bool data\n", 10};
    assert_int_equal(mcap_file_add_schema(file, &schema), 1);
    for (unsigned i = 1; i <= CHANNELS; i++) {
        const struct mcap_channel channel = {1, "/topic", "cdr", &map};
        assert_int_equal(mcap_file_add_channel(file, &channel), i);
    }
    put_messages(file, &bytes);
    assert_int_equal(mcap_file_end(file), 0);
    assert_int_equal(mcap_file_counts(file).messages, MESSAGES);
    assert_int_equal(mcap_file_counts(file).first, 1000000);
    assert_int_equal(mcap_file_counts(file).last, 1000000 + MESSAGES - 1);
    mcap_file_free(file);
    spool_free(spool);
    packer_free(packer);
    free(map.data);
    free(bytes.data);
    assert_false(out.failed);
    return out;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* What was read so far. */
struct reading {
    const char *begin;
    unsigned count[OPCODES], summary[OPCODES];
    uint64_t messages[CHANNELS + 1];
    const char *chunk; /* the last one's record */
    uint64_t chunk_length;
    uint64_t indexed;
};

/* A chunk's contents follow: 40 bytes, "" for the compression, their length. */
static const char *contents(const char *chunk)
{
    return chunk + HEAD + 40;
}

static void read_chunk(struct reading *reading, const char *chunk, uint64_t length)
{
    const char *at = contents(chunk), *end = at + number(chunk + HEAD + 32, 8);
    uint64_t first = UINT64_MAX, last = 0;
    assert_int_equal(number(chunk + HEAD + 16, 8), end - at);
    assert_int_equal(number(chunk + HEAD + 24, 4), sum(at, end));
    assert_int_equal(number(chunk + HEAD + 28, 4), 0);
    assert_int_equal(end - chunk, HEAD + length);
    assert_in_range(end - at, 1, 1 << 20);
    for (; at < end; at += HEAD + number(at + 1, 8)) {
        reading->count[(unsigned)*at]++;
        if (*at != 5)
            continue;
        unsigned channel = (unsigned)number(at + HEAD, 2);
        uint64_t time = number(at + HEAD + 6, 8);
        assert_in_range(channel, 1, CHANNELS);
        assert_int_equal(number(at + HEAD + 2, 4), reading->messages[channel]);
        assert_int_equal(time, time_of((unsigned)reading->messages[channel] * CHANNELS + channel - 1));
        assert_int_equal(number(at + HEAD + 14, 8), time);
        reading->messages[channel]++;
        first = time < first ? time : first;
        last = time > last ? time : last;
    }
    assert_true(at == end);
    assert_int_equal(number(chunk + HEAD, 8), first);
    assert_int_equal(number(chunk + HEAD + 8, 8), last);
    reading->chunk = chunk;
    reading->chunk_length = length;
}

/* Entries rise by time, and each is where it says. */
static void read_index(struct reading *reading, const char *index)
{
    uint64_t before = 0;
    const char *at = index + HEAD + 6, *end = at + number(index + HEAD + 2, 4);
    for (; at < end; at += 16) {
        const char *message = contents(reading->chunk) + number(at + 8, 8);
        assert_int_equal(*message, 5);
        assert_int_equal(number(message + HEAD, 2), number(index + HEAD, 2));
        assert_int_equal(number(message + HEAD + 6, 8), number(at, 8));
        assert_true(number(at, 8) >= before);
        before = number(at, 8);
        reading->indexed++;
    }
}

/* The records up to DataEnd. Returns where it ends. */
static const char *read_data(struct reading *reading, const struct buffer *file)
{
    const char *at = file->data + strlen(MAGIC);
    for (;; at += HEAD + number(at + 1, 8)) {
        assert_in_range(*at, 1, OPCODES - 1);
        if (*at == 15)
            break;
        reading->count[(unsigned)*at]++;
        if (*at == 6)
            read_chunk(reading, at, number(at + 1, 8));
        if (*at == 7)
            read_index(reading, at);
    }
    assert_int_equal(number(at + HEAD, 4), sum(file->data, at));
    return at + HEAD + 4;
}

static void expect_statistics(const struct reading *reading, const char *at)
{
    assert_int_equal(number(at, 8), MESSAGES);
    assert_int_equal(number(at + 8, 2), 1);
    assert_int_equal(number(at + 10, 4), CHANNELS);
    assert_int_equal(number(at + 14, 4), 0);
    assert_int_equal(number(at + 18, 4), 1);
    assert_int_equal(number(at + 22, 4), reading->count[6]);
    assert_int_equal(number(at + 26, 8), 1000000);
    assert_int_equal(number(at + 34, 8), 1000000 + MESSAGES - 1);
    assert_int_equal(number(at + 42, 4), 10 * CHANNELS);
    for (unsigned i = 0; i < CHANNELS; i++) {
        assert_int_equal(number(at + 46 + 10 * i, 2), i + 1);
        assert_int_equal(number(at + 48 + 10 * i, 8), reading->messages[i + 1]);
    }
}

/* A chunk index leads to a chunk and to the message indexes of its channels. */
static void expect_chunk_index(const struct reading *reading, const char *at)
{
    const char *chunk = reading->begin + number(at + 16, 8), *map = at + 36;
    uint64_t indexes = number(at + 24, 8);
    assert_int_equal(*chunk, 6);
    assert_int_equal(indexes, HEAD + number(chunk + 1, 8));
    assert_memory_equal(at, chunk + HEAD, 16);
    assert_int_equal(number(at + 32, 4), 10 * CHANNELS);
    for (unsigned i = 0; i < CHANNELS; i++) {
        const char *index = reading->begin + number(map + 10 * i + 2, 8);
        assert_int_equal(*index, 7);
        assert_int_equal(number(index + HEAD, 2), number(map + 10 * i, 2));
        indexes += HEAD + number(index + 1, 8);
    }
    map += 10 * CHANNELS;
    assert_int_equal(number(map, 8), indexes - number(at + 24, 8));
    assert_int_equal(number(map + 8, 4), 0);
    assert_int_equal(number(map + 12, 8), number(chunk + HEAD + 32, 8));
    assert_int_equal(number(map + 20, 8), number(chunk + HEAD + 16, 8));
}

static void read_summary(struct reading *reading, const char *summary, const char *end)
{
    const char *footer = end - 8 - 20, *offsets = reading->begin + number(footer + 8, 8);
    assert_memory_equal(end - 8, MAGIC, 8);
    assert_int_equal(number(footer, 8), summary - reading->begin);
    assert_int_equal(number(footer + 16, 4), sum(summary, footer + 16));
    for (const char *at = summary; at < offsets; at += HEAD + number(at + 1, 8)) {
        reading->summary[(unsigned)*at]++;
        if (*at == 11)
            expect_statistics(reading, at + HEAD);
        if (*at == 8)
            expect_chunk_index(reading, at + HEAD);
        if (*at == 13)
            assert_int_equal(reading->begin[number(at + HEAD, 8)], 12);
    }
    uint64_t from = (uint64_t)(summary - reading->begin);
    for (; *offsets == 14; offsets += HEAD + 17) {
        assert_int_equal(number(offsets + HEAD + 1, 8), from);
        assert_int_equal(reading->begin[from], offsets[HEAD]);
        from += number(offsets + HEAD + 9, 8);
    }
    assert_int_equal(from, number(footer + 8, 8));
    assert_true(offsets == footer - HEAD);
}

static void whole_file(void **state)
{
    struct buffer file = make(1, 1 << 20);
    struct reading reading = {.begin = file.data};
    (void)state;
    assert_memory_equal(file.data, MAGIC, 8);
    const char *summary = read_data(&reading, &file);
    read_summary(&reading, summary, file.data + file.length);
    assert_int_equal(reading.indexed, MESSAGES);
    assert_int_equal(reading.count[5], MESSAGES);
    assert_in_range(reading.count[6], 2, 9);
    const unsigned twice[] = {3, 4};
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(reading.count[twice[i]], reading.summary[twice[i]]);
    assert_int_equal(reading.summary[8], reading.count[6]);
    assert_int_equal(reading.summary[11], 1);
    assert_int_equal(reading.summary[13], 1);
    free(file.data);
}

/* Neither the number of threads nor what the spool keeps in memory changes the file. */
static void same_bytes(void **state)
{
    struct buffer wanted = make(1, 1 << 20);
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        struct buffer file = make(threads, 1);
        assert_int_equal(file.length, wanted.length);
        assert_memory_equal(file.data, wanted.data, wanted.length);
        free(file.data);
    }
    free(wanted.data);
}

/* Ids are never used twice. */
static void too_many(void **state)
{
    struct buffer out = {0}, map = {0};
    struct packer *packer = packer_new(COMPRESSION_NONE, 1);
    struct spool *spool = spool_new(".", 1 << 20);
    const struct mcap_options options = {packer, spool, take, &out, false, "", "test"};
    struct mcap_file *file = mcap_file_new(&options);
    const struct mcap_channel channel = {0, "/t", "json", &map};
    (void)state;
    assert_int_equal(mcap_file_open(file), 0);
    for (unsigned i = 1; i <= MCAP_IDS_MAX; i++)
        assert_int_equal(mcap_file_add_channel(file, &channel), i);
    assert_int_equal(mcap_file_add_channel(file, &channel), MCAP_NO_ID);
    mcap_file_free(file);
    spool_free(spool);
    packer_free(packer);
    free(out.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aside),
        cmocka_unit_test(whole_file),
        cmocka_unit_test(same_bytes),
        cmocka_unit_test(too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
