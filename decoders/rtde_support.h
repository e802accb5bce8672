/* How strongly the data supports a recipe and each of its names rather than others at the same bytes. */
#ifndef ARMTAP_RTDE_SUPPORT_H
#define ARMTAP_RTDE_SUPPORT_H

#include "rtde_evidence.h"

/* Points needed to name a recipe of that many bytes: two status words, or a clock and some distinctive fields. Short
 * recipes need more, because many of them consist of the same few words. */
static inline unsigned armtap_rtde_needed(size_t size)
{
    return size < 32 ? 18 : 12;
}
/* Scores a whole recipe whose first value is at `skip`; points that a rival also gets do not count. */
int armtap_rtde_judge(const struct armtap_recipe *recipe, const struct armtap_sample *sample, size_t skip, long clock,
                      struct armtap_rtde_evidence *evidence);

/* Adds to `supported` the fields whose name explains the sample better than any other name at their bytes would; the
 * others have theirs from the recipe as a whole. None of a recipe that has a field twice. */
int armtap_rtde_supported(const struct armtap_recipe *recipe, const struct armtap_sample *sample, size_t skip,
                          long clock, struct armtap_set *supported);

#endif
