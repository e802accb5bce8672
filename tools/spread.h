/* How times are spread: a histogram whose bins are a 32nd of their value wide, so that a quantile is right to 1.6 % in
 * bounded memory, whatever the number of times. */
#ifndef SPREAD_H
#define SPREAD_H

#include <stdint.h>

#define SPREAD_BINS (32 * 60)

struct spread {
    uint64_t bins[SPREAD_BINS];
    uint64_t count;
    int64_t largest; /* exact */
};

/* `time` in ns, not negative. A spread begins as zeros. */
void spread_add(struct spread *spread, int64_t time);
/* The time below or at which `percent` of them are; -1 where there is none. */
int64_t spread_quantile(const struct spread *spread, unsigned percent);

#endif
