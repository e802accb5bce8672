/* One case for each id, and more for ids with several causes. */
#include "cases.h"

#include <string.h>

#include "arm.h"
#include "nanoseconds.h"

#define CLOCK_AND_JOINTS "timestamp,actual_q"
#define MODES "timestamp,actual_q,actual_current,actual_TCP_force,robot_mode,safety_status,runtime_state"

static void expect_last(struct play *play, const char *id, enum armtap_direction sender)
{
    play_expect(play, id, play_last(play, sender));
}

/* ---- RTDE ------------------------------------------------------------------------------------------------------ */

static void start_refused(struct play *play)
{
    play_connect(play, 30004);
    play_greet(play, 5);
    play_ask(play, (struct armtap_rtde_package){.type = ARMTAP_RTDE_START});
    play_reply(play, (struct armtap_rtde_package){.type = ARMTAP_RTDE_START, .accepted = 0});
    expect_last(play, "rtde.start.refused", ARMTAP_FROM_ROBOT);
}

static void version_refused(struct play *play)
{
    play_connect(play, 30004);
    play_ask(play, (struct armtap_rtde_package){.type = ARMTAP_RTDE_VERSION, .version = 3});
    play_reply(play, (struct armtap_rtde_package){.type = ARMTAP_RTDE_VERSION, .accepted = 0});
    expect_last(play, "rtde.version.refused", ARMTAP_FROM_ROBOT);
}

static void field_not_found(struct play *play)
{
    play_connect(play, 30004);
    play_greet(play, 5);
    play_set_up(play, 125, "timestamp,actual_qdd,target_q", "DOUBLE,NOT_FOUND,VECTOR6D");
    expect_last(play, "rtde.field.not-found", ARMTAP_FROM_ROBOT);
}

static void field_in_use(struct play *play)
{
    const char *names = "input_int_register_0", *types = "IN_USE";
    play_connect(play, 30004);
    play_greet(play, 5);
    play_ask(play, (struct armtap_rtde_package){
                       .type = ARMTAP_RTDE_SETUP_INPUTS, .names = names, .names_length = strlen(names)});
    play_reply(play,
               (struct armtap_rtde_package){
                   .type = ARMTAP_RTDE_SETUP_INPUTS, .has_id = true, .types = types, .types_length = strlen(types)});
    expect_last(play, "rtde.field.in-use", ARMTAP_FROM_ROBOT);
}

static void text(struct play *play, unsigned level, const char *id)
{
    const char *words = "something happened", *source = "RTDE";
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 10);
    play_reply(play, (struct armtap_rtde_package){.type = ARMTAP_RTDE_TEXT,
                                                  .level = level,
                                                  .text = words,
                                                  .text_length = strlen(words),
                                                  .source = source,
                                                  .source_length = strlen(source)});
    expect_last(play, id, ARMTAP_FROM_ROBOT);
    play_data(play, 10);
}

static void text_exception(struct play *play)
{
    text(play, 0, "rtde.text.exception");
}

static void text_error(struct play *play)
{
    text(play, 1, "rtde.text.error");
}

/* Texts have a length: a NUL is part of them, and the rest is not lost. */
static void text_with_nul(struct play *play)
{
    static const char words[] = "joint 3\0: Se\303\261al perdida", source[] = "RT\0DE";
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 10);
    play_reply(play, (struct armtap_rtde_package){.type = ARMTAP_RTDE_TEXT,
                                                  .level = 1,
                                                  .text = words,
                                                  .text_length = sizeof words - 1,
                                                  .source = source,
                                                  .source_length = sizeof source - 1});
    expect_last(play, "rtde.text.error", ARMTAP_FROM_ROBOT);
    play_data(play, 30);
}

static void text_warning(struct play *play)
{
    text(play, 2, "rtde.text.warning");
}

static void text_info(struct play *play)
{
    text(play, 3, "rtde.text.info");
}

/* Three requests for properties: one without a value, one whose reply lacks a value, one without a reply. */
static void ask_for_properties(struct play *play)
{
    static const char names[] = "v1.software.version,v1.control_box.type";
    play_ask(play, (struct armtap_rtde_package){
                       .type = ARMTAP_RTDE_PROPERTIES, .names = names, .names_length = sizeof names - 1});
}

static void answer_properties(struct play *play, const char *types, size_t length)
{
    static const uint8_t values[8] = {0, 10, 0, 15};
    play_reply(play, (struct armtap_rtde_package){.type = ARMTAP_RTDE_PROPERTIES,
                                                  .types = types,
                                                  .types_length = strlen(types),
                                                  .values = values,
                                                  .values_length = length});
}

static void properties(struct play *play)
{
    play_connect(play, 30004);
    play_greet(play, 5);
    ask_for_properties(play);
    answer_properties(play, "UINT64,NOT_SET", 0);
    expect_last(play, "rtde.property.missing", ARMTAP_FROM_ROBOT);
    ask_for_properties(play);
    answer_properties(play, "UINT64,UINT32", 8);
    expect_last(play, "rtde.property.short", ARMTAP_FROM_ROBOT);
    ask_for_properties(play);
    expect_last(play, "rtde.property.unanswered", ARMTAP_TO_ROBOT);
    play_set_up(play, 125, CLOCK_AND_JOINTS, "DOUBLE,VECTOR6D");
    play_start(play);
    play_data(play, 20);
}

/* The reply to a set-up of inputs is missing; the client sends their data. */
static void types_assumed(struct play *play)
{
    static const char names[] = "input_int_register_24,input_double_register_24";
    static const uint8_t values[12] = {0, 0, 0, 7};
    play_connect(play, 30004);
    play_greet(play, 5);
    play_set_up(play, 125, CLOCK_AND_JOINTS, "DOUBLE,VECTOR6D");
    play_ask(play, (struct armtap_rtde_package){
                       .type = ARMTAP_RTDE_SETUP_INPUTS, .names = names, .names_length = sizeof names - 1});
    play_wait(play, INT64_C(1200000000));
    play_start(play);
    play_ask(play, (struct armtap_rtde_package){
                       .type = ARMTAP_RTDE_DATA, .has_id = true, .id = 1, .values = values, .values_length = 12});
    expect_last(play, "rtde.types.assumed", ARMTAP_TO_ROBOT);
    play_data(play, 20);
}

static void recipe_missing(struct play *play)
{
    play_stream(play, 125, "timestamp,payload,actual_momentum");
    play_data(play, 4);
    play_forget(play);
    play_data(play, 1);
    expect_last(play, "rtde.recipe.missing", ARMTAP_FROM_ROBOT);
    play_expect(play, "stream.midstream", 0);
    play_data(play, 60);
}

/* A demo's recipe has the length, and too few points. */
static void recipe_not_taken(struct play *play)
{
    play_stream(play, 125, "actual_q");
    play_data(play, 4);
    play_forget(play);
    play_data(play, 1);
    expect_last(play, "rtde.recipe.not-taken", ARMTAP_FROM_ROBOT);
    expect_last(play, "rtde.recipe.missing", ARMTAP_FROM_ROBOT);
    play_expect(play, "stream.midstream", 0);
    play_data(play, 60);
}

/* Another machine, whose clock is 6 ms ahead, captured the client's packets: its SYN comes behind the reply. */
static void clocks_apart(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 60);
    play_expect(play, "capture.clocks-apart", play_set_clock(play, ARMTAP_TO_ROBOT, 6 * MILLISECOND));
}

