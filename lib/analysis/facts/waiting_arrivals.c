#include "analysis/facts/flow_rate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 4

/* What each arrival has. */
struct waiting_arrival {
    int64_t time, read;
    uint64_t packet;
    double clock;
    uint32_t file;
    uint32_t length; /* stops at UINT32_MAX, which is more than any gap whose length is known */
};

/* What few have. */
struct waiting_gap {
    double lost, whole;
    bool after_gap;
};

void armtap_waiting_clear(struct waiting_arrivals *waiting)
{
    free(waiting->all);
    free(waiting->gaps);
    *waiting = (struct waiting_arrivals){.count = 0};
}

static bool make_room(struct waiting_arrivals *waiting)
{
    if (waiting->count < waiting->room)
        return true;
    unsigned room = waiting->room == 0 ? FIRST_ROOM : 2 * waiting->room;
    struct waiting_arrival *all = realloc(waiting->all, room * sizeof *all);
    if (!all)
        return false;
    waiting->all = all;
    waiting->room = room;
    return true;
}

/* Makes room for the gaps before as many arrivals as have room; those so far had none. */
static bool make_gap_room(struct waiting_arrivals *waiting)
{
    if (waiting->gap_room >= waiting->room)
        return true;
    struct waiting_gap *gaps = realloc(waiting->gaps, waiting->room * sizeof *gaps);
    if (!gaps)
        return false;
    memset(gaps + waiting->gap_room, 0, (waiting->room - waiting->gap_room) * sizeof *gaps);
    waiting->gaps = gaps;
    waiting->gap_room = waiting->room;
    return true;
}

bool armtap_waiting_add(struct waiting_arrivals *waiting, const struct arrival *arrival)
{
    bool has_gap = arrival->after_gap || arrival->lost != 0 || arrival->whole != 0;
    if (!make_room(waiting) || ((waiting->gaps || has_gap) && !make_gap_room(waiting)))
        return false;
    unsigned at = waiting->count++;
    struct waiting_arrival *added = &waiting->all[at];
    added->time = arrival->where.time;
    added->read = arrival->read;
    added->packet = arrival->where.packet;
    added->file = arrival->where.file;
    added->clock = arrival->clock;
    added->length = arrival->length < UINT32_MAX ? (uint32_t)arrival->length : UINT32_MAX;
    if (waiting->gaps)
        waiting->gaps[at] = (struct waiting_gap){arrival->lost, arrival->whole, arrival->after_gap};
    return true;
}

struct arrival armtap_waiting_at(const struct waiting_arrivals *waiting, unsigned i)
{
    const struct waiting_arrival *kept = &waiting->all[i];
    struct arrival arrival = {.where = {.time = kept->time, .packet = kept->packet, .file = kept->file},
                              .read = kept->read,
                              .clock = kept->clock,
                              .length = kept->length};
    if (waiting->gaps) {
        arrival.lost = waiting->gaps[i].lost;
        arrival.whole = waiting->gaps[i].whole;
        arrival.after_gap = waiting->gaps[i].after_gap;
    }
    return arrival;
}

void armtap_waiting_forget_clocks(struct waiting_arrivals *waiting)
{
    for (unsigned i = 0; i < waiting->count; i++)
        waiting->all[i].clock = isnan(waiting->all[i].clock) ? NAN : 0;
}
