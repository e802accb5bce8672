#include "queue.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What malloc and a place in the index add, roughly: very many tiny chunks must not escape the bound. */
enum { ALLOCATION_OVERHEAD = 16 + 2 * sizeof(void *), PLACES = 16 /* at first */ };

static size_t cost(size_t length)
{
    return sizeof(struct armtap_chunk) + ALLOCATION_OVERHEAD + length;
}

static unsigned class_of(size_t held)
{
    unsigned power = 0;
    while (held >>= 1)
        power++;
    return power < 48 ? power : 47;
}

/* ---- the pool -------------------------------------------------------------------------------------------------- */

void armtap_pool_init(struct armtap_pool *pool, size_t limit)
{
    memset(pool, 0, sizeof *pool);
    pool->limit = limit;
    pool->now.time = ARMTAP_NO_TIME;
    pool->histories_most = UINT_MAX;
}

bool armtap_pool_has_room(const struct armtap_pool *pool, size_t length)
{
    return cost(length) <= pool->limit && pool->used <= pool->limit - cost(length);
}

struct armtap_queue *armtap_pool_largest(const struct armtap_pool *pool)
{
    enum { LOOK_AT = 64 };

    for (unsigned i = 48; i-- > 0;) {
        struct armtap_queue *largest = pool->by_size[i];
        struct armtap_queue *queue = largest;
        for (int seen = 0; queue && seen < LOOK_AT; seen++, queue = queue->class_after)
            if (queue->held > largest->held)
                largest = queue;
        if (largest)
            return largest;
    }
    return NULL;
}

struct armtap_queue *armtap_pool_next(struct armtap_pool *pool)
{
    struct armtap_queue *queue = pool->ring;
    if (queue)
        pool->ring = queue->ring_after;
    return queue;
}

static void enter_class(struct armtap_queue *queue)
{
    struct armtap_pool *pool = queue->pool;
    queue->size_class = class_of(queue->held);
    queue->class_before = NULL;
    queue->class_after = pool->by_size[queue->size_class];
    if (queue->class_after)
        queue->class_after->class_before = queue;
    pool->by_size[queue->size_class] = queue;
}

static void leave_class(struct armtap_queue *queue)
{
    if (queue->class_before)
        queue->class_before->class_after = queue->class_after;
    else
        queue->pool->by_size[queue->size_class] = queue->class_after;
    if (queue->class_after)
        queue->class_after->class_before = queue->class_before;
}

static void enter_ring(struct armtap_queue *queue)
{
    struct armtap_pool *pool = queue->pool;
    struct armtap_queue *first = pool->ring ? pool->ring : queue;
    struct armtap_queue *last = pool->ring ? first->ring_before : queue;
    queue->ring_before = last;
    queue->ring_after = first;
    last->ring_after = queue;
    first->ring_before = queue;
    pool->ring = first;
    pool->waiting++;
}

static void leave_ring(struct armtap_queue *queue)
{
    struct armtap_pool *pool = queue->pool;
    queue->ring_before->ring_after = queue->ring_after;
    queue->ring_after->ring_before = queue->ring_before;
    if (pool->ring == queue)
        pool->ring = queue->ring_after == queue ? NULL : queue->ring_after;
    pool->waiting--;
}

/* Updates the pool's count: the queue now holds `held` bytes. */
static void set_held(struct armtap_queue *queue, size_t held)
{
    bool was = queue->held > 0;
    queue->pool->used += held - queue->held;
    queue->held = held;
    if (was && (!held || class_of(held) != queue->size_class))
        leave_class(queue);
    if (held && (!was || class_of(held) != queue->size_class))
        enter_class(queue);
    if (!was && held)
        enter_ring(queue);
    if (was && !held)
        leave_ring(queue);
}

/* ---- a queue --------------------------------------------------------------------------------------------------- */

void armtap_queue_init(struct armtap_queue *queue, struct armtap_pool *pool, void *owner,
                       enum armtap_direction direction)
{
    memset(queue, 0, sizeof *queue);
    queue->pool = pool;
    queue->owner = owner;
    queue->direction = direction;
}

static void acknowledge_chunk(const struct armtap_queue *queue, struct armtap_chunk *chunk)
{
    chunk->acked = true;
    chunk->acked_time = queue->pool->now.time;
    chunk->acked_packet = queue->pool->packets;
}

/* ---- places ---------------------------------------------------------------------------------------------------- */

