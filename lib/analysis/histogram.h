/* A histogram of times whose bins are 1/32 of their value wide: quantiles are exact to 1.6 %, in bounded memory for any
 * number of times. */
#ifndef ANALYSIS_HISTOGRAM_H
#define ANALYSIS_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define SPREAD_OCTAVES 60
#define SPREAD_BINS 32 /* per octave */

/* Starts as zeros. Only octaves with times have bins: the times of a stream are similar, and there may be thousands of
 * streams. */
struct histogram {
    uint8_t place[SPREAD_OCTAVES]; /* of an octave in `bins`, from 1; 0: it has no times */
    uint8_t used;
    bool failed;                   /* memory ran out: some times are missing */
    uint32_t (*bins)[SPREAD_BINS]; /* they saturate */
    uint64_t count;
    int64_t largest; /* exact */
};
void armtap_histogram_clear(struct histogram *histogram);

/* `time` in ns, not negative. */
void armtap_histogram_add(struct histogram *histogram, int64_t time);
/* The time that `percent` of the times do not exceed; -1 if there are none. */
int64_t armtap_histogram_quantile(const struct histogram *histogram, unsigned percent);

#endif
