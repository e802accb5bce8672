/* A sum by which a second reading of a block knows that its bytes are the same. One changed byte, or bytes in another
 * place, always give another sum; other changes nearly always, unless they were made not to. */
#ifndef INPUT_BLOCK_SUM_H
#define INPUT_BLOCK_SUM_H

#include <stddef.h>
#include <stdint.h>

uint32_t block_sum(const uint8_t *bytes, size_t length);
/* The same without what only some processors have. */
uint32_t block_sum_plain(const uint8_t *bytes, size_t length);
/* Copies the bytes: in one go, so that the sum is that of the copy even if another program changes them meanwhile. */
uint32_t block_sum_copy(uint8_t *to, const uint8_t *from, size_t length);

#endif
