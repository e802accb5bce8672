/* One layer of compression: gzip, zstd, xz, lz4 or bzip2, members one after the other, as bytes come. What a library
 * unpacked before it found damage is returned first. Only unpacker.c includes these libraries. */
#ifndef INPUT_UNPACKER_H
#define INPUT_UNPACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unpacker;
struct packing;

#define PACKING_MAGIC 6

/* How bytes are packed that begin so; NULL: they are not, or too few to tell, which `*is_open` says. */
const struct packing *packing_find(const uint8_t *first, size_t length, bool *is_open);
/* Whether it can be unpacked: 0, or -1 after a message, unless `quiet`, that names the library which this build lacks,
 * and the program that does it. */
int packing_check(const struct packing *packing, const char *file, bool quiet);
/* "zlib version 1.2.13", of the libraries that armtap packs nothing with, and zlib; NULL behind the last. */
const char *packing_library(size_t index, char text[64]);

/* Bytes to be unpacked: at least one, 0 at the end. */
typedef size_t unpacker_source(void *user, uint8_t *to, size_t room);

/* `first` bytes come before those of the source. NULL without memory. */
struct unpacker *unpacker_new(const struct packing *packing, const uint8_t *first, size_t length,
                              unpacker_source *source, void *user);
/* Accepts NULL. */
void unpacker_free(struct unpacker *unpacker);
/* At least one byte, as soon as there is one; 0 at the end, or where it cannot go on. */
size_t unpacker_read(struct unpacker *unpacker, uint8_t *to, size_t room);

enum unpacker_state {
    UNPACKER_GOES_ON,
    UNPACKER_ENDED,
    UNPACKER_ENDED_EARLY, /* in the middle of a member */
    UNPACKER_DAMAGED,
    UNPACKER_NO_MEMORY
};
/* With `*why`, for people, if it ended early or is damaged. */
enum unpacker_state unpacker_state(const struct unpacker *unpacker, const char **why);
/* Bytes of the source that were read and not unpacked yet. */
size_t unpacker_waiting(const struct unpacker *unpacker);
/* Bytes unpacked so far. */
uint64_t unpacker_length(const struct unpacker *unpacker);

#endif
