/* Pairing by the controller's clock, compared with pairs worked out by hand; and the differences of paired records. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/arm/comparison.h"

/* ---- pairing --------------------------------------------------------------------------------------------------- */

struct seen {
    char text[4000]; /* "packet+packet ", legacy first */
    uint64_t count;
    uint64_t stop_after;
};

static int see(void *user, const struct sample samples[ARMTAP_SIDES])
{
    struct seen *seen = user;
    size_t length = strlen(seen->text);
    if (length < sizeof seen->text - 60)
        snprintf(seen->text + length, sizeof seen->text - length, "%llu+%llu ",
                 (unsigned long long)samples[ARMTAP_SIDE_LEGACY].where.packet,
                 (unsigned long long)samples[ARMTAP_SIDE_RTDE].where.packet);
    return ++seen->count == seen->stop_after ? -1 : 0;
}

static void push(struct pairing *pairs, enum armtap_side side, double clock, uint64_t packet)
{
    const struct sample sample = {.clock = clock, .where = {.packet = packet}};
    assert_int_equal(armtap_pairing_push(pairs, side, &sample), 0);
}

static void end(struct pairing *pairs)
{
    assert_int_equal(armtap_pairing_end(pairs, ARMTAP_SIDE_LEGACY), 0);
    assert_int_equal(armtap_pairing_end(pairs, ARMTAP_SIDE_RTDE), 0);
}

/* Pairs two lists of clocks; records are numbered from 1 on each side. The lists are given one after the other, or
 * record by record in turn. */
static struct armtap_pairing_tally pair(const double *legacy, size_t legacy_count, const double *rtde,
                                        size_t rtde_count, bool in_turn, struct seen *seen)
{
    *seen = (struct seen){.count = 0};
    struct pairing *pairs = armtap_pairing_new(in_turn, see, seen);
    assert_non_null(pairs);
    if (in_turn)
        for (size_t i = 0; i < legacy_count || i < rtde_count; i++) {
            if (i < legacy_count)
                push(pairs, ARMTAP_SIDE_LEGACY, legacy[i], i + 1);
            if (i < rtde_count)
                push(pairs, ARMTAP_SIDE_RTDE, rtde[i], i + 1);
        }
    else {
        for (size_t i = 0; i < legacy_count; i++)
            push(pairs, ARMTAP_SIDE_LEGACY, legacy[i], i + 1);
        for (size_t i = 0; i < rtde_count; i++)
            push(pairs, ARMTAP_SIDE_RTDE, rtde[i], i + 1);
    }
    end(pairs);
    struct armtap_pairing_tally tally = *armtap_pairing_tally(pairs);
    armtap_pairing_free(pairs);
    for (int side = 0; side < ARMTAP_SIDES; side++)
        assert_int_equal(tally.records[side], tally.pairs + tally.unpaired[side] + tally.strays[side]);
    return tally;
}

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define PAIR(legacy, rtde, in_turn) pair(legacy, COUNT(legacy), rtde, COUNT(rtde), in_turn, &seen)

/* Both orders give the same pairs. */
#define EXPECT(legacy, rtde, wanted)                                                                                   \
    do {                                                                                                               \
        PAIR(legacy, rtde, false);                                                                                     \
        assert_string_equal(seen.text, wanted);                                                                        \
        PAIR(legacy, rtde, true);                                                                                      \
        assert_string_equal(seen.text, wanted);                                                                        \
    } while (0)

static void same_clocks(void **state)
{
    const double legacy[] = {10.000, 10.008, 10.016, 10.024}, rtde[] = {10.008, 10.016, 10.024, 10.032};
    struct seen seen;
    (void)state;
    EXPECT(legacy, rtde, "2+1 3+2 4+3 ");
    struct armtap_pairing_tally tally = PAIR(legacy, rtde, true);
    assert_int_equal(tally.unpaired[ARMTAP_SIDE_LEGACY], 1);
    assert_int_equal(tally.unpaired[ARMTAP_SIDE_RTDE], 1);
    assert_true(tally.farthest == 0);
    assert_true(tally.cycle > 0.00799 && tally.cycle < 0.00801);
    assert_true(tally.first == (double)10.008 && tally.last == (double)10.024);
}

