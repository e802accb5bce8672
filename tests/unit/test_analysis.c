/* libarmtap-analysis as its users see it: findings as they happen, incidents, threads, misuse, numbers as text. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/numbers.h"
#include "analysis_scene.h"
#include "support.h"

/* ---- live findings ----------------------------------------------------------------------------------------------- */

/* The calls of on_finding, one line each: id, packet, robot, packages, name. */
struct heard {
    char text[4000];
    struct analysis_scene *scene;
    int answer;
    int from_within[3]; /* results of calls from within it */
};

static int hear(void *user, const struct armtap_finding *finding, const struct armtap_stream *stream)
{
    struct heard *heard = user;
    size_t used = strlen(heard->text);
    double packages = 0;
    const char *name = armtap_finding_text(finding, "name");
    armtap_finding_number(finding, "packages", &packages);
    snprintf(heard->text + used, sizeof heard->text - used, "%s %llu %s %.0f %s\n", finding->kind->id,
             (unsigned long long)finding->where.packet, stream ? stream->robot : "-", packages, name ? name : "-");
    if (heard->scene) {
        heard->from_within[0] = armtap_diagnosis_finish(heard->scene->diagnosis);
        heard->from_within[1] = scene_record(heard->scene, 1);
        heard->from_within[2] = scene_event(heard->scene, ARMTAP_EVENT_PAUSE, 0);
    }
    return heard->answer;
}

static struct armtap_diagnosis_options options_of(struct heard *heard)
{
    return (struct armtap_diagnosis_options){
        .size = sizeof(struct armtap_diagnosis_options), .on_finding = hear, .user = heard, .reach = 1000000000};
}

/* Each finding is reported with the packet that shows it, before the next packet. */
static void findings_come_as_they_happen(void **state)
{
    struct heard heard = {.text = ""};
    struct analysis_scene scene;
    struct armtap_diagnosis_options options = options_of(&heard);
    (void)state;
    scene_prepare(&scene);
    assert_int_equal(scene_begin(&scene, &options), ARMTAP_OK);
    assert_int_equal(scene_event(&scene, ARMTAP_EVENT_START, 0), ARMTAP_OK);
    for (unsigned i = 1; i < SCENE_SKIP; i++)
        assert_int_equal(scene_record(&scene, 1), ARMTAP_OK);
    assert_string_equal(heard.text, "");
    assert_int_equal(scene_record(&scene, 4), ARMTAP_OK);
    assert_string_equal(heard.text, "clock.skipped 101 10.0.0.2:30004 3 -\n");
    heard.text[0] = '\0';
    scene.state->safety_mode = 3;
    assert_int_equal(scene_record(&scene, 1), ARMTAP_OK);
    assert_true(strstr(heard.text, "safety.stop 102 10.0.0.2:30004 0 PROTECTIVE_STOP\n") == heard.text);
    heard.text[0] = '\0';
    assert_int_equal(scene_refused(&scene), ARMTAP_OK);
    assert_string_equal(heard.text, "tcp.refused 102 - 0 -\n");
    assert_int_equal(armtap_diagnosis_finding_count(scene.diagnosis), 0);
    scene_clear(&scene);
}

/* The end of the capture reports nothing live; a reset before it does. */
static void the_end_is_in_the_list_alone(void **state)
{
    struct heard heard = {.text = ""};
    struct analysis_scene scene;
    struct armtap_diagnosis_options options = options_of(&heard);
    (void)state;
    scene_prepare(&scene);
    assert_int_equal(scene_play(&scene, &options), ARMTAP_OK);
    size_t live = 0;
    for (const char *at = heard.text; (at = strchr(at, '\n')) != NULL; at++)
        live++;
    assert_int_equal(live, armtap_diagnosis_finding_count(scene.diagnosis));
    assert_non_null(strstr(heard.text, "tcp.reset 200 "));
    scene_clear(&scene);
}

/* ---- incidents --------------------------------------------------------------------------------------------------- */

