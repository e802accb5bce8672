/* The input recipes of an RTDE connection, found by their id, or by the bytes of their values. */
#ifndef ARMTAP_RTDE_INPUTS_H
#define ARMTAP_RTDE_INPUTS_H

#include "table/recipe.h"

#define ARMTAP_RTDE_INPUT_IDS 256 /* ids */

/* Initially zero; the owner releases the recipes. */
struct armtap_rtde_inputs {
    struct armtap_recipe *by_id[ARMTAP_RTDE_INPUT_IDS]; /* NULL: not set up */
    uint8_t by_size[ARMTAP_RTDE_INPUT_IDS];             /* ids, sorted by their recipes' size, then by id */
    unsigned count;
};

/* Re-sorts an id whose recipe has changed; it must have one. */
void armtap_rtde_inputs_sort(struct armtap_rtde_inputs *inputs, uint8_t id);
/* The recipe of that size with the lowest id, or NULL. */
const struct armtap_recipe *armtap_rtde_inputs_of_size(const struct armtap_rtde_inputs *inputs, size_t size);

#endif
