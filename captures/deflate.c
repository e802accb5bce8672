#include "deflate.h"

#include <stdbool.h>
#include <string.h>

enum {
    SHORTEST = 3,
    LONGEST = 258,
    LENGTH_CODES = 29,
    DISTANCE_CODES = 30,
    FIRST_LENGTH_CODE = 257,
    END_OF_BLOCK = 256
};

static const uint16_t length_base[LENGTH_CODES] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                                   31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t length_extra[LENGTH_CODES] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                   2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
static const uint16_t distance_base[DISTANCE_CODES] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                                       33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                                       1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
static const uint8_t distance_extra[DISTANCE_CODES] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                                       6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

struct bit_writer {
    uint8_t *out;
    size_t length; /* bytes begun */
    size_t capacity;
    unsigned free; /* bits left in the last byte */
    bool full;
};

static void put_bit(struct bit_writer *bits, unsigned bit)
{
    if (bits->free == 0) {
        if (bits->length == bits->capacity) {
            bits->full = true;
            return;
        }
        bits->out[bits->length++] = 0;
        bits->free = 8;
    }
    bits->out[bits->length - 1] |= (uint8_t)((bit & 1) << (8 - bits->free));
    bits->free--;
}

/* Plain numbers go in from their lowest bit, codes from their highest. */
static void put_number(struct bit_writer *bits, unsigned number, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        put_bit(bits, number >> i);
}

static void put_code(struct bit_writer *bits, unsigned code, unsigned count)
{
    while (count-- > 0)
        put_bit(bits, code >> count);
}

/* The fixed code of a byte, of the block's end, or of a length. */
static void put_symbol(struct bit_writer *bits, unsigned symbol)
{
    if (symbol < 144)
        put_code(bits, 0x30 + symbol, 8);
    else if (symbol < 256)
        put_code(bits, 0x190 + symbol - 144, 9);
    else if (symbol < 280)
        put_code(bits, symbol - 256, 7);
    else
        put_code(bits, 0xc0 + symbol - 280, 8);
}

static void put_match(struct bit_writer *bits, size_t length, size_t distance)
{
    unsigned k = LENGTH_CODES - 1;
    while (length_base[k] > length)
        k--;
    put_symbol(bits, FIRST_LENGTH_CODE + k);
    put_number(bits, (unsigned)length - length_base[k], length_extra[k]);
    k = DISTANCE_CODES - 1;
    while (distance_base[k] > distance)
        k--;
    put_code(bits, k, 5);
    put_number(bits, (unsigned)distance - distance_base[k], distance_extra[k]);
}

/* The longest earlier match of the bytes at `at`; of several the nearest. */
static size_t find_match(const struct deflate *deflate, size_t at, size_t *distance)
{
    const uint8_t *bytes = deflate->bytes;
    size_t room = deflate->length - at < LONGEST ? deflate->length - at : LONGEST;
    size_t best = 0;
    for (size_t back = 1; back <= at && back <= DEFLATE_WINDOW && best < room; back++) {
        size_t length = 0;
        while (length < room && bytes[at - back + length] == bytes[at + length])
            length++;
        if (length > best) {
            best = length;
            *distance = back;
        }
    }
    return best;
}

size_t deflate_message(struct deflate *deflate, const void *message, size_t length, uint8_t *out, size_t capacity)
{
    struct bit_writer bits = {.out = out, .capacity = capacity};
    if (length > DEFLATE_MESSAGE)
        return 0;
    if (deflate->length > DEFLATE_WINDOW) {
        memmove(deflate->bytes, deflate->bytes + deflate->length - DEFLATE_WINDOW, DEFLATE_WINDOW);
        deflate->length = DEFLATE_WINDOW;
    }
    size_t at = deflate->length;
    memcpy(deflate->bytes + at, message, length);
    deflate->length += length;
    put_number(&bits, 0, 1); /* not the last block */
    put_number(&bits, 1, 2); /* fixed codes */
    while (at < deflate->length) {
        size_t distance = 0;
        size_t same = find_match(deflate, at, &distance);
        if (same >= SHORTEST) {
            put_match(&bits, same, distance);
            at += same;
        } else {
            put_symbol(&bits, deflate->bytes[at++]);
        }
    }
    put_symbol(&bits, END_OF_BLOCK);
    put_number(&bits, 0, 3); /* the flush: an empty stored block, as far as it is sent */
    return bits.full ? 0 : bits.length;
}
