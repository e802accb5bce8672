/* The legacy layouts: which fields a packet of a size holds. */
#ifndef ARMTAP_REALTIME_RECIPE_H
#define ARMTAP_REALTIME_RECIPE_H

#include "table/recipe.h"

/* Cells one after the other, from a column on; 0: none of this layout. */
struct armtap_realtime_cells {
    uint16_t column, count;
};

/* The legacy layout of a size: generation, and its fields one after the other. */
enum armtap_generation armtap_realtime_generation(size_t size);
/* The field that begins at *column and fits into `size` bytes, or NULL. Advances *column past it. */
const struct armtap_field *armtap_realtime_next(enum armtap_generation generation, size_t size, unsigned *column);
/* A layout's modes: its fields that are signed whole numbers. The last has count 0. */
const struct armtap_realtime_cells *armtap_realtime_modes(enum armtap_generation generation);

#endif
