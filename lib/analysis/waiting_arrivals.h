/* The arrivals of a stretch whose usual step is not known yet: the first ones of each of thousands of streams may wait
 * at once. */
#ifndef ANALYSIS_WAITING_ARRIVALS_H
#define ANALYSIS_WAITING_ARRIVALS_H

#include <stdbool.h>
#include <stddef.h>

#include "armtap.h"

struct arrival {
    struct armtap_where where;
    double clock;   /* the controller's, s; 0: not set yet; NAN: none */
    double lost;    /* records that fit in the bytes missing before it */
    double whole;   /* the same if these are an exact multiple of its size; 0: unknown */
    size_t length;  /* its bytes */
    bool after_gap; /* bytes before it are missing or were not a message */
};

/* Starts as zeros. */
struct waiting_arrivals {
    unsigned count;
    unsigned room, gap_room; /* allocated */
    struct waiting_arrival *all;
    struct waiting_gap *gaps; /* before each of them; NULL: there is none */
};
void armtap_waiting_clear(struct waiting_arrivals *waiting);
/* False if memory runs out. */
bool armtap_waiting_add(struct waiting_arrivals *waiting, const struct arrival *arrival);
struct arrival armtap_waiting_at(const struct waiting_arrivals *waiting, unsigned i);
/* Sets clocks back to 0; those that have none stay without. */
void armtap_waiting_forget_clocks(struct waiting_arrivals *waiting);

#endif
