#include "primary_stub.h"

#include <stdlib.h>
#include <string.h>

#include "nanoseconds.h"

#define PERIOD (SECOND / 10)

struct primary_peer {
    struct primary_stub *stub;
    struct peer_wish wish;
    int64_t next; /* when the next state is due */
    uint64_t bytes;
};

static void *open_peer(void *server, const struct peer_wish *wish, struct buffer *out)
{
    struct primary_peer *peer = calloc(1, sizeof *peer);
    if (!peer)
        return NULL;
    peer->stub = server;
    peer->wish = *wish;
    primary_stub_version(peer->stub, out);
    primary_stub_state(peer->stub, true, out); /* at once: clients wait for it also while nothing is played */
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

static void tick(void *user, const struct tick *tick, struct buffer *out)
{
    struct primary_peer *peer = user;
    latest_take(&peer->stub->latest, tick);
    int64_t late = tick->time - peer->next;
    if (late < 0 && late >= -PERIOD)
        return;
    bool follows = late >= 0 && late < PERIOD; /* else the clock is another one */
    peer->next = (follows ? peer->next : tick->time) + PERIOD;
    primary_stub_state(peer->stub, false, out);
}

static bool wants_data(const void *user)
{
    (void)user;
    return false;
}

static void close_peer(void *user)
{
    free(user);
}

const struct server_kind primary_stub_kind = {.name = "primary",
                                              .title = "an imitated primary interface",
                                              .open = open_peer,
                                              .receive = receive,
                                              .tick = tick,
                                              .wants_data = wants_data,
                                              .close = close_peer};
