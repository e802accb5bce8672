/* A curve of any length in a bounded number of bins: against bins worked out from all its values. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "plot/chart.h"

#define MS INT64_C(1000000)

/* A generator with the same numbers everywhere. */
static uint64_t next(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

static const struct bin *bin_at(const struct thinning *thinning, int64_t time)
{
    for (size_t i = 0; i < thinning->count; i++)
        if (thinning_time(thinning, i) <= time && time < thinning_time(thinning, i + 1))
            return &thinning->bins[i];
    fail_msg("%s", "no bin holds the time");
    return NULL;
}

struct value {
    int64_t time;
    double value;
};

/* Each bin holds what the values of its time say; first and last only if they came in order. */
static void check_bins(const struct thinning *thinning, const struct value *values, size_t count, bool in_order)
{
    size_t seen = 0;
    assert_true(thinning->count <= thinning->limit);
    for (size_t i = 0; i < thinning->count; i++) {
        const struct bin *bin = &thinning->bins[i];
        double first = NAN, last = NAN, min = INFINITY, max = -INFINITY;
        for (size_t k = 0; k < count; k++) {
            if (values[k].time < thinning_time(thinning, i) || values[k].time >= thinning_time(thinning, i + 1))
                continue;
            first = isnan(first) ? values[k].value : first;
            last = values[k].value;
            min = fmin(min, last);
            max = fmax(max, last);
            seen++;
        }
        assert_int_equal((bin->flags & BIN_HAS_VALUES) != 0, !isnan(first));
        if (!isnan(first))
            assert_true(bin->min == min && bin->max == max);
        if (!isnan(first) && in_order)
            assert_true(bin->first == first && bin->last == last);
    }
    assert_int_equal(seen, count);
}

static void test_bins_hold_what_all_values_say(void **state)
{
    static struct value values[3000];
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        uint64_t random = seed;
        size_t count = 1 + (size_t)(next(&random) % 3000);
        struct thinning thinning = thinning_make(16 + (size_t)(next(&random) % 200));
        int64_t time = ((int64_t)next(&random) - (INT64_C(1) << 30)) * MS;
        for (size_t i = 0; i < count; i++) {
            time += (int64_t)(next(&random) % 16) * MS * (int64_t)(1 + seed % 7 * 1000);
            values[i] = (struct value){time, (double)next(&random) / 1000 - 1e5};
            assert_int_equal(thinning_add(&thinning, time, values[i].value), 0);
        }
        check_bins(&thinning, values, count, true);
        /* Doubling when it must, not sooner: at least half of the bins are in use. */
        if (values[count - 1].time - values[0].time > (int64_t)thinning.limit << 10)
            assert_true(thinning.count >= thinning.limit / 2);
        thinning_free(&thinning);
    }
}

static void test_times_go_back(void **state)
{
    struct value values[500];
    struct thinning thinning = thinning_make(64);
    uint64_t random = 7;
    (void)state;
    for (size_t i = 0; i < 500; i++) {
        values[i] = (struct value){-(int64_t)i * 3 * MS, (double)next(&random)};
        assert_int_equal(thinning_add(&thinning, values[i].time, values[i].value), 0);
    }
    check_bins(&thinning, values, 500, false);
    thinning_free(&thinning);
}

static void test_any_times_fit(void **state)
{
    static const int64_t times[] = {0, INT64_MAX, INT64_MIN + 1, -1, 1, INT64_MAX / 2, INT64_MIN};
    struct thinning thinning = thinning_make(64);
    (void)state;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        assert_int_equal(thinning_add(&thinning, times[i], (double)i), 0);
        assert_int_equal(thinning_gap(&thinning, times[i], times[0]), 0);
        assert_true(thinning.count <= 64);
    }
    thinning_free(&thinning);
}

