/* --json: a line for each robot and second, for programs. */
#include <math.h>

#include "base/text/json_writer.h"
#include "watch.h"

static void put_vector(struct json *json, const struct watch_robot *robot, const char *key, unsigned field)
{
    if (!robot_has(robot, field))
        return;
    json_member_array(json, key, false);
    for (unsigned i = 0; i < armtap_field_at(field)->count; i++)
        json_double(json, robot_number(robot, field, i));
    json_close(json);
}

static void put_number(struct json *json, const char *key, double number)
{
    if (isnan(number))
        return;
    json_key(json, key);
    json_double(json, number);
}

/* What the robot no longer sends is not known. */
static void put_word(struct json *json, const char *key, const struct word *word)
{
    json_member_text(json, key, word->age > 0 ? NULL : word->text);
}

static void put_modes(struct json *json, const struct watch_robot *robot, int64_t now)
{
    struct word mode, safety, program;
    word_of_mode(&mode, robot, now);
    word_of_safety(&safety, robot, now);
    word_of_program(&program, robot, now);
    put_word(json, "mode", &mode);
    put_word(json, "safety", &safety);
    put_word(json, "program", &program);
    put_number(json, "speed_scaling", robot_number(robot, ARMTAP_ID_speed_scaling, 0));
    put_number(json, "speed_slider", robot_number(robot, ARMTAP_ID_target_speed_fraction, 0));
}

static void put_values(struct json *json, const struct watch_robot *robot)
{
    put_vector(json, robot, "joint_position_rad", ARMTAP_ID_actual_q);
    put_vector(json, robot, "joint_speed_rad_s", ARMTAP_ID_actual_qd);
    put_vector(json, robot, "joint_current_A", ARMTAP_ID_actual_current);
    put_vector(json, robot, "joint_temperature_C", ARMTAP_ID_joint_temperatures);
    put_vector(json, robot, "tcp_pose_m_rad", ARMTAP_ID_actual_TCP_pose);
    put_vector(json, robot, "tcp_force_N_Nm", ARMTAP_ID_actual_TCP_force);
    if (lamps_known(robot, false))
        json_member_unsigned(json, "digital_inputs", robot->state->actual_digital_input_bits);
    if (lamps_known(robot, true))
        json_member_unsigned(json, "digital_outputs", robot->state->actual_digital_output_bits);
}

static void put_stream(struct json *json, const struct watch_stream *stream, int64_t now)
{
    json_object(json, false);
    json_member_text(json, "protocol", armtap_protocol_name(stream->protocol));
    json_member_text(json, "robot", stream->robot);
    json_member_text(json, "client", stream->client);
    json_member_unsigned(json, "records", stream->records);
    put_number(json, "rate_hz", stream_rate(stream, now));
    if (stream->rates.expected_hz > 0)
        put_number(json, "expected_hz", stream->rates.expected_hz);
    if (stream->rates.jitter_p99 >= 0)
        put_number(json, "jitter_p99_ms", (double)stream->rates.jitter_p99 / 1e6);
    json_member_unsigned(json, "skipped_packages", stream->rates.skipped);
    json_member_unsigned(json, "lost_bytes", stream->bytes_lost);
    put_number(json, "late_ms", stream->late * 1000);
    json_close(json);
}

static void put_found(struct json *json, const struct watch_found *found)
{
    json_member_unsigned(json, "errors", found->totals[ARMTAP_ERROR]);
    json_member_unsigned(json, "warnings", found->totals[ARMTAP_WARNING]);
    json_member_text(json, "verdict", found->verdict.text);
}

static void put_robot(const struct watch *watch, const struct watch_robot *robot)
{
    const struct watch_scene *scene = model_scene(watch->model);
    const char *reason = silence_reason(robot->silence);
    struct json json;
    json_begin(&json, stdout);
    json_object(&json, false);
    json_member_time(&json, "time", scene->now);
    json_member_text(&json, "robot", robot->name);
    json_member_unsigned(&json, "arm", robot->arm);
    put_modes(&json, robot, scene->now);
    put_number(&json, "age_s", robot_age(robot, scene->now));
    if (silence_of_robot(robot, scene->now) > 0)
        json_member_text(&json, "silent_because", reason);
    put_values(&json, robot);
    json_member_array(&json, "streams", false);
    for (size_t i = 0; i < robot->stream_count; i++)
        put_stream(&json, &robot->streams[i], scene->now);
    json_close(&json);
    put_found(&json, &scene->found);
    json_end(&json);
}

static void put_robots(struct watch *watch)
{
    const struct watch_scene *scene = model_scene(watch->model);
    for (size_t i = 0; i < scene->robot_count; i++)
        put_robot(watch, scene->robots[i]);
    fflush(stdout);
    watch->told = scene->now;
    watch->has_told = true;
}

void watch_json_turn(struct watch *watch)
{
    const struct watch_scene *scene = model_scene(watch->model);
    if (scene->now == ARMTAP_NO_TIME || scene->now - (watch->has_told ? watch->told : scene->begun) < SECOND)
        return;
    put_robots(watch);
}

void watch_json_end(struct watch *watch)
{
    if (!watch->has_told || model_scene(watch->model)->now != watch->told || watch->view.is_over)
        put_robots(watch);
}
