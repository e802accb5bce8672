/* When a capturing machine dropped packets: its counter, read again and again. */
#ifndef INPUT_CAPTURE_DROPS_H
#define INPUT_CAPTURE_DROPS_H

#include <stdbool.h>
#include <stdint.h>

#include "armtap.h"

/* The counters are 32 bits wide, and begin at 0 again. */
struct drops_counter {
    uint32_t last;
    uint64_t total;
};
/* Takes the counter's state over. Returns the total since the first one, which counts from 0. */
uint64_t drops_count(struct drops_counter *counter, uint32_t now);

struct drops {
    uint64_t told;            /* packets */
    struct armtap_where read; /* when the counter was read last: the machine's clock, and the last packet before it */
};
/* The capture begins. */
void drops_begin(struct drops *drops, int64_t time);
/* The counter reads `total` at `now`. Returns how many packets were dropped since it was read last, and where that was:
 * captured packets up to that one came before the dropped ones. */
uint64_t drops_read(struct drops *drops, uint64_t total, const struct armtap_where *now, struct armtap_where *since);

#endif
