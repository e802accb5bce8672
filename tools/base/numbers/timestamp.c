#define _POSIX_C_SOURCE 200809L
#include "timestamp.h"

#include <string.h>
#include <time.h>

#include "nanoseconds.h"
#include "analysis/inside.h"

#define DAY INT64_C(86400)

const char when_forms[] =
    "use 2026-01-31T12:00:00.5Z, seconds since the epoch, +10.5, +1m or +2h after the first packet, or "
    "08:53:30 for the first such time in the capture";

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads exactly `digits` digits, or all there are if `digits` is 0; NULL if there are too few or the number is too
 * large. */
static const char *read_number(const char *at, unsigned digits, int64_t *number)
{
    const char *begin = at;
    for (*number = 0; is_digit(*at) && (digits == 0 || at < begin + digits); at++) {
        if (*number > INT64_C(100000000000))
            return NULL;
        *number = *number * 10 + (*at - '0');
    }
    return at == begin || (digits != 0 && at != begin + digits) ? NULL : at;
}

/* ".5" or nothing; digits after the ninth must be zeros. */
static const char *read_fraction(const char *at, int64_t *ns)
{
    int64_t scale = SECOND;
    *ns = 0;
    if (*at != '.')
        return at;
    if (!is_digit(*++at))
        return NULL;
    for (; is_digit(*at); at++) {
        scale /= 10;
        if (scale == 0 && *at != '0')
            return NULL;
        *ns += (*at - '0') * scale;
    }
    return at;
}

static int join(int64_t seconds, int64_t fraction, int64_t *ns)
{
    if (seconds > INT64_MAX / SECOND - 1 || seconds < INT64_MIN / SECOND + 1)
        return -1;
    *ns = seconds * SECOND + fraction;
    return 0;
}

static bool is_leap(int64_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int64_t days_in_month(int64_t year, int64_t month)
{
    static const int64_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year) ? 1 : 0);
}

/* Days from 1970-01-01 to the first day of a year. */
static int64_t days_before_year(int64_t year)
{
    int64_t before = year - 1;
    return year * 365 + before / 4 - before / 100 + before / 400 - 719527;
}

/* "Z" or an offset from UTC, and the end of the text. */
static int read_zone(const char *at, int64_t *seconds)
{
    int64_t hours, minutes;
    *seconds = 0;
    if (strcmp(at, "Z") == 0 || strcmp(at, "z") == 0)
        return 0;
    bool west = *at == '-';
    if (*at != '+' && !west)
        return -1;
    at = read_number(at + 1, 2, &hours);
    if (!at)
        return -1;
    at = read_number(*at == ':' ? at + 1 : at, 2, &minutes);
    if (!at || *at != '\0' || hours > 23 || minutes > 59)
        return -1;
    *seconds = (west ? -1 : 1) * (hours * 3600 + minutes * 60);
    return 0;
}

/* Year to second into parts[6]; a date needs all of them. */
static const char *read_parts(const char *at, int64_t parts[6])
{
    static const char after[] = "--T::";
    for (unsigned i = 0; i < 6; i++) {
        at = read_number(at, i == 0 ? 4 : 2, &parts[i]);
        if (!at)
            return NULL;
        if (i < 5 && *at != after[i] && !(i == 2 && (*at == 't' || *at == ' ')))
            return NULL;
        at += i < 5 ? 1 : 0;
    }
    if (parts[0] < 1 || parts[1] < 1 || parts[1] > 12 || parts[2] < 1 || parts[2] > days_in_month(parts[0], parts[1]) ||
        parts[3] > 23 || parts[4] > 59 || parts[5] > 60)
        return NULL;
    return at;
}

static int parse_date(const char *text, int64_t *ns)
{
    int64_t part[6], fraction, zone;
    const char *at = read_parts(text, part);
    if (!at || !(at = read_fraction(at, &fraction)) || read_zone(at, &zone) != 0)
        return -1;
    int64_t days = days_before_year(part[0]) + part[2] - 1;
    for (int64_t month = 1; month < part[1]; month++)
        days += days_in_month(part[0], month);
    return join(days * 86400 + part[3] * 3600 + part[4] * 60 + part[5] - zone, fraction, ns);
}

/* "10.5", or numbers with units, the larger first: "1h30m", "1.5s". */
static int parse_span(const char *at, int64_t *ns)
{
    static const char units[] = "hms";
    static const int64_t worth[] = {3600, 60, 1};
    int64_t number, fraction, total = 0;
    const char *unit = units;
    do {
        at = read_number(at, 0, &number);
        if (!at || !(at = read_fraction(at, &fraction)))
            return -1;
        const char *found = *at == '\0' && unit == units ? units + 2 : strchr(unit, *at);
        if (!found || *found == '\0' || join(number * worth[found - units], 0, &number) != 0 ||
            number > INT64_MAX - total - fraction * worth[found - units])
            return -1;
        total += number + fraction * worth[found - units];
        unit = found + 1;
        at += *at == '\0' ? 0 : 1;
    } while (*at != '\0');
    *ns = total;
    return 0;
}