static void test_one_spike_in_ten_million(void **state)
{
    struct thinning thinning = thinning_make(2048);
    int64_t spike = 7654321;
    size_t high = 0;
    (void)state;
    for (int64_t i = 0; i < 10000000; i++)
        assert_int_equal(thinning_add(&thinning, i * 2 * MS, i == spike ? 99 : sin((double)i / 1000)), 0);
    assert_true(thinning.count <= 2048);
    assert_true(bin_at(&thinning, spike * 2 * MS)->max == 99);
    assert_true(bin_at(&thinning, spike * 2 * MS)->last < 2);
    for (size_t i = 0; i < thinning.count; i++)
        high += thinning.bins[i].max == 99;
    assert_int_equal(high, 1);
    thinning_free(&thinning);
}

static void test_order_of_extremes(void **state)
{
    struct thinning thinning = thinning_make(4);
    (void)state;
    const double up[] = {2, 1, 3, 2}, down[] = {2, 3, 1, 2};
    for (size_t i = 0; i < 4; i++)
        thinning_add(&thinning, 0, up[i]);
    assert_int_equal(thinning.bins[0].flags, BIN_HAS_VALUES);
    thinning_free(&thinning);
    for (size_t i = 0; i < 4; i++)
        thinning_add(&thinning, 0, down[i]);
    assert_int_equal(thinning.bins[0].flags, BIN_HAS_VALUES | BIN_MAX_BEFORE_MIN);
    thinning_free(&thinning);
}

static void test_breaks_and_gaps(void **state)
{
    struct thinning thinning = thinning_make(1024);
    (void)state;
    thinning_add(&thinning, 0, 1);
    thinning_break(&thinning);
    thinning_add(&thinning, 10 * MS, 2);
    thinning_add(&thinning, 20 * MS, NAN);
    thinning_add(&thinning, 30 * MS, 3);
    thinning_gap(&thinning, 30 * MS, 40 * MS);
    thinning_add(&thinning, 50 * MS, 4);
    assert_int_equal(bin_at(&thinning, 0)->flags, BIN_HAS_VALUES);
    assert_int_equal(bin_at(&thinning, 10 * MS)->flags, BIN_HAS_VALUES | BIN_BREAKS);
    assert_int_equal(bin_at(&thinning, 30 * MS)->flags, BIN_HAS_VALUES | BIN_BREAKS | BIN_IS_GAP);
    assert_int_equal(bin_at(&thinning, 35 * MS)->flags, BIN_IS_GAP);
    assert_int_equal(bin_at(&thinning, 40 * MS)->flags, BIN_IS_GAP);
    assert_int_equal(bin_at(&thinning, 41 * MS)->flags, 0);
    assert_int_equal(bin_at(&thinning, 50 * MS)->flags, BIN_HAS_VALUES);
    thinning_free(&thinning);
}

/* Two curves, one after the other, are like one, but for the interruption between them. */
static void test_join(void **state)
{
    static struct value values[2000];
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint64_t random = seed;
        size_t count = 2 + (size_t)(next(&random) % 1999), first = 1 + (size_t)(next(&random) % (count - 1));
        struct thinning one = thinning_make(64), other = thinning_make(64);
        int64_t time = 0;
        for (size_t i = 0; i < count; i++) {
            time += (int64_t)(next(&random) % 16) * MS * (seed % 2 ? 1 : i < first ? 50 : 3);
            time += i == first ? 1000 * MS : 0;
            values[i] = (struct value){time, (double)next(&random)};
            assert_int_equal(thinning_add(i < first ? &one : &other, time, values[i].value), 0);
        }
        assert_int_equal(thinning_join(&one, &other), 0);
        check_bins(&one, values, count, true);
        const struct bin *begins = bin_at(&one, values[first].time);
        if (bin_at(&one, values[first - 1].time) != begins)
            assert_true(begins->flags & BIN_BREAKS);
        thinning_free(&one);
        thinning_free(&other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bins_hold_what_all_values_say),
        cmocka_unit_test(test_times_go_back),
        cmocka_unit_test(test_any_times_fit),
        cmocka_unit_test(test_one_spike_in_ten_million),
        cmocka_unit_test(test_order_of_extremes),
        cmocka_unit_test(test_breaks_and_gaps),
        cmocka_unit_test(test_join),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
