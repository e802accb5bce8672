#include "grid_axis.h"

#include <inttypes.h>

#include "base/process/message.h"

#define ROWS_OF_SILENCE 1000 /* without the reserve */
#define ROWS_LONGEST 1000000 /* of one silence */
#define ROWS_RESERVED 10000000

struct grid_axis grid_axis_begin(int64_t step, enum timestamp_zone zone)
{
    return (struct grid_axis){.step = step, .zone = zone, .reserved = ROWS_RESERVED};
}

/* The first instant at a time or later; false if there is none. */
static bool first_instant(int64_t time, int64_t step, int64_t *instant)
{
    int64_t rest = time % step;
    int64_t ahead = rest == 0 ? 0 : rest < 0 ? -rest : step - rest;
    if (time > INT64_MAX - ahead)
        return false;
    *instant = time + ahead;
    return true;
}

uint64_t grid_axis_count(const struct grid_axis *axis, const struct timestamp_range *range, int64_t from, int64_t end,
                         int64_t *first)
{
    if (from < range->from)
        from = range->from;
    if (end > range->to)
        end = range->to < INT64_MAX ? range->to + 1 : INT64_MAX;
    if (!first_instant(from, axis->step, first) || *first >= end)
        return 0;
    return ((uint64_t)end - 1 - (uint64_t)*first) / (uint64_t)axis->step + 1;
}

bool grid_axis_affords(struct grid_axis *axis, const char *who, const struct timestamp_range *silence, uint64_t count,
                       size_t records)
{
    char first[WHEN_DATE_MAX], last[WHEN_DATE_MAX];
    if (count <= ROWS_OF_SILENCE / (records < ROWS_OF_SILENCE ? records + (records == 0) : ROWS_OF_SILENCE))
        return true;
    if (count <= ROWS_LONGEST && count <= axis->reserved) {
        axis->reserved -= count;
        return true;
    }
    timestamp_date(first, silence->from, axis->zone);
    timestamp_date(last, silence->to, axis->zone);
    message_warning("%s: no record from %s to %s: the %" PRIu64
                    " rows of this silence are omitted, as --grid writes at most %d in one, and %d in all; use a "
                    "longer --grid, or --from and --to",
                    who, first, last, count, ROWS_LONGEST, ROWS_RESERVED);
    return false;
}