/* Another connection to the same robot had the handshake. */
static void recipe_guessed(struct play *play)
{
    static const char modes[] = CLOCK_AND_JOINTS ",robot_mode,safety_mode,safety_status";
    play_stream(play, 125, modes);
    play_data(play, 4);
    play_forget(play);
    play_data(play, 1);
    expect_last(play, "rtde.recipe.guessed", ARMTAP_FROM_ROBOT);
    play_expect(play, "stream.midstream", 0);
    play_data(play, 60);
    play_stream(play, 125, modes);
    play_data(play, 60);
}

static void type_unknown(struct play *play)
{
    play_connect(play, 30004);
    play_greet(play, 5);
    play_set_up(play, 125, "timestamp,actual_q", "DOUBLE,QUATERNION");
    expect_last(play, "rtde.type.unknown", ARMTAP_FROM_ROBOT);
    play_start(play);
}

static void package_unknown(struct play *play)
{
    static const uint8_t of_no_type[] = {0, 5, 'X', 1, 2};
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 20);
    play_bytes(play, ARMTAP_FROM_ROBOT, of_no_type, sizeof of_no_type);
    expect_last(play, "rtde.package.unknown", ARMTAP_FROM_ROBOT);
    play_data(play, 20);
}

/* More set-ups without a reply than any client sends, in one packet. */
static void hostile(struct play *play)
{
    static const uint8_t request[] = {0, 4, 'I', 'a'};
    uint8_t many[65 * sizeof request];
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 20);
    for (size_t i = 0; i < sizeof many / sizeof request; i++)
        memcpy(many + i * sizeof request, request, sizeof request);
    play_bytes(play, ARMTAP_TO_ROBOT, many, sizeof many);
    expect_last(play, "input.hostile", ARMTAP_TO_ROBOT);
    play_data(play, 20);
}

static void ask_for_outputs(struct play *play, const char *names)
{
    play_ask(play,
             (struct armtap_rtde_package){
                 .type = ARMTAP_RTDE_SETUP_OUTPUTS, .frequency = 125, .names = names, .names_length = strlen(names)});
}

/* Fewer types than names. */
static void setup_bad_count(struct play *play)
{
    play_connect(play, 30004);
    play_greet(play, 5);
    play_set_up(play, 125, "timestamp,actual_q", "DOUBLE");
    expect_last(play, "rtde.setup.bad", ARMTAP_FROM_ROBOT);
}

/* The reply is not text, so the data after it lacks its recipe. */
static void setup_bad(struct play *play)
{
    static const uint8_t reply[] = {0, 9, 'O', 1, 0xff, 'D', 0, 1, 2};
    play_connect(play, 30004);
    play_greet(play, 5);
    ask_for_outputs(play, "timestamp,actual_mood");
    play_bytes(play, ARMTAP_FROM_ROBOT, reply, sizeof reply);
    expect_last(play, "rtde.setup.bad", ARMTAP_FROM_ROBOT);
    play_start(play);
    armtap_recipe_rtde("timestamp,actual_mood", "DOUBLE,DOUBLE", &play->recipe);
    play_data(play, 1);
    expect_last(play, "rtde.recipe.missing", ARMTAP_FROM_ROBOT);
    play_data(play, 20);
}

/* A set-up in the format of protocol 2 while protocol 1 is in force: the last name is wrong, not the first. */
static void version_not_negotiated(struct play *play)
{
    const char *types = "NOT_FOUND,VECTOR6D,NOT_FOUND";
    play_connect(play, 30004);
    play->protocol = 2;
    ask_for_outputs(play, "timestamp,actual_q,actual_mood");
    play->protocol = 1;
    play_reply(play, (struct armtap_rtde_package){
                         .type = ARMTAP_RTDE_SETUP_OUTPUTS, .types = types, .types_length = strlen(types)});
    expect_last(play, "rtde.version.not-negotiated", ARMTAP_FROM_ROBOT);
    expect_last(play, "rtde.field.not-found", ARMTAP_FROM_ROBOT);
}

/* A set-up in the format of protocol 1 while protocol 2 is in force: "timestam" is read as the frequency. */
static void frequency_missing(struct play *play)
{
    const char *types = "NOT_FOUND,VECTOR6D";
    play_connect(play, 30004);
    play_greet(play, 5);
    play->protocol = 1;
    ask_for_outputs(play, "timestamp,actual_q");
    play->protocol = 2;
    play_reply(play, (struct armtap_rtde_package){
                         .type = ARMTAP_RTDE_SETUP_OUTPUTS, .types = types, .types_length = strlen(types)});
    expect_last(play, "rtde.frequency.missing", ARMTAP_FROM_ROBOT);
}

static void data_short(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 20);
    play_odd_data(play, -8);
    expect_last(play, "rtde.data.short", ARMTAP_FROM_ROBOT);
    play_data(play, 20);
}

static void data_long(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 20);
    play_odd_data(play, 8);
    expect_last(play, "rtde.data.long", ARMTAP_FROM_ROBOT);
    play_data(play, 20);
}

static void field_unknown(struct play *play)
{
    play_connect(play, 30004);
    play_greet(play, 5);
    play_set_up(play, 125, "timestamp,actual_mood", "DOUBLE,DOUBLE");
    expect_last(play, "rtde.field.unknown", ARMTAP_FROM_ROBOT);
    play_start(play);
    play_data(play, 20);
}

/* ---- the legacy interface -------------------------------------------------------------------------------------- */

static void size_changed(struct play *play)
{
    play_realtime(play, 1060);
    play_data(play, 20);
    play->size = 1108;
    play_data(play, 1);
    expect_last(play, "rt.size.changed", ARMTAP_FROM_ROBOT);
    play_data(play, 20);
}

static void cell_not_integer(struct play *play)
{
    static const uint8_t seven_and_a_half[8] = {0x40, 0x1e};
    enum { ROBOT_MODE = 756 }; /* its offset in UR's table */

    size_t length;
    play_realtime(play, 1060);
    play_data(play, 20);
    memcpy(play_payload(play, play_last(play, ARMTAP_FROM_ROBOT), &length) + ROBOT_MODE, seven_and_a_half, 8);
    expect_last(play, "rt.cell.not-integer", ARMTAP_FROM_ROBOT);
    play_data(play, 20);
}

/* Joints that move, and in the place of the pose what has nothing to do with them. */
static void model_mismatch(struct play *play)
{
    play_stream(play, 125, "timestamp,actual_q,actual_TCP_pose");
    for (unsigned i = 0; i < 600; i++) {
        for (unsigned k = 0; k < 6; k++) {
            unsigned at = i * (k + 1) % 200;
            play->state->actual_q[k] = 0.01 * (at < 100 ? at : 200 - at) - 0.5;
            play->state->actual_TCP_pose[k] = 0.02 * (i * (7 - k) % 90);
        }
        play_data(play, 1);
    }
    expect_last(play, "model.mismatch", ARMTAP_FROM_ROBOT);
}

/* An arm that moves with a tool 0.1 m long, while the controller reports one of 0.15 m. */
static void model_mismatch_tool(struct play *play)
{
    struct armtap_state *state = play->state;
    play_stream(play, 125, "timestamp,actual_q,actual_TCP_pose,tcp_offset");
    state->tcp_offset[2] = 0.15;
    for (unsigned i = 0; i < 600; i++) {
        struct arm_pose pose;
        for (unsigned k = 0; k < ARM_JOINTS; k++) {
            unsigned at = i * (k + 1) % 200;
            state->actual_q[k] = 0.01 * (at < 100 ? at : 200 - at) - 0.5;
        }
        arm_forward(arm_find("ur10e"), state->actual_q, &pose);
        for (unsigned k = 0; k < 3; k++)
            state->actual_TCP_pose[k] = pose.origin[ARM_JOINTS][k] + 0.1 * pose.rotation[k][2];
        arm_rotation_vector(pose.rotation, state->actual_TCP_pose + 3);
        play_data(play, 1);
    }
    expect_last(play, "model.mismatch", ARMTAP_FROM_ROBOT);
}

