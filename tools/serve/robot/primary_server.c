#include "servers.h"

#include <stdlib.h>

#define PERIOD INT64_C(100000000)
/* Without a captured message for so long, clients would take the robot for lost. */
#define SILENCE INT64_C(1000000000)

struct primary_peer {
    const struct primary_server *server;
    struct peer_wish wish;
    bool has_heard;
    int64_t heard; /* time of the last captured message, or of the first tick */
    int64_t next;  /* when the next imitated state is due */
    uint64_t bytes;
};

static void *open_peer(void *user, const struct peer_wish *wish, struct buffer *out)
{
    const struct primary_server *server = user;
    struct primary_peer *peer = calloc(1, sizeof *peer);
    if (!peer)
        return NULL;
    peer->server = server;
    peer->wish = *wish;
    if (server->recorded && server->recorded->greeting) {
        buffer_put(out, (const char *)server->recorded->greeting, server->recorded->greeting_length);
    } else if (server->imitates) {
        primary_stub_version(server->stub, out);
        primary_stub_state(server->stub, true, out); /* at once: clients wait for it also while nothing is played */
    }
    return peer;
}

static bool receive(void *user, const uint8_t *bytes, size_t length, struct buffer *out)
{
    struct primary_peer *peer = user;
    (void)bytes;
    (void)out;
    if (peer->bytes == 0)
        peer->wish.say(peer->wish.user, peer->wish.client, "sends script, which is not run");
    peer->bytes += length;
    return true;
}

/* ---- ticks ------------------------------------------------------------------------------------------------------- */

static void take_message(struct primary_peer *peer, const struct tick *tick, struct buffer *out)
{
    if (!peer->server->recorded || peer->server->recorded->port != tick->message_port)
        return;
    peer->has_heard = true;
    peer->heard = tick->time;
    buffer_put(out, (const char *)tick->message, tick->message_length);
}

/* Whether captured messages come. */
static bool is_played(struct primary_peer *peer, int64_t time)
{
    if (!peer->server->recorded)
        return false;
    if (!peer->has_heard || time < peer->heard)
        peer->heard = time;
    peer->has_heard = true;
    return time - peer->heard <= SILENCE;
}

static void tick(void *user, const struct tick *tick, struct buffer *out)
{
    struct primary_peer *peer = user;
    latest_take(&peer->server->stub->latest, tick);
    if (tick->message) {
        take_message(peer, tick, out);
        return;
    }
    if (is_played(peer, tick->time) || !peer->server->fills)
        return;
    int64_t late = tick->time - peer->next;
    if (late < 0 && late >= -PERIOD)
        return;
    bool follows = late >= 0 && late < PERIOD; /* else the clock is another one */
    peer->next = (follows ? peer->next : tick->time) + PERIOD;
    primary_stub_state(peer->server->stub, false, out);
}

static bool wants_data(const void *user)
{
    const struct primary_peer *peer = user;
    return peer->server->recorded != NULL;
}

static void close_peer(void *user)
{
    free(user);
}

#define KIND(said)                                                                                                     \
    {                                                                                                                  \
        .name = "primary", .title = (said), .open = open_peer, .receive = receive, .tick = tick,                       \
        .wants_data = wants_data, .close = close_peer                                                                  \
    }
const struct server_kind primary_imitated_kind = KIND("a simulated primary interface");
const struct server_kind primary_captured_kind = KIND("the captured primary interface");
const struct server_kind secondary_captured_kind = KIND("the captured secondary interface");
