/* What diagnose computes: quantiles, clocks, expected rates; and that its memory is bounded. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/facts/detectors.h"
#include "analysis/facts/mode_timeline.h"
#include "analysis/facts/flow_rate.h"
#include "nanoseconds.h"
#include "support.h"
#include "analysis/inside.h"

#define START INT64_C(1769860800000000000)

/* ---- quantiles ------------------------------------------------------------------------------------------------- */

static void quantiles_of_few(void **state)
{
    struct histogram *spread = calloc(1, sizeof *spread);
    (void)state;
    assert_non_null(spread);
    assert_int_equal(armtap_histogram_quantile(spread, 50), -1);
    for (int64_t i = 1; i <= 60; i++)
        armtap_histogram_add(spread, i);
    assert_int_equal(armtap_histogram_quantile(spread, 50), 30);
    assert_int_equal(armtap_histogram_quantile(spread, 99), 60);
    assert_int_equal(spread->largest, 60);
    armtap_histogram_clear(spread);
    free(spread);
}

static void quantiles_of_any_size(void **state)
{
    static const int64_t sizes[] = {1000, 1000000, 7777777777, INT64_C(1) << 40, INT64_MAX / 1000};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct histogram *spread = calloc(1, sizeof *spread);
        assert_non_null(spread);
        for (int64_t k = 1; k <= 1000; k++)
            armtap_histogram_add(spread, sizes[i] / 1000 * k);
        double median = (double)(sizes[i] / 1000) * 500, got = (double)armtap_histogram_quantile(spread, 50);
        assert_true(fabs(got - median) <= 0.016 * median + 1);
        assert_int_equal(spread->largest, sizes[i] / 1000 * 1000);
        armtap_histogram_clear(spread);
        free(spread);
    }
}

static void the_largest_time_has_a_bin(void **state)
{
    struct histogram *spread = calloc(1, sizeof *spread);
    (void)state;
    assert_non_null(spread);
    armtap_histogram_add(spread, INT64_MAX);
    assert_true(armtap_histogram_quantile(spread, 50) > INT64_MAX / 100 * 98);
    armtap_histogram_clear(spread);
    free(spread);
}

/* ---- records made by hand -------------------------------------------------------------------------------------- */

struct feed {
    struct armtap_stream stream;
    struct armtap_state *state;
    struct armtap_set updated;
    struct armtap_arm arms[2];
    struct armtap_record record;
    struct findings *findings;
    struct armtap_rates_shared *shared;
    struct armtap_rates *rates;
};

static void feed_begin(struct feed *feed, enum armtap_protocol protocol, const char *controller)
{
    memset(feed, 0, sizeof *feed);
    feed->state = armtap_state_new();
    feed->findings = armtap_findings_new();
    feed->shared = armtap_rates_shared_new(0);
    feed->rates = armtap_rates_new(feed->shared, NULL);
    assert_non_null(feed->state);
    assert_non_null(feed->findings);
    assert_non_null(feed->rates);
    feed->stream.protocol = protocol;
    feed->stream.info = armtap_protocol_info(protocol);
    snprintf(feed->stream.controller_version, sizeof feed->stream.controller_version, "%s", controller);
    armtap_set_add(&feed->updated, ARMTAP_ID_timestamp);
    feed->arms[0] = (struct armtap_arm){1, &feed->updated, feed->state};
    feed->arms[1] = (struct armtap_arm){2, &feed->updated, feed->state};
    feed->record = (struct armtap_record){.stream = &feed->stream,
                                          .protocol = protocol,
                                          .version = 2,
                                          .updated = &feed->updated,
                                          .state = feed->state,
                                          .arms = feed->arms,
                                          .arm_count = 1,
                                          .frame_length = 60};
}

static void feed_end(struct feed *feed)
{
    armtap_state_free(feed->state);
    armtap_findings_free(feed->findings);
    armtap_rates_free(feed->rates);
    armtap_rates_shared_free(feed->shared);
}

static const struct armtap_record *next(struct feed *feed, int64_t time, double clock)
{
    feed->record.where.packet++;
    feed->record.where.time = time;
    feed->state->timestamp = clock;
    feed->record.clock = armtap_set_has(feed->record.updated, ARMTAP_ID_timestamp) ? clock : NAN;
    return &feed->record;
}