/* 125 Hz against 500 Hz: the cycle is 2 ms, every fourth record of RTDE has a counterpart. */
static void different_rates(void **state)
{
    const double legacy[] = {1.000, 1.008, 1.016};
    const double rtde[] = {0.998, 1.000, 1.002, 1.004, 1.006, 1.008, 1.010, 1.012, 1.014, 1.016, 1.018};
    struct seen seen;
    (void)state;
    EXPECT(legacy, rtde, "1+2 2+6 3+10 ");
    struct armtap_pairing_tally tally = PAIR(legacy, rtde, false);
    assert_int_equal(tally.unpaired[ARMTAP_SIDE_RTDE], 8);
    assert_true(tally.cycle > 0.00199 && tally.cycle < 0.00201);
}

/* 3 ms off at a cycle of 8 ms still pairs, 5 ms off is nearer to the neighbour: 1.013 is 3 ms before 1.016. */
static void off_by_part_of_a_cycle(void **state)
{
    const double legacy[] = {1.000, 1.008, 1.016, 1.024};
    const double later[] = {1.003, 1.011, 1.019, 1.027}, sooner[] = {0.997, 1.005, 1.013, 1.021};
    struct seen seen;
    (void)state;
    EXPECT(legacy, later, "1+1 2+2 3+3 4+4 ");
    EXPECT(legacy, sooner, "1+1 2+2 3+3 4+4 ");
    struct armtap_pairing_tally tally = PAIR(legacy, later, true);
    assert_true(tally.farthest > 0.00299 && tally.farthest < 0.00301);
    const double far[] = {1.005, 1.013, 1.021, 1.029};
    EXPECT(legacy, far, "2+1 3+2 4+3 ");
}

/* RTDE at 10 Hz, 5 ms after a legacy record of an 8 ms cycle: 3 ms to the next one; no pair is farther than 4 ms apart.
 */
static void nearest_of_two(void **state)
{
    const double legacy[] = {2.000, 2.008, 2.016, 2.024, 2.032, 2.040}, rtde[] = {2.005, 2.0265, 2.050};
    struct seen seen;
    (void)state;
    EXPECT(legacy, rtde, "2+1 4+2 ");
    /* 0.998 and 1.001 are both near enough to 1.000. */
    const double regular[] = {1.000, 1.008, 1.016, 1.024}, crowded[] = {0.998, 1.001, 1.009, 1.017};
    EXPECT(regular, crowded, "1+2 2+3 3+4 ");
    EXPECT(crowded, regular, "2+1 3+2 4+3 ");
}

static void repeated_clocks(void **state)
{
    const double legacy[] = {1.000, 1.008, 1.008, 1.016}, rtde[] = {1.000, 1.008, 1.016, 1.016};
    struct seen seen;
    (void)state;
    EXPECT(legacy, rtde, "1+1 2+2 4+3 ");
    const double both[] = {1.000, 1.008, 1.008, 1.016};
    EXPECT(legacy, both, "1+1 2+2 3+3 4+4 ");
}

static void gaps(void **state)
{
    const double legacy[] = {1.000, 1.008, 1.016, 1.056, 1.064}, rtde[] = {1.000, 1.040, 1.048, 1.056, 1.064};
    struct seen seen;
    (void)state;
    EXPECT(legacy, rtde, "1+1 4+4 5+5 ");
}

/* The clock restarts at 0 and passes its earlier times again. */
static void restart(void **state)
{
    const double legacy[] = {5.000, 5.008, 5.016, 0.000, 0.008, 0.016, 5.000, 5.008};
    const double rtde[] = {5.000, 5.016, 0.000, 0.008, 5.000, 5.008};
    struct seen seen;
    (void)state;
    EXPECT(legacy, rtde, "1+1 3+2 4+3 5+4 7+5 8+6 ");
    struct armtap_pairing_tally tally = PAIR(legacy, rtde, true);
    assert_int_equal(tally.restarts[ARMTAP_SIDE_LEGACY], 1);
    assert_int_equal(tally.restarts[ARMTAP_SIDE_RTDE], 1);
}

/* A clock value 30 s ahead must be confirmed; one that is less far ahead is accepted, so the next value is a restart.
 */
