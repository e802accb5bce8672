/* Recipes that a decoder makes from a number alone, such as the size of a packet: made once, and shared by the
 * connections of a capture. */
#ifndef ARMTAP_LAYOUT_H
#define ARMTAP_LAYOUT_H

#include "armtap.h"

#define ARMTAP_LAYOUTS_MAX 16 /* kept; a few sizes are in use at a time */

struct armtap_layouts {
    struct armtap_layout {
        enum armtap_protocol protocol;
        size_t number;
        struct armtap_recipe *recipe; /* NULL: the entry is free, like all behind it */
    } all[ARMTAP_LAYOUTS_MAX];        /* those asked for last come first */
};

/* Makes the recipe of a number. */
typedef int armtap_layout_maker(size_t number, struct armtap_recipe **recipe);

/* *recipe is held for the caller. */
int armtap_layout_of(struct armtap_layouts *layouts, enum armtap_protocol protocol, size_t number,
                     armtap_layout_maker *make, struct armtap_recipe **recipe);
void armtap_layouts_clear(struct armtap_layouts *layouts);

#endif
