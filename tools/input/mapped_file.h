/* Brings the next bytes of a file into the processor's cache while those before them are decoded: the kernel then
 * copies them from there, much faster than from memory. The file is mapped for that, but never read through the
 * mapping, which would end the program where another one cut the file: fetching what is gone does nothing. */
#ifndef INPUT_MAPPED_FILE_H
#define INPUT_MAPPED_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "prefetch.h"

struct input;

/* All zero: nothing to bring. */
struct mapped_file {
    const struct input *input; /* NULL: none */
    char *mapped;              /* NULL: nothing */
    uint64_t position;         /* of what is mapped */
    size_t length;
    size_t at, end; /* of it, what is still to be brought */
};

/* Aims at these bytes of the file, which will be read next. Once some are not in memory it does nothing more for this
 * file: the kernel reads a disk ahead better. */
void mapped_file_aim(struct mapped_file *ahead, uint64_t position, size_t length);
void mapped_file_end(struct mapped_file *ahead);

/* Brings so many of them; call it for each packet with its length, so that they are there in time, but not all at once:
 * the processor waits for more than some ten lines. */
static inline void mapped_file_bring(struct mapped_file *ahead, size_t length)
{
    size_t at = ahead->at, to = at + length < ahead->end ? at + length : ahead->end;
    for (; at < to; at += ARMTAP_CACHE_LINE)
        armtap_prefetch_far(ahead->mapped + at);
    ahead->at = at;
}

#endif