static void leaps_must_be_confirmed(void **state)
{
    const double near[] = {1.000, 1.008, 30.9, 1.016, 1.024}, far[] = {1.000, 1.008, 31.1, 1.016, 1.024};
    const double rtde[] = {1.000, 1.008, 1.016, 1.024};
    struct seen seen;
    (void)state;
    struct armtap_pairing_tally tally = PAIR(near, rtde, false);
    assert_int_equal(tally.strays[ARMTAP_SIDE_LEGACY], 0);
    assert_int_equal(tally.restarts[ARMTAP_SIDE_LEGACY], 1);
    tally = PAIR(far, rtde, false);
    assert_int_equal(tally.strays[ARMTAP_SIDE_LEGACY], 1);
    assert_int_equal(tally.restarts[ARMTAP_SIDE_LEGACY], 0);
    assert_string_equal(seen.text, "1+1 2+2 4+3 5+4 ");
}

/* RTDE begins after the restart: its times belong to the second run of the clock. */
static void begins_after_a_restart(void **state)
{
    struct seen seen = {.count = 0};
    struct pairing *pairs = armtap_pairing_new(true, see, &seen);
    (void)state;
    assert_non_null(pairs);
    push(pairs, ARMTAP_SIDE_LEGACY, 5.000, 1);
    push(pairs, ARMTAP_SIDE_LEGACY, 5.008, 2);
    push(pairs, ARMTAP_SIDE_LEGACY, 0.000, 3);
    push(pairs, ARMTAP_SIDE_LEGACY, 0.008, 4);
    push(pairs, ARMTAP_SIDE_RTDE, 0.008, 1);
    push(pairs, ARMTAP_SIDE_LEGACY, 0.016, 5);
    push(pairs, ARMTAP_SIDE_RTDE, 0.016, 2);
    end(pairs);
    assert_string_equal(seen.text, "4+1 5+2 ");
    armtap_pairing_free(pairs);
}

/* A clock value that its neighbours contradict is ignored, wherever it is; so is NaN. */
static void strays(void **state)
{
    const double legacy[] = {9e8, 1.000, 1.008, 4000, 1.016, 0.0, 1.024, 1.032};
    const double rtde[] = {1.000, 1.008, 1.016, 1.024, 1.032};
    struct seen seen;
    (void)state;
    EXPECT(legacy, rtde, "2+1 3+2 5+3 7+4 8+5 ");
    struct armtap_pairing_tally tally = PAIR(legacy, rtde, true);
    assert_int_equal(tally.strays[ARMTAP_SIDE_LEGACY], 3);
    assert_int_equal(tally.restarts[ARMTAP_SIDE_LEGACY], 0);
    const double none[] = {(double)NAN, 1.000, (double)INFINITY, 1.008, 1.016, 1.024, 1.032};
    EXPECT(none, rtde, "2+1 4+2 5+3 6+4 7+5 ");
}

static void one_record(void **state)
{
    const double one[] = {7.5}, near[] = {7.5005}, far[] = {7.502};
    struct seen seen;
    (void)state;
    EXPECT(one, near, "1+1 ");
    EXPECT(one, far, "");
    struct armtap_pairing_tally tally = pair(one, 1, far, 0, false, &seen);
    assert_int_equal(tally.pairs, 0);
    assert_int_equal(tally.unpaired[ARMTAP_SIDE_LEGACY], 1);
}

/* However far one side runs ahead, only a window of its records waits: a record 40000 later finds the newest. */
static void bounded_window(void **state)
{
    struct seen seen = {.count = 0};
    struct pairing *pairs = armtap_pairing_new(true, see, &seen);
    (void)state;
    assert_non_null(pairs);
    for (unsigned i = 0; i < 40000; i++)
        push(pairs, ARMTAP_SIDE_LEGACY, i * 0.008, i + 1);
    for (unsigned i = 0; i < 40000; i++)
        push(pairs, ARMTAP_SIDE_RTDE, i * 0.008, i + 1);
    end(pairs);
    const struct armtap_pairing_tally *tally = armtap_pairing_tally(pairs);
    assert_in_range(tally->pairs, 16000, 17000);
    assert_int_equal(tally->pairs + tally->unpaired[ARMTAP_SIDE_LEGACY], 40000);
    assert_int_equal(tally->pairs + tally->unpaired[ARMTAP_SIDE_RTDE], 40000);
    armtap_pairing_free(pairs);
}

