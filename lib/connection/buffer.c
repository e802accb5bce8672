/* What waits of a direction: the bytes of a message that is not whole yet, and where each of them arrived. */
#include "connection.h"

#include <stdlib.h>
#include <string.h>

#define MARKS_MAX 4096
#define BUFFER_LEAST 256        /* of a connection with a few waiting bytes; many connections have some at a time */
#define BUFFER_BYTES 1536       /* of one whose records arrive whole */
#define BUFFER_KEPT (16 * 1024) /* an empty buffer is not kept larger */
#define BUFFER_MARKS 8
#define MARKS_KEPT 64                                                         /* nor more marks */
#define BUFFER_OWN (BUFFER_BYTES + BUFFER_MARKS * sizeof(struct armtap_mark)) /* larger ones count for the pool */

static size_t buffer_room(size_t capacity, size_t marks)
{
    return capacity + marks * sizeof(struct armtap_mark);
}

/* What buffer and marks of a direction take: while that is little it is the connection's own, else the pool's. */
static void buffer_charge(struct armtap_conn *conn, struct armtap_half *half, size_t capacity, size_t marks)
{
    size_t before = buffer_room(half->capacity, half->mark_capacity), after = buffer_room(capacity, marks);
    size_t own_before = before <= BUFFER_OWN ? before : 0, own_after = after <= BUFFER_OWN ? after : 0;
    conn->taken = conn->taken - own_before + own_after;
    conn->reserve->taken = conn->reserve->taken - own_before + own_after;
    if (conn->pool_used)
        *conn->pool_used = *conn->pool_used - (before - own_before) + (after - own_after);
    half->capacity = capacity;
    half->mark_capacity = marks;
}

/* Gives a buffer that capacity. False if out of memory. */
static bool buffer_resize(struct armtap_conn *conn, struct armtap_half *half, size_t capacity)
{
    uint8_t *buffer = realloc(half->buffer, capacity);
    if (!buffer)
        return false;
    half->buffer = buffer;
    buffer_charge(conn, half, capacity, half->mark_capacity);
    return true;
}

static bool marks_resize(struct armtap_conn *conn, struct armtap_half *half, size_t capacity)
{
    struct armtap_mark *marks = realloc(half->marks, capacity * sizeof *marks);
    if (!marks)
        return false;
    half->marks = marks;
    buffer_charge(conn, half, half->capacity, capacity);
    return true;
}

/* Bytes up to `end` of the buffer arrived with `where`. */
static int mark_add(struct armtap_conn *conn, struct armtap_half *half, size_t end, const struct armtap_where *where)
{
    struct armtap_mark *last = half->mark_count ? &half->marks[half->mark_count - 1] : NULL;
    if (last && last->where.packet == where->packet && last->where.file == where->file) {
        last->end = end;
        return ARMTAP_OK;
    }
    if (last && half->mark_count == MARKS_MAX) {
        last->end = end;
        if (armtap_where_is_later(where, &last->where))
            last->where = *where;
        return ARMTAP_OK;
    }
    if (half->mark_count == half->mark_capacity) {
        size_t capacity = half->mark_capacity ? 2 * half->mark_capacity : BUFFER_MARKS;
        if (!marks_resize(conn, half, capacity))
            return ARMTAP_ERR_MEMORY;
    }
    half->marks[half->mark_count++] = (struct armtap_mark){end, *where};
    return ARMTAP_OK;
}

/* A direction with records gets room that most never outgrow, once some of its bytes have to wait. */
static size_t first_capacity(const struct armtap_conn *conn, const struct armtap_half *half)
{
    return conn->stream.records[half - conn->half] > 0 ? BUFFER_BYTES : BUFFER_LEAST;
}

bool armtap_buffer_has_room(const struct armtap_conn *conn, const struct armtap_half *half, size_t length)
{
    size_t used = half->used + length, marks = half->mark_count + 1;
    bool grows = used > half->capacity || (marks > half->mark_capacity && marks < MARKS_MAX);
    size_t room = buffer_room(2 * used, 2 * marks);
    return !grows || room <= BUFFER_OWN || !conn->pool_used || *conn->pool_used + room <= conn->pool_limit;
}

int armtap_buffer_append(struct armtap_conn *conn, struct armtap_half *half, const uint8_t *bytes, size_t length,
                         const struct armtap_where *where)
{
    if (half->used + length > half->capacity) {
        size_t capacity = half->capacity ? half->capacity : first_capacity(conn, half);
        while (capacity < half->used + length)
            capacity *= 2;
        if (!buffer_resize(conn, half, capacity))
            return ARMTAP_ERR_MEMORY;
    }
    memcpy(half->buffer + half->used, bytes, length);
    half->used += length;
    return mark_add(conn, half, half->used, where);
}

/* A steady stream allocates nothing after its first record. But of the thousands of connections that a capture may hold
 * at once few ever split one. */
int armtap_buffer_reserve(struct armtap_conn *conn, enum armtap_direction direction)
{
    struct armtap_half *half = &conn->half[direction];
    bool sends_none = direction == ARMTAP_TO_ROBOT && conn->stream.records[direction] == 0;
    if (half->buffer || sends_none || conn->reserve->is_brief)
        return ARMTAP_OK;
    bool has_room = buffer_resize(conn, half, BUFFER_BYTES) && marks_resize(conn, half, BUFFER_MARKS);
    return has_room ? ARMTAP_OK : ARMTAP_ERR_MEMORY;
}

int armtap_conn_replace(struct armtap_conn *conn, enum armtap_direction direction,
                        const struct armtap_unfinished *unfinished)
{
    struct armtap_half *half = &conn->half[armtap_conn_real(conn, direction)];
    size_t from = 0;
    int error = ARMTAP_OK;
    half->used = half->looked = half->mark_count = 0;
    half->want = 1;
    for (size_t i = 0; i < unfinished->mark_count && error == ARMTAP_OK; i++) {
        size_t end = unfinished->marks[i].end;
        error = armtap_buffer_append(conn, half, unfinished->bytes + from, end - from, &unfinished->marks[i].where);
        from = end;
    }
    half->looked = half->used;
    return error;
}

void armtap_buffer_consume(struct armtap_half *half, size_t length)
{
    size_t gone = 0;
    if (length == 0)
        return;
    memmove(half->buffer, half->buffer + length, half->used - length);
    half->used -= length;
    while (gone < half->mark_count && half->marks[gone].end <= length)
        gone++;
    half->mark_count -= gone;
    memmove(half->marks, half->marks + gone, half->mark_count * sizeof *half->marks);
    for (size_t i = 0; i < half->mark_count; i++)
        half->marks[i].end -= length;
}

void armtap_buffer_shrink(struct armtap_conn *conn, struct armtap_half *half)
{
    if (half->used == 0 && half->capacity > BUFFER_KEPT)
        buffer_resize(conn, half, BUFFER_BYTES);
    if (half->used == 0 && half->mark_capacity > MARKS_KEPT)
        marks_resize(conn, half, BUFFER_MARKS);
}

void armtap_buffer_free(struct armtap_conn *conn, struct armtap_half *half)
{
    buffer_charge(conn, half, 0, 0);
    free(half->buffer);
    free(half->marks);
}
