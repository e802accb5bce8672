/* The legacy layouts: which fields a packet of a size holds. */
#ifndef ARMTAP_REALTIME_RECIPE_H
#define ARMTAP_REALTIME_RECIPE_H

#include "../lib/recipe.h"

/* The legacy layout of a size: generation, and its fields one after the other. */
enum armtap_generation armtap_realtime_generation(size_t size);
/* The field that begins at *column and fits into `size` bytes, or NULL. Advances *column past it. */
const struct armtap_field *armtap_realtime_next(enum armtap_generation generation, size_t size, unsigned *column);

#endif
