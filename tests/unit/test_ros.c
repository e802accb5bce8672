/* Messages of ROS 2, byte by byte. What is expected comes from other programs: see each part. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ros/ros.h"

/* ---- CDR --------------------------------------------------------------------------------------------------------- */

/* Made by @foxglove/rosmsg2-serialization: a JointState with stamp 1.000000002, frame "", names a and bcd, positions
 * 1.5 and -2, no velocities, efforts 3 and 4. It begins at an odd place of the buffer, which must not matter. */
static void joint_state(void **state)
{
    static const double positions[] = {1.5, -2}, efforts[] = {3, 4};
    struct buffer out = {0};
    (void)state;
    buffer_string(&out, "abc");
    struct cdr cdr = cdr_begin(&out);
    cdr_i32(&cdr, 1);
    cdr_u32(&cdr, 2);
    cdr_string(&cdr, "");
    cdr_count(&cdr, 2);
    cdr_string(&cdr, "a");
    cdr_text(&cdr, "bcdef", 3);
    cdr_count(&cdr, 2);
    cdr_f64s(&cdr, positions, 2);
    cdr_count(&cdr, 0);
    cdr_f64s(&cdr, NULL, 0);
    cdr_count(&cdr, 2);
    cdr_f64s(&cdr, efforts, 2);
    expect_hex(out.data, out.length,
               "616263"
               "0001000001000000020000000100000000000000020000000200000061000000040000006263640002000000"
               "000000000000f83f00000000000000c0000000000200000000000000000008400000000000001040");
    free(out.data);
}

/* Made by the same: IOStates with input 3 on, nothing else but analog input 1 at 1.5 V. */
static void io_states(void **state)
{
    struct buffer out = {0};
    (void)state;
    struct cdr cdr = cdr_begin(&out);
    cdr_count(&cdr, 1);
    cdr_u8(&cdr, 3);
    cdr_bool(&cdr, true);
    cdr_count(&cdr, 0);
    cdr_count(&cdr, 0);
    cdr_count(&cdr, 1);
    cdr_u8(&cdr, 1);
    cdr_u8(&cdr, 1);
    cdr_f32(&cdr, 1.5f);
    cdr_count(&cdr, 0);
    expect_hex(out.data, out.length, "000100000100000003010000000000000000000001000000010100000000c03f00000000");
    free(out.data);
}

