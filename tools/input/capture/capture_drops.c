#include "capture_drops.h"

uint64_t drops_count(struct drops_counter *counter, uint32_t now)
{
    counter->total += now - counter->last;
    counter->last = now;
    return counter->total;
}

void drops_begin(struct drops *drops, int64_t time)
{
    *drops = (struct drops){.read = {.time = time}};
}

uint64_t drops_read(struct drops *drops, uint64_t total, const struct armtap_where *now, struct armtap_where *since)
{
    uint64_t more = total > drops->reported ? total - drops->reported : 0;
    *since = drops->read;
    drops->reported += more;
    drops->read = *now;
    return more;
}
