/* libarmtap-analysis without memory: each allocation fails once, and nothing is lost silently. Its memory is bounded,
 * however long a stream goes on, and small for each of thousands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocations.h"
#include "analysis_scene.h"
#include "support.h"
#include "analysis/inside.h"

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
    long held = memory.held;
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
    assert_int_equal(memory.held, held);
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

/* ---- streams one after the other ------------------------------------------------------------------------------- */

#define STREAMS 2000u
#define EACH 25u
/* Bytes that an ended stream may keep: in the list, and in all with its findings (a reset, and who sent it) and modes;
 * and a running one. */
#define LISTED_MOST 200
#define ENDED_MOST 840
#define RUNNING_MOST 4700

static void connect_again(struct analysis_scene *scene, unsigned i)
{
    scene->stream.connection = i + 1;
    snprintf(scene->stream.client, sizeof scene->stream.client, "10.0.0.9:%u", 20000 + i);
    scene->stream.records[ARMTAP_FROM_ROBOT] = 0;
    scene->stream.first = scene->record.where;
    scene->stream.packets[ARMTAP_FROM_ROBOT] = i;
}

/* What a diagnosis keeps of each. */
static size_t diagnosed_each(bool ends)
{
    long held = memory.held;
    const struct armtap_diagnosis_options options = {.size = sizeof options};
    struct analysis_scene scene;
    scene_prepare(&scene);
    assert_int_equal(scene_begin(&scene, &options), ARMTAP_OK);
    size_t before = memory.bytes;
    for (unsigned i = 0; i < STREAMS; i++) {
        connect_again(&scene, i);
        for (unsigned k = 0; k < EACH; k++)
            assert_int_equal(scene_record(&scene, 1), ARMTAP_OK);
        if (ends)
            assert_int_equal(scene_event(&scene, ARMTAP_EVENT_CLOSE, ARMTAP_CLOSE_RESET), ARMTAP_OK);
    }
    size_t each = (memory.bytes - before) / STREAMS;
    assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
    assert_int_equal(armtap_diagnosis_stream_count(scene.diagnosis), STREAMS);
    scene_clear(&scene);
    assert_int_equal(memory.held, held);
    return each;
}

static void streams_of_a_diagnosis_keep_little(void **state)
{
    (void)state;
    size_t ended = diagnosed_each(true), running = diagnosed_each(false);
    print_message("%zu bytes of an ended stream, %zu of one that runs\n", ended, running);
    assert_in_range(ended, 100, ENDED_MOST);
    assert_in_range(running, 1000, RUNNING_MOST);
}

static int close_one(struct armtap_streams *streams, const struct analysis_scene *scene, enum armtap_close how)
{
    const struct armtap_event event = {
        .stream = &scene->stream, .where = scene->record.where, .type = ARMTAP_EVENT_CLOSE, .a = (uint64_t)how};
    return armtap_streams_event(streams, &event);
}

/* Something comes of an earlier stream, which has ended. */
static int come_late(struct armtap_streams *streams, const struct analysis_scene *scene, unsigned i)
{
    struct armtap_stream late = scene->stream;
    late.connection = i + 1;
    snprintf(late.client, sizeof late.client, "10.0.0.9:%u", 20000 + i);
    late.records[ARMTAP_FROM_ROBOT] = EACH;
    late.packets[ARMTAP_FROM_ROBOT] = 1000000 + i;
    const struct armtap_note note = {
        .kind = armtap_note_find("stream.gap"), .stream = &late, .where = scene->record.where, .text = "late"};
    return armtap_streams_note(streams, &note);
}

static int feed_one(struct armtap_streams *streams, struct analysis_scene *scene, unsigned i)
{
    connect_again(scene, i);
    const struct armtap_recipe_event set_up = {
        .stream = &scene->stream, .where = scene->record.where, .recipe = scene->recipe};
    int error = armtap_streams_recipe(streams, &set_up);
    for (unsigned n = 0; n < EACH && error == ARMTAP_OK; n++) {
        scene->record.where.packet++;
        scene->record.where.time += 8000000;
        scene->record.clock = i + 0.008 * n;
        scene->stream.records[ARMTAP_FROM_ROBOT]++;
        error = armtap_streams_record(streams, &scene->record);
    }
    return error == ARMTAP_OK ? close_one(streams, scene, i % 2 ? ARMTAP_CLOSE_RESET : ARMTAP_CLOSE_REPLACED) : error;
}

