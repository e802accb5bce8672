#include "arm_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G 9.82

/* ---- chance ------------------------------------------------------------------------------------------------------ */

static uint64_t next(struct random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

double random_unit(struct random *random)
{
    return (double)(next(random) >> 11) * 0x1p-53;
}

double random_between(struct random *random, double least, double most)
{
    return least + (most - least) * random_unit(random);
}

unsigned random_below(struct random *random, unsigned count)
{
    return (unsigned)(random_unit(random) * count);
}

double random_normal(struct random *random, double sigma)
{
    return sigma * sqrt(-2 * log(1 - random_unit(random))) * cos(2 * PI * random_unit(random));
}

bool random_chance(struct random *random, double share)
{
    return random_unit(random) < share;
}

/* ---- robots ------------------------------------------------------------------------------------------------------ */

static const struct geometry geometries[] = {
    {"UR5",
     FAMILY_TUNED,
     89.159,
     425,
     392.25,
     109.15,
     94.65,
     82.3,
     {3.7, 8.4, 2.3, 1.2, 1.2, 0.2},
     {13, 13, 13, 9, 9, 9}},
    {"UR10e",
     FAMILY_TUNED,
     180.7,
     612.7,
     571.55,
     174.15,
     119.85,
     116.55,
     {7.4, 13, 4, 2.1, 2, 0.6},
     {14, 14, 12, 9, 9, 9}},
    {"UR3e",
     FAMILY_TUNED,
     151.85,
     243.55,
     213.2,
     131.05,
     85.35,
     92.1,
     {2, 3.4, 1.3, 0.8, 0.8, 0.3},
     {11, 11, 9, 8, 8, 8}},
    {"UR20", FAMILY_TUNED, 236.3, 862, 728.7, 201, 159.3, 154.3, {16, 29, 7.5, 3, 3, 1}, {18, 18, 15, 10, 10, 10}},
    {"UR5e",
     FAMILY_HELD_OUT,
     162.5,
     425,
     392.2,
     133.3,
     99.7,
     99.6,
     {3.8, 8.1, 2.8, 1.4, 1.3, 0.4},
     {12, 12, 12, 9, 9, 9}},
    {"UR10",
     FAMILY_HELD_OUT,
     127.3,
     612,
     572.3,
     163.941,
     115.7,
     92.2,
     {7.1, 13, 4.3, 2, 2, 0.4},
     {15, 15, 13, 11, 11, 11}},
    {"UR3",
     FAMILY_HELD_OUT,
     151.9,
     243.65,
     213.25,
     112.35,
     85.35,
     81.9,
     {2, 3.4, 1.3, 0.8, 0.8, 0.4},
     {10, 10, 9, 7, 7, 7}},
    {"UR16e",
     FAMILY_HELD_OUT,
     180.7,
     478.4,
     360,
     174.15,
     119.85,
     116.55,
     {7.4, 10, 4, 2, 2, 0.6},
     {14, 14, 12, 9, 9, 9}},
    {"UR30", FAMILY_HELD_OUT, 236.3, 637, 503.7, 201, 159.3, 154.3, {16, 27, 7.5, 3, 3, 1}, {19, 19, 16, 11, 11, 11}},
};

/* From a random stream of their own: all else is as it was without them. */
static void draw_words(struct nature *nature, uint64_t seed)
{
    struct random random = {seed ^ UINT64_C(0x5851f42d4c957f2d)}, *r = &random;
    for (unsigned i = 0; i < WORDS; i++) {
        struct word *word = &nature->words[i];
        word->habit = (enum habit)random_below(r, HABITS);
        word->period = random_between(r, 0.3, 3);
        word->states = 2 + random_below(r, random_chance(r, 0.6) ? 4 : 12);
        word->phase = random_below(r, word->states);
        word->bit = random_below(r, 16);
        word->others = random_chance(r, 0.5) ? 0 : random_below(r, 256);
    }
}

static void draw_nature(struct arm *arm)
{
    struct random *r = &arm->random;
    struct nature *n = &arm->nature;
    bool held_out = arm->plan.family == FAMILY_HELD_OUT;
    n->encoder = held_out ? random_between(r, 8e-6, 4e-5) : random_between(r, 4e-6, 2e-5);
    n->speed_noise = held_out ? random_between(r, 3e-4, 2e-3) : random_between(r, 1e-4, 1e-3);
    n->lag = held_out ? random_between(r, 0.003, 0.012) : random_between(r, 0.002, 0.008);
    n->current_noise = held_out ? random_between(r, 0.02, 0.12) : random_between(r, 0.01, 0.06);
    n->control_noise = n->current_noise * random_between(r, 0.3, 0.9);
    n->force_noise = held_out ? random_between(r, 0.3, 2) : random_between(r, 0.1, 1);
    n->force_drift = random_between(r, 0.05, 0.6);
    n->accelerometer = held_out ? random_between(r, 0.03, 0.4) : random_between(r, 0.02, 0.2);
    n->voltage = random_between(r, 0.01, 0.15);
    n->actual_is_float = random_chance(r, 0.8);
    n->speed_rests = random_chance(r, 0.4);
    n->control_is_float = random_chance(r, 0.6);
    n->has_sensor = random_chance(r, 0.6);
    n->quantum = random_chance(r, 0.5) ? 0 : random_chance(r, 0.5) ? 0.0625 : 0.125;
    for (unsigned i = 0; i < 6; i++) {
        n->calibration[i] = random_chance(r, 0.8) ? random_between(r, -0.4, 0.4) : 0;
        n->window[i] = random_between(r, 1, 8);
        n->warmth[i] = random_between(r, 23, 44);
        n->tool[i] = 0;
        arm->static_error[i] = random_between(r, -6e-5, 6e-5);
    }
    if (random_chance(r, 0.75)) {
        n->tool[2] = random_between(r, 0.03, 0.3);
        for (unsigned i = 0; i < 6 && random_chance(r, 0.5); i++)
            n->tool[i] = i < 3 ? random_between(r, -0.1, 0.2) : random_between(r, -1.5, 1.5);
    }
    n->payload = random_chance(r, 0.7) ? random_between(r, 0.3, 5) : 0;
    for (unsigned i = 0; i < 3 && n->payload > 0; i++)
        n->cog[i] = random_chance(r, 0.6) ? random_between(r, -0.05, 0.1) : 0;
    for (unsigned i = 0; i < 4; i++)
        n->analog[i] = random_chance(r, 0.6) ? 0 : random_between(r, 0, 10);
    n->uptime = random_between(r, 10, 200000);
    n->cycle_time = random_between(r, 0.2, 0.9);
    n->speed_fraction = random_chance(r, 0.6) ? 1 : floor(random_between(r, 10, 100)) / 100;
    n->outputs = random_chance(r, 0.5) ? 0 : random_below(r, 1u << 8);
    n->inputs = random_chance(r, 0.5) ? 0 : random_below(r, 1u << 10);
    n->io_types = random_chance(r, 0.5) ? 3 : random_below(r, 16);
    n->tool_voltage = (unsigned[]){0, 12, 24, 24}[random_below(r, 4)];
    n->tool_mode = 253;
    n->pin_modes[0] = n->pin_modes[1] = n->tool_voltage == 24;
    n->registers_move = random_chance(r, 0.5);
    n->bit_registers = random_chance(r, 0.5) ? 0 : random_below(r, 65536);
    for (unsigned i = 0; i < 8; i++) {
        n->int_registers[i] =
            random_chance(r, 0.4) ? 0 : (int32_t)random_below(r, random_chance(r, 0.7) ? 40 : 100000) - 5;
        n->double_registers[i] =
            random_chance(r, 0.4) ? 0 : random_between(r, -2, 2) * pow(10, random_between(r, -1, 3));
    }
}

static void draw_program(struct arm *arm)
{
    struct random *r = &arm->random;
    const double home[JOINTS] = {0.3, -1.4, 1.6, -1.8, -1.55, 0.2};
    arm->rungs = 3 + random_below(r, RUNG_MAX - 3);
    for (unsigned i = 0; i < arm->rungs; i++) {
        struct rung *rung = &arm->rung[i];
        for (unsigned k = 0; k < JOINTS; k++) {
            rung->q[k] = home[k] + random_between(r, -0.8, 0.8) * (k == 0 ? 1.8 : 1);
            if (i > 0 && random_chance(r, 0.15))
                rung->q[k] = arm->rung[i - 1].q[k];
        }
    }
    for (unsigned i = 0; i < arm->rungs; i++) {
        struct rung *rung = &arm->rung[i];
        const struct rung *before = &arm->rung[(i + arm->rungs - 1) % arm->rungs];
        double widest = 0.1;
        for (unsigned k = 0; k < JOINTS; k++)
            widest = fmax(widest, fabs(rung->q[k] - before->q[k]));
        rung->seconds = widest / random_between(r, 0.3, 1.6) + 0.3;
        rung->rest = random_chance(r, 0.5) ? 0 : random_between(r, 0.05, 1.2);
    }
}

/* ---- motion ------------------------------------------------------------------------------------------------------ */

/* From 0 to 1: a trapezoid of speed, as the controller's moves have it; place, speed and acceleration by x. */
static void trapezoid(double x, double out[3])
{
    const double ramp = 0.25, top = 1 / (1 - ramp), a = top / ramp;
    if (x < ramp) {
        out[0] = a * x * x / 2;
        out[1] = a * x;
        out[2] = a;
    } else if (x <= 1 - ramp) {
        out[0] = top * (x - ramp / 2);
        out[1] = top;
        out[2] = 0;
    } else {
        out[0] = 1 - a * (1 - x) * (1 - x) / 2;
        out[1] = a * (1 - x);
        out[2] = -a;
    }
}

/* Limited jerk. */
static void rounded(double x, double out[3])
{
    out[0] = x * x * x * x * (35 - x * (84 - x * (70 - 20 * x)));
    out[1] = 140 * x * x * x * (1 - x) * (1 - x) * (1 - x);
    out[2] = 420 * x * x * (1 - x) * (1 - x) * (1 - 2 * x);
}

static void stay(struct arm *arm, const double q[JOINTS])
{
    for (unsigned k = 0; k < JOINTS; k++) {
        arm->target_q[k] = q[k];
        arm->target_qd[k] = arm->target_qdd[k] = 0;
    }
}

static void along(struct arm *arm, const struct rung *from, const struct rung *to, double x)
{
    double shape[3];
    if (arm->plan.family == FAMILY_TUNED)
        trapezoid(x, shape);
    else
        rounded(x, shape);
    for (unsigned k = 0; k < JOINTS; k++) {
        double way = to->q[k] - from->q[k];
        arm->target_q[k] = from->q[k] + way * shape[0];
        arm->target_qd[k] = way * shape[1] / to->seconds;
        arm->target_qdd[k] = way * shape[2] / (to->seconds * to->seconds);
    }
}

/* As a client with servoj: sums of slow waves. */
static void sway(struct arm *arm, double time)
{
    stay(arm, arm->rung[0].q);
    for (unsigned k = 0; k < JOINTS; k++)
        for (unsigned i = 1; i < 4; i++) {
            double w = 0.5 * i + 0.13 * k, a = (arm->rung[i % arm->rungs].q[k] - arm->rung[0].q[k]) / (i + 1);
            arm->target_q[k] += a * sin(w * time + k);
            arm->target_qd[k] += a * w * cos(w * time + k);
            arm->target_qdd[k] -= a * w * w * sin(w * time + k);
        }
}

static void plan_motion(struct arm *arm)
{
    double left = arm_manners_time(arm);
    arm->lap = 0;
    if (!arm->plan.moves || left < 0) {
        stay(arm, arm->rung[0].q);
        return;
    }
    if (arm->plan.family == FAMILY_HELD_OUT && arm->rungs % 4 == 0) {
        sway(arm, left);
        return;
    }
    for (unsigned i = 0;; i++) {
        const struct rung *from = &arm->rung[i % arm->rungs], *to = &arm->rung[(i + 1) % arm->rungs];
        if (left < to->seconds) {
            along(arm, from, to, left / to->seconds);
            return;
        }
        left -= to->seconds;
        arm->lap++;
        if (left < to->rest) {
            stay(arm, to->q);
            return;
        }
        left -= to->rest;
    }
}

/* ---- geometry ---------------------------------------------------------------------------------------------------- */

typedef double matrix[3][3];

static void product(matrix a, matrix b, matrix to)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            to[i][k] = a[i][0] * b[0][k] + a[i][1] * b[1][k] + a[i][2] * b[2][k];
}

