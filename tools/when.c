#include "when.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "armtap.h"

#define SECOND INT64_C(1000000000)

const char when_forms[] = "2026-01-31T12:00:00.5Z, seconds since the epoch, or +10.5 from the first packet";

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Exactly `digits` digits, or as many as there are if 0; NULL if there are none or the number is out of range. */
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

/* ".5" or nothing; digits beyond the nanosecond must be zeros. */
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
    if (at == NULL)
        return -1;
    at = read_number(*at == ':' ? at + 1 : at, 2, &minutes);
    if (at == NULL || *at != '\0' || hours > 23 || minutes > 59)
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
        if (at == NULL)
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
    if (at == NULL || (at = read_fraction(at, &fraction)) == NULL || read_zone(at, &zone) != 0)
        return -1;
    int64_t days = days_before_year(part[0]) + part[2] - 1;
    for (int64_t month = 1; month < part[1]; month++)
        days += days_in_month(part[0], month);
    return join(days * 86400 + part[3] * 3600 + part[4] * 60 + part[5] - zone, fraction, ns);
}

int when_parse(const char *text, struct when *when)
{
    int64_t seconds, fraction;
    *when = (struct when){.given = true, .relative = *text == '+'};
    if (strlen(text) > 10 && text[4] == '-')
        return parse_date(text, &when->ns);
    const char *at = read_number(text + (when->relative ? 1 : 0), 0, &seconds);
    if (at == NULL || (at = read_fraction(at, &fraction)) == NULL || *at != '\0')
        return -1;
    return join(seconds, fraction, &when->ns);
}

int64_t when_resolve(const struct when *when, int64_t first_time)
{
    if (!when->relative)
        return when->ns;
    if (first_time == ARMTAP_NO_TIME)
        return ARMTAP_NO_TIME;
    return when->ns > INT64_MAX - (first_time > 0 ? first_time : 0) ? INT64_MAX : first_time + when->ns;
}

size_t when_date(char to[WHEN_DATE_MAX], int64_t ns)
{
    int64_t seconds = ns / SECOND, fraction = ns % SECOND;
    if (fraction < 0) {
        fraction += SECOND;
        seconds--;
    }
    int64_t days = seconds / 86400, rest = seconds % 86400, year = 1970, month = 1;
    if (rest < 0) {
        rest += 86400;
        days--;
    }
    /* Not later than the year wanted. */
    year += days < 0 ? days / 365 - 1 : days / 366;
    while (days_before_year(year + 1) <= days)
        year++;
    days -= days_before_year(year);
    while (days >= days_in_month(year, month))
        days -= days_in_month(year, month++);
    int length = snprintf(to, WHEN_DATE_MAX, "%04d-%02d-%02dT%02d:%02d:%02d.%09dZ", (int)year, (int)month,
                          (int)days + 1, (int)(rest / 3600), (int)(rest / 60 % 60), (int)(rest % 60), (int)fraction);
    return length < 0 ? 0 : (size_t)length;
}

int64_t when_between(int64_t from, int64_t to)
{
    uint64_t time = (uint64_t)to - (uint64_t)from;
    return time > (uint64_t)WHEN_LONGEST ? WHEN_LONGEST : (int64_t)time;
}

int64_t when_shift(int64_t time, int64_t by)
{
    if (by > 0 && time > INT64_MAX - by)
        return INT64_MAX;
    if (by < 0 && time < INT64_MIN + 1 - by)
        return INT64_MIN + 1; /* INT64_MIN is no time at all */
    return time + by;
}
