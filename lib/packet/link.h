/* From a captured packet to its TCP segment: link, IP and TCP headers. */
#ifndef ARMTAP_LINK_H
#define ARMTAP_LINK_H

#include "armtap.h"

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

#endif