static void all_of_it_is_handed_out(void **state)
{
    struct analysis_scene scene;
    struct heard heard = {.text = ""};
    struct armtap_diagnosis_options options = options_of(&heard);
    (void)state;
    scene_prepare(&scene);
    assert_int_equal(scene_play(&scene, &options), ARMTAP_OK);
    const struct armtap_diagnosis *d = scene.diagnosis;
    assert_int_equal(armtap_diagnosis_stream_count(d), 1);
    const struct armtap_stream_diagnosis *stream = armtap_diagnosis_stream_at(d, 0);
    assert_int_equal(stream->rates->skipped, 3);
    assert_true(stream->rates->expected_hz > 124.9 && stream->rates->expected_hz < 125.1);
    assert_true(stream->clock->has_offset);
    assert_int_equal(stream->summary->stream->records[ARMTAP_FROM_ROBOT], SCENE_RECORDS);
    assert_int_equal(armtap_diagnosis_mode_count(d), 3);
    assert_string_equal(armtap_diagnosis_mode_at(d, 1)->name, "PROTECTIVE_STOP");
    assert_int_equal(armtap_diagnosis_stop_count(d), 1);
    const struct armtap_stop_window *stop = armtap_diagnosis_stop_at(d, 0);
    assert_int_equal(stop->rows[stop->at].where.packet, SCENE_STOP);
    assert_non_null(armtap_attempts_at(armtap_streams_attempts(armtap_diagnosis_streams(d)), 0));
    assert_null(armtap_diagnosis_finding_at(d, armtap_diagnosis_finding_count(d)));
    assert_null(armtap_diagnosis_stream_at(d, 1));
    assert_null(armtap_diagnosis_mode_at(d, 3));
    assert_null(armtap_diagnosis_stop_at(d, 1));
    scene_clear(&scene);
}

/* In order of time, each with its findings; every warning and error is evidence of one. */
static void incidents_have_their_evidence(void **state)
{
    static const struct {
        const char *what;
        uint64_t packet;
        enum armtap_blame side;
    } wanted[] = {{"clock.skipped", SCENE_SKIP, ARMTAP_BLAME_ROBOT},
                  {"safety.stop", SCENE_STOP, ARMTAP_BLAME_UNCLEAR},
                  {"stream.gap", 150, ARMTAP_BLAME_CAPTURE},
                  {"tcp.refused", 160, ARMTAP_BLAME_UNCLEAR},
                  {"tcp.reset", SCENE_RECORDS, ARMTAP_BLAME_UNCLEAR}};
    const size_t count = sizeof wanted / sizeof *wanted;
    struct analysis_scene scene;
    (void)state;
    scene_prepare(&scene);
    assert_int_equal(scene_play(&scene, NULL), ARMTAP_OK);
    const struct armtap_diagnosis *d = scene.diagnosis;
    assert_int_equal(armtap_diagnosis_incident_count(d), count);
    for (size_t i = 0; i < count; i++) {
        const struct armtap_incident *incident = armtap_diagnosis_incident_at(d, i);
        const bool is_refused = strcmp(wanted[i].what, "tcp.refused") == 0;
        assert_string_equal(incident->what->id, wanted[i].what);
        assert_string_equal(armtap_blame_name(incident->side), armtap_blame_name(wanted[i].side));
        assert_string_equal(incident->robot, "10.0.0.2");
        assert_int_equal(incident->where.packet, wanted[i].packet);
        assert_null(incident->cause);
        assert_int_equal(incident->evidence_count, 1);
        assert_int_equal(incident->stream_count, is_refused ? 0 : 1);
        assert_true(is_refused || incident->streams[0] == 0);
        const struct armtap_finding *finding = armtap_diagnosis_finding_at(d, incident->evidence[0]);
        assert_ptr_equal(finding->kind, incident->what);
        assert_int_equal(incident->severity, finding->kind->severity);
        assert_int_equal(incident->from, finding->where.time);
        assert_int_equal(incident->to, finding->last.time);
    }
    assert_null(armtap_diagnosis_incident_at(d, count));
    assert_string_equal(armtap_blame_name((enum armtap_blame)17), "");
    scene_clear(&scene);
}

/* ---- threads --------------------------------------------------------------------------------------------------- */

static void *play_apart(void *user)
{
    struct heard *heard = user;
    for (int i = 0; i < 20; i++) {
        struct analysis_scene scene;
        struct armtap_diagnosis_options options = options_of(heard);
        heard->text[0] = '\0';
        scene_prepare(&scene);
        heard->answer = scene_play(&scene, &options);
        scene_clear(&scene);
    }
    return NULL;
}

static void two_threads_have_one_each(void **state)
{
    struct heard heard[3] = {{.text = ""}, {.text = ""}, {.text = ""}};
    pthread_t thread[2];
    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, play_apart, &heard[i]), 0);
    play_apart(&heard[2]);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(heard[i].answer, ARMTAP_OK);
        assert_string_equal(heard[i].text, heard[2].text);
    }
    assert_non_null(strstr(heard[2].text, "clock.skipped"));
}

/* ---- misuse ---------------------------------------------------------------------------------------------------- */

