#include "websocket.h"

#include <string.h>

enum { FINAL = 0x80, COMPRESSED = 0x40, CONTINUATION = 0, TEXT = 1, MASKED = 0x80, LENGTH_16 = 126 };

/* The key of RFC 6455's example, and the matching answer: every client uses the same one here. */
static const char key[] = "dGhlIHNhbXBsZSBub25jZQ==";
static const char accept[] = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

static void put(struct websocket_bytes *out, const void *bytes, size_t length)
{
    if (length > out->capacity - out->length) {
        out->full = true;
        return;
    }
    memcpy(out->at + out->length, bytes, length);
    out->length += length;
}

static void put_text(struct websocket_bytes *out, const char *text)
{
    put(out, text, strlen(text));
}

void websocket_request(const struct websocket *websocket, struct websocket_bytes *out, const char *host)
{
    put_text(out, "GET / HTTP/1.1\r\nHost: ");
    put_text(out, host);
    put_text(out, "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ");
    put_text(out, key);
    put_text(out, "\r\nSec-WebSocket-Version: 13\r\n");
    if (websocket->deflate)
        put_text(out, "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n");
    put_text(out, "\r\n");
}

void websocket_accept(const struct websocket *websocket, struct websocket_bytes *out)
{
    put_text(out, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                  "Sec-WebSocket-Accept: ");
    put_text(out, accept);
    put_text(out, "\r\n");
    if (websocket->deflate)
        put_text(out, "Sec-WebSocket-Extensions: permessage-deflate\r\n");
    put_text(out, "\r\n");
}

static void put_frame(struct websocket *websocket, enum armtap_direction sender, unsigned first, const void *payload,
                      size_t length, struct websocket_bytes *out)
{
    bool masked = sender == ARMTAP_TO_ROBOT;
    uint8_t head[4] = {(uint8_t)first, (uint8_t)((masked ? MASKED : 0) | (length < LENGTH_16 ? length : LENGTH_16)),
                       (uint8_t)(length >> 8), (uint8_t)length};
    put(out, head, length < LENGTH_16 ? 2 : 4);
    if (!masked) {
        put(out, payload, length);
        return;
    }
    uint64_t random = prng_next(&websocket->masks);
    uint8_t mask[4];
    for (size_t i = 0; i < 4; i++)
        mask[i] = (uint8_t)(random >> 8 * i);
    put(out, mask, 4);
    for (size_t i = 0; i < length; i++) {
        uint8_t byte = ((const uint8_t *)payload)[i] ^ mask[i % 4];
        put(out, &byte, 1);
    }
}

void websocket_message(struct websocket *websocket, enum armtap_direction sender, const char *text, size_t length,
                       bool between, struct websocket_bytes *out)
{
    uint8_t compressed[DEFLATE_MESSAGE];
    const uint8_t *payload = (const uint8_t *)text;
    unsigned first = TEXT;
    if (websocket->deflate) {
        length = deflate_message(&websocket->sent[sender], text, length, compressed, sizeof compressed);
        payload = compressed;
        first |= COMPRESSED;
        out->full = out->full || length == 0;
    }
    if (!between) {
        put_frame(websocket, sender, FINAL | first, payload, length, out);
        return;
    }
    size_t part = length / 3;
    put_frame(websocket, sender, first, payload, part, out);
    websocket_control(websocket, sender, WEBSOCKET_PING, WEBSOCKET_PING_TEXT, sizeof WEBSOCKET_PING_TEXT - 1, out);
    put_frame(websocket, sender, FINAL | CONTINUATION, payload + part, length - part, out);
}

void websocket_control(struct websocket *websocket, enum armtap_direction sender, enum websocket_control opcode,
                       const void *payload, size_t length, struct websocket_bytes *out)
{
    put_frame(websocket, sender, FINAL | (unsigned)opcode, payload, length, out);
}
