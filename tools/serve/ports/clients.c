#define _POSIX_C_SOURCE 200809L
#include "clients.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os/file.h"

#define PORTS_MAX 16u
#define LABEL_MAX 24u
#define CHUNK 16384u
#define DESCRIPTORS 32u /* that everything else needs */
/* What a package may need; --speed max waits for so much room. */
#define ROOM_FOR_DATA ((size_t)16 * 1024)

/* ns in which a client is not idle yet. */
#define JUST_NOW (SECOND / 4)
/* ns after which one that takes no data counts as reading nothing. */
#define READS_NOTHING (2 * SECOND)

struct port {
    struct clients *clients;
    const struct server_kind *kind;
    void *server;
    char label[LABEL_MAX];
    int fd;
    struct event_watch *watch;
};

struct client {
    struct clients *clients;
    const struct server_kind *kind;
    void *peer;
    char name[LABEL_MAX + TCP_ADDRESS_MAX];
    int fd;
    struct event_watch *watch;
    struct buffer queue;
    size_t sent;      /* bytes at the queue's beginning */
    int64_t waiting;  /* since when the system takes nothing; 0: it does */
    uint64_t dropped; /* packages */
    struct tcp_address address;
    uint64_t number; /* of those that were served */
    int64_t active;  /* when it last sent or took something */
    bool has_sent;
    bool has_taken; /* data that it was given */
};

struct clients {
    struct clients_wish wish;
    struct port ports[PORTS_MAX];
    size_t port_count;
    struct client *all[CLIENTS_MAX];
    size_t count, most; /* clients */
    int64_t second;     /* in which `lines` were printed, and `hidden` were not */
    uint64_t lines, hidden;
    struct clients_totals totals;
    int64_t told_away;
    struct event_timer *timer; /* once a second while there are clients, or accept() has failed */
    struct event_timer *news;  /* something changed: on_change is due */
    struct buffer made;        /* what a server appends */
    uint8_t chunk[CHUNK];
};

/* ---- a client ---------------------------------------------------------------------------------------------------- */

void clients_tell_hidden(struct clients *clients)
{
    char line[64];
    snprintf(line, sizeof line, "%llu more lines are not shown", (unsigned long long)clients->hidden);
    if (clients->hidden > 0)
        clients->wish.say(clients->wish.user, "clients", line);
    clients->hidden = clients->lines = 0;
}

/* Clients that come and go in a loop must not fill a disk with lines about them, and a reader of these lines that stops
 * must not stop the clients. */
static void on_say(void *user, const char *name, const char *line)
{
    struct clients *clients = user;
    int64_t second = event_loop_now(clients->wish.loop) / SECOND;
    if (second != clients->second)
        clients_tell_hidden(clients);
    clients->second = second;
    if (clients->lines++ < CLIENTS_LINES && wait_can_write(STDERR_FILENO))
        clients->wish.say(clients->wish.user, name, line);
    else
        clients->hidden++;
}

static void say(const struct client *client, const char *line)
{
    on_say(client->clients, client->name, line);
}

/* What is told now might come back here, in the middle of a loop over all clients: it is told in the next turn. */
static void changed(const struct clients *clients)
{
    event_timer_set(clients->news, event_loop_now(clients->wish.loop));
}

static void on_news(void *user)
{
    const struct clients *clients = user;
    if (clients->wish.on_change)
        clients->wish.on_change(clients->wish.user);
}

/* Nobody is idle while armtap itself stands still. */
static int64_t now_of(const struct clients *clients)
{
    return event_loop_awake(clients->wish.loop);
}

static size_t waiting_bytes(const struct client *client)
{
    return client->queue.length - client->sent;
}

static void free_client(struct client *client, bool reset)
{
    if (client->peer)
        client->kind->close(client->peer);
    event_watch_free(client->watch);
    tcp_close(client->fd, reset);
    free(client->queue.data);
    free(client);
}

static void drop_client(struct client *client, bool reset, const char *reason)
{
    struct clients *clients = client->clients;
    char line[160];
    if (client->dropped > 0)
        snprintf(line, sizeof line, "%s; %llu packages were dropped because it read too slowly", reason,
                 (unsigned long long)client->dropped);
    say(client, client->dropped > 0 ? line : reason);
    for (size_t i = 0; i < clients->count; i++)
        if (clients->all[i] == client)
            clients->all[i] = clients->all[--clients->count];
    free_client(client, reset);
    changed(clients);
}