/* Rodrigues: the matrix of a rotation vector. */
static void turn_of(const double v[3], matrix to)
{
    double angle = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), s = sin(angle), c = cos(angle);
    double u[3] = {angle > 0 ? v[0] / angle : 0, angle > 0 ? v[1] / angle : 0, angle > 0 ? v[2] / angle : 0};
    matrix skew = {{0, -u[2], u[1]}, {u[2], 0, -u[0]}, {-u[1], u[0], 0}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            to[i][k] = (i == k) * c + (1 - c) * u[i] * u[k] + s * skew[i][k];
}

static void vector_of(matrix m, double v[3])
{
    double c = (m[0][0] + m[1][1] + m[2][2] - 1) / 2, angle = acos(c > 1 ? 1 : c < -1 ? -1 : c);
    double axis[3] = {m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]};
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    if (length < 1e-4 && c < 0) { /* half a turn: the axis from the symmetric part */
        for (int i = 0; i < 3; i++)
            axis[i] = sqrt(fmax((m[i][i] + 1) / 2, 0));
        if (m[0][1] + m[1][0] < 0)
            axis[1] = -axis[1];
        if (m[0][2] + m[2][0] < 0)
            axis[2] = -axis[2];
        length = 1;
    }
    for (int i = 0; i < 3; i++)
        v[i] = length > 0 ? axis[i] / length * angle : 0;
}

