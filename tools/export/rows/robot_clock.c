#include "robot_clock.h"

#include <math.h>
#include <stdlib.h>

/* A connection's. */
struct robot_clock {
    struct clock_drift drift;
    struct armtap_clock_totals totals;
    uint64_t counted; /* packages when `totals` were made */
};

void robot_clocks_forget(struct robot_clocks *clocks)
{
    for (size_t i = 0; i < clocks->clocks.count; i++) {
        struct robot_clock *clock = clocks->clocks.slots[i].thing;
        armtap_clock_drift_clear(&clock->drift);
        free(clock);
    }
    free(clocks->clocks.slots);
    clocks->clocks = (struct by_connection){0};
}

int robot_clocks_learn(struct robot_clocks *clocks, const struct armtap_record *record)
{
    if (!clocks->is_wanted || record->direction != ARMTAP_FROM_ROBOT)
        return 0;
    struct robot_clock *clock = by_connection_find(&clocks->clocks, record->stream->connection);
    if (!clock && !(clock = by_connection_new(&clocks->clocks, record->stream->connection, sizeof *clock)))
        return -1;
    armtap_clock_drift_record(&clock->drift, record);
    return clock->drift.failed ? -1 : 0;
}

int64_t robot_clocks_time(struct robot_clocks *clocks, const struct armtap_record *record)
{
    struct robot_clock *clock = by_connection_find(&clocks->clocks, record->stream->connection);
    if (!clock)
        return ARMTAP_NO_TIME;
    uint64_t packages = clock->drift.now.packages + clock->drift.best.packages;
    if (packages != clock->counted) {
        armtap_clock_drift_totals(&clock->drift, &clock->totals);
        clock->counted = packages;
    }
    return armtap_clock_drift_axis(&clock->drift, &clock->totals, record->clock);
}
