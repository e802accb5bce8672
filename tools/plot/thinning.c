#include "chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHIFT_FIRST 10 /* 1 us */
#define SHIFT_LAST 62
#define ROOM_FIRST 64

struct thinning thinning_make(size_t limit)
{
    return (struct thinning){.limit = limit, .shift = SHIFT_FIRST};
}

void thinning_free(struct thinning *thinning)
{
    free(thinning->bins);
    *thinning = thinning_make(thinning->limit);
}

/* ---- the grid ---------------------------------------------------------------------------------------------------- */

/* The number of the bin that holds a time: rounded down, also before 1970. */
static int64_t place(int64_t time, unsigned shift)
{
    int64_t width = INT64_C(1) << shift;
    return time / width - (time % width < 0);
}

static int64_t half(int64_t number)
{
    return number / 2 - (number % 2 < 0);
}

void bin_merge(struct bin *to, const struct bin *later)
{
    unsigned gap = (to->flags | later->flags) & BIN_IS_GAP;
    if ((later->flags & BIN_HAS_VALUES) == 0) {
        to->flags |= gap;
        return;
    }
    if ((to->flags & BIN_HAS_VALUES) == 0) {
        *to = *later;
        to->flags |= gap;
        return;
    }
    bool lower = later->min<to->min, higher = later->max> to->max;
    unsigned order =
        lower == higher ? (lower ? later->flags : to->flags) & BIN_MAX_BEFORE_MIN : (lower ? BIN_MAX_BEFORE_MIN : 0);
    to->min = lower ? later->min : to->min;
    to->max = higher ? later->max : to->max;
    to->last = later->last;
    to->flags = BIN_HAS_VALUES | (to->flags & BIN_BREAKS) | order | gap;
}

/* Doubles the width of the bins. */
static void widen(struct thinning *thinning)
{
    int64_t start = half(thinning->start);
    size_t count = 0;
    for (size_t i = 0; i < thinning->count; i++) {
        size_t to = (size_t)(half(thinning->start + (int64_t)i) - start);
        struct bin bin = thinning->bins[i];
        if (to == count)
            thinning->bins[count++] = bin;
        else
            bin_merge(&thinning->bins[to], &bin);
    }
    thinning->count = count;
    thinning->start = start;
    thinning->shift++;
}

static int make_room(struct thinning *thinning, size_t count)
{
    size_t room = thinning->room ? thinning->room : ROOM_FIRST;
    while (room < count)
        room *= 2;
    if (room == thinning->room)
        return 0;
    struct bin *bins = realloc(thinning->bins, room * sizeof *bins);
    if (!bins)
        return -1;
    thinning->bins = bins;
    thinning->room = room;
    return 0;
}

/* Whether the bins can reach from their first or `number` to their last or `number`. */
static bool fits(const struct thinning *thinning, int64_t number)
{
    int64_t first = number < thinning->start ? number : thinning->start,
            last = thinning->start + (int64_t)thinning->count - 1;
    last = number > last ? number : last;
    return (uint64_t)last - (uint64_t)first < thinning->limit;
}

/* Makes the bins reach to a time. Returns the index of its bin; -1 without memory. */
static ptrdiff_t reach(struct thinning *thinning, int64_t time)
{
    int64_t number = place(time, thinning->shift);
    while (thinning->count > 0 && !fits(thinning, number) && thinning->shift < SHIFT_LAST) {
        widen(thinning);
        number = place(time, thinning->shift);
    }
    if (thinning->count == 0)
        thinning->start = number;
    size_t before = number < thinning->start ? (size_t)(thinning->start - number) : 0;
    size_t count = before + thinning->count, index = before ? 0 : (size_t)(number - thinning->start);
    count = index + 1 > count ? index + 1 : count;
    if (make_room(thinning, count) != 0)
        return -1;
    if (before > 0) /* some memmove() moves all to where it is */
        memmove(thinning->bins + before, thinning->bins, thinning->count * sizeof *thinning->bins);
    memset(thinning->bins, 0, before * sizeof *thinning->bins);
    memset(thinning->bins + before + thinning->count, 0, (count - before - thinning->count) * sizeof *thinning->bins);
    thinning->start -= (int64_t)before;
    thinning->count = count;
    return (ptrdiff_t)index;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

int thinning_add(struct thinning *thinning, int64_t time, double value)
{
    if (!isfinite(value)) {
        thinning->breaks = true;
        return 0;
    }
    ptrdiff_t index = reach(thinning, time);
    if (index < 0)
        return -1;
    struct bin *bin = &thinning->bins[index];
    struct bin point = {value, value, value, value, BIN_HAS_VALUES | (thinning->breaks ? BIN_BREAKS : 0)};
    bin_merge(bin, &point);
    thinning->breaks = false;
    return 0;
}

void thinning_break(struct thinning *thinning)
{
    thinning->breaks = true;
}

void thinning_break_at(struct thinning *thinning, int64_t time)
{
    int64_t number = place(time, thinning->shift);
    size_t i = number > thinning->start ? (size_t)(number - thinning->start) : 0;
    while (i < thinning->count && (thinning->bins[i].flags & BIN_HAS_VALUES) == 0)
        i++;
    if (i < thinning->count)
        thinning->bins[i].flags |= BIN_BREAKS;
}

int thinning_gap(struct thinning *thinning, int64_t from, int64_t to)
{
    if (reach(thinning, from) < 0 || reach(thinning, to) < 0)
        return -1;
    /* Again: reaching to one may have moved the other. */
    ptrdiff_t first = reach(thinning, from < to ? from : to), last = reach(thinning, from < to ? to : from);
    for (ptrdiff_t i = first; i <= last; i++)
        thinning->bins[i].flags |= BIN_IS_GAP;
    return 0;
}

int thinning_join(struct thinning *thinning, const struct thinning *later)
{
    thinning->breaks = true;
    while (thinning->shift < later->shift)
        widen(thinning);
    for (size_t i = 0; i < later->count; i++) {
        struct bin bin = later->bins[i];
        ptrdiff_t index = bin.flags == 0 ? 0 : reach(thinning, thinning_time(later, i));
        if (index < 0)
            return -1;
        if (bin.flags == 0)
            continue;
        if ((bin.flags & BIN_HAS_VALUES) && thinning->breaks) {
            bin.flags |= BIN_BREAKS;
            thinning->breaks = false;
        }
        bin_merge(&thinning->bins[index], &bin);
    }
    return 0;
}

int64_t thinning_time(const struct thinning *thinning, size_t bin)
{
    int64_t width = INT64_C(1) << thinning->shift, number = thinning->start + (int64_t)bin;
    if (number > INT64_MAX / width)
        return INT64_MAX;
    return number < INT64_MIN / width ? INT64_MIN : number * width;
}
