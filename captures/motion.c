#include "motion.h"

#include "arm.h"

#include <string.h>

enum { SAFETY_NORMAL = 1, SAFETY_PROTECTIVE_STOP = 3 };
enum { PROGRAM_STOPPED = 1, PROGRAM_PLAYING = 2, PROGRAM_PAUSING = 3, PROGRAM_PAUSED = 4, PROGRAM_RESUMING = 5 };
enum { MODE_RUNNING = 7, CB2_RUNNING = 0, CB2_SECURITY_STOPPED = 4, JOINT_RUNNING = 253, CB2_JOINT_STOPPED = 251 };

#define BRAKING_TIME 0.06 /* s */
#define RESUMING_TIME 0.3
#define IMPACT_TIME 0.08
#define IMPACT_FORCE 180 /* N, at its strongest */

/* Rotor and arm inertia as each joint's motor sees it, kg m^2. */
static const double inertia[ARM_JOINTS] = {2.2, 2.4, 1.1, 0.12, 0.09, 0.05};
/* Rise of a joint's current, against the motion, when the arm hits something, A. */
static const double impact_current[ARM_JOINTS] = {6.5, 7.2, 5.1, 1.9, 1.6, 0.8};

/* The fields that the model computes; all others stay unknown, and are 0 on the wire. */
static const unsigned computed[] = {
    ARMTAP_ID_timestamp,
    ARMTAP_ID_target_q,
    ARMTAP_ID_target_qd,
    ARMTAP_ID_target_qdd,
    ARMTAP_ID_target_current,
    ARMTAP_ID_target_moment,
    ARMTAP_ID_actual_q,
    ARMTAP_ID_actual_qd,
    ARMTAP_ID_actual_current,
    ARMTAP_ID_joint_control_output,
    ARMTAP_ID_actual_TCP_pose,
    ARMTAP_ID_actual_TCP_speed,
    ARMTAP_ID_actual_TCP_force,
    ARMTAP_ID_target_TCP_pose,
    ARMTAP_ID_target_TCP_speed,
    ARMTAP_ID_actual_digital_input_bits,
    ARMTAP_ID_joint_temperatures,
    ARMTAP_ID_actual_execution_time,
    ARMTAP_ID_rt_94,
    ARMTAP_ID_robot_mode,
    ARMTAP_ID_joint_mode,
    ARMTAP_ID_safety_mode,
    ARMTAP_ID_actual_tool_accelerometer,
    ARMTAP_ID_speed_scaling,
    ARMTAP_ID_actual_momentum,
    ARMTAP_ID_actual_main_voltage,
    ARMTAP_ID_actual_robot_voltage,
    ARMTAP_ID_actual_robot_current,
    ARMTAP_ID_actual_joint_voltage,
    ARMTAP_ID_actual_digital_output_bits,
    ARMTAP_ID_runtime_state,
    ARMTAP_ID_elbow_position,
    ARMTAP_ID_elbow_velocity,
    ARMTAP_ID_safety_status,
    ARMTAP_ID_payload,
    ARMTAP_ID_payload_cog,
    ARMTAP_ID_payload_inertia,
    ARMTAP_ID_actual_TCP_acceleration,
    ARMTAP_ID_tcp_offset,
    ARMTAP_ID_target_speed_fraction,
    ARMTAP_ID_robot_status_bits,
    ARMTAP_ID_safety_status_bits,
    ARMTAP_ID_tool_mode,
    ARMTAP_ID_tool_output_voltage,
    ARMTAP_ID_tool_output_current,
    ARMTAP_ID_tool_temperature,
    ARMTAP_ID_tcp_force_scalar,
    ARMTAP_ID_joint_position_deviation_ratio,
    ARMTAP_ID_collision_detection_ratio,
    ARMTAP_ID_control_step,
    ARMTAP_ID_output_int_register,
};

