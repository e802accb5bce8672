/* What is computed of a stream. */
#include "info.h"
#include "analysis/inside.h"

enum armtap_direction info_direction(const struct armtap_stream_summary *summary)
{
    return summary->first_time[ARMTAP_FROM_ROBOT] == ARMTAP_NO_TIME ? ARMTAP_TO_ROBOT : ARMTAP_FROM_ROBOT;
}

int64_t info_duration(const struct armtap_stream_summary *summary)
{
    enum armtap_direction direction = info_direction(summary);
    int64_t first = summary->first_time[direction], last = summary->last[direction].time;
    if (first == ARMTAP_NO_TIME)
        return ARMTAP_NO_TIME;
    int64_t shown = last >= first ? armtap_time_between(first, last) : -armtap_time_between(last, first);
    int64_t duration = armtap_time_shift(shown, summary->hidden[direction]);
    return duration < 0 ? ARMTAP_NO_TIME : duration;
}

int64_t info_rate_of(uint64_t steps, int64_t streaming)
{
    if (steps == 0 || streaming <= 0)
        return -1;
    double rate = (double)steps / ((double)streaming / 1e9) * 1e6;
    return rate < 9e18 ? (int64_t)(rate + 0.5) : -1;
}

int64_t info_rate(const struct armtap_stream_summary *summary)
{
    return info_rate_of(summary->steps, summary->streaming);
}

uint64_t info_both(const uint64_t count[2])
{
    return count[0] + count[1];
}
