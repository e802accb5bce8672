/* The controller's side of the legacy ports: data for whoever connects; what the client sends is passed over. */
#ifndef SERVE_REALTIME_SERVER_H
#define SERVE_REALTIME_SERVER_H

#include "server.h"

/* The server that `open` is given; may be shared by both ports. */
struct realtime_server {
    bool read_only; /* 30013: the controller ignores text there, too */
};
extern const struct server_kind realtime_server_kind;

#endif
