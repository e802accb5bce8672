#include "by_connection.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Where the connection is, or where it belongs. */
static size_t place_of(const struct by_connection *map, uint64_t connection)
{
    size_t low = 0, high = map->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->all[middle].connection < connection)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const struct by_connection *map, size_t place, uint64_t connection)
{
    return place < map->count && map->all[place].connection == connection;
}

void *by_connection_find(struct by_connection *map, uint64_t connection)
{
    if (!is_at(map, map->recent, connection))
        map->recent = place_of(map, connection);
    return is_at(map, map->recent, connection) ? map->all[map->recent].thing : NULL;
}

int by_connection_add(struct by_connection *map, uint64_t connection, void *thing)
{
    if (map->count == map->room) {
        size_t room = map->room == 0 ? 16 : 2 * map->room;
        struct by_connection_slot *all = realloc(map->all, room * sizeof *all);
        if (!all)
            return -1;
        map->all = all;
        map->room = room;
    }
    size_t place = place_of(map, connection);
    memmove(map->all + place + 1, map->all + place, (map->count - place) * sizeof *map->all);
    map->all[place] = (struct by_connection_slot){connection, thing};
    map->count++;
    map->recent = place;
    return 0;
}

void *by_connection_remove(struct by_connection *map, uint64_t connection)
{
    void *thing = by_connection_find(map, connection);
    if (!thing)
        return NULL;
    map->count--;
    memmove(map->all + map->recent, map->all + map->recent + 1, (map->count - map->recent) * sizeof *map->all);
    return thing;
}
