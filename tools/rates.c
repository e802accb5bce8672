#include "rates.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spread.h"
#include "when.h"

#define SECOND INT64_C(1000000000)
#define SILENCE (2 * SECOND)
/* A silence is longer than this many packages' time, too: some clients ask for one in seconds. */
#define SILENT_STEPS 3
/* Of the expected rate; less is low. Judged where at least so many packages and so much time were expected. */
#define LOW 0.95
#define LOW_PACKAGES 20
/* A clock that differs by less did not go back: doubles are rounded. */
#define CLOCK_NOISE 1e-6
/* How many records after PAUSE say that data was asked for again, in packets that were not captured. */
#define AFTER_PAUSE 16

struct arrival {
    struct armtap_where where;
    double clock;   /* the controller's, s; 0: not set yet; NAN: not told */
    double lost;    /* records that fit into the bytes missing before it */
    bool after_gap; /* bytes before it are missing or were no message */
};

enum phase { PHASE_UNKNOWN, PHASE_ACTIVE, PHASE_PAUSED };

struct rates {
    /* what was said of the data */
    double frequency; /* asked for; 0: not said */
    bool legacy;
    int version; /* RTDE protocol, or packet size */
    double base; /* packages in a second if one is sent every cycle; 0: not known */
    /* the stretch */
    enum phase phase;
    struct armtap_where granted; /* START; packet 0: none */
    unsigned after_pause;
    struct arrival waiting[RATES_WAITING]; /* before it is known which step is usual */
    unsigned waiting_count;
    bool is_settled;
    double expected; /* step in s; 0: not known */
    double usual;    /* the step against which the clock is judged; 0: not known */
    bool has_last;
    struct arrival first, last;
    uint64_t records;
    double missing; /* records that were left out or lost, as far as known */
    double silent;  /* s in silences */
    uint64_t lost_bytes;
    /* all stretches */
    struct spread *jitter;
    uint64_t skipped, steps;
    double time;       /* s */
    double packages;   /* expected in it; NAN: not known */
    double last_known; /* expected step */
    int64_t longest_silence;
};

struct rates *rates_new(void)
{
    struct rates *rates = calloc(1, sizeof *rates);
    if (rates == NULL)
        return NULL;
    rates->longest_silence = -1;
    rates->jitter = calloc(1, sizeof *rates->jitter);
    if (rates->jitter != NULL)
        return rates;
    free(rates);
    return NULL;
}

void rates_free(struct rates *rates)
{
    if (rates == NULL)
        return;
    free(rates->jitter);
    free(rates);
}

static int64_t between(const struct armtap_where *from, const struct armtap_where *to)
{
    if (from->time == ARMTAP_NO_TIME || to->time == ARMTAP_NO_TIME || to->time < from->time)
        return -1;
    return when_between(from->time, to->time);
}

/* ---- what is expected ------------------------------------------------------------------------------------------ */

static int compare_steps(const void *a, const void *b)
{
    const double *one = a, *other = b;
    return (*one > *other) - (*one < *other);
}

/* The usual step of the clock among those that wait; 0 where there are too few. */
static double median_step(const struct rates *rates)
{
    double steps[RATES_WAITING];
    size_t count = 0;
    for (unsigned i = 1; i < rates->waiting_count; i++) {
        double step = rates->waiting[i].clock - rates->waiting[i - 1].clock;
        if (step > CLOCK_NOISE && !rates->waiting[i].after_gap)
            steps[count++] = step;
    }
    if (count < 4)
        return 0;
    qsort(steps, count, sizeof *steps, compare_steps);
    return steps[count / 2];
}

/* A step in whole cycles of 2 ms, if it is near one. */
static double whole_cycles(double step)
{
    double cycles = floor(step / 0.002 + 0.5);
    return cycles >= 1 && fabs(step - cycles * 0.002) < 0.0002 ? cycles * 0.002 : step;
}

/* The step in which a controller of that many cycles in a second sends what is asked for. */
static double asked_step(double base, double frequency)
{
    double cycles = floor(base / frequency + 1e-9);
    return (cycles < 1 ? 1 : cycles) / base;
}

static double nearer(double median, double one, double other)
{
    if (median <= 0)
        return one == other ? one : 0;
    return fabs(log(one / median)) <= fabs(log(other / median)) ? one : other;
}

static double expected_step(const struct rates *rates, double median)
{
    if (rates->frequency > 0 && rates->base > 0)
        return asked_step(rates->base, rates->frequency);
    if (rates->frequency > 125)
        return asked_step(500, rates->frequency);
    if (rates->frequency > 0)
        return nearer(median, asked_step(125, rates->frequency), asked_step(500, rates->frequency));
    if (rates->base > 0 && (rates->legacy || rates->version == 1))
        return 1 / rates->base;
    if (rates->legacy)
        return nearer(median, 0.008, 0.002);
    return median > 0 ? whole_cycles(median) : 0;
}

/* ---- judging --------------------------------------------------------------------------------------------------- */

