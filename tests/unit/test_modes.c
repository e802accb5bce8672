/* The timeline of modes, and what is found in it. */
#include <stdio.h>
#include <string.h>

#include "analysis_scene.h"
#include "support.h"

/* Each of these fields changes by itself, and the other is not used up by it. */
#define MODES_OF_A_FIELD 10000

static const struct armtap_mode *last_of(const struct armtap_diagnosis *diagnosis, const char *field, size_t *count)
{
    const struct armtap_mode *mode = NULL, *last = NULL;
    *count = 0;
    for (size_t i = 0; (mode = armtap_diagnosis_mode_at(diagnosis, i)); i++) {
        if (strcmp(mode->field->name, field) != 0)
            continue;
        if (last)
            assert_true(last->kept_until == ARMTAP_NO_TIME);
        last = mode;
        ++*count;
    }
    return last;
}

/* A program that starts and stops uses up the room of runtime_state, but not that of safety_mode; the last state that
 * is kept ends where the first that is not begins. */
static void a_field_has_room_of_its_own(void **state)
{
    struct analysis_scene scene;
    size_t count;
    int64_t first_lost = 0;
    (void)state;
    scene_prepare(&scene);
    armtap_set_add(&scene.updated, ARMTAP_ID_runtime_state);
    assert_int_equal(scene_begin(&scene, NULL), ARMTAP_OK);
    for (unsigned i = 1; i <= MODES_OF_A_FIELD + 5; i++) {
        scene.state->runtime_state = i % 2 == 0 ? 1 : 2;
        assert_int_equal(scene_record(&scene, 1), ARMTAP_OK);
        if (i == MODES_OF_A_FIELD + 1)
            first_lost = scene.record.where.time;
    }
    scene.state->safety_mode = 5;
    assert_int_equal(scene_record(&scene, 1), ARMTAP_OK);
    assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
    const struct armtap_mode *program = last_of(scene.diagnosis, "runtime_state", &count);
    assert_int_equal(count, MODES_OF_A_FIELD);
    assert_int_equal(program->where.packet, MODES_OF_A_FIELD);
    assert_true(program->kept_until == first_lost);
    const struct armtap_mode *safety = last_of(scene.diagnosis, "safety_mode", &count);
    assert_int_equal(count, 2);
    assert_string_equal(safety->name, "SAFEGUARD_STOP");
    assert_true(safety->kept_until == ARMTAP_NO_TIME);
    assert_int_equal(armtap_diagnosis_modes_left_out(scene.diagnosis), 5);
    scene_clear(&scene);
}

/* As many changes as are kept, and one more, which no list of other changes is needed for. */
static void the_last_that_fits_has_no_end(void **state)
{
    (void)state;
    for (unsigned more = 0; more < 2; more++) {
        struct analysis_scene scene;
        size_t count;
        scene_prepare(&scene);
        assert_int_equal(scene_begin(&scene, NULL), ARMTAP_OK);
        for (unsigned i = 0; i < MODES_OF_A_FIELD + more; i++) {
            scene.state->safety_mode = i % 2 == 0 ? 1 : 2;
            assert_int_equal(scene_record(&scene, 1), ARMTAP_OK);
        }
        assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
        const struct armtap_mode *safety = last_of(scene.diagnosis, "safety_mode", &count);
        assert_int_equal(count, MODES_OF_A_FIELD);
        assert_int_equal(safety->kept_until != ARMTAP_NO_TIME, more);
        assert_int_equal(armtap_diagnosis_modes_left_out(scene.diagnosis), more);
        scene_clear(&scene);
    }
}

/* The room of all streams together: the fields that change last end early. */
static void all_streams_share_the_rest(void **state)
{
    struct analysis_scene scene;
    const struct armtap_mode *mode = NULL;
    (void)state;
    scene_prepare(&scene);
    assert_int_equal(scene_begin(&scene, NULL), ARMTAP_OK);
    for (unsigned stream = 0; stream < 6; stream++) {
        scene.stream.connection = stream;
        for (unsigned i = 0; i < (stream < 5 ? 9999U : 20U); i++) {
            scene.state->safety_mode = i % 2 == 0 ? 1 : 2;
            assert_int_equal(scene_record(&scene, 1), ARMTAP_OK);
        }
    }
    int64_t lost = scene.record.where.time - 14 * INT64_C(8000000);
    assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
    assert_int_equal(armtap_diagnosis_mode_count(scene.diagnosis), 5 * MODES_OF_A_FIELD);
    assert_int_equal(armtap_diagnosis_modes_left_out(scene.diagnosis), 15);
    for (size_t i = 0; (mode = armtap_diagnosis_mode_at(scene.diagnosis, i)); i++) {
        bool is_last = i == 5 * MODES_OF_A_FIELD - 1;
        assert_true(mode->kept_until == (is_last ? lost : ARMTAP_NO_TIME));
    }
    scene_clear(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_field_has_room_of_its_own),
        cmocka_unit_test(the_last_that_fits_has_no_end),
        cmocka_unit_test(all_streams_share_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