int motion_begin(struct motion *motion, const struct scene_robot *robot, uint64_t seed)
{
    memset(motion, 0, sizeof *motion);
    motion->robot = robot;
    motion->noise.state = seed;
    motion->rate = 1;
    motion->state = armtap_state_new();
    if (!motion->state)
        return -1;
    for (size_t i = 0; i < sizeof computed / sizeof *computed; i++)
        armtap_set_add(&motion->state->known, computed[i]);
    for (size_t i = 0; i < robot->program_length; i++)
        motion->program_length += robot->program[i].seconds;
    for (size_t i = 0; i < ARM_JOINTS; i++)
        motion->warmth[i] = prng_between(&motion->noise, 28, 34) + (double)i / 2;
    return 0;
}

void motion_end(struct motion *motion)
{
    armtap_state_free(motion->state);
    motion->state = NULL;
}

/* A measurement as from a sensor: noise, and the short mantissa of a float. */
static double measured(struct motion *motion, double value, double sigma)
{
    return (double)(float)(value + prng_noise(&motion->noise, sigma)) + 0.0;
}

/* The strength of an impact `seconds` after it began: it rises and falls again. */
static double impact_shape(double seconds, double *change)
{
    double x = seconds / IMPACT_TIME;
    if (x <= 0 || x >= 1) {
        *change = 0;
        return 0;
    }
    *change = 4 * (1 - 2 * x) / IMPACT_TIME;
    return 4 * x * (1 - x);
}

static double clamped(double x)
{
    return x > 1 ? 1 : x < -1 ? -1 : x;
}

static double seconds_of(const struct motion *motion, uint64_t cycle)
{
    return (double)(cycle * motion->robot->cycle_ms) / 1000;
}

static bool stopped_at(const struct scene_robot *robot, double seconds)
{
    return robot->stop_at >= 0 && seconds >= robot->stop_at && !(robot->unlock_at >= 0 && seconds >= robot->unlock_at);
}

/* ---- the program ----------------------------------------------------------------------------------------------- */

/* The path from one pose to another along a fifth-degree polynomial: no jump in speed or acceleration. */
static void follow(struct armtap_state *state, const double from[ARM_JOINTS], const double to[ARM_JOINTS], double x,
                   double seconds, const struct motion *motion)
{
    double place = x * x * x * (10 - x * (15 - 6 * x));
    double speed = 30 * x * x * (1 - x) * (1 - x) / seconds;
    double acceleration = 60 * x * (1 - x) * (1 - 2 * x) / (seconds * seconds);
    for (size_t i = 0; i < ARM_JOINTS; i++) {
        double way = to[i] - from[i];
        state->target_q[i] = from[i] + way * place;
        state->target_qd[i] = way * speed * motion->rate + 0.0;
        state->target_qdd[i] = way * (acceleration * motion->rate * motion->rate + speed * motion->rate_change) + 0.0;
    }
}

static void set_bit(uint64_t *bits, const struct motion_step *step)
{
    *bits = step->value != 0 ? *bits | UINT64_C(1) << step->bit : *bits & ~(UINT64_C(1) << step->bit);
}

static void run_program(struct motion *motion)
{
    const struct scene_robot *robot = motion->robot;
    struct armtap_state *state = motion->state;
    double rounds = motion->program_length > 0 ? (double)(int64_t)(motion->program_time / motion->program_length) : 0;
    double left = motion->program_time - rounds * motion->program_length;
    const double *at = robot->begin;
    state->output_int_register[0] = (int32_t)rounds;
    state->actual_digital_output_bits = 0;
    state->actual_digital_input_bits = 0;
    state->payload = 0;
    follow(state, at, at, 0, 1, motion);
    for (size_t i = 0; i < robot->program_length && left >= 0; i++) {
        const struct motion_step *step = &robot->program[i];
        if (step->kind == MOTION_OUTPUT)
            set_bit(&state->actual_digital_output_bits, step);
        else if (step->kind == MOTION_INPUT)
            set_bit(&state->actual_digital_input_bits, step);
        else if (step->kind == MOTION_PAYLOAD)
            state->payload = step->value;
        if (step->kind == MOTION_MOVE) {
            double x = left < step->seconds ? left / step->seconds : 1;
            follow(state, at, step->q, x, step->seconds, motion);
            at = step->q;
        }
        left -= step->seconds;
    }
}

