/* Reads bytes of an open file, and names what can be wrong with them. */
#ifndef INPUT_FILE_BYTES_H
#define INPUT_FILE_BYTES_H

#include <stddef.h>
#include <stdint.h>

enum input_outcome {
    INPUT_OK,
    INPUT_FAILED,    /* errno says why */
    INPUT_SHORTENED, /* another program truncated it */
    INPUT_CHANGED,   /* another program truncated or overwrote what was read before */
    INPUT_REPLACED,  /* it could not be kept open, and its name now belongs to another file */
    INPUT_NO_MEMORY,
    INPUT_REWRITTEN, /* a followed file now has other bytes where it was read */
    INPUT_DOUBTFUL   /* another program wrote to it, perhaps where it was read */
};

/* Reads `length` bytes: INPUT_OK, INPUT_SHORTENED if the file has fewer, or INPUT_FAILED. */
enum input_outcome input_read_all(int file, uint64_t position, uint8_t *to, size_t length);

#endif
