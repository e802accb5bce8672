/* Things of connections, found by the connection's number. */
#ifndef EXPORT_BY_CONNECTION_H
#define EXPORT_BY_CONNECTION_H

#include <stddef.h>
#include <stdint.h>

/* Begins as zeros; the owner frees the things, then `all`. Sorted by connection. */
struct by_connection {
    struct by_connection_slot {
        uint64_t connection;
        void *thing;
    } * all;
    size_t count, room;
    size_t recent; /* the last one asked for: mostly the next one, too */
};

/* NULL if there is none. */
void *by_connection_find(struct by_connection *map, uint64_t connection);
/* Takes it out; the caller frees what is returned. NULL if there is none. */
void *by_connection_remove(struct by_connection *map, uint64_t connection);
/* Of a connection that has none yet. 0, or -1 without memory. */
int by_connection_add(struct by_connection *map, uint64_t connection, void *thing);

#endif
