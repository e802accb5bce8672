/* Which well-known client's recipe a sample of data packages shows. */
#ifndef ARMTAP_RTDE_KNOWN_H
#define ARMTAP_RTDE_KNOWN_H

#include "rtde_evidence.h"

/* Points without which a recipe of that many bytes is not named: two status words, or a clock and some fields that few
 * others look like. Where there are few bytes, people ask for the same few words in many ways. */
static inline unsigned armtap_rtde_needed(size_t size)
{
    return size < 32 ? 18 : 12;
}

struct armtap_rtde_found {
    struct armtap_recipe *recipe; /* what all that fit agree on, held by the caller; NULL: nothing */
    unsigned score;               /* of the one that fits least */
    struct armtap_line source;    /* whose recipe it is */
    struct armtap_line reasons;
};
/* The candidates among the well-known recipes whose evidence suffices, with their first value at `skip`. */
int armtap_rtde_find_known(const struct armtap_sample *sample, size_t skip, long clock,
                           struct armtap_rtde_found *found);

#endif
