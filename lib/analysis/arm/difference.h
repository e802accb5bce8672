/* Structures that are alike, packed: only the bytes that differ from one of them. */
#ifndef ANALYSIS_DIFFERENCE_H
#define ANALYSIS_DIFFERENCE_H

#include <stddef.h>
#include <stdint.h>

/* Sizes are whole words of 8 bytes: a bit for each word, and for each that differs one byte and those that differ. */
#define DIFFERENCE_WORD 8
#define DIFFERENCE_MAX(size) (((size) / DIFFERENCE_WORD + 7) / 8 + (size) / DIFFERENCE_WORD * (DIFFERENCE_WORD + 1))

/* Writes how `what` differs from `like`; returns the bytes written. */
size_t armtap_difference_write(uint8_t *to, const void *what, const void *like, size_t size);
/* Makes the same structure again. */
void armtap_difference_read(const uint8_t *from, void *what, const void *like, size_t size);

#endif
