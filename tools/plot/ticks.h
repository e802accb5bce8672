/* Where an axis has ticks: round numbers and round times, as many as fit. */
#ifndef PLOT_TICKS_H
#define PLOT_TICKS_H

#include "base/numbers/timestamp.h"

/* The distance of ticks on an axis that spans `span` (above 0) and has room for `room` of them: 1, 2 or 5 times a power
 * of ten. */
double ticks_step(double span, double room);
#define TICK_MAX 40
/* The text of a tick, with the decimals that its step needs. */
void ticks_number(char to[TICK_MAX], double value, double step);

/* The same for times; ns. Steps of seconds, minutes, hours and days are those of clocks. */
int64_t ticks_time_step(int64_t span, double room);
/* The first tick at `time` or later; those after it are a step each. Hours and days begin as in the zone. */
int64_t ticks_first_time(int64_t time, int64_t step, enum timestamp_zone zone);
/* "12:00:01.5"; at midnight, and with steps of days, "2026-02-01". */
void ticks_time(char to[TICK_MAX], int64_t time, int64_t step, enum timestamp_zone zone);
/* "2026-01-31 UTC", or the zone's offset in its place, with the one at the end if that is another. */
void ticks_date(char to[TICK_MAX], int64_t time, int64_t end, enum timestamp_zone zone);

#endif
