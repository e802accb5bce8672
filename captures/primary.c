#include "primary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVERY_MS 96
#define MESSAGE_MOST 4096u
#define NO_CLOCK UINT64_MAX

enum { STATE = 16, ROBOT_MESSAGE = 20, TOLERANCES = 24 };
enum { FROM_ROBOT_INTERFACE = -2, FROM_PROGRAM = -3 };
enum { SAYS_POPUP = 2, SAYS_VERSION = 3, SAYS_ERROR = 6, SAYS_PROGRAM = 7, SAYS_EXCEPTION = 10, SAYS_MORE = 12 };

/* Bytes of a message, big-endian. */
struct writer {
    uint8_t bytes[MESSAGE_MOST];
    size_t length;
    size_t part; /* where the sub-package begins */
};

static void put(struct writer *writer, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        writer->bytes[writer->length++] = (uint8_t)(number >> (8 * (bytes - 1 - i)));
}

static void put_double(struct writer *writer, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    put(writer, bits, 8);
}

static void put_float(struct writer *writer, double number)
{
    float single = (float)number;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    put(writer, bits, 4);
}

static void put_doubles(struct writer *writer, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_double(writer, numbers[i]);
}

static void put_text(struct writer *writer, const char *text)
{
    size_t length = strlen(text);
    memcpy(writer->bytes + writer->length, text, length);
    writer->length += length;
}

static void set_length(struct writer *writer, size_t from)
{
    size_t end = writer->length;
    writer->length = from;
    put(writer, end - from, 4);
    writer->length = end;
}

static void begin_message(struct writer *writer, unsigned type)
{
    writer->length = 4;
    put(writer, type, 1);
}

static void begin_robot_message(struct writer *writer, uint64_t clock, int source, unsigned type)
{
    begin_message(writer, ROBOT_MESSAGE);
    put(writer, clock, 8);
    put(writer, (uint8_t)source, 1);
    put(writer, type, 1);
}

static void begin_part(struct writer *writer, unsigned type)
{
    writer->part = writer->length;
    put(writer, 0, 4);
    put(writer, type, 1);
}

static void end_part(struct writer *writer)
{
    set_length(writer, writer->part);
}

/* ---- a state --------------------------------------------------------------------------------------------------- */

static uint64_t clock_of(const struct session *session)
{
    return (uint64_t)(session->motion->state->timestamp * 1e6 + 0.5);
}

static void put_modes(struct writer *writer, const struct armtap_state *state, uint64_t clock)
{
    bool stopped = state->safety_mode != 1, plays = (state->robot_status_bits & 2) != 0;
    begin_part(writer, 0);
    put(writer, clock, 8);
    put(writer, 1, 1); /* a real robot is connected */
    put(writer, 1, 1); /* and enabled */
    put(writer, 1, 1); /* power on */
    put(writer, 0, 1); /* emergency stopped */
    put(writer, stopped, 1);
    put(writer, plays || stopped, 1);  /* a program runs */
    put(writer, stopped && !plays, 1); /* paused */
    put(writer, (uint8_t)state->robot_mode, 1);
    put(writer, 0, 1); /* control mode POSITION */
    put_double(writer, state->target_speed_fraction);
    put_double(writer, state->speed_scaling);
    put_double(writer, 1);
    put(writer, 0, 1);
    end_part(writer);
}

static void put_joints(struct writer *writer, const struct armtap_state *state)
{
    begin_part(writer, 1);
    for (size_t i = 0; i < ARM_JOINTS; i++) {
        put_double(writer, state->actual_q[i]);
        put_double(writer, state->target_q[i]);
        put_double(writer, state->actual_qd[i]);
        put_float(writer, state->actual_current[i]);
        put_float(writer, state->actual_joint_voltage[i]);
        put_float(writer, state->joint_temperatures[i]);
        put_float(writer, 0);
        put(writer, (uint8_t)state->joint_mode[i], 1);
    }
    end_part(writer);
}

static void put_pose(struct writer *writer, const struct armtap_state *state)
{
    begin_part(writer, 4);
    put_doubles(writer, state->actual_TCP_pose, 6);
    put_doubles(writer, state->tcp_offset, 6);
    end_part(writer);
}

