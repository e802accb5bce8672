/* One layer of compression: gzip, zstd, xz, lz4 or bzip2, members one after the other, as bytes come. What a library
 * unpacked before it found damage is returned first. Only unpacker.c includes these libraries. */
#ifndef ARMTAP_UNPACKER_H
#define ARMTAP_UNPACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unpacker;
struct packing;

#define PACKING_MAGIC 6

/* How bytes are packed that begin so; NULL: they are not, or too few to tell, which `*is_open` says. */
const struct packing *armtap_packing_find(const uint8_t *first, size_t length, bool *is_open);
/* "gzip"; the command that unpacks a file to its standard output, for a build without the library; the library that
 * this build lacks ("libzstd"), NULL: it has it. */
const char *armtap_packing_name(const struct packing *packing);
const char *armtap_packing_program(const struct packing *packing);
const char *armtap_packing_lacks(const struct packing *packing);
/* The libraries that armtap packs nothing with, and zlib: the i-th, and its version, NULL if this build lacks it; false
 * behind the last. */
bool armtap_packing_library(size_t index, const char **name, const char **version);

/* Bytes, of a file or packed ones: at least one, 0 at the end. */
typedef size_t byte_source(void *from, uint8_t *to, size_t room);
/* It is asked for so many at once where they need no unpacking. */
#define SOURCE_BLOCK ((size_t)128 * 1024)

/* `first` bytes come before those of the source. NULL without memory. */
struct unpacker *armtap_unpacker_new(const struct packing *packing, const uint8_t *first, size_t length,
                                     byte_source *source, void *from);
/* Accepts NULL. */
void armtap_unpacker_free(struct unpacker *unpacker);
/* At least one byte, as soon as there is one; 0 at the end, or where it cannot go on. */
size_t armtap_unpacker_read(struct unpacker *unpacker, uint8_t *to, size_t room);

enum unpacker_state {
    UNPACKER_GOES_ON,
    UNPACKER_ENDED,
    UNPACKER_ENDED_EARLY, /* in the middle of a member */
    UNPACKER_DAMAGED,
    UNPACKER_NO_MEMORY
};
/* With `*why`, for people, if it ended early or is damaged. */
enum unpacker_state armtap_unpacker_state(const struct unpacker *unpacker, const char **why);
/* Bytes of the source that were read and not unpacked yet. */
size_t armtap_unpacker_waiting(const struct unpacker *unpacker);
/* Bytes unpacked so far. */
uint64_t armtap_unpacker_length(const struct unpacker *unpacker);

/* ---- unpacking.c: all layers of compression over a source, each found by the first bytes of what the one below gives
 * ---- */

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
