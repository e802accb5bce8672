#include "page.h"

#include <math.h>

#include "base/numbers/byte_order.h"
#include "thrift.h"

enum { WORD_BITS = 64, NS_PER_US = 1000 };

enum parquet_encoding parquet_page_encoding(enum parquet_type type, bool splits_bytes)
{
    bool is_double = parquet_type_row(type)->physical == PARQUET_PHYSICAL_DOUBLE;
    return is_double && splits_bytes ? PARQUET_BYTE_STREAM_SPLIT : PARQUET_PLAIN;
}

int parquet_page_codec(enum compression compression)
{
    static const int codecs[COMPRESSION_END] = {
        [COMPRESSION_NONE] = 0, [COMPRESSION_LZ4] = 7 /* LZ4_RAW */, [COMPRESSION_ZSTD] = 6};
    return codecs[compression];
}

/* ---- levels ------------------------------------------------------------------------------------------------------ */

static bool bit_at(const uint64_t *bits, size_t at)
{
    return (bits[at / WORD_BITS] >> at % WORD_BITS & 1) != 0;
}

/* The end of the run of equal bits that begins at `from`. */
static size_t run_end(const uint64_t *bits, size_t from, size_t count)
{
    bool bit = bit_at(bits, from);
    uint64_t same = bit ? UINT64_MAX : 0;
    size_t to = from + 1;
    while (to < count && bit_at(bits, to) == bit) {
        bool is_whole = to % WORD_BITS == 0 && count - to >= WORD_BITS && bits[to / WORD_BITS] == same;
        to += is_whole ? WORD_BITS : 1;
    }
    return to;
}

static void put_runs(struct buffer *out, const uint64_t *present, size_t rows)
{
    for (size_t from = 0, to; from < rows; from = to) {
        to = run_end(present, from, rows);
        thrift_varint(out, (uint64_t)(to - from) << 1);
        buffer_char(out, bit_at(present, from));
    }
}

/* Eight levels to a byte. */
static void put_packed(struct buffer *out, const uint64_t *present, size_t rows)
{
    size_t bytes = (rows + 7) / 8;
    thrift_varint(out, (uint64_t)bytes << 1 | 1);
    for (size_t i = 0; i < bytes; i++)
        buffer_char(out, (char)(present[i / 8] >> i % 8 * 8));
}

void parquet_page_levels(struct buffer *out, const uint64_t *present, size_t rows)
{
    size_t at = out->length, head = sizeof(uint32_t), packed = 1 + (rows + 7) / 8;
    buffer_put(out, "\0\0\0", head);
    put_runs(out, present, rows);
    if (!out->failed && out->length - at - head > packed) {
        out->length = at + head;
        put_packed(out, present, rows);
    }
    if (!out->failed)
        le32_store(out->data + at, (uint32_t)(out->length - at - head));
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Downwards, also before 1970. */
static uint64_t to_microseconds(uint64_t word)
{
    int64_t ns = (int64_t)word;
    return (uint64_t)(ns / NS_PER_US - (ns % NS_PER_US < 0));
}

void parquet_page_order(enum parquet_type type, char *values, size_t count)
{
    static const bool is_little_endian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    unsigned width = parquet_type_row(type)->width;
    if (is_little_endian && type != PARQUET_TIME)
        return;
    for (char *at = values; at < values + count * width && width == sizeof(uint64_t); at += width) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        le64_store(at, type == PARQUET_TIME ? to_microseconds(word) : word);
    }
    for (char *at = values; at < values + count * width && width == sizeof(uint32_t); at += width) {
        uint32_t word;
        memcpy(&word, at, sizeof word);
        le32_store(at, word);
    }
}

static void put_bits(struct buffer *out, const char *values, size_t count)
{
    for (size_t i = 0; i < count; i += 8) {
        unsigned byte = 0;
        for (size_t k = 0; k < 8 && i + k < count; k++)
            byte |= (unsigned)(values[i + k] != 0) << k;
        buffer_char(out, (char)byte);
    }
}

/* The first bytes of all values, then their second bytes ... */
static void put_split(struct buffer *out, const char *values, size_t count, size_t width)
{
    char *at = buffer_room(out, count * width);
    if (!at)
        return;
    for (size_t k = 0; k < width; k++)
        for (size_t i = 0; i < count; i++)
            *at++ = values[i * width + k];
    out->length += count * width;
}

/* ---- statistics -------------------------------------------------------------------------------------------------- */