/* ---- modes ------------------------------------------------------------------------------------------------------ */

static void set_modes(struct armtap_state *state, int value)
{
    state->robot_mode = state->safety_mode = state->safety_status = value;
    state->runtime_state = (uint32_t)value;
}

/* The numbers of UR's safety modes, safety status and CB2 robot modes that mean a protective, safeguard or emergency
 * stop. */
static void stops_are_stops(void **state)
{
    static const int stops[] = {3, 5, 6, 7, 12, 13, 14, 15, 16, 18, 19, 20, 22}, cb2_stops[] = {4, 5, 10};
    static const enum armtap_field_id fields[] = {ARMTAP_ID_safety_mode, ARMTAP_ID_safety_status, ARMTAP_ID_robot_mode,
                                                  ARMTAP_ID_robot_mode, ARMTAP_ID_runtime_state};
    (void)state;
    for (size_t f = 0; f < 5; f++)
        for (int value = -1; value < 30; value++) {
            struct feed feed;
            struct modes modes = {0};
            struct modes_last last[ARMTAP_ARMS_MAX];
            bool expected = false;
            memset(last, 0, sizeof last);
            feed_begin(&feed, ARMTAP_RTDE, "5.9.0.0");
            feed.stream.generation = f == 3 ? ARMTAP_GENERATION_CB2 : ARMTAP_GENERATION_CB3E;
            armtap_set_add(&feed.updated, fields[f]);
            set_modes(feed.state, 1);
            assert_false(armtap_modes_record(&modes, last, feed.findings, next(&feed, START, 1), 0, NULL));
            set_modes(feed.state, value);
            for (size_t i = 0; f < 2 && i < sizeof stops / sizeof *stops; i++)
                expected = expected || stops[i] == value;
            for (size_t i = 0; f == 3 && i < sizeof cb2_stops / sizeof *cb2_stops; i++)
                expected = expected || cb2_stops[i] == value;
            assert_int_equal(armtap_modes_record(&modes, last, feed.findings, next(&feed, START, 2), 0, NULL),
                             expected);
            armtap_modes_free(&modes);
            feed_end(&feed);
        }
}

/* Guessed names prove nothing, and both kinds of findings say so. */
static void a_guess_is_called_one(void **state)
{
    struct modes modes = {0};
    struct modes_last last[ARMTAP_ARMS_MAX];
    struct feed feed;
    (void)state;
    for (unsigned flags = 0; flags <= ARMTAP_GUESSED; flags += ARMTAP_GUESSED) {
        memset(last, 0, sizeof last);
        feed_begin(&feed, ARMTAP_RTDE, "5.9.0.0");
        feed.record.flags = flags;
        armtap_set_add(&feed.updated, ARMTAP_ID_safety_mode);
        set_modes(feed.state, 1);
        assert_false(armtap_modes_record(&modes, last, feed.findings, next(&feed, START, 1), 0, NULL));
        set_modes(feed.state, 3);
        assert_true(armtap_modes_record(&modes, last, feed.findings, next(&feed, START, 2), 0, NULL));
        struct armtap_streams *streams = armtap_streams_new();
        assert_int_equal(armtap_streams_record(streams, &feed.record), 0);
        armtap_streams_number(streams);
        assert_int_equal(armtap_findings_settle(feed.findings, streams), 0);
        assert_int_equal(armtap_findings_count(feed.findings), 2);
        for (size_t i = 0; i < 2; i++) {
            const struct armtap_arguments *said = &armtap_findings_at(feed.findings, i)->arguments;
            assert_int_equal(armtap_word_of(said, ARMTAP_ARGUMENT_doubt),
                             flags == ARMTAP_GUESSED ? ARMTAP_WORD_guessed : ARMTAP_WORD_none);
        }
        assert_string_equal(armtap_finding_text(armtap_findings_at(feed.findings, 0), "field"), "safety_mode");
        armtap_streams_free(streams);
        feed_end(&feed);
    }
    armtap_modes_free(&modes);
}

/* ---- clocks ---------------------------------------------------------------------------------------------------- */

