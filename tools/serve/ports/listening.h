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

/* "; 3 clients; 12 packages dropped, because clients read too slowly", for last words. */
#define LISTENING_TOTALS_MAX 240
void listening_totals(char to[LISTENING_TOTALS_MAX], const struct clients *clients);

/* For event_loop_on_still(): says so. */
void listening_still(void *user, int64_t time);

/* Prints an event of a client, for struct clients_wish. */
void listening_say(void *user, const char *client, const char *line);

#endif
