/* Input of a TCP connection: bytes and ends. */
#ifndef ARMTAP_TCP_BYTES_H
#define ARMTAP_TCP_BYTES_H

#include "tcp_side.h"

int armtap_tcp_take_bytes(struct armtap_tcp *tcp, enum armtap_direction direction,
                          const struct armtap_segment *segment);
/* The same for the next bytes of an open direction in which nothing waits. */
int armtap_tcp_take_next(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment);
int armtap_tcp_take_fin(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment);
/* A window probe's byte was set aside; `start` is the position of the next segment: if it is after that byte, the peer
 * accepted it. */
int armtap_tcp_settle_probe(struct armtap_tcp *tcp, enum armtap_direction direction, uint64_t start);

#endif
