/* Keeps the first and last bytes read from a file: if the file still has them, it is still the file that was read. */
#ifndef INPUT_FILE_ENDS_H
#define INPUT_FILE_ENDS_H

#include <stddef.h>
#include <stdint.h>

#include "file_bytes.h"

/* Enough to cover the first packet and its time, and at the end bytes that no other capture has. */
#define ENDS_KEPT 1024

/* Starts as zeros. */
struct ends {
    uint64_t length; /* bytes read */
    size_t first_length, last_length;
    uint8_t first[ENDS_KEPT], last[ENDS_KEPT];
};

/* Call with all bytes read from the file, in order, from its beginning. */
void ends_keep(struct ends *ends, const uint8_t *bytes, size_t length);
/* Whether the open file still has the kept bytes: INPUT_OK, INPUT_SHORTENED, INPUT_REWRITTEN, or INPUT_FAILED with
 * errno. */
enum input_outcome ends_check(const struct ends *ends, int file);

#endif
