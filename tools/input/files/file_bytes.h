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

/* A sum by which a second reading of a block knows that its bytes are the same. One changed byte, or bytes in another
 * place, always give another sum; other changes nearly always, unless they were made not to. */
uint32_t block_sum(const uint8_t *bytes, size_t length);

/* Keeps the first and last bytes read from a file: if the file still has them, it is still the file that was read. */

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

/* Waits for a file to grow, and checks that it is still the file that was read. */

struct growth;

/* For the open file of that name; both must outlive the result. NULL if memory runs out. */
struct growth *growth_new(const char *name, int file);
/* Accepts NULL. */
void growth_free(struct growth *growth);
/* Returns when the file may have grown, on a signal, or else soon. */
void growth_wait(struct growth *growth);
/* Call with all bytes read from the file, in order, from its beginning. */
void growth_keep(struct growth *growth, const uint8_t *bytes, size_t length);
/* As ends_check() for this file. Bytes read before a call that returns INPUT_OK belong to the file as read so far. */
enum input_outcome growth_check(const struct growth *growth);
/* Warns once if the name now belongs to another file, or to none: what is written there is not seen. */
void growth_watch_name(struct growth *growth);

#endif
