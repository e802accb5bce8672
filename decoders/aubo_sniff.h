/* Telling AUBO's messages from other JSON, and other WebSockets, before anything is known of a connection. */
#ifndef ARMTAP_AUBO_SNIFF_H
#define ARMTAP_AUBO_SNIFF_H

#include "../lib/decoder.h"

/* As in struct armtap_decoder. */
enum armtap_fit armtap_aubo_shows(enum armtap_direction direction, const struct armtap_sight *sight, size_t *need);
/* Whether frames of a compressed WebSocket follow one another somewhere in these bytes. */
bool armtap_aubo_holds_packed(const uint8_t *bytes, size_t length);

#endif
