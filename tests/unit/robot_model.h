/* A robot that moves or stands still, and what its controller would send: values by field name, made without the
 * library's decoders. It is not a simulation: shapes, sizes and noise are those of real recordings. */
#ifndef UNIT_ROBOT_MODEL_H
#define UNIT_ROBOT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "armtap.h"

/* Pseudo-random numbers: xorshift64*. */
struct dice {
    uint64_t state;
};
uint64_t dice_roll(struct dice *dice, uint64_t below);
double dice_between(struct dice *dice, double from, double to);
double dice_noise(struct dice *dice, double size); /* roughly normal */

enum motion { MOTION_NONE, MOTION_WAVES, MOTION_MOVES, MOTION_CREEPS, MOTION_LATE };

struct robot_options {
    enum motion motion;
    double cycle;   /* s between packages */
    bool simulated; /* measures exactly what it commands */
};

struct robot {
    struct robot_options options;
    struct dice dice;
    uint64_t key; /* decides what never changes about this robot: registers, offsets */
    double begin; /* its clock at the start, s */
    uint64_t package;
    double target[3][6], actual[2][6]; /* position, speed, acceleration by joint */
    double pose[2][6], speed[2][6];    /* target and actual TCP */
    bool runs;
};
void robot_begin(struct robot *robot, const struct robot_options *options, uint64_t seed);
/* Advances to the next cycle in which a package is sent. */
void robot_step(struct robot *robot);
/* Element k of a field as the controller sends it. Integers are returned as doubles, which hold them exactly. */
double robot_value(struct robot *robot, const char *name, unsigned k);
double robot_clock(const struct robot *robot);
/* Writes a data package of its values, at most ROBOT_PACKAGE_MAX bytes; returns the length. */
#define ROBOT_PACKAGE_MAX 65536
size_t robot_package(struct robot *robot, const struct armtap_recipe *recipe, int protocol, unsigned id,
                     uint8_t *package);

#endif