/* A clock that is fast by `ppm`, seen through a network that delays packages by up to 3 ms, and every tenth by up to
 * 200 ms; with `shift`, all by 5 ms more for a sixth of the time. */
static struct armtap_clock_totals clocks_of(double ppm, unsigned count, bool shift)
{
    struct armtap_clock_totals totals;
    struct feed feed;
    uint64_t seed = 20260131;
    struct clock_drift *clocks = calloc(1, sizeof *clocks);
    assert_non_null(clocks);
    feed_begin(&feed, ARMTAP_RTDE, "5.9.0.0");
    for (unsigned i = 0; i < count; i++) {
        int64_t sent = START + (int64_t)i * 8 * MILLISECOND;
        double late = (double)(random_bits(&seed) % 3000) * 1e3;
        if (random_bits(&seed) % 10 == 0)
            late += (double)(random_bits(&seed) % 200) * 1e6;
        if (shift && i > count / 3 && i < count / 2)
            late += 5e6;
        armtap_clock_drift_record(clocks, next(&feed, sent + (int64_t)late, 1000 + 0.008 * i * (1 + ppm * 1e-6)));
    }
    armtap_clock_drift_totals(clocks, &totals);
    feed_end(&feed);
    armtap_clock_drift_clear(clocks);
    free(clocks);
    return totals;
}

static void drift_through_jitter(void **state)
{
    static const double drifts[] = {0, 25, -25, 300, -1000};
    (void)state;
    for (size_t i = 0; i < sizeof drifts / sizeof *drifts; i++) {
        struct armtap_clock_totals totals = clocks_of(drifts[i], 37500, false);
        assert_true(totals.has_offset && totals.has_drift);
        assert_true(fabs(totals.drift_ppm - drifts[i]) < 0.5);
        assert_true(llabs(totals.offset - (START - 1000000 * MILLISECOND)) < MILLISECOND / 2);
    }
}

static void a_slow_while_moves_nothing(void **state)
{
    struct armtap_clock_totals totals = clocks_of(40, 37500, true);
    (void)state;
    assert_true(totals.has_drift && fabs(totals.drift_ppm - 40) < 2);
}

static void few_packages_have_no_drift(void **state)
{
    (void)state;
    assert_false(clocks_of(0, 5, false).has_offset);
    assert_true(clocks_of(0, 100, false).has_offset);
    assert_false(clocks_of(0, 100, false).has_drift);
}

/* The capture's clock is set forward by `set` s after the fraction `part` of `count` packages, which are delayed by up
 * to `noise` us. */
static struct armtap_clock_totals clocks_of_set(double set, double part, unsigned count, unsigned noise, uint64_t seed)
{
    struct armtap_clock_totals totals;
    struct feed feed;
    struct clock_drift *clocks = calloc(1, sizeof *clocks);
    assert_non_null(clocks);
    feed_begin(&feed, ARMTAP_RTDE, "5.9.0.0");
    for (unsigned i = 0; i < count; i++) {
        double late = (double)(random_bits(&seed) % noise) * 1e3 + (i > part * count ? set * 1e9 : 0);
        armtap_clock_drift_record(clocks,
                                  next(&feed, START + (int64_t)i * 8 * MILLISECOND + (int64_t)late, 1000 + 0.008 * i));
    }
    armtap_clock_drift_totals(clocks, &totals);
    feed_end(&feed);
    armtap_clock_drift_clear(clocks);
    free(clocks);
    return totals;
}

/* The true drift is 0: a reported drift may be off only a little, and none is reported if setting the clock would
 * distort it. */
static void a_clock_that_was_set_has_no_drift(void **state)
{
    static const double sets[] = {0.002, 0.01, 0.05, 0.5, 3, 3600};
    unsigned reported = 0;
    (void)state;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        for (double part = 0.2; part < 0.81; part += 0.1) {
            struct armtap_clock_totals totals = clocks_of_set(sets[i], part, 37500, 300, 1 + i);
            assert_true(totals.has_offset);
            reported += totals.has_drift;
            if (totals.has_drift && (fabs(totals.drift_ppm) > CLOCKS_DRIFT_APART || sets[i] > CLOCKS_SET))
                fail_msg("set by %g s after %g: %g ppm", sets[i], part, totals.drift_ppm);
        }
    print_message("a drift was reported for %u of 42 captures whose clock was set\n", reported);
    assert_true(clocks_of_set(0, 0.5, 37500, 300, 1).has_drift);
    assert_false(clocks_of_set(-0.5, 0.1, 37500, 300, 1).has_drift);
    assert_true(clocks_of_set(0.018, 0.1, 37500, 30, 1).has_drift);
    assert_false(clocks_of_set(0.022, 0.1, 37500, 30, 1).has_drift);
}