static void size_unknown(struct play *play)
{
    play_realtime(play, 1084);
    play_data(play, 1);
    expect_last(play, "rt.size.unknown", ARMTAP_FROM_ROBOT);
    play_data(play, 40);
}

/* ---- skipped packages -------------------------------------------------------------------------------------------- */

static void skipped(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 100);
    play_wait(play, 5 * play->step);
    play_data(play, 1);
    expect_last(play, "clock.skipped", ARMTAP_FROM_ROBOT);
    play_data(play, 100);
}

/* One package is missing in the capture; the other 624 were never sent. */
static void skipped_in_gap(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 100);
    play_drop(play, play_last(play, ARMTAP_FROM_ROBOT));
    play_wait(play, 624 * play->step);
    play_data(play, 1);
    expect_last(play, "stream.gap", ARMTAP_FROM_ROBOT);
    expect_last(play, "clock.skipped", ARMTAP_FROM_ROBOT);
    expect_last(play, "silence", ARMTAP_FROM_ROBOT);
    play_data(play, 100);
}

/* No controller skips 125 million packages within 8 ms. */
static void clock_jump(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 100);
    play->state->timestamp += 1e6;
    play_data(play, 1);
    expect_last(play, "clock.skipped", ARMTAP_FROM_ROBOT);
    play_data(play, 100);
}

/* A minute is a jump; a second less counts as skipped packages. */
static void clock_near_jump(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 100);
    play->state->timestamp += 59;
    play_data(play, 1);
    expect_last(play, "clock.skipped", ARMTAP_FROM_ROBOT);
    play_data(play, 100);
}

static void clock_just_jump(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 100);
    play->state->timestamp += 61;
    play_data(play, 1);
    expect_last(play, "clock.skipped", ARMTAP_FROM_ROBOT);
    play_data(play, 100);
}

/* Before there is enough data to know the usual step. */
static void skipped_early(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 3);
    play_wait(play, play->step);
    play_data(play, 1);
    expect_last(play, "clock.skipped", ARMTAP_FROM_ROBOT);
    play_data(play, 2);
}

static void skipped_legacy(struct play *play)
{
    play->step = 2 * MILLISECOND;
    play_realtime(play, 1220);
    play_data(play, 200);
    play_wait(play, play->step);
    play_data(play, 1);
    expect_last(play, "clock.skipped", ARMTAP_FROM_ROBOT);
    play_data(play, 30);
}

/* More findings of one kind than a user wants to read. */
static void flood(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 64);
    for (int i = 0; i < 60; i++) {
        play_wait(play, play->step);
        play_data(play, 1);
        expect_last(play, "clock.skipped", ARMTAP_FROM_ROBOT);
        play_data(play, 3);
    }
}

/* The largest is not among the first. */
static void flood_of_sizes(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 64);
    for (int i = 0; i < 30; i++) {
        play_wait(play, (i == 24 ? 40 : i == 27 ? 7 : 1) * play->step);
        play_data(play, 1);
        expect_last(play, "clock.skipped", ARMTAP_FROM_ROBOT);
        play_data(play, 3);
    }
}

static void backwards(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 100);
    play->state->timestamp = 0;
    play_data(play, 1);
    expect_last(play, "clock.backwards", ARMTAP_FROM_ROBOT);
    play_data(play, 100);
}

/* Every second one of 125: the step is even, so nothing was skipped. */
static void rate_low(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play->step = 16 * MILLISECOND;
    play_data(play, 200);
    expect_last(play, "rate.low", ARMTAP_FROM_ROBOT);
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
}

/* 118.1 of 125 Hz are 94.5 %. */
static void rate_just_low(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play->step = 8466 * MICROSECOND;
    play_data(play, 400);
    expect_last(play, "rate.low", ARMTAP_FROM_ROBOT);
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
}

/* A new set-up starts a new period for the rate. */
static void rate_low_at_first(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play->step = 16 * MILLISECOND;
    play_data(play, 200);
    expect_last(play, "rate.low", ARMTAP_FROM_ROBOT);
    play_set_up(play, 62.5, CLOCK_AND_JOINTS, NULL);
    play_start(play);
    play_data(play, 200);
}

/* All packages arrive, late and together. */
static void silence(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 50);
    size_t before = play_latest(play);
    play_stall(play, 5 * SECOND / 2);
    play_expect(play, "silence", play_next(play, before, ARMTAP_FROM_ROBOT));
    play_data(play, 20);
}

/* The controller stalls: its clock advances by only one cycle. */
static void silence_of_controller(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 50);
    play->time += 3 * SECOND;
    play_data(play, 1);
    expect_last(play, "silence", ARMTAP_FROM_ROBOT);
    play_data(play, 200);
}

/* It runs, but sends nothing. */
static void silence_that_skipped(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 50);
    play_wait(play, 3 * SECOND);
    play_data(play, 1);
    expect_last(play, "clock.skipped", ARMTAP_FROM_ROBOT);
    expect_last(play, "silence", ARMTAP_FROM_ROBOT);
    play_data(play, 200);
}

/* One package a second: 3.2 seconds without one are long at this rate. */
/* The path to the client is gone for 3 s, captured at the robot: what the client does not acknowledge is sent again, in
 * growing intervals. */
static void silence_resent(struct play *play)
{
    static const int64_t after[] = {200, 400, 800, 1500}; /* ms, each after the one before */
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 50);
    size_t first = play_last(play, ARMTAP_FROM_ROBOT);
    for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
        size_t copy = play_repeat(play, first, after[i] * MILLISECOND);
        play_set_ip_id(play, copy, 0x7777 + (unsigned)i);
        play_expect(play, "tcp.retransmission", copy);
    }
    play_wait(play, 3 * SECOND);
    play_data(play, 1);
    expect_last(play, "clock.skipped", ARMTAP_FROM_ROBOT);
    expect_last(play, "silence", ARMTAP_FROM_ROBOT);
    play_data(play, 200);
}

static void silence_of_slow_stream(struct play *play)
{
    play_stream(play, 1, CLOCK_AND_JOINTS);
    play->step = SECOND;
    play_data(play, 12);
    play->time += 2200 * MILLISECOND;
    play_data(play, 1);
    expect_last(play, "silence", ARMTAP_FROM_ROBOT);
    play_data(play, 12);
}

/* This many packages after PAUSE show that data was requested again, in packets that the capture lacks. */
static void silence_after_pause(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 200);
    play_pause(play);
    play_data(play, 16);
    play_wait(play, 5 * SECOND);
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
    play_expect(play, "silence", play_latest(play) - 2);
}

/* Silence in which the packages of `lost` ns never arrive: a quarter of it, or a seventh. */
static void made_up(struct play *play, int64_t lost, int64_t held_up)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 50);
    play->time += lost;
    size_t before = play_latest(play);
    play_stall(play, held_up);
    play_expect(play, "silence", play_next(play, before, ARMTAP_FROM_ROBOT));
    play_data(play, 300);
}

static void silence_made_up_too_little(struct play *play)
{
    made_up(play, 750 * MILLISECOND, 2250 * MILLISECOND);
}

static void silence_made_up_enough(struct play *play)
{
    made_up(play, 450 * MILLISECOND, 2550 * MILLISECOND);
}

/* The controller's clock advances by only a part of 3 s. */
static void ran(struct play *play, int64_t for_so_long)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 50);
    play->time += 3 * SECOND - for_so_long;
    play_wait(play, for_so_long);
    play_data(play, 1);
    expect_last(play, "clock.skipped", ARMTAP_FROM_ROBOT);
    expect_last(play, "silence", ARMTAP_FROM_ROBOT);
    play_data(play, 200);
}

