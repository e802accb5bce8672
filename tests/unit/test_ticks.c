/* Ticks of axes, against a clock read by hand: 2026-01-31 12:00:00 UTC is second 1769860800. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "plot/draw.h"

#define SECOND INT64_C(1000000000)
#define HOUR (3600 * SECOND)
#define NOON (1769860800 * SECOND)

static void check_time(int64_t time, int64_t step, const char *text)
{
    char tick[TICK_MAX];
    ticks_time(tick, time, step, TIMESTAMP_UTC);
    assert_string_equal(tick, text);
}

static void times_have_the_digits_of_their_step(void **state)
{
    (void)state;
    check_time(NOON, 60 * SECOND, "12:00");
    check_time(NOON + 5 * SECOND, 5 * SECOND, "12:00:05");
    check_time(NOON + SECOND / 2, SECOND / 2, "12:00:00.5");
    check_time(NOON + 20, 20, "12:00:00.00000002");
    check_time(NOON + 12 * HOUR - 1, 1, "23:59:59.999999999");
}

static void midnight_is_a_date(void **state)
{
    (void)state;
    check_time(NOON + 12 * HOUR, 3 * HOUR, "2026-02-01");
    check_time(NOON + 12 * HOUR, SECOND / 10, "2026-02-01");
    check_time(NOON + 12 * HOUR + 1, 1, "00:00:00.000000001");
    check_time(NOON, 24 * HOUR, "2026-01-31");
}

static void the_first_tick_is_a_round_time(void **state)
{
    (void)state;
    assert_int_equal(ticks_first_time(NOON, HOUR, TIMESTAMP_UTC), NOON);
    assert_int_equal(ticks_first_time(NOON + 1, HOUR, TIMESTAMP_UTC), NOON + HOUR);
    assert_int_equal(ticks_first_time(NOON - 1, HOUR, TIMESTAMP_UTC), NOON);
    assert_int_equal(ticks_first_time(NOON + 1, 24 * HOUR, TIMESTAMP_UTC), NOON + 12 * HOUR);
    assert_int_equal(ticks_first_time(-1, HOUR, TIMESTAMP_UTC), 0); /* 1969-12-31T23:59:59.999999999Z */
}

static void steps_are_those_of_clocks(void **state)
{
    (void)state;
    assert_int_equal(ticks_time_step(60 * SECOND, 6), 10 * SECOND);
    assert_int_equal(ticks_time_step(90 * SECOND, 6), 15 * SECOND);
    assert_int_equal(ticks_time_step(24 * HOUR, 8), 3 * HOUR);
    assert_int_equal(ticks_time_step(SECOND, 10), SECOND / 10);
    assert_int_equal(ticks_time_step(1, 10), 1);
    assert_true(ticks_time_step(INT64_MAX, 10) >= INT64_MAX / 10);
}

static void numbers_have_the_decimals_of_their_step(void **state)
{
    (void)state;
    char tick[TICK_MAX];
    const struct {
        double value, step;
        const char *text;
    } rows[] = {{2, 1, "2"}, {0.5, 0.5, "0.5"}, {-0.25, 0.05, "-0.25"}, {300, 100, "300"}, {-0.0, 1, "0"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ticks_number(tick, rows[i].value, rows[i].step);
        assert_string_equal(tick, rows[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_have_the_digits_of_their_step),     cmocka_unit_test(midnight_is_a_date),
        cmocka_unit_test(the_first_tick_is_a_round_time),          cmocka_unit_test(steps_are_those_of_clocks),
        cmocka_unit_test(numbers_have_the_decimals_of_their_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
