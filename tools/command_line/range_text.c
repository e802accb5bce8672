/* What --from and --to came to, where a reader may have meant something else. */
#include "shared_text.h"

#include <stdio.h>
#include <string.h>

#include "base/process/message.h"
#include "nanoseconds.h"

/* Says of a time of day which day it took, if that is not the day on which the capture begins. */
static void report_day(const struct timestamp *when, const char *option, const char *after, int64_t time,
                       int64_t first_time, enum timestamp_zone zone)
{
    char first[WHEN_DATE_MAX], date[WHEN_DATE_MAX];
    if (!when->given || !when->of_day || time == INT64_MAX || time == INT64_MIN)
        return;
    timestamp_date(first, first_time, zone);
    timestamp_date(date, time, zone);
    if (strncmp(first, date, strlen("2026-01-31")) != 0)
        message_info("%s is %s: the first such time after %s", option, date, after);
}

/* Says how long the capture is, and what was asked for of it. */
static void report_length(const struct timestamp_range *range, const struct replay_totals *totals,
                          enum timestamp_zone zone)
{
    char first[WHEN_DATE_MAX], last[WHEN_DATE_MAX], from[WHEN_DATE_MAX] = "", to[WHEN_DATE_MAX] = "";
    timestamp_date(first, totals->first_time, zone);
    timestamp_date(last, totals->last_time, zone);
    if (range->from != INT64_MIN)
        timestamp_date(from, range->from, zone);
    if (range->to != INT64_MAX)
        timestamp_date(to, range->to, zone);
    if (range->from > totals->last_time)
        message_info("--from is after the end: the capture is %.3f s long, from %s to %s",
                     (double)armtap_time_between(totals->first_time, totals->last_time) / 1e9, first, last);
    else if (range->to < totals->first_time)
        message_info("--to is %s, before the first packet: the capture begins at %s", to, first);
    else
        message_info("requested: %s%s%s%s; the capture begins at %s", *from ? "from " : "", from, *to ? " to " : "", to,
                     first);
}

void range_report(const struct timestamp *from, const struct timestamp *to, const struct replay_totals *totals,
                  enum timestamp_zone zone, bool is_empty)
{
    const struct timestamp_range range = timestamp_range(from, to, totals->first_time, zone);
    if (totals->first_time == ARMTAP_NO_TIME || (!from->given && !to->given))
        return;
    report_day(from, "--from", "the first packet", range.from, totals->first_time, zone);
    report_day(to, "--to", from->given ? "--from" : "the first packet", range.to, totals->first_time, zone);
    if (is_empty)
        report_length(&range, totals, zone);
}
