/* Fetches what the next packet will probably need, while this one is decoded. */
#ifndef ARMTAP_PREFETCH_H
#define ARMTAP_PREFETCH_H

#include <stddef.h>

#define ARMTAP_CACHE_LINE 64

static inline void armtap_prefetch(const void *at, size_t length)
{
    for (size_t i = 0; i < length; i += ARMTAP_CACHE_LINE)
        __builtin_prefetch((const char *)at + i);
    __builtin_prefetch((const char *)at + length - 1);
}

#endif
