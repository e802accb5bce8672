#include "analysis/facts/flow_rate.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Up to 63 each value has a bin; above, the top six bits choose the bin. */
static size_t bin_of(uint64_t time)
{
    size_t shift = time < 64 ? 0 : 58 - (size_t)__builtin_clzll(time);
    return 32 * shift + (size_t)(time >> shift);
}

static int64_t middle_of(size_t bin)
{
    if (bin < 64)
        return (int64_t)bin;
    size_t shift = bin / 32 - 1;
    uint64_t low = (uint64_t)(bin - 32 * shift) << shift;
    return (int64_t)(low + (UINT64_C(1) << shift) / 2);
}

void armtap_histogram_clear(struct histogram *histogram)
{
    free(histogram->bins);
    *histogram = (struct histogram){.count = 0};
}

/* Gives an octave its bins; false if memory runs out. */
static bool add_octave(struct histogram *histogram, size_t octave)
{
    uint32_t(*bins)[SPREAD_BINS] = realloc(histogram->bins, (histogram->used + 1u) * sizeof *bins);
    if (!bins)
        return false;
    histogram->bins = bins;
    memset(bins[histogram->used], 0, sizeof *bins);
    histogram->place[octave] = ++histogram->used;
    return true;
}

bool armtap_histogram_add_bin(struct histogram *histogram, size_t bin, uint32_t times, int64_t largest)
{
    size_t octave = bin / SPREAD_BINS;
    if (octave >= SPREAD_OCTAVES)
        return false;
    if (histogram->place[octave] == 0 && !add_octave(histogram, octave)) {
        histogram->failed = true;
        return true;
    }
    uint32_t *count = &histogram->bins[histogram->place[octave] - 1][bin % SPREAD_BINS];
    *count += times < UINT32_MAX - *count ? times : UINT32_MAX - *count;
    histogram->count += times;
    if (largest > histogram->largest)
        histogram->largest = largest;
    return true;
}

void armtap_histogram_add(struct histogram *histogram, int64_t time)
{
    armtap_histogram_add_bin(histogram, bin_of((uint64_t)time), 1, time);
}

int64_t armtap_histogram_largest(const struct histogram *histogram)
{
    return histogram->largest;
}

uint32_t armtap_histogram_at(const struct histogram *histogram, size_t bin)
{
    size_t place = histogram->place[bin / SPREAD_BINS];
    return place > 0 ? histogram->bins[place - 1][bin % SPREAD_BINS] : 0;
}

int64_t armtap_histogram_quantile(const struct histogram *histogram, unsigned percent)
{
    uint64_t seen = 0, wanted = (histogram->count * percent + 99) / 100;
    if (histogram->count == 0)
        return -1;
    for (size_t i = 0; i < SPREAD_OCTAVES * SPREAD_BINS; i++) {
        size_t place = histogram->place[i / SPREAD_BINS];
        seen += place > 0 ? histogram->bins[place - 1][i % SPREAD_BINS] : 0;
        if (seen >= wanted && seen > 0)
            return middle_of(i) < histogram->largest ? middle_of(i) : histogram->largest;
    }
    return histogram->largest;
}
