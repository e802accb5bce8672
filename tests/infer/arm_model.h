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

/* What recordings of real arms show and the plain robots lack: any of them together. */
enum behaviour {
    BEHAVES_LED = 1 << 0,         /* led by hand: the targets follow the arm, and tremble as it does */
    BEHAVES_PUSHING = 1 << 1,     /* the same while a program controls the force; contact */
    BEHAVES_UNSPED = 1 << 2,      /* target_qdd is always 0 */
    BEHAVES_HOLDING = 1 << 3,     /* at rest, the measured joints stand still, and their speeds are 0 or fade */
    BEHAVES_BARE = 1 << 4,        /* no sensor, tool, payload, inputs, outputs: constants, most of them 0 */
    BEHAVES_UNWRITTEN = 1 << 5,   /* every register is 0 */
    BEHAVES_WITH_MODES = 1 << 6,  /* the tool's modes differ from arm to arm */
    BEHAVES_ROUNDED = 1 << 7,     /* doubles with 6 or 9 decimals, the clock with 2 or 3 */
    BEHAVES_STIFF = 1 << 8,       /* some joints hardly move: the upper bytes of their doubles stand still */
    BEHAVES_AS_RECORDED = 1 << 9, /* steps, noise and states of the recorded arms */
    BEHAVES_LOSSY = 1 << 10,      /* packages are missing */
    BEHAVIOURS = 11               /* how many */
};

struct arm;
struct arm_plan {
    enum family family;
    uint64_t seed;
    bool moves;
    unsigned hz;        /* of the packages */
    unsigned behaviour; /* set of enum behaviour */
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
    bool spare;          /* a register that only recipes with many of them have */
};
/* NULL beyond the last. */
const struct arm_field *arm_field_at(size_t i);
/* Writes the field's value, and returns behind it. */
uint8_t *arm_put(const struct arm *arm, size_t field, uint8_t *to);

#endif