/* So many streams; something comes of each hundredth when fifty others have ended. */
static int feed_some(struct armtap_streams *streams, struct analysis_scene *scene, unsigned count)
{
    int error = ARMTAP_OK;
    for (unsigned i = 0; i < count && error == ARMTAP_OK; i++) {
        error = feed_one(streams, scene, i);
        if (error == ARMTAP_OK && i % 100 == 50)
            error = come_late(streams, scene, i - 50);
    }
    return error;
}

static void feed(struct armtap_streams *streams, unsigned count)
{
    struct analysis_scene scene;
    scene_prepare(&scene);
    assert_int_equal(feed_some(streams, &scene, count), ARMTAP_OK);
    scene_clear(&scene);
}

static void assert_same(const struct armtap_stream_summary *one, const struct armtap_stream_summary *other)
{
    size_t gaps = (size_t)(armtap_note_find("stream.gap") - armtap_note_at(0));
    bool is_late = (one->stream->connection - 1) % 100 == 0;
    assert_memory_equal(one->stream, other->stream, sizeof *one->stream);
    assert_int_equal(one->stream->packets[ARMTAP_FROM_ROBOT], one->stream->connection - 1 + (is_late ? 1000000 : 0));
    assert_int_equal(one->stream->records[ARMTAP_FROM_ROBOT], EACH);
    assert_int_equal(one->number, other->number);
    assert_memory_equal(&one->begin, &other->begin, sizeof one->begin);
    assert_memory_equal(one->first_time, other->first_time, sizeof one->first_time);
    assert_memory_equal(one->last, other->last, sizeof one->last);
    assert_true(one->last_clock == other->last_clock);
    assert_true(one->streaming == other->streaming && one->steps == other->steps);
    assert_true(armtap_recipe_same(one->recipe, other->recipe));
    assert_int_equal(armtap_streams_notes_of(one, gaps), is_late);
    assert_int_equal(armtap_streams_notes_of(other, gaps), is_late);
}

/* A list that packs tells the same as one that does not. */
static void ended_streams_are_packed(void **state)
{
    long held = memory.held;
    struct armtap_streams *plain = armtap_streams_new(), *packing = armtap_streams_new();
    (void)state;
    armtap_streams_pack(packing);
    feed(plain, STREAMS);
    feed(packing, STREAMS);
    assert_int_equal(armtap_streams_unpack(packing), ARMTAP_OK);
    armtap_streams_number(plain);
    armtap_streams_number(packing);
    assert_int_equal(armtap_streams_count(packing), STREAMS);
    for (size_t i = 0; i < STREAMS; i++)
        assert_same(armtap_streams_at(plain, i), armtap_streams_at(packing, i));
    armtap_streams_free(plain);
    armtap_streams_free(packing);
    assert_int_equal(memory.held, held);
}

/* A guess with reasons that have no room is left out and counted, which is no error; one that has room is kept. */
static void guesses_without_room_are_counted(void **state)
{
    long held = memory.held;
    static char reasons[(2 << 20) + 1];
    static const size_t lengths[] = {1 << 20, sizeof reasons - 1};
    (void)state;
    for (unsigned is_too_long = 0; is_too_long < 2; is_too_long++) {
        struct armtap_streams *streams = armtap_streams_new();
        struct analysis_scene scene;
        scene_prepare(&scene);
        memset(reasons, 'x', lengths[is_too_long]);
        const struct armtap_guess_evidence guess = {.source = "a client", .reasons = reasons};
        const struct armtap_recipe_event set_up = {
            .stream = &scene.stream, .where = scene.record.where, .recipe = scene.recipe, .guess = &guess};
        assert_int_equal(armtap_streams_recipe(streams, &set_up), ARMTAP_OK);
        assert_int_equal(armtap_streams_recipes_left_out(streams), is_too_long);
        armtap_streams_number(streams);
        assert_int_equal(armtap_streams_at(streams, 0)->recipe != NULL, !is_too_long);
        assert_int_equal(armtap_streams_at(streams, 0)->guess != NULL, !is_too_long);
        armtap_streams_free(streams);
        scene_clear(&scene);
    }
    assert_int_equal(memory.held, held);
}

