/* libarmtap-analysis without memory: each allocation fails once, and nothing is lost silently. Its memory is bounded,
 * however long a stream goes on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocations.h"
#include "analysis_scene.h"
#include "support.h"

/* ---- each allocation fails ------------------------------------------------------------------------------------- */

/* Plays the scene with the n-th allocation failing; false if there are fewer. */
static bool fail_diagnosis(unsigned long n)
{
    const struct armtap_diagnosis_options options = {.size = sizeof options, .reach = 1000000000};
    struct analysis_scene scene;
    scene_prepare(&scene);
    long held = memory.held;
    memory.count = 0;
    memory.fail_at = n;
    int error = scene_play(&scene, &options);
    bool has_failed = memory.count >= n;
    memory.fail_at = 0;
    assert_int_equal(error, has_failed ? ARMTAP_ERR_MEMORY : ARMTAP_OK);
    if (has_failed && scene.diagnosis) {
        assert_int_equal(scene_record(&scene, 1), ARMTAP_ERR_MEMORY);
        assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_ERR_MEMORY);
    }
    armtap_diagnosis_free(scene.diagnosis);
    assert_int_equal(memory.held, held);
    scene.diagnosis = NULL;
    scene_clear(&scene);
    return has_failed;
}

static void a_diagnosis_says_so(void **state)
{
    unsigned long n = 1;
    (void)state;
    while (fail_diagnosis(n))
        n++;
    print_message("%lu allocations\n", n - 1);
    assert_true(n > 40);
}

/* Compares records of both sides; their only value is the 8-byte clock. */
static int compare(struct armtap_comparison *comparison, struct analysis_scene *scene)
{
    uint8_t values[64] = {0};
    scene->record.values = values;
    scene->record.values_length = sizeof values;
    for (unsigned i = 0; i < 300; i++) {
        scene->state->timestamp = 1 + 0.008 * i;
        for (int side = 0; side < ARMTAP_SIDES; side++) {
            int error = armtap_comparison_record(comparison, (enum armtap_side)side, &scene->record);
            if (error != ARMTAP_OK)
                return error;
        }
    }
    return armtap_comparison_finish(comparison);
}

static bool fail_comparison(unsigned long n)
{
    struct analysis_scene scene;
    struct armtap_comparison *comparison = NULL;
    scene_prepare(&scene);
    long held = memory.held;
    memory.count = 0;
    memory.fail_at = n;
    int error = armtap_comparison_new(NULL, &comparison);
    if (error == ARMTAP_OK)
        error = compare(comparison, &scene);
    bool has_failed = memory.count >= n;
    memory.fail_at = 0;
    assert_int_equal(error, has_failed ? ARMTAP_ERR_MEMORY : ARMTAP_OK);
    if (!has_failed) {
        assert_int_equal(armtap_comparison_tally(comparison)->pairs, 300);
        assert_int_equal(armtap_comparison_count(comparison), 3);
    }
    assert_int_equal(comparison ? armtap_comparison_finish(comparison) : ARMTAP_ERR_MEMORY, error);
    armtap_comparison_free(comparison);
    assert_int_equal(memory.held, held);
    scene_clear(&scene);
    return has_failed;
}

static void a_comparison_says_so(void **state)
{
    unsigned long n = 1;
    (void)state;
    while (fail_comparison(n))
        n++;
    print_message("%lu allocations\n", n - 1);
    assert_true(n > 10);
}

/* ---- a stream that does not end -------------------------------------------------------------------------------- */

static int count_finding(void *user, const struct armtap_finding *finding, const struct armtap_stream *stream)
{
    (void)finding;
    (void)stream;
    ++*(unsigned long *)user;
    return 0;
}

/* A million records, nearly all `packages` apart; memory does not grow after the first 200,000. */
static void go_on(unsigned packages, unsigned long least, size_t most)
{
    unsigned long found = 0;
    size_t kept = 0;
    const struct armtap_diagnosis_options options = {
        .size = sizeof options, .on_finding = count_finding, .user = &found};
    struct analysis_scene scene;
    scene_prepare(&scene);
    size_t before = memory.bytes;
    assert_int_equal(scene_begin(&scene, &options), ARMTAP_OK);
    for (unsigned i = 0; i < 1000000; i++) {
        assert_int_equal(scene_record(&scene, i < 100 ? 1 : i % 2 == 0 ? packages : 1), ARMTAP_OK);
        if (i == 200000)
            kept = memory.bytes - before;
    }
    print_message("%lu findings, %zu bytes kept\n", found, memory.bytes - before);
    assert_true(found >= least);
    assert_true(memory.bytes - before <= kept + 1024);
    assert_true(kept <= most);
    assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
    scene_clear(&scene);
    assert_int_equal(memory.held, 0);
}

static void a_long_stream_takes_no_more(void **state)
{
    (void)state;
    go_on(1, 0, 400000);
}

/* Packages are skipped before every second record. */
static void neither_does_one_full_of_findings(void **state)
{
    (void)state;
    go_on(3, 499000, 8000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_diagnosis_says_so),
        cmocka_unit_test(a_comparison_says_so),
        cmocka_unit_test(a_long_stream_takes_no_more),
        cmocka_unit_test(neither_does_one_full_of_findings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
