/* Copies and clears structures in parts: for a large structure compilers use an instruction (rep movs, rep stos) that
 * takes longer to start than this takes in all. */
#ifndef ARMTAP_IN_PARTS_H
#define ARMTAP_IN_PARTS_H

#include <stddef.h>
#include <string.h>

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

#endif
