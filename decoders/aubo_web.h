/* AUBO's messages over a WebSocket: HTTP heads, then frames. */
#ifndef ARMTAP_AUBO_WEB_H
#define ARMTAP_AUBO_WEB_H

#include "aubo_session.h"

#define ARMTAP_AUBO_COMPRESSED_FRAME 0xc1 /* first byte of a frame with a whole compressed text */

/* Whether bytes of an unknown form look like a WebSocket: a head, or a text frame with a message. MORE: more bytes are
 * needed to decide. */
enum armtap_aubo_end armtap_aubo_looks_like_web(enum armtap_direction direction, const uint8_t *bytes, size_t length);
/* Whether bytes begin like a head, as no frame does. */
bool armtap_aubo_web_is_head(enum armtap_direction direction, const uint8_t *bytes, size_t length);
/* Length of the head or frame that begins at `bytes`; 0: more bytes are needed; -1: none begins here. */
long armtap_aubo_web_frame(enum armtap_direction direction, const uint8_t *bytes, size_t length);
/* The same if the form is known. A frame that is too long is split: its header, then its payload piece by piece. */
long armtap_aubo_web_piece(const struct armtap_aubo_side *side, enum armtap_direction direction, const uint8_t *bytes,
                           size_t length);
/* Whether a whole text frame holds one message and nothing else; a set-up if `set_up`. */
bool armtap_aubo_web_holds(const uint8_t *frame, size_t length, bool set_up);
/* The same; sets the message's first number and the number of commas between its values. */
bool armtap_aubo_web_list(const uint8_t *frame, size_t length, bool set_up, unsigned *number, unsigned *commas);
/* Whether a frame, of which the header and one byte of payload are present, holds compressed text and is masked as its
 * direction requires. */
bool armtap_aubo_web_compressed(enum armtap_direction direction, const uint8_t *frame, size_t header);
/* Whether this is a head that opens a WebSocket. */
bool armtap_aubo_web_is_upgrade(enum armtap_direction direction, const uint8_t *bytes, size_t length);

int armtap_aubo_web_decode(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *frame);
/* Gives up the direction, with one note; without it if the stream just `ends` inside a frame. */
int armtap_aubo_web_lost(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *here, bool gap,
                         bool ends);

#endif
