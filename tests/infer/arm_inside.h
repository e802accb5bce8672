/* What a simulated robot consists of, for the files that simulate it. */
#ifndef TESTS_INFER_ARM_INSIDE_H
#define TESTS_INFER_ARM_INSIDE_H

#include "arm_model.h"

#include <math.h>

#define JOINTS 6
#define PI 3.14159265358979323846

double random_normal(struct random *random, double sigma);
bool random_chance(struct random *random, double share);

struct geometry {
    const char *name;
    enum family family;
    double d1, a2, a3, d4, d5, d6;           /* mm */
    double mass[JOINTS], per_ampere[JOINTS]; /* kg; Nm */
};

/* What a program keeps in a register of whole numbers: the last three are constant. */
enum habit { CYCLES, TOGGLES, COUNTS_PARTS, TENS, LIVES, NEGATIVE_FIRST, SMALL, ROUND_NUMBER, ANY_NUMBER, HABITS };
struct word {
    enum habit habit;
    double period;          /* s from state to state */
    unsigned states, phase; /* how many; where it begins */
    unsigned bit, others;   /* of bit registers: the one that toggles, and those that are set */
};

enum { RUNG_MAX = 24, WORDS = 10 };
/* What a robot and its program are like; drawn once. */
struct nature {
    double encoder, speed_noise, lag, current_noise, control_noise, force_noise, force_drift, accelerometer, voltage;
    bool actual_is_float, speed_rests, control_is_float, has_sensor;
    double quantum; /* of temperatures and voltages; 0: none */
    double tool[6], calibration[6], payload, cog[3], analog[4], uptime, cycle_time, speed_fraction;
    unsigned outputs, inputs, io_types, tool_voltage, tool_mode, output_mode, pin_modes[2];
    double window[JOINTS], warmth[JOINTS];
    int32_t int_registers[8];
    double double_registers[8];
    unsigned bit_registers;
    bool registers_move;
    struct word words[WORDS];
};

/* How the targets of an arm come about that is led or that pushes. */
enum following { FOLLOWS_EXACTLY, FOLLOWS_LATE, FOLLOWS_SMOOTHLY, FOLLOWINGS };
enum { TREMORS = 3 };
/* What the behaviours of its plan add to a robot; drawn once, from a random stream of its own. */
struct manners {
    bool is_cb3;
    enum following following;
    bool target_rests, target_speeds_up; /* target_qd is always 0; target_qdd is not */
    bool pushes_always, holds_counts, fades;
    double smoothing;                              /* s */
    double tremor[JOINTS][TREMORS], beat[TREMORS]; /* rad; rad/s */
    double push[6], bias[6];                       /* N, Nm */
    double offset[JOINTS];                         /* of the encoders, rad */
    bool is_stiff[JOINTS], keeps_warmth[JOINTS];
    double force_noise; /* N, in motion */
    double start;       /* s until the program begins */
    unsigned decimals, clock_decimals;
    double main_voltage, robot_voltage, joint_voltage[JOINTS];
};

/* A way point of the program; the arm rests there for a while. */
struct rung {
    double q[JOINTS], seconds, rest;
};

struct arm {
    struct arm_plan plan;
    const struct geometry *geometry;
    struct random random;
    struct nature nature;
    struct rung rung[RUNG_MAX];
    unsigned rungs;
    uint64_t packages;
    double time;
    /* the values of this package */
    double target_q[6], target_qd[6], target_qdd[6], q[6], qd[6], static_error[6];
    double target_moment[6], target_current[6], current[6], control[6], temperature[6], joint_voltage[6];
    double target_pose[6], pose[6], target_speed[6], speed[6], force[6], raw[6], drift[6], accelerometer[3];
    double elbow[3], elbow_speed[3], last_linear[3], momentum, power, scaling;
    double execution, main_voltage, robot_voltage, analog[4], io_current, tool_analog[2], tool_current, tool_warmth;
    double deviation, collision;
    bool running;
    unsigned lap;
    /* what its manners need */
    struct manners manners;
    struct random apart;
    unsigned stride; /* packages since the last one */
    bool following;
    double rested; /* s at rest */
    double smooth_q[6], last_target_q[6], last_target_qd[6];
    double held_q[6], fading[6], stop_error[6], stop_current[6];
    double motion[3];  /* of the tool, m/s: what the targets were before they followed */
    double turn[3][3]; /* of the flange */
    double wrench[6];  /* the force as it is sent */
    double shown_warmth[6], shown_voltage[6];
};

static inline double as_float(double value)
{
    return (double)(float)value;
}

static inline double quantised(double value, double quantum)
{
    return quantum > 0 ? quantum * floor(value / quantum + 0.5) : as_float(value);
}

static inline bool arm_behaves(const struct arm *arm, unsigned behaviour)
{
    return (arm->plan.behaviour & behaviour) != 0;
}

/* ---- arm_manners.c: what the behaviours change, step by step ---- */

void arm_manners_draw(struct arm *arm);
/* Packages to go on; more than one if some are lost. */
unsigned arm_manners_stride(struct arm *arm);
/* Time since the program began. */
double arm_manners_time(const struct arm *arm);
/* Whether its targets follow the arm in this package. */
bool arm_manners_follows(const struct arm *arm);
/* After the motion is planned: the hand that leads, the surface that gives way. */
void arm_manners_lead(struct arm *arm);
/* After the joints were measured: encoders, rest, and targets that follow. */
void arm_manners_follow(struct arm *arm);
/* After all was measured. */
void arm_manners_finish(struct arm *arm);
/* As it is sent. */
double arm_manners_rounded(const struct arm *arm, double value, bool is_clock);

#endif