/* How many chunks begin at or before a position. */
static size_t count_up_to(const struct armtap_queue *queue, uint64_t position)
{
    size_t from = 0, to = queue->chunks;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (queue->index[queue->first + middle]->start <= position)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

struct armtap_chunk *armtap_queue_find(const struct armtap_queue *queue, uint64_t position)
{
    size_t count = count_up_to(queue, position);
    return count > 0 ? queue->index[queue->first + count - 1] : NULL;
}

/* Makes room for one more at the end; false if out of memory. */
static bool make_place(struct armtap_queue *queue)
{
    if (queue->first + queue->chunks < queue->room)
        return true;
    if (queue->first > queue->chunks) {
        memmove(queue->index, queue->index + queue->first, queue->chunks * sizeof queue->index[0]);
        queue->first = 0;
        return true;
    }
    size_t room = queue->room > 0 ? 2 * queue->room : PLACES;
    struct armtap_chunk **index = realloc(queue->index, room * sizeof *index);
    if (!index)
        return false;
    queue->index = index;
    queue->room = room;
    return true;
}

static void enter_place(struct armtap_queue *queue, struct armtap_chunk *chunk)
{
    size_t count = count_up_to(queue, chunk->start);
    struct armtap_chunk **place = queue->index + queue->first + count;
    memmove(place + 1, place, (queue->chunks - count) * sizeof *place);
    *place = chunk;
}

static void link_chunk(struct armtap_queue *queue, struct armtap_chunk *before, struct armtap_chunk *chunk)
{
    chunk->before = before;
    chunk->after = before ? before->after : queue->head;
    *(before ? &before->after : &queue->head) = chunk;
    *(chunk->after ? &chunk->after->before : &queue->tail) = chunk;
    enter_place(queue, chunk);
    queue->chunks++;
    if (chunk->start <= queue->acked)
        acknowledge_chunk(queue, chunk);
    else if (!queue->unacked || chunk->start < queue->unacked->start)
        queue->unacked = chunk;
}

/* Adds a chunk of [start, end) after `before`; NULL if out of memory. */
static struct armtap_chunk *add_chunk(struct armtap_queue *queue, struct armtap_chunk *before, uint64_t start,
                                      uint64_t end, const uint8_t *bytes)
{
    size_t length = bytes ? (size_t)(end - start) : 0;
    struct armtap_chunk *chunk = make_place(queue) ? malloc(sizeof *chunk + length) : NULL;
    if (!chunk)
        return NULL;
    memset(chunk, 0, sizeof *chunk);
    chunk->start = start;
    chunk->end = end;
    chunk->where = queue->pool->now;
    chunk->kind = bytes ? ARMTAP_CHUNK_BYTES : ARMTAP_CHUNK_MISSING;
    if (length)
        memcpy(chunk->bytes, bytes, length);
    link_chunk(queue, before, chunk);
    set_held(queue, queue->held + cost(length));
    return chunk;
}

/* What [start, end), with its content at `bytes`, shares with a chunk that was there before. */
static void compare(const struct armtap_chunk *chunk, uint64_t start, uint64_t end, const uint8_t *bytes,
                    struct armtap_overlap *overlap)
{
    uint64_t from = start > chunk->start ? start : chunk->start;
    uint64_t to = end < chunk->end ? end : chunk->end;
    if (from >= to)
        return;
    overlap->bytes += to - from;
    if (bytes && chunk->kind == ARMTAP_CHUNK_BYTES &&
        memcmp(bytes + (from - start), chunk->bytes + (from - chunk->start), (size_t)(to - from)) != 0)
        overlap->differs = true;
}

int armtap_queue_insert(struct armtap_queue *queue, uint64_t start, const uint8_t *bytes, size_t length,
                        const struct armtap_sent *sent, struct armtap_overlap *overlap)
{
    uint64_t end = start + length;
    struct armtap_chunk *before = armtap_queue_find(queue, start);
    uint64_t at = start;
    if (before) {
        compare(before, start, end, bytes, overlap);
        if (before->end > at)
            at = before->end;
    }
    while (at < end) {
        struct armtap_chunk *after = before ? before->after : queue->head;
        uint64_t stop = after && after->start < end ? after->start : end;
        if (stop > at) {
            before = add_chunk(queue, before, at, stop, bytes ? bytes + (at - start) : NULL);
            if (!before)
                return ARMTAP_ERR_MEMORY;
            before->sent = *sent;
        }
        if (stop == end)
            break;
        compare(after, start, end, bytes, overlap);
        at = after->end;
        before = after;
    }
    return 0;
}

int armtap_queue_insert_end(struct armtap_queue *queue, uint64_t position, const struct armtap_sent *sent)
{
    struct armtap_chunk *chunk = add_chunk(queue, queue->tail, position, position, NULL);
    if (!chunk)
        return ARMTAP_ERR_MEMORY;
    chunk->kind = ARMTAP_CHUNK_END;
    chunk->sent = *sent;
    return 0;
}

struct armtap_chunk *armtap_queue_take(struct armtap_queue *queue)
{
    struct armtap_chunk *chunk = queue->head;
    size_t length = chunk->kind == ARMTAP_CHUNK_BYTES ? (size_t)(chunk->end - chunk->start) : 0;
    queue->head = chunk->after;
    *(chunk->after ? &chunk->after->before : &queue->tail) = NULL;
    queue->chunks--;
    queue->first = queue->chunks > 0 ? queue->first + 1 : 0;
    if (queue->unacked == chunk)
        queue->unacked = chunk->after;
    set_held(queue, queue->held - cost(length));
    return chunk;
}

void armtap_queue_clear(struct armtap_queue *queue)
{
    while (queue->head)
        free(armtap_queue_take(queue));
    free(queue->index);
    queue->index = NULL;
    queue->room = 0;
}

void armtap_queue_acknowledge(struct armtap_queue *queue, uint64_t position)
{
    if (position <= queue->acked)
        return;
    queue->acked = position;
    while (queue->unacked && queue->unacked->start <= position) {
        acknowledge_chunk(queue, queue->unacked);
        queue->unacked = queue->unacked->after;
    }
}
