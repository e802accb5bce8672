/* AUBO's messages over a WebSocket: the head of HTTP, then frames. */
#ifndef ARMTAP_AUBO_WEB_H
#define ARMTAP_AUBO_WEB_H

#include "aubo_session.h"

#define ARMTAP_AUBO_PACKED_FRAME 0xc1 /* the first byte of a frame that is a whole compressed text */

/* Whether bytes in whose form nothing is known look like a WebSocket's: its head, or a frame of text that holds a
 * message. MORE: cannot be told yet. */
enum armtap_aubo_end armtap_aubo_looks_like_web(enum armtap_direction direction, const uint8_t *bytes, size_t length);
/* Whether bytes begin like a head; no frame does. */
bool armtap_aubo_web_is_head(enum armtap_direction direction, const uint8_t *bytes, size_t length);
/* Length of the head or frame that begins at `bytes`; 0: more bytes are needed; -1: none begins here. */
long armtap_aubo_web_frame(enum armtap_direction direction, const uint8_t *bytes, size_t length);
/* The same where the form is known: the header alone of a frame that is longer than any is kept, then its payload piece
 * by piece. */
long armtap_aubo_web_piece(const struct armtap_aubo_side *side, enum armtap_direction direction, const uint8_t *bytes,
                           size_t length);
/* Whether a whole frame of text holds one message and nothing else; one that is a set-up if `set_up`. */
bool armtap_aubo_web_holds(const uint8_t *frame, size_t length, bool set_up);
/* The same, with the number that it begins with and the commas between its values. */
bool armtap_aubo_web_list(const uint8_t *frame, size_t length, bool set_up, unsigned *number, unsigned *commas);
/* Whether a frame, of which the header and the first byte of its payload are there, is one of compressed text, masked
 * as its direction has it. */
bool armtap_aubo_web_packed(enum armtap_direction direction, const uint8_t *frame, size_t header);
/* Whether it is a head that leads to a WebSocket. */
bool armtap_aubo_web_is_upgrade(enum armtap_direction direction, const uint8_t *bytes, size_t length);

int armtap_aubo_web_decode(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *frame);
/* The direction cannot be read on: said once, but where it only ends within a frame. */
int armtap_aubo_web_lost(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *here, bool gap,
                         bool ends);

#endif