static void silence_that_ran_mostly(struct play *play)
{
    ran(play, 2776 * MILLISECOND);
}

static void silence_that_ran_partly(struct play *play)
{
    ran(play, 2600 * MILLISECOND);
}

/* The capture ends before the reason can be known. */
static void silence_at_last(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 50);
    play->time += 3 * SECOND;
    play_data(play, 1);
    expect_last(play, "silence", ARMTAP_FROM_ROBOT);
    play_data(play, 20);
}

static void silence_without_clock(struct play *play)
{
    play_stream(play, 125, "actual_q");
    play_data(play, 50);
    play->time += 3 * SECOND;
    play_data(play, 1);
    expect_last(play, "silence", ARMTAP_FROM_ROBOT);
    play_data(play, 200);
}

/* The client is stuck until the capture ends. */
static void zero_window_at_last(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 21);
    play->connection.end[ARMTAP_TO_ROBOT].window = 0;
    play_data(play, 1);
    while (play_latest(play) == play_last(play, ARMTAP_FROM_ROBOT))
        play_data(play, 1);
    play_expect(play, "tcp.zero-window", play_latest(play));
    play_stream(play, 125, CLOCK_AND_JOINTS); /* another client */
    play_data(play, 100);
}

/* Packages of an arm that moves, or not, while its controller's clock goes on, or stands. */
static void play_arm(struct play *play, unsigned count, bool moves, bool has_clock)
{
    play->fast = has_clock ? 0 : -1;
    for (unsigned i = 0; i < count; i++) {
        play->state->actual_q[0] += moves ? 0.001 : 0;
        play_data(play, 1);
    }
}

static void clock_frozen(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_arm(play, 50, true, true);
    play_arm(play, 1, true, false);
    expect_last(play, "clock.frozen", ARMTAP_FROM_ROBOT);
    play_arm(play, 130, true, false);
    play_arm(play, 20, true, true);
}

static void values_frozen(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_arm(play, 50, true, true);
    play_arm(play, 1, true, false);
    expect_last(play, "values.frozen", ARMTAP_FROM_ROBOT);
    play_arm(play, 130, false, false);
    play_arm(play, 20, true, true);
}

/* The controller's targets go away; the arm stands. */
static void not_followed(struct play *play)
{
    play_stream(play, 125, "timestamp,target_q,actual_q");
    memcpy(play->state->target_q, play->state->actual_q, sizeof play->state->target_q);
    play_data(play, 48);
    play->state->target_q[2] += 0.5;
    play_data(play, 1);
    expect_last(play, "command.not-followed", ARMTAP_FROM_ROBOT);
    play_data(play, 200);
    play->state->actual_q[2] += 0.5;
    play_data(play, 100);
}

static void silence_from_start(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_wait(play, 3 * SECOND);
    play_data(play, 1);
    expect_last(play, "silence", ARMTAP_FROM_ROBOT);
    play_data(play, 20);
}

static void silence_to_the_end(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 50);
    play_wait(play, 4 * SECOND);
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
    play_expect(play, "silence", play_latest(play) - 2);
    play_expect(play, "tcp.closed", play_latest(play) - 2);
}

/* A client of the legacy interface gives up, or the robot does; it was silent for too long to have been sending. */
static void silence_of_legacy(struct play *play)
{
    for (int i = 0; i < 2; i++) {
        play_realtime(play, 1108);
        play_data(play, 100);
        play_wait(play, 4 * SECOND);
        play_close(play, i ? ARMTAP_FROM_ROBOT : ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
        play_expect_of(play, "silence", i, play_latest(play) - 2);
    }
}

/* A package is lost before the capture, and so is what is sent again in its place, until it comes 500 ms late, or 200.
 */
static void lost_before(struct play *play, int64_t late)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 50);
    size_t lost = play_last(play, ARMTAP_FROM_ROBOT);
    play_data(play, 2);
    size_t again = play_repeat(play, lost, late);
    play_set_ip_id(play, again, play_ip_id(play, again - 1) + 1);
    play_drop(play, lost);
    play_expect(play, "tcp.retransmission", again - 1);
    if (late > 300 * MILLISECOND)
        play_expect(play, "network.stalled", again - 1);
    play_stall(play, late);
    play_data(play, 400);
}

static void stalled_network(struct play *play)
{
    lost_before(play, 500 * MILLISECOND);
}

static void lost_once(struct play *play)
{
    lost_before(play, 200 * MILLISECOND);
}

/* Five packages at once, over and over. */
static void bursts(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    for (int i = 0; i < 40; i++)
        play_stall(play, 40 * MILLISECOND);
    expect_last(play, "rate.bursts", ARMTAP_FROM_ROBOT);
}

/* At the robot: the client never acknowledges the last packets, which are sent again. */
static void never_acknowledged(struct play *play)
{
    static const int64_t after[] = {200, 400, 800}; /* ms, each after the one before */
    play_realtime(play, 1108);
    play_data(play, 100);
    while (play_latest(play) != play_last(play, ARMTAP_FROM_ROBOT))
        play_data(play, 1);
    size_t first = play_last(play, ARMTAP_FROM_ROBOT);
    for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
        size_t copy = play_repeat(play, first, after[i] * MILLISECOND);
        play_set_ip_id(play, copy, play_ip_id(play, first) + 1 + (unsigned)i);
        play_expect(play, "tcp.retransmission", copy);
    }
    play_expect(play, "tcp.not-acknowledged", play_latest(play));
}

/* The robot is gone, but the capture continues with another client's traffic. */
static void silence_to_the_captures_end(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 50);
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 500);
    play_expect(play, "silence", play_latest(play));
}

/* Safety mode and status show one stop, a package apart. */
static void safety_stop_told_twice(struct play *play)
{
    play_stream(play, 125, "timestamp,safety_mode,safety_status");
    play_data(play, 50);
    play->state->safety_mode = 3;
    play_data(play, 1);
    expect_last(play, "safety.stop", ARMTAP_FROM_ROBOT);
    expect_last(play, "mode.changed", ARMTAP_FROM_ROBOT);
    play->state->safety_status = 3;
    play_data(play, 1);
    expect_last(play, "mode.changed", ARMTAP_FROM_ROBOT);
    play_data(play, 50);
    /* From one stop into another. */
    play->state->safety_mode = play->state->safety_status = 7;
    play_data(play, 1);
    expect_last(play, "safety.stop", ARMTAP_FROM_ROBOT);
    expect_last(play, "mode.changed", ARMTAP_FROM_ROBOT);
    expect_last(play, "mode.changed", ARMTAP_FROM_ROBOT);
    play_data(play, 50);
}

static void safety_stop(struct play *play)
{
    play_stream(play, 125, MODES);
    play_data(play, 50);
    play->state->safety_status = 3;
    play_data(play, 1);
    expect_last(play, "safety.stop", ARMTAP_FROM_ROBOT);
    expect_last(play, "mode.changed", ARMTAP_FROM_ROBOT);
    play_data(play, 50);
    play->state->safety_status = 1;
    play_data(play, 1);
    expect_last(play, "mode.changed", ARMTAP_FROM_ROBOT);
    play_data(play, 20);
}

/* By itself, or on the pendant. */
static void program_ended(struct play *play)
{
    play_stream(play, 125, MODES);
    play->state->runtime_state = 2;
    play_data(play, 50);
    play->state->runtime_state = 0;
    play_data(play, 1);
    expect_last(play, "program.ended", ARMTAP_FROM_ROBOT);
    expect_last(play, "mode.changed", ARMTAP_FROM_ROBOT);
    play->state->runtime_state = 1;
    play_data(play, 1);
    expect_last(play, "mode.changed", ARMTAP_FROM_ROBOT);
    play_data(play, 50);
}

