#include "rows.h"

#include "base/numbers/little_endian.h"

enum { WORD_BITS = 64 };
#define NS_PER_US 1000

static size_t words_of(size_t rows)
{
    return (rows + WORD_BITS - 1) / WORD_BITS;
}

static uint64_t word_at(const char *words, size_t index)
{
    uint64_t word;
    memcpy(&word, words + index * sizeof word, sizeof word);
    return word;
}

/* Adds up bits, pairs, fours ... */
size_t parquet_ones(uint64_t word)
{
    word -= word >> 1 & 0x5555555555555555;
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return (size_t)(word * 0x0101010101010101 >> 56);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

void parquet_rows_begin(struct buffer *rows, size_t count)
{
    uint64_t number = count;
    buffer_put(rows, (const char *)&number, sizeof number);
}

static void put_presence(struct buffer *rows, const uint64_t *present, size_t count)
{
    buffer_put(rows, (const char *)present, words_of(count) * sizeof *present);
}

/* Downwards, also before 1970. */
static uint64_t to_microseconds(uint64_t word)
{
    int64_t ns = (int64_t)word;
    return (uint64_t)(ns / NS_PER_US - (ns % NS_PER_US < 0));
}

static inline void store_one(char *at, unsigned width, bool is_time, uint64_t word)
{
    if (width == sizeof word)
        le64_store(at, is_time ? to_microseconds(word) : word);
    else if (width == sizeof(uint32_t))
        le32_store(at, (uint32_t)word);
    else
        *at = (char)word;
}

/* Stores the values that are present, without gaps. Inlined with a constant width: there are many. Returns the end. */
static inline char *store(char *at, unsigned width, bool is_time, const uint64_t *present, const uint64_t *words,
                          size_t count)
{
    for (size_t from = 0; from < count; from += WORD_BITS) {
        size_t to = count - from < WORD_BITS ? count : from + WORD_BITS;
        uint64_t bits = present[from / WORD_BITS];
        if (bits == UINT64_MAX)
            for (size_t i = from; i < to; i++, at += width)
                store_one(at, width, is_time, words[i]);
        else
            for (size_t i = from; i < to; i++, at += (bits & 1) * width, bits >>= 1)
                store_one(at, width, is_time, words[i]);
    }
    return at;
}

void parquet_rows_numbers(struct buffer *rows, enum parquet_type type, const uint64_t *present, const uint64_t *words,
                          size_t count)
{
    unsigned width = parquet_type_row(type)->width;
    put_presence(rows, present, count);
    char *from = buffer_room(rows, count * width), *to;
    if (!from)
        return;
    if (type == PARQUET_TIME)
        to = store(from, sizeof *words, true, present, words, count);
    else if (width == sizeof *words)
        to = store(from, sizeof *words, false, present, words, count);
    else if (width == sizeof(uint32_t))
        to = store(from, sizeof(uint32_t), false, present, words, count);
    else
        to = store(from, 1, false, present, words, count);
    rows->length += (size_t)(to - from);
}

void parquet_rows_texts(struct buffer *rows, const uint64_t *present, size_t count)
{
    put_presence(rows, present, count);
}

void parquet_rows_text(struct buffer *rows, const char *text, size_t length)
{
    char size[sizeof(uint32_t)];
    le32_store(size, (uint32_t)length);
    buffer_put(rows, size, sizeof size);
    buffer_put(rows, text, length);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

size_t parquet_rows_count(const char **rows)
{
    uint64_t count;
    memcpy(&count, *rows, sizeof count);
    *rows += sizeof count;
    return (size_t)count;
}

size_t parquet_text_size(const char *text)
{
    return sizeof(uint32_t) + le32_load(text);
}

struct parquet_run parquet_rows_next(const char **rows, size_t count, enum parquet_type type)
{
    unsigned width = parquet_type_row(type)->width;
    struct parquet_run run = {.present = *rows, .values = *rows + words_of(count) * sizeof(uint64_t)};
    size_t present = 0;
    for (size_t i = 0; i < words_of(count); i++)
        present += parquet_ones(word_at(run.present, i));
    *rows = run.values + present * width;
    for (size_t i = 0; i < present && width == 0; i++)
        *rows += parquet_text_size(*rows);
    return run;
}

bool parquet_run_has(const struct parquet_run *run, size_t row)
{
    return (word_at(run->present, row / WORD_BITS) >> row % WORD_BITS & 1) != 0;
}

/* `count` bits from bit `from` on, at most 64. */
static uint64_t bits_from(const char *words, size_t from, size_t count)
{
    size_t shift = from % WORD_BITS;
    uint64_t bits = word_at(words, from / WORD_BITS) >> shift;
    if (shift + count > WORD_BITS)
        bits |= word_at(words, from / WORD_BITS + 1) << (WORD_BITS - shift);
    return count == WORD_BITS ? bits : bits & (((uint64_t)1 << count) - 1);
}

size_t parquet_run_bits(const struct parquet_run *run, size_t from, size_t count, uint64_t *bits, size_t at)
{
    size_t present = 0;
    while (count > 0) {
        size_t shift = at % WORD_BITS, some = count < WORD_BITS - shift ? count : WORD_BITS - shift;
        uint64_t more = bits_from(run->present, from, some);
        bits[at / WORD_BITS] = (shift == 0 ? 0 : bits[at / WORD_BITS]) | more << shift;
        present += parquet_ones(more);
        from += some;
        at += some;
        count -= some;
    }
    return present;
}