struct place {
    double origin[JOINTS + 1][3], axis[JOINTS][3];
    matrix turn;
};

/* Link by link, each a turn about its joint's axis, a shift, and a quarter turn where the next axis is crossed. */
static void locate(const struct arm *arm, const double q[JOINTS], struct place *place)
{
    const struct geometry *g = arm->geometry;
    const double *c = arm->nature.calibration;
    const double up[JOINTS] = {g->d1 + c[0], 0, 0, g->d4 + c[1], g->d5 + c[2], g->d6 + c[3]};
    const double out[JOINTS] = {0, -g->a2 + c[4], -g->a3 + c[5], 0, 0, 0};
    const int quarter[JOINTS] = {1, 0, 0, 1, -1, 0};
    matrix at = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, turned;
    double p[3] = {0, 0, 0};
    for (int i = 0; i < JOINTS; i++) {
        double cosine = cos(q[i]), sine = sin(q[i]);
        matrix joint = {{cosine, -sine, 0}, {sine, cosine, 0}, {0, 0, 1}}, cross = {{1, 0, 0}, {0, 0, 0}, {0, 0, 0}};
        cross[1][1] = cross[2][2] = quarter[i] == 0;
        cross[1][2] = -quarter[i];
        cross[2][1] = quarter[i];
        for (int k = 0; k < 3; k++) {
            place->origin[i][k] = p[k];
            place->axis[i][k] = at[k][2];
        }
        product(at, joint, turned);
        for (int k = 0; k < 3; k++)
            p[k] += (at[k][2] * up[i] + turned[k][0] * out[i]) / 1000;
        product(turned, cross, at);
    }
    memcpy(place->origin[JOINTS], p, sizeof p);
    memcpy(place->turn, at, sizeof at);
}

