/* Packets of ICMP and ICMPv6, as they are in a capture. */
#ifndef EXPLAIN_ICMP_H
#define EXPLAIN_ICMP_H

#include "pieces.h"

/* Whether a packet is one; not within tunnels, and no later fragment. */
bool icmp_is(int link_type, const uint8_t *bytes, size_t length);
/* Takes it apart. Returns what it is. */
const char *icmp_annotate(int link_type, const uint8_t *bytes, size_t length, struct pieces *pieces);

#endif