static void calls_from_within_are_busy(void **state)
{
    struct analysis_scene scene;
    struct heard heard = {.scene = &scene};
    struct armtap_diagnosis_options options = options_of(&heard);
    (void)state;
    scene_prepare(&scene);
    assert_int_equal(scene_begin(&scene, &options), ARMTAP_OK);
    assert_int_equal(scene_refused(&scene), ARMTAP_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(heard.from_within[i], ARMTAP_ERR_BUSY);
    assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
    scene_clear(&scene);
}

static void who_says_stop_is_heard(void **state)
{
    struct analysis_scene scene;
    struct heard heard = {.answer = 1};
    struct armtap_diagnosis_options options = options_of(&heard);
    (void)state;
    scene_prepare(&scene);
    assert_int_equal(scene_play(&scene, &options), ARMTAP_ERR_STOPPED);
    assert_int_equal(scene.record.where.packet, SCENE_SKIP);
    assert_int_equal(scene_record(&scene, 1), ARMTAP_ERR_STOPPED);
    assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_ERR_STOPPED);
    assert_int_equal(armtap_diagnosis_finding_count(scene.diagnosis), 1);
    scene_clear(&scene);
}

static void misuse_is_answered(void **state)
{
    struct analysis_scene scene;
    struct armtap_diagnosis *none = NULL;
    struct armtap_comparison *comparison = NULL;
    const struct armtap_diagnosis_options small = {.size = 8};
    const struct armtap_comparison_options not_a_number = {.size = sizeof not_a_number, .tolerance = -1};
    (void)state;
    assert_int_equal(armtap_diagnosis_new(NULL, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_diagnosis_new(&small, &none), ARMTAP_ERR_SIZE);
    assert_int_equal(armtap_diagnosis_finish(NULL), ARMTAP_ERR_ARGUMENT);
    assert_null(armtap_diagnosis_sink(NULL));
    assert_int_equal(armtap_diagnosis_incident_count(NULL), 0);
    armtap_diagnosis_free(NULL);
    scene_prepare(&scene);
    assert_int_equal(scene_play(&scene, NULL), ARMTAP_OK);
    assert_int_equal(scene.sink->on_record(NULL, &scene.record), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(scene_record(&scene, 1), ARMTAP_ERR_ARGUMENT); /* it is finished */
    assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
    scene_clear(&scene);
    assert_int_equal(armtap_comparison_new(&not_a_number, &comparison), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_comparison_new(NULL, &comparison), ARMTAP_OK);
    assert_int_equal(armtap_comparison_record(comparison, (enum armtap_side)2, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_comparison_finish(comparison), ARMTAP_OK);
    assert_int_equal(armtap_comparison_count(comparison), 0);
    assert_int_equal(armtap_comparison_end(comparison, ARMTAP_SIDE_RTDE), ARMTAP_ERR_ARGUMENT);
    armtap_comparison_free(comparison);
}

/* ---- numbers --------------------------------------------------------------------------------------------------- */

/* A stalled client at the earliest possible time and a skip at the latest: the difference does not overflow. */
static void times_may_be_anything(void **state)
{
    struct analysis_scene scene;
    (void)state;
    scene_prepare(&scene);
    assert_int_equal(scene_begin(&scene, NULL), ARMTAP_OK);
    scene.record.where.time = INT64_MIN + 1;
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(scene_record(&scene, 1), ARMTAP_OK);
    struct armtap_event window = {.stream = &scene.stream,
                                  .where = scene.record.where,
                                  .direction = ARMTAP_TO_ROBOT,
                                  .type = ARMTAP_EVENT_WINDOW};
    assert_int_equal(scene.sink->on_event(scene.diagnosis, &window), ARMTAP_OK);
    window.where.time += 500000000;
    window.a = 64000;
    assert_int_equal(scene.sink->on_event(scene.diagnosis, &window), ARMTAP_OK);
    scene.record.where.time = INT64_MAX - 1000000000;
    assert_int_equal(scene_record(&scene, 4), ARMTAP_OK);
    assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
    assert_int_equal(armtap_diagnosis_incident_count(scene.diagnosis), 2);
    assert_string_equal(armtap_diagnosis_incident_at(scene.diagnosis, 1)->what->id, "clock.skipped");
    assert_null(armtap_diagnosis_incident_at(scene.diagnosis, 1)->cause);
    scene_clear(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_come_as_they_happen), cmocka_unit_test(the_end_is_in_the_list_alone),
        cmocka_unit_test(all_of_it_is_handed_out),      cmocka_unit_test(incidents_have_their_evidence),
        cmocka_unit_test(two_threads_have_one_each),    cmocka_unit_test(calls_from_within_are_busy),
        cmocka_unit_test(who_says_stop_is_heard),       cmocka_unit_test(misuse_is_answered),
        cmocka_unit_test(times_may_be_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
