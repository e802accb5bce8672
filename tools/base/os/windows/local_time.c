#include "base/os/local_time.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>

#define SECONDS_TO_EPOCH INT64_C(11644473600) /* from the year 1601 */

const char *local_time_ignored(void)
{
    const char *zone = getenv("TZ");
    return zone && strpbrk(zone, "/:") ? zone : NULL; /* Europe/Berlin: only EST5 and the like are known */
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
    int year = local.wYear, is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    *shown = (struct tm){.tm_year = year - 1900,
                         .tm_mon = local.wMonth - 1,
                         .tm_mday = local.wDay,
                         .tm_hour = local.wHour,
                         .tm_min = local.wMinute,
                         .tm_sec = local.wSecond,
                         .tm_wday = local.wDayOfWeek,
                         .tm_yday = days_before[local.wMonth - 1] + local.wDay - 1 + (local.wMonth > 2 ? is_leap : 0)};
    return true;
}

bool local_time(int64_t seconds, struct tm *shown)
{
    __time64_t time = seconds;
    if (!getenv("TZ") || local_time_ignored())
        return by_windows(seconds, shown);
    _tzset();
    return _localtime64_s(shown, &time) == 0;
}
