#include "span.h"

struct armtap_where armtap_span_where(const struct armtap_span *span, size_t from, size_t to)
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
