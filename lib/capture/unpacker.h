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

#endif
