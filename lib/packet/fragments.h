/* IP packets that came in fragments, put together. */
#ifndef ARMTAP_FRAGMENTS_H
#define ARMTAP_FRAGMENTS_H

#include "link.h"

struct armtap_datagram;

struct armtap_fragments {
    struct armtap_datagram *oldest, *newest;
    size_t bytes; /* of memory, at most those of the limit `fragments` */
};

enum armtap_fragment_outcome {
    ARMTAP_FRAGMENT_WAITS,    /* for others, or it came before */
    ARMTAP_FRAGMENT_WHOLE,    /* it completed a packet */
    ARMTAP_FRAGMENT_OVERLAPS, /* its packet is refused, with all its further fragments */
    ARMTAP_FRAGMENT_BAD       /* the same: no packet is that long, or its length or end contradicts another */
};

/* Takes a segment that armtap_link_parse() found to be a FRAGMENT. If it completes a packet, `whole` becomes that: one
 * without a link header, valid until the next call. Bytes that the snapshot length cut off some fragment are missing
 * from its end. Returns 0 or an error. */
int armtap_fragments_take(struct armtap_fragments *fragments, const struct armtap_segment *segment,
                          const struct armtap_where *where, struct armtap_packet *whole,
                          enum armtap_fragment_outcome *outcome);

/* A packet of which fragments are missing. */
struct armtap_unfinished_datagram {
    struct armtap_address source, target;
    struct armtap_where where; /* of the first of its fragments that came */
    size_t bytes, length;      /* there, and what it has; length 0: not known */
    bool may_be_tcp;           /* it is TCP, or of a tunnel */
};
enum armtap_fragments_why { ARMTAP_FRAGMENTS_OVERDUE, ARMTAP_FRAGMENTS_SURPLUS, ARMTAP_FRAGMENTS_ALL };
/* Gives up the oldest packet that is overdue at that time, or beyond the limit, or just the oldest. False if there is
 * none. `unfinished` is filled in if it was waiting; else its source's version is 0. */
bool armtap_fragments_give_up(struct armtap_fragments *fragments, enum armtap_fragments_why why, int64_t now,
                              struct armtap_unfinished_datagram *unfinished);
/* Whether some packet waits for fragments. */
bool armtap_fragments_wait(const struct armtap_fragments *fragments);
void armtap_fragments_clear(struct armtap_fragments *fragments);
/* Makes packets of what waits, each of one fragment, so that a digest can keep them; `keep` returns 0 or an error,
 * which is returned. Only of fragments that came in that file. */
int armtap_fragments_keep(const struct armtap_fragments *fragments, uint32_t file,
                          int (*keep)(void *user, const struct armtap_packet *packet), void *user);

#endif
