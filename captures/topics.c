#include "topics.h"

#include "number.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define BRAKES_TIME 0.4 /* s to release them */

struct topic {
    const char *name; /* without R1_ */
    void (*put)(const struct topics *topics, const struct motion *arm, struct json *json);
};

/* ---- enumerations ---------------------------------------------------------------------------------------------- */

struct mode {
    int number; /* AUBO's */
    const char *name;
};

static const struct mode idle = {5, "Idle"}, brake_releasing = {6, "BrakeReleasing"}, running = {8, "Running"};
static const struct mode joint_idle = {2, "Idle"}, joint_running = {4, "Running"};
static const struct mode normal = {1, "Normal"}, protective_stop = {5, "ProtectiveStop"};

/* Indexed by UR's runtime state, which the model has. */
static const struct mode runtime_states[] = {{5, "Stopping"}, {6, "Stopped"}, {0, "Running"},
                                             {2, "Pausing"},  {3, "Paused"},  {0, "Running"}};

static void put_mode(const struct topics *topics, struct mode mode, struct json *json)
{
    if (topics->numbers)
        json_integer(json, mode.number);
    else
        json_string(json, mode.name, strlen(mode.name));
}

static double brakes_open(const struct motion *arm)
{
    return (double)(arm->cycle * arm->robot->cycle_ms) / 1000 - arm->robot->brakes_at;
}

static void put_robot_mode(const struct topics *topics, const struct motion *arm, struct json *json)
{
    double seconds = brakes_open(arm);
    put_mode(topics, seconds < 0 ? idle : seconds < BRAKES_TIME ? brake_releasing : running, json);
}

static void put_joint_mode(const struct topics *topics, const struct motion *arm, struct json *json)
{
    for (size_t i = 0; i < ARM_JOINTS; i++) {
        json_text(json, i > 0 ? "," : "[");
        put_mode(topics, brakes_open(arm) < BRAKES_TIME ? joint_idle : joint_running, json);
    }
    json_text(json, "]");
}

static void put_safety_mode(const struct topics *topics, const struct motion *arm, struct json *json)
{
    put_mode(topics, arm->state->safety_mode == 1 ? normal : protective_stop, json);
}

static void put_runtime_state(const struct topics *topics, const struct motion *arm, struct json *json)
{
    put_mode(topics, runtime_states[arm->state->runtime_state % 6], json);
}

static void put_operational_mode(const struct topics *topics, const struct motion *arm, struct json *json)
{
    (void)arm;
    put_mode(topics, (struct mode){1, "Automatic"}, json);
}

/* ---- values that no field of the state holds directly ------------------------------------------------------------ */

static void put_line_number(const struct topics *topics, const struct motion *arm, struct json *json)
{
    (void)topics;
    double rounds = arm->program_length > 0 ? (double)(int64_t)(arm->program_time / arm->program_length) : 0;
    double left = arm->program_time - rounds * arm->program_length;
    size_t line = 0;
    while (line < arm->robot->program_length && left >= arm->robot->program[line].seconds)
        left -= arm->robot->program[line++].seconds;
    json_integer(json, (int64_t)line + 1);
}

/* Empty strings if there is no message, an object if there is one. */
static void put_message(const struct topics *topics, const struct motion *arm, struct json *json)
{
    if (arm != topics->arms || !topics->message) {
        json_text(json, "\"\"");
        return;
    }
    json_text(json, "{\"args\":[");
    json_string(json, topics->message, strlen(topics->message));
    json_text(json, "],\"code\":0,\"level\":");
    json_string(json, topics->message_level, strlen(topics->message_level));
    json_text(json, ",\"source\":");
    json_string(json, topics->message_source, strlen(topics->message_source));
    json_text(json, ",\"timestamp\":");
    json_integer(json, topics->message_time);
    json_text(json, "}");
}