static void put_board(struct writer *writer, const struct armtap_state *state)
{
    begin_part(writer, 3);
    put(writer, state->actual_digital_input_bits, 4);
    put(writer, state->actual_digital_output_bits, 4);
    put(writer, 0x0101, 2); /* analog inputs: voltage */
    put_double(writer, 0);
    put_double(writer, 0);
    put(writer, 0x0101, 2); /* outputs */
    put_double(writer, 0);
    put_double(writer, 0);
    put_float(writer, 38.5);
    put_float(writer, state->actual_robot_voltage);
    put_float(writer, state->actual_robot_current);
    put_float(writer, 0.0625);
    put(writer, (uint8_t)state->safety_mode, 1);
    put(writer, 0, 1); /* reduced mode */
    put(writer, 0, 1); /* no Euromap */
    put(writer, 0x1d5c9e42, 4);
    put(writer, 0, 2); /* operational mode, enabling device */
    put(writer, 0, 1);
    end_part(writer);
}

static void put_tool(struct writer *writer, const struct armtap_state *state)
{
    begin_part(writer, 2);
    put(writer, 0, 2);
    put_double(writer, 0);
    put_double(writer, 0);
    put_float(writer, 0);
    put(writer, (uint8_t)state->tool_output_voltage, 1);
    put_float(writer, state->tool_output_current / 1000);
    put_float(writer, state->tool_temperature);
    put(writer, (uint8_t)state->tool_mode, 1);
    end_part(writer);
}

static void put_kinematics(struct writer *writer, const struct arm_model *model)
{
    static const double theta[ARM_JOINTS] = {0},
                        alpha[ARM_JOINTS] = {0x1.921fb54442d18p0, 0, 0, 0x1.921fb54442d18p0, -0x1.921fb54442d18p0, 0};
    begin_part(writer, 5);
    for (unsigned i = 0; i < ARM_JOINTS; i++)
        put(writer, 0x9e3779b9u * (i + 1), 4);
    put_doubles(writer, theta, ARM_JOINTS);
    put_doubles(writer, model->a, ARM_JOINTS);
    put_doubles(writer, model->d, ARM_JOINTS);
    put_doubles(writer, alpha, ARM_JOINTS);
    put(writer, 0, 4);
    end_part(writer);
}

static void put_configuration(struct writer *writer, const struct arm_model *model)
{
    static const double zeros[ARM_JOINTS] = {0};
    begin_part(writer, 6);
    for (size_t i = 0; i < ARM_JOINTS; i++) {
        put_double(writer, -0x1.921fb54442d18p2);
        put_double(writer, 0x1.921fb54442d18p2);
    }
    for (size_t i = 0; i < ARM_JOINTS; i++) {
        put_double(writer, i < 2 ? 2.0944 : 3.1416);
        put_double(writer, 40);
    }
    put_double(writer, 1.0472);
    put_double(writer, 1.3963);
    put_double(writer, 0.25);
    put_double(writer, 1.2);
    put_double(writer, 0.5);
    put_doubles(writer, model->a, ARM_JOINTS);
    put_doubles(writer, model->d, ARM_JOINTS);
    put_doubles(writer, zeros, ARM_JOINTS);
    put_doubles(writer, zeros, ARM_JOINTS);
    put(writer, 9, 4);
    put(writer, 1, 4);
    put(writer, 2, 4); /* a UR10 */
    put(writer, 0, 4);
    end_part(writer);
}

static void put_others(struct writer *writer, bool is_e_series)
{
    static const uint8_t safety[38] = {0x1d, 0x5c, 0x9e, 0x42};
    begin_part(writer, 7);
    for (size_t i = 0; i < 7; i++)
        put_double(writer, 0);
    end_part(writer);
    begin_part(writer, 8);
    put(writer, 0, 4);
    end_part(writer);
    begin_part(writer, 10);
    for (size_t i = 0; i < sizeof safety; i++)
        put(writer, safety[i], 1);
    end_part(writer);
    if (!is_e_series)
        return;
    begin_part(writer, 11);
    put(writer, 0, 1);
    put(writer, 115200, 4);
    put(writer, 0, 4);
    put(writer, 1, 4);
    put_float(writer, 1.5);
    put_float(writer, 3.5);
    end_part(writer);
    begin_part(writer, 12);
    put(writer, 0x000101, 3);
    end_part(writer);
}

static void make_state(const struct session *session, bool is_first, struct writer *writer)
{
    const struct scene_robot *robot = session->client->robot;
    const struct armtap_state *state = session->motion->state;
    begin_message(writer, STATE);
    put_modes(writer, state, clock_of(session));
    put_joints(writer, state);
    put_pose(writer, state);
    if (is_first)
        put_kinematics(writer, robot->model);
    begin_part(writer, 9);
    for (size_t i = 0; i < 6; i++)
        put_double(writer, 0);
    end_part(writer);
    put_board(writer, state);
    put_tool(writer, state);
    if (is_first)
        put_configuration(writer, robot->model);
    put_others(writer, robot->release[0] >= 5);
    set_length(writer, 0);
}

