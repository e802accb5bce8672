/* Tells AUBO's messages from other JSON and other WebSockets on an unknown connection. */
#ifndef ARMTAP_AUBO_SNIFF_H
#define ARMTAP_AUBO_SNIFF_H

#include "protocol/decoder.h"

/* As in struct armtap_decoder. */
enum armtap_fit armtap_aubo_shows(enum armtap_direction direction, const struct armtap_sight *sight, size_t *need);
/* Whether consecutive frames of a compressed WebSocket are somewhere in these bytes. */
bool armtap_aubo_holds_compressed(const uint8_t *bytes, size_t length);

#endif
