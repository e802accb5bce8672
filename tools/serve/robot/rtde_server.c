/* The dance follows UR's RTDE guide; what it leaves open, real controllers' answers as their clients report them. */
#include "rtde_peer.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"

#define HEADER 3u
#define PROTOCOL_MAX 3

struct rtde_server *rtde_server_new(const struct rtde_server_options *options)
{
    size_t count = variables_count(options->variables);
    struct rtde_server *server = calloc(1, sizeof *server);
    if (!server)
        return NULL;
    server->options = *options;
    if (server->options.max_protocol < 1 || server->options.max_protocol > PROTOCOL_MAX)
        server->options.max_protocol = PROTOCOL_MAX;
    server->is_written = calloc(count + 1, sizeof *server->is_written);
    server->written = calloc(1, variables_size(options->variables) + 1);
    if (server->is_written && server->written)
        return server;
    rtde_server_free(server);
    return NULL;
}

void rtde_server_free(struct rtde_server *server)
{
    if (!server)
        return;
    free(server->is_written);
    free(server->written);
    free(server);
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static void send_answer(const struct rtde_peer *peer, enum armtap_rtde_type type, bool accepted, struct buffer *out)
{
    struct armtap_rtde_package reply = {.size = sizeof(struct armtap_rtde_package), .type = type, .accepted = accepted};
    rtde_send(peer, &reply, out);
}

/* The reply is the same in all protocols; what follows it is in the new one. */
static void answer_version(struct rtde_peer *peer, const struct armtap_rtde_package *request, struct buffer *out)
{
    bool accepted = request->version >= 1 && request->version <= (unsigned)peer->server->options.max_protocol;
    send_answer(peer, ARMTAP_RTDE_VERSION, accepted, out);
    if (accepted)
        peer->protocol = (int)request->version;
    rtde_say(peer, "protocol %u %s", request->version, accepted ? "agreed" : "refused");
}

static void answer_release(const struct rtde_peer *peer, struct buffer *out)
{
    struct armtap_rtde_package reply = {
        .size = sizeof(struct armtap_rtde_package), .type = ARMTAP_RTDE_CONTROLLER_VERSION, .release_count = 4};
    memcpy(reply.release, peer->server->options.release, sizeof reply.release);
    rtde_send(peer, &reply, out);
}

static void answer_start(struct rtde_peer *peer, struct buffer *out)
{
    send_answer(peer, ARMTAP_RTDE_START, peer->has_outputs, out);
    if (peer->has_outputs && !peer->is_started)
        peer->has_begun = false;
    peer->is_started = peer->has_outputs;
    rtde_say(peer, peer->has_outputs ? "started" : "start refused: no valid output setup");
}

static void answer_pause(struct rtde_peer *peer, struct buffer *out)
{
    peer->is_started = false;
    send_answer(peer, ARMTAP_RTDE_PAUSE, true, out);
    rtde_say(peer, "paused");
}

#define VERSION_PROPERTY "v1.software.version"

/* Only the version is known; one unknown name, and no values follow. */
static void answer_properties(struct rtde_peer *peer, const struct armtap_rtde_package *request, struct buffer *out)
{
    const uint32_t *release = peer->server->options.release;
    const struct armtap_value version = {.type = ARMTAP_UINT64,
                                         .count = 1,
                                         .u64 = {(uint64_t)release[0] << 48 | (uint64_t)release[1] << 32 |
                                                 (uint64_t)(release[2] & 0xffff) << 16 | (release[3] & 0xffff)}};
    struct armtap_rtde_package reply = {.size = sizeof(struct armtap_rtde_package),
                                        .type = ARMTAP_RTDE_PROPERTIES,
                                        .types = "NOT_FOUND",
                                        .types_length = 9};
    uint8_t values[8];
    if (request->names_length == sizeof VERSION_PROPERTY - 1 &&
        memcmp(request->names, VERSION_PROPERTY, request->names_length) == 0) {
        value_put(values, &version);
        reply.types = "UINT64";
        reply.types_length = 6;
        reply.values = values;
        reply.values_length = sizeof values;
    }
    rtde_send(peer, &reply, out);
    rtde_say(peer, "requests properties %.*s", (int)(request->names_length < 200 ? request->names_length : 200),
             request->names);
}

static void answer(struct rtde_peer *peer, const struct armtap_rtde_package *request, struct buffer *out)
{
    switch (request->type) {
    case ARMTAP_RTDE_VERSION:
        answer_version(peer, request, out);
        break;
    case ARMTAP_RTDE_CONTROLLER_VERSION:
        answer_release(peer, out);
        break;
    case ARMTAP_RTDE_SETUP_OUTPUTS:
        rtde_set_up_outputs(peer, request, out);
        break;
    case ARMTAP_RTDE_SETUP_INPUTS:
        rtde_set_up_inputs(peer, request, out);
        break;
    case ARMTAP_RTDE_START:
        answer_start(peer, out);
        break;
    case ARMTAP_RTDE_PAUSE:
        answer_pause(peer, out);
        break;
    case ARMTAP_RTDE_PROPERTIES:
        answer_properties(peer, request, out);
        break;
    default:
        rtde_say(peer, "says \"%.*s\"", (int)request->text_length, request->text);
    }
}

/* A whole package. */
static bool take_package(struct rtde_peer *peer, const uint8_t *bytes, size_t length, struct buffer *out)
{
    struct armtap_rtde_package request = {.size = sizeof request};
    if (bytes[2] == ARMTAP_RTDE_DATA) {
        rtde_take_inputs(peer, bytes + HEADER, length - HEADER);
        return true;
    }
    if (armtap_rtde_parse(bytes, length, ARMTAP_TO_ROBOT, peer->protocol, &request) == ARMTAP_OK &&
        (request.type != ARMTAP_RTDE_PROPERTIES || peer->protocol >= 3)) {
        answer(peer, &request, out);
        return true;
    }
    rtde_say(peer, "closed: its package '%c' of %zu bytes violates RTDE's layout", bytes[2], length);
    return false;
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

/* The length of the package that begins here; 0: not yet known; -1: none does, which was said. */
static long package_length(struct rtde_peer *peer, const uint8_t *bytes, size_t length)
{
    if (length < HEADER)
        return 0;
    size_t whole = armtap_be16(bytes);
    if (whole >= HEADER && bytes[2] != 0 && strchr("VvMUOISPR", bytes[2]))
        return (long)whole;
    rtde_say(peer, "closed: its data is not RTDE (%02x %02x %02x)", bytes[0], bytes[1], bytes[2]);
    return -1;
}

/* Takes whole packages; returns what is left, or -1. */
static long take_packages(struct rtde_peer *peer, const uint8_t *bytes, size_t length, struct buffer *out)
{
    size_t at = 0;
    for (;;) {
        long whole = package_length(peer, bytes + at, length - at);
        if (whole < 0)
            return -1;
        if (whole == 0 || (size_t)whole > length - at)
            return (long)(length - at);
        if (!take_package(peer, bytes + at, (size_t)whole, out))
            return -1;
        at += (size_t)whole;
    }
}

static bool receive(void *user, const uint8_t *bytes, size_t length, struct buffer *out)
{
    struct rtde_peer *peer = user;
    buffer_put(&peer->pending, (const char *)bytes, length);
    if (peer->pending.failed) {
        out->failed = true;
        return false;
    }
    long left = take_packages(peer, (const uint8_t *)peer->pending.data, peer->pending.length, out);
    if (left < 0)
        return false;
    if (left > 0)
        memmove(peer->pending.data, peer->pending.data + peer->pending.length - (size_t)left, (size_t)left);
    peer->pending.length = (size_t)left;
    return true;
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

/* Every n-th tick by its time, so that ticks that the capture lacks count too. Times may drift against a multiple of
 * the cycle: each tick that is sent in its place sets the next one's. */
static bool is_due(struct rtde_peer *peer, int64_t time)
{
    int64_t cycle = peer->server->options.cycle, step = cycle * peer->every;
    if (peer->every == 1)
        return true;
    int64_t late = time - peer->next_due;
    if (peer->has_begun && late < -cycle / 2)
        return false;
    bool in_place = !peer->has_begun || late < cycle / 2 || late > step;
    peer->next_due = (in_place ? time : peer->next_due) + step;
    return true;
}

static void put_values(const struct rtde_peer *peer, const uint8_t *image, uint8_t *to)
{
    const struct rtde_server *server = peer->server;
    for (size_t i = 0; i < peer->output_count; i++) {
        const struct variable *variable = peer->outputs[i];
        bool written = server->is_written[variable->index];
        memcpy(to, (written ? server->written : image) + variable->offset, variable->size);
        to += variable->size;
    }
}

static void tick(void *user, const struct tick *tick, struct buffer *out)
{
    struct rtde_peer *peer = user;
    if (!peer->is_started || !(tick->for_whom & TICK_RTDE) || !field_watch_tick(&peer->watch, tick, &peer->wish) ||
        tick->is_silent || !is_due(peer, tick->time))
        return;
    peer->has_begun = true;
    size_t head = HEADER + (peer->protocol >= 2), length = head + peer->output_size;
    uint8_t *to = (uint8_t *)buffer_room(out, length);
    if (!to)
        return;
    armtap_put16(to, (uint16_t)length);
    to[2] = ARMTAP_RTDE_DATA;
    to[HEADER] = 1; /* the output recipe's id, in protocol 1 overwritten by values */
    put_values(peer, tick->image, to + head);
    out->length += length;
}

static bool wants_data(const void *user)
{
    const struct rtde_peer *peer = user;
    return peer->is_started;
}

/* ---- a client ---------------------------------------------------------------------------------------------------- */

static void *open_peer(void *user, const struct peer_wish *wish, struct buffer *out)
{
    struct rtde_server *server = user;
    struct rtde_peer *peer = calloc(1, sizeof *peer);
    if (!peer)
        return NULL;
    *peer = (struct rtde_peer){.server = server, .wish = *wish, .protocol = 1, .every = 1};
    if (server->options.text) {
        struct armtap_rtde_package text = {.size = sizeof(struct armtap_rtde_package),
                                           .type = ARMTAP_RTDE_TEXT,
                                           .level = 2,
                                           .text = server->options.text,
                                           .text_length = strlen(server->options.text)};
        rtde_send(peer, &text, out);
    }
    return peer;
}

static void close_peer(void *user)
{
    struct rtde_peer *peer = user;
    rtde_release_inputs(peer);
    for (unsigned i = 0; i <= RTDE_INPUTS_MAX; i++)
        free(peer->inputs[i]);
    field_watch_end(&peer->watch);
    free(peer->outputs);
    free(peer->pending.data);
    free(peer);
}

const struct server_kind rtde_server_kind = {.name = "rtde",
                                             .title = "RTDE",
                                             .open = open_peer,
                                             .receive = receive,
                                             .tick = tick,
                                             .wants_data = wants_data,
                                             .close = close_peer};
