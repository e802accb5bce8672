/* Bytes of an open file, and what can be wrong with them. */
#ifndef INPUT_FILE_BYTES_H
#define INPUT_FILE_BYTES_H

#include <stddef.h>
#include <stdint.h>

enum input_outcome {
    INPUT_OK,
    INPUT_FAILED,    /* errno says why */
    INPUT_SHORTENED, /* another program has cut it */
    INPUT_CHANGED,   /* another program has cut or overwritten what an earlier reading read */
    INPUT_REPLACED,  /* it could not be kept open, and another file has its name now */
    INPUT_NO_MEMORY,
    INPUT_REWRITTEN, /* other bytes stand where it was read, of a file that is followed */
    INPUT_DOUBTFUL   /* another program wrote to it, perhaps to what was read */
};

/* Bytes of an open file: INPUT_OK, INPUT_SHORTENED where it has fewer, or INPUT_FAILED. */
enum input_outcome input_read_all(int file, uint64_t position, uint8_t *to, size_t length);

#endif
