/* The controller's clock against the capture's: offset and drift.
 *
 * Method: what lies between a package and its capture can only be too much, never too little, so the packages that
 * came through quickest tell the clocks apart. Time is cut into at most CLOCKS_BLOCKS blocks of one length, which
 * doubles when they are used up; of each block the package with the least (capture time - controller's clock) is kept.
 * The drift is the median of the slopes of all pairs of blocks (Theil and Sen): a block that is late as a whole, or
 * many, do not move it. It is known where the first and the second half of the time tell the same: not where the
 * capture's clock was set, nor in so short a time that the network's delays hide it. The offset is that of the line's
 * median height at the first package. A clock that goes back begins anew; the run with most packages counts. */
#ifndef ANALYSIS_CLOCK_DRIFT_H
#define ANALYSIS_CLOCK_DRIFT_H

#include "armtap-analysis.h"

#define CLOCKS_BLOCKS 128
/* Fewer packages have no offset; fewer blocks or seconds no drift. */
#define CLOCKS_PACKAGES 10
#define CLOCKS_DRIFT_BLOCKS 16
#define CLOCKS_DRIFT_SECONDS 5
/* ppm by which the halves of the time may differ from the whole. */
#define CLOCKS_DRIFT_APART 25
/* s by which the capture's clock was set, at least. */
#define CLOCKS_SET 0.02

struct clock_drift_run {
    int64_t first_time; /* of the capture, ns */
    double first_clock; /* the controller's, s */
    double last_clock;
    double last;   /* of the capture, s since the first */
    double length; /* of a block, s */
    uint64_t packages;
    int channel; /* of the record before: AUBO's, or RTDE's recipe id */
    struct clock_drift_block {
        double x, y; /* capture time since the first; by how much more it went on than the clock; s */
        bool used;
    } * block; /* CLOCKS_BLOCKS; NULL before the first package */
};

/* Begins as zeros. */
struct clock_drift {
    struct clock_drift_run now, best;
    bool failed; /* without memory */
};
void armtap_clock_drift_clear(struct clock_drift *clocks);

void armtap_clock_drift_record(struct clock_drift *clocks, const struct armtap_record *record);
void armtap_clock_drift_totals(const struct clock_drift *clocks, struct armtap_clock_totals *totals);

#endif
