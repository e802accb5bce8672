/* The controller's clock against the capture's: offset and drift.
 *
 * Method: delays between sending and capture only add time, so the packages that came through fastest show the
 * difference of the clocks. Time is cut into at most CLOCKS_BLOCKS blocks of one length, which doubles when they are
 * used up; each block keeps the package with the smallest (capture time - controller's clock). The drift is the median
 * of the slopes of all pairs of blocks (Theil and Sen): even many late blocks do not move it. It is known if the first
 * and the second half of the time agree: not if the capture's clock was set, nor if the time is so short that network
 * delays hide the drift. The offset is the line's median height at the first package. A clock that goes back starts a
 * new run; the run with most packages counts. */
#ifndef ANALYSIS_CLOCK_DRIFT_H
#define ANALYSIS_CLOCK_DRIFT_H

#include "armtap-analysis.h"

#define CLOCKS_BLOCKS 128
/* Fewer packages yield no offset; fewer blocks or seconds no drift. */
#define CLOCKS_PACKAGES 10
#define CLOCKS_DRIFT_BLOCKS 16
#define CLOCKS_DRIFT_SECONDS 5
/* ppm: how much the halves may differ from the whole. */
#define CLOCKS_DRIFT_APART 25
/* s: the smallest change that counts as setting the capture's clock. */
#define CLOCKS_SET 0.02

struct clock_drift_run {
    int64_t first_time; /* of the capture, ns */
    double first_clock; /* the controller's, s */
    double last_clock;
    double last;   /* of the capture, s since the first */
    double length; /* of a block, s */
    uint64_t packages;
    int channel; /* of the last record: AUBO's channel or RTDE's recipe id */
    struct clock_drift_block {
        double x, y; /* s: capture time since the first package; how much more it advanced than the clock */
        bool used;
    } * block;         /* NULL before the first package */
    size_t block_room; /* as many as the time needs, up to CLOCKS_BLOCKS */
};

/* Starts as zeros. */
struct clock_drift {
    struct clock_drift_run now, best;
    bool failed; /* memory ran out */
};
void armtap_clock_drift_clear(struct clock_drift *clocks);

void armtap_clock_drift_record(struct clock_drift *clocks, const struct armtap_record *record);
void armtap_clock_drift_totals(const struct clock_drift *clocks, struct armtap_clock_totals *totals);

#endif
