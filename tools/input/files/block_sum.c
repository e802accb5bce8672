#include "block_sum.h"

#include <string.h>

/* Fletcher's sums, side by side in the lanes of vectors: one vector alone would wait for its own additions, and wider
 * ones than the processor has would be kept in memory. */
enum { TOGETHER = 64, LANES = TOGETHER / sizeof(uint32_t) };
#define PRIME 0x9E3779B1u

struct sums {
    uint32_t words[LANES], words_before[LANES]; /* the second: in each place the sum of all up to there */
};

#define DEFINE_SUMS_OF(suffix, width, target)                                                                          \
    typedef uint32_t lanes##suffix __attribute__((vector_size(width)));                                                \
    typedef lanes##suffix anywhere##suffix __attribute__((aligned(1), may_alias));                                     \
    target static void sums_of##suffix(const uint8_t *bytes, size_t length, uint8_t *copy, struct sums *sums)          \
    {                                                                                                                  \
        enum { VECTORS = TOGETHER / (width) };                                                                         \
        lanes##suffix words[VECTORS] = {{0}}, words_before[VECTORS] = {{0}}, next;                                     \
        for (size_t at = 0; at + TOGETHER <= length; at += TOGETHER)                                                   \
            _Pragma("GCC unroll 4") for (int i = 0; i < VECTORS; i++)                                                  \
            {                                                                                                          \
                next = *(const volatile anywhere##suffix *)(bytes + at + i * (width)); /* once: see the header */      \
                if (copy)                                                                                              \
                    memcpy(copy + at + i * (width), &next, sizeof next);                                               \
                words[i] += next;                                                                                      \
                words_before[i] += words[i];                                                                           \
            }                                                                                                          \
        memcpy(sums->words, words, sizeof sums->words);                                                                \
        memcpy(sums->words_before, words_before, sizeof sums->words_before);                                           \
    }

DEFINE_SUMS_OF(_16, 16, )
#if defined(__x86_64__) && defined(__GNUC__)
DEFINE_SUMS_OF(_32, 32, __attribute__((target("avx2"))))
#define HAS_WIDER __builtin_cpu_supports("avx2")
#else
#define sums_of_32 sums_of_16
#define HAS_WIDER 0
#endif

/* Another number gives another sum. Without the shift a difference in the highest bit would stay there, and the next
 * one would cancel it. */
static uint32_t mixed(uint32_t sum, uint32_t number)
{
    sum = (sum ^ number) * PRIME;
    return sum ^ sum >> 15;
}

/* Of the sums and the bytes behind them. */
static uint32_t mix(const struct sums *sums, const uint8_t *bytes, size_t length)
{
    uint32_t sum = (uint32_t)length;
    for (size_t at = length / TOGETHER * TOGETHER; at < length; at++)
        sum = mixed(sum, bytes[at]);
    for (int i = 0; i < LANES; i++)
        sum = mixed(mixed(sum, sums->words[i]), sums->words_before[i]);
    return sum;
}

uint32_t block_sum_plain(const uint8_t *bytes, size_t length)
{
    struct sums sums;
    sums_of_16(bytes, length, NULL, &sums);
    return mix(&sums, bytes, length);
}

uint32_t block_sum(const uint8_t *bytes, size_t length)
{
    struct sums sums;
    if (!HAS_WIDER)
        return block_sum_plain(bytes, length);
    sums_of_32(bytes, length, NULL, &sums);
    return mix(&sums, bytes, length);
}

uint32_t block_sum_copy(uint8_t *to, const uint8_t *from, size_t length)
{
    struct sums sums;
    size_t rest = length % TOGETHER;
    if (HAS_WIDER)
        sums_of_32(from, length, to, &sums);
    else
        sums_of_16(from, length, to, &sums);
    memcpy(to + length - rest, from + length - rest, rest);
    return mix(&sums, to, length);
}
