/* The arm around the start of a safety stop: a few rows of joint positions, currents and TCP force before and after it,
 * spread evenly over the requested time. */
#ifndef ANALYSIS_STOP_WINDOW_H
#define ANALYSIS_STOP_WINDOW_H

#include "armtap-analysis.h"

#define STOP_WINDOWS_EACH 4
#define STOP_WINDOWS_ALL 400 /* of all streams */

/* The windows of one arm of a stream. Starts as zeros. */
struct stop_windows {
    struct armtap_stop_row before[ARMTAP_STOP_ROWS]; /* the latest, a ring */
    struct armtap_stop_row just_before;              /* the record before */
    bool is_between;                                 /* just_before is not in the ring */
    unsigned seen;
    int64_t latest; /* time of the last one put into the ring */
    struct armtap_stop_window *all[STOP_WINDOWS_EACH];
    unsigned count;
};

/* Call for every record of the arm. `begins`: a stop begins with this one; `reach`: ns before and after. 0, or -1 if
 * memory runs out. */
int armtap_stop_window_record(struct stop_windows *windows, const struct armtap_record *record,
                              const struct armtap_arm *arm, bool begins, int64_t reach);
void armtap_stop_window_free(struct stop_windows *windows);

#endif
