/* The headers that all packets of one sender share: a packet that has them is read without looking at each field. */
#ifndef ARMTAP_HEADER_PATTERN_H
#define ARMTAP_HEADER_PATTERN_H

#include "link.h"

#define ARMTAP_PATTERN_BYTES 112 /* Ethernet, three tags, IPv6 and TCP with timestamps take 98 */

struct armtap_header_pattern {
    int link_type;
    size_t length; /* of all headers; 0: nothing is known */
    size_t ip_at, tcp_at;
    uint8_t mask[ARMTAP_PATTERN_BYTES]; /* the bits that must stay the same ... */
    uint8_t same[ARMTAP_PATTERN_BYTES]; /* ... as here; 0 elsewhere */
    struct armtap_segment segment;      /* of the last packet that had the pattern */
};

/* Learns the pattern from a packet that armtap_link_parse() read as `segment`. It stays unknown if the packet is no
 * usual segment, with or without data: of TCP flags only ACK and PSH, no options but timestamps, no extension headers.
 */
void armtap_header_pattern_learn(struct armtap_header_pattern *pattern, const struct armtap_packet *packet,
                                 const struct armtap_segment *segment);
/* Whether a packet has these headers and is whole; then pattern->segment is what armtap_link_parse() would have read.
 */
bool armtap_header_pattern_read(struct armtap_header_pattern *pattern, const struct armtap_packet *packet);

#endif
