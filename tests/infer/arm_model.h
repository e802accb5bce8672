/* A robot for tests of inference: moves, measures with the noise of real sensors, and packs fields as RTDE does.
 * Written apart from the library's kinematics and inference: it shares nothing with them but the names of fields. */
#ifndef TESTS_INFER_ARM_MODEL_H
#define TESTS_INFER_ARM_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two families of robots: inference is tuned on the first; the second is for the figure only. They share no model of
 * robot, no shape of motion, and no size of noise. */
enum family { FAMILY_TUNED, FAMILY_HELD_OUT };

struct random {
    uint64_t state;
};
double random_unit(struct random *random);
double random_between(struct random *random, double least, double most);
unsigned random_below(struct random *random, unsigned count);

struct arm;
struct arm_plan {
    enum family family;
    uint64_t seed;
    bool moves;
    unsigned hz; /* of the packages */
};
/* NULL if memory runs out. */
struct arm *arm_new(const struct arm_plan *plan);
void arm_free(struct arm *arm);
/* Advances to the next package. */
void arm_step(struct arm *arm);
const char *arm_name(const struct arm *arm);

/* The fields that it knows, in the order of the guide. */
struct arm_field {
    const char *name, *type;
    unsigned size;       /* bytes */
    unsigned popularity; /* of 63 well-known recipes: how many have it */
};
/* NULL beyond the last. */
const struct arm_field *arm_field_at(size_t i);
/* Writes the field's value, and returns behind it. */
uint8_t *arm_put(const struct arm *arm, size_t field, uint8_t *to);

#endif
