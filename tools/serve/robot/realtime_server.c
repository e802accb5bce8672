#include "servers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "script_text.h"

#define LINE_MAX (SCRIPT_FIRST_LINE + 120)

struct realtime_peer {
    const struct realtime_server *server;
    struct peer_wish wish;
    struct script_text script;
    struct field_watch cells;
    bool was_told; /* that script is not run */
};

static void *open_peer(void *server, const struct peer_wish *wish, struct buffer *out)
{
    struct realtime_peer *peer = calloc(1, sizeof *peer);
    const struct realtime_server *realtime = server;
    (void)out;
    if (!peer)
        return NULL;
    peer->server = realtime;
    peer->wish = *wish;
    peer->cells = realtime->cells;
    if (field_watch_begin(&peer->cells) != 0) {
        free(peer);
        return NULL;
    }
    script_text_begin(&peer->script,
                      !realtime->read_only && realtime->may_send && realtime->may_send(realtime->user, wish->address));
    return peer;
}

static void say(const struct realtime_peer *peer, const char *line)
{
    peer->wish.say(peer->wish.user, peer->wish.client, line);
}

/* ---- script ------------------------------------------------------------------------------------------------------ */

static void say_not_run(struct realtime_peer *peer)
{
    char line[LINE_MAX];
    snprintf(line, sizeof line, "sends script, which is not %s; it begins: %s",
             peer->server->may_send && !peer->server->read_only ? "forwarded: its address is not allowed (--allow-from)"
                                                                : "run",
             peer->script.first_line);
    say(peer, line);
    peer->was_told = true;
}

static void say_uncertain(const struct realtime_peer *peer)
{
    char line[LINE_MAX];
    snprintf(line, sizeof line,
             "sent a program whose end is not certain (%s): the program and all later data are dropped until the "
             "client reconnects",
             peer->script.uncertain);
    say(peer, line);
}

/* Reads all that a client sends, which would wait for ever otherwise. */
static bool receive(void *user, const uint8_t *bytes, size_t length, struct buffer *out)
{
    struct realtime_peer *peer = user;
    size_t used = 0;
    (void)out;
    for (size_t at = 0; at < length; at += used)
        switch (script_text_next(&peer->script, (const char *)bytes + at, length - at, &used)) {
        case SCRIPT_PROGRAM:
            peer->server->on_program(peer->server->user, peer->wish.client, peer->script.program, peer->script.length);
            break;
        case SCRIPT_TOO_LONG:
            if (peer->script.dropped == 1)
                say(peer, "a program of over 1 MiB was dropped, and further ones will be");
            break;
        case SCRIPT_UNCERTAIN:
            say_uncertain(peer);
            break;
        case SCRIPT_NO_MEMORY:
            say(peer, "closed: no memory for its program");
            return false;
        case SCRIPT_MORE:
            break;
        }
    if (!peer->script.keeps && !peer->was_told && peer->script.first_complete)
        say_not_run(peer);
    return true;
}

static void say_end(struct realtime_peer *peer)
{
    char line[LINE_MAX];
    size_t unfinished = script_text_unfinished(&peer->script);
    if (peer->script.keeps && unfinished > 0) {
        snprintf(line, sizeof line, "left %zu bytes of a program without its end: they were dropped", unfinished);
        say(peer, line);
    }
    if (peer->script.keeps || peer->script.bytes == 0)
        return;
    if (!peer->was_told)
        say_not_run(peer);
    snprintf(line, sizeof line, "%" PRIu64 " bytes of script were not run%s", peer->script.bytes,
             peer->server->read_only ? ": this port accepts none" : "");
    say(peer, line);
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

static void tick(void *user, const struct tick *tick, struct buffer *out)
{
    struct realtime_peer *peer = user;
    if (!(tick->for_whom & TICK_REALTIME))
        return;
    struct tick cells = *tick;
    if (!tick->is_made && !tick->is_repeated)
        cells.given = NULL; /* a captured packet has them all */
    field_watch_tick(&peer->cells, &cells, &peer->wish);
    buffer_put(out, (const char *)tick->packet, tick->packet_length);
}

static bool wants_data(const void *user)
{
    return user != NULL;
}

static void close_peer(void *user)
{
    struct realtime_peer *peer = user;
    say_end(peer);
    script_text_end(&peer->script);
    field_watch_end(&peer->cells);
    free(peer);
}

const struct server_kind realtime_server_kind = {.name = "realtime",
                                                 .title = "realtime",
                                                 .open = open_peer,
                                                 .receive = receive,
                                                 .tick = tick,
                                                 .wants_data = wants_data,
                                                 .close = close_peer};
