/* Maps connection numbers to things. Entirely in this header, so that the library, its analysis and the program can use
 * it without exporting it. */
#ifndef ARMTAP_BY_CONNECTION_H
#define ARMTAP_BY_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

/* Starts as zeros; the owner frees the things, then `slots`. Sorted by connection. */
struct by_connection {
    struct by_connection_slot {
        uint64_t connection;
        void *thing;
    } * slots;
    size_t count;
    size_t recent; /* the last one found, usually the next one too */
};

/* The place of a connection, or the place to insert it. */
static inline size_t by_connection_place(const struct by_connection *map, uint64_t connection)
{
    size_t low = 0, high = map->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->slots[middle].connection < connection)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static inline bool by_connection_is_at(const struct by_connection *map, size_t place, uint64_t connection)
{
    return place < map->count && map->slots[place].connection == connection;
}

/* NULL if there is none. When many connections take turns, the next one usually lies at the distance of its number from
 * the recent one. */
static inline void *by_connection_find(struct by_connection *map, uint64_t connection)
{
    size_t place = map->recent;
    if (!by_connection_is_at(map, place, connection)) {
        if (place < map->count)
            place += (size_t)(connection - map->slots[place].connection);
        if (!by_connection_is_at(map, place, connection))
            place = by_connection_place(map, connection);
        if (!by_connection_is_at(map, place, connection))
            return NULL;
        map->recent = place;
    }
    return map->slots[place].thing;
}

/* The thing of the connection that comes `ahead` places behind the recent one, from the beginning again after the last:
 * those that take turns come in this order. The map is not empty. */
static inline const void *by_connection_ahead(const struct by_connection *map, size_t ahead)
{
    return map->slots[(map->recent + ahead) % map->count].thing;
}

/* The same without changing the map. */
static inline void *by_connection_look_up(const struct by_connection *map, uint64_t connection)
{
    size_t place =
        by_connection_is_at(map, map->recent, connection) ? map->recent : by_connection_place(map, connection);
    return by_connection_is_at(map, place, connection) ? map->slots[place].thing : NULL;
}

/* Adds the thing of a connection that has none. False if memory runs out. */
static inline bool by_connection_add(struct by_connection *map, uint64_t connection, void *thing)
{
    if (!MAKE_ROOM(map->slots, map->count))
        return false;
    size_t place = by_connection_place(map, connection);
    memmove(map->slots + place + 1, map->slots + place, (map->count - place) * sizeof *map->slots);
    map->slots[place] = (struct by_connection_slot){connection, thing};
    map->count++;
    map->recent = place;
    return true;
}

/* Adds a thing of that size, all zeros, to a connection that has none. NULL if memory runs out. */
static inline void *by_connection_new(struct by_connection *map, uint64_t connection, size_t size)
{
    void *thing = calloc(1, size);
    if (thing && by_connection_add(map, connection, thing))
        return thing;
    free(thing);
    return NULL;
}

/* Removes and returns the thing, which the caller frees. NULL if there is none. */
static inline void *by_connection_remove(struct by_connection *map, uint64_t connection)
{
    size_t place = by_connection_place(map, connection);
    if (!by_connection_is_at(map, place, connection))
        return NULL;
    void *thing = map->slots[place].thing;
    map->count--;
    memmove(map->slots + place, map->slots + place + 1, (map->count - place) * sizeof *map->slots);
    return thing;
}

#endif
