/* How far the data speaks for a recipe and for each of its names, and not for others at the same bytes as well. */
#ifndef ARMTAP_RTDE_SUPPORT_H
#define ARMTAP_RTDE_SUPPORT_H

#include "rtde_evidence.h"

/* Points without which a recipe of that many bytes is not named: two status words, or a clock and some fields that few
 * others look like. Where there are few bytes, people ask for the same few words in many ways. */
static inline unsigned armtap_rtde_needed(size_t size)
{
    return size < 32 ? 18 : 12;
}
/* Weighs a whole recipe whose first value stands at `skip`; what a rival gets too does not count. */
int armtap_rtde_judge(const struct armtap_recipe *recipe, const struct armtap_sample *sample, size_t skip, long clock,
                      struct armtap_rtde_evidence *evidence);

/* Adds to `supported` the fields whose name explains the sample better than any other name at their bytes would; the
 * others have theirs from the recipe as a whole. None of a recipe that has a field twice. */
int armtap_rtde_supported(const struct armtap_recipe *recipe, const struct armtap_sample *sample, size_t skip,
                          long clock, struct armtap_set *supported);

#endif