static void stops_when_told(void **state)
{
    struct seen seen = {.stop_after = 2};
    struct pairing *pairs = armtap_pairing_new(true, see, &seen);
    (void)state;
    assert_non_null(pairs);
    for (unsigned i = 0; i < 4; i++) {
        push(pairs, ARMTAP_SIDE_LEGACY, i * 0.008, i + 1);
        push(pairs, ARMTAP_SIDE_RTDE, i * 0.008, i + 1);
    }
    assert_int_equal(armtap_pairing_end(pairs, ARMTAP_SIDE_LEGACY), 0);
    assert_int_equal(armtap_pairing_end(pairs, ARMTAP_SIDE_RTDE), -1);
    assert_int_equal(seen.count, 2);
    armtap_pairing_free(pairs);
}

/* ---- differences ----------------------------------------------------------------------------------------------- */

static void put(uint8_t *to, uint64_t bits)
{
    for (unsigned i = 0; i < 8; i++)
        to[i] = (uint8_t)(bits >> (56 - 8 * i));
}

static void put_double(uint8_t *to, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    put(to, bits);
}

/* Two RTDE recipes stand for the two sides: a scalar, a vector, and a name on one side only. */
struct stage {
    struct armtap_recipe *recipe[ARMTAP_SIDES];
    uint8_t values[ARMTAP_SIDES][8 * 8];
    struct differences *differences;
};

static void stage_begin(struct stage *stage, double tolerance)
{
    memset(stage, 0, sizeof *stage);
    assert_int_equal(armtap_recipe_rtde("speed_scaling,actual_q,payload", "DOUBLE,VECTOR6D,DOUBLE",
                                        &stage->recipe[ARMTAP_SIDE_LEGACY]),
                     0);
    assert_int_equal(armtap_recipe_rtde("actual_q,speed_scaling,robot_mode", "VECTOR6D,DOUBLE,INT32",
                                        &stage->recipe[ARMTAP_SIDE_RTDE]),
                     0);
    stage->differences = armtap_differences_new(tolerance);
    assert_non_null(stage->differences);
}

/* Sets the scalar and the vector's element 4, on each side. */
static void stage_add(struct stage *stage, double scalar, double element, double rtde_scalar, double rtde_element,
                      uint64_t packet)
{
    const struct sample samples[ARMTAP_SIDES] = {
        {.clock = 1, .where = {.packet = packet}, .recipe = stage->recipe[0], .values = stage->values[0], .length = 64},
        {.clock = 1,
         .where = {.packet = packet},
         .recipe = stage->recipe[1],
         .values = stage->values[1],
         .length = 60}};
    put_double(stage->values[ARMTAP_SIDE_LEGACY], scalar);
    put_double(stage->values[ARMTAP_SIDE_LEGACY] + 8 + 4 * 8, element);
    put_double(stage->values[ARMTAP_SIDE_RTDE] + 4 * 8, rtde_element);
    put_double(stage->values[ARMTAP_SIDE_RTDE] + 48, rtde_scalar);
    assert_int_equal(armtap_differences_add(stage->differences, samples), 0);
}

static const struct armtap_difference *stage_find(struct stage *stage, const char *name)
{
    assert_int_equal(armtap_differences_finish(stage->differences), 0);
    for (size_t i = 0; i < armtap_differences_count(stage->differences); i++)
        if (strcmp(armtap_differences_at(stage->differences, i)->name, name) == 0)
            return armtap_differences_at(stage->differences, i);
    fail_msg("no field %s", name);
    return NULL;
}

static void stage_end(struct stage *stage)
{
    armtap_differences_free(stage->differences);
    for (int side = 0; side < ARMTAP_SIDES; side++)
        armtap_recipe_release(stage->recipe[side]);
}