#define FEW 60u

/* A summary that was asked for stays where it is, whether it was packed or not. */
static void summaries_asked_for_stay(void **state)
{
    struct armtap_streams *streams = armtap_streams_new();
    struct analysis_scene scene;
    (void)state;
    scene_prepare(&scene);
    armtap_streams_pack(streams);
    assert_int_equal(feed_some(streams, &scene, FEW), ARMTAP_OK);
    const struct armtap_stream_summary *early = armtap_streams_of(streams, 7), *last = armtap_streams_of(streams, FEW);
    for (unsigned i = FEW; i < FEW + 3; i++)
        assert_int_equal(feed_one(streams, &scene, i), ARMTAP_OK);
    assert_int_equal(early->stream->connection, 7);
    assert_int_equal(last->stream->connection, FEW);
    assert_int_equal(armtap_streams_unpack(streams), ARMTAP_OK);
    armtap_streams_number(streams);
    assert_ptr_equal(early, armtap_streams_at(streams, 6));
    assert_ptr_equal(last, armtap_streams_at(streams, FEW - 1));
    armtap_streams_free(streams);
    scene_clear(&scene);
}

/* Packs and unpacks with the n-th allocation failing: says so, or tells everything. False if there are fewer. */
static bool fail_packing(const struct armtap_streams *plain, unsigned long n)
{
    long held = memory.held;
    struct analysis_scene scene;
    struct armtap_streams *streams = armtap_streams_new();
    scene_prepare(&scene);
    armtap_streams_pack(streams);
    memory.count = 0;
    memory.fail_at = n;
    int error = feed_some(streams, &scene, FEW);
    if (error == ARMTAP_OK)
        error = armtap_streams_unpack(streams);
    bool has_failed = memory.count >= n;
    memory.fail_at = 0;
    assert_true(error == ARMTAP_OK || (has_failed && error == ARMTAP_ERR_MEMORY));
    armtap_streams_number(streams);
    assert_true(error != ARMTAP_OK || armtap_streams_count(streams) == FEW);
    for (size_t i = 0; i < FEW && error == ARMTAP_OK; i++)
        assert_same(armtap_streams_at(plain, i), armtap_streams_at(streams, i));
    armtap_streams_free(streams);
    scene_clear(&scene);
    assert_int_equal(memory.held, held);
    return has_failed;
}

static void packing_says_so(void **state)
{
    long held = memory.held;
    struct armtap_streams *plain = armtap_streams_new();
    unsigned long n = 1;
    (void)state;
    feed(plain, FEW);
    armtap_streams_number(plain);
    while (fail_packing(plain, n))
        n++;
    print_message("%lu allocations\n", n - 1);
    assert_true(n > 2 * FEW);
    armtap_streams_free(plain);
    assert_int_equal(memory.held, held);
}

static void packed_streams_take_little(void **state)
{
    long held = memory.held;
    (void)state;
    struct armtap_streams *streams = armtap_streams_new();
    armtap_streams_pack(streams);
    size_t before = memory.bytes;
    feed(streams, STREAMS);
    size_t each = (memory.bytes - before) / STREAMS;
    print_message("%zu bytes of a packed stream\n", each);
    assert_in_range(each, 50, LISTED_MOST);
    assert_int_equal(armtap_streams_unpack(streams), ARMTAP_OK);
    assert_true((memory.bytes - before) / STREAMS > 600);
    armtap_streams_free(streams);
    assert_int_equal(memory.held, held);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_diagnosis_says_so),
        cmocka_unit_test(a_comparison_says_so),
        cmocka_unit_test(a_long_stream_takes_no_more),
        cmocka_unit_test(neither_does_one_full_of_findings),
        cmocka_unit_test(streams_of_a_diagnosis_keep_little),
        cmocka_unit_test(ended_streams_are_packed),
        cmocka_unit_test(guesses_without_room_are_counted),
        cmocka_unit_test(summaries_asked_for_stay),
        cmocka_unit_test(packing_says_so),
        cmocka_unit_test(packed_streams_take_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