static void judge_silence(struct rates *rates, struct findings *findings, const struct armtap_stream *stream,
                          const struct armtap_where *from, const struct armtap_where *to, double lost)
{
    int64_t time = between(from, to);
    if (time < 0)
        return;
    /* Time that the bytes missing in the capture account for is no silence. */
    double silent = (double)time - lost * rates->usual * 1e9;
    if (silent > (double)rates->longest_silence)
        rates->longest_silence = (int64_t)silent;
    if (!(silent > (double)SILENCE) || !(silent > SILENT_STEPS * rates->usual * 1e9))
        return;
    rates->silent += (double)time / 1e9;
    findings_say(findings, "silence", stream, to, "no data for %.3f s, since packet %" PRIu64, (double)time / 1e9,
                 from->packet);
}

/* Judges the step of the controller's clock. Returns how many packages the step is beyond the usual one. */
static double judge_clock(struct rates *rates, struct findings *findings, const struct armtap_stream *stream,
                          const struct arrival *arrival)
{
    double step = arrival->clock - rates->last.clock;
    if (step < -CLOCK_NOISE) {
        findings_say(findings, "clock.backwards", stream, &arrival->where, "clock %.3f s -> %.3f s", rates->last.clock,
                     arrival->clock);
        return 0;
    }
    if (!(rates->usual > 0) || !(step > 0) || rates->last.clock <= 0)
        return 0;
    double beyond = floor(step / rates->usual + 0.25) - 1;
    if (beyond < 1 || arrival->after_gap || beyond > 1e15)
        return beyond > 0 && beyond < 1e15 ? beyond : 0;
    rates->skipped += (uint64_t)beyond;
    findings_say(findings, "clock.skipped", stream, &arrival->where, "%.0f package%s left out, clock +%.3f s", beyond,
                 beyond > 1 ? "s" : "", step);
    return beyond;
}

static void judge_jitter(struct rates *rates, const struct arrival *arrival)
{
    int64_t time = between(&rates->last.where, &arrival->where);
    double step = arrival->clock - rates->last.clock;
    if (isnan(step) && !arrival->after_gap)
        step = rates->expected;
    if (time < 0 || !(step > 0) || step > 1e6 || rates->last.clock <= 0)
        return;
    spread_add(rates->jitter, (int64_t)(fabs((double)time - step * 1e9) + 0.5));
}

static void judge(struct rates *rates, struct findings *findings, const struct armtap_stream *stream,
                  const struct arrival *arrival)
{
    rates->records++;
    if (!rates->has_last) {
        rates->first = *arrival;
        if (rates->granted.packet > 0)
            judge_silence(rates, findings, stream, &rates->granted, &arrival->where, arrival->lost);
    } else {
        bool clocked = !isnan(arrival->clock) && !isnan(rates->last.clock);
        double beyond = clocked ? judge_clock(rates, findings, stream, arrival) : arrival->lost;
        double lost = arrival->after_gap && clocked ? beyond : arrival->lost;
        judge_silence(rates, findings, stream, &rates->last.where, &arrival->where, lost);
        judge_jitter(rates, arrival);
        rates->missing += beyond;
    }
    rates->has_last = true;
    rates->last = *arrival;
}

/* Enough is known of the stretch to judge it. */
static void settle(struct rates *rates, struct findings *findings, const struct armtap_stream *stream)
{
    double median = median_step(rates);
    rates->is_settled = true;
    rates->expected = expected_step(rates, median);
    rates->usual = median > 0 ? median : rates->expected;
    if (rates->usual > 0 && rates->expected > 0 && rates->usual > 0.75 * rates->expected &&
        rates->usual < 1.5 * rates->expected)
        rates->usual = rates->expected;
    for (unsigned i = 0; i < rates->waiting_count; i++)
        judge(rates, findings, stream, &rates->waiting[i]);
    rates->waiting_count = 0;
}

static void judge_rate(struct rates *rates, struct findings *findings, const struct armtap_stream *stream, int64_t time)
{
    double seconds = (double)time / 1e9 - rates->silent;
    if (!(rates->expected > 0) || seconds < 1 || seconds < LOW_PACKAGES * rates->expected)
        return;
    double rate = ((double)(rates->records - 1) + rates->missing) / seconds, expected = 1 / rates->expected;
    if (rate < LOW * expected)
        findings_say(findings, "rate.low", stream, &rates->last.where, "%.1f Hz, expected %.1f, since packet %" PRIu64,
                     rate, expected, rates->first.where.packet);
}

/* ---- stretches ------------------------------------------------------------------------------------------------- */

static void begin_stretch(struct rates *rates, enum phase phase, const struct armtap_where *granted)
{
    rates->phase = phase;
    rates->granted = (struct armtap_where){.time = ARMTAP_NO_TIME};
    if (granted != NULL)
        rates->granted = *granted;
    rates->after_pause = 0;
    rates->waiting_count = 0;
    rates->is_settled = rates->has_last = false;
    rates->records = 0;
    rates->missing = 0;
    rates->silent = 0;
    rates->lost_bytes = 0;
}

