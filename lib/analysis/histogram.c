#include "histogram.h"

#include <stddef.h>
#include <stdlib.h>

/* Up to 63 a bin for each; above, the top six bits tell the bin. */
static size_t bin_of(uint64_t time)
{
    size_t shift = 0;
    while (time >> shift >= 64)
        shift++;
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

void armtap_histogram_clear(struct histogram *spread)
{
    for (size_t i = 0; i < SPREAD_OCTAVES; i++)
        free(spread->octaves[i]);
    *spread = (struct histogram){.count = 0};
}

void armtap_histogram_add(struct histogram *spread, int64_t time)
{
    size_t bin = bin_of((uint64_t)time);
    uint32_t **octave = &spread->octaves[bin / SPREAD_BINS];
    if (!*octave && !(*octave = calloc(SPREAD_BINS, sizeof **octave))) {
        spread->failed = true;
        return;
    }
    uint32_t *count = &(*octave)[bin % SPREAD_BINS];
    *count += *count < UINT32_MAX;
    spread->count++;
    if (time > spread->largest)
        spread->largest = time;
}

int64_t armtap_histogram_quantile(const struct histogram *spread, unsigned percent)
{
    uint64_t seen = 0, wanted = (spread->count * percent + 99) / 100;
    if (spread->count == 0)
        return -1;
    for (size_t i = 0; i < SPREAD_OCTAVES * SPREAD_BINS; i++) {
        const uint32_t *octave = spread->octaves[i / SPREAD_BINS];
        seen += octave ? octave[i % SPREAD_BINS] : 0;
        if (seen >= wanted && seen > 0)
            return middle_of(i) < spread->largest ? middle_of(i) : spread->largest;
    }
    return spread->largest;
}