/* The program ends first, and then the arm has no power. */
static void program_cut_off(struct play *play)
{
    program_ended(play);
    play->state->robot_mode = 3;
    play_data(play, 1);
    expect_last(play, "mode.changed", ARMTAP_FROM_ROBOT);
    play_data(play, 20);
}

/* The arm has no power, and then the program ends: that is told once. */
static void program_without_power(struct play *play)
{
    play_stream(play, 125, MODES);
    play->state->runtime_state = 2;
    play_data(play, 50);
    play->state->robot_mode = 0;
    play_data(play, 1);
    expect_last(play, "program.ended", ARMTAP_FROM_ROBOT);
    expect_last(play, "mode.changed", ARMTAP_FROM_ROBOT);
    play_data(play, 3);
    play->state->runtime_state = 1;
    play_data(play, 1);
    expect_last(play, "mode.changed", ARMTAP_FROM_ROBOT);
    play_data(play, 20);
}

/* CB2 has no safety mode. */
static void safety_stop_cb2(struct play *play)
{
    play->state->robot_mode = 0;
    play_realtime(play, 812);
    play_data(play, 50);
    play->state->robot_mode = 5;
    play_data(play, 1);
    expect_last(play, "safety.stop", ARMTAP_FROM_ROBOT);
    expect_last(play, "mode.changed", ARMTAP_FROM_ROBOT);
    play_data(play, 20);
}

/* In the last package of the last connection. */
static void expect_now(struct play *play, const char *id)
{
    play_expect_of(play, id, (int)play->connections - 1, play_last(play, ARMTAP_FROM_ROBOT));
}

static void change(struct play *play, int safety_status, const char *id)
{
    play->state->safety_status = safety_status;
    play_data(play, 1);
    if (id)
        expect_now(play, id);
    expect_now(play, "mode.changed");
    play_data(play, 20);
}

/* Into a violation, a fault, and a mode that the safety system does not know; then back, and that is none. */
static void safety_state(struct play *play)
{
    play_stream(play, 125, "timestamp,safety_status");
    play_data(play, 50);
    change(play, 8, "safety.state");
    change(play, 9, "safety.state");
    change(play, 4, NULL);
    change(play, 11, "safety.state");
    change(play, 1, NULL);
}

static void begin_in(struct play *play, int safety_status, bool is_news)
{
    play->state->safety_status = safety_status;
    play_stream(play, 125, "timestamp,safety_status");
    play_data(play, 1);
    if (is_news)
        expect_now(play, "safety.state");
    play_data(play, 20);
}

/* Connections that begin in a stop: said once, as long as it is the same one. */
static void safety_state_from_the_start(struct play *play)
{
    begin_in(play, 7, true);
    begin_in(play, 7, false);
    change(play, 3, "safety.stop");
    begin_in(play, 3, false);
    begin_in(play, 5, true);
    begin_in(play, 1, false);
    begin_in(play, 5, true);
    play->robot = 1;
    begin_in(play, 5, true);
}

/* An undefined mode while the controller boots, modes in which it waits, and one without a name. */
static void safety_unknown(struct play *play)
{
    play->state->safety_status = 11;
    play_stream(play, 125, "timestamp,safety_status");
    play_data(play, 1);
    expect_now(play, "safety.unknown");
    play_data(play, 20);
    change(play, 10, "safety.unknown");
    change(play, 17, "safety.unknown");
    change(play, 1, NULL);
    change(play, 21, "safety.unknown");
}

static void safety_state_cb2(struct play *play)
{
    play->state->robot_mode = 0;
    play_realtime(play, 812);
    play_data(play, 50);
    play->state->robot_mode = 6;
    play_data(play, 1);
    expect_last(play, "safety.state", ARMTAP_FROM_ROBOT);
    expect_last(play, "mode.changed", ARMTAP_FROM_ROBOT);
    play_data(play, 20);
}

static void show_bits(struct play *play, uint32_t bits, const char *id)
{
    play->state->safety_status_bits = bits;
    play_data(play, 1);
    if (id)
        expect_last(play, id, ARMTAP_FROM_ROBOT);
    play_data(play, 20);
}

/* Stops that only the bits show: bit 10 says that there is one, bit 7 that it is one of bits 5 and 6. */
static void safety_stop_of_bits(struct play *play)
{
    play->state->safety_status_bits = 0x001;
    play_stream(play, 125, "timestamp,safety_status_bits");
    play_data(play, 50);
    show_bits(play, 0x404, "safety.stop");
    show_bits(play, 0x001, NULL);
    show_bits(play, 0x410, "safety.stop");
    show_bits(play, 0x001, NULL);
    show_bits(play, 0x040, "safety.stop");
    show_bits(play, 0x4c0, NULL);
    show_bits(play, 0x001, NULL);
    show_bits(play, 0x480, "safety.stop");
    show_bits(play, 0x4a0, "safety.stop");
    show_bits(play, 0x001, NULL);
    show_bits(play, 0x400, "safety.stop");
}

static void safety_state_of_bits(struct play *play)
{
    play->state->safety_status_bits = 0x410;
    play_stream(play, 125, "timestamp,safety_status_bits");
    play_data(play, 1);
    expect_last(play, "safety.state", ARMTAP_FROM_ROBOT);
    play_data(play, 50);
    show_bits(play, 0x500, "safety.state");
    show_bits(play, 0x600, "safety.state");
    show_bits(play, 0x001, NULL);
}

/* The bits say what safety status says. */
static void safety_stop_beside_bits(struct play *play)
{
    play->state->safety_status_bits = 0x001;
    play_stream(play, 125, "timestamp,safety_status_bits,safety_status");
    play_data(play, 50);
    show_bits(play, 0x404, NULL);
    change(play, 3, "safety.stop");
}

/* After a pause the client asks for less. */
static void recipe_changed(struct play *play)
{
    play_stream(play, 125, MODES);
    play_data(play, 50);
    play_set_up(play, 125, CLOCK_AND_JOINTS, NULL);
    expect_last(play, "rtde.recipe.changed", ARMTAP_FROM_ROBOT);
    play_start(play);
    play_data(play, 50);
}

static void mode_changed(struct play *play)
{
    play_stream(play, 125, MODES);
    play_data(play, 50);
    play->state->runtime_state = 1;
    play_data(play, 1);
    expect_last(play, "mode.changed", ARMTAP_FROM_ROBOT);
    play_data(play, 50);
}

/* ---- the network ----------------------------------------------------------------------------------------------- */

static void reset(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 20);
    play_close(play, ARMTAP_FROM_ROBOT, WIRE_CLOSE_RESET);
    play_expect(play, "tcp.reset", play_latest(play));
}

/* A RST in the robot's name of which one byte of the headers is another than in all its packets. */
static size_t reset_with(struct play *play, size_t at)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 20);
    play_close(play, ARMTAP_FROM_ROBOT, WIRE_CLOSE_RESET);
    size_t index = play_latest(play);
    play->wire.packets[index].bytes[at] ^= 1;
    play_expect(play, "tcp.foreign-reset", index);
    play_expect(play, "tcp.reset", index);
    return index;
}

static void foreign_reset(struct play *play)
{
    enum { TTL_AT = 22 };
    reset_with(play, TTL_AT);
}

static void address_conflict(struct play *play)
{
    enum { MAC_AT = 11 };
    play_expect(play, "address.conflict", reset_with(play, MAC_AT));
}

static void closed(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 20);
    play_close(play, ARMTAP_FROM_ROBOT, WIRE_CLOSE_FIN);
    play_expect(play, "tcp.closed", play_latest(play) - 2);
    play_expect(play, "stream.ended-by-robot", play_latest(play) - 2);
}

