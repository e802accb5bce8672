/* How times are spread: a histogram whose bins are a 32nd of their value wide, so that a quantile is right to 1.6 % in
 * bounded memory, whatever the number of times. */
#ifndef ANALYSIS_HISTOGRAM_H
#define ANALYSIS_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define SPREAD_OCTAVES 60
#define SPREAD_BINS 32 /* of an octave */

/* Begins as zeros. Octaves are made when they are needed: times of one stream are much alike. */
struct histogram {
    uint32_t *octaves[SPREAD_OCTAVES]; /* a bin that is full stays so */
    uint64_t count;
    int64_t largest; /* exact */
    bool failed;     /* without memory: not all were added */
};
void armtap_histogram_clear(struct histogram *spread);

/* `time` in ns, not negative. */
void armtap_histogram_add(struct histogram *spread, int64_t time);
/* The time below or at which `percent` of them are; -1 where there is none. */
int64_t armtap_histogram_quantile(const struct histogram *spread, unsigned percent);

#endif
