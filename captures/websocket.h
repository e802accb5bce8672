/* The two sides of a WebSocket (RFC 6455, RFC 7692), as bytes: the upgrade, messages in frames, ping, pong and close.
 */
#ifndef WEBSOCKET_H
#define WEBSOCKET_H

#include "armtap.h"
#include "deflate.h"
#include "number.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum websocket_control { WEBSOCKET_CLOSE = 8, WEBSOCKET_PING = 9, WEBSOCKET_PONG = 10 };

struct websocket {
    bool open;
    bool deflate;           /* the sides agreed on permessage-deflate, with context */
    struct prng masks;      /* of the client's frames */
    struct deflate sent[2]; /* by enum armtap_direction */
};

/* Payload of a ping. */
#define WEBSOCKET_PING_TEXT "still there?"

/* Bytes to send. */
struct websocket_bytes {
    uint8_t *at;
    size_t length;
    size_t capacity;
    bool full; /* something did not fit */
};

/* The request and the response that start it. */
void websocket_request(const struct websocket *websocket, struct websocket_bytes *out, const char *host);
void websocket_accept(const struct websocket *websocket, struct websocket_bytes *out);
/* A text message, whole or, with `between`, in two frames and a ping between them. */
void websocket_message(struct websocket *websocket, enum armtap_direction sender, const char *text, size_t length,
                       bool between, struct websocket_bytes *out);
void websocket_control(struct websocket *websocket, enum armtap_direction sender, enum websocket_control opcode,
                       const void *payload, size_t length, struct websocket_bytes *out);

#endif