static void pose_of(const struct arm *arm, const struct place *place, double pose[6])
{
    matrix tool, whole, flange;
    memcpy(flange, place->turn, sizeof flange);
    turn_of(arm->nature.tool + 3, tool);
    product(flange, tool, whole);
    for (int i = 0; i < 3; i++) {
        pose[i] = place->origin[JOINTS][i];
        for (int k = 0; k < 3; k++)
            pose[i] += flange[i][k] * arm->nature.tool[k];
    }
    vector_of(whole, pose + 3);
}

static void speed_of(const struct place *place, const double qd[JOINTS], int joints, const double point[3],
                     double speed[6])
{
    memset(speed, 0, 6 * sizeof *speed);
    for (int i = 0; i < joints; i++) {
        const double *z = place->axis[i], r[3] = {point[0] - place->origin[i][0], point[1] - place->origin[i][1],
                                                  point[2] - place->origin[i][2]};
        speed[0] += qd[i] * (z[1] * r[2] - z[2] * r[1]);
        speed[1] += qd[i] * (z[2] * r[0] - z[0] * r[2]);
        speed[2] += qd[i] * (z[0] * r[1] - z[1] * r[0]);
        for (int k = 0; k < 3; k++)
            speed[3 + k] += qd[i] * z[k];
    }
}

static double weight_on(const struct place *place, int joint, const double point[3], double mass)
{
    const double *o = place->origin[joint], *z = place->axis[joint], x = point[0] - o[0], y = point[1] - o[1];
    /* axis . (arm x upward force) */
    return mass * G * (z[0] * y - z[1] * x);
}

/* ---- sensors ----------------------------------------------------------------------------------------------------- */

