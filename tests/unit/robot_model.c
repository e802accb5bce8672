#include "robot_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- dice ------------------------------------------------------------------------------------------------------ */

uint64_t dice_roll(struct dice *dice, uint64_t below)
{
    uint64_t x = dice->state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    dice->state = x;
    return (x * UINT64_C(0x2545F4914F6CDD1D) >> 11) % below;
}

double dice_between(struct dice *dice, double from, double to)
{
    return from + (to - from) * (double)dice_roll(dice, UINT64_C(1) << 40) / (double)(UINT64_C(1) << 40);
}

double dice_noise(struct dice *dice, double size)
{
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += dice_between(dice, -1, 1);
    return size * sum / 1.155;
}

/* A constant of this robot for that name and element. */
static double lasting(const struct robot *robot, const char *what, unsigned k, double from, double to)
{
    uint64_t hash = robot->key + k * UINT64_C(0x9E3779B97F4A7C15);
    for (; *what; what++)
        hash = (hash ^ (unsigned char)*what) * UINT64_C(0x100000001B3);
    hash = (hash ^ hash >> 31) * UINT64_C(0xBF58476D1CE4E5B9);
    struct dice dice = {(hash ^ hash >> 29) | 1};
    return dice_between(&dice, from, to);
}

/* ---- motion ---------------------------------------------------------------------------------------------------- */

/* Rises from 0 to 1 in `whole` s: a third of the time to speed up, a third at full speed, a third to slow down. */
static void trapezoid(double at, double whole, double out[3])
{
    double third = whole / 3, top = 1 / (2 * third), pull = top / third;
    out[0] = at <= 0 ? 0 : at >= whole ? 1 : 0;
    out[1] = out[2] = 0;
    if (at <= 0 || at >= whole)
        return;
    if (at < third) {
        out[0] = pull * at * at / 2;
        out[1] = pull * at;
        out[2] = pull;
    } else if (at < 2 * third) {
        out[0] = pull * third * third / 2 + top * (at - third);
        out[1] = top;
    } else {
        double left = whole - at;
        out[0] = 1 - pull * left * left / 2;
        out[1] = pull * left;
        out[2] = -pull;
    }
}

static void add_waves(const struct robot *robot, double t, unsigned joint, double out[3])
{
    for (unsigned i = 0; i < 2; i++) {
        double size = lasting(robot, "size", joint * 2 + i, 0.05, 0.6), w = lasting(robot, "w", joint * 2 + i, 0.5, 3);
        double phase = lasting(robot, "phase", joint * 2 + i, 0, 2 * PI);
        out[0] += size * sin(w * t + phase);
        out[1] += size * w * cos(w * t + phase);
        out[2] -= size * w * w * sin(w * t + phase);
    }
}

/* Back and forth between two points, with a rest at each. */
static void add_moves(const struct robot *robot, double t, unsigned joint, double out[3])
{
    double whole = lasting(robot, "whole", 0, 0.6, 2.5), rest = lasting(robot, "rest", 0, 0.1, 1.5);
    double way = lasting(robot, "way", joint, -1.2, 1.2), shape[3];
    double turn = fmod(t, 2 * (whole + rest));
    bool back = turn >= whole + rest;
    trapezoid(back ? turn - whole - rest : turn, whole, shape);
    out[0] += way * (back ? 1 - shape[0] : shape[0]);
    out[1] += way * (back ? -shape[1] : shape[1]);
    out[2] += way * (back ? -shape[2] : shape[2]);
}

static void joint_at(const struct robot *robot, double t, unsigned joint, double out[3])
{
    static const double rest[6] = {0, -PI / 2, PI / 2, -PI / 2, -PI / 2, 0};
    out[0] = rest[joint] + lasting(robot, "rest position", joint, -1.4, 1.4);
    out[1] = out[2] = 0;
    double late = robot->options.motion == MOTION_LATE ? lasting(robot, "late", 0, 0.3, 1.5) : 0;
    if (robot->options.motion == MOTION_WAVES)
        add_waves(robot, t, joint, out);
    else if (robot->options.motion == MOTION_MOVES)
        add_moves(robot, t, joint, out);
    else if (robot->options.motion == MOTION_LATE && t > late)
        add_moves(robot, t - late, joint, out);
    else if (robot->options.motion == MOTION_CREEPS) {
        out[1] = lasting(robot, "creep", joint, -0.02, 0.02);
        out[0] += out[1] * t;
    }
}

