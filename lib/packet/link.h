/* The headers of a packet. */
#ifndef ARMTAP_LINK_H
#define ARMTAP_LINK_H

#include "armtap.h"

/* ---- link.c ----
 *
 * From a captured packet to its TCP segment: link, IP and TCP headers. */

/* An IPv4 address is in the first four bytes; the others are zero. */
struct armtap_address {
    uint8_t version; /* 4 or 6 */
    uint8_t bytes[16];
};

enum armtap_tcp_flag { ARMTAP_TCP_FIN = 1, ARMTAP_TCP_SYN = 2, ARMTAP_TCP_RST = 4, ARMTAP_TCP_ACK = 16 };

#define ARMTAP_SACK_BLOCKS 4 /* as many as a header has room for */

/* One TCP segment, of the innermost packet if tunnels carry it. `payload`, `ip` and `tcp` point into the packet. */
struct armtap_segment {
    struct armtap_address source, target;
    uint16_t source_port, target_port;
    uint32_t seq, ack;
    unsigned flags;      /* enum armtap_tcp_flag, other bits as on the wire */
    uint32_t window;     /* as on the wire, not scaled */
    int window_scale;    /* from the option, -1 without it; read only if SYN is set */
    uint16_t ip_id;      /* 0 in IPv6 */
    uint8_t ttl;         /* or IPv6's hop limit */
    uint64_t mac;        /* of the sender, or of the router that forwarded it; 0: unknown */
    bool has_timestamps; /* if the option is present: */
    uint32_t tsval, tsecr;
    unsigned sack_count;
    struct {
        uint32_t start, end;
    } sack[ARMTAP_SACK_BLOCKS];     /* as on the wire: the first may report bytes received twice */
    struct armtap_address reporter; /* for UNREACHABLE: the sender of the error, with its type and code */
    unsigned icmp_type, icmp_code;
    const uint8_t *ip, *tcp; /* the headers */
    const uint8_t *payload;  /* captured bytes */
    size_t length;
    size_t cut; /* payload bytes after them that the snapshot length cut off */
    struct {    /* for FRAGMENT: where the payload stands in that of a whole packet of this protocol */
        uint32_t id, at;
        bool more; /* of the packet follows */
        uint8_t protocol;
    } fragment;
    const char *unread; /* for OTHER: what cannot be read, a constant; NULL where that says nothing about robots */
};

enum armtap_link_result {
    ARMTAP_LINK_TCP,         /* the segment is filled in */
    ARMTAP_LINK_UNREACHABLE, /* an ICMP error: the segment is the one it quotes, as far as a SYN's answer needs it */
    ARMTAP_LINK_ARP,         /* source, target, mac and flags (1: asks, 2: answers) are filled in */
    ARMTAP_LINK_OTHER,       /* not TCP over IP */
    ARMTAP_LINK_FRAGMENT,    /* a part of a fragmented packet; addresses, payload and fragment are filled in */
    ARMTAP_LINK_BAD,         /* a header contradicts its length; `fault` says which */
    ARMTAP_LINK_CUT,         /* the snapshot length cut the headers */
    ARMTAP_LINK_UNKNOWN      /* an unknown link type */
};
/* Reads the headers. `fault` gets a constant text if the result is BAD. */
enum armtap_link_result armtap_link_parse(const struct armtap_packet *packet, struct armtap_segment *segment,
                                          const char **fault);

/* "10.0.0.2:30004" or "[fd00::2]:30004"; 64 bytes hold the longest. */
void armtap_address_text(const struct armtap_address *address, uint16_t port, char text[64]);

#define ARMTAP_MAC_TEXT sizeof "02:00:00:00:00:01"
void armtap_mac_text(uint64_t mac, char text[ARMTAP_MAC_TEXT]);
/* Systems begin with one of these; what is missing was spent on the way. */
static inline unsigned armtap_ttl_hops(uint8_t ttl)
{
    return (ttl <= 64 ? 64U : ttl <= 128 ? 128U : 255U) - ttl;
}

/* ---- unreachable.c ----
 *
 * ICMP and ICMPv6 errors that answer a SYN: the sender reports that the robot cannot be reached. */

/* Reads a message of IP `version` (4 or 6), whose sender is segment->source. If it says that the target of a TCP
 * segment cannot be reached, the segment becomes the one it quotes (ends, sequence number, SYN), with its reporter,
 * type and code, and true is returned. */
bool armtap_unreachable_parse(const uint8_t *message, size_t length, unsigned version, struct armtap_segment *segment);
/* What type and code mean, in words. */
const char *armtap_unreachable_reason(unsigned version, unsigned code);

/* ---- header_pattern.c ----
 *
 * The headers that all packets of one sender share: a packet that has them is read without looking at each field. */

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
