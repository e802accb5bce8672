/* Digests of captures. */
#ifndef ARMTAP_DIGEST_H
#define ARMTAP_DIGEST_H

#include "network/flow.h"
#include "connection/conn.h"

/* ---- digest.c ----
 *
 * The digest of a capture: of each connection the packets that what follows may depend on, and stretches in place of
 * the others. */

struct armtap_digest;

/* Call before and after the net takes a packet. `segment` and `flow` may be NULL: it is not TCP, or its connection is
 * not known yet. `stirs` counts what happened in the capture apart from connections, `waiting` how many directions wait
 * for missing bytes. */
void armtap_digest_before(struct armtap_digest *digest, struct armtap_flow *flow, uint64_t stirs, size_t waiting);
int armtap_digest_after(struct armtap_digest *digest, struct armtap_flow *flow, const struct armtap_packet *packet,
                        const struct armtap_segment *segment, uint64_t stirs, size_t waiting);
/* Adds a packet, whatever it is. */
int armtap_digest_keep(struct armtap_digest *digest, const struct armtap_packet *packet);
/* Adds what is held back of a connection, and forgets it. */
int armtap_digest_flush(struct armtap_digest *digest, struct armtap_flow *flow);
void armtap_digest_forget(struct armtap_flow *flow);
/* All connections were flushed: puts the entries in order. */
void armtap_digest_sort(struct armtap_digest *digest);

/* ---- stretch.c ----
 *
 * A stretch: consecutive packets of one connection that left nothing behind but counts, the next sequence numbers and
 * unfinished bytes. A digest has it in their place. */

enum armtap_stretch_kind {
    ARMTAP_STRETCH_DATA, /* of a connection that is decoded */
    ARMTAP_STRETCH_QUIET /* of one that is closed, or carries none of our protocols */
};

/* One end's packets. */
struct armtap_stretch_end {
    uint32_t before, after;              /* the next sequence number that it will send, before and after them */
    uint64_t waited;                     /* bytes that were unfinished before them */
    bool has_sent;                       /* it has sent something, so that these numbers are known */
    struct armtap_unfinished unfinished; /* after them */
};

struct armtap_stretch {
    enum armtap_stretch_kind kind;
    struct armtap_flow_key key;
    struct armtap_stretch_end end[2]; /* by index in the key */
    struct armtap_tallies tallies;    /* what they added; sides are ends */
    uint64_t packets, bytes;          /* of both, headers not counted */
};

/* Writes a stretch whose last packet is at `where`. NULL if memory runs out; the caller frees it. */
uint8_t *armtap_stretch_write(const struct armtap_stretch *stretch, const struct armtap_where *where, size_t *length);
/* Reads one. Marks go to an array in *marks, which the caller frees; bytes stay where they are. ERR_NOT_OURS if it is
 * none. */
int armtap_stretch_read(const uint8_t *bytes, size_t length, const struct armtap_where *where,
                        struct armtap_stretch *stretch, struct armtap_mark **marks);

#endif
