#include "draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nanoseconds.h"
#include "analysis/inside.h"

#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

double ticks_step(double span, double room)
{
    double least = span / fmax(room, 1), power = pow(10, floor(log10(least)));
    static const double factors[] = {1, 2, 5};
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        if (factors[i] * power >= least * (1 - 1e-9))
            return factors[i] * power;
    return 10 * power;
}

void ticks_number(char to[TICK_MAX], double value, double step)
{
    double power = floor(log10(step) + 1e-9), size = fmax(fabs(value), step);
    if (fabs(value) < step / 2)
        snprintf(to, TICK_MAX, "0");
    else if (power < -6 || size >= 1e7)
        snprintf(to, TICK_MAX, "%.*g", (int)fmin(fmax(floor(log10(size)) - power + 1, 1), 15), value);
    else
        snprintf(to, TICK_MAX, "%.*f", power < 0 ? (int)-power : 0, value);
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

static const int64_t steps[] = {SECOND,  2 * SECOND, 5 * SECOND, 10 * SECOND, 15 * SECOND, 30 * SECOND,
                                MINUTE,  2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE,
                                HOUR,    2 * HOUR,   3 * HOUR,   6 * HOUR,    12 * HOUR,   DAY,
                                2 * DAY, 7 * DAY,    14 * DAY,   28 * DAY,    91 * DAY,    364 * DAY};

int64_t ticks_time_step(int64_t span, double room)
{
    double least = (double)span / fmax(room, 1);
    if (least <= (double)SECOND / 2)
        return (int64_t)fmax(ticks_step((double)span, room), 1);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if ((double)steps[i] >= least)
            return steps[i];
    return (int64_t)fmin(ticks_step((double)span / (double)(364 * DAY), room) * (double)(364 * DAY), 9e18);
}

static int64_t offset_at(int64_t time, enum timestamp_zone zone)
{
    const struct armtap_zone *at = timestamp_zone(zone);
    return at ? at->offset(at->user, time / SECOND) * SECOND : 0;
}

int64_t ticks_first_time(int64_t time, int64_t step, enum timestamp_zone zone)
{
    int64_t offset = offset_at(time, zone), local = armtap_time_shift(time, offset);
    int64_t rest = local % step;
    if (rest < 0)
        rest += step;
    return rest == 0 ? time : armtap_time_shift(time, step - rest);
}

void ticks_time(char to[TICK_MAX], int64_t time, int64_t step, enum timestamp_zone zone)
{
    char date[WHEN_DATE_MAX];
    timestamp_date(date, time, zone); /* 2026-01-31T12:00:00.500000000Z */
    const char *clock = strchr(date, 'T');
    if (!clock) {
        snprintf(to, TICK_MAX, "%.*s", TICK_MAX - 1, date);
        return;
    }
    if (step >= DAY || strncmp(clock, "T00:00:00.000000000", 19) == 0) {
        snprintf(to, TICK_MAX, "%.*s", (int)(clock - date), date);
        return;
    }
    int decimals = 0;
    for (int64_t unit = SECOND; step % unit != 0 && decimals < 9; unit /= 10)
        decimals++;
    int length = step % MINUTE == 0 ? 5 : decimals ? 9 + decimals : 8;
    snprintf(to, TICK_MAX, "%.*s", length, clock + 1);
}

/* Where the time is at an offset from UTC. */
static const char *offset_of(const char *date, size_t length, enum timestamp_zone zone)
{
    return zone == TIMESTAMP_UTC || length < 6 ? "UTC" : date + length - 6;
}

void ticks_date(char to[TICK_MAX], int64_t time, int64_t end, enum timestamp_zone zone)
{
    char date[WHEN_DATE_MAX], last[WHEN_DATE_MAX];
    size_t length = timestamp_date(date, time, zone);
    const char *clock = strchr(date, 'T'), *offset = offset_of(date, length, zone);
    const char *later = offset_of(last, timestamp_date(last, end, zone), zone);
    bool changes = strcmp(offset, later) != 0;
    snprintf(to, TICK_MAX, "%.*s %s%s%s", clock ? (int)(clock - date) : 10, date, offset, changes ? ", later " : "",
             changes ? later : "");
}
