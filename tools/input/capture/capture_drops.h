/* Finds out when the capturing machine dropped packets, by reading its counter repeatedly. */
#ifndef INPUT_CAPTURE_DROPS_H
#define INPUT_CAPTURE_DROPS_H

#include <stdbool.h>
#include <stdint.h>

#include "armtap.h"

/* A 32-bit counter that wraps. */
struct drops_counter {
    uint32_t last;
    uint64_t total;
};
/* Takes the counter's current value. Returns the total, counted from 0 at the start. */
uint64_t drops_count(struct drops_counter *counter, uint32_t now);

struct drops {
    uint64_t reported; /* packets */
    struct armtap_where
        read; /* the last time the counter was read: the machine's clock, and the last packet before it */
};
/* Call when the capture begins. */
void drops_begin(struct drops *drops, int64_t time);
/* The counter reads `total` at `now`. Returns how many packets were dropped since the last reading, and in `since`
 * where that was: packets up to there were captured before the dropped ones. */
uint64_t drops_read(struct drops *drops, uint64_t total, const struct armtap_where *now, struct armtap_where *since);

#endif
