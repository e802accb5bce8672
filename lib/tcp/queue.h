/* Data that waits for missing bytes: a queue of chunks in stream order per direction, and one pool that limits them
 * all.
 *
 * Positions are sequence numbers extended to 64 bits; the low 32 bits are those on the wire. */
#ifndef ARMTAP_QUEUE_H
#define ARMTAP_QUEUE_H

#include "history.h"

struct armtap_queue;
struct armtap_tcp;

struct armtap_pool {
    size_t limit, used;                             /* bytes */
    uint64_t packets;                               /* packets captured so far */
    struct armtap_where now;                        /* the current packet */
    unsigned histories;                             /* how many directions keep a history ... */
    unsigned histories_most;                        /* ... and how many may */
    struct armtap_queue *ring;                      /* non-empty queues, starting with the next to check */
    size_t waiting;                                 /* how many there are */
    struct armtap_tcp *oldest_reset, *newest_reset; /* connections that a RST may have ended, by what came last */
    struct armtap_queue *by_size[48];               /* the same, by the power of two of their bytes */
};

enum armtap_chunk_kind {
    ARMTAP_CHUNK_BYTES,
    ARMTAP_CHUNK_MISSING, /* will never arrive: cut off by the snapshot length */
    ARMTAP_CHUNK_END      /* FIN; no length */
};

struct armtap_chunk {
    struct armtap_chunk *before, *after;
    uint64_t start, end;
    struct armtap_where where;
    enum armtap_chunk_kind kind;
    struct armtap_sent sent; /* the segment that brought it */
    bool acked;              /* the peer acknowledged everything before it, at: */
    int64_t acked_time;
    uint64_t acked_packet;
    uint8_t bytes[];
};

/* What each packet needs comes last. */
struct armtap_queue {
    struct armtap_pool *pool;
    size_t chunks, held;         /* held: its bytes in the pool */
    struct armtap_chunk **index; /* all chunks in order, from `first` on, for binary search */
    size_t first, room;
    void *owner; /* the owner of the queue, when it is found through the pool */
    enum armtap_direction direction;
    unsigned size_class;
    struct armtap_queue *ring_before, *ring_after, *class_before, *class_after;
    struct armtap_chunk *tail, *head;
    struct armtap_chunk *unacked; /* the first whose start the peer has not acknowledged */
    uint64_t acked;               /* how far the peer has acknowledged */
};

void armtap_pool_init(struct armtap_pool *pool, size_t limit);
bool armtap_pool_has_room(const struct armtap_pool *pool, size_t length);
/* The queue that holds most (if very many wait, one of the largest); NULL if none waits. */
struct armtap_queue *armtap_pool_largest(const struct armtap_pool *pool);
/* The next waiting queue in turn; NULL if none waits. */
struct armtap_queue *armtap_pool_next(struct armtap_pool *pool);

/* The overlap of a new range with what is queued. */
struct armtap_overlap {
    uint64_t bytes; /* bytes already queued */
    bool differs;   /* some have other content */
};

void armtap_queue_init(struct armtap_queue *queue, struct armtap_pool *pool, void *owner,
                       enum armtap_direction direction);
/* Queues the new bytes of a range that `sent` carried; if `bytes` is NULL, they are missing for good. Adds to
 * `overlap`. */
int armtap_queue_insert(struct armtap_queue *queue, uint64_t start, const uint8_t *bytes, size_t length,
                        const struct armtap_sent *sent, struct armtap_overlap *overlap);
/* Queues the end of the stream; `position` is at or after the end of the last chunk. */
int armtap_queue_insert_end(struct armtap_queue *queue, uint64_t position, const struct armtap_sent *sent);
/* The last chunk that begins at or before a position, or NULL. */
struct armtap_chunk *armtap_queue_find(const struct armtap_queue *queue, uint64_t position);
/* Removes the first chunk from queue and pool; the caller frees it with free(). */
struct armtap_chunk *armtap_queue_take(struct armtap_queue *queue);
void armtap_queue_clear(struct armtap_queue *queue);
/* Call when the peer has acknowledged up to `position`. */
void armtap_queue_acknowledge(struct armtap_queue *queue, uint64_t position);

#endif
