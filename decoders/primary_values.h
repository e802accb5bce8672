/* The values of a ROBOT_STATE: one recipe for all its sub-packages, and the bytes that follow it. */
#ifndef ARMTAP_PRIMARY_VALUES_H
#define ARMTAP_PRIMARY_VALUES_H

#include "table/recipe.h"
#include "primary_layout.h"

/* What of a state is there: how many rows of each layout. */
struct armtap_primary_shape {
    uint8_t rows[ARMTAP_PRIMARY_LAYOUTS];
};

/* A state, taken apart. */
struct armtap_primary_state {
    enum armtap_generation generation; /* as its RobotModeData shows, or as given */
    struct armtap_primary_shape shape;
    const uint8_t *subpackage[ARMTAP_PRIMARY_LAYOUTS]; /* by layout; NULL: not there */
};

/* The generation that the RobotModeData of a state shows; UNKNOWN without one. */
enum armtap_generation armtap_primary_state_generation(const uint8_t *frame, size_t length);
/* The generation that the sizes of its sub-packages speak for, where nothing else tells it. */
enum armtap_generation armtap_primary_sizes_generation(const uint8_t *frame, size_t length);
/* Whether what follows a first shape's layouts may be missing: then its records are the beginning of the others. */
bool armtap_primary_shape_begins(const struct armtap_primary_shape *shape, const struct armtap_primary_shape *longer);
/* The number of fields. */
size_t armtap_primary_fields(const struct armtap_primary_shape *shape);
int armtap_primary_recipe(const struct armtap_primary_shape *shape, struct armtap_recipe **recipe);
/* Writes the values in the order of a recipe that begins with those of the state's shape, big-endian; returns their
 * bytes, at most ARMTAP_PRIMARY_VALUES. */
size_t armtap_primary_put(const struct armtap_primary_state *state, const struct armtap_recipe *recipe,
                          uint8_t *values);
/* An element of a row as its field holds it: an integer, or the bits of a double. */
uint64_t armtap_primary_element(const struct armtap_primary_row *row, const uint8_t *wire);

#endif
