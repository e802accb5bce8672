/* What the network did to a captured segment: the one place that decides. */
#ifndef ARMTAP_ARRIVAL_H
#define ARMTAP_ARRIVAL_H

#include "history.h"
#include "queue.h"
#include "sender.h"

enum armtap_arrival {
    ARMTAP_ARRIVAL_IN_ORDER,
    ARMTAP_ARRIVAL_COPY,  /* the same packet was captured before: copied by the network or a mirror port */
    ARMTAP_ARRIVAL_AGAIN, /* its bytes were sent before, whether captured or not */
    ARMTAP_ARRIVAL_LATE   /* sent before others that were captured earlier */
};

struct armtap_judgement {
    enum armtap_arrival arrival;
    bool doubtful; /* only the most likely; the packets do not prove it */
    int64_t apart; /* ns since the packet of which it is a copy */
    int64_t after; /* ns since its bytes, or else those behind it, came first; -1: unknown */
};

/* All that is known about the direction when the segment arrives. */
struct armtap_evidence {
    const struct armtap_sender *sender, *peer; /* `peer`: of the opposite direction */
    const struct armtap_queue *queue;          /* what waits behind holes */
    const struct armtap_history *history;      /* NULL: too many other directions keep one */
    uint64_t highest;                          /* end of all that was captured */
    bool given_up;                             /* the segment's bytes were declared missing */
};

/* The segment holds bytes before `highest`, at least one. */
struct armtap_judgement armtap_arrival_of(const struct armtap_evidence *evidence, const struct armtap_sent *sent);

#endif
