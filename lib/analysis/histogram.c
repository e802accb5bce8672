#include "histogram.h"

#include <stddef.h>
#include <stdlib.h>

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
    for (size_t i = 0; i < SPREAD_OCTAVES; i++)
        free(histogram->octaves[i]);
    *histogram = (struct histogram){.count = 0};
}

void armtap_histogram_add(struct histogram *histogram, int64_t time)
{
    size_t bin = bin_of((uint64_t)time);
    uint32_t **octave = &histogram->octaves[bin / SPREAD_BINS];
    if (!*octave && !(*octave = calloc(SPREAD_BINS, sizeof **octave))) {
        histogram->failed = true;
        return;
    }
    uint32_t *count = &(*octave)[bin % SPREAD_BINS];
    *count += *count < UINT32_MAX;
    histogram->count++;
    if (time > histogram->largest)
        histogram->largest = time;
}

int64_t armtap_histogram_quantile(const struct histogram *histogram, unsigned percent)
{
    uint64_t seen = 0, wanted = (histogram->count * percent + 99) / 100;
    if (histogram->count == 0)
        return -1;
    for (size_t i = 0; i < SPREAD_OCTAVES * SPREAD_BINS; i++) {
        const uint32_t *octave = histogram->octaves[i / SPREAD_BINS];
        seen += octave ? octave[i % SPREAD_BINS] : 0;
        if (seen >= wanted && seen > 0)
            return middle_of(i) < histogram->largest ? middle_of(i) : histogram->largest;
    }
    return histogram->largest;
}
