#include "realtime_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_SHOWN 80u

struct realtime_peer {
    const struct realtime_server *server;
    struct peer_wish wish;
    uint64_t bytes; /* of script, passed over */
    char line[LINE_SHOWN + 1];
    size_t length; /* of `line` */
    bool was_told;
};

static void *open_peer(void *server, const struct peer_wish *wish, struct buffer *out)
{
    struct realtime_peer *peer = calloc(1, sizeof *peer);
    (void)out;
    if (peer) {
        peer->server = server;
        peer->wish = *wish;
    }
    return peer;
}

static void say(const struct realtime_peer *peer, const char *line)
{
    peer->wish.say(peer->wish.user, peer->wish.client, line);
}

static void say_first_line(const struct realtime_peer *peer)
{
    char line[LINE_SHOWN + 64];
    snprintf(line, sizeof line, "sends script, which is not run; it begins: %s", peer->line);
    say(peer, line);
}

/* Collects the first line, which is printed once. */
static bool receive(void *user, const uint8_t *bytes, size_t length, struct buffer *out)
{
    struct realtime_peer *peer = user;
    (void)out;
    peer->bytes += length;
    if (peer->was_told)
        return true;
    const uint8_t *end = memchr(bytes, '\n', length);
    size_t more = end ? (size_t)(end - bytes) : length, room = LINE_SHOWN - peer->length;
    memcpy(peer->line + peer->length, bytes, more < room ? more : room);
    peer->length += more < room ? more : room;
    if (!end && more < room)
        return true;
    peer->was_told = true;
    say_first_line(peer);
    return true;
}

static void tick(void *user, const struct tick *tick, struct buffer *out)
{
    (void)user;
    if (tick->for_whom & TICK_REALTIME)
        buffer_put(out, (const char *)tick->packet, tick->packet_length);
}

static bool wants_data(const void *user)
{
    return user != NULL;
}

static void close_peer(void *user)
{
    struct realtime_peer *peer = user;
    char line[96];
    if (peer->bytes > 0 && !peer->was_told)
        say_first_line(peer);
    snprintf(line, sizeof line, "%llu bytes of script were not run%s", (unsigned long long)peer->bytes,
             peer->server->read_only ? ": this port takes none" : "");
    if (peer->bytes > 0)
        say(peer, line);
    free(peer);
}

const struct server_kind realtime_server_kind = {.name = "realtime",
                                                 .title = "realtime",
                                                 .open = open_peer,
                                                 .receive = receive,
                                                 .tick = tick,
                                                 .wants_data = wants_data,
                                                 .close = close_peer};