static void measure_joints(struct arm *arm)
{
    struct nature *n = &arm->nature;
    bool still = true;
    for (int i = 0; i < JOINTS; i++)
        still = still && arm->target_qd[i] == 0;
    for (int i = 0; i < JOINTS; i++) {
        double q = arm->target_q[i] - n->lag * arm->target_qd[i] + n->lag * n->lag / 2 * arm->target_qdd[i] +
                   arm->static_error[i] + random_normal(&arm->random, n->encoder);
        double qd = arm->target_qd[i] - n->lag * arm->target_qdd[i] + random_normal(&arm->random, n->speed_noise);
        arm->q[i] = n->actual_is_float ? as_float(q) : q;
        arm->qd[i] = still && n->speed_rests ? 0 : as_float(qd);
    }
}

static void measure_currents(struct arm *arm, const struct place *place, double seconds)
{
    struct nature *n = &arm->nature;
    double sum = 0;
    for (int i = 0; i < JOINTS; i++) {
        double hold = weight_on(place, i, place->origin[JOINTS], n->payload),
               inertia = 0.4 * arm->geometry->mass[i] / (1 + i);
        for (int k = i; k < JOINTS; k++) {
            double middle[3];
            for (int j = 0; j < 3; j++)
                middle[j] = (place->origin[k][j] + place->origin[k + 1][j]) / 2;
            hold += weight_on(place, i, middle, arm->geometry->mass[k]);
        }
        arm->target_moment[i] = hold + inertia * arm->target_qdd[i];
        double friction = 0.5 * tanh(arm->target_qd[i] / 0.03) + 0.3 * arm->target_qd[i];
        arm->target_current[i] = arm->target_moment[i] / arm->geometry->per_ampere[i] + 0.8 * friction;
        double current = arm->target_current[i] + 0.2 * friction;
        arm->current[i] = as_float(current + random_normal(&arm->random, n->current_noise));
        double control = current + random_normal(&arm->random, n->control_noise);
        arm->control[i] = n->control_is_float ? as_float(control) : control;
        n->warmth[i] += seconds * (0.004 * current * current - 0.0004 * (n->warmth[i] - 25));
        arm->temperature[i] =
            quantised(n->warmth[i] + random_normal(&arm->random, 0.01), n->quantum > 0 ? n->quantum : 0.03125);
        arm->joint_voltage[i] =
            quantised(47.9 - 0.04 * fabs(current) + random_normal(&arm->random, n->voltage), n->quantum);
        sum += fabs(current * arm->qd[i]) + 0.05 * current * current;
    }
    arm->power = as_float(0.35 + 0.3 * sum + fabs(random_normal(&arm->random, 0.02)));
    arm->robot_voltage = quantised(47.8 - 0.02 * arm->power + random_normal(&arm->random, n->voltage), n->quantum);
    arm->main_voltage = quantised(48.1 + random_normal(&arm->random, n->voltage), n->quantum);
}

static void measure_tool(struct arm *arm, struct place *place, double seconds)
{
    struct nature *n = &arm->nature;
    double elbow[6];
    pose_of(arm, place, arm->pose);
    speed_of(place, arm->qd, JOINTS, arm->pose, arm->speed);
    speed_of(place, arm->qd, 2, place->origin[2], elbow);
    memcpy(arm->turn, place->turn, sizeof arm->turn);
    memcpy(arm->elbow, place->origin[2], sizeof arm->elbow);
    memcpy(arm->elbow_speed, elbow, sizeof arm->elbow_speed);
    double moving = 0;
    for (int i = 0; i < 3; i++) {
        double push = 0, felt = 0;
        for (int k = 0; k < 3; k++) {
            double a = arm->packages > 0 ? (arm->motion[k] - arm->last_linear[k]) / seconds : 0;
            push -= i == k ? n->payload * a : 0;
            felt += place->turn[k][i] * (a + (k == 2 ? G : 0));
        }
        arm->accelerometer[i] = as_float(felt + random_normal(&arm->random, n->accelerometer));
        moving += arm->speed[i] * arm->speed[i];
        arm->force[i] =
            0.9 * arm->force[i] + 0.1 * (push + arm->drift[i]) + random_normal(&arm->random, 0.4 * n->force_noise);
        arm->force[3 + i] =
            0.9 * arm->force[3 + i] + 0.1 * arm->drift[3 + i] / 10 + random_normal(&arm->random, 0.03 * n->force_noise);
        arm->raw[i] = as_float(felt * (n->payload + 0.3) + random_normal(&arm->random, n->force_noise));
        arm->raw[3 + i] = as_float(0.05 * felt + random_normal(&arm->random, 0.05 * n->force_noise));
    }
    for (int i = 0; i < 6; i++)
        arm->drift[i] += random_normal(&arm->random, n->force_drift * sqrt(seconds));
    for (int i = 0; i < 3; i++)
        arm->last_linear[i] = arm->motion[i];
    arm->momentum = sqrt(moving) * (6 + n->payload);
}

