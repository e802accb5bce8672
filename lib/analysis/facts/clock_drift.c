#include "analysis/facts/detectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/numbers.h"
#include "nanoseconds.h"
#include "speed.h"
#include "analysis/inside.h"

#define FIRST_LENGTH (1.0 / 16)
#define FIRST_BLOCKS 4 /* that are there; CLOCKS_BLOCKS is a multiple by a power of two */
/* s: a clock that goes back by less did not: doubles are rounded. */
#define CLOCK_NOISE 1e-6
/* s */
#define CHANNELS_APART 1
#define SET_BACK ((double)ARMTAP_CLOCK_STEP / 1e9)
/* Fewer blocks at an end may be late for other reasons. */
#define SET_BLOCKS 3
#define PAIRS (CLOCKS_BLOCKS * (CLOCKS_BLOCKS - 1) / 2)

void armtap_clock_drift_clear(struct clock_drift *clocks)
{
    free(clocks->now.block);
    free(clocks->best.block);
    *clocks = (struct clock_drift){.failed = false};
}

static void begin_run(struct clock_drift *clocks, int64_t time, double clock)
{
    struct armtap_clock_run unused = clocks->now;
    if (clocks->now.packages > clocks->best.packages) {
        unused = clocks->best;
        clocks->best = clocks->now;
    }
    if (unused.block)
        memset(unused.block, 0, unused.block_room * sizeof *unused.block);
    clocks->now = (struct armtap_clock_run){.channel = clocks->now.channel,
                                            .first_time = time,
                                            .first_clock = clock,
                                            .length = FIRST_LENGTH,
                                            .block = unused.block,
                                            .block_room = unused.block_room};
}

/* Makes block `i`, which is not there, be there; false if memory runs out. */
static ARMTAP_RARE bool reach_block(struct clock_drift *clocks, struct armtap_clock_run *run, size_t i)
{
    size_t room = run->block_room == 0 ? FIRST_BLOCKS : run->block_room;
    while (room <= i)
        room *= 2;
    struct armtap_clock_point *block = realloc(run->block, room * sizeof *block);
    clocks->failed = clocks->failed || !block;
    if (!block)
        return false;
    memset(block + run->block_room, 0, (room - run->block_room) * sizeof *block);
    run->block = block;
    run->block_room = room;
    return true;
}

static void keep_lower(struct armtap_clock_point *block, const struct armtap_clock_point *other)
{
    if (other->used && (!block->used || other->y < block->y))
        *block = *other;
}

/* Merges blocks in pairs, so that the same number covers twice the time. */
static void double_length(struct armtap_clock_run *run)
{
    for (size_t i = 0; i < run->block_room; i++) {
        struct armtap_clock_point block = {0};
        if (2 * i + 1 < run->block_room) {
            keep_lower(&block, &run->block[2 * i]);
            keep_lower(&block, &run->block[2 * i + 1]);
        }
        run->block[i] = block;
    }
    run->length *= 2;
}

/* False if memory runs out. */
static bool add_point(struct clock_drift *clocks, struct armtap_clock_run *run, const struct armtap_clock_point *point)
{
    while (!(point->x < CLOCKS_BLOCKS * run->length))
        double_length(run);
    size_t at = (unsigned)(point->x / run->length);
    if (at >= run->block_room && !reach_block(clocks, run, at))
        return false;
    keep_lower(&run->block[at], point);
    return true;
}

void armtap_clock_drift_record(struct clock_drift *clocks, const struct armtap_record *record)
{
    struct armtap_clock_run *run = &clocks->now;
    if (record->direction != ARMTAP_FROM_ROBOT || record->where.time == ARMTAP_NO_TIME)
        return;
    int64_t time = record->where.time;
    double clock = record->clock;
    if (!(clock > 0 && clock < 1e12))
        return;
    /* One of two channels may have been sampled a little earlier. */
    bool is_behind = run->length > 0 && record->recipe_id != run->channel && clock < run->last_clock;
    if (is_behind && clock > run->last_clock - CHANNELS_APART)
        return;
    run->channel = record->recipe_id;
    bool begins = !(run->length > 0) || clock < run->last_clock - CLOCK_NOISE || time < run->first_time ||
                  armtap_time_seconds(run->first_time, time) < run->last - SET_BACK;
    if (clocks->failed)
        return;
    if (begins)
        begin_run(clocks, time, clock);
    double x = (double)armtap_time_between(run->first_time, time) / 1e9;
    struct armtap_clock_point here = {x, x - (clock - run->first_clock), true};
    if (!add_point(clocks, run, &here))
        return;
    run->last_clock = clock;
    run->last = fmax(run->last, x);
    run->packages++;
}

static int compare(const void *a, const void *b)
{
    const double *one = a, *other = b;
    return (*one > *other) - (*one < *other);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Copies the used blocks. */
static size_t used_blocks(const struct armtap_clock_run *run, struct armtap_clock_point used[CLOCKS_BLOCKS])
{
    size_t count = 0;
    for (size_t i = 0; i < run->block_room; i++)
        if (run->block[i].used)
            used[count++] = run->block[i];
    return count;
}

/* NAN if no block is later than another. */
static double median_slope(const struct armtap_clock_point *block, size_t count)
{
    double slopes[PAIRS];
    size_t pairs = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++)
            if (block[k].x > block[i].x)
                slopes[pairs++] = (block[k].y - block[i].y) / (block[k].x - block[i].x);
    return pairs == 0 ? NAN : median(slopes, pairs);
}

/* The median height above the line of blocks `from` to `to`. */
static double median_height(const struct armtap_clock_point *block, size_t from, size_t to, double slope)
{
    double heights[CLOCKS_BLOCKS];
    for (size_t i = from; i < to; i++)
        heights[i - from] = block[i].y - slope * block[i].x;
    return median(heights, to - from);
}

