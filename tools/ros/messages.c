#include "ros.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { JOINTS = 6, PINS = 18 };

static const char *const joints[JOINTS] = {"shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint",
                                           "wrist_1_joint",      "wrist_2_joint",       "wrist_3_joint"};
static const char arm_frame[] = "base_link", base_frame[] = "base", tool_frame[] = "tool0_controller";

enum ros_input ros_input_of(const struct armtap_field *field)
{
    switch (field->id) {
#define INPUT(field)                                                                                                   \
    case ARMTAP_ID_##field:                                                                                            \
        return ROS_INPUT_##field;
#include "inputs.def"
    default:
        return ROS_INPUTS;
    }
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static const struct armtap_value *value_of(const struct ros_record *record, enum ros_input input)
{
    const struct armtap_value *value = &record->values[input];
    return value->present && value->field && value->count == value->field->count ? value : NULL;
}

static bool has(const struct ros_record *record, enum ros_input input)
{
    return value_of(record, input) != NULL;
}

/* An integer of any type; false if the record lacks it or it is not between these limits. */
static bool get_integer(const struct ros_record *record, enum ros_input input, int64_t low, int64_t high, int64_t *to)
{
    const struct armtap_value *value = value_of(record, input);
    if (!value || (!armtap_value_is_signed(value) && value->u64[0] > INT64_MAX))
        return false;
    *to = armtap_value_is_signed(value) ? value->i64[0] : (int64_t)value->u64[0];
    return *to >= low && *to <= high;
}

static const double *doubles_of(const struct ros_record *record, enum ros_input input)
{
    return record->values[input].f64;
}

static double double_of(const struct ros_record *record, enum ros_input input)
{
    return record->values[input].f64[0];
}

/* Whether the controller's numbers are UR's of today. */
static bool has_ur_modes(const struct ros_record *record)
{
    return record->generation != ARMTAP_GENERATION_CB2 && record->generation != ARMTAP_GENERATION_AUBO;
}

/* ---- poses as UR sends them: x, y, z in m, then a rotation vector, whose length is the angle in rad -------------- */

/* Shorter rotations are none, as in UR's driver. */
#define NO_ROTATION 1e-16

static double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void cross(const double a[3], const double b[3], double product[3])
{
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

/* The quaternion x, y, z, w of a pose. */
static void turn_as_quaternion(const double pose[6], double quaternion[4])
{
    const double *rotation = &pose[3];
    double angle = length_of(rotation), scale = angle <= NO_ROTATION ? 0 : sin(angle / 2) / angle;
    for (size_t i = 0; i < 3; i++)
        quaternion[i] = rotation[i] * scale;
    quaternion[3] = angle <= NO_ROTATION ? 1 : cos(angle / 2);
}

/* Rodrigues' formula; `sign` -1 turns back. */
static void turn(const double rotation[3], double sign, double v[3])
{
    double angle = length_of(rotation), axis[3], sideways[3], along = 0;
    if (angle <= NO_ROTATION)
        return;
    for (size_t i = 0; i < 3; i++) {
        axis[i] = rotation[i] / angle;
        along += axis[i] * v[i];
    }
    cross(axis, v, sideways);
    double cosine = cos(angle), sine = sign * sin(angle);
    for (size_t i = 0; i < 3; i++)
        v[i] = v[i] * cosine + sideways[i] * sine + axis[i] * along * (1 - cosine);
}

/* Turns a force and a torque from the axes of the base to those of the tool, as UR's driver does for CB3. */
static void wrench_at_tool(const double target[6], const double wrench[6], double turned[6])
{
    memcpy(turned, wrench, 6 * sizeof *turned);
    turn(&target[3], -1, &turned[0]);
    turn(&target[3], -1, &turned[3]);
}

/* The same for e-Series, where the torque refers to the flange: `offset` is the tool in the flange. */
static void wrench_from_flange(const double target[6], const double offset[6], const double wrench[6], double turned[6])
{
    double lever[3];
    wrench_at_tool(target, wrench, turned);
    /* From the tool's axes to the flange's, where the torque becomes one about the tool, and back. */
    turn(&offset[3], 1, &turned[0]);
    turn(&offset[3], 1, &turned[3]);
    cross(offset, turned, lever);
    for (size_t i = 0; i < 3; i++)
        turned[3 + i] -= lever[i];
    turn(&offset[3], -1, &turned[0]);
    turn(&offset[3], -1, &turned[3]);
}

/* ---- motion ------------------------------------------------------------------------------------------------------ */

static bool has_joints(const struct ros_record *record)
{
    return has(record, ROS_INPUT_actual_q) || has(record, ROS_INPUT_actual_qd) || has(record, ROS_INPUT_actual_current);
}

static void put_sequence(const struct ros_record *record, enum ros_input input, const struct cdr *cdr)
{
    size_t count = has(record, input) ? JOINTS : 0;
    cdr_count(cdr, count);
    cdr_f64s(cdr, doubles_of(record, input), count);
}

static void put_joints(const struct ros_record *record, const struct cdr *cdr)
{
    cdr_header(cdr, record->time, arm_frame);
    cdr_count(cdr, JOINTS);
    for (size_t i = 0; i < JOINTS; i++)
        cdr_string(cdr, joints[i]);
    put_sequence(record, ROS_INPUT_actual_q, cdr);
    put_sequence(record, ROS_INPUT_actual_qd, cdr);
    put_sequence(record, ROS_INPUT_actual_current, cdr);
}

static bool has_pose(const struct ros_record *record)
{
    return has(record, ROS_INPUT_actual_TCP_pose);
}

static void put_place(const struct ros_record *record, const struct cdr *cdr)
{
    const double *pose = doubles_of(record, ROS_INPUT_actual_TCP_pose);
    double quaternion[4];
    turn_as_quaternion(pose, quaternion);
    cdr_f64s(cdr, pose, 3);
    cdr_f64s(cdr, quaternion, 4);
}

static void put_pose(const struct ros_record *record, const struct cdr *cdr)
{
    cdr_header(cdr, record->time, base_frame);
    put_place(record, cdr);
}

static void put_transform(const struct ros_record *record, const struct cdr *cdr)
{
    cdr_count(cdr, 1);
    cdr_header(cdr, record->time, base_frame);
    cdr_string(cdr, tool_frame);
    put_place(record, cdr);
}

static bool has_twist(const struct ros_record *record)
{
    return has(record, ROS_INPUT_actual_TCP_speed);
}

static void put_twist(const struct ros_record *record, const struct cdr *cdr)
{
    cdr_header(cdr, record->time, base_frame);
    cdr_f64s(cdr, doubles_of(record, ROS_INPUT_actual_TCP_speed), 6);
}

/* ---- force ------------------------------------------------------------------------------------------------------- */

enum { E_SERIES = 5, CB3 = 3 };

/* Legacy packets shorter than this are of controllers before 3.5. */
#define CB3_SIZE 1108

/* Asked for each row, of a text of one digit: strtoul takes ten times as long. */
static unsigned major_version(const char *version)
{
    unsigned major = 0;
    for (; *version >= '0' && *version <= '9'; version++)
        major = major < UINT_MAX / 10 ? 10 * major + (unsigned)(*version - '0') : UINT_MAX;
    return major;
}

unsigned ros_release(const struct armtap_stream *stream)
{
    if (stream->protocol != ARMTAP_REALTIME && stream->protocol != ARMTAP_RTDE)
        return 0;
    unsigned major = major_version(stream->controller_version);
    if (major > 0)
        return major;
    return stream->generation == ARMTAP_GENERATION_CB3E && stream->protocol == ARMTAP_REALTIME &&
                   stream->version < CB3_SIZE
               ? CB3
               : 0;
}

#define RAW_WRENCH "force and torque are in the axes of the base, as the robot sends them, not of the tool: "

/* Why the force cannot be turned to the tool's axes; NULL: it can. */
static const char *why_raw(const struct ros_record *record)
{
    if (record->generation == ARMTAP_GENERATION_AUBO)
        return "force and torque are as the robot sends them, not rotated to the tool: AUBO's axes are not known";
    if (!has(record, ROS_INPUT_target_TCP_pose))
        return RAW_WRENCH "target_TCP_pose is not recorded";
    if (record->release == 0)
        return RAW_WRENCH "whether the controller is CB3 or e-Series is not recorded";
    if (record->release >= E_SERIES && !has(record, ROS_INPUT_tcp_offset))
        return RAW_WRENCH "tcp_offset is not recorded";
    return NULL;
}

static bool has_wrench(const struct ros_record *record)
{
    return has(record, ROS_INPUT_actual_TCP_force);
}

const char *ros_remark(const struct ros_record *record)
{
    return has_wrench(record) ? why_raw(record) : NULL;
}

static void put_wrench(const struct ros_record *record, const struct cdr *cdr)
{
    const double *wrench = doubles_of(record, ROS_INPUT_actual_TCP_force);
    double turned[6];
    bool is_raw = why_raw(record) != NULL;
    cdr_header(cdr, record->time, is_raw ? base_frame : tool_frame);
    if (is_raw)
        memcpy(turned, wrench, sizeof turned);
    else if (record->release < E_SERIES)
        wrench_at_tool(doubles_of(record, ROS_INPUT_target_TCP_pose), wrench, turned);
    else
        wrench_from_flange(doubles_of(record, ROS_INPUT_target_TCP_pose), doubles_of(record, ROS_INPUT_tcp_offset),
                           wrench, turned);
    cdr_f64s(cdr, turned, 6);
}

/* ---- inputs, outputs, modes -------------------------------------------------------------------------------------- */

enum { PORTS = 2 }; /* analog ones each way, and of the tool */

static const enum ros_input analog_in[PORTS] = {ROS_INPUT_standard_analog_input0, ROS_INPUT_standard_analog_input1};
static const enum ros_input analog_out[PORTS] = {ROS_INPUT_standard_analog_output0, ROS_INPUT_standard_analog_output1};

/* Without their types nobody knows whether values are mA or V. */
static size_t analog_count(const struct ros_record *record, const enum ros_input inputs[PORTS])
{
    return has(record, ROS_INPUT_analog_io_types) ? (size_t)has(record, inputs[0]) + has(record, inputs[1]) : 0;
}

static bool has_io(const struct ros_record *record)
{
    return record->generation != ARMTAP_GENERATION_AUBO &&
           (has(record, ROS_INPUT_actual_digital_input_bits) || has(record, ROS_INPUT_actual_digital_output_bits) ||
            analog_count(record, analog_in) + analog_count(record, analog_out) > 0);
}

static void put_pins(const struct ros_record *record, enum ros_input input, const struct cdr *cdr)
{
    const struct armtap_value *bits = value_of(record, input);
    cdr_count(cdr, bits ? PINS : 0);
    char *at = bits ? cdr_room(cdr, 1, (size_t)2 * PINS) : NULL;
    for (unsigned i = 0; at && i < PINS; i++) {
        at[2 * i] = (char)i;
        at[2 * i + 1] = (char)(bits->u64[0] >> i & 1);
    }
}

static void put_analog(const struct ros_record *record, const enum ros_input inputs[PORTS], unsigned first_bit,
                       const struct cdr *cdr)
{
    size_t count = analog_count(record, inputs);
    cdr_count(cdr, count);
    for (unsigned i = 0; count > 0 && i < PORTS; i++) {
        if (!has(record, inputs[i]))
            continue;
        cdr_u8(cdr, (uint8_t)i);
        cdr_u8(cdr, record->values[ROS_INPUT_analog_io_types].u64[0] >> (first_bit + i) & 1);
        cdr_f32(cdr, (float)double_of(record, inputs[i]));
    }
}

static void put_io(const struct ros_record *record, const struct cdr *cdr)
{
    put_pins(record, ROS_INPUT_actual_digital_input_bits, cdr);
    put_pins(record, ROS_INPUT_actual_digital_output_bits, cdr);
    cdr_count(cdr, 0); /* flags, which UR does not send */
    put_analog(record, analog_in, 0, cdr);
    put_analog(record, analog_out, PORTS, cdr);
}

static bool has_tool_data(const struct ros_record *record)
{
    int64_t mode, volts;
    return has_ur_modes(record) && get_integer(record, ROS_INPUT_tool_mode, 0, UINT8_MAX, &mode) &&
           get_integer(record, ROS_INPUT_tool_output_voltage, 0, UINT8_MAX, &volts) &&
           has(record, ROS_INPUT_tool_analog_input_types) && has(record, ROS_INPUT_tool_analog_input0) &&
           has(record, ROS_INPUT_tool_analog_input1) && has(record, ROS_INPUT_tool_output_current) &&
           has(record, ROS_INPUT_tool_temperature);
}

static void put_tool_data(const struct ros_record *record, const struct cdr *cdr)
{
    uint64_t types = record->values[ROS_INPUT_tool_analog_input_types].u64[0];
    cdr_i8(cdr, types & 1);
    cdr_i8(cdr, types >> 1 & 1);
    cdr_f64(cdr, double_of(record, ROS_INPUT_tool_analog_input0));
    cdr_f64(cdr, double_of(record, ROS_INPUT_tool_analog_input1));
    cdr_f32(cdr, NAN); /* tool_voltage_48v: no recipe has it */
    cdr_u8(cdr, (uint8_t)record->values[ROS_INPUT_tool_output_voltage].i64[0]);
    cdr_f32(cdr, (float)double_of(record, ROS_INPUT_tool_output_current));
    cdr_f32(cdr, (float)double_of(record, ROS_INPUT_tool_temperature));
    cdr_u8(cdr, (uint8_t)record->values[ROS_INPUT_tool_mode].u64[0]);
}

static bool has_robot_mode(const struct ros_record *record)
{
    int64_t mode;
    return has_ur_modes(record) && get_integer(record, ROS_INPUT_robot_mode, INT8_MIN, INT8_MAX, &mode);
}

static void put_robot_mode(const struct ros_record *record, const struct cdr *cdr)
{
    cdr_i8(cdr, (int8_t)record->values[ROS_INPUT_robot_mode].i64[0]);
}

static bool has_safety_mode(const struct ros_record *record)
{
    int64_t mode;
    return has_ur_modes(record) && get_integer(record, ROS_INPUT_safety_mode, 0, UINT8_MAX, &mode);
}

static void put_safety_mode(const struct ros_record *record, const struct cdr *cdr)
{
    cdr_u8(cdr, (uint8_t)record->values[ROS_INPUT_safety_mode].i64[0]);
}

static bool has_program(const struct ros_record *record)
{
    return has_ur_modes(record) && has(record, ROS_INPUT_runtime_state);
}

static void put_program(const struct ros_record *record, const struct cdr *cdr)
{
    enum { PLAYING = 2 };
    cdr_bool(cdr, record->values[ROS_INPUT_runtime_state].u64[0] == PLAYING);
}

static bool has_scaling(const struct ros_record *record)
{
    return has(record, ROS_INPUT_speed_scaling);
}

static void put_scaling(const struct ros_record *record, const struct cdr *cdr)
{
    double slider =
        has(record, ROS_INPUT_target_speed_fraction) ? double_of(record, ROS_INPUT_target_speed_fraction) : 1;
    cdr_f64(cdr, double_of(record, ROS_INPUT_speed_scaling) * slider * 100);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static const struct {
    enum ros_topic_id topic;
    bool (*has)(const struct ros_record *record);
    void (*put)(const struct ros_record *record, const struct cdr *cdr);
} messages[] = {
    {ROS_TOPIC_joint_states, has_joints, put_joints},
    {ROS_TOPIC_pose, has_pose, put_pose},
    {ROS_TOPIC_tf, has_pose, put_transform},
    {ROS_TOPIC_wrench, has_wrench, put_wrench},
    {ROS_TOPIC_twist, has_twist, put_twist},
    {ROS_TOPIC_io_states, has_io, put_io},
    {ROS_TOPIC_tool_data, has_tool_data, put_tool_data},
    {ROS_TOPIC_robot_mode, has_robot_mode, put_robot_mode},
    {ROS_TOPIC_safety_mode, has_safety_mode, put_safety_mode},
    {ROS_TOPIC_program_running, has_program, put_program},
    {ROS_TOPIC_speed_scaling, has_scaling, put_scaling},
};

void ros_publish(const struct ros_record *record, const struct ros_out *out)
{
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        if (!messages[i].has(record))
            continue;
        out->begin(out->user, messages[i].topic);
        const struct cdr cdr = cdr_begin(out->bytes);
        messages[i].put(record, &cdr);
        out->end(out->user);
    }
}

void ros_publish_log(const struct ros_log *log, const struct ros_out *out)
{
    out->begin(out->user, ROS_TOPIC_rosout);
    const struct cdr cdr = cdr_begin(out->bytes);
    cdr_time(&cdr, log->time);
    cdr_u8(&cdr, (uint8_t)log->level);
    cdr_foreign_text(&cdr, log->name, strlen(log->name));
    cdr_foreign_text(&cdr, log->text, log->text_length);
    cdr_foreign_text(&cdr, log->file, strlen(log->file));
    cdr_foreign_text(&cdr, log->function, log->function_length);
    cdr_u32(&cdr, log->line > UINT32_MAX ? UINT32_MAX : (uint32_t)log->line);
    out->end(out->user);
}

enum ros_level ros_level_of_severity(enum armtap_severity severity)
{
    switch (severity) {
    case ARMTAP_ERROR:
        return ROS_ERROR;
    case ARMTAP_WARNING:
        return ROS_WARNING;
    default:
        return ROS_INFO;
    }
}
