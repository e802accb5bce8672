/* ICMP and ICMPv6 errors that answer a SYN: the sender reports that the robot cannot be reached. */
#ifndef ARMTAP_LIB_UNREACHABLE_H
#define ARMTAP_LIB_UNREACHABLE_H

#include "link.h"

/* Reads a message of IP `version` (4 or 6), whose sender is segment->source. If it says that the target of a TCP
 * segment cannot be reached, the segment becomes the one it quotes (ends, sequence number, SYN), with its reporter,
 * type and code, and true is returned. */
bool armtap_unreachable_parse(const uint8_t *message, size_t length, unsigned version, struct armtap_segment *segment);
/* What type and code mean, in words. */
const char *armtap_unreachable_reason(unsigned version, unsigned code);

#endif