/* Captures of 5 to 8 seconds. */
static void a_short_time_tells_no_wrong_drift(void **state)
{
    unsigned reported = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct armtap_clock_totals totals = clocks_of_set(0, 0, 640 + (unsigned)seed * 2, 3000, seed);
        reported += totals.has_drift;
        if (totals.has_drift && fabs(totals.drift_ppm) > 2 * CLOCKS_DRIFT_APART)
            fail_msg("seed %u: %g ppm", (unsigned)seed, totals.drift_ppm);
    }
    print_message("a drift was reported for %u of 200 short captures\n", reported);
}

/* Drifts by 0 ppm in the first half and `bent` ppm in the second, on average half of it. */
static bool has_drift_bent(double bent)
{
    struct armtap_clock_totals totals;
    struct feed feed;
    struct clock_drift *clocks = calloc(1, sizeof *clocks);
    assert_non_null(clocks);
    feed_begin(&feed, ARMTAP_RTDE, "5.9.0.0");
    for (unsigned i = 0; i < 32768; i++) { /* 128 blocks, a power of two */
        double clock = 0.0078125 * i + (i > 16384 ? 0.0078125 * (i - 16384) * bent * 1e-6 : 0);
        armtap_clock_drift_record(clocks, next(&feed, START + (int64_t)i * 7812500, 1000 + clock));
    }
    armtap_clock_drift_totals(clocks, &totals);
    feed_end(&feed);
    armtap_clock_drift_clear(clocks);
    free(clocks);
    return totals.has_drift;
}

static void halves_must_agree(void **state)
{
    (void)state;
    assert_true(has_drift_bent(48) && has_drift_bent(-48));
    assert_false(has_drift_bent(52) || has_drift_bent(-52));
}

static void a_restart_begins_anew(void **state)
{
    struct armtap_clock_totals totals;
    struct feed feed;
    struct clock_drift *clocks = calloc(1, sizeof *clocks);
    (void)state;
    assert_non_null(clocks);
    feed_begin(&feed, ARMTAP_RTDE, "5.9.0.0");
    for (unsigned i = 0; i < 3000; i++)
        armtap_clock_drift_record(clocks, next(&feed, START + i * 8 * MILLISECOND, 5000 + 0.008 * i));
    for (unsigned i = 1; i < 1000; i++)
        armtap_clock_drift_record(clocks, next(&feed, START + (3000 + i) * 8 * MILLISECOND, 0.008 * i));
    armtap_clock_drift_totals(clocks, &totals);
    assert_int_equal(totals.offset, START - 5000000 * MILLISECOND);
    assert_true(fabs(totals.drift_ppm) < 0.01);
    feed_end(&feed);
    armtap_clock_drift_clear(clocks);
    free(clocks);
}

/* ---- expected rates -------------------------------------------------------------------------------------------- */

/* The rate expected from a controller of that version if `frequency` was requested and it sends every `ms`. */
static double expected(const char *controller, int protocol, double frequency, int ms)
{
    struct armtap_rates_totals totals;
    struct feed feed;
    feed_begin(&feed, ARMTAP_RTDE, controller);
    feed.record.version = protocol;
    struct armtap_recipe_event recipe = {.stream = &feed.stream, .frequency = frequency};
    struct armtap_event close = {.stream = &feed.stream, .type = ARMTAP_EVENT_CLOSE};
    armtap_rates_take_recipe(feed.rates, feed.findings, &recipe);
    for (int i = 0; i < 50; i++)
        armtap_rates_take_record(feed.rates, feed.findings,
                                 next(&feed, START + (int64_t)i * ms * MILLISECOND, 10 + 0.001 * i * ms));
    close.where = feed.record.where;
    armtap_rates_take_event(feed.rates, feed.findings, &close);
    armtap_rates_totals(feed.rates, &totals);
    feed_end(&feed);
    return totals.expected_hz;
}