/* Advances the program's time, ever more slowly after a protective stop. */
static void go_on(struct motion *motion)
{
    const struct scene_robot *robot = motion->robot;
    double step = (double)robot->cycle_ms / 1000;
    double now = seconds_of(motion, motion->cycle);
    double before = motion->rate;
    if (stopped_at(robot, now))
        motion->rate = before > step / BRAKING_TIME ? before - step / BRAKING_TIME : 0;
    else
        motion->rate = before < 1 - step / RESUMING_TIME ? before + step / RESUMING_TIME : 1;
    motion->rate_change = (motion->rate - before) / step;
    if (motion->cycle > 0)
        motion->program_time += step * 0.5 * (before + motion->rate);
}

/* ---- what is measured ------------------------------------------------------------------------------------------ */

static void remember_impact(struct motion *motion, const struct arm_pose *pose)
{
    const struct armtap_state *state = motion->state;
    double angular[3];
    double fastest = 1e-9;
    for (size_t i = 0; i < ARM_JOINTS; i++)
        if (number_abs(state->target_qd[i]) > fastest)
            fastest = number_abs(state->target_qd[i]);
    for (size_t i = 0; i < ARM_JOINTS; i++)
        motion->impact[i] = state->target_qd[i] / fastest;
    arm_twist(pose, motion->impact, ARM_JOINTS, pose->origin[ARM_JOINTS], motion->impact_tool, angular);
}

/* A collision pushes the tool back along its way; each joint feels the part of the force that turns it. */
static void remember_collision(struct motion *motion, const struct arm_pose *pose)
{
    double *tool = motion->impact_tool;
    double speed = number_sqrt(tool[0] * tool[0] + tool[1] * tool[1] + tool[2] * tool[2]), most = 1e-9;
    for (size_t i = 0; i < 3; i++)
        tool[i] /= speed > 0 ? speed : 1;
    for (size_t i = 0; i < ARM_JOINTS; i++) {
        double alone[ARM_JOINTS] = {0}, linear[3], angular[3];
        alone[i] = 1;
        arm_twist(pose, alone, ARM_JOINTS, pose->origin[ARM_JOINTS], linear, angular);
        motion->impact_torque[i] = -IMPACT_FORCE * (linear[0] * tool[0] + linear[1] * tool[1] + linear[2] * tool[2]);
        if (number_abs(motion->impact_torque[i]) > most)
            most = number_abs(motion->impact_torque[i]);
    }
    for (size_t i = 0; i < ARM_JOINTS; i++)
        motion->impact[i] = -motion->impact_torque[i] / most;
}

static void measure_joints(struct motion *motion, double shape, double shape_change)
{
    struct armtap_state *state = motion->state;
    for (size_t i = 0; i < ARM_JOINTS; i++) {
        double bounce = -0.012 * motion->impact[i];
        double lag = 0.0015 * state->target_qd[i];
        state->actual_q[i] =
            number_round_to(state->target_q[i] - lag + bounce * shape + prng_noise(&motion->noise, 4e-6), 0x1p-20);
        state->actual_qd[i] =
            number_round_to(state->target_qd[i] + bounce * shape_change + prng_noise(&motion->noise, 1e-4), 0x1p-12);
    }
}

