/* A stretch: consecutive packets of one connection that left nothing behind but counts, the next sequence numbers and
 * unfinished bytes. A digest has it in their place. */
#ifndef ARMTAP_STRETCH_H
#define ARMTAP_STRETCH_H

#include "network/flow.h"
#include "connection/watch.h"

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