static void measure_box(struct arm *arm)
{
    struct nature *n = &arm->nature;
    struct random *r = &arm->random;
    arm->execution = n->cycle_time * (1 + 0.15 * fabs(random_normal(r, 1)));
    for (int i = 0; i < 4; i++)
        arm->analog[i] = i < 2 ? as_float(fabs(n->analog[i] + random_normal(r, 0.004))) : n->analog[i];
    arm->io_current = as_float(35 + random_normal(r, 1.5));
    arm->tool_analog[0] = as_float(fabs(0.06 + random_normal(r, 0.01)));
    arm->tool_analog[1] = as_float(fabs(0.05 + random_normal(r, 0.01)));
    arm->tool_current = n->tool_voltage == 0 ? 0 : as_float(60 + random_normal(r, 0.8));
    arm->tool_warmth = quantised(n->warmth[5] + 4 + random_normal(r, 0.02), n->quantum);
    arm->deviation = 0.01 + fabs(random_normal(r, 0.01)) + 0.05 * fabs(arm->target_qd[0]);
    arm->collision = fabs(random_normal(r, 0.02)) + 0.08 * fabs(arm->target_qdd[1]);
    arm->scaling = arm->nature.speed_fraction;
}

static void aim(struct arm *arm, struct place *target)
{
    locate(arm, arm->target_q, target);
    pose_of(arm, target, arm->target_pose);
    speed_of(target, arm->target_qd, JOINTS, arm->target_pose, arm->target_speed);
}

void arm_step(struct arm *arm)
{
    struct place target, actual;
    double seconds = arm->stride / (double)arm->plan.hz;
    arm->time = (double)arm->packages * (1.0 / arm->plan.hz);
    plan_motion(arm);
    arm_manners_lead(arm);
    aim(arm, &target);
    memcpy(arm->motion, arm->target_speed, sizeof arm->motion);
    measure_joints(arm);
    arm_manners_follow(arm);
    if (arm->following)
        aim(arm, &target);
    locate(arm, arm->q, &actual);
    measure_currents(arm, arm_behaves(arm, BEHAVES_AS_RECORDED) ? &actual : &target, seconds);
    measure_tool(arm, &actual, seconds);
    measure_box(arm);
    arm_manners_finish(arm);
    arm->stride = arm_manners_stride(arm);
    arm->packages += arm->stride;
}

struct arm *arm_new(const struct arm_plan *plan)
{
    struct arm *arm = calloc(1, sizeof *arm);
    if (!arm)
        return NULL;
    arm->plan = *plan;
    arm->random.state = plan->seed * 2 + (plan->family == FAMILY_HELD_OUT);
    do
        arm->geometry = &geometries[random_below(&arm->random, sizeof geometries / sizeof *geometries)];
    while (arm->geometry->family != plan->family);
    draw_words(&arm->nature, arm->random.state);
    draw_nature(arm);
    draw_program(arm);
    arm->running = plan->moves || random_chance(&arm->random, 0.3);
    arm_manners_draw(arm);
    return arm;
}

void arm_free(struct arm *arm)
{
    free(arm);
}

const char *arm_name(const struct arm *arm)
{
    return arm->geometry->name;
}

/* ---- packages ---------------------------------------------------------------------------------------------------- */

enum type { DOUBLE, VECTOR3D, VECTOR6D, INT32, UINT32, UINT64, VECTOR6INT32, UINT8, BOOL };
static const unsigned sizes[] = {8, 24, 48, 4, 4, 8, 24, 1, 1};

enum field_number {
#define FIELD(name, type, popularity) F_##name,
#define SPARE(name, type) F_##name,
#include "arm_fields.def"
#undef FIELD
#undef SPARE
    FIELDS
};

static const struct {
    struct arm_field field;
    enum type type;
} fields[] = {
#define FIELD(name, type, popularity) {{#name, #type, 0, popularity, false}, type},
#define SPARE(name, type) {{#name, #type, 0, 0, true}, type},
#include "arm_fields.def"
#undef FIELD
#undef SPARE
};

const struct arm_field *arm_field_at(size_t i)
{
    static struct arm_field out[FIELDS];
    if (i >= FIELDS)
        return NULL;
    out[i] = fields[i].field;
    out[i].size = sizes[fields[i].type];
    return &out[i];
}

