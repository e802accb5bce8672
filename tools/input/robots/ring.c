#include "ring.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/names.h"

/* Each string lies in one piece behind its length. What is left at the end of the memory is passed over. */
struct head {
    alignas(max_align_t) size_t length;
};
#define PASSED_OVER SIZE_MAX

/* Positions only grow, around the end of their type too: a position's place is its remainder by the size. */
struct ring {
    uint8_t *bytes;
    size_t size;                     /* a power of two, not less than a head's */
    alignas(64) atomic_size_t end;   /* written by the writer, as is the next */
    size_t reserved;                 /* where `end` will be */
    alignas(64) atomic_size_t begin; /* written by the reader, as is the next */
    size_t peeked;                   /* where `begin` will be */
};

/* Bytes that a string takes. */
static size_t cost_of(size_t length)
{
    return sizeof(struct head) + (length + sizeof(struct head) - 1) / sizeof(struct head) * sizeof(struct head);
}

static struct head *head_at(const struct ring *ring, size_t position)
{
    return (struct head *)(void *)(ring->bytes + position % ring->size);
}

_Static_assert((sizeof(struct head) & (sizeof(struct head) - 1)) == 0, "a ring holds whole heads");

struct ring *ring_new(size_t size)
{
    size_t whole = sizeof(struct head);
    while (whole < size)
        whole *= 2;
    struct ring *ring = aligned_alloc(alignof(struct ring), sizeof *ring);
    uint8_t *bytes = malloc(whole);
    if (!ring || !bytes) {
        aligned_free(ring);
        free(bytes);
        return NULL;
    }
    memset(bytes, 0, whole); /* takes the memory now: the writer never waits for it */
    ring->bytes = bytes;
    ring->size = whole;
    ring->reserved = ring->peeked = 0;
    atomic_init(&ring->begin, 0);
    atomic_init(&ring->end, 0);
    return ring;
}

void ring_free(struct ring *ring)
{
    if (ring)
        free(ring->bytes);
    aligned_free(ring);
}

void *ring_reserve(struct ring *ring, size_t length, size_t spare)
{
    size_t end = atomic_load_explicit(&ring->end, memory_order_relaxed);
    size_t used = end - atomic_load_explicit(&ring->begin, memory_order_acquire);
    size_t to_edge = ring->size - end % ring->size;
    if (length > ring->size || spare > ring->size)
        return NULL;
    size_t need = cost_of(length), passed = need > to_edge ? to_edge : 0;
    if (passed + need + spare > ring->size - used)
        return NULL;
    if (passed > 0)
        head_at(ring, end)->length = PASSED_OVER;
    struct head *head = head_at(ring, end + passed);
    head->length = length;
    ring->reserved = end + passed + need;
    return head + 1;
}

void ring_commit(struct ring *ring)
{
    atomic_store_explicit(&ring->end, ring->reserved, memory_order_release);
}

const void *ring_peek(struct ring *ring, size_t *length)
{
    size_t begin = atomic_load_explicit(&ring->begin, memory_order_relaxed);
    if (begin == atomic_load_explicit(&ring->end, memory_order_acquire))
        return NULL;
    const struct head *head = head_at(ring, begin);
    if (head->length == PASSED_OVER) {
        begin += ring->size - begin % ring->size;
        head = head_at(ring, begin);
    }
    *length = head->length;
    ring->peeked = begin + cost_of(head->length);
    return head + 1;
}

void ring_release(struct ring *ring)
{
    atomic_store_explicit(&ring->begin, ring->peeked, memory_order_release);
}
