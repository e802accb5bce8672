/* The instants of --grid: multiples of a step since the epoch. */
#ifndef EXPORT_GRID_AXIS_H
#define EXPORT_GRID_AXIS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/numbers/timestamp.h"

struct grid_axis {
    int64_t step;
    enum timestamp_zone zone; /* for messages */
    uint64_t reserved;        /* rows that silences may still take */
};
struct grid_axis grid_axis_begin(int64_t step, enum timestamp_zone zone);

/* The number of instants from a time on, before `end`, and within a range; *first: the first of them. */
uint64_t grid_axis_count(const struct grid_axis *axis, const struct timestamp_range *range, int64_t from, int64_t end,
                         int64_t *first);
/* Whether rows at so many instants without news may be written, each of so many records. So that a clock that is set by
 * years does not fill the disk, long silences take rows from a reserve; a warning says what is left out. `who` was
 * silent: "stream 0". */
bool grid_axis_affords(struct grid_axis *axis, const char *who, const struct timestamp_range *silence, uint64_t count,
                       size_t records);

#endif
