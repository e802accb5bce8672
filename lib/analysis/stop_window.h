/* The arm when a safety stop began: joint positions, currents and TCP force, a few rows before and
 * after, evenly thinned out of the time asked for. */
#ifndef ANALYSIS_STOP_WINDOW_H
#define ANALYSIS_STOP_WINDOW_H

#include "armtap-analysis.h"

#define STOP_WINDOWS_EACH 4
#define STOP_WINDOWS_ALL 400 /* of all streams */

/* Those of one arm of a stream. Begins as zeros. */
struct stop_windows {
    struct armtap_stop_row before[ARMTAP_STOP_ROWS]; /* the latest, a ring */
    struct armtap_stop_row just_before;              /* the record before */
    bool is_between;                                 /* it is not in the ring */
    unsigned seen;
    int64_t latest; /* time of the last one put into the ring */
    struct armtap_stop_window *all[STOP_WINDOWS_EACH];
    unsigned count;
};

/* `reach`: ns before and after. Give it every record of the arm; `begins`: a stop begins with this one. 0, or -1
 * without memory.
 */
int armtap_stop_window_record(struct stop_windows *windows, const struct armtap_record *record,
                              const struct armtap_arm *arm, bool begins, int64_t reach);
void armtap_stop_window_free(struct stop_windows *windows);

#endif