#define SAME(got, wanted) assert_true(fabs((got) - (wanted)) < 1e-6 * (wanted))

static void rates_come_in_whole_cycles(void **state)
{
    (void)state;
    SAME(expected("5.9.4.10", 2, 125, 8), 125);
    SAME(expected("5.9.4.10", 2, 500, 2), 500);
    SAME(expected("5.9.4.10", 2, 200, 4), 250);
    SAME(expected("5.9.4.10", 2, 70, 14), 500.0 / 7);
    SAME(expected("10.7.0.0", 2, 333, 2), 500);
    SAME(expected("3.15.0.0", 2, 100, 8), 125);
    SAME(expected("3.15.0.0", 2, 50, 16), 62.5);
    SAME(expected("3.15.0.0", 2, 125, 16), 125); /* whatever it actually sends */
    SAME(expected("3.2.0.0", 1, 0, 8), 125);
    SAME(expected("5.2.0.0", 1, 0, 2), 500);
}

static void without_the_version_the_data_decides(void **state)
{
    (void)state;
    SAME(expected("", 2, 50, 16), 62.5);
    SAME(expected("", 2, 50, 20), 50);
    SAME(expected("", 2, 200, 4), 250);
    SAME(expected("", 2, 125, 8), 125);
    SAME(expected("", 2, 0, 24), 1 / 0.024);
    SAME(expected("", 2, 0, 25), 1 / 0.025); /* no whole cycles: as it is */
}

/* ---- steps alone ----------------------------------------------------------------------------------------------- */

static bool is_same_number(double one, double other)
{
    return isnan(one) ? isnan(other) : one == other;
}

static bool is_same_step(const struct armtap_rates_step *one, const struct armtap_rates_step *other)
{
    return one->skipped == other->skipped && is_same_number(one->lost, other->lost) &&
           is_same_number(one->clock, other->clock) && is_same_number(one->usual, other->usual);
}

/* A record of both feeds at `ms`, with the clock at `clock`, after so many bytes that are missing. */
static struct armtap_rates_step both_steps(struct feed feeds[2], int64_t ms, double clock, uint64_t lost)
{
    struct armtap_rates_step steps[2];
    for (int i = 0; i < 2; i++) {
        struct feed *feed = &feeds[i];
        const struct armtap_record *record = next(feed, START + ms * MILLISECOND, clock);
        struct armtap_event gap = {
            .stream = &feed->stream, .type = ARMTAP_EVENT_GAP, .where = record->where, .a = lost};
        feed->record.frame_length = 100;
        feed->record.flags = lost > 0 ? ARMTAP_AFTER_GAP : 0;
        if (lost > 0)
            armtap_rates_take_event(feed->rates, i == 0 ? feed->findings : NULL, &gap);
        armtap_rates_take_record(feed->rates, i == 0 ? feed->findings : NULL, record);
        armtap_rates_last_step(feed->rates, record, &steps[i]);
    }
    assert_true(is_same_step(&steps[0], &steps[1]));
    return steps[1];
}