/* Denavit-Hartenberg of UR3, UR5, UR10 and UR5e, as UR publishes them: d1, a2, a3, d4, d5, d6. */
static const double arms[4][6] = {
    {0.1519, -0.24365, -0.21325, 0.11235, 0.08535, 0.0819},
    {0.089159, -0.425, -0.39225, 0.10915, 0.09465, 0.0823},
    {0.1273, -0.612, -0.5723, 0.163941, 0.1157, 0.0922},
    {0.1625, -0.425, -0.3922, 0.1333, 0.0997, 0.0996},
};

static void turn(double m[4][4], double theta, double d, double a, double alpha)
{
    const double ct = cos(theta), st = sin(theta), ca = cos(alpha), sa = sin(alpha);
    const double link[4][4] = {
        {ct, -st * ca, st * sa, a * ct}, {st, ct * ca, -ct * sa, a * st}, {0, sa, ca, d}, {0, 0, 0, 1}};
    double out[4][4] = {{0}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++)
                out[i][j] += m[i][k] * link[k][j];
    memcpy(m, out, sizeof out);
}

static void pose_of(const struct robot *robot, const double q[6], double pose[6])
{
    const double *arm = arms[robot->key % 4];
    const double d[6] = {arm[0], 0, 0, arm[3], arm[4], arm[5] + lasting(robot, "tool", 0, 0, 0.2)};
    const double a[6] = {0, arm[1], arm[2], 0, 0, 0}, alpha[6] = {PI / 2, 0, 0, PI / 2, -PI / 2, 0};
    double m[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (int i = 0; i < 6; i++)
        turn(m, q[i], d[i], a[i], alpha[i]);
    for (int i = 0; i < 3; i++)
        pose[i] = m[i][3];
    double cosine = (m[0][0] + m[1][1] + m[2][2] - 1) / 2, angle = acos(fmin(1, fmax(-1, cosine)));
    double factor = angle > 1e-9 && PI - angle > 1e-6 ? angle / (2 * sin(angle)) : 0.5;
    pose[3] = factor * (m[2][1] - m[1][2]);
    pose[4] = factor * (m[0][2] - m[2][0]);
    pose[5] = factor * (m[1][0] - m[0][1]);
}

/* The pose, and its speed from the difference over a millisecond. */
static void tool_of(const struct robot *robot, const double q[6], const double qd[6], double pose[6], double speed[6])
{
    double next[6], there[6];
    pose_of(robot, q, pose);
    for (int i = 0; i < 6; i++)
        next[i] = q[i] + qd[i] * 1e-5;
    pose_of(robot, next, there);
    for (int i = 0; i < 3; i++)
        speed[i] = (there[i] - pose[i]) / 1e-5;
    for (int i = 3; i < 6; i++) /* angular velocity: not the rotation vector's derivative */
        speed[i] = 0.7 * qd[i - 3] + 0.4 * qd[i];
}

/* ---- the cycle --------------------------------------------------------------------------------------------------- */

void robot_begin(struct robot *robot, const struct robot_options *options, uint64_t seed)
{
    *robot = (struct robot){.options = *options, .dice = {seed * UINT64_C(0x9E3779B97F4A7C15) | 1}};
    for (int i = 0; i < 16; i++)
        dice_roll(&robot->dice, 2);
    robot->key = dice_roll(&robot->dice, UINT64_C(1) << 50);
    robot->begin = (double)(int64_t)dice_between(&robot->dice, 5000, 500000000) * 0.002;
    robot->runs = options->motion != MOTION_NONE || dice_roll(&robot->dice, 3) == 0;
}

double robot_clock(const struct robot *robot)
{
    return robot->begin + (double)robot->package * robot->options.cycle;
}

static double elapsed(const struct robot *robot)
{
    return (double)robot->package * robot->options.cycle;
}

void robot_step(struct robot *robot)
{
    double behind = robot->options.simulated ? 0 : 0.006;
    robot->package++;
    for (unsigned i = 0; i < 6; i++) {
        double target[3], actual[3];
        joint_at(robot, elapsed(robot), i, target);
        joint_at(robot, elapsed(robot) - behind, i, actual);
        for (unsigned k = 0; k < 3; k++)
            robot->target[k][i] = target[k];
        robot->actual[0][i] = actual[0];
        robot->actual[1][i] = actual[1];
        if (robot->options.simulated)
            continue;
        robot->actual[0][i] += lasting(robot, "sag", i, -2e-5, 2e-5) + dice_noise(&robot->dice, 1e-5);
        robot->actual[1][i] += dice_noise(&robot->dice, 8e-4);
    }
    tool_of(robot, robot->target[0], robot->target[1], robot->pose[0], robot->speed[0]);
    tool_of(robot, robot->actual[0], robot->actual[1], robot->pose[1], robot->speed[1]);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Registers: most are never used, some hold a constant, some count, some hold a program's data. */
static double register_value(struct robot *robot, const char *name, double size, bool is_whole)
{
    double kind = lasting(robot, name, 1, 0, 1), value = 0;
    if (kind < 0.5)
        return 0;
    if (kind < 0.7)
        value = lasting(robot, name, 2, -size, size);
    else if (kind < 0.8)
        value = (double)(int64_t)lasting(robot, name, 3, 0, 9);
    else if (kind < 0.9)
        value = (double)(int64_t)(elapsed(robot) * lasting(robot, name, 4, 0.2, 20));
    else
        value = dice_between(&robot->dice, -size, size);
    return is_whole ? (double)(int64_t)value : value;
}

static bool starts(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static double noisy(struct robot *robot, const char *name, unsigned k, double from, double to, double noise)
{
    return lasting(robot, name, k, from, to) + dice_noise(&robot->dice, robot->options.simulated ? 0 : noise);
}

static bool joint_value(struct robot *robot, const char *name, unsigned k, double *value)
{
    static const struct {
        const char *name;
        size_t at;
    } rows[] = {
        {"target_q", offsetof(struct robot, target[0])},        {"target_qd", offsetof(struct robot, target[1])},
        {"target_qdd", offsetof(struct robot, target[2])},      {"actual_q", offsetof(struct robot, actual[0])},
        {"actual_qd", offsetof(struct robot, actual[1])},       {"target_TCP_pose", offsetof(struct robot, pose[0])},
        {"actual_TCP_pose", offsetof(struct robot, pose[1])},   {"target_TCP_speed", offsetof(struct robot, speed[0])},
        {"actual_TCP_speed", offsetof(struct robot, speed[1])},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0) {
            memcpy(value, (const char *)robot + rows[i].at + k * sizeof *value, sizeof *value);
            return true;
        }
    return false;
}

/* Torque that holds and accelerates the arm. */
static double moment(const struct robot *robot, unsigned k)
{
    static const double load[6] = {0.3, 45, 18, 2, 1, 0.1};
    return load[k] * cos(robot->target[0][k] + lasting(robot, "load", k, -0.5, 0.5)) +
           load[k] / 20 * robot->target[2][k];
}

static bool load_value(struct robot *robot, const char *name, unsigned k, double *value)
{
    double torque = moment(robot, k % 6), current = torque / 12.5;
    if (strcmp(name, "target_moment") == 0)
        *value = torque;
    else if (strcmp(name, "target_current") == 0)
        *value = current;
    else if (strcmp(name, "actual_current") == 0 || strcmp(name, "joint_control_output") == 0)
        *value = noisy(robot, name, k, -0.2, 0.2, 0.03) + current;
    else if (strcmp(name, "actual_current_as_torque") == 0)
        *value = noisy(robot, name, k, -0.4, 0.4, 0.2) + torque;
    else if (strcmp(name, "actual_current_window") == 0)
        *value = lasting(robot, name, k, 1, 8);
    else if (strcmp(name, "actual_TCP_force") == 0 || strcmp(name, "wrench_calc_from_currents") == 0 ||
             strcmp(name, "ft_raw_wrench") == 0)
        *value = noisy(robot, name, k, k < 3 ? -30 : -2, k < 3 ? 30 : 2, k < 3 ? 0.6 : 0.04);
    else if (strcmp(name, "target_base_wrench") == 0)
        *value = lasting(robot, name, k, -60, 60) + torque;
    else if (strcmp(name, "tcp_force_scalar") == 0)
        *value = fabs(noisy(robot, name, k, 0, 40, 0.5));
    else
        return false;
    return true;
}

static bool whole_value(struct robot *robot, const char *name, unsigned k, double *value)
{
    static const struct {
        const char *name;
        double runs, stands;
    } rows[] = {{"robot_mode", 7, 7},
                {"safety_mode", 1, 1},
                {"safety_status", 1, 1},
                {"safety_status_bits", 1, 1},
                {"runtime_state", 2, 1},
                {"robot_status_bits", 3, 1},
                {"joint_mode", 253, 253},
                {"tool_mode", 253, 253},
                {"time_scale_source", 0, 0},
                {"tool_output_mode", 0, 0},
                {"tool_digital_output0_mode", 1, 1},
                {"tool_digital_output1_mode", 1, 1},
                {"tool_output_voltage_2", 0, 0}};
    (void)k;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0) {
            *value = robot->runs ? rows[i].runs : rows[i].stands;
            return true;
        }
    if (strcmp(name, "tool_output_voltage") == 0)
        *value = 12 * (double)(int64_t)lasting(robot, name, 0, 0, 2.99);
    else if (strcmp(name, "analog_io_types") == 0 || strcmp(name, "tool_analog_input_types") == 0)
        *value = (double)(int64_t)lasting(robot, name, 0, 0, strcmp(name, "analog_io_types") == 0 ? 15.9 : 3.9);
    else if (strcmp(name, "script_control_line") == 0)
        *value = robot->runs ? (double)(int64_t)(lasting(robot, name, 0, 1, 400) + fmod(elapsed(robot), 20)) : 0;
    else if (starts(name, "encoder"))
        *value = (double)(int64_t)fmod(lasting(robot, name, 0, 0, 60000) + 900 * elapsed(robot), 65536);
    else if (strcmp(name, "control_step") == 0)
        *value = robot->begin * 500 + (double)robot->package;
    else if (strstr(name, "digital_") && strstr(name, "_bits"))
        *value = (double)((uint64_t)lasting(robot, name, 0, 0, 255) & (uint64_t)lasting(robot, name, 1, 0, 255));
    else if (starts(name, "euromap67") && strstr(name, "_bits"))
        *value = (double)(int64_t)lasting(robot, name, 0, 0, 4e9);
    else if (strstr(name, "bit_registers"))
        *value = lasting(robot, name, 1, 0, 1) < 0.6 ? 0 : (double)(int64_t)lasting(robot, name, 2, 0, 1e4);
    else if (strstr(name, "bit_register_"))
        *value = lasting(robot, name, 1, 0, 1) < 0.7 ? 0 : 1;
    else if (strstr(name, "int_register"))
        *value = register_value(robot, name, 1000, true);
    else
        return false;
    return true;
}

static double other_value(struct robot *robot, const char *name, unsigned k)
{
    static const struct {
        const char *name;
        double from, to, noise;
    } rows[] = {{"joint_temperatures", 22, 48, 0.05},
                {"tool_temperature", 24, 50, 0.05},
                {"actual_execution_time", 0.1, 0.6, 0.05},
                {"target_execution_time", 0.1, 0.6, 0.05},
                {"actual_main_voltage", 47.5, 48.5, 0.02},
                {"actual_robot_voltage", 47.5, 48.5, 0.02},
                {"actual_joint_voltage", 46.8, 48.4, 0.03},
                {"actual_robot_current", 0.4, 1.5, 0.02},
                {"io_current", 20, 60, 0.5},
                {"tool_output_current", 0, 60, 0.3},
                {"standard_analog_input", 0, 0.03, 1e-4},
                {"standard_analog_output", 0.004, 0.004, 0},
                {"tool_analog_input", 0, 0.08, 1e-4},
                {"euromap67_24V_voltage", 23.8, 24.2, 0.02},
                {"euromap67_24V_current", 0, 100, 0.3},
                {"payload_cog", 0, 0.1, 0},
                {"payload_inertia", 0, 0.02, 0},
                {"joint_position_deviation_ratio", 0, 0.02, 1e-3},
                {"collision_detection_ratio", 0, 0.2, 1e-2},
                {"dexterity", 0.1, 0.9, 1e-4},
                {"elbow_position", 0.1, 0.9, 1e-5}};
    if (strcmp(name, "timestamp") == 0)
        return robot_clock(robot);
    if (strcmp(name, "speed_scaling") == 0)
        return robot->runs ? 1 : lasting(robot, name, 0, 0, 1) < 0.5 ? 1 : 0;
    if (strcmp(name, "target_speed_fraction") == 0)
        return (double)(int64_t)lasting(robot, name, 0, 3, 20.99) / 20;
    if (strcmp(name, "payload") == 0)
        return lasting(robot, name, 0, 0, 1) < 0.4 ? 0 : (double)(int64_t)lasting(robot, name, 1, 1, 80) / 20;
    if (strcmp(name, "tcp_offset") == 0)
        return lasting(robot, name, 7, 0, 1) < 0.3 ? 0 : k == 2 ? lasting(robot, "tool", 0, 0, 0.2) : 0;
    if (strcmp(name, "actual_tool_accelerometer") == 0)
        return noisy(robot, name, k, -0.8, 0.8, 0.1) + (k == 1 ? -9.8 : 0);
    if (strcmp(name, "actual_momentum") == 0)
        return fabs(robot->actual[1][0]) * 4 + fabs(robot->actual[1][1]) * 6;
    if (strcmp(name, "target_gravity") == 0)
        return k == 2 ? 9.82 : 0;
    if (starts(name, "actual_robot_energy") || starts(name, "actual_robot_braking"))
        return lasting(robot, name, 0, 1e3, 1e6) + 70 * elapsed(robot);
    if (strcmp(name, "elbow_velocity") == 0)
        return robot->actual[1][k] * 0.3;
    if (strstr(name, "TCP_acceleration"))
        return starts(name, "target") ? robot->target[2][k] * 0.5
                                      : robot->target[2][k] * 0.5 + dice_noise(&robot->dice, 0.05);
    if (strstr(name, "double_register"))
        return register_value(robot, name, 500, false);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (starts(name, rows[i].name))
            return fabs(noisy(robot, name, k, rows[i].from, rows[i].to, rows[i].noise));
    return 0;
}

double robot_value(struct robot *robot, const char *name, unsigned k)
{
    double value;
    if (joint_value(robot, name, k, &value) || load_value(robot, name, k, &value) ||
        whole_value(robot, name, k, &value))
        return value;
    return other_value(robot, name, k);
}

/* ---- packages ---------------------------------------------------------------------------------------------------- */

static void put(uint8_t **at, uint64_t number, unsigned bytes)
{
    while (bytes-- > 0)
        *(*at)++ = (uint8_t)(number >> 8 * bytes);
}

static void put_value(uint8_t **at, enum armtap_type type, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (type == ARMTAP_DOUBLE)
        put(at, bits, 8);
    else if (type == ARMTAP_UINT64)
        put(at, (uint64_t)value, 8);
    else if (type == ARMTAP_INT32 || type == ARMTAP_UINT32)
        put(at, (uint64_t)(int64_t)value, 4);
    else
        put(at, (uint64_t)value, 1);
}

size_t robot_package(struct robot *robot, const struct armtap_recipe *recipe, int protocol, unsigned id,
                     uint8_t *package)
{
    uint8_t *at = package;
    put(&at, armtap_recipe_size(recipe) + (protocol >= 2 ? 4 : 3), 2);
    put(&at, 'U', 1);
    if (protocol >= 2)
        put(&at, id, 1);
    for (size_t i = 0; i < armtap_recipe_count(recipe); i++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(recipe, i);
        for (unsigned k = 0; k < entry->count; k++)
            put_value(&at, entry->type, robot_value(robot, entry->name, k));
    }
    return (size_t)(at - package);
}
