/* How the fuzzer changes rows of operations. An amplifier is an ordinary operation that is repeated very often or has
 * very many names, or comes in an unexpected order: each of these takes one change. */
#include <string.h>

#include "scene.h"

#define BLOCK_MAX 4 /* operations that are repeated, moved or looped over at once */

struct row {
    uint8_t *at;
    size_t count, room; /* in operations */
    uint32_t state;     /* of the random numbers */
};

static uint32_t next(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static size_t below(struct row *row, size_t end)
{
    return end > 0 ? next(&row->state) % end : 0;
}

static uint8_t *place_of(const struct row *row, size_t n)
{
    return row->at + n * SCENE_OPERATION;
}

/* Makes room for `count` operations before the n-th; NULL if there is none. */
static uint8_t *open_up(struct row *row, size_t n, size_t count)
{
    uint8_t *place = place_of(row, n);
    if (row->count + count > row->room)
        return NULL;
    memmove(place + count * SCENE_OPERATION, place, (row->count - n) * SCENE_OPERATION);
    row->count += count;
    return place;
}

static void make_any(struct row *row, uint8_t *at)
{
    memset(at, 0, SCENE_OPERATION);
    at[0] = (uint8_t)below(row, SCENE_KINDS);
    at[1] = below(row, 4) == 0 ? (uint8_t)below(row, 256) : 0; /* most use the first connection */
    at[2] = (uint8_t)below(row, 100);
    for (unsigned i = 3; i < SCENE_OPERATION; i++)
        at[i] = below(row, 3) == 0 ? (uint8_t)below(row, 256) : 0;
}

static void insert_any(struct row *row)
{
    uint8_t *place = open_up(row, below(row, row->count + 1), 1);
    if (place)
        make_any(row, place);
}

static void replace(struct row *row)
{
    if (row->count > 0)
        make_any(row, place_of(row, below(row, row->count)));
}

static void drop(struct row *row)
{
    if (row->count < 2)
        return;
    size_t n = below(row, row->count--);
    memmove(place_of(row, n), place_of(row, n + 1), (row->count - n) * SCENE_OPERATION);
}

/* Repeats a few operations somewhere. */
static void repeat_block(struct row *row)
{
    uint8_t block[BLOCK_MAX * SCENE_OPERATION];
    if (row->count == 0)
        return;
    size_t from = below(row, row->count), most = row->count - from < BLOCK_MAX ? row->count - from : BLOCK_MAX;
    size_t count = 1 + below(row, most);
    memcpy(block, place_of(row, from), count * SCENE_OPERATION);
    uint8_t *place = open_up(row, below(row, 2) ? from + count : below(row, row->count + 1), count);
    if (place)
        memcpy(place, block, count * SCENE_OPERATION);
}

static void swap(struct row *row)
{
    uint8_t kept[SCENE_OPERATION];
    if (row->count < 2)
        return;
    uint8_t *one = place_of(row, below(row, row->count)), *other = place_of(row, below(row, row->count));
    memcpy(kept, one, sizeof kept);
    memmove(one, other, sizeof kept);
    memcpy(other, kept, sizeof kept);
}

/* Repeats the last few operations nearly to the end of the capture. */
static void insert_loop(struct row *row)
{
    size_t n = below(row, 2) ? row->count : below(row, row->count + 1);
    uint8_t *place = open_up(row, n, 1);
    if (!place)
        return;
    memset(place, 0, SCENE_OPERATION);
    place[0] = SCENE_LOOP;
    place[2] = (uint8_t)below(row, 128);
    place[5] = (uint8_t)below(row, BLOCK_MAX);
}

/* Multiplies `many` or `size` by 2 to 16, or sets it to any value or a small one. */
static void widen(struct row *row)
{
    if (row->count == 0)
        return;
    uint8_t *octet = place_of(row, below(row, row->count)) + 2 + (below(row, 3) == 0);
    if (below(row, 3) == 0)
        *octet = (uint8_t)below(row, below(row, 3) == 0 ? 4 : 128);
    else if (*octet < 128)
        *octet = (uint8_t)((*octet < 8 ? 8 : *octet) + 8 * (1 + below(row, 4)));
}

static void alter(struct row *row)
{
    if (row->count == 0)
        return;
    uint8_t *octet = place_of(row, below(row, row->count)) + below(row, SCENE_OPERATION);
    if (below(row, 3) == 0)
        *octet = (uint8_t)below(row, 256);
    else if (below(row, 2) == 0)
        *octet ^= (uint8_t)(1u << below(row, 8));
    else
        *octet = (uint8_t)(*octet + below(row, 17) - 8);
}

/* Changes what an operation does, or to what. */
static void flip(struct row *row)
{
    if (row->count > 0)
        place_of(row, below(row, row->count))[4 + below(row, 2)] ^= (uint8_t)(1u << below(row, 8));
}

size_t scene_mutate(uint8_t *operations, size_t length, size_t room, unsigned seed)
{
    static void (*const ways[])(struct row *) = {insert_any,  insert_any, replace, drop,  drop, repeat_block, swap,
                                                 insert_loop, widen,      widen,   alter, flip, flip,         flip};
    struct row row = {operations, length / SCENE_OPERATION, room / SCENE_OPERATION, (seed * 2654435761u) | 1};
    for (int i = 0; i < 4; i++)
        next(&row.state);
    for (size_t changes = 1 + below(&row, 2) * (1 + below(&row, 2)); changes > 0; changes--)
        ways[below(&row, sizeof ways / sizeof *ways)](&row);
    if (row.count == 0)
        insert_any(&row);
    return row.count * SCENE_OPERATION;
}

size_t scene_cross(const struct input *one, const struct input *other, uint8_t *to, size_t room, unsigned seed)
{
    struct row row = {to, 0, room / SCENE_OPERATION, (seed * 2654435761u) | 1};
    size_t front = below(&row, input_left(one) / SCENE_OPERATION + 1);
    size_t count = input_left(other) / SCENE_OPERATION, back = count - below(&row, count + 1);
    front = front < row.room ? front : row.room;
    back = back < row.room - front ? back : row.room - front;
    memcpy(to, one->at, front * SCENE_OPERATION);
    memcpy(to + front * SCENE_OPERATION, other->at + (count - back) * SCENE_OPERATION, back * SCENE_OPERATION);
    return (front + back) * SCENE_OPERATION;
}
