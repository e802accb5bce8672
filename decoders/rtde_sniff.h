/* Recognises RTDE before anything is known about a connection. */
#ifndef ARMTAP_RTDE_SNIFF_H
#define ARMTAP_RTDE_SNIFF_H

#include "protocol/decoder.h"

/* Both as in struct armtap_decoder. */
enum armtap_fit armtap_rtde_begins(enum armtap_direction direction, const uint8_t *bytes, size_t length);
enum armtap_fit armtap_rtde_shows(enum armtap_direction direction, const struct armtap_sight *sight, size_t *need);

#endif
