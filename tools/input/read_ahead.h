/* Bytes that a thread of its own gets ready while those before them are used: a ring of a few blocks, in order. */
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
    uint64_t position; /* where the filling was in its source, behind these bytes */
    bool is_last;
};

/* Fills a block, in the thread. Blocks are passed on as they are, so one that would have to wait for more is better
 * left short. After the last one it is not called again. */
typedef void read_ahead_fill(void *user, struct read_ahead_block *block);

/* `*ahead` is set before anything is filled; signals are blocked in the thread. `user` belongs to it until the last
 * block was taken, or until read_ahead_free. 0, or -1 without memory or where the system allows no more threads. */
int read_ahead_start(struct read_ahead **ahead, read_ahead_fill *fill, void *user);
/* Ends the thread, whatever it still had to do. NULL is fine. */
void read_ahead_free(struct read_ahead *ahead);
/* The next block, which stays until the next call; waits for it. Not to be called after the last one. */
const struct read_ahead_block *read_ahead_take(struct read_ahead *ahead);
/* For the thread, where it waits for long: whether nobody wants more. */
bool read_ahead_is_over(struct read_ahead *ahead);

#endif
