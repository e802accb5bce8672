#include "analysis/arm/difference.h"

#include <string.h>

static uint64_t word_at(const void *structure, size_t word)
{
    uint64_t value;
    memcpy(&value, (const char *)structure + DIFFERENCE_WORD * word, sizeof value);
    return value;
}

/* A word that is not 0, from its first byte to its last that is not, behind a byte that says which these are. */
static uint8_t *write_word(uint8_t *to, uint64_t word)
{
    uint8_t *which = to++, first = 0;
    for (; (word & 0xff) == 0; word >>= 8)
        first++;
    for (; word != 0; word >>= 8)
        *to++ = (uint8_t)word;
    *which = (uint8_t)((to - which - 1) << 4 | first);
    return to;
}

static const uint8_t *read_word(const uint8_t *from, uint64_t *word)
{
    unsigned first = *from & 15u, count = *from >> 4;
    *word = 0;
    from++;
    for (unsigned i = 0; i < count; i++)
        *word |= (uint64_t)*from++ << 8 * (first + i);
    return from;
}

size_t armtap_difference_write(uint8_t *to, const void *what, const void *like, size_t size)
{
    const size_t words = size / DIFFERENCE_WORD;
    uint8_t *end = to + (words + 7) / 8;
    memset(to, 0, (words + 7) / 8);
    for (size_t i = 0; i < words; i++) {
        uint64_t word = word_at(what, i) ^ word_at(like, i);
        if (word == 0)
            continue;
        to[i / 8] |= (uint8_t)(1u << i % 8);
        end = write_word(end, word);
    }
    return (size_t)(end - to);
}

void armtap_difference_read(const uint8_t *from, void *what, const void *like, size_t size)
{
    const size_t words = size / DIFFERENCE_WORD;
    const uint8_t *next = from + (words + 7) / 8;
    for (size_t i = 0; i < words; i++) {
        uint64_t word = 0;
        if (from[i / 8] >> i % 8 & 1)
            next = read_word(next, &word);
        word ^= word_at(like, i);
        memcpy((char *)what + DIFFERENCE_WORD * i, &word, sizeof word);
    }
}
