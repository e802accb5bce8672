/* What packets did to a connection, as far as the digest of a capture must know: whether they brought nothing but data,
 * and what they added to its counters. */
#ifndef ARMTAP_WATCH_H
#define ARMTAP_WATCH_H

#include "protocol/budget.h"
#include "span.h"

#define ARMTAP_WATCH_IDS 8

struct armtap_watch {
    uint64_t stirs;  /* so far: anything but a data record like those before it */
    uint64_t begins; /* those after which data must be seen anew: set-ups, gaps, lost frames */
    unsigned id_count;
    bool has_more_ids;
    uint16_t ids[ARMTAP_WATCH_IDS]; /* of the records since id_count was set to 0, see armtap_watch_record */
};

/* A record came: its kind is told by direction and a number. */
static inline void armtap_watch_record(struct armtap_watch *watch, enum armtap_direction direction, unsigned kind)
{
    uint16_t id = (uint16_t)((unsigned)direction << 8 | (kind & 0xFF));
    for (unsigned i = 0; i < watch->id_count; i++)
        if (watch->ids[i] == id)
            return;
    if (watch->id_count < ARMTAP_WATCH_IDS)
        watch->ids[watch->id_count++] = id;
    else
        watch->has_more_ids = true;
}

/* Counters of one direction. */
struct armtap_tally {
    uint64_t packets, payload; /* captured */
    uint64_t records, decoded; /* bytes of messages */
    uint64_t offset;           /* bytes done with */
};

/* Counters of a connection. Directions are those of its setup, here and below. */
struct armtap_tallies {
    struct armtap_tally side[2];
    uint64_t spent[ARMTAP_ACCOUNTS];   /* of its own budgets */
    uint64_t reserve[ARMTAP_ACCOUNTS]; /* what it took from that of the capture */
};

/* Bytes of a direction that wait for the rest of their message. */
struct armtap_unfinished {
    const uint8_t *bytes;
    size_t length;
    const struct armtap_mark *marks;
    size_t mark_count;
};

#endif
