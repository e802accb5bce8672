/* Times and numbers: arithmetic without overflow, and texts. */
#ifndef ANALYSIS_NUMBERS_H
#define ANALYSIS_NUMBERS_H

#include "armtap-analysis.h"
#include "inside.h"
#include "protocol/note.h"

/* Orders doubles, for qsort(). */
int armtap_by_size(const void *a, const void *b);

/* ---- times ----
 *
 * Arithmetic without overflow for capture times, which may have any value. The rest is public. */

/* ns: how far packets of several queues, or of a mirror port, may be out of order. */
#define TIMES_DISORDER INT64_C(10000000)
/* The same in s; negative if one of them is no time, or `to` is before `from`. */
static inline double armtap_time_seconds(int64_t from, int64_t to)
{
    if (from == ARMTAP_NO_TIME || to == ARMTAP_NO_TIME || to < from)
        return -1;
    return (double)armtap_time_between(from, to) / 1e9;
}

/* Whether `a` was captured before `b`. Several files may be of the same time. */
static inline bool armtap_time_is_before(const struct armtap_where *a, const struct armtap_where *b)
{
    if (a->file == b->file)
        return a->packet < b->packet;
    bool has_times = a->time != ARMTAP_NO_TIME && b->time != ARMTAP_NO_TIME && a->time != b->time;
    return has_times ? a->time < b->time : a->file < b->file;
}

/* Whether the capture's clock was set back between two records. A packet that was captured earlier is only out of
 * order. */
static inline bool armtap_time_is_set_back(const struct armtap_where *before, const struct armtap_where *after)
{
    bool is_earlier_packet = after->file == before->file && after->packet < before->packet;
    return after->time < before->time && !is_earlier_packet &&
           armtap_time_between(after->time, before->time) > TIMES_DISORDER;
}

#endif