static uint8_t *put_integer(uint8_t *to, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
    return to + bytes;
}

/* The doubles of a field; NULL if it has none. */
static const double *doubles_of(const struct arm *arm, size_t field, double own[6])
{
    const struct nature *n = &arm->nature;
    memset(own, 0, 6 * sizeof *own);
    switch (field) {
    case F_timestamp:
        own[0] = round((n->uptime + arm->time - 1.0 / arm->plan.hz) * 1000) / 1000;
        return own;
    case F_target_q:
        return arm->target_q;
    case F_target_qd:
        return arm->target_qd;
    case F_target_qdd:
        return arm->target_qdd;
    case F_target_current:
        return arm->target_current;
    case F_target_moment:
        return arm->target_moment;
    case F_actual_q:
        return arm->q;
    case F_actual_qd:
        return arm->qd;
    case F_actual_current:
        return arm->current;
    case F_joint_control_output:
        return arm->control;
    case F_actual_current_window:
        return n->window;
    case F_actual_TCP_pose:
        return arm->pose;
    case F_actual_TCP_speed:
        return arm->speed;
    case F_actual_TCP_force:
        return arm->wrench;
    case F_target_TCP_pose:
        return arm->target_pose;
    case F_target_TCP_speed:
        return arm->target_speed;
    case F_tcp_offset:
        return n->tool;
    case F_joint_temperatures:
        return arm->temperature;
    case F_actual_execution_time:
        return &arm->execution;
    case F_actual_tool_accelerometer:
        return arm->accelerometer;
    case F_speed_scaling:
        return &arm->scaling;
    case F_target_speed_fraction:
        return &n->speed_fraction;
    case F_actual_momentum:
        return &arm->momentum;
    case F_actual_main_voltage:
        return &arm->main_voltage;
    case F_actual_robot_voltage:
        return &arm->robot_voltage;
    case F_actual_robot_current:
        return &arm->power;
    case F_actual_joint_voltage:
        return arm->joint_voltage;
    case F_elbow_position:
        return arm->elbow;
    case F_elbow_velocity:
        return arm->elbow_speed;
    case F_standard_analog_input0:
        return &arm->analog[0];
    case F_standard_analog_input1:
        return &arm->analog[1];
    case F_standard_analog_output0:
        return &arm->analog[2];
    case F_standard_analog_output1:
        return &arm->analog[3];
    case F_io_current:
        return &arm->io_current;
    case F_tool_analog_input0:
        return &arm->tool_analog[0];
    case F_tool_analog_input1:
        return &arm->tool_analog[1];
    case F_tool_output_current:
        return &arm->tool_current;
    case F_tool_temperature:
        return &arm->tool_warmth;
    case F_tcp_force_scalar:
        own[0] =
            sqrt(arm->wrench[0] * arm->wrench[0] + arm->wrench[1] * arm->wrench[1] + arm->wrench[2] * arm->wrench[2]);
        return own;
    case F_output_double_register_0:
    case F_output_double_register_1:
    case F_output_double_register_2:
    case F_output_double_register_3:
        own[0] = n->double_registers[field - F_output_double_register_0];
        if (n->registers_move && own[0] != 0)
            own[0] += arm->lap + (field == F_output_double_register_0 ? arm->target_q[0] : 0);
        return own;
    case F_output_double_register_24:
        return &n->double_registers[4];
    case F_input_double_register_0:
        return &n->double_registers[5];
    case F_input_double_register_24:
        return &n->double_registers[6];
    case F_payload:
        return &n->payload;
    case F_payload_cog:
        return n->cog;
    case F_payload_inertia:
        for (int i = 0; i < 3; i++)
            own[i] = 0.0012 * n->payload * n->payload;
        return own;
    case F_ft_raw_wrench:
        return n->has_sensor ? arm->raw : own;
    case F_joint_position_deviation_ratio:
        return &arm->deviation;
    case F_collision_detection_ratio:
        return &arm->collision;
    default: /* Euromap67, without the interface */
        return own;
    }
}

static uint8_t *put_doubles(const struct arm *arm, size_t field, uint8_t *to, unsigned count)
{
    double own[6];
    const double *values = doubles_of(arm, field, own);
    for (unsigned i = 0; i < count; i++) {
        double value = arm_manners_rounded(arm, values[i], field == F_timestamp);
        uint64_t bits;
        memcpy(&bits, &value, 8);
        to = put_integer(to, bits, 8);
    }
    return to;
}