/* `at`: where data was expected no more; NULL: it is not known when. */
static void end_stretch(struct rates *rates, struct findings *findings, const struct armtap_stream *stream,
                        const struct armtap_where *at)
{
    if (rates->phase != PHASE_ACTIVE)
        return;
    if (!rates->is_settled)
        settle(rates, findings, stream);
    if (at != NULL && !rates->legacy) {
        double lost = rates->lost_bytes > 0 ? INFINITY : 0;
        if (rates->has_last)
            judge_silence(rates, findings, stream, &rates->last.where, at, lost);
        else if (rates->granted.packet > 0)
            judge_silence(rates, findings, stream, &rates->granted, at, lost);
    }
    int64_t time = rates->has_last ? between(&rates->first.where, &rates->last.where) : -1;
    if (rates->expected > 0)
        rates->last_known = rates->expected;
    if (time > 0) {
        rates->packages += rates->expected > 0 ? (double)time / 1e9 / rates->expected : NAN;
        rates->steps += rates->records - 1;
        rates->time += (double)time / 1e9;
        judge_rate(rates, findings, stream, time);
    }
}

static double base_of(const struct armtap_stream *stream)
{
    char *end;
    long major = strtol(stream->controller_version, &end, 10);
    if (stream->protocol == ARMTAP_REALTIME)
        return stream->generation == ARMTAP_GENERATION_CB2 ? 125 : 0;
    if (end == stream->controller_version || major < 1)
        return 0;
    return major < 5 ? 125 : 500;
}

static struct arrival arrival_of(struct rates *rates, const struct armtap_record *record)
{
    struct arrival arrival = {
        .where = record->where, .clock = NAN, .after_gap = (record->flags & ARMTAP_AFTER_GAP) != 0};
    if (record->updated != NULL && armtap_set_has(record->updated, ARMTAP_ID_timestamp) &&
        record->state->timestamp >= 0 && record->state->timestamp < 1e12)
        arrival.clock = record->state->timestamp;
    if (rates->lost_bytes > 0 && record->frame_length > 0)
        arrival.lost = ceil((double)rates->lost_bytes / (double)record->frame_length);
    rates->lost_bytes = 0;
    return arrival;
}

void rates_record(struct rates *rates, struct findings *findings, const struct armtap_record *record)
{
    if (record->direction != ARMTAP_FROM_ROBOT)
        return;
    rates->legacy = record->protocol == ARMTAP_REALTIME;
    rates->version = record->version;
    rates->base = base_of(record->stream);
    struct arrival arrival = arrival_of(rates, record);
    if (rates->phase == PHASE_PAUSED && !arrival.after_gap && ++rates->after_pause < AFTER_PAUSE)
        return;
    if (rates->phase != PHASE_ACTIVE)
        begin_stretch(rates, PHASE_ACTIVE, NULL);
    if (rates->is_settled) {
        judge(rates, findings, record->stream, &arrival);
        return;
    }
    rates->waiting[rates->waiting_count++] = arrival;
    if (rates->waiting_count == RATES_WAITING)
        settle(rates, findings, record->stream);
}

void rates_recipe(struct rates *rates, struct findings *findings, const struct armtap_recipe_event *event)
{
    if (event->direction != ARMTAP_FROM_ROBOT)
        return;
    end_stretch(rates, findings, event->stream, NULL);
    begin_stretch(rates, PHASE_UNKNOWN, NULL);
    rates->frequency = event->frequency > 0 && event->frequency < 1e6 ? event->frequency : 0;
}

void rates_event(struct rates *rates, struct findings *findings, const struct armtap_event *event)
{
    if (event->type == ARMTAP_EVENT_START) {
        end_stretch(rates, findings, event->stream, NULL);
        begin_stretch(rates, PHASE_ACTIVE, &event->where);
    } else if (event->type == ARMTAP_EVENT_PAUSE) {
        end_stretch(rates, findings, event->stream, &event->where);
        begin_stretch(rates, PHASE_PAUSED, NULL);
    } else if (event->type == ARMTAP_EVENT_CLOSE) {
        end_stretch(rates, findings, event->stream, &event->where);
        rates->phase = PHASE_PAUSED;
    } else if (event->type == ARMTAP_EVENT_GAP && event->direction == ARMTAP_FROM_ROBOT) {
        rates->lost_bytes += event->a;
    }
}

/* The mean over the stretches, as the rate seen is. */
static double expected_rate(const struct rates *rates)
{
    if (isnan(rates->packages))
        return 0;
    if (rates->time > 0)
        return rates->packages / rates->time;
    return rates->last_known > 0 ? 1 / rates->last_known : 0;
}

void rates_totals(const struct rates *rates, struct rates_totals *totals)
{
    bool has_jitter = rates->jitter->count > 0;
    *totals = (struct rates_totals){.expected_hz = expected_rate(rates),
                                    .rate_hz = rates->time > 0 ? (double)rates->steps / rates->time : 0,
                                    .skipped = rates->skipped,
                                    .jitter_p50 = spread_quantile(rates->jitter, 50),
                                    .jitter_p99 = spread_quantile(rates->jitter, 99),
                                    .jitter_max = has_jitter ? rates->jitter->largest : -1,
                                    .longest_silence = rates->longest_silence};
}