/* The rest, worked out by hand: 8-byte numbers are aligned to 8, bytes not at all. */
static void numbers(void **state)
{
    struct buffer out = {0};
    (void)state;
    struct cdr cdr = cdr_begin(&out);
    cdr_i8(&cdr, -2);
    cdr_u64(&cdr, 0x0102030405060708);
    cdr_bool(&cdr, false);
    cdr_i32(&cdr, -2);
    cdr_i64(&cdr, -3);
    cdr_bytes(&cdr, "\1\2\3", 3);
    cdr_f64(&cdr, 0.5);
    expect_hex(out.data, out.length,
               "00010000 fe 00000000000000 0807060504030201 00 000000 feffffff fdffffffffffffff"
               "03000000 010203 00 000000000000e03f");
    free(out.data);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/* What is expected was worked out by a program in Python: layouts by its struct module, rotations by the series of the
 * matrix exponential and products of 4 x 4 matrices. */

#define TIME (INT64_C(1700000000) * 1000000000 + 5)

/* A record, and the last message on each topic. */
struct scene {
    struct armtap_value values[ROS_INPUTS];
    struct ros_record record;
    struct buffer bytes;
    struct ros_out out;
    enum ros_topic_id topic;
    size_t begin;
    struct {
        size_t at, length;
    } found[ROS_TOPICS];
    unsigned count;
};

static void begin(void *user, enum ros_topic_id topic)
{
    struct scene *scene = user;
    scene->topic = topic;
    scene->begin = scene->bytes.length;
}

static void end(void *user)
{
    struct scene *scene = user;
    assert_int_equal(scene->found[scene->topic].length, 0);
    scene->found[scene->topic].at = scene->begin;
    scene->found[scene->topic].length = scene->bytes.length - scene->begin;
    scene->count++;
}

static void scene_open(struct scene *scene)
{
    memset(scene, 0, sizeof *scene);
    scene->record = (struct ros_record){.time = TIME, .generation = ARMTAP_GENERATION_CB3E, .values = scene->values};
    scene->out = (struct ros_out){.bytes = &scene->bytes, .begin = begin, .end = end, .user = scene};
}

static struct armtap_value *put(struct scene *scene, const char *name)
{
    const struct armtap_field *field = field_named(name);
    struct armtap_value *value = &scene->values[ros_input_of(field)];
    assert_in_range(ros_input_of(field), 0, ROS_INPUTS - 1);
    *value = (struct armtap_value){
        .name = name, .field = field, .type = field->type, .count = field->count, .present = true};
    return value;
}

static void put_doubles(struct scene *scene, const char *name, const double numbers[6])
{
    memcpy(put(scene, name)->f64, numbers, 6 * sizeof *numbers);
}

static void publish(struct scene *scene)
{
    scene->bytes.length = 0;
    scene->count = 0;
    memset(scene->found, 0, sizeof scene->found);
    ros_publish(&scene->record, &scene->out);
    assert_false(scene->bytes.failed);
}

static void expect_message(const struct scene *scene, enum ros_topic_id topic, const char *hex)
{
    struct buffer message = {.data = scene->bytes.data + scene->found[topic].at, .length = scene->found[topic].length};
    expect_hex(message.data, message.length, hex);
}

static double little_double(const char *at)
{
    uint64_t bits = 0;
    double number;
    for (int i = 7; i >= 0; i--)
        bits = bits << 8 | (unsigned char)at[i];
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* The message begins as in hex, and ends with these numbers. */
static void expect_numbers(const struct scene *scene, enum ros_topic_id topic, const char *hex, const double *numbers,
                           size_t count)
{
    const char *at = scene->bytes.data + scene->found[topic].at;
    struct buffer head = {.data = (char *)(uintptr_t)at, .length = scene->found[topic].length - count * 8};
    expect_hex(head.data, head.length, hex);
    for (size_t i = 0; i < count; i++)
        assert_true(fabs(little_double(at + head.length + 8 * i) - numbers[i]) < 1e-14 * (1 + fabs(numbers[i])));
}

static void motion(void **state)
{
    static const double q[] = {0, -1.5, 2, 0.25, -0.5, 3}, current[] = {1, 2, 3, 4, 5, 6};
    static const double pose[] = {0.1, -0.2, 0.3, 0.4, -1.2, 0.8};
    static const double quaternion[] = {0.18184908503862837, -0.545547255115885, 0.3636981700772567,
                                        0.7328251795541636};
    struct scene scene;
    (void)state;
    scene_open(&scene);
    put_doubles(&scene, "actual_q", q);
    put_doubles(&scene, "actual_current", current);
    put_doubles(&scene, "actual_TCP_pose", pose);
    put_doubles(&scene, "actual_TCP_speed", current);
    publish(&scene);
    assert_int_equal(scene.count, 4);
    expect_message(&scene, ROS_TOPIC_joint_states,
                   "0001000000f15365050000000a000000626173655f6c696e6b000000060000001300000073686f756c6465725f70"
                   "616e5f6a6f696e7400001400000073686f756c6465725f6c6966745f6a6f696e74000c000000656c626f775f6a6f"
                   "696e74000e00000077726973745f315f6a6f696e740000000e00000077726973745f325f6a6f696e740000000e00"
                   "000077726973745f335f6a6f696e7400000006000000000000000000000000000000000000000000f8bf00000000"
                   "00000040000000000000d03f000000000000e0bf00000000000008400000000006000000000000000000f03f0000"
                   "0000000000400000000000000840000000000000104000000000000014400000000000001840");
    expect_numbers(&scene, ROS_TOPIC_pose,
                   "0001000000f1536505000000050000006261736500000000000000009a9999999999b93f9a9999999999c9bf3333"
                   "33333333d33f",
                   quaternion, 4);
    expect_numbers(&scene, ROS_TOPIC_tf,
                   "000100000100000000f153650500000005000000626173650000000011000000746f6f6c305f636f6e74726f6c6c"
                   "6572000000009a9999999999b93f9a9999999999c9bf333333333333d33f",
                   quaternion, 4);
    scene.record.time = INT64_C(3000000007);
    publish(&scene);
    expect_message(&scene, ROS_TOPIC_twist,
                   "00010000030000000700000005000000626173650000000000000000000000000000f03f00000000000000400000"
                   "000000000840000000000000104000000000000014400000000000001840");
    free(scene.bytes.data);
}

static void take_quaternion(const struct scene *scene, double quaternion[4])
{
    const char *end = scene->bytes.data + scene->found[ROS_TOPIC_pose].length;
    for (size_t i = 0; i < 4; i++)
        quaternion[i] = little_double(end - 32 + 8 * i);
}

/* A rotation too short to have a direction is none, and what is not a number stays so. */
static void no_rotation(void **state)
{
    static const double tiny[] = {1, 2, 3, 1e-17, 0, 0}, odd[] = {1, 2, 3, NAN, 0, 0},
                        half[] = {0, 0, 0, 0, 0, 3.141592653589793};
    double quaternion[4];
    struct scene scene;
    (void)state;
    scene_open(&scene);
    put_doubles(&scene, "actual_TCP_pose", tiny);
    publish(&scene);
    take_quaternion(&scene, quaternion);
    assert_true(quaternion[0] == 0 && quaternion[1] == 0 && quaternion[2] == 0 && quaternion[3] == 1);
    put_doubles(&scene, "actual_TCP_pose", odd);
    publish(&scene);
    take_quaternion(&scene, quaternion);
    assert_true(isnan(quaternion[0]) && isnan(quaternion[3]));
    put_doubles(&scene, "actual_TCP_pose", half);
    publish(&scene);
    take_quaternion(&scene, quaternion);
    assert_true(quaternion[0] == 0 && quaternion[1] == 0 && quaternion[2] == 1 && fabs(quaternion[3]) < 1e-15);
    free(scene.bytes.data);
}

/* "base" or "tool0_controller" behind the stamp. */
#define RAW "0001000000f15365050000000500000062617365 00000000 00000000"
#define AT_TOOL "0001000000f153650500000011000000746f6f6c305f636f6e74726f6c6c657200000000"

static void wrench(void **state)
{
    static const double target[] = {0.5, 0.1, -0.3, 1.1, -0.7, 2.0}, offset[] = {0.02, -0.05, 0.15, 0.3, 0.9, -0.4};
    static const double raw[] = {10, -20, 30, 1, -2, 0.5};
    static const double e_series[] = {15.62222854953017,   0.2584258743556471, 33.99822335378288,
                                      0.18514930539692553, -4.986835264520082, 1.8646939823621609};
    static const double cb3[] = {15.622228549530174,  0.2584258743556527, 33.99822335378288,
                                 -0.6078312841030101, 0.2988152539061997, 2.188892545123825};
    struct scene scene;
    (void)state;
    scene_open(&scene);
    scene.record.release = 5;
    assert_null(ros_remark(&scene.record));
    put_doubles(&scene, "actual_TCP_force", raw);
    publish(&scene);
    expect_numbers(&scene, ROS_TOPIC_wrench, RAW, raw, 6);
    assert_non_null(strstr(ros_remark(&scene.record), "target_TCP_pose is not recorded"));
    put_doubles(&scene, "target_TCP_pose", target);
    publish(&scene);
    expect_numbers(&scene, ROS_TOPIC_wrench, RAW, raw, 6);
    assert_non_null(strstr(ros_remark(&scene.record), "tcp_offset is not recorded"));
    put_doubles(&scene, "tcp_offset", offset);
    publish(&scene);
    expect_numbers(&scene, ROS_TOPIC_wrench, AT_TOOL, e_series, 6);
    assert_null(ros_remark(&scene.record));
    scene.record.release = 10;
    publish(&scene);
    expect_numbers(&scene, ROS_TOPIC_wrench, AT_TOOL, e_series, 6);
    scene.record.release = 3;
    publish(&scene);
    expect_numbers(&scene, ROS_TOPIC_wrench, AT_TOOL, cb3, 6);
    scene.record.release = 0;
    publish(&scene);
    expect_numbers(&scene, ROS_TOPIC_wrench, RAW, raw, 6);
    assert_non_null(strstr(ros_remark(&scene.record), "CB3 or e-Series"));
    scene.record.generation = ARMTAP_GENERATION_AUBO;
    publish(&scene);
    expect_numbers(&scene, ROS_TOPIC_wrench, RAW, raw, 6);
    assert_non_null(strstr(ros_remark(&scene.record), "AUBO"));
    free(scene.bytes.data);
}

static void releases(void **state)
{
    static const struct {
        enum armtap_protocol protocol;
        enum armtap_generation generation;
        int version;
        const char *controller;
        unsigned release;
    } cases[] = {
        {ARMTAP_RTDE, ARMTAP_GENERATION_CB3E, 2, "5.11.1.108", 5},
        {ARMTAP_RTDE, ARMTAP_GENERATION_CB3E, 2, "10.7.0", 10},
        {ARMTAP_RTDE, ARMTAP_GENERATION_CB3E, 2, "3.15.4", 3},
        {ARMTAP_RTDE, ARMTAP_GENERATION_CB3E, 2, "", 0},
        {ARMTAP_REALTIME, ARMTAP_GENERATION_CB2, 812, "", 0},
        {ARMTAP_REALTIME, ARMTAP_GENERATION_CB3E, 1044, "", 3},
        {ARMTAP_REALTIME, ARMTAP_GENERATION_CB3E, 1060, "", 3},
        {ARMTAP_REALTIME, ARMTAP_GENERATION_CB3E, 1108, "", 0},
        {ARMTAP_REALTIME, ARMTAP_GENERATION_CB3E, 1220, "", 0},
        {ARMTAP_AUBO, ARMTAP_GENERATION_AUBO, 0, "0.25.0", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct armtap_stream stream = {
            .protocol = cases[i].protocol, .generation = cases[i].generation, .version = cases[i].version};
        memcpy(stream.controller_version, cases[i].controller, strlen(cases[i].controller) + 1);
        assert_int_equal(ros_release(&stream), cases[i].release);
    }
}

static void io(void **state)
{
    struct scene scene;
    (void)state;
    scene_open(&scene);
    put(&scene, "standard_analog_input1")->f64[0] = 2.5;
    put(&scene, "standard_analog_output0")->f64[0] = 4.25;
    put(&scene, "standard_analog_output1")->f64[0] = 10;
    publish(&scene);
    assert_int_equal(scene.count, 0); /* mA or V? */
    put(&scene, "analog_io_types")->u64[0] = 0xa;
    put(&scene, "actual_digital_input_bits")->u64[0] = 0x2000a;
    publish(&scene);
    assert_int_equal(scene.count, 1);
    expect_message(&scene, ROS_TOPIC_io_states,
                   "000100001200000000000101020003010400050006000700080009000a000b000c000d000e000f00100011010000"
                   "0000000000000100000001010000000020400200000000000000000088400101000000002041");
    scene.record.generation = ARMTAP_GENERATION_AUBO;
    publish(&scene);
    assert_int_equal(scene.count, 0);
    free(scene.bytes.data);
}

static void tool_data(void **state)
{
    static const char *const floats[] = {"tool_analog_input0", "tool_analog_input1", "tool_output_current",
                                         "tool_temperature"};
    static const double numbers[] = {1.25, -3, 600.5, 36.25};
    struct scene scene;
    (void)state;
    scene_open(&scene);
    for (size_t i = 0; i < 4; i++)
        put(&scene, floats[i])->f64[0] = numbers[i];
    put(&scene, "tool_analog_input_types")->u64[0] = 2;
    put(&scene, "tool_output_voltage")->i64[0] = 24;
    publish(&scene);
    assert_int_equal(scene.count, 0);
    put(&scene, "tool_mode")->u64[0] = 253;
    publish(&scene);
    assert_int_equal(scene.count, 1);
    expect_message(&scene, ROS_TOPIC_tool_data,
                   "000100000001000000000000000000000000f43f00000000000008c00000c07f180000000020164400001142fd");
    scene.values[ROS_INPUT_tool_output_voltage].i64[0] = 256;
    publish(&scene);
    assert_int_equal(scene.count, 0);
    free(scene.bytes.data);
}

static void modes(void **state)
{
    struct scene scene;
    (void)state;
    scene_open(&scene);
    put(&scene, "robot_mode")->i64[0] = -1;
    put(&scene, "safety_mode")->i64[0] = 13;
    put(&scene, "runtime_state")->u64[0] = 2;
    publish(&scene);
    assert_int_equal(scene.count, 3);
    expect_message(&scene, ROS_TOPIC_robot_mode, "00010000ff");
    expect_message(&scene, ROS_TOPIC_safety_mode, "000100000d");
    expect_message(&scene, ROS_TOPIC_program_running, "0001000001");
    scene.values[ROS_INPUT_runtime_state].u64[0] = 3;
    scene.values[ROS_INPUT_robot_mode].i64[0] = 128;
    scene.values[ROS_INPUT_safety_mode].present = false;
    publish(&scene);
    assert_int_equal(scene.count, 1);
    expect_message(&scene, ROS_TOPIC_program_running, "0001000000");
    /* CB2's robot mode 0 is RUNNING, AUBO's 7 something else. */
    scene.values[ROS_INPUT_robot_mode].i64[0] = 0;
    scene.record.generation = ARMTAP_GENERATION_CB2;
    publish(&scene);
    assert_int_equal(scene.count, 0);
    scene.record.generation = ARMTAP_GENERATION_AUBO;
    publish(&scene);
    assert_int_equal(scene.count, 0);
    for (int i = 0; i < ROS_TOPICS; i++)
        assert_int_equal(ros_topic((enum ros_topic_id)i)->is_on_change,
                         i == ROS_TOPIC_robot_mode || i == ROS_TOPIC_safety_mode || i == ROS_TOPIC_program_running);
    free(scene.bytes.data);
}

static void scaling(void **state)
{
    struct scene scene;
    (void)state;
    scene_open(&scene);
    put(&scene, "target_speed_fraction")->f64[0] = 0.4;
    publish(&scene);
    assert_int_equal(scene.count, 0);
    put(&scene, "speed_scaling")->f64[0] = 0.5;
    publish(&scene);
    expect_message(&scene, ROS_TOPIC_speed_scaling, "000100000000000000003440");
    scene.values[ROS_INPUT_target_speed_fraction].present = false;
    publish(&scene);
    expect_message(&scene, ROS_TOPIC_speed_scaling, "000100000000000000004940"); /* 50 */
    /* A value that is not of the field's type, as AUBO may send it. */
    scene.values[ROS_INPUT_speed_scaling].field = NULL;
    publish(&scene);
    assert_int_equal(scene.count, 0);
    free(scene.bytes.data);
}

/* Times beyond what a message can hold, and texts that no reader should get as they are. */
static void log_message(void **state)
{
    const struct ros_log log = {.time = INT64_MAX,
                                .level = ros_level_of_severity(ARMTAP_WARNING),
                                .name = "10.0.0.2:30004",
                                .text = "a\xff\0b",
                                .text_length = 4,
                                .file = "x.pcap",
                                .function = "rtde.text",
                                .function_length = 4,
                                .line = UINT64_MAX};
    struct scene scene;
    (void)state;
    scene_open(&scene);
    ros_publish_log(&log, &scene.out);
    expect_message(&scene, ROS_TOPIC_rosout,
                   "00010000ffffff7fffc99a3b1e0000000f00000031302e302e302e323a333030303400000b000000615c7866665c"
                   "78303062000007000000782e706361700000050000007274646500000000ffffffff");
    free(scene.bytes.data);
}

/* ---- definitions ------------------------------------------------------------------------------------------------- */

#define LINE "================================================================================\n"

static void definition(void **state)
{
    static const char pose[] =
        "std_msgs/Header header\nPose pose\n" LINE
        "MSG: geometry_msgs/Pose\nPoint position\nQuaternion orientation\n" LINE
        "MSG: geometry_msgs/Quaternion\nfloat64 x 0\nfloat64 y 0\nfloat64 z 0\nfloat64 w 1\n" LINE
        "MSG: geometry_msgs/Point\nfloat64 x\nfloat64 y\nfloat64 z\n" LINE
        "MSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n" LINE
        "MSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n";
    static const char own[] = "std_msgs/Header header\nfloat64[6] actual_q\n";
    static const char named[] = LINE "MSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n" LINE
                                     "MSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n";
    struct buffer out = {0};
    (void)state;
    ros_type_name(ros_topic(ROS_TOPIC_pose), &out);
    ros_type_text(ros_topic(ROS_TOPIC_pose), &out);
    buffer_char(&out, '\0');
    assert_memory_equal(out.data, "geometry_msgs/msg/PoseStamped", strlen("geometry_msgs/msg/PoseStamped"));
    assert_string_equal(out.data + strlen("geometry_msgs/msg/PoseStamped"), pose);
    out.length = 0;
    ros_definition(own, sizeof own - 1, &out);
    buffer_char(&out, '\0');
    assert_memory_equal(out.data, own, sizeof own - 1);
    assert_string_equal(out.data + sizeof own - 1, named);
    free(out.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joint_state), cmocka_unit_test(io_states),   cmocka_unit_test(numbers),
        cmocka_unit_test(motion),      cmocka_unit_test(no_rotation), cmocka_unit_test(wrench),
        cmocka_unit_test(releases),    cmocka_unit_test(io),          cmocka_unit_test(tool_data),
        cmocka_unit_test(modes),       cmocka_unit_test(scaling),     cmocka_unit_test(log_message),
        cmocka_unit_test(definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
