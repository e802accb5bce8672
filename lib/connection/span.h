/* Bytes in order, and where each of them arrived. */
#ifndef ARMTAP_SPAN_H
#define ARMTAP_SPAN_H

#include "armtap.h"
#include "nanoseconds.h"

/* Whether the capture's clock was set back between two packets. */
static inline bool armtap_clock_was_set_back(int64_t before, int64_t now)
{
    return before != ARMTAP_NO_TIME && now < before && (uint64_t)before - (uint64_t)now > (uint64_t)ARMTAP_CLOCK_STEP;
}

/* Bytes of a buffer from the previous mark up to `end` arrived with `where`. */
struct armtap_mark {
    size_t end;
    struct armtap_where where;
};

/* Consecutive bytes of a direction, with where they arrived. */
struct armtap_span {
    const uint8_t *bytes;
    size_t length;
    const struct armtap_mark *marks;
    size_t mark_count;
    bool final; /* no bytes follow */
};

/* Why bytes of a direction are missing. */
enum armtap_missing_why {
    ARMTAP_MISSING_LOST,    /* not captured, though they were received, or sent again in vain */
    ARMTAP_MISSING_CUT,     /* by the snapshot length */
    ARMTAP_MISSING_UNHEARD, /* never acknowledged before the connection ended: the network may have lost them */
};

/* Whether `a` was captured after `b`. Several files may be of the same time. */
static inline bool armtap_where_is_later(const struct armtap_where *a, const struct armtap_where *b)
{
    if (a->file == b->file)
        return a->packet > b->packet;
    bool has_times = a->time != ARMTAP_NO_TIME && b->time != ARMTAP_NO_TIME && a->time != b->time;
    return has_times ? a->time > b->time : a->file > b->file;
}

/* The latest arrival among the bytes [from, to) of a span. */
static inline struct armtap_where armtap_span_where(const struct armtap_span *span, size_t from, size_t to)
{
    size_t i = 0;
    while (i + 1 < span->mark_count && span->marks[i].end <= from)
        i++;
    struct armtap_where latest = span->marks[i].where;
    for (; i < span->mark_count; i++) {
        if (armtap_where_is_later(&span->marks[i].where, &latest))
            latest = span->marks[i].where;
        if (span->marks[i].end >= to)
            break;
    }
    return latest;
}

#endif
