/* AUBO in both directions: a byte of options, then pieces of a stream. Before each piece is a byte for its direction
 * and framing, and a byte for its length. On a WebSocket a piece becomes a frame's payload, so that changed pieces are
 * still frames. */
#include "script.h"

#include <string.h>

enum { RAW = 0, GAP = 1, FRAME = 2, FRAGMENT = 3 };

#define HEADER_MAX 8
#define PIECE_MAX 255

/* Frames that were made and not played yet. */
struct frames {
    uint8_t bytes[SCRIPT_STEPS * (HEADER_MAX + PIECE_MAX)];
    size_t used;
};

static void add_frame(struct script *script, struct frames *frames, enum armtap_direction direction, unsigned first,
                      const uint8_t *payload, size_t length)
{
    static const uint8_t mask[4] = {0x5a, 0x00, 0xff, 0x81};
    bool masked = direction == ARMTAP_TO_ROBOT;
    uint8_t *frame = frames->bytes + frames->used, *p = frame;
    if (script->count == SCRIPT_STEPS)
        return;
    *p++ = (uint8_t)first;
    *p++ = (uint8_t)((masked ? 0x80 : 0) | (length < 126 ? length : 126));
    if (length >= 126) {
        *p++ = (uint8_t)(length >> 8);
        *p++ = (uint8_t)length;
    }
    if (masked) {
        memcpy(p, mask, sizeof mask);
        p += sizeof mask;
    }
    for (size_t i = 0; i < length; i++)
        *p++ = payload[i] ^ (masked ? mask[i % 4] : 0);
    frames->used += (size_t)(p - frame);
    script_step(script, SCRIPT_BYTES, direction, frame, (size_t)(p - frame));
}

static void add_heads(struct script *script)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
    static const char answer[] = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                 "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
    script_step(script, SCRIPT_BYTES, ARMTAP_TO_ROBOT, (const uint8_t *)request, sizeof request - 1);
    script_step(script, SCRIPT_BYTES, ARMTAP_FROM_ROBOT, (const uint8_t *)answer, sizeof answer - 1);
}

static void take_piece(struct input *input, struct script *script, struct frames *frames)
{
    unsigned head = input_byte(input);
    enum armtap_direction direction = (enum armtap_direction)(head & 1);
    size_t length = input_byte(input);
    if ((head >> 1 & 3) == GAP) {
        script_step(script, SCRIPT_GAP, direction, NULL, length);
        return;
    }
    const uint8_t *bytes = input_bytes(input, &length);
    if ((head >> 1 & 3) == RAW)
        script_step(script, SCRIPT_BYTES, direction, bytes, length);
    else
        add_frame(script, frames, direction, (head >> 1 & 3) == FRAME ? 0x81 : head >> 3, bytes, length);
}

FUZZ_TARGET(aubo)
{
    struct input input = {data, data + size};
    unsigned options = input_byte(&input);
    struct frames frames;
    struct script script = {
        .setup = {.protocol = ARMTAP_AUBO,
                  .forced = options & 1,
                  .midstream = options & 2,
                  .first = {.time = ARMTAP_NO_TIME}},
        .recipe_names = options & 4 ? "[100,{\"chanel\":0,\"frequency\":1,\"segments\":[\"R2_actual_q\"]}]" : NULL};
    frames.used = 0;
    if (options & 8)
        add_heads(&script);
    while (input_left(&input) > 0)
        take_piece(&input, &script, &frames);
    script_check(&script);
    return 0;
}
