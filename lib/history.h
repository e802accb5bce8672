/* What a direction of a connection delivered of late: to tell what a repeated segment is. */
#ifndef ARMTAP_HISTORY_H
#define ARMTAP_HISTORY_H

#include "sent.h"

enum { ARMTAP_HISTORY_BYTES = 16384, ARMTAP_HISTORY_SEGMENTS = 256 };

struct armtap_history {
    uint64_t start, end;                                  /* the positions that `bytes` holds, as a ring */
    unsigned next;                                        /* entry of `segments` to be written next */
    struct armtap_sent segments[ARMTAP_HISTORY_SEGMENTS]; /* captured last; one without bytes: not used */
    uint8_t bytes[ARMTAP_HISTORY_BYTES];
};

/* NULL without memory. */
struct armtap_history *armtap_history_new(void);
/* Bytes at `position` were delivered. */
void armtap_history_add(struct armtap_history *history, uint64_t position, const uint8_t *bytes, size_t length);
/* True where what is kept of [position, position + length) is something else. */
bool armtap_history_differs(const struct armtap_history *history, uint64_t position, const uint8_t *bytes,
                            size_t length);
/* A segment with bytes was captured. */
void armtap_history_saw(struct armtap_history *history, const struct armtap_sent *sent);

#endif
