/* Times: the machine's zone, and what POSIX has beyond the conversions of Windows' strftime(), which it refuses, and
 * its names of zones. */
#include "base/os/names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <windows.h>

#undef strftime

#define SECONDS_TO_EPOCH INT64_C(11644473600) /* from the year 1601 */
/* s after which the calendar is the same, weekdays too, and its years. */
#define CYCLE INT64_C(12622780800)
#define CYCLE_YEARS 400
#define PATTERN_MAX 16500 /* of a name of 4096 bytes: a conversion becomes four times as long */

static bool is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* ---- the machine's zone ------------------------------------------------------------------------------------------ */

/* The C library knows EST5, CET-1CEST and UTC, and takes any other name for UTC. */
const char *zone_ignored(void)
{
    const char *zone = getenv("TZ");
    if (!zone || strcmp(zone, "UTC") == 0 || strcmp(zone, "GMT") == 0)
        return NULL;
    size_t letters = 0;
    while (isalpha((unsigned char)zone[letters]))
        letters++;
    size_t sign = letters + (zone[letters] == '+' || zone[letters] == '-');
    return letters == 3 && isdigit((unsigned char)zone[sign]) && !strpbrk(zone, "/,") ? NULL : zone;
}

/* By the rules of Windows for that year. */
static bool by_windows(int64_t seconds, struct tm *shown)
{
    SYSTEMTIME utc, local;
    TIME_ZONE_INFORMATION zone;
    static const short days_before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    uint64_t ticks = (uint64_t)(seconds + SECONDS_TO_EPOCH) * 10000000;
    FILETIME time = {(DWORD)ticks, (DWORD)(ticks >> 32)};
    if (seconds < -SECONDS_TO_EPOCH || !FileTimeToSystemTime(&time, &utc) ||
        !GetTimeZoneInformationForYear(utc.wYear, NULL, &zone) || !SystemTimeToTzSpecificLocalTime(&zone, &utc, &local))
        return false;
    *shown = (struct tm){.tm_year = local.wYear - 1900,
                         .tm_mon = local.wMonth - 1,
                         .tm_mday = local.wDay,
                         .tm_hour = local.wHour,
                         .tm_min = local.wMinute,
                         .tm_sec = local.wSecond,
                         .tm_wday = local.wDayOfWeek,
                         .tm_yday = days_before[local.wMonth - 1] + local.wDay - 1 +
                                    (local.wMonth > 2 && is_leap(local.wYear))};
    return true;
}

/* By TZ. The C library refuses times before 1970. */
static bool by_library(int64_t seconds, struct tm *shown)
{
    __time64_t time = seconds < 0 ? seconds + CYCLE : seconds;
    if (_localtime64_s(shown, &time) != 0)
        return false;
    shown->tm_year -= seconds < 0 ? CYCLE_YEARS : 0;
    return true;
}

struct tm *names_localtime(const time_t *time, struct tm *shown)
{
    bool is_ours = getenv("TZ") && !zone_ignored();
    return (is_ours ? by_library(*time, shown) : by_windows(*time, shown)) ? shown : NULL;
}

/* ---- strftime(), of UTC ------------------------------------------------------------------------------------------ */

static const struct {
    char letter;
    const char *means;
} others[] = {{'D', "%m/%d/%y"}, {'F', "%Y-%m-%d"}, {'R', "%H:%M"}, {'T', "%H:%M:%S"}, {'Z', "GMT"},
              {'h', "%b"},       {'n', "\n"},       {'t', "\t"},    {'z', "+0000"}};

/* The week that its Thursday is in, and the year of that. */
static int iso_week(const struct tm *time, int *year)
{
    int thursday = time->tm_yday - (time->tm_wday + 6) % 7 + 3;
    *year = time->tm_year + 1900;
    if (thursday < 0)
        thursday += is_leap(--*year) ? 366 : 365;
    else if (thursday >= (is_leap(*year) ? 366 : 365))
        thursday -= is_leap((*year)++) ? 366 : 365;
    return thursday / 7 + 1;
}

/* Writes a number for the letter; false if it stands for none. */
static bool put_number(char to[24], char letter, const struct tm *time)
{
    struct tm copy = *time;
    int year, week = iso_week(time, &year);
    if (letter == 'C')
        snprintf(to, 24, "%02d", (time->tm_year + 1900) / 100);
    else if (letter == 'G')
        snprintf(to, 24, "%d", year);
    else if (letter == 'V')
        snprintf(to, 24, "%02d", week);
    else if (letter == 'e')
        snprintf(to, 24, "%2d", time->tm_mday);
    else if (letter == 'g')
        snprintf(to, 24, "%02d", year % 100);
    else if (letter == 's')
        snprintf(to, 24, "%lld", (long long)mktime(&copy));
    else if (letter == 'u')
        snprintf(to, 24, "%d", (time->tm_wday + 6) % 7 + 1);
    else
        return false;
    return true;
}

size_t names_strftime(char *to, size_t room, const char *pattern, const struct tm *time)
{
    char whole[PATTERN_MAX], piece[24];
    size_t length = 0;
    for (; *pattern != '\0' && length + sizeof piece < sizeof whole; pattern++) {
        piece[0] = *pattern;
        piece[1] = '\0';
        if (*pattern == '%' && pattern[1] != '\0' && !put_number(piece, *++pattern, time)) {
            bool is_theirs = strchr("AaBbcdHIjMmpSUWwXxYy%", *pattern) != NULL;
            snprintf(piece, sizeof piece, is_theirs ? "%%%c" : "%%%%%c", *pattern);
            for (size_t i = 0; i < sizeof others / sizeof *others; i++)
                if (others[i].letter == *pattern)
                    snprintf(piece, sizeof piece, "%s", others[i].means);
        }
        length += (size_t)snprintf(whole + length, sizeof whole - length, "%s", piece);
    }
    if (*pattern == '\0')
        return strftime(to, room, whole, time);
    errno = ERANGE;
    return 0;
}
