/* Reassembly of one TCP connection: segments in, per direction bytes, gaps and an end out, in stream order. */
#ifndef ARMTAP_TCP_H
#define ARMTAP_TCP_H

#include "tcp_side.h"

void armtap_tcp_init(struct armtap_tcp *tcp, struct armtap_pool *pool, const struct armtap_tcp_calls *calls,
                     void *user);
/* Drops waiting data without calling anything. */
void armtap_tcp_clear(struct armtap_tcp *tcp);
/* Whether the segment belongs to another connection on the same ports: then start over. */
bool armtap_tcp_is_other(const struct armtap_tcp *tcp, enum armtap_direction direction,
                         const struct armtap_segment *segment);
/* Whether all of it came before: bytes, more than a keep-alive's one, or a SYN after which bytes followed. */
bool armtap_tcp_is_repeat(const struct armtap_tcp *tcp, enum armtap_direction direction,
                          const struct armtap_segment *segment);
/* The next segment, captured at pool->now. */
int armtap_tcp_segment(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment);
/* Whether the segment brings only the next bytes of a direction, or an acknowledgement without bytes, and nothing waits
 * in either direction. Then armtap_tcp_next() does what armtap_tcp_is_other() and armtap_tcp_segment() would. */
bool armtap_tcp_is_next(const struct armtap_tcp *tcp, enum armtap_direction direction,
                        const struct armtap_segment *segment);
int armtap_tcp_next(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment);
/* The bytes are no longer needed: only beginning and end are tracked. */
void armtap_tcp_ignore(struct armtap_tcp *tcp);
/* Delivers all waiting data and closes both directions; `direction` is the side that caused it. */
int armtap_tcp_finish(struct armtap_tcp *tcp, enum armtap_direction direction, enum armtap_close reason);
bool armtap_tcp_is_closed(const struct armtap_tcp *tcp);
/* Bytes that were decoded elsewhere are passed over, up to sequence number `seq`. */
void armtap_tcp_pass(struct armtap_tcp_side *side, uint32_t seq);

#endif