/* Where the arm would be in 50, 100 and 150 ms at its current speed; empty while it stands still. */
static void put_future_path(const struct topics *topics, const struct motion *arm, struct json *json)
{
    (void)topics;
    const struct armtap_state *state = arm->state;
    double speed = 0;
    for (size_t i = 0; i < ARM_JOINTS; i++)
        speed += number_abs(state->target_qd[i]);
    json_text(json, "[");
    for (int point = 1; point <= 3 && speed > 0; point++) {
        double q[ARM_JOINTS];
        for (size_t i = 0; i < ARM_JOINTS; i++)
            q[i] = number_round_to(state->target_q[i] + 0.05 * point * state->target_qd[i], 0x1p-10);
        if (point > 1)
            json_text(json, ",");
        json_numbers(json, q, ARM_JOINTS);
    }
    json_text(json, "]");
}

/* Mass, centre of gravity, its rotation, inertia. */
static void put_payload(const struct topics *topics, const struct motion *arm, struct json *json)
{
    (void)topics;
    static const double none[3] = {0, 0, 0};
    json_text(json, "[");
    json_number(json, arm->state->payload);
    json_text(json, ",");
    json_numbers(json, arm->state->payload_cog, 3);
    json_text(json, ",");
    json_numbers(json, none, 3);
    json_text(json, ",");
    json_numbers(json, arm->state->payload_inertia, 3);
    json_text(json, "]");
}

static void put_momentum(const struct topics *topics, const struct motion *arm, struct json *json)
{
    (void)topics;
    json_numbers(json, &arm->state->actual_momentum, 1);
}

static void put_force_scalar(const struct topics *topics, const struct motion *arm, struct json *json)
{
    (void)topics;
    json_numbers(json, &arm->state->tcp_force_scalar, 1);
}

static void put_inputs(const struct topics *topics, const struct motion *arm, struct json *json)
{
    (void)topics;
    json_integer(json, (int64_t)arm->state->actual_digital_input_bits);
}

static void put_outputs(const struct topics *topics, const struct motion *arm, struct json *json)
{
    (void)topics;
    json_integer(json, (int64_t)arm->state->actual_digital_output_bits);
}

static void put_simulated(const struct topics *topics, const struct motion *arm, struct json *json)
{
    (void)topics;
    (void)arm;
    json_text(json, "true");
}

static void put_null(const struct topics *topics, const struct motion *arm, struct json *json)
{
    (void)topics;
    (void)arm;
    json_text(json, "null");
}

static const struct topic common_topics[] = {
    {"runtime_state", put_runtime_state},
    {"line_number", put_line_number},
};

/* The vendor's list gives no type for those with null. */
static const struct topic arm_topics[] = {
    {"robot_mode", put_robot_mode},
    {"safety_mode", put_safety_mode},
    {"joint_mode", put_joint_mode},
    {"operationalModeSelectorInput", put_operational_mode},
    {"message", put_message},
    {"future_path_points", put_future_path},
    {"actual_payload", put_payload},
    {"actual_momentum", put_momentum},
    {"tcp_force_scalar", put_force_scalar},
    {"standard_digital_input_bits", put_inputs},
    {"standard_digital_output_bits", put_outputs},
    {"is_simulation_enabled", put_simulated},
    {"safety_status", put_null},
    {"robot_status_bits", put_null},
    {"safety_status_bits", put_null},
    {"actual_main_voltage", put_null},
    {"actual_robot_voltage", put_null},
    {"actual_robot_current", put_null},
    {"masterboard_temperature", put_null},
    {"tool_mode", put_null},
    {"tool_output_voltage", put_null},
    {"tool_output_current", put_null},
    {"tool_temperature", put_null},
    {"actual_tool_accelerometer", put_null},
    {"motion_progress", put_null},
};

static const struct topic *find_topic(const struct topic *topics, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(topics[i].name) == length && memcmp(topics[i].name, name, length) == 0)
            return &topics[i];
    return NULL;
}

/* ---- registers ------------------------------------------------------------------------------------------------- */

enum { KIND_INT, KIND_FLOAT, KIND_DOUBLE };