/* Skipped and lost packages, a clock that goes back and one that jumps, silence, and data after a pause. */
static void steps_do_not_depend_on_totals(void **state)
{
    struct feed feeds[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        feed_begin(&feeds[i], ARMTAP_RTDE, "5.9.0.0");
        feeds[i].record.version = 2;
    }
    armtap_rates_only_steps(feeds[1].rates);
    for (int i = 0; i < 60; i++)
        both_steps(feeds, 8 * i, 10 + 0.008 * i, 0);
    assert_int_equal(both_steps(feeds, 512, 10.512, 0).skipped, 4);
    SAME(both_steps(feeds, 536, 10.536, 200).lost, 2);
    assert_true(isnan(both_steps(feeds, 544, 9, 0).clock));
    SAME(both_steps(feeds, 552, 9.008, 0).clock, 0.008);
    assert_true(isnan(both_steps(feeds, 560, 999, 0).clock));
    SAME(both_steps(feeds, 9560, 1008, 0).clock, 9);
    for (int i = 0; i < 2; i++) {
        struct armtap_event event = {.stream = &feeds[i].stream, .where = feeds[i].record.where};
        event.type = ARMTAP_EVENT_PAUSE;
        armtap_rates_take_event(feeds[i].rates, i == 0 ? feeds[i].findings : NULL, &event);
        event.type = ARMTAP_EVENT_START;
        armtap_rates_take_event(feeds[i].rates, i == 0 ? feeds[i].findings : NULL, &event);
    }
    for (int i = 0; i < 60; i++)
        both_steps(feeds, 20000 + 16 * i, 1020 + 0.016 * i, 0);
    assert_int_equal(both_steps(feeds, 21024, 1021.024, 0).skipped, 4);
    for (int i = 0; i < 2; i++)
        feed_end(&feeds[i]);
}

/* ---- AUBO's channels ------------------------------------------------------------------------------------------- */

/* Three seconds of data every `ms` on a channel, with the controller's clock. */
static void channel_data(struct feed *feed, int channel, int ms)
{
    feed->record.recipe_id = channel;
    for (int64_t at = 0; at <= 3000; at += ms)
        armtap_rates_take_record(feed->rates, feed->findings,
                                 next(feed, START + at * MILLISECOND, 10 + 0.001 * (double)at));
}

static void subscribe(struct feed *feed, int channel, double frequency)
{
    struct armtap_recipe_event event = {.stream = &feed->stream, .recipe_id = channel, .frequency = frequency};
    event.where = (struct armtap_where){.size = sizeof(struct armtap_where), .time = START, .packet = 1};
    armtap_rates_take_recipe(feed->rates, feed->findings, &event);
}

static struct armtap_rates_totals totals_of(struct feed *feed)
{
    struct armtap_event close = {.stream = &feed->stream, .type = ARMTAP_EVENT_CLOSE, .where = feed->record.where};
    struct armtap_rates_totals totals;
    armtap_rates_take_event(feed->rates, feed->findings, &close);
    armtap_rates_totals(feed->rates, &totals);
    return totals;
}

static void channels_are_summed_up(void **state)
{
    struct feed feed;
    (void)state;
    feed_begin(&feed, ARMTAP_AUBO, "");
    subscribe(&feed, 0, 50);
    subscribe(&feed, 99, 5);
    channel_data(&feed, 0, 20);
    channel_data(&feed, 99, 200);
    struct armtap_rates_totals totals = totals_of(&feed);
    SAME(totals.expected_hz, 55);
    SAME(totals.rate_hz, 55);
    assert_int_equal(totals.skipped, 0);
    assert_int_equal(totals.longest_silence, 200 * MILLISECOND);
    feed_end(&feed);
}

/* The requested rate of one channel is unknown: this is neither a low rate nor silence. */
static void an_unknown_channel_makes_the_sum_unknown(void **state)
{
    struct feed feed;
    struct armtap_streams *streams = armtap_streams_new();
    (void)state;
    assert_non_null(streams);
    feed_begin(&feed, ARMTAP_AUBO, "");
    subscribe(&feed, 0, 50);
    channel_data(&feed, 0, 20);
    feed.arms[0].updated = feed.record.updated = &(struct armtap_set){{0}};
    channel_data(&feed, 4, 2500);
    struct armtap_rates_totals totals = totals_of(&feed);
    assert_true(totals.expected_hz == 0);
    assert_true(totals.rate_hz > 50);
    armtap_streams_record(streams, &feed.record);
    armtap_streams_number(streams);
    assert_int_equal(armtap_findings_settle(feed.findings, streams), 0);
    assert_int_equal(armtap_findings_count(feed.findings), 0);
    armtap_streams_free(streams);
    feed_end(&feed);
}

/* ---- bounds ---------------------------------------------------------------------------------------------------- */

static const char *said(const struct armtap_finding *finding)
{
    static char text[ARMTAP_FINDING_TEXT_MAX];
    armtap_finding_say(text, finding, NULL);
    return text;
}

