#include "numbers.h"

#include <stdio.h>
#include <string.h>

#include "nanoseconds.h"
#include "inside.h"

#define DAY INT64_C(86400)

int armtap_by_size(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

/* ---- dates ----------------------------------------------------------------------------------------------------- */

/* The quotient, rounded down, and the remainder. */
static int64_t divide(int64_t number, int64_t by, int64_t *rest)
{
    *rest = number % by;
    if (*rest >= 0)
        return number / by;
    *rest += by;
    return number / by - 1;
}

struct date {
    int64_t year, month, day;
};

/* Counts years from March, so that the leap day is the last of a year: 400 years have 146097 days. */
static struct date date_of(int64_t days_since_1970)
{
    enum { CYCLE = 146097, CENTURY = 36524, LEAP = 1461, YEAR = 365, TO_MARCH_OF_0 = 719468 };
    int64_t day, cycle = divide(days_since_1970 + TO_MARCH_OF_0, CYCLE, &day);
    int64_t year = (day - day / (LEAP - 1) + day / CENTURY - day / (CYCLE - 1)) / YEAR;
    day -= YEAR * year + year / 4 - year / 100;
    int64_t month = (5 * day + 2) / 153; /* counted from March; five months have 153 days */
    struct date date = {.year = year + 400 * cycle, .month = month < 10 ? month + 3 : month - 9};
    date.day = day - (153 * month + 2) / 5 + 1;
    date.year += date.month <= 2;
    return date;
}

/* "Z", or "+01:00" */
static void write_zone(char to[8], int64_t offset, const struct armtap_zone *zone)
{
    int64_t minutes = (offset < 0 ? -offset : offset) / 60;
    if (!zone)
        snprintf(to, 8, "Z");
    else
        snprintf(to, 8, "%c%02d:%02d", offset < 0 ? '-' : '+', (int)(minutes / 60 % 100), (int)(minutes % 60));
}

/* Of a number of 32 bits. Returns the end, behind the sign. All years of an int64_t in ns have four digits. */
static char *write_digits(char *to, int64_t number, int digits, char sign)
{
    uint32_t left = (uint32_t)number;
    for (int i = digits; i-- > 0; left /= 10)
        to[i] = (char)('0' + left % 10);
    to[digits] = sign;
    return to + digits + 1;
}

size_t armtap_time_text(char to[ARMTAP_TIME_MAX], int64_t time, const struct armtap_zone *zone)
{
    int64_t fraction, rest, seconds = divide(time, SECOND, &fraction);
    int64_t offset = zone ? zone->offset(zone->user, seconds) : 0;
    char zone_name[8];
    if (offset < -DAY || offset > DAY)
        offset = 0;
    write_zone(zone_name, offset, zone);
    struct date date = date_of(divide(seconds + offset, DAY, &rest));
    char *at = write_digits(to, date.year, 4, '-');
    at = write_digits(at, date.month, 2, '-');
    at = write_digits(at, date.day, 2, 'T');
    at = write_digits(at, rest / 3600, 2, ':');
    at = write_digits(at, rest / 60 % 60, 2, ':');
    at = write_digits(at, rest % 60, 2, '.');
    at = write_digits(at, fraction, 9, '\0') - 1;
    for (const char *from = zone_name; (*at = *from); at++, from++)
        ;
    return (size_t)(at - to);
}

void armtap_line_time(struct armtap_line *line, int64_t time, const void *zone)
{
    char date[ARMTAP_TIME_MAX];
    armtap_time_text(date, time, zone);
    memmove(date + 23, date + 29, strlen(date + 29) + 1); /* milliseconds are enough */
    armtap_line_string(line, date);
}
