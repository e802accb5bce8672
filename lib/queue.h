/* What waits for missing bytes: per direction a queue of chunks in stream order, and one pool that bounds them all.
 *
 * Positions are sequence numbers carried on to 64 bits: their low 32 bits are those of the wire. */
#ifndef ARMTAP_QUEUE_H
#define ARMTAP_QUEUE_H

#include "sent.h"

struct armtap_queue;

struct armtap_pool {
    size_t limit, used;               /* bytes */
    uint64_t packets;                 /* captured so far */
    struct armtap_where now;          /* the packet at hand */
    unsigned histories;               /* how many directions keep one ... */
    unsigned histories_most;          /* ... and may */
    struct armtap_queue *ring;        /* queues that are not empty, the next to be looked at first */
    size_t waiting;                   /* how many they are */
    struct armtap_queue *by_size[48]; /* the same by the power of two of the bytes that they hold */
};

enum armtap_chunk_kind {
    ARMTAP_CHUNK_BYTES,
    ARMTAP_CHUNK_MISSING, /* known not to come: cut off by the snapshot length */
    ARMTAP_CHUNK_END      /* FIN; no length */
};

struct armtap_chunk {
    struct armtap_chunk *before, *after;
    uint64_t start, end;
    struct armtap_where where;
    enum armtap_chunk_kind kind;
    struct armtap_sent sent; /* the segment that brought it */
    bool acked;              /* the peer acknowledged up to its start, at: */
    int64_t acked_time;
    uint64_t acked_packet;
    uint8_t bytes[];
};

struct armtap_queue {
    struct armtap_pool *pool;
    struct armtap_chunk *head, *tail;
    struct armtap_chunk *unacked; /* the first whose start the peer has not acknowledged */
    uint64_t acked;               /* how far the peer has acknowledged */
    size_t chunks, held;          /* held: bytes taken from the pool */
    struct armtap_chunk **index;  /* all chunks, in order, from `first` on: a place among them is found by halving */
    size_t first, room;
    void *owner; /* whose queue it is, for those who find it through the pool */
    enum armtap_direction direction;
    unsigned size_class;
    struct armtap_queue *ring_before, *ring_after, *class_before, *class_after;
};

void armtap_pool_init(struct armtap_pool *pool, size_t limit);
bool armtap_pool_has_room(const struct armtap_pool *pool, size_t length);
/* The queue that holds most (where very many wait: one of those that do); NULL where none waits. */
struct armtap_queue *armtap_pool_largest(const struct armtap_pool *pool);
/* The next waiting queue in turn; NULL where none waits. */
struct armtap_queue *armtap_pool_next(struct armtap_pool *pool);

/* What a new range met. */
struct armtap_overlap {
    uint64_t bytes; /* that were there already */
    bool differs;   /* some of them with other content */
};

void armtap_queue_init(struct armtap_queue *queue, struct armtap_pool *pool, void *owner,
                       enum armtap_direction direction);
/* Keeps the bytes of a range, brought by `sent`, that are not there yet; `bytes` NULL: they are missing for good. Adds
 * to `overlap`. */
int armtap_queue_insert(struct armtap_queue *queue, uint64_t start, const uint8_t *bytes, size_t length,
                        const struct armtap_sent *sent, struct armtap_overlap *overlap);
/* The end of the stream; `position` is at or behind the end of the last chunk. */
int armtap_queue_insert_end(struct armtap_queue *queue, uint64_t position, const struct armtap_sent *sent);
/* The last chunk that begins at or before a position; NULL where none does. */
struct armtap_chunk *armtap_queue_find(const struct armtap_queue *queue, uint64_t position);
/* Takes the first chunk out, charged to the pool no more; the caller frees it with free(). */
struct armtap_chunk *armtap_queue_take(struct armtap_queue *queue);
void armtap_queue_clear(struct armtap_queue *queue);
/* The peer has acknowledged up to `position`. */
void armtap_queue_acknowledge(struct armtap_queue *queue, uint64_t position);

#endif
