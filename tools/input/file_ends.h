/* The first and the last bytes that were read of a file: whether they still stand there tells whether it is still the
 * file that was read. */
#ifndef INPUT_FILE_ENDS_H
#define INPUT_FILE_ENDS_H

#include <stddef.h>
#include <stdint.h>

#include "file_bytes.h"

/* Enough of a capture's beginning for its first packet with its time, and of its end for what no other capture has. */
#define ENDS_KEPT 1024

/* Begins as zeros. */
struct ends {
    uint64_t length; /* that was read */
    size_t first_length, last_length;
    uint8_t first[ENDS_KEPT], last[ENDS_KEPT];
};

/* Keeps the next bytes that were read of the file, in their order, from its beginning. */
void ends_keep(struct ends *ends, const uint8_t *bytes, size_t length);
/* Whether the open file still has the first and the last of the bytes kept: INPUT_OK, INPUT_SHORTENED, INPUT_REWRITTEN,
 * or INPUT_FAILED with errno. */
enum input_outcome ends_judge(const struct ends *ends, int file);

#endif
