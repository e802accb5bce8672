#include "unpacker.h"

#include <string.h>

/* Unpacked bytes that a packed one may become once they are many: captures become a hundredth. */
#define EXPANSION_MOST 20000
#define EXPANSION_FROM (UINT64_C(1) << 30)

static size_t read_layer_below(void *layer, uint8_t *to, size_t room)
{
    return armtap_unpacker_read(layer, to, room);
}

static size_t read_source(void *user, uint8_t *to, size_t room)
{
    struct unpacking *unpacking = user;
    size_t length = unpacking->source(unpacking->from, to, room);
    unpacking->taken += length;
    return length;
}

/* Whether so little became so much that it is no capture. */
static bool is_bomb(struct unpacking *unpacking, const struct unpacker *top)
{
    uint64_t length = armtap_unpacker_length(top);
    unpacking->is_bomb = length >= EXPANSION_FROM && length / EXPANSION_MOST >= unpacking->taken;
    return unpacking->is_bomb;
}

static size_t unpack_some(struct unpacking *unpacking, uint8_t *to, size_t room)
{
    struct unpacker *top = unpacking->layers[unpacking->layer_count - 1];
    size_t length = unpacking->is_over ? 0 : armtap_unpacker_read(top, to, room);
    if (length > 0 && !is_bomb(unpacking, top))
        return length;
    unpacking->is_over = true;
    return 0;
}

static size_t read_some(struct unpacking *unpacking, uint8_t *to, size_t room)
{
    return unpacking->layer_count > 0 ? unpack_some(unpacking, to, room) : unpacking->source(unpacking->from, to, room);
}

size_t armtap_unpacking_read(struct unpacking *unpacking, uint8_t *to, size_t room)
{
    size_t length = unpacking->peeked - unpacking->peek_at;
    if (length == 0)
        return read_some(unpacking, to, room);
    if (length > room)
        length = room;
    memcpy(to, unpacking->peek + unpacking->peek_at, length);
    unpacking->peek_at += length;
    return length;
}

size_t armtap_unpacking_peek(struct unpacking *unpacking, const uint8_t **bytes, size_t length)
{
    while (unpacking->peeked < length && unpacking->peeked < UNPACKING_PEEK) {
        size_t got = read_some(unpacking, unpacking->peek + unpacking->peeked, UNPACKING_PEEK - unpacking->peeked);
        if (got == 0)
            break;
        unpacking->peeked += got;
    }
    *bytes = unpacking->peek;
    return unpacking->peeked;
}

const struct packing *armtap_unpacking_find(struct unpacking *unpacking)
{
    const uint8_t *first;
    bool is_open = true;
    const struct packing *packing = NULL;
    for (size_t wanted = 1; is_open && !packing && armtap_unpacking_peek(unpacking, &first, wanted) >= wanted; wanted++)
        packing = armtap_packing_find(first, wanted, &is_open);
    return packing;
}

enum unpacking_outcome armtap_unpacking_add(struct unpacking *unpacking, const struct packing *packing)
{
    if (unpacking->layer_count == UNPACKING_LAYERS)
        return UNPACKING_TOO_MANY;
    struct unpacker *below = unpacking->layer_count > 0 ? unpacking->layers[unpacking->layer_count - 1] : NULL;
    unpacking->taken += below ? 0 : unpacking->peeked;
    struct unpacker *layer =
        armtap_unpacker_new(packing, unpacking->peek, unpacking->peeked, below ? read_layer_below : read_source,
                            below ? (void *)below : unpacking);
    if (!layer)
        return UNPACKING_NO_MEMORY;
    unpacking->layers[unpacking->layer_count++] = layer;
    unpacking->peeked = 0;
    return UNPACKING_ADDED;
}

enum unpacker_state armtap_unpacking_state(const struct unpacking *unpacking, const char **why, uint64_t *unpacked)
{
    *why = "it unpacks to so much more than it has that it is no capture; unpack it first, and see what it holds";
    *unpacked = 0;
    if (unpacking->layer_count > 0)
        *unpacked = armtap_unpacker_length(unpacking->layers[unpacking->layer_count - 1]);
    if (unpacking->is_bomb)
        return UNPACKER_DAMAGED;
    for (size_t i = 0; i < unpacking->layer_count; i++) {
        enum unpacker_state state = armtap_unpacker_state(unpacking->layers[i], why);
        *unpacked = armtap_unpacker_length(unpacking->layers[i]);
        if (state != UNPACKER_GOES_ON && state != UNPACKER_ENDED)
            return state;
    }
    return UNPACKER_ENDED;
}

size_t armtap_unpacking_waiting(const struct unpacking *unpacking)
{
    return unpacking->layer_count > 0 ? armtap_unpacker_waiting(unpacking->layers[0]) : 0;
}

void armtap_unpacking_end(struct unpacking *unpacking)
{
    while (unpacking->layer_count > 0)
        armtap_unpacker_free(unpacking->layers[--unpacking->layer_count]);
}
