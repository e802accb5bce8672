/* A thread that reads ahead: a ring of a few blocks, in order. */
#ifndef INPUT_READ_AHEAD_H
#define INPUT_READ_AHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AHEAD_BLOCK ((size_t)256 * 1024)

struct read_ahead;

struct read_ahead_block {
    uint8_t bytes[AHEAD_BLOCK];
    size_t length;
    uint64_t position; /* the position in the source after these bytes */
    bool is_last;
};

/* Fills a block; runs in the thread. A short block is fine: return it rather than wait for more. Not called again after
 * the last block. */
typedef void read_ahead_fill(void *user, struct read_ahead_block *block);

/* Sets `*ahead` before the first fill; the thread blocks signals. It owns `user` until the last block was taken, or
 * until read_ahead_free. 0, or -1 if memory runs out or no thread can be started. */
int read_ahead_start(struct read_ahead **ahead, read_ahead_fill *fill, void *user);
/* Ends the thread, even in the middle of its work. Accepts NULL. */
void read_ahead_free(struct read_ahead *ahead);
/* Waits for the next block, valid until the next call. Must not be called after the last one. */
const struct read_ahead_block *read_ahead_take(struct read_ahead *ahead);
/* For the thread, before long waits: whether no more blocks are wanted. */
bool read_ahead_is_over(struct read_ahead *ahead);

#endif