/* A client that does not read its answers must not send more requests. */
static void choose_events(struct client *client)
{
    unsigned wanted = waiting_bytes(client) > CLIENTS_QUEUE ? 0 : EVENT_READ;
    event_watch_want(client->watch, wanted | (waiting_bytes(client) > 0 ? EVENT_WRITE : 0));
}

/* Sends what the system takes; false if the connection is broken. */
static bool flush(struct client *client)
{
    while (waiting_bytes(client) > 0) {
        ssize_t taken = tcp_send(client->fd, client->queue.data + client->sent, waiting_bytes(client));
        if (taken < 0 && errno == EINTR)
            continue;
        if (taken < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            break;
        if (taken < 0)
            return false;
        client->sent += (size_t)taken;
        client->waiting = 0;
        client->active = now_of(client->clients);
    }
    if (waiting_bytes(client) == 0)
        client->queue.length = client->sent = 0;
    else if (client->waiting == 0)
        client->waiting = now_of(client->clients);
    choose_events(client);
    return true;
}

/* Puts what a server made behind what waits; `is_data`: may be dropped. False if memory runs out. */
static bool queue_made(struct client *client, bool is_data)
{
    struct buffer *made = &client->clients->made;
    if (is_data && waiting_bytes(client) + made->length > CLIENTS_QUEUE) {
        client->clients->totals.dropped++;
        if (client->dropped++ == 0)
            say(client, "reads too slowly: data is dropped");
        return true;
    }
    if (client->sent > CLIENTS_QUEUE) {
        memmove(client->queue.data, client->queue.data + client->sent, waiting_bytes(client));
        client->queue.length -= client->sent;
        client->sent = 0;
    }
    buffer_put(&client->queue, made->data, made->length);
    return !client->queue.failed;
}

static void lack_memory(struct client *client)
{
    client->clients->made.failed = false;
    drop_client(client, true, "closed: out of memory");
}

static void on_bytes(struct client *client, size_t length)
{
    struct clients *clients = client->clients;
    bool wanted = client->kind->wants_data(client->peer);
    client->has_sent = true;
    client->active = now_of(clients);
    clients->made.length = 0;
    bool goes_on = client->kind->receive(client->peer, clients->chunk, length, &clients->made);
    if (clients->made.failed || !queue_made(client, false)) {
        lack_memory(client);
        return;
    }
    if (!flush(client) || !goes_on) {
        drop_client(client, false, "disconnected");
        return;
    }
    if (client->kind->wants_data(client->peer) != wanted)
        changed(clients);
}

static void read_client(struct client *client)
{
    int64_t time;
    ssize_t length = tcp_receive(client->fd, client->clients->chunk, CHUNK, &time);
    if (length > 0)
        on_bytes(client, (size_t)length);
    else if (length == 0)
        drop_client(client, false, "disconnected by the client");
    else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
        drop_client(client, true, errno == ECONNRESET ? "reset by the client" : strerror(errno));
}

static void on_ready(void *user, unsigned events)
{
    struct client *client = user;
    bool was_full = waiting_bytes(client) + ROOM_FOR_DATA > CLIENTS_QUEUE;
    struct clients *clients = client->clients;
    if (events & EVENT_WRITE) {
        if (!flush(client)) {
            drop_client(client, true, "reset by the client");
            return;
        }
        if ((was_full && waiting_bytes(client) + ROOM_FOR_DATA <= CLIENTS_QUEUE) || waiting_bytes(client) == 0)
            changed(clients);
    }
    if (events & EVENT_READ)
        read_client(client);
}

/* ---- accepting --------------------------------------------------------------------------------------------------- */

static struct client *make_client(struct port *port, int fd, const struct tcp_address *address)
{
    struct clients *clients = port->clients;
    char text[TCP_ADDRESS_MAX];
    struct client *client = calloc(1, sizeof *client);
    if (!client) {
        tcp_close(fd, true);
        return NULL;
    }
    client->clients = clients;
    client->kind = port->kind;
    client->fd = fd;
    client->address = *address;
    client->active = now_of(clients);
    tcp_limit_unsent(fd,
                     CLIENTS_QUEUE); /* else a slow reader's data would be half a minute old before any is dropped */
    tcp_address_text(address, text);
    snprintf(client->name, sizeof client->name, "%s %s", port->label, text);
    const struct peer_wish wish = {client->name, address, on_say, clients};
    client->watch = event_watch_new(clients->wish.loop, fd, on_ready, client);
    clients->made.length = 0;
    if (client->watch)
        client->peer = port->kind->open(port->server, &wish, &clients->made);
    if (client->peer && !clients->made.failed && queue_made(client, false))
        return client;
    clients->made.failed = false;
    free_client(client, true);
    return NULL;
}

static void turn_away(struct clients *clients, int fd)
{
    int64_t now = event_loop_now(clients->wish.loop);
    char line[96];
    tcp_close(fd, true);
    clients->totals.turned_away++;
    if (clients->told_away != 0 && now - clients->told_away < 10 * SECOND)
        return;
    clients->told_away = now;
    snprintf(line, sizeof line, "refused: %zu clients are connected (%llu so far)", clients->most,
             (unsigned long long)clients->totals.turned_away);
    clients->wish.say(clients->wish.user, "a client", line); /* at most every ten seconds */
}

/* A client that has just come may be about to ask. */
static bool takes_part(const struct client *client)
{
    int64_t now = now_of(client->clients);
    bool is_new = now - client->active < JUST_NOW;
    bool reads = client->waiting == 0 || now - client->waiting < READS_NOTHING;
    bool asks = client->has_sent && client->kind->wants_data(client->peer);
    return is_new || (reads && (asks || client->has_taken));
}

static size_t count_of_host(const struct clients *clients, const struct tcp_address *address)
{
    size_t count = 0;
    for (size_t i = 0; i < clients->count; i++)
        count += tcp_address_same_host(&clients->all[i]->address, address) ? 1 : 0;
    return count;
}

/* The one that makes room for another; NULL: all take part. */
static struct client *find_idle(const struct clients *clients)
{
    struct client *found = NULL;
    size_t most = 0;
    for (size_t i = 0; i < clients->count; i++) {
        struct client *client = clients->all[i];
        size_t count = takes_part(client) ? 0 : count_of_host(clients, &client->address);
        if (count > most || (count > 0 && count == most && client->active < found->active)) {
            found = client;
            most = count;
        }
    }
    return found;
}

/* The newest of an address that has more than half of the places, for a client of another address; NULL: none has. */
static struct client *find_crowding(const struct clients *clients, const struct tcp_address *address)
{
    struct client *found = NULL;
    for (size_t i = 0; i < clients->count; i++) {
        struct client *client = clients->all[i];
        if (count_of_host(clients, &client->address) > clients->most / 2 && (!found || client->number > found->number))
            found = client;
    }
    return found && !tcp_address_same_host(&found->address, address) ? found : NULL;
}

static void make_room(struct clients *clients, const struct tcp_address *address)
{
    char line[96];
    struct client *idle = find_idle(clients), *other = idle ? idle : find_crowding(clients, address);
    if (!other)
        return;
    if (idle)
        snprintf(line, sizeof line, "closed: idle for %.1f s, and another client needs its place",
                 (double)(now_of(clients) - idle->active) / SECOND);
    else
        snprintf(line, sizeof line, "closed: its address has over half of the places, and another address needs one");
    clients->totals.made_room += idle ? 1 : 0;
    drop_client(other, false, line);
}

static void set_timer(struct clients *clients)
{
    event_timer_set(clients->timer, event_loop_now(clients->wish.loop) + SECOND);
}

static void take_client(struct port *port, int fd, const struct tcp_address *address)
{
    struct clients *clients = port->clients;
    if (clients->count == clients->most)
        make_room(clients, address);
    struct client *client = clients->count < clients->most ? make_client(port, fd, address) : NULL;
    if (!client) {
        if (clients->count == clients->most)
            turn_away(clients, fd);
        return;
    }
    if (clients->count == 0)
        set_timer(clients);
    clients->all[clients->count++] = client;
    client->number = clients->totals.served++;
    say(client, "connected");
    if (!flush(client))
        drop_client(client, true, "reset by the client");
    else
        changed(clients);
}

/* One at a time, so that the others get their data meanwhile. Without descriptors the port stays closed for a second.
 */
static void on_client(void *user, unsigned events)
{
    struct port *port = user;
    struct tcp_address address;
    (void)events;
    int fd = tcp_accept(port->fd, &address);
    if (fd >= 0) {
        take_client(port, fd, &address);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        event_watch_want(port->watch, 0);
        set_timer(port->clients);
    }
}

static void on_second(void *user)
{
    struct clients *clients = user;
    int64_t now = now_of(clients);
    for (size_t i = 0; i < clients->port_count; i++)
        event_watch_want(clients->ports[i].watch, EVENT_READ);
    for (size_t i = clients->count; i > 0; i--) {
        struct client *client = clients->all[i - 1];
        if (client->waiting != 0 && now - client->waiting > CLIENTS_PATIENCE)
            drop_client(client, true, "closed: it read nothing for 10 s");
    }
    if (clients->count > 0)
        set_timer(clients);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* How many may be connected: descriptors must be left for the rest of the program. */
static size_t most_clients(void)
{
    size_t limit = file_limit(), left = limit > DESCRIPTORS + 4 ? limit - DESCRIPTORS : 4;
    return left < CLIENTS_MAX ? left : CLIENTS_MAX;
}

struct clients *clients_new(const struct clients_wish *wish)
{
    struct clients *clients = calloc(1, sizeof *clients);
    if (!clients)
        return NULL;
    clients->wish = *wish;
    clients->most = most_clients();
    clients->timer = event_timer_new(wish->loop, on_second, clients);
    clients->news = event_timer_new(wish->loop, on_news, clients);
    if (clients->timer && clients->news)
        return clients;
    clients_free(clients);
    return NULL;
}

int clients_listen(struct clients *clients, const struct server_kind *kind, void *server, const char *label,
                   struct tcp_address *address)
{
    struct port *port = &clients->ports[clients->port_count];
    if (clients->port_count == PORTS_MAX) {
        errno = ENOBUFS;
        return -1;
    }
    *port = (struct port){.clients = clients, .kind = kind, .server = server, .fd = tcp_listen(address)};
    if (port->fd < 0)
        return -1;
    snprintf(port->label, sizeof port->label, "%s", label);
    port->watch = event_watch_new(clients->wish.loop, port->fd, on_client, port);
    if (!port->watch || tcp_local_address(port->fd, address) != 0) {
        event_watch_free(port->watch);
        tcp_close(port->fd, false);
        errno = errno ? errno : ENOMEM;
        return -1;
    }
    clients->port_count++;
    return 0;
}

void clients_tick(struct clients *clients, const struct tick *tick)
{
    for (size_t i = clients->count; i > 0; i--) {
        struct client *client = clients->all[i - 1];
        clients->made.length = 0;
        client->kind->tick(client->peer, tick, &clients->made);
        if (clients->made.failed || (clients->made.length > 0 && !queue_made(client, true)))
            lack_memory(client);
        else if (clients->made.length > 0 && !flush(client))
            drop_client(client, true, "reset by the client");
        else if (clients->made.length > 0)
            client->has_taken = true;
    }
}

size_t clients_count(const struct clients *clients)
{
    return clients->count;
}

struct clients_totals clients_totals(const struct clients *clients)
{
    return clients->totals;
}

bool clients_want_data(const struct clients *clients)
{
    for (size_t i = 0; i < clients->count; i++)
        if (clients->all[i]->kind->wants_data(clients->all[i]->peer))
            return true;
    return false;
}

bool clients_have_room(const struct clients *clients, size_t length)
{
    size_t room = length > ROOM_FOR_DATA ? length : ROOM_FOR_DATA;
    for (size_t i = 0; i < clients->count; i++) {
        const struct client *client = clients->all[i];
        if (waiting_bytes(client) + room > CLIENTS_QUEUE && client->kind->wants_data(client->peer))
            return false;
    }
    return true;
}

bool clients_are_flushed(const struct clients *clients)
{
    for (size_t i = 0; i < clients->count; i++)
        if (waiting_bytes(clients->all[i]) > 0)
            return false;
    return true;
}

void clients_close(struct clients *clients, bool reset, const char *reason)
{
    while (clients->count > 0)
        drop_client(clients->all[clients->count - 1], reset, reason);
}

void clients_free(struct clients *clients)
{
    if (!clients)
        return;
    while (clients->count > 0)
        free_client(clients->all[--clients->count], false);
    clients_tell_hidden(clients);
    for (size_t i = 0; i < clients->port_count; i++) {
        event_watch_free(clients->ports[i].watch);
        tcp_close(clients->ports[i].fd, false);
    }
    event_timer_free(clients->timer);
    event_timer_free(clients->news);
    free(clients->made.data);
    free(clients);
}