/* Differences 0, 0.5 and 0.25 of the scalar; 0.75 in one of 18 elements of the vector. */
static void largest_and_mean(void **state)
{
    struct stage stage;
    (void)state;
    stage_begin(&stage, 0);
    stage_add(&stage, 1, 2, 1, 2, 10);
    stage_add(&stage, 1, 2, 1.5, 2, 11);
    stage_add(&stage, 1, 2, 0.75, 2.75, 12);
    const struct armtap_difference *scalar = stage_find(&stage, "speed_scaling"),
                                   *vector = stage_find(&stage, "actual_q");
    assert_int_equal(scalar->pairs, 3);
    assert_int_equal(scalar->differ, 2);
    assert_true(scalar->largest == 0.5 && scalar->mean == 0.25);
    assert_int_equal(scalar->where[ARMTAP_SIDE_RTDE].packet, 11);
    assert_int_equal(scalar->verdict, ARMTAP_DIFFERS);
    assert_int_equal(vector->differ, 1);
    assert_int_equal(vector->element, 4);
    assert_true(vector->largest == 0.75 && vector->mean == (double)(0.75 / 18));
    assert_int_equal(stage_find(&stage, "payload")->verdict, ARMTAP_ONLY_LEGACY);
    assert_int_equal(stage_find(&stage, "robot_mode")->verdict, ARMTAP_ONLY_RTDE);
    /* In the order of the legacy record, then fields that only one side has. */
    assert_string_equal(armtap_differences_at(stage.differences, 0)->name, "speed_scaling");
    assert_string_equal(armtap_differences_at(stage.differences, 1)->name, "actual_q");
    assert_string_equal(armtap_differences_at(stage.differences, 2)->name, "payload");
    assert_string_equal(armtap_differences_at(stage.differences, 3)->name, "robot_mode");
    stage_end(&stage);
}

static void tolerance(void **state)
{
    struct stage stage;
    (void)state;
    stage_begin(&stage, 0.25);
    stage_add(&stage, 1, 2, 1.25, 2.25001, 1);
    assert_int_equal(stage_find(&stage, "speed_scaling")->verdict, ARMTAP_EQUAL);
    assert_true(stage_find(&stage, "speed_scaling")->largest == 0.25);
    assert_int_equal(stage_find(&stage, "actual_q")->verdict, ARMTAP_DIFFERS);
    stage_end(&stage);
}

/* NaN equals NaN, infinity equals itself; zeros of different sign differ in their bits; NaN and a number differ by NaN.
 */
static void values_that_are_no_numbers(void **state)
{
    struct stage stage;
    (void)state;
    stage_begin(&stage, 0);
    stage_add(&stage, (double)NAN, -(double)INFINITY, -(double)NAN, -(double)INFINITY, 1);
    assert_int_equal(stage_find(&stage, "speed_scaling")->verdict, ARMTAP_EQUAL);
    assert_true(stage_find(&stage, "speed_scaling")->largest == 0);
    assert_int_equal(stage_find(&stage, "actual_q")->verdict, ARMTAP_EQUAL);
    stage_end(&stage);

    stage_begin(&stage, 0);
    stage_add(&stage, 0.0, 1, -0.0, (double)NAN, 7);
    assert_int_equal(stage_find(&stage, "speed_scaling")->verdict, ARMTAP_DIFFERS);
    assert_true(stage_find(&stage, "speed_scaling")->largest == 0);
    assert_int_equal(stage_find(&stage, "speed_scaling")->where[0].packet, 7);
    assert_int_equal(stage_find(&stage, "actual_q")->verdict, ARMTAP_DIFFERS);
    assert_true(stage_find(&stage, "actual_q")->largest != stage_find(&stage, "actual_q")->largest);
    stage_end(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_clocks),
        cmocka_unit_test(different_rates),
        cmocka_unit_test(off_by_part_of_a_cycle),
        cmocka_unit_test(nearest_of_two),
        cmocka_unit_test(repeated_clocks),
        cmocka_unit_test(gaps),
        cmocka_unit_test(restart),
        cmocka_unit_test(leaps_must_be_confirmed),
        cmocka_unit_test(begins_after_a_restart),
        cmocka_unit_test(strays),
        cmocka_unit_test(one_record),
        cmocka_unit_test(bounded_window),
        cmocka_unit_test(stops_when_told),
        cmocka_unit_test(largest_and_mean),
        cmocka_unit_test(tolerance),
        cmocka_unit_test(values_that_are_no_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