static void ended_by_robot(struct play *play)
{
    play_realtime(play, 1108);
    play_data(play, 200);
    play_wait(play, SECOND);
    play_close(play, ARMTAP_FROM_ROBOT, WIRE_CLOSE_FIN);
    play_expect(play, "stream.ended-by-robot", play_latest(play) - 2);
}

/* The client acknowledges with a window of 0, and opens it again 200 ms later. */
static void close_window(struct play *play)
{
    static const uint8_t question[3] = {0, 3, 'v'};
    uint16_t window = play->connection.end[ARMTAP_TO_ROBOT].window;
    play->connection.end[ARMTAP_TO_ROBOT].window = 0;
    play_data(play, 1);
    while (play_latest(play) == play_last(play, ARMTAP_FROM_ROBOT))
        play_data(play, 1); /* until the client acknowledges */
    play_expect(play, "tcp.zero-window", play_latest(play));
    play->connection.end[ARMTAP_TO_ROBOT].window = window;
    int64_t time = play->time;
    play->time += 200 * MILLISECOND;
    play_bytes(play, ARMTAP_TO_ROBOT, question, sizeof question);
    play->time = time;
    play_stall(play, 200 * MILLISECOND);
}

static void zero_window(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 21);
    close_window(play);
    play_data(play, 50);
}

/* Long enough to measure a drift if the client had kept reading. */
/* Room for 128 bytes, but a package has 156: TCP may send nothing. 1 s without data alone is no fault. */
static void window_too_small(struct play *play)
{
    static const uint8_t question[3] = {0, 3, 'v'};
    play_stream(play, 125, "timestamp,actual_q,actual_qd,target_q");
    uint16_t *window = &play->connection.end[ARMTAP_TO_ROBOT].window, all = *window;
    play_data(play, 20);
    for (int i = 0; i < 2; i++) {
        *window = 1;
        play_data(play, 1);
        while (play_latest(play) == play_last(play, ARMTAP_FROM_ROBOT))
            play_data(play, 1); /* until the client acknowledges */
        size_t narrow = play_latest(play);
        int64_t time = play->time;
        play->time += SECOND;
        *window = all;
        play_bytes(play, ARMTAP_TO_ROBOT, question, sizeof question);
        play->time = time;
        if (i == 0) {
            play_stall(play, SECOND);
        } else {
            play_wait(play, SECOND);
            play_data(play, 1);
            play_expect(play, "tcp.zero-window", narrow);
            expect_last(play, "clock.skipped", ARMTAP_FROM_ROBOT);
        }
        play_data(play, 50);
    }
}

static void zero_window_in_long_stream(struct play *play)
{
    play->fast = 250e-6;
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 501);
    close_window(play);
    play_data(play, 500);
}

/* The capture begins while the client is stuck. */
static void zero_window_at_first(struct play *play)
{
    play_realtime(play, 1108);
    play_data(play, 10);
    play_forget(play);
    play_data(play, 1);
    expect_last(play, "stream.midstream", ARMTAP_FROM_ROBOT);
    close_window(play);
    play_data(play, 50);
}

static void retransmission(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 20);
    size_t copy = play_repeat(play, play_last(play, ARMTAP_FROM_ROBOT), 20 * MICROSECOND);
    play_set_ip_id(play, copy, 0x7777);
    play_expect(play, "tcp.retransmission", copy);
    play_data(play, 20);
}

/* Lost before the capture point, and retransmitted. */
static void retransmission_of_hole(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 20);
    size_t lost = play_last(play, ARMTAP_FROM_ROBOT);
    play_data(play, 1);
    play_swap(play, lost, play_last(play, ARMTAP_FROM_ROBOT));
    size_t again = play_last(play, ARMTAP_FROM_ROBOT);
    while (play_latest(play) > again)
        play_drop(play, play_latest(play));
    play->wire.packets[again].time += 250 * MILLISECOND;
    play->connection.now = play->wire.packets[again].time;
    play_set_ip_id(play, again, play_ip_id(play, lost) + 1);
    play_expect(play, "tcp.retransmission", again);
    play_stall(play, 256 * MILLISECOND);
    play_data(play, 20);
}

static void retransmission_of_hole_v6(struct play *play)
{
    play->v6 = true;
    retransmission_of_hole(play);
}

static void overlap_differs(struct play *play)
{
    size_t length;
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 20);
    size_t copy = play_repeat(play, play_last(play, ARMTAP_FROM_ROBOT), 20 * MICROSECOND);
    play_set_ip_id(play, copy, 0x7777);
    play_payload(play, copy, &length)[20] ^= 0x40;
    play_expect(play, "tcp.overlap-differs", copy);
    play_expect(play, "tcp.retransmission", copy);
    play_data(play, 20);
}

static void out_of_order(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 20);
    size_t one = play_last(play, ARMTAP_FROM_ROBOT);
    play_data(play, 1);
    size_t other = play_last(play, ARMTAP_FROM_ROBOT);
    play_swap(play, one, other);
    play_expect(play, "tcp.out-of-order", other);
    play_data(play, 20);
}

static void fragment(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 20);
    size_t copy = play_repeat(play, play_last(play, ARMTAP_FROM_ROBOT), 20 * MICROSECOND);
    play->wire.packets[copy].bytes[14 + 6] = 0; /* a later fragment: 800 bytes in */
    play->wire.packets[copy].bytes[14 + 7] = 100;
    play_expect_of(play, "ip.fragment", -1, copy);
    play_data(play, 20);
}

static void bad_header(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 20);
    size_t copy = play_repeat(play, play_last(play, ARMTAP_FROM_ROBOT), 20 * MICROSECOND);
    play->wire.packets[copy].bytes[14 + 20 + 12] = 0x30; /* a TCP header of 12 bytes */
    play_expect_of(play, "ip.bad-header", -1, copy);
    play_data(play, 20);
}

/* Four ways to lose something in one connection, each under its own id. */
static void losses(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 100);
    play_wait(play, 3 * play->step);
    play_data(play, 1);
    expect_last(play, "clock.skipped", ARMTAP_FROM_ROBOT);
    play_data(play, 40);
    size_t copy = play_repeat(play, play_last(play, ARMTAP_FROM_ROBOT), 20 * MICROSECOND);
    play_set_ip_id(play, copy, 0x7777);
    play_expect(play, "tcp.retransmission", copy);
    play_data(play, 40);
    play_drop(play, play_last(play, ARMTAP_FROM_ROBOT));
    play_data(play, 1);
    expect_last(play, "stream.gap", ARMTAP_FROM_ROBOT);
    play_data(play, 41);
    close_window(play);
    play_data(play, 40);
    play_wait(play, play->step);
    play_data(play, 1);
    expect_last(play, "clock.skipped", ARMTAP_FROM_ROBOT);
    play_data(play, 40);
}

/* ---- the capture ----------------------------------------------------------------------------------------------- */

static void gap(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 60);
    play_drop(play, play_last(play, ARMTAP_FROM_ROBOT));
    play_data(play, 1);
    expect_last(play, "stream.gap", ARMTAP_FROM_ROBOT);
    play_data(play, 60);
}

/* A gap of the capture is neither silence nor skipped packages. */
static void gap_long(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 60);
    size_t first = play_latest(play);
    play_data(play, 400);
    while (play_latest(play) > first)
        play_drop(play, play_latest(play));
    play_data(play, 1);
    expect_last(play, "stream.gap", ARMTAP_FROM_ROBOT);
    play_data(play, 60);
}

