/* The arm around the start of a safety stop, or a driver's commands to it: a few rows of joint positions, currents and
 * TCP force, or of targets, before and after it, spread evenly over the requested time. */
#ifndef ANALYSIS_STOP_WINDOW_H
#define ANALYSIS_STOP_WINDOW_H

#include "armtap-analysis.h"
#include "driver_commands.h"

#define STOP_WINDOWS_EACH 4
#define STOP_WINDOWS_ALL 400 /* of all streams */

/* The windows of one arm of a stream, or of a driver's commands. Starts as zeros. */
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
/* Call for every command of a driver. */
void armtap_stop_window_command(struct stop_windows *windows, const struct command *command, int64_t reach);
/* Call when a stop of the driver's robot begins. 0, or -1 if memory runs out. */
int armtap_stop_window_mark(struct stop_windows *windows, const struct armtap_where *stop, int64_t reach);
void armtap_stop_window_free(struct stop_windows *windows);

#endif
