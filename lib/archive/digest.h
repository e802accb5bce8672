/* The digest of a capture: of each connection the packets that what follows may depend on, and stretches in place of
 * the others. */
#ifndef ARMTAP_DIGEST_H
#define ARMTAP_DIGEST_H

#include "network/flow.h"

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

#endif
