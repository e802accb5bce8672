#define _POSIX_C_SOURCE 200809L
#include "timestamp.h"

#include <string.h>

#include "base/os/names.h"
#include "nanoseconds.h"
#include "analysis/inside.h"

#define DAY INT64_C(86400)

const char when_forms[] = "use 2026-01-31T12:00:00.5Z (T may be a blank, without Z it is UTC, or this machine's time "
                          "with --local), 2026-01-31 "
                          "for its first moment, seconds since the epoch, +10.5, +1m or +2h after the first packet, "
                          "-10m before the last one, or "
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

/* Year to second into parts[6]; a date alone, or one without seconds, has zeros. */
static const char *read_parts(const char *at, int64_t parts[6])
{
    static const char after[] = "--T::";
    for (unsigned i = 0; i < 6; i++) {
        bool may_end = i == 2 || i == 4;
        at = read_number(at, i == 0 ? 4 : 2, &parts[i]);
        if (!at)
            return NULL;
        if (i == 5 || (may_end && *at != after[i] && !(i == 2 && (*at == 't' || *at == ' '))))
            break;
        if (*at != after[i] && i != 2)
            return NULL;
        at++;
    }
    if (parts[0] < 1 || parts[1] < 1 || parts[1] > 12 || parts[2] < 1 || parts[2] > days_in_month(parts[0], parts[1]) ||
        parts[3] > 23 || parts[4] > 59 || parts[5] > 60)
        return NULL;
    return at;
}

static int parse_date(const char *text, struct timestamp *when)
{
    int64_t part[6] = {0}, fraction, zone = 0;
    const char *at = read_parts(text, part);
    if (!at || !(at = read_fraction(at, &fraction)))
        return -1;
    when->in_zone = *at == '\0';
    if (!when->in_zone && read_zone(at, &zone) != 0)
        return -1;
    int64_t days = days_before_year(part[0]) + part[2] - 1;
    for (int64_t month = 1; month < part[1]; month++)
        days += days_in_month(part[0], month);
    return join(days * 86400 + part[3] * 3600 + part[4] * 60 + part[5] - zone, fraction, &when->ns);
}

/* Moves behind the name of a unit; 0: it is none. */
static int64_t read_unit(const char **at)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {{"ms", MILLISECOND}, {"us", MICROSECOND}, {"h", 3600 * SECOND}, {"m", 60 * SECOND}, {"s", SECOND}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strncmp(*at, units[i].name, strlen(units[i].name)) != 0)
            continue;
        *at += strlen(units[i].name);
        return units[i].ns;
    }
    return 0;
}

/* "10.5", or numbers with units, the larger first: "1h30m", "1.5s", "10ms". */
static int parse_span(const char *at, int64_t *ns)
{
    int64_t number, fraction, before = INT64_MAX;
    bool is_bare = at[strspn(at, "0123456789.")] == '\0';
    *ns = 0;
    do {
        at = read_number(at, 0, &number);
        if (!at || !(at = read_fraction(at, &fraction)))
            return -1;
        int64_t unit = is_bare ? SECOND : read_unit(&at);
        if (unit == 0 || unit >= before || number > (INT64_MAX - *ns) / unit - 1)
            return -1;
        *ns += number * unit + fraction * (unit / MICROSECOND) / (SECOND / MICROSECOND);
        before = unit;
    } while (*at != '\0');
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
    *when = (struct timestamp){.given = true,
                               .relative = *text == '+',
                               .from_end = *text == '-',
                               .of_day = strlen(text) > 4 && text[2] == ':'};
    if (strlen(text) > 9 && text[4] == '-')
        return parse_date(text, when);
    if (when->of_day)
        return parse_time_of_day(text, when);
    if (when->relative || when->from_end)
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
    time_t time = (time_t)seconds;
    struct tm tm;
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

/* When a clock of the machine's zone shows `ns`. If daylight saving skips that, as long after as it is skipped. */
static int64_t from_local(int64_t ns)
{
    int64_t fraction, shown = whole_seconds(ns, &fraction);
    int64_t offset = zone_offset(shown - zone_offset(shown));
    return join(shown - offset, fraction, &ns) == 0 ? ns : INT64_MAX;
}

int64_t timestamp_resolve(const struct timestamp *when, int64_t first_time, enum timestamp_zone zone)
{
    if (!when->relative && !when->of_day)
        return when->in_zone && zone == TIMESTAMP_LOCAL ? from_local(when->ns) : when->ns;
    if (first_time == ARMTAP_NO_TIME)
        return ARMTAP_NO_TIME;
    if (when->of_day)
        return next_time_of_day(when->ns, first_time, when->is_utc ? TIMESTAMP_UTC : zone);
    return when->ns > INT64_MAX - (first_time > 0 ? first_time : 0) ? INT64_MAX : first_time + when->ns;
}

struct timestamp_range timestamp_range(const struct timestamp *from, const struct timestamp *to, int64_t first_time,
                                       enum timestamp_zone zone)
{
    struct timestamp_range range = {INT64_MIN, INT64_MAX};
    int64_t after = first_time;
    if (from->given) {
        range.from = timestamp_resolve(from, first_time, zone);
        after = range.from == ARMTAP_NO_TIME ? first_time : range.from;
    }
    if (to->given)
        range.to = timestamp_resolve(to, to->of_day ? after : first_time, zone);
    if (range.to == ARMTAP_NO_TIME)
        range.to = INT64_MAX;
    return range;
}

bool timestamp_is_swapped(const struct timestamp *from, const struct timestamp *to)
{
    bool are_alike = from->given && to->given && from->relative == to->relative && from->from_end == to->from_end &&
                     from->in_zone == to->in_zone && !from->of_day && !to->of_day;
    return are_alike && (from->from_end ? to->ns > from->ns : to->ns < from->ns);
}

void timestamp_count_back(struct timestamp *when, int64_t last_time)
{
    if (!when->given || !when->from_end || last_time == ARMTAP_NO_TIME)
        return;
    int64_t ns = last_time < INT64_MIN + when->ns ? INT64_MIN + 1 : last_time - when->ns;
    *when = (struct timestamp){.given = true, .ns = ns};
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
