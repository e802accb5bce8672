#include "analysis_scene.h"

#include "protocol/fact.h"

#include <stdio.h>
#include <string.h>

#include "support.h"

#define START INT64_C(1769860800000000000)
#define CYCLE INT64_C(8000000)

void scene_prepare(struct analysis_scene *scene)
{
    memset(scene, 0, sizeof *scene);
    scene->state = armtap_state_new();
    assert_non_null(scene->state);
    assert_int_equal(armtap_recipe_rtde("timestamp,safety_mode,actual_q", "DOUBLE,INT32,VECTOR6D", &scene->recipe), 0);
    armtap_set_add(&scene->updated, ARMTAP_ID_timestamp);
    armtap_set_add(&scene->updated, ARMTAP_ID_safety_mode);
    armtap_set_add(&scene->updated, ARMTAP_ID_actual_q);
    scene->state->safety_mode = 1;
    scene->stream = (struct armtap_stream){.protocol = ARMTAP_RTDE,
                                           .info = armtap_protocol_info(ARMTAP_RTDE),
                                           .version = 2,
                                           .robot = "10.0.0.2:30004",
                                           .client = "10.0.0.9:50000",
                                           .controller_version = "3.15.0.0",
                                           .first = {.time = START, .packet = 1}};
    scene->arm = (struct armtap_arm){1, &scene->updated, scene->state};
    scene->record = (struct armtap_record){.stream = &scene->stream,
                                           .protocol = ARMTAP_RTDE,
                                           .version = 2,
                                           .recipe = scene->recipe,
                                           .updated = &scene->updated,
                                           .state = scene->state,
                                           .arms = &scene->arm,
                                           .arm_count = 1,
                                           .frame_length = 64,
                                           .where = {.time = START}};
}

void scene_clear(struct analysis_scene *scene)
{
    armtap_diagnosis_free(scene->diagnosis);
    armtap_recipe_release(scene->recipe);
    armtap_state_free(scene->state);
}

int scene_begin(struct analysis_scene *scene, const struct armtap_diagnosis_options *options)
{
    int error = armtap_diagnosis_new(options, &scene->diagnosis);
    scene->sink = armtap_diagnosis_sink(scene->diagnosis);
    return error;
}

int scene_record(struct analysis_scene *scene, unsigned packages)
{
    struct armtap_record *record = &scene->record;
    record->where.packet++;
    record->where.time += packages * CYCLE;
    scene->clock += 0.008 * packages;
    record->clock = scene->state->timestamp = 10 + scene->clock;
    scene->stream.records[ARMTAP_FROM_ROBOT]++;
    return scene->sink->on_record(scene->diagnosis, record);
}

int scene_event(struct analysis_scene *scene, enum armtap_event_type type, uint64_t a)
{
    const struct armtap_event event = {.stream = &scene->stream, .where = scene->record.where, .type = type, .a = a};
    return scene->sink->on_event(scene->diagnosis, &event);
}

int scene_refused(struct analysis_scene *scene)
{
    const struct armtap_stream stream = {.connection = 7, .robot = "10.0.0.2:30013", .client = "10.0.0.9:50001"};
    const struct armtap_event event = {
        .stream = &stream, .where = scene->record.where, .type = ARMTAP_EVENT_REFUSED, .a = 1};
    return scene->sink->on_event(scene->diagnosis, &event);
}

/* A gap: bytes that the capture lacks. */
static int lose(struct analysis_scene *scene)
{
    const struct armtap_note note = {.kind = armtap_note_find("stream.gap"),
                                     .stream = &scene->stream,
                                     .where = scene->record.where,
                                     .arguments = *ARGS(arg_bytes(128), arg_direction(ARMTAP_WORD_from_robot))};
    int error = scene_event(scene, ARMTAP_EVENT_GAP, 128);
    scene->stream.bytes_lost[ARMTAP_FROM_ROBOT] += 128;
    return error == ARMTAP_OK ? scene->sink->on_note(scene->diagnosis, &note) : error;
}

static int play_on(struct analysis_scene *scene)
{
    int error = scene_event(scene, ARMTAP_EVENT_START, 0);
    for (unsigned i = 1; i <= SCENE_RECORDS && error == ARMTAP_OK; i++) {
        scene->state->safety_mode = i == SCENE_STOP ? 3 : 1;
        error = scene_record(scene, i == SCENE_SKIP ? 4 : 1);
        if (error == ARMTAP_OK && i == 150)
            error = lose(scene);
        if (error == ARMTAP_OK && i == 160)
            error = scene_refused(scene);
    }
    return error == ARMTAP_OK ? scene_event(scene, ARMTAP_EVENT_CLOSE, ARMTAP_CLOSE_RESET) : error;
}

int scene_play(struct analysis_scene *scene, const struct armtap_diagnosis_options *options)
{
    int error = scene_begin(scene, options);
    const struct armtap_recipe_event set_up = {
        .stream = &scene->stream, .where = scene->record.where, .frequency = 125, .recipe = scene->recipe};
    if (error == ARMTAP_OK)
        error = scene->sink->on_recipe(scene->diagnosis, &set_up);
    if (error == ARMTAP_OK)
        error = play_on(scene);
    return error == ARMTAP_OK ? armtap_diagnosis_finish(scene->diagnosis) : error;
}