/* Whether from some block on, `least` from either end, all are higher, or all lower, than all before it by `by` s. */
static bool was_set(const struct armtap_clock_point *block, size_t count, double slope, size_t least, double by)
{
    for (size_t i = least; i + least <= count; i++)
        if (fabs(median_height(block, i, count, slope) - median_height(block, 0, i, slope)) > by)
            return true;
    return false;
}

/* The slope, NAN if the two halves of the time do not confirm it: a clock set between the halves changes neither slope,
 * one set within a half tilts that half most. */
static double confirmed_slope(const struct armtap_clock_point *block, size_t count)
{
    size_t half = count / 2;
    double slope = median_slope(block, count);
    double first = median_slope(block, half), second = median_slope(block + half, count - half);
    bool is_same = fabs(first - slope) * 1e6 <= CLOCKS_DRIFT_APART && fabs(second - slope) * 1e6 <= CLOCKS_DRIFT_APART;
    return is_same && !was_set(block, count, slope, SET_BLOCKS, CLOCKS_SET) ? slope : NAN;
}

/* The one that counts. */
static const struct armtap_clock_run *longest_run(const struct clock_drift *clocks)
{
    return clocks->now.packages > clocks->best.packages ? &clocks->now : &clocks->best;
}

bool armtap_clock_drift_was_set(const struct clock_drift *clocks)
{
    struct armtap_clock_point used[CLOCKS_BLOCKS];
    const struct armtap_clock_run *run = longest_run(clocks);
    size_t count = used_blocks(run, used), least = count / 8 + 1;
    if (run->last < CLOCKS_DRIFT_SECONDS)
        return false; /* within a shorter time lost packets alone may delay all that comes */
    return was_set(used, count, 0, least, CLOCKS_SET + CLOCKS_FAST * run->last) ||
           (count >= CLOCKS_DRIFT_BLOCKS && was_set(used, count, median_slope(used, count), least, CLOCKS_SET));
}

/* Packets that were swapped at its beginning are not part of the run, but come soon after the first. */
static bool is_within(const struct armtap_clock_run *run, int64_t time, double clock)
{
    if (time == ARMTAP_NO_TIME || time < run->first_time || !(clock <= run->last_clock))
        return false;
    double since = armtap_time_seconds(run->first_time, time);
    return clock < run->first_clock ? clock > run->first_clock - CHANNELS_APART && since < SET_BACK
                                    : since <= run->last;
}

int64_t armtap_clock_drift_axis(const struct clock_drift *clocks, const struct armtap_clock_totals *totals,
                                const struct armtap_record *record)
{
    const struct armtap_clock_run *run = longest_run(clocks);
    if (!totals->has_offset || !is_within(run, record->where.time, record->clock))
        return ARMTAP_NO_TIME;
    double since = (record->clock - run->first_clock) * (1 - totals->drift_ppm / 1e6);
    return totals->offset + (int64_t)floor(run->first_clock * 1e9 + 0.5) + (int64_t)floor(since * 1e9 + 0.5);
}

void armtap_clock_drift_totals(const struct clock_drift *clocks, struct armtap_clock_totals *totals)
{
    const struct armtap_clock_run *run = longest_run(clocks);
    struct armtap_clock_point used[CLOCKS_BLOCKS];
    double heights[CLOCKS_BLOCKS], slope = 0, height = INFINITY;
    *totals = (struct armtap_clock_totals){0};
    if (run->packages < CLOCKS_PACKAGES || !(run->first_clock < 9e9))
        return;
    size_t count = used_blocks(run, used);
    if (count >= CLOCKS_DRIFT_BLOCKS && run->last >= CLOCKS_DRIFT_SECONDS) {
        slope = confirmed_slope(used, count);
        totals->has_drift = !isnan(slope);
        totals->drift_ppm = totals->has_drift ? -slope * 1e6 : 0;
    }
    for (size_t i = 0; i < count; i++) {
        heights[i] = used[i].y - (totals->has_drift ? slope * used[i].x : 0);
        height = heights[i] < height ? heights[i] : height;
    }
    if (totals->has_drift)
        height = median(heights, count);
    /* Clocks and capture times may have any value: extreme ones get no offset. */
    double zero = (run->first_clock - height) * 1e9;
    totals->has_offset = fabs(zero) < 9e18 && fabs((double)run->first_time - zero) < 9e18;
    if (totals->has_offset)
        totals->offset = run->first_time - (int64_t)zero;
}

/* ---- captures of an archive -------------------------------------------------------------------------------------- */

static void empty(struct armtap_clock_run *run)
{
    run->packages = 0;
    if (run->block)
        memset(run->block, 0, run->block_room * sizeof *run->block);
}

void armtap_clock_drift_begin(struct clock_drift *clocks)
{
    empty(&clocks->now);
    empty(&clocks->best);
}

static bool is_of(const struct armtap_clock_run *run, const struct armtap_clock_run *more)
{
    return run->length > 0 && run->first_time == more->first_time && !(run->first_clock < more->first_clock) &&
           !(run->first_clock > more->first_clock);
}

int armtap_clock_add_run(struct clock_drift *clocks, const struct armtap_clock_run *more)
{
    struct armtap_clock_run *run = is_of(&clocks->best, more) ? &clocks->best : &clocks->now;
    if (!is_of(run, more))
        begin_run(clocks, more->first_time, more->first_clock);
    run->packages += more->packages;
    run->last = fmax(run->last, more->last);
    for (size_t i = 0; i < more->block_room; i++)
        if (more->block[i].used && !add_point(clocks, run, &more->block[i]))
            return ARMTAP_ERR_MEMORY;
    return ARMTAP_OK;
}
