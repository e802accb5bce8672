/* The ports of a controller, and where they are served. */
#ifndef SERVE_PORTS_H
#define SERVE_PORTS_H

#include <stdbool.h>
#include <stdint.h>

#include "clients.h"

/* What listens on a port. */
enum port_server { PORT_RTDE, PORT_REALTIME, PORT_PRIMARY, PORT_DASHBOARD, PORT_SERVERS };

struct served_port {
    uint16_t controllers; /* 30004 */
    uint16_t here;        /* the port to listen on; 0: any that is free */
    enum port_server server;
    bool read_only;
    bool is_served;
};
#define SERVED_PORTS 8u
void ports_default(struct served_port ports[SERVED_PORTS]);
/* Reads "30004=0,30003": only these are served then. 0, or -1 after a message. */
int ports_parse(struct served_port ports[SERVED_PORTS], const char *list);

/* Listening on a controller's ports, with messages for people. */

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
