/* The next bytes of a file that is in memory: mapped, brought into the processor's cache while those before them are
 * decoded, then copied. A copy by the kernel, which looks up each page, takes longer. Nobody but the copy reads through
 * the mapping: others may change the bytes, or cut the file. */
#ifndef INPUT_MAPPED_FILE_H
#define INPUT_MAPPED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prefetch.h"

struct input;

/* All zero: nothing is mapped. */
struct mapped_file {
    const struct input *input; /* NULL: none */
    uint8_t *bytes;            /* NULL: nothing */
    uint64_t position;         /* of what is mapped */
    size_t length;
    size_t at, end; /* of it, what is still to be brought */
};

/* Maps these bytes of the file, which will be read next, if they are in memory. Once some are not, nothing more is
 * mapped of this file: the kernel reads a disk ahead better. */
void mapped_file_aim(struct mapped_file *file, uint64_t position, size_t length);
/* Copies bytes, and stores their block_sum(). False if they are not mapped; or if they are gone, and then nothing more
 * is mapped. */
bool mapped_file_copy(struct mapped_file *file, uint64_t position, uint8_t *to, size_t length, uint32_t *sum);
void mapped_file_end(struct mapped_file *file);

/* Brings so many of the bytes aimed at; call it for each packet with its length, so that they are there in time, but
 * not all at once: the processor waits for more than some ten lines. */
static inline void mapped_file_bring(struct mapped_file *file, size_t length)
{
    size_t at = file->at, to = at + length < file->end ? at + length : file->end;
    for (; at < to; at += ARMTAP_CACHE_LINE)
        armtap_prefetch_far(file->bytes + at);
    file->at = at;
}

#endif
