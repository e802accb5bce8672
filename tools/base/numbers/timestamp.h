/* Times as users write them and as output shows them, exact to the nanosecond. */
#ifndef BASE_TIMESTAMP_H
#define BASE_TIMESTAMP_H

#include "analysis/armtap-analysis.h"
#include "analysis/inside.h"

/* The zone in which times are written and shown. */
enum timestamp_zone { TIMESTAMP_UTC, TIMESTAMP_LOCAL };

struct timestamp {
    bool given;
    bool relative; /* to the first packet of the capture */
    bool from_end; /* before its last packet: timestamp_count_back() first */
    bool of_day;   /* the first such time of day in the capture */
    bool is_utc;   /* a time of day in UTC, whatever the zone */
    bool in_zone;  /* a date without "Z" or offset */
    int64_t ns;    /* since the epoch, since the first packet, before the last, or since midnight */
};

/* "2026-01-31T12:00:00.5Z" (or an offset, "+01:00", or neither: in the zone of the user; a blank for T; a date alone,
 * or a time without seconds), seconds since the epoch, "+10.5" or "+1h30m" after the first packet, "-10m" before the
 * last, or a time of day, "08:53:30". Returns 0, or -1 for anything else, such as more than nine decimals. */
int timestamp_parse(const char *text, struct timestamp *when);
/* The accepted forms, for error messages. */
extern const char when_forms[];
/* ns since the epoch. A relative time counts from `first_time`; a time of day is the first one from then on, on the
 * next day if it has passed. ARMTAP_NO_TIME if `first_time` is needed but unknown. */
int64_t timestamp_resolve(const struct timestamp *when, int64_t first_time, enum timestamp_zone zone);

/* --from and --to; what is not given, or cannot be known, limits nothing. A time of day to end at is the first after
 * `from`. */
struct timestamp_range {
    int64_t from, to;
};
struct timestamp_range timestamp_range(const struct timestamp *from, const struct timestamp *to, int64_t first_time,
                                       enum timestamp_zone zone);
/* Whether `to` is before `from` whatever the capture holds. */
bool timestamp_is_swapped(const struct timestamp *from, const struct timestamp *to);
/* Makes a time before the last packet one since the epoch. */
void timestamp_count_back(struct timestamp *when, int64_t last_time);

/* The zone as the library takes it. */
const struct armtap_zone *timestamp_zone(enum timestamp_zone zone);

#define WHEN_DATE_MAX ARMTAP_TIME_MAX
/* "2026-01-31T12:00:00.500000000Z", or in the machine's zone "2026-01-31T13:00:00.500000000+01:00", and a NUL. Returns
 * the length. */
size_t timestamp_date(char to[WHEN_DATE_MAX], int64_t ns, enum timestamp_zone zone);

#endif
