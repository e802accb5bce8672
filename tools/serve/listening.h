/* Listening on a controller's ports, with messages for people. */
#ifndef SERVE_LISTENING_H
#define SERVE_LISTENING_H

#include "clients.h"
#include "ports.h"

/* Warns if others than this machine can connect. */
void listening_warn(const struct tcp_address *address);
/* Listens on a port of that address. 0, or -1 after a message. */
int listening_begin(struct clients *clients, const struct served_port *port, const struct tcp_address *address,
                    const struct server_kind *kind, void *server);

/* Prints an event of a client, for struct clients_wish. */
void listening_say(void *user, const char *client, const char *line);

#endif
