#include "robot_clock.h"

#include <math.h>
#include <stdlib.h>

/* A connection's. */
struct robot_clock {
    struct clock_drift drift;
    struct armtap_clock_totals totals;
    uint64_t counted; /* packages when `totals` were made, ... */
    bool is_of_now;   /* ... and of which run */
    bool was_set;
};

/* Totals take thousands of steps. Those of a source that is read once are made anew when it has grown by an eighth. */
static bool is_outdated(const struct robot_clock *clock, uint64_t packages, bool is_of_now)
{
    return is_of_now != clock->is_of_now || packages < clock->counted || packages - clock->counted > clock->counted / 8;
}

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
    const struct clock_drift *drift = &clock->drift;
    bool is_of_now = drift->now.packages > drift->best.packages;
    uint64_t packages = is_of_now ? drift->now.packages : drift->best.packages;
    if (is_outdated(clock, packages, is_of_now)) {
        armtap_clock_drift_totals(drift, &clock->totals);
        clock->counted = packages;
        clock->is_of_now = is_of_now;
        clock->was_set = armtap_clock_drift_was_set(drift);
    }
    return clock->was_set ? ARMTAP_NO_TIME : armtap_clock_drift_axis(drift, &clock->totals, record);
}