static void a_flood_is_bounded(void **state)
{
    struct feed feed;
    struct armtap_streams *streams = armtap_streams_new();
    (void)state;
    feed_begin(&feed, ARMTAP_RTDE, "");
    assert_non_null(streams);
    for (uint64_t i = 1; i <= FINDINGS_EACH + 5000; i++) {
        struct armtap_where where = {.size = sizeof where, .time = START + (int64_t)i, .packet = i};
        armtap_findings_raise(feed.findings, &(struct fact){.code = ARMTAP_FINDING_tcp_retransmission,
                                                            .stream = &feed.stream,
                                                            .where = &where,
                                                            .arguments = ARGS(arg_bytes(i))});
    }
    assert_int_equal(armtap_streams_record(streams, next(&feed, START, 1)), 0);
    armtap_streams_number(streams);
    assert_int_equal(armtap_findings_settle(feed.findings, streams), 0);
    assert_int_equal(armtap_findings_count(feed.findings), FINDINGS_EACH + 1);
    const struct armtap_finding *sum = armtap_findings_at(feed.findings, FINDINGS_EACH);
    assert_int_equal(sum->count, 5000);
    assert_int_equal(sum->where.packet, FINDINGS_EACH + 1);
    assert_int_equal(sum->last.packet, FINDINGS_EACH + 5000);
    assert_string_equal(said(sum), "5000 more, up to packet 15000");
    armtap_streams_free(streams);
    feed_end(&feed);
}

/* No event tells of a legacy stream's size and generation, only its records. */
static void records_bring_all_of_a_stream_up_to_date(void **state)
{
    struct feed feed;
    struct armtap_streams *streams = armtap_streams_new();
    (void)state;
    feed_begin(&feed, ARMTAP_REALTIME, "");
    assert_non_null(streams);
    assert_int_equal(armtap_streams_record(streams, next(&feed, START, 1)), 0);
    feed.stream.version = 1108;
    feed.stream.generation = ARMTAP_GENERATION_CB3E;
    feed.stream.midstream = true;
    feed.stream.gaps = 3;
    feed.stream.payload[ARMTAP_TO_ROBOT] = 7;
    assert_int_equal(armtap_streams_record(streams, next(&feed, START + MILLISECOND, 2)), 0);
    armtap_streams_number(streams);
    const struct armtap_stream *known = armtap_streams_at(streams, 0)->stream;
    assert_int_equal(known->version, 1108);
    assert_int_equal(known->generation, ARMTAP_GENERATION_CB3E);
    assert_true(known->midstream);
    assert_int_equal(known->gaps, 3);
    assert_int_equal(known->payload[ARMTAP_TO_ROBOT], 7);
    snprintf(feed.stream.controller_version, sizeof feed.stream.controller_version, "3.15.4");
    assert_int_equal(armtap_streams_record(streams, next(&feed, START + 2 * MILLISECOND, 3)), 0);
    assert_string_equal(known->controller_version, "3.15.4");
    armtap_streams_free(streams);
    feed_end(&feed);
}

