/* The controller's side of the legacy ports: data for whoever connects. Script that a client sends is read and dropped,
 * unless a program may be taken. */
#ifndef SERVE_REALTIME_SERVER_H
#define SERVE_REALTIME_SERVER_H

#include "field_watch.h"
#include "server.h"

/* The server that `open` is given; may be shared by several ports. */
struct realtime_server {
    bool read_only; /* 30013: the controller ignores text there, too */
    /* Whether the programs of that client are taken; NULL: of none. */
    bool (*may_send)(void *user, const struct tcp_address *client);
    /* Takes a whole program of a client, and says what becomes of it. */
    void (*on_program)(void *user, const char *client, const char *program, size_t length);
    void *user;
    struct field_watch cells; /* for each client: what packets are made from; without `told` */
};
extern const struct server_kind realtime_server_kind;

#endif