static double double_load(const char *at)
{
    uint64_t bits = le64_load(at);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void double_store(char *at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    le64_store(at, bits);
}

/* Comparisons with NaN are false, so NaN is left out. Zero may be of either sign: readers expect the range to include
 * both. Several values are compared at a time, since each comparison waits for the one before. */
static struct parquet_range range_of_doubles(const char *values, size_t count)
{
    enum { LANES = 8, WIDTH = sizeof(double) };
    double low[LANES], high[LANES];
    for (size_t k = 0; k < LANES; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
    }
    for (size_t i = 0; i + LANES <= count; i += LANES)
        for (size_t k = 0; k < LANES; k++) {
            double value = double_load(values + (i + k) * WIDTH);
            low[k] = value < low[k] ? value : low[k];
            high[k] = value > high[k] ? value : high[k];
        }
    for (size_t i = count - count % LANES; i < count; i++) {
        low[0] = fmin(low[0], double_load(values + i * WIDTH));
        high[0] = fmax(high[0], double_load(values + i * WIDTH));
    }
    for (size_t k = 1; k < LANES; k++) {
        low[0] = fmin(low[0], low[k]);
        high[0] = fmax(high[0], high[k]);
    }
    struct parquet_range range = {.is_known = low[0] <= high[0]};
    double_store(range.low, low[0] == 0 ? -0.0 : low[0]);
    double_store(range.high, high[0] == 0 ? 0.0 : high[0]);
    return range;
}

static uint64_t integer_load(const char *at, unsigned width)
{
    return width == sizeof(uint64_t) ? le64_load(at) : width == sizeof(uint32_t) ? le32_load(at) : (unsigned char)*at;
}

/* With the sign bit flipped, signed numbers are in order as unsigned ones. */
static struct parquet_range range_of_integers(const char *values, size_t count, unsigned width, bool is_signed)
{
    uint64_t flip = is_signed ? (uint64_t)1 << (8 * width - 1) : 0, low = UINT64_MAX, high = 0, before = 0;
    struct parquet_range range = {.is_known = count > 0, .rises = true};
    for (size_t i = 0; i < count; i++) {
        uint64_t value = integer_load(values + i * width, width) ^ flip;
        low = value < low ? value : low;
        high = value > high ? value : high;
        range.rises = range.rises && value >= before;
        before = value;
    }
    le64_store(range.low, low ^ flip);
    le64_store(range.high, high ^ flip);
    return range;
}

struct parquet_range parquet_range_of(enum parquet_type type, const char *values, size_t count)
{
    const struct parquet_type_row *row = parquet_type_row(type);
    bool is_signed = row->logical == PARQUET_LOGICAL_NONE || row->logical == PARQUET_LOGICAL_TIMESTAMP_MICROS;
    if (row->width == 0)
        return (struct parquet_range){.is_known = false};
    return type == PARQUET_DOUBLE ? range_of_doubles(values, count)
                                  : range_of_integers(values, count, row->width, is_signed);
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

/* Field ids as in parquet.thrift: PageHeader and DataPageHeader. */
static void put_header(struct buffer *out, size_t rows, size_t plain, size_t packed, enum parquet_encoding encoding)
{
    enum { DATA_PAGE = 0 };
    struct thrift thrift = {.out = out};
    thrift_begin(&thrift);
    thrift_i32(&thrift, 1, DATA_PAGE);
    thrift_i32(&thrift, 2, (int32_t)plain);
    thrift_i32(&thrift, 3, (int32_t)packed);
    thrift_struct(&thrift, 5);
    thrift_i32(&thrift, 1, (int32_t)rows);
    thrift_i32(&thrift, 2, (int32_t)encoding);
    thrift_i32(&thrift, 3, PARQUET_RLE);
    thrift_i32(&thrift, 4, PARQUET_RLE);
    thrift_end(&thrift);
    thrift_end(&thrift);
}

static void put_levels(struct buffer *out, const struct column_table *group, size_t column, struct buffer *words)
{
    words->length = 0;
    column_table_present(group, column, words);
    if (!words->failed)
        parquet_page_levels(out, (const uint64_t *)(const void *)words->data, group->rows);
}

/* Puts the values, and notes their range. Those that are not stored as they are in memory go through `plain`. */
static void put_values(struct parquet_page *page, struct buffer *out, const struct column_table *group, size_t column,
                       enum parquet_type type, bool splits_bytes, struct buffer *plain)
{
    size_t count = group->columns[column].count;
    bool is_bool = type == PARQUET_BOOL;
    bool is_split = parquet_page_encoding(type, splits_bytes) == PARQUET_BYTE_STREAM_SPLIT;
    struct buffer *values = is_bool || is_split ? plain : out;
    plain->length = 0;
    size_t at = values->length;
    column_table_values_present(group, column, values);
    if (values->failed)
        return;
    parquet_page_order(type, values->data + at, count);
    page->range = parquet_range_of(type, values->data + at, count);
    if (is_bool)
        put_bits(out, plain->data, count);
    else if (is_split)
        put_split(out, plain->data, count, parquet_type_row(type)->width);
}

void parquet_page_make(struct parquet_page *page, const struct column_table *group, size_t column,
                       enum parquet_type type, bool splits_bytes, struct packer_desk *desk)
{
    enum { HEADER_ROOM = 64 };
    struct buffer *plain = &desk->scratch, header = {0};
    plain->length = 0;
    put_levels(plain, group, column, &desk->notes);
    put_values(page, plain, group, column, type, splits_bytes, &desk->notes);
    /* The header is before the body, but has its compressed size. */
    page->bytes->length = 0;
    if (buffer_room(page->bytes, HEADER_ROOM))
        page->bytes->length = HEADER_ROOM;
    compressor_pack(desk->compressor, COMPRESSION_BARE, plain->data, plain->length, page->bytes);
    put_header(&header, group->rows, plain->length, page->bytes->length - HEADER_ROOM,
               parquet_page_encoding(type, splits_bytes));
    page->bytes->failed = page->bytes->failed || plain->failed || desk->notes.failed || header.failed;
    page->skip = page->bytes->failed ? 0 : HEADER_ROOM - header.length;
    if (!page->bytes->failed)
        memcpy(page->bytes->data + page->skip, header.data, header.length);
    page->plain_size = plain->length + header.length;
    page->nulls = group->rows - group->columns[column].count;
    free(header.data);
}

static const struct parquet_type_row rows[PARQUET_TYPES] = {
#define PARQUET_TYPE(id, physical, width, converted, logical)                                                          \
    [PARQUET_##id] = {PARQUET_PHYSICAL_##physical, (width), (converted), PARQUET_LOGICAL_##logical},
#include "types.def"
};

const struct parquet_type_row *parquet_type_row(enum parquet_type type)
{
    return &rows[type];
}
