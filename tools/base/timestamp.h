/* Times as users write them and as output shows them, exact to the nanosecond. */
#ifndef BASE_TIMESTAMP_H
#define BASE_TIMESTAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whose clock on the wall people look at. */
enum timestamp_zone { TIMESTAMP_UTC, TIMESTAMP_LOCAL };

struct timestamp {
    bool given;
    bool relative; /* to the first packet of the capture */
    bool of_day;   /* the first such time of day in the capture */
    bool is_utc;   /* of day: UTC, whatever the zone of the others */
    int64_t ns;    /* since the epoch, since the first packet, or since midnight */
};

/* "2026-01-31T12:00:00.5Z" (or an offset, "+01:00"), seconds since the epoch, "+10.5" or "+1h30m" from the first
 * packet, or a time of day, "08:53:30". Returns 0, or -1 for anything else, more than nine decimals included. */
int timestamp_parse(const char *text, struct timestamp *when);
/* What to write in an error about a time. */
extern const char when_forms[];
/* ns since the epoch; a relative time counts from `first_time`, and a time of day is the first one from then on, that
 * of the next day where it has passed. ARMTAP_NO_TIME where that is not known. */
int64_t timestamp_resolve(const struct timestamp *when, int64_t first_time, enum timestamp_zone zone);

/* Packets of several queues, or a mirror port, may be that much out of order, ns; a clock that goes back further was
 * set. */
#define WHEN_DISORDER INT64_C(10000000)
bool timestamp_is_set_back(int64_t before, int64_t after);

/* From one time to a later one; times of captures may be anything, so it is at most WHEN_LONGEST. */
#define WHEN_LONGEST INT64_C(9000000000000000000)
int64_t timestamp_between(int64_t from, int64_t to);
/* The same in s; negative where one of them is no time, or the later one is earlier. */
double timestamp_seconds(int64_t from, int64_t to);
/* So much later, or earlier; stays within what can be told. */
int64_t timestamp_shift(int64_t time, int64_t by);

#define WHEN_DATE_MAX 40
/* "2026-01-31T12:00:00.500000000Z", or in the machine's zone "2026-01-31T13:00:00.500000000+01:00", and a NUL. Returns
 * the length. */
size_t timestamp_date(char to[WHEN_DATE_MAX], int64_t ns, enum timestamp_zone zone);

#endif