/* While nothing was captured, the client may have set up another recipe; a clock and joints do not show which. */
static void recipe_unsure(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 60);
    size_t before = play_latest(play);
    play_pause(play);
    play_start(play);
    while (play_latest(play) > before)
        play_drop(play, play_latest(play));
    play_data(play, 1);
    expect_last(play, "rtde.recipe.unsure", ARMTAP_FROM_ROBOT);
    expect_last(play, "stream.gap", ARMTAP_FROM_ROBOT);
    expect_last(play, "stream.gap", ARMTAP_FROM_ROBOT); /* the client's requests */
    play_data(play, 100);
}

/* The client pauses for five seconds, and none of it is captured. */
static void pause_in_gap(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 100);
    size_t before = play_latest(play);
    play_pause(play);
    play_wait(play, 5 * SECOND);
    play_start(play);
    play_data(play, 2);
    while (play_latest(play) > before)
        play_drop(play, play_latest(play));
    play_data(play, 1);
    expect_last(play, "stream.gap", ARMTAP_FROM_ROBOT);
    expect_last(play, "stream.gap", ARMTAP_FROM_ROBOT); /* its requests, which this packet acknowledges */
    play_data(play, 100);
}

static void duplicate(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 20);
    size_t copy = play_repeat(play, play_last(play, ARMTAP_FROM_ROBOT), 5 * MICROSECOND);
    play_expect(play, "capture.duplicate", copy);
    play_data(play, 20);
}

/* Copied by the network, not by a mirror port: the copy comes later, with the same IP id. */
static void duplicate_late(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 20);
    size_t copy = play_repeat(play, play_last(play, ARMTAP_FROM_ROBOT), 5 * MILLISECOND);
    play_expect(play, "capture.duplicate", copy);
    play_data(play, 20);
}

/* Cut within its headers: no byte of the stream is lost. */
static void dropped(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 40);
    play->dropped = 17;
    play_expect_of(play, "capture.dropped", -1, play_latest(play));
}

/* The same, in a capture that armtap recorded. */
static void dropped_by_armtap(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 40);
    play->dropped = 17;
    play->recorded = true;
    play_expect_of(play, "record.dropped", -1, play_latest(play));
}

static void truncated(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 20);
    size_t copy = play_repeat(play, play_last(play, ARMTAP_FROM_ROBOT), 20 * MICROSECOND);
    play->cut = copy + 1;
    play->cut_to = 40;
    play_expect_of(play, "capture.truncated", -1, copy);
    play_data(play, 20);
}

static void midstream(struct play *play)
{
    play_realtime(play, 1108);
    play_data(play, 4);
    play_forget(play);
    play_data(play, 1);
    expect_last(play, "stream.midstream", ARMTAP_FROM_ROBOT);
    play_data(play, 60);
}

static void resync(struct play *play)
{
    static const char stray[] = "not a package at all";
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 30);
    play_bytes(play, ARMTAP_FROM_ROBOT, stray, sizeof stray);
    expect_last(play, "stream.resync", ARMTAP_FROM_ROBOT);
    play_data(play, 1);
    play_data(play, 30);
}

/* More than a hundredth of the stream. */
static void resync_much(struct play *play)
{
    static const char stray[400] = "not a package at all";
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 30);
    play_bytes(play, ARMTAP_FROM_ROBOT, stray, sizeof stray);
    expect_last(play, "stream.resync", ARMTAP_FROM_ROBOT);
    play_data(play, 1);
    play_data(play, 30);
}

/* More robots than are remembered: nothing is lost, because every handshake was captured. */
static void many_robots(struct play *play)
{
    enum { REMEMBERED = 256, BEFORE_FIRST_MESSAGE = 3 };
    size_t last = 0;
    for (play->robot = 0; play->robot <= REMEMBERED; play->robot++) {
        last = play->wire.count;
        play_stream(play, 125, CLOCK_AND_JOINTS);
        play_data(play, 1);
        play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
    }
    play_expect_of(play, "capture.many-robots", REMEMBERED, last + BEFORE_FIRST_MESSAGE);
}

static void foreign(struct play *play)
{
    char page[6000];
    memset(page, 'x', sizeof page);
    memcpy(page, "HTTP/1.1 200 OK\r\n\r\n", 19);
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 20);
    play_connect(play, 30004);
    play_bytes(play, ARMTAP_FROM_ROBOT, page, sizeof page);
    play_expect_of(play, "stream.foreign", -1, play_last(play, ARMTAP_FROM_ROBOT));
    play_close(play, ARMTAP_FROM_ROBOT, WIRE_CLOSE_FIN);
}

/* A robot that was updated between two connections. */
static void robot_changed(struct play *play)
{
    play_connect(play, 30003);
    play_realtime_data(play, 1108, 50);
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
    play_wait(play, 600 * SECOND);
    play_expect_of(play, "robot.changed", 1, play->wire.count);
    play_connect(play, 30003);
    play_realtime_data(play, 1220, 50);
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
}

/* A client of the dashboard server on the port of legacy packets. */
static void wrong_port(struct play *play)
{
    static const char request[] = "robotmode\n";
    play_connect(play, 30003);
    play_expect(play, "protocol.wrong-port", play->wire.count);
    play_bytes(play, ARMTAP_TO_ROBOT, request, sizeof request - 1);
    play_realtime_data(play, 1108, 20);
}

/* A client that sets up outputs and leaves. */
static void never_started(struct play *play)
{
    play_connect(play, 30004);
    play_greet(play, 5);
    play_set_up(play, 125, CLOCK_AND_JOINTS, "DOUBLE,VECTOR6D");
    play_expect(play, "rtde.no-data", play_latest(play) + 2); /* the robot's FIN */
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
}

/* The robot's system acknowledges the request, its program does not answer. */
static void never_answered(struct play *play)
{
    play_connect(play, 30004);
    play_ask(play, (struct armtap_rtde_package){.type = ARMTAP_RTDE_VERSION, .version = 2});
    play_wait(play, 2 * SECOND);
    play_expect(play, "rtde.no-reply", play_latest(play) + 3); /* the robot's FIN */
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
}

