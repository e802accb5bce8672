/* A robot that runs its program cycle by cycle, and what its controller would report, as the library's state. */
#ifndef MOTION_H
#define MOTION_H

#include "armtap.h"
#include "number.h"
#include "scene.h"

#include <stdint.h>

struct motion {
    const struct scene_robot *robot;
    struct armtap_state *state; /* as of the latest cycle */
    uint64_t cycle;             /* its number, from 0 */
    struct prng noise;
    double program_length;            /* s */
    double program_time;              /* s; stands still after a protective stop */
    double rate;                      /* of the program's time: 0 stopped, 1 at full speed */
    double rate_change;               /* 1/s */
    double impact[ARM_JOINTS];        /* direction in which the joints moved when the robot hit something */
    double impact_tool[3];            /* and the tool */
    double impact_torque[ARM_JOINTS]; /* of a collision's force on each joint, Nm */
    double heat[ARM_JOINTS];          /* K above the initial temperature */
    double warmth[ARM_JOINTS];        /* initial temperature, degC */
    double tool_velocity[3];          /* of the previous cycle */
};

/* 0, or -1 if out of memory. */
int motion_begin(struct motion *motion, const struct scene_robot *robot, uint64_t seed);
/* Computes the cycle of number `cycle`; call it for every cycle in turn. */
void motion_cycle(struct motion *motion, uint64_t cycle);
void motion_end(struct motion *motion);

#endif