static unsigned state_of(const struct arm *arm, const struct word *word)
{
    return word->phase + (arm->plan.moves ? (unsigned)(arm->time / word->period) : 0);
}

/* What a program has in a register; `number` is one that means nothing. */
static int64_t word_of(const struct arm *arm, unsigned i, int32_t number)
{
    const struct word *word = &arm->nature.words[i];
    const unsigned state = state_of(arm, word);
    switch (word->habit) {
    case CYCLES:
        return state % word->states;
    case TOGGLES:
        return state % 2;
    case COUNTS_PARTS:
        return state / 3 + word->others;
    case TENS:
        return 10 * (state % word->states);
    case LIVES:
        return (int64_t)(arm->packages % 256);
    case NEGATIVE_FIRST:
        return state < 4 ? -1 : (int64_t)word->states;
    case SMALL:
        return word->phase;
    case ROUND_NUMBER:
        return 50 * (1 + (int64_t)word->phase);
    default:
        return number;
    }
}

/* Flags: some that are set, one that toggles, or a word as above. */
static uint64_t flags_of(const struct arm *arm, unsigned i, unsigned flags)
{
    const struct word *word = &arm->nature.words[i];
    if (word->habit == CYCLES || word->habit == TOGGLES || word->habit == SMALL)
        return (uint64_t)word_of(arm, i, 0);
    if (word->habit >= ROUND_NUMBER)
        return flags;
    return word->others ^ (state_of(arm, word) & 1) << word->bit;
}

static uint64_t integer_of(const struct arm *arm, size_t field)
{
    const struct nature *n = &arm->nature;
    unsigned lap = arm->lap;
    switch (field) {
    case F_actual_digital_input_bits:
        return n->inputs ^ (n->inputs == 0 ? 0 : lap & 1);
    case F_actual_digital_output_bits:
        return n->outputs ^ (n->outputs == 0 ? 0 : (lap & 1) << 2);
    case F_robot_mode:
        return 7;
    case F_safety_mode:
    case F_safety_status:
    case F_safety_status_bits:
        return 1;
    case F_runtime_state:
        return arm->running ? 2 : 1;
    case F_robot_status_bits:
        return arm->running ? 3 : 1;
    case F_analog_io_types:
        return n->io_types;
    case F_tool_mode:
        return n->tool_mode;
    case F_tool_analog_input_types:
        return n->io_types & 1;
    case F_tool_output_voltage:
        return n->tool_voltage;
    case F_output_bit_registers0_to_31:
        return flags_of(arm, 0, n->bit_registers ^ (n->registers_move ? lap & 3 : 0));
    case F_output_bit_registers32_to_63:
        return flags_of(arm, 1, 0);
    case F_output_bit_register_64:
        return lap & n->registers_move;
    case F_output_bit_register_65:
        return state_of(arm, &n->words[2]) & 1;
    case F_output_int_register_0:
    case F_output_int_register_1:
    case F_output_int_register_2:
    case F_output_int_register_24: {
        unsigned i = field == F_output_int_register_24 ? 3 : (unsigned)(field - F_output_int_register_0);
        int32_t value = n->int_registers[i];
        return (uint64_t)word_of(arm, 3 + i, value + (value != 0 && n->registers_move ? (int32_t)lap : 0));
    }
    case F_input_bit_registers0_to_31:
        return flags_of(arm, 7, n->bit_registers >> 3);
    case F_input_int_register_0:
        return (uint64_t)word_of(arm, 8, n->int_registers[5]);
    case F_input_int_register_24:
        return (uint64_t)word_of(arm, 9, n->int_registers[6]);
    case F_script_control_line:
        return arm->running ? 12 + 3 * (lap % 7) : 0;
    case F_tool_output_mode:
        return n->output_mode;
    case F_tool_digital_output0_mode:
        return n->pin_modes[0];
    case F_tool_digital_output1_mode:
        return n->pin_modes[1];
    default:
        return 0;
    }
}

uint8_t *arm_put(const struct arm *arm, size_t field, uint8_t *to)
{
    switch (fields[field].type) {
    case DOUBLE:
    case VECTOR3D:
    case VECTOR6D:
        return put_doubles(arm, field, to, sizes[fields[field].type] / 8);
    case VECTOR6INT32:
        for (int i = 0; i < JOINTS; i++)
            to = put_integer(to, 253, 4);
        return to;
    default:
        return put_integer(to, integer_of(arm, field), sizes[fields[field].type]);
    }
}
