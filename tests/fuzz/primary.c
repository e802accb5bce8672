/* UR's primary interface in both directions: a byte of options, then pieces of a stream. Before each piece is a byte
 * for its direction and framing, and a byte for its length. A piece may become a message with its length, or a state:
 * its bytes are sub-packages of {type, length}, which get their headers here, so that changed ones still add up. */
#include "script.h"

#include <string.h>

enum { RAW = 0, GAP = 1, MESSAGE = 2, STATE = 3 };

#define HEADER 5
#define PIECE_MAX 255
#define MADE_MAX (HEADER + PIECE_MAX * 8)

/* Messages that were made and not played yet. */
struct made {
    uint8_t bytes[SCRIPT_STEPS * MADE_MAX / 4];
    size_t used;
};

static void put_header(uint8_t *at, size_t length, unsigned type)
{
    at[0] = at[1] = 0;
    at[2] = (uint8_t)(length >> 8);
    at[3] = (uint8_t)length;
    at[4] = (uint8_t)type;
}

/* Sub-packages from {type, length, content}; what the piece lacks is 0, so that few bytes make a whole one. */
static size_t put_subpackages(uint8_t *to, size_t room, struct input *piece)
{
    size_t used = 0;
    while (input_left(piece) >= 2) {
        unsigned type = input_byte(piece);
        size_t length = input_byte(piece), have = length;
        const uint8_t *content = input_bytes(piece, &have);
        if (used + HEADER + length > room)
            break;
        put_header(to + used, HEADER + length, type);
        memset(to + used + HEADER, 0, length);
        memcpy(to + used + HEADER, content, have);
        used += HEADER + length;
    }
    return used;
}

static void add_message(struct script *script, struct made *made, unsigned head, const uint8_t *bytes, size_t length)
{
    static const uint8_t types[] = {20, 25, 24, 5, 22, 255, 41, 16};
    uint8_t *message = made->bytes + made->used;
    struct input piece = {bytes, bytes + length};
    bool is_state = (head >> 1 & 3) == STATE;
    if (script->count == SCRIPT_STEPS || made->used + MADE_MAX > sizeof made->bytes)
        return;
    size_t body = is_state ? put_subpackages(message + HEADER, MADE_MAX - HEADER, &piece) : length;
    if (!is_state)
        memcpy(message + HEADER, bytes, length);
    put_header(message, HEADER + body, is_state ? 16 : types[head >> 3 & 7]);
    made->used += HEADER + body;
    script_step(script, SCRIPT_BYTES, ARMTAP_FROM_ROBOT, message, HEADER + body);
}

static void take_piece(struct input *input, struct script *script, struct made *made)
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
        add_message(script, made, head, bytes, length);
}

FUZZ_TARGET(primary)
{
    struct input input = {data, data + size};
    unsigned options = input_byte(&input);
    static struct made made;
    struct script script = {.setup = {.protocol = ARMTAP_PRIMARY,
                                      .forced = options & 1,
                                      .midstream = options & 2,
                                      .first = {.time = ARMTAP_NO_TIME}}};
    made.used = 0;
    while (input_left(&input) > 0)
        take_piece(&input, &script, &made);
    script_check(&script);
    return 0;
}
