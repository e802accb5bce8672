/* The ports of a controller, and the clients on them. */
#ifndef SERVE_CLIENTS_H
#define SERVE_CLIENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "input/robots/event_loop.h"
#include "base/os/tcp_socket.h"
#include "nanoseconds.h"
#include "serve/robot/server.h"

/* The clients of the servers: accepts them, moves their bytes, and keeps a bounded queue for each. */

/* Connections at a time. For the next one, one makes room that takes no part: that was given no data it took, and has
 * not asked for any, or reads nothing; of these one from the address that has most, the one that has been idle longest.
 * If all take part the next one is closed at once. */
#define CLIENTS_MAX 128u
/* Bytes that wait for a client, before data is dropped: whole packages. */
#define CLIENTS_QUEUE ((size_t)64 * 1024)
/* ns: a client that reads nothing for so long is disconnected, as controllers do. */
#define CLIENTS_PATIENCE (10 * SECOND)

/* Lines a second about all clients together; how many more there were is said. */
#define CLIENTS_LINES 200u

struct clients_wish {
    struct event_loop *loop;
    void (*say)(void *user, const char *client, const char *line); /* an event, for people */
    /* A client came, went, wants data, or no more, or has room again; called in the loop's next turn. May be NULL. */
    void (*on_change)(void *user);
    void *user;
};

struct clients;
/* NULL if memory runs out. */
struct clients *clients_new(const struct clients_wish *wish);
/* Closes all connections and sockets. Accepts NULL. */
void clients_free(struct clients *clients);
/* `label` names the port in events: "30004". The address gets the port if it had none. 0, or -1 with errno. */
int clients_listen(struct clients *clients, const struct server_kind *kind, void *server, const char *label,
                   struct tcp_address *address);

/* Gives the tick to every client. */
void clients_tick(struct clients *clients, const struct tick *tick);
size_t clients_count(const struct clients *clients);

struct clients_totals {
    uint64_t served, turned_away;
    uint64_t made_room; /* closed for another */
    uint64_t dropped;   /* packages, for clients that read too slowly */
};
struct clients_totals clients_totals(const struct clients *clients);
/* Whether there is a client that waits for data. */
bool clients_want_data(const struct clients *clients);
/* Whether nothing would be dropped for those who wait for data, not even a message of `length` bytes. */
bool clients_have_room(const struct clients *clients, size_t length);
/* Whether everything was handed to the system. */
bool clients_are_flushed(const struct clients *clients);
/* Says how many lines were not shown, before last words. */
void clients_tell_hidden(struct clients *clients);
/* Closes the connections, not the ports; with `reset` by RST. */
void clients_close(struct clients *clients, bool reset, const char *reason);

/* The ports of a controller, and where they are served. */

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
