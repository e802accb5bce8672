/* Times as users write them and as output shows them, exact to the nanosecond. */
#ifndef BASE_TIMESTAMP_H
#define BASE_TIMESTAMP_H

#include "analysis/armtap-analysis.h"

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

/* The same for what writes texts with times in them. */
const struct armtap_zone *timestamp_zone(enum timestamp_zone zone);

#define WHEN_DATE_MAX ARMTAP_TIME_MAX
/* "2026-01-31T12:00:00.500000000Z", or in the machine's zone "2026-01-31T13:00:00.500000000+01:00", and a NUL. Returns
 * the length. */
size_t timestamp_date(char to[WHEN_DATE_MAX], int64_t ns, enum timestamp_zone zone);

#endif
