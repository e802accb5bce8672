/* What a direction of a connection delivered recently, to classify repeated segments. */
#ifndef ARMTAP_HISTORY_H
#define ARMTAP_HISTORY_H

#include "sent.h"

enum {
    ARMTAP_HISTORY_BYTES = 16384,
    ARMTAP_HISTORY_SEGMENTS = 256,
    ARMTAP_HISTORY_LENT = 128,      /* packets whose bytes are lent at a time */
    ARMTAP_HISTORY_LENT_LEAST = 256 /* borrowing begins with so many bytes: of smaller packets most are copied anyway */
};

/* Bytes that stay where they are for now. Most are too old to be kept before they go, and never copied. */
struct armtap_lent {
    const uint8_t *bytes;
    size_t length;
};

struct armtap_history {
    uint64_t start, end;                    /* the positions kept, the last of them in `lent`, the others in `bytes` */
    unsigned next;                          /* entry of `segments` to write next */
    unsigned count;                         /* entries in use */
    unsigned lent_count;                    /* entries of `lent` in use */
    struct armtap_history *after, **before; /* among those with lent bytes; `before` is what points here */
    struct armtap_sent segments[ARMTAP_HISTORY_SEGMENTS]; /* the last captured, as a ring */
    uint8_t bytes[ARMTAP_HISTORY_BYTES];                  /* as a ring */
    struct armtap_lent lent[ARMTAP_HISTORY_LENT];
};

/* NULL if memory runs out. */
struct armtap_history *armtap_history_new(void);
/* It may be NULL. */
void armtap_history_free(struct armtap_history *history);
/* Keeps nothing, and goes on at `position`. */
void armtap_history_restart(struct armtap_history *history, uint64_t position);
/* Call for bytes delivered at `position`. */
void armtap_history_add(struct armtap_history *history, uint64_t position, const uint8_t *bytes, size_t length);
/* For armtap_history_borrow(): there is room for an entry at `position` then, and `first` lists it. */
void armtap_history_make_room(struct armtap_history *history, struct armtap_history **first, uint64_t position);
/* Bytes up to `end` are kept from now on. */
static inline void armtap_history_keep_to(struct armtap_history *history, uint64_t end)
{
    history->end = end;
    if (end - history->start > ARMTAP_HISTORY_BYTES)
        history->start = end - ARMTAP_HISTORY_BYTES;
}

/* Whether that pays. */
static inline bool armtap_history_may_borrow(const struct armtap_history *history, size_t length)
{
    return length >= ARMTAP_HISTORY_LENT_LEAST || history->lent_count > 0;
}

/* The same as armtap_history_add() for bytes that stay where they are until all that `first` lists were settled. */
static inline void armtap_history_borrow(struct armtap_history *history, struct armtap_history **first,
                                         uint64_t position, const uint8_t *bytes, size_t length)
{
    if (position != history->end || history->lent_count % ARMTAP_HISTORY_LENT == 0)
        armtap_history_make_room(history, first, position);
    history->lent[history->lent_count++] = (struct armtap_lent){bytes, length};
    armtap_history_keep_to(history, position + length);
}

/* Copies the lent bytes that are still kept: they may go. Whether most were too old, so that lending paid. */
bool armtap_history_settle(struct armtap_history *history);
/* Whether the bytes kept of [position, position + length) differ from these. */
bool armtap_history_differs(struct armtap_history *history, uint64_t position, const uint8_t *bytes, size_t length);
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
