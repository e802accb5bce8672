/* The controller's clock on the axis of capture times: the column robot_time. Packets are only ever late, so that the
 * earliest ones of a connection show how far its clock is from the capture's; and how fast it is, over a longer time. A
 * source that is read once has only the records so far. */
#ifndef EXPORT_ROBOT_CLOCK_H
#define EXPORT_ROBOT_CLOCK_H

#include "analysis/armtap-analysis.h"
#include "analysis/inside.h"
#include "by_connection.h"

/* Begins as zeros. */
struct robot_clocks {
    bool is_wanted; /* else nothing is learned */
    struct by_connection clocks;
};
void robot_clocks_forget(struct robot_clocks *clocks);
/* Takes a record of the first reading, or the only one. 0, or -1 without memory. */
int robot_clocks_learn(struct robot_clocks *clocks, const struct armtap_record *record);
/* When the robot sampled a record, ns since the epoch; ARMTAP_NO_TIME if unknown. */
int64_t robot_clocks_time(struct robot_clocks *clocks, const struct armtap_record *record);

#endif