static void measure_currents(struct motion *motion, const struct arm_pose *pose, double shape)
{
    const struct arm_model *model = motion->robot->model;
    struct armtap_state *state = motion->state;
    double hold[ARM_JOINTS];
    arm_gravity(model, pose, state->payload, hold);
    for (size_t i = 0; i < ARM_JOINTS; i++) {
        double friction = 0.35 * clamped(state->target_qd[i] / 0.02);
        state->target_moment[i] = hold[i] + inertia[i] * state->target_qdd[i];
        state->target_current[i] = state->target_moment[i] / model->torque_constant[i];
        double current = state->target_current[i] + friction;
        if (motion->robot->hit_at >= 0) /* the motor pushes against the obstacle */
            current -= motion->impact_torque[i] / model->torque_constant[i] * shape;
        else
            current -= impact_current[i] * motion->impact[i] * shape;
        state->actual_current[i] = measured(motion, current, 0.03);
        state->joint_control_output[i] = measured(motion, current, 0.01);
        motion->heat[i] += (double)motion->robot->cycle_ms / 1000 * (0.02 + 0.01 * current * current);
        state->joint_temperatures[i] = number_round_to(motion->warmth[i] + motion->heat[i], 0x1p-6);
        state->actual_joint_voltage[i] = measured(motion, 48.1 - 0.05 * number_abs(current), 0.01);
        state->joint_mode[i] = JOINT_RUNNING;
    }
}

static void measure_tool(struct motion *motion, struct arm_pose *pose, double shape)
{
    struct armtap_state *state = motion->state;
    double step = (double)motion->robot->cycle_ms / 1000;
    double *speed = state->actual_TCP_speed;
    memcpy(state->actual_TCP_pose, pose->origin[ARM_JOINTS], 3 * sizeof(double));
    arm_rotation_vector(pose->rotation, state->actual_TCP_pose + 3);
    arm_twist(pose, state->actual_qd, ARM_JOINTS, pose->origin[ARM_JOINTS], speed, speed + 3);
    for (size_t i = 0; i < 3; i++) {
        double acceleration = motion->cycle > 0 ? (speed[i] - motion->tool_velocity[i]) / step : 0;
        motion->tool_velocity[i] = speed[i];
        state->actual_TCP_acceleration[i] = acceleration;
        double load = motion->robot->hit_at >= 0 ? 0 : state->payload; /* e-Series controllers compensate it */
        double force = -load * acceleration - IMPACT_FORCE * motion->impact_tool[i] * shape;
        state->actual_TCP_force[i] = measured(motion, force, 0.4);
        state->actual_TCP_force[i + 3] = measured(motion, 0, 0.03);
    }
    for (size_t i = 0; i < 3; i++) {
        const double *a = state->actual_TCP_acceleration;
        double(*r)[3] = pose->rotation;
        double felt = r[0][i] * a[0] + r[1][i] * a[1] + r[2][i] * (a[2] + GRAVITY);
        state->actual_tool_accelerometer[i] = measured(motion, felt, 0.05);
    }
    const double *f = state->actual_TCP_force;
    state->tcp_force_scalar = number_sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    state->collision_detection_ratio = number_round_to(0.02 + 1.1 * shape, 0x1p-10);
    state->joint_position_deviation_ratio = number_round_to(0.01 + 0.6 * shape, 0x1p-10);
    memcpy(state->elbow_position, pose->origin[2], sizeof state->elbow_position);
    double angular[3];
    arm_twist(pose, state->actual_qd, 2, pose->origin[2], state->elbow_velocity, angular);
    state->actual_momentum = arm_momentum(motion->robot->model, pose, state->actual_qd, state->payload);
}

static void aim_tool(struct motion *motion, struct arm_pose *pose)
{
    struct armtap_state *state = motion->state;
    memcpy(state->target_TCP_pose, pose->origin[ARM_JOINTS], 3 * sizeof(double));
    arm_rotation_vector(pose->rotation, state->target_TCP_pose + 3);
    arm_twist(pose, state->target_qd, ARM_JOINTS, pose->origin[ARM_JOINTS], state->target_TCP_speed,
              state->target_TCP_speed + 3);
}

