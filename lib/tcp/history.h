/* What a direction of a connection sent and delivered recently. */
#ifndef ARMTAP_HISTORY_H
#define ARMTAP_HISTORY_H

#include "armtap.h"

/* What a captured segment shows about when and how it was sent. */
struct armtap_sent {
    uint64_t start, end; /* positions of its bytes */
    int64_t time;        /* of its capture */
    uint32_t tsval, tsecr, ack;
    uint32_t peer_tsval; /* the newest timestamp of the peer captured before */
    uint16_t ip_id, window;
    uint8_t flags; /* TCP's */
    bool has_timestamps;
    bool late;     /* captured after later ones, as far as is known */
    bool again;    /* a retransmission, as far as is known */
    bool doubtful; /* the packets do not prove whether it is one */
};

enum { ARMTAP_HISTORY_BYTES = 16384, ARMTAP_HISTORY_SEGMENTS = 256 };

struct armtap_history {
    uint64_t start, end;                                  /* the positions kept */
    unsigned next;                                        /* entry of `segments` to write next */
    unsigned count;                                       /* entries in use */
    struct armtap_sent segments[ARMTAP_HISTORY_SEGMENTS]; /* the last captured, as a ring */
    uint8_t bytes[ARMTAP_HISTORY_BYTES];                  /* as a ring */
};

/* NULL if memory runs out. */
struct armtap_history *armtap_history_new(void);
/* It may be NULL. */
void armtap_history_free(struct armtap_history *history);
/* Keeps nothing, and goes on at `position`. */
void armtap_history_restart(struct armtap_history *history, uint64_t position);
/* Call for bytes delivered at `position`. */
void armtap_history_add(struct armtap_history *history, uint64_t position, const uint8_t *bytes, size_t length);
/* Whether the bytes kept of [position, position + length) differ from these. */
bool armtap_history_differs(const struct armtap_history *history, uint64_t position, const uint8_t *bytes,
                            size_t length);
/* Call for each captured segment with bytes. Inline, so that it is written where it stays: a copy would wait for the
 * members, which are stored one by one. */
static inline void armtap_history_saw(struct armtap_history *history, const struct armtap_sent *sent)
{
    history->segments[history->next] = *sent;
    history->next = (history->next + 1) % ARMTAP_HISTORY_SEGMENTS;
    history->count += history->count < ARMTAP_HISTORY_SEGMENTS;
}

/* The segments that it saw, up to `count`: 0 is the oldest. */
static inline const struct armtap_sent *armtap_history_segment(const struct armtap_history *history, unsigned i)
{
    unsigned oldest = history->next + ARMTAP_HISTORY_SEGMENTS - history->count;
    return &history->segments[(oldest + i) % ARMTAP_HISTORY_SEGMENTS];
}

#endif