/* "08:53", "08:53:30.5", "08:53:30Z" */
static int parse_time_of_day(const char *at, struct timestamp *when)
{
    int64_t hours, minutes, seconds = 0, fraction = 0;
    at = read_number(at, 2, &hours);
    if (!at || *at != ':' || !(at = read_number(at + 1, 2, &minutes)))
        return -1;
    if (*at == ':' && (!(at = read_number(at + 1, 2, &seconds)) || !(at = read_fraction(at, &fraction))))
        return -1;
    when->is_utc = *at == 'Z' || *at == 'z';
    at += when->is_utc ? 1 : 0;
    if (*at != '\0' || hours > 23 || minutes > 59 || seconds > 59)
        return -1;
    return join(hours * 3600 + minutes * 60 + seconds, fraction, &when->ns);
}

int timestamp_parse(const char *text, struct timestamp *when)
{
    int64_t seconds, fraction;
    *when = (struct timestamp){.given = true, .relative = *text == '+', .of_day = strlen(text) > 4 && text[2] == ':'};
    if (strlen(text) > 10 && text[4] == '-')
        return parse_date(text, &when->ns);
    if (when->of_day)
        return parse_time_of_day(text, when);
    if (when->relative)
        return parse_span(text + 1, &when->ns);
    const char *at = read_number(text, 0, &seconds);
    if (!at || !(at = read_fraction(at, &fraction)) || *at != '\0')
        return -1;
    return join(seconds, fraction, &when->ns);
}

/* ---- local time -------------------------------------------------------------------------------------------------- */

/* Splits ns into whole seconds and a fraction that is not negative. */
static int64_t whole_seconds(int64_t ns, int64_t *fraction)
{
    bool is_before = ns % SECOND < 0;
    *fraction = ns % SECOND + (is_before ? SECOND : 0);
    return ns / SECOND - (is_before ? 1 : 0);
}

/* The machine's offset from UTC at that time, in seconds. */
static int64_t zone_offset(int64_t seconds)
{
    struct tm tm;
    time_t time = (time_t)seconds;
    tzset(); /* localtime_r need not call it */
    if (!localtime_r(&time, &tm))
        return 0;
    int64_t days = days_before_year((int64_t)tm.tm_year + 1900) + tm.tm_yday;
    return days * DAY + tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec - seconds;
}

/* The first time, not before `first_time`, at which a clock of that zone shows `ns` since midnight. */
static int64_t next_time_of_day(int64_t ns, int64_t first_time, enum timestamp_zone zone)
{
    int64_t fraction, seconds = whole_seconds(first_time, &fraction), wanted = ns / SECOND, found = 0;
    int64_t offset = zone == TIMESTAMP_LOCAL ? zone_offset(seconds) : 0;
    int64_t midnight = seconds + offset - ((seconds + offset) % DAY + DAY) % DAY;
    /* Today or tomorrow; one day later if daylight saving skips that time. */
    for (int64_t day = 0; day < 3; day++) {
        int64_t shown = midnight + day * DAY + wanted;
        int64_t there = zone == TIMESTAMP_LOCAL ? zone_offset(shown - offset) : 0;
        found = shown - there;
        bool is_shown = zone == TIMESTAMP_UTC || found + zone_offset(found) == shown;
        if (is_shown && (found > seconds || (found == seconds && ns % SECOND >= fraction)))
            break;
    }
    return found > INT64_MAX / SECOND - 1 ? INT64_MAX : found * SECOND + ns % SECOND;
}

int64_t timestamp_resolve(const struct timestamp *when, int64_t first_time, enum timestamp_zone zone)
{
    if (!when->relative && !when->of_day)
        return when->ns;
    if (first_time == ARMTAP_NO_TIME)
        return ARMTAP_NO_TIME;
    if (when->of_day)
        return next_time_of_day(when->ns, first_time, when->is_utc ? TIMESTAMP_UTC : zone);
    return when->ns > INT64_MAX - (first_time > 0 ? first_time : 0) ? INT64_MAX : first_time + when->ns;
}

static int64_t local_offset(void *user, int64_t seconds)
{
    (void)user;
    return zone_offset(seconds);
}

const struct armtap_zone *timestamp_zone(enum timestamp_zone zone)
{
    static const struct armtap_zone local = {.offset = local_offset};
    return zone == TIMESTAMP_LOCAL ? &local : NULL;
}

size_t timestamp_date(char to[WHEN_DATE_MAX], int64_t ns, enum timestamp_zone zone)
{
    return armtap_time_text(to, ns, timestamp_zone(zone));
}