/* The number at the end of a name with that prefix, or -1. */
static int number_after(const char *prefix, const char *name, size_t length)
{
    size_t used = strlen(prefix);
    if (length <= used || length > used + 2 || memcmp(prefix, name, used) != 0)
        return -1;
    int number = 0;
    for (; used < length; used++) {
        if (!isdigit((unsigned char)name[used]))
            return -1;
        number = 10 * number + name[used] - '0';
    }
    return number < TOPICS_REGISTERS ? number : -1;
}

/* A register by name: its kind, or -1. */
static int find_register(const char *const prefixes[TOPICS_KINDS], const char *name, size_t length, int *number)
{
    for (int kind = 0; kind < TOPICS_KINDS; kind++) {
        *number = number_after(prefixes[kind], name, length);
        if (*number >= 0)
            return kind;
    }
    return -1;
}

bool topics_write(struct topics *topics, const char *name, size_t length, double value)
{
    static const char *const prefixes[] = {"input_int_registers_", "input_float_registers_", "input_double_registers_"};
    int number;
    int kind = find_register(prefixes, name, length, &number);
    if (kind < 0)
        return false;
    topics->registers[kind][number] = kind == KIND_FLOAT ? (double)(float)value : value;
    return true;
}

static void put_register(int kind, double value, struct json *json)
{
    if (kind == KIND_INT)
        json_integer(json, (int64_t)value);
    else
        json_number(json, kind == KIND_FLOAT ? (double)(float)value : value);
}

/* Of the controller's own registers, 0 holds the program's completed rounds, 1 its seconds, 2 their sine. */
static double output_register(const struct motion *arm, int number)
{
    if (number == 0)
        return arm->state->output_int_register[0];
    return number == 1 ? arm->program_time : number == 2 ? number_sin(arm->program_time) : 0;
}

static bool put_any_register(const struct topics *topics, const char *name, size_t length, struct json *json)
{
    static const char *const written[] = {"input_int_registers_r", "input_float_registers_r",
                                          "input_double_registers_r"};
    static const char *const own[] = {"output_int_registers_", "output_float_registers_", "output_double_registers_"};
    int number;
    int kind = find_register(written, name, length, &number);
    if (kind >= 0) {
        put_register(kind, topics->registers[kind][number], json);
        return true;
    }
    kind = find_register(own, name, length, &number);
    if (kind >= 0)
        put_register(kind, output_register(topics->arms, number), json);
    return kind >= 0;
}

/* ---- topics ---------------------------------------------------------------------------------------------------- */

/* Topics with the same name as UR's fields, sent as numbers. */
static void put_field(const struct motion *arm, const char *name, size_t length, struct json *json)
{
    const struct armtap_field *field = armtap_field_find(name, length);
    struct armtap_value value = {.present = false};
    if (field)
        armtap_state_get(arm->state, field, &value);
    if (!value.present || value.type != ARMTAP_DOUBLE)
        json_text(json, "null");
    else if (value.count == 1)
        json_number(json, value.f64[0]);
    else
        json_numbers(json, value.f64, value.count);
}

void topics_put(const struct topics *topics, const char *name, size_t length, struct json *json)
{
    const struct motion *arm = topics->arms;
    const struct topic *topic;
    if (length > 3 && name[0] == 'R' && isdigit((unsigned char)name[1]) && name[2] == '_') {
        size_t number = (size_t)(name[1] - '1');
        if (number >= topics->arm_count) {
            json_text(json, "null");
            return;
        }
        arm += number;
        name += 3;
        length -= 3;
        topic = find_topic(arm_topics, sizeof arm_topics / sizeof *arm_topics, name, length);
    } else {
        if (put_any_register(topics, name, length, json))
            return;
        topic = find_topic(common_topics, sizeof common_topics / sizeof *common_topics, name, length);
    }
    if (topic)
        topic->put(topics, arm, json);
    else
        put_field(arm, name, length, json);
}