static void measure_power(struct motion *motion)
{
    struct armtap_state *state = motion->state;
    double current = 0.4;
    for (size_t i = 0; i < ARM_JOINTS; i++)
        current += 0.15 * number_abs(state->actual_current[i]);
    state->actual_robot_current = measured(motion, current, 0.01);
    state->actual_robot_voltage = measured(motion, 48.2 - 0.03 * current, 0.01);
    state->actual_main_voltage = measured(motion, 48.3, 0.01);
    state->actual_execution_time = number_round_to(prng_between(&motion->noise, 0.05, 0.09), 0x1p-14);
    state->tool_output_voltage = 24;
    state->tool_output_current = measured(motion, state->payload > 0 ? 85 : 60, 0.4);
    state->tool_temperature = measured(motion, motion->warmth[5] + 3 + motion->heat[5], 0.02);
    state->payload_cog[2] = state->payload > 0 ? 0.06 : 0.04;
    for (size_t i = 0; i < 3; i++)
        state->payload_inertia[i] = 0.0008 * state->payload;
}

/* ---- modes ----------------------------------------------------------------------------------------------------- */

static void set_modes(struct motion *motion)
{
    const struct scene_robot *robot = motion->robot;
    struct armtap_state *state = motion->state;
    bool stopped = stopped_at(robot, seconds_of(motion, motion->cycle));
    state->safety_mode = stopped ? SAFETY_PROTECTIVE_STOP : SAFETY_NORMAL;
    state->safety_status = state->safety_mode;
    state->safety_status_bits = stopped ? 1u << 2 | 1u << 10 : 1u;
    state->robot_mode = MODE_RUNNING;
    state->tool_mode = JOINT_RUNNING;
    if (robot->program_length == 0)
        state->runtime_state = PROGRAM_STOPPED;
    else if (stopped)
        state->runtime_state = motion->rate > 0 ? PROGRAM_PAUSING : PROGRAM_PAUSED;
    else
        state->runtime_state = motion->rate < 1 ? PROGRAM_RESUMING : PROGRAM_PLAYING;
    state->robot_status_bits = state->runtime_state == PROGRAM_PLAYING ? 3 : 1;
    state->speed_scaling = motion->rate;
    state->target_speed_fraction = 1;
    if (robot->cb2) {
        state->rt_94 = 8; /* as in packets of a real controller 1.8 */
        state->robot_mode = stopped ? CB2_SECURITY_STOPPED : CB2_RUNNING;
        for (size_t i = 0; i < ARM_JOINTS && stopped; i++)
            state->joint_mode[i] = CB2_JOINT_STOPPED;
    }
}

void motion_cycle(struct motion *motion, uint64_t cycle)
{
    const struct scene_robot *robot = motion->robot;
    struct arm_pose aimed, actual;
    double shape_change;
    double now = seconds_of(motion, cycle), step = (double)robot->cycle_ms / 1000;
    double hit_at = robot->hit_at >= 0 ? robot->hit_at : robot->stop_at;
    bool hit =
        motion->rate >= 1 && (robot->hit_at >= 0 ? now >= hit_at && now < hit_at + step : stopped_at(robot, now));
    motion->cycle = cycle;
    go_on(motion);
    run_program(motion);
    motion->state->timestamp = (double)(robot->uptime_ms + cycle * robot->cycle_ms) / 1000;
    motion->state->control_step = robot->uptime_ms / robot->cycle_ms + cycle;
    arm_forward(robot->model, motion->state->target_q, &aimed);
    if (hit)
        remember_impact(motion, &aimed);
    if (hit && robot->hit_at >= 0)
        remember_collision(motion, &aimed);
    double shape = impact_shape(hit_at >= 0 ? now - hit_at : -1, &shape_change);
    measure_joints(motion, shape, shape_change);
    arm_forward(robot->model, motion->state->actual_q, &actual);
    measure_currents(motion, &actual, shape);
    aim_tool(motion, &aimed);
    measure_tool(motion, &actual, shape);
    measure_power(motion);
    set_modes(motion);
}
