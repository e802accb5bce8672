/* The arm around the moments when a safety stop began: joint positions, currents and TCP force, a few rows before and
 * after, evenly thinned out of the time asked for. */
#ifndef ANALYSIS_STOP_WINDOW_H
#define ANALYSIS_STOP_WINDOW_H

#include "armtap.h"

#define MOMENT_ROWS 6 /* before, and as many after */
#define MOMENTS_EACH 4
#define MOMENTS_ALL 400 /* of all streams */

enum stop_window_vector { STOP_WINDOW_POSITION, STOP_WINDOW_CURRENT, STOP_WINDOW_FORCE, STOP_WINDOW_VECTORS };
extern const enum armtap_field_id stop_window_fields[STOP_WINDOW_VECTORS];

struct stop_window_row {
    struct armtap_where where;
    bool has[STOP_WINDOW_VECTORS];
    double value[STOP_WINDOW_VECTORS][6];
};

struct stop_window {
    struct stop_window_row rows[2 * MOMENT_ROWS + 2]; /* the one just before the stop as well */
    unsigned count;
    unsigned at; /* the row of the stop itself */
};

/* Those of one arm of a stream. Begins as zeros. */
struct stop_windows {
    struct stop_window_row before[MOMENT_ROWS]; /* the latest, a ring */
    struct stop_window_row just_before;         /* the record before */
    bool is_between;                            /* it is not in the ring */
    unsigned seen;
    int64_t latest; /* time of the last one put into the ring */
    struct stop_window *all[MOMENTS_EACH];
    unsigned count;
};

/* `reach`: ns before and after. Give it every record of the arm; `begins`: a stop begins with this one. 0, or -1
 * without memory.
 */
int stop_window_record(struct stop_windows *moments, const struct armtap_record *record, const struct armtap_arm *arm,
                       bool begins, int64_t reach);
void stop_window_free(struct stop_windows *moments);

#endif