static void what_carries_no_telemetry_is_left_out(void **state)
{
    struct feed feed;
    struct armtap_streams *streams = armtap_streams_new();
    struct armtap_stream other = {.connection = 1};
    struct armtap_where where = {.size = sizeof where, .time = START, .packet = 1};
    (void)state;
    feed_begin(&feed, ARMTAP_RTDE, "");
    assert_non_null(streams);
    const struct fact facts[] = {{.code = ARMTAP_FINDING_tcp_retransmission, .stream = &other, .where = &where},
                                 {.code = ARMTAP_FINDING_tcp_retransmission,
                                  .stream = &feed.stream,
                                  .where = &where,
                                  .arguments = ARGS(arg_bytes(7))},
                                 {.code = ARMTAP_NOTE_ip_fragment, .where = &where}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        armtap_findings_raise(feed.findings, &facts[i]);
    assert_int_equal(armtap_streams_record(streams, next(&feed, START, 1)), 0);
    armtap_streams_number(streams);
    assert_int_equal(armtap_findings_settle(feed.findings, streams), 0);
    assert_int_equal(armtap_findings_count(feed.findings), 2);
    double bytes = 0;
    assert_true(armtap_finding_number(armtap_findings_at(feed.findings, 0), "bytes", &bytes) && bytes == 7);
    assert_int_equal(armtap_findings_at(feed.findings, 0)->stream, 0);
    assert_true(armtap_findings_at(feed.findings, 1)->stream == ARMTAP_NO_STREAM);
    armtap_streams_free(streams);
    feed_end(&feed);
}

/* Findings of a connection that later turns out to carry telemetry; the last one is the largest. */
static struct findings *findings_of(enum armtap_protocol protocol, unsigned count, struct armtap_streams *streams)
{
    struct findings *findings = armtap_findings_new();
    struct armtap_stream stream = {.protocol = protocol, .records = {1, 0}};
    struct armtap_record record = {.stream = &stream, .protocol = ARMTAP_RTDE};
    assert_non_null(findings);
    for (unsigned i = 1; i <= count; i++) {
        const struct armtap_where where = {.size = sizeof where, .time = START + i, .packet = i};
        armtap_findings_raise(findings, &(struct fact){.code = ARMTAP_NOTE_stream_gap,
                                                       .stream = &stream,
                                                       .where = &where,
                                                       .arguments = ARGS(arg_bytes(i))});
    }
    stream.protocol = ARMTAP_RTDE;
    assert_int_equal(armtap_streams_record(streams, &record), 0);
    armtap_streams_number(streams);
    assert_int_equal(armtap_findings_settle(findings, streams), 0);
    return findings;
}

static void what_is_not_known_yet_gets_less_room(void **state)
{
    (void)state;
    for (unsigned count = 99; count <= 103; count++) {
        struct armtap_streams *streams = armtap_streams_new();
        struct findings *findings = findings_of(ARMTAP_PROTOCOL_NONE, count, streams);
        assert_int_equal(armtap_findings_count(findings), count > 100 ? 101 : count);
        if (count > 100)
            assert_int_equal(armtap_findings_at(findings, 100)->count, count - 100);
        armtap_findings_free(findings);
        armtap_streams_free(streams);
    }
}

static void the_largest_of_a_sum_is_told(void **state)
{
    struct armtap_streams *streams = armtap_streams_new();
    (void)state;
    struct findings *findings = findings_of(ARMTAP_RTDE, FINDINGS_EACH + 3, streams);
    assert_int_equal(armtap_findings_count(findings), FINDINGS_EACH + 1);
    const struct armtap_finding *sum = armtap_findings_at(findings, FINDINGS_EACH);
    assert_true(sum->is_sum && sum->count == 3 && sum->size == 10003 && sum->total == 10001 + 10002 + 10003);
    assert_string_equal(
        said(sum),
        "3 more, up to packet 10003; the largest: 10003 bytes are missing before the first message, in packet "
        "10003");
    armtap_findings_free(findings);
    armtap_streams_free(streams);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_of_few),
        cmocka_unit_test(quantiles_of_any_size),
        cmocka_unit_test(the_largest_time_has_a_bin),
        cmocka_unit_test(stops_are_stops),
        cmocka_unit_test(a_guess_is_called_one),
        cmocka_unit_test(drift_through_jitter),
        cmocka_unit_test(a_slow_while_moves_nothing),
        cmocka_unit_test(few_packages_have_no_drift),
        cmocka_unit_test(a_clock_that_was_set_has_no_drift),
        cmocka_unit_test(a_short_time_tells_no_wrong_drift),
        cmocka_unit_test(halves_must_agree),
        cmocka_unit_test(what_is_not_known_yet_gets_less_room),
        cmocka_unit_test(the_largest_of_a_sum_is_told),
        cmocka_unit_test(a_restart_begins_anew),
        cmocka_unit_test(rates_come_in_whole_cycles),
        cmocka_unit_test(without_the_version_the_data_decides),
        cmocka_unit_test(steps_do_not_depend_on_totals),
        cmocka_unit_test(channels_are_summed_up),
        cmocka_unit_test(an_unknown_channel_makes_the_sum_unknown),
        cmocka_unit_test(a_flood_is_bounded),
        cmocka_unit_test(records_bring_all_of_a_stream_up_to_date),
        cmocka_unit_test(what_carries_no_telemetry_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
