/* All layers of compression over a source of bytes, each found by the first bytes of what the one below gives. */
#ifndef ARMTAP_UNPACKING_H
#define ARMTAP_UNPACKING_H

#include "unpacker.h"

/* How many times over a file may be packed. */
#define UNPACKING_LAYERS 4
/* So many of the first bytes can be looked at. */
#define UNPACKING_PEEK 1024

/* Set `source` and `from`, all else to zeros. */
struct unpacking {
    byte_source *source;
    void *from;
    uint64_t taken;                            /* bytes, from the source */
    struct unpacker *layers[UNPACKING_LAYERS]; /* the outermost first */
    size_t layer_count;
    bool is_over;
    bool is_bomb; /* it became so much more that it is no capture */
    size_t peeked, peek_at;
    uint8_t peek[UNPACKING_PEEK];
};

/* The first bytes, without consuming them: at least `length` (at most UNPACKING_PEEK), or fewer if there are no more.
 */
size_t armtap_unpacking_peek(struct unpacking *unpacking, const uint8_t **bytes, size_t length);
/* How the bytes are packed that come next, of which none were read yet; NULL: they are not. */
const struct packing *armtap_unpacking_find(struct unpacking *unpacking);

enum unpacking_outcome { UNPACKING_ADDED, UNPACKING_TOO_MANY, UNPACKING_NO_MEMORY };
/* Puts a layer upon what was looked at. */
enum unpacking_outcome armtap_unpacking_add(struct unpacking *unpacking, const struct packing *packing);

/* Waits for at least one byte; 0 at the end, or where it cannot go on. */
size_t armtap_unpacking_read(struct unpacking *unpacking, uint8_t *to, size_t room);
/* Once that returned 0: of the outermost layer that has a problem, why, for people, and what it unpacked; ENDED: there
 * is none. */
enum unpacker_state armtap_unpacking_state(const struct unpacking *unpacking, const char **why, uint64_t *unpacked);
/* Bytes that were taken from the source and not unpacked yet. */
size_t armtap_unpacking_waiting(const struct unpacking *unpacking);
void armtap_unpacking_end(struct unpacking *unpacking);

#endif
