/* What only saves time. */
#ifndef ARMTAP_SPEED_H
#define ARMTAP_SPEED_H

#include <stddef.h>
#include <string.h>

/* ---- prefetches ----
 *
 * Fetches what the next packet will probably need, while this one is decoded. */

#define ARMTAP_CACHE_LINE 64

static inline void armtap_prefetch(const void *at, size_t length)
{
    for (size_t i = 0; i < length; i += ARMTAP_CACHE_LINE)
        __builtin_prefetch((const char *)at + i);
    __builtin_prefetch((const char *)at + length - 1);
}

/* ---- large structures ----
 *
 * Copies and clears structures in parts: for a large structure compilers use an instruction (rep movs, rep stos) that
 * takes longer to start than this takes in all. */

#define ARMTAP_PART 64

static inline void armtap_copy_in_parts(void *to, const void *from, size_t length)
{
    size_t at = 0;
    for (; at + ARMTAP_PART <= length; at += ARMTAP_PART)
        memcpy((char *)to + at, (const char *)from + at, ARMTAP_PART);
    memcpy((char *)to + at, (const char *)from + at, length % ARMTAP_PART);
}

static inline void armtap_clear_in_parts(void *to, size_t length)
{
    size_t at = 0;
    for (; at + ARMTAP_PART <= length; at += ARMTAP_PART)
        memset((char *)to + at, 0, ARMTAP_PART);
    memset((char *)to + at, 0, length % ARMTAP_PART);
}

/* ---- rare functions ----
 *
 * What few packets need, beside what all of them need. */

/* A function that is not made part of its only caller: that one would save registers, and guard its stack, for it. */
#define ARMTAP_RARE __attribute__((noinline))

#endif