/* ---- sending --------------------------------------------------------------------------------------------------- */

static void hold(struct session *session, struct writer *writer)
{
    set_length(writer, 0);
    if (session->held_length + writer->length > sizeof session->held) {
        session->failed = true;
        return;
    }
    memcpy(session->held + session->held_length, writer->bytes, writer->length);
    session->held_length += writer->length;
}

void primary_session_begin(struct session *session, const struct client_step *step, int64_t time)
{
    const unsigned *release = session->client->robot->release;
    struct writer writer;
    if (release[0] < 3 || (release[0] == 3 && release[1] < 5) || session->client->robot->aubo) {
        session_fail(session, step, "only controllers since 3.5 are played here", NULL);
        return;
    }
    session->primary = true;
    session->tally->protocol = ARMTAP_PRIMARY;
    begin_robot_message(&writer, NO_CLOCK, FROM_ROBOT_INTERFACE, SAYS_VERSION);
    put(&writer, 9, 1);
    put_text(&writer, "URControl");
    put(&writer, release[0], 1);
    put(&writer, release[1], 1);
    put(&writer, release[2], 4);
    put(&writer, 0, 4);
    put_text(&writer, "03-05-2019, 06:39:00");
    hold(session, &writer);
    begin_robot_message(&writer, NO_CLOCK, FROM_ROBOT_INTERFACE, SAYS_MORE);
    put(&writer, 0, 8);
    put(&writer, 1, 1);
    hold(session, &writer);
    begin_message(&writer, TOLERANCES);
    for (size_t i = 0; i < 22; i++)
        put_double(&writer, i == 0 ? 0.15 : i == 1 ? 25 : 0);
    hold(session, &writer);
    make_state(session, true, &writer);
    hold(session, &writer);
    session->tally->records[ARMTAP_FROM_ROBOT]++;
    session_flush(session, time);
}

bool primary_session_data(struct session *session)
{
    struct writer writer;
    if (!session->primary || session->motion->cycle % (EVERY_MS / session->client->robot->cycle_ms) != 0)
        return false;
    make_state(session, false, &writer);
    hold(session, &writer);
    session->tally->records[ARMTAP_FROM_ROBOT]++;
    return true;
}

/* ---- messages -------------------------------------------------------------------------------------------------- */

static void put_error(struct writer *writer, const struct client_step *step)
{
    put(writer, step->count, 4);
    put(writer, (uint64_t)strtoll(step->words[0], NULL, 10), 4);
    put(writer, (uint64_t)strtoll(step->words[1], NULL, 10), 4);
    put(writer, 1, 4);
    put(writer, 0, 4);
}

static void put_titled(struct writer *writer, const struct client_step *step)
{
    put(writer, strlen(step->words[0]), 1);
    put_text(writer, step->words[0]);
    put_text(writer, step->words[1]);
}

void primary_session_step(struct session *session, const struct client_step *step, int64_t time)
{
    struct writer writer;
    uint64_t clock = clock_of(session);
    if (!session->primary) {
        session_fail(session, step, "this needs the primary interface first", NULL);
        return;
    }
    switch (step->kind) {
    case CLIENT_ERROR:
        begin_robot_message(&writer, clock, FROM_PROGRAM, SAYS_ERROR);
        put_error(&writer, step);
        break;
    case CLIENT_EXCEPTION:
        begin_robot_message(&writer, clock, FROM_PROGRAM, SAYS_EXCEPTION);
        put(&writer, step->count, 4);
        put(&writer, (uint64_t)strtoll(step->words[0], NULL, 10), 4);
        put_text(&writer, step->words[1]);
        break;
    case CLIENT_POPUP:
        begin_robot_message(&writer, clock, FROM_PROGRAM, SAYS_POPUP);
        put(&writer, 1, 4);
        put(&writer, 8, 4);
        put(&writer, 0x000101, 3); /* an error, blocking */
        put_titled(&writer, step);
        break;
    default:
        begin_robot_message(&writer, clock, FROM_PROGRAM, SAYS_PROGRAM);
        put(&writer, 0, 8);
        put_titled(&writer, step);
        break;
    }
    hold(session, &writer);
    session_flush(session, time);
}
