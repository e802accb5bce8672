/* A bounded queue of byte strings from one thread to another. Neither side ever waits: where the reader is slow, the
 * writer finds no room. */
#ifndef INPUT_RING_H
#define INPUT_RING_H

#include <stddef.h>

struct ring;

/* For that many bytes, rounded up to a power of two; each string takes up to 31 more than its length. NULL if memory
 * runs out. */
struct ring *ring_new(size_t size);
/* Accepts NULL. */
void ring_free(struct ring *ring);

/* The writer: room for `length` bytes, aligned for any type, if at least `spare` bytes stay free besides; else NULL. */
void *ring_reserve(struct ring *ring, size_t length, size_t spare);
/* The reader may now have what was written there. */
void ring_commit(struct ring *ring);

/* The reader: the oldest string; NULL if there is none. */
const void *ring_peek(struct ring *ring, size_t *length);
/* Done with what ring_peek() returned. */
void ring_release(struct ring *ring);

#endif
