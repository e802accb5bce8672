/* Which names of a guessed recipe the data itself speaks for. */
#ifndef ARMTAP_RTDE_SUPPORT_H
#define ARMTAP_RTDE_SUPPORT_H

#include "../lib/recipe.h"
#include "../lib/sample.h"

/* Adds to `supported` the fields whose name explains the sample better than any other name at their bytes would; the
 * others have theirs from the recipe as a whole. None of a recipe that has a field twice. */
int armtap_rtde_supported(const struct armtap_recipe *recipe, const struct armtap_sample *sample, size_t skip,
                          long clock, struct armtap_set *supported);

#endif