const struct fault_case fault_cases[] = {
    {"rtde.start.refused", start_refused},
    {"rtde.version.refused", version_refused},
    {"rtde.field.not-found", field_not_found},
    {"rtde.field.in-use", field_in_use},
    {"rtde.text.exception", text_exception},
    {"rtde.text.error", text_error},
    {"rtde.text.error-with-nul", text_with_nul},
    {"tcp.reset", reset},
    {"tcp.foreign-reset", foreign_reset},
    {"address.conflict", address_conflict},
    {"tcp.refused", attempt_refused},
    {"tcp.refused-v6", attempt_refused_v6},
    {"tcp.refused-for-an-hour", attempt_refused_for_an_hour},
    {"tcp.refused-then-connected", attempt_refused_then_connected},
    {"tcp.refused-same-syn", attempt_refused_same_syn},
    {"tcp.refused-out-of-order", attempt_refused_out_of_order},
    {"tcp.unreachable", attempt_unreachable},
    {"tcp.unreachable-v6", attempt_unreachable_v6},
    {"tcp.no-answer", attempt_no_answer},
    {"tcp.no-answer-v6", attempt_no_answer_v6},
    {"tcp.no-answer-alone", attempt_no_answer_alone},
    {"tcp.no-answer-to-the-end", attempt_no_answer_to_the_end},
    {"tcp.no-answer-once", attempt_no_answer_once},
    {"tcp.no-answer-for-ever", attempt_no_answer_for_ever},
    {"tcp.no-answer-then-connected", attempt_no_answer_then_connected},
    {"tcp.reset-at-once", attempt_reset_by_robot},
    {"tcp.no-data-closed", attempt_closed_by_robot},
    {"tcp.no-data", attempt_silent},
    {"protocol.wrong-port-silent", attempt_mute},
    {"protocol.wrong-port", wrong_port},
    {"robot.changed", robot_changed},
    {"rtde.property.missing", properties},
    {"rtde.types.assumed", types_assumed},
    {"rtde.no-data", never_started},
    {"rtde.no-reply", never_answered},
    {"stream.ended-by-robot", ended_by_robot},
    {"silence-of-legacy", silence_of_legacy},
    {"network.stalled", stalled_network},
    {"rate.bursts", bursts},
    {"tcp.retransmission-once", lost_once},
    {"tcp.not-acknowledged", never_acknowledged},
    {"rtde.recipe.missing", recipe_missing},
    {"capture.clocks-apart", clocks_apart},
    {"rtde.recipe.unsure", recipe_unsure},
    {"rtde.recipe.guessed", recipe_guessed},
    {"rtde.recipe.not-taken", recipe_not_taken},
    {"rtde.type.unknown", type_unknown},
    {"rtde.package.unknown", package_unknown},
    {"input.hostile", hostile},
    {"rtde.setup.bad", setup_bad},
    {"rtde.setup.bad-count", setup_bad_count},
    {"rtde.version.not-negotiated", version_not_negotiated},
    {"rtde.frequency.missing", frequency_missing},
    {"rtde.data.short", data_short},
    {"rtde.data.long", data_long},
    {"rtde.text.warning", text_warning},
    {"rt.size.changed", size_changed},
    {"rt.cell.not-integer", cell_not_integer},
    {"stream.gap", gap},
    {"stream.gap-long", gap_long},
    {"stream.gap-with-pause", pause_in_gap},
    {"capture.truncated", truncated},
    {"capture.dropped", dropped},
    {"record.dropped", dropped_by_armtap},
    {"tcp.overlap-differs", overlap_differs},
    {"tcp.zero-window", zero_window},
    {"tcp.zero-window-at-first", zero_window_at_first},
    {"tcp.zero-window-too-small", window_too_small},
    {"clock.skipped", skipped},
    {"clock.skipped-early", skipped_early},
    {"clock.skipped-in-gap", skipped_in_gap},
    {"clock.skipped-jump", clock_jump},
    {"clock.skipped-near-jump", clock_near_jump},
    {"clock.skipped-just-jump", clock_just_jump},
    {"clock.skipped-legacy", skipped_legacy},
    {"clock.skipped-flood", flood},
    {"clock.skipped-flood-of-sizes", flood_of_sizes},
    {"clock.backwards", backwards},
    {"rate.low", rate_low},
    {"rate.low-just", rate_just_low},
    {"rate.low-at-first", rate_low_at_first},
    {"silence", silence},
    {"silence-from-start", silence_from_start},
    {"silence-of-controller", silence_of_controller},
    {"silence-at-last", silence_at_last},
    {"silence-of-slow-stream", silence_of_slow_stream},
    {"silence-after-pause", silence_after_pause},
    {"silence-made-up-too-little", silence_made_up_too_little},
    {"silence-made-up-enough", silence_made_up_enough},
    {"silence-that-ran-mostly", silence_that_ran_mostly},
    {"silence-that-ran-partly", silence_that_ran_partly},
    {"silence-that-skipped", silence_that_skipped},
    {"clock.frozen", clock_frozen},
    {"values.frozen", values_frozen},
    {"command.not-followed", not_followed},
    {"silence-resent", silence_resent},
    {"silence-without-clock", silence_without_clock},
    {"tcp.zero-window-at-last", zero_window_at_last},
    {"tcp.zero-window-in-long-stream", zero_window_in_long_stream},
    {"silence-to-the-end", silence_to_the_end},
    {"silence-to-the-captures-end", silence_to_the_captures_end},
    {"program.ended", program_ended},
    {"program.ended-by-power", program_cut_off},
    {"program.ended-without-power", program_without_power},
    {"safety.stop", safety_stop},
    {"safety.stop-told-twice", safety_stop_told_twice},
    {"safety.stop-cb2", safety_stop_cb2},
    {"safety.stop-of-bits", safety_stop_of_bits},
    {"safety.stop-beside-bits", safety_stop_beside_bits},
    {"safety.state", safety_state},
    {"safety.state-from-the-start", safety_state_from_the_start},
    {"safety.state-cb2", safety_state_cb2},
    {"safety.state-of-bits", safety_state_of_bits},
    {"safety.unknown", safety_unknown},
    {"model.mismatch", model_mismatch},
    {"model.mismatch-of-tool", model_mismatch_tool},
    {"rt.size.unknown", size_unknown},
    {"rtde.field.unknown", field_unknown},
    {"stream.resync", resync},
    {"stream.resync-much", resync_much},
    {"capture.many-robots", many_robots},
    {"stream.midstream", midstream},
    {"stream.foreign", foreign},
    {"tcp.retransmission", retransmission},
    {"tcp.retransmission-of-hole", retransmission_of_hole},
    {"tcp.retransmission-of-hole-v6", retransmission_of_hole_v6},
    {"losses", losses},
    {"ip.fragment", fragment},
    {"ip.bad-header", bad_header},
    {"rtde.text.info", text_info},
    {"tcp.out-of-order", out_of_order},
    {"tcp.closed", closed},
    {"capture.duplicate", duplicate},
    {"capture.duplicate-late", duplicate_late},
    {"rtde.recipe.changed", recipe_changed},
    {"mode.changed", mode_changed},
    {"dashboard.refused", dashboard_refused},
    {"dashboard.command", dashboard_command},
    {"primary.longer", primary_longer},
    {"primary.unknown", primary_unknown_message},
    {"primary.unknown-part", primary_unknown_part},
    {"primary.message.bad", primary_message_cut},
    {"ur.error", primary_errors},
    {"ur.exception", primary_exception},
    {"ur.warning", primary_warning},
    {"ur.message", primary_words},
    {"primary.message.bad-state", primary_state_bad},
    {"safety.stop-of-primary", primary_safety_stop},
    {"safety.stop-of-primary-cb2", primary_safety_stop_cb2},
    {"silence-of-primary", primary_silence},
    {"stream.gap-of-primary", primary_gap},
    {"stream.midstream-of-primary", primary_midstream},
    {"command.timeout", primary_says_time_out},
    {"command.gap", control_gap},
    {"command.gap-in-motion", control_hole},
    {"command.jump", control_jump},
    {"command.coalesced", control_coalesced},
    {"command.mode", control_mode},
    {"command.failed", mailbox_failed},
    {"command.unanswered", mailbox_withdrawn},
    {"command.unanswered-replaced", mailbox_replaced},
    {"command.unanswered-closed", mailbox_closed},
    {"command.slow", mailbox_slow},
    {"command.unknown", mailbox_unknown},
    {"stream.gap-of-commands", control_lost},
    {"aubo.message.bad", aubo_message_bad},
    {"aubo.message.bad-set-up", aubo_set_up_bad},
    {"aubo.message.too-long", aubo_message_too_long},
    {"aubo.channel.unknown", aubo_channel_unknown},
    {"aubo.values.count", aubo_values_count},
    {"websocket.bad", aubo_websocket_bad},
    {"websocket.bad-in-gap", aubo_websocket_gap},
    {"silence-of-aubo-channel", aubo_silence},
    {"silence-from-aubo-subscription", aubo_silence_from_subscription},
    {"rate.low-of-aubo-channel", aubo_rate_low},
    {"clock.backwards-of-aubo-channels", aubo_clock_backwards},
    {"safety.stop-of-aubo-arm", aubo_safety_stop},
    {"safety.stop-of-aubo-by-number", aubo_safety_stop_number},
    {"safety.state-of-aubo-arms", aubo_safety_state},
    {NULL, NULL},
};
