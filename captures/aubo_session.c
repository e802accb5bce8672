#include "aubo_session.h"

#include <stdio.h>
#include <string.h>

#define MAX_MESSAGE 8000

#define TURNAROUND 350000 /* ns */

static struct websocket_bytes room_in_held(struct session *session)
{
    return (struct websocket_bytes){.at = session->held, .length = session->held_length, .capacity = SESSION_HELD};
}

/* Adds bytes to the controller's data. */
static void keep(struct session *session, const struct websocket_bytes *bytes)
{
    session->held_length = bytes->length;
    if (bytes->full) {
        fprintf(stderr, "%s: a message is too long\n", session->path);
        session->failed = true;
    }
}

/* Sends a message at once. */
static void send_message(struct session *session, enum armtap_direction sender, const char *text, size_t length,
                         int64_t time)
{
    struct websocket *websocket = &session->aubo.websocket;
    uint8_t bytes[MAX_MESSAGE + 16];
    struct websocket_bytes out = {.at = bytes, .capacity = sizeof bytes};
    session_flush(session, time);
    if (!websocket->open) {
        wire_send(&session->connection, sender, text, length, time);
        return;
    }
    websocket_message(websocket, sender, text, length, false, &out);
    session->failed = session->failed || out.full;
    wire_send(&session->connection, sender, bytes, out.length, time);
}

static void send_control(struct session *session, enum armtap_direction sender, enum websocket_control opcode,
                         const void *payload, size_t length, int64_t time)
{
    uint8_t bytes[160];
    struct websocket_bytes out = {.at = bytes, .capacity = sizeof bytes};
    session_flush(session, time);
    websocket_control(&session->aubo.websocket, sender, opcode, payload, length, &out);
    wire_send(&session->connection, sender, bytes, out.length, time);
}

/* ---- steps ----------------------------------------------------------------------------------------------------- */

static void open_websocket(struct session *session, const struct client_step *step, int64_t time)
{
    struct websocket *websocket = &session->aubo.websocket;
    const uint8_t *address = session->client->robot->address.bytes;
    uint8_t bytes[1024];
    char host[32];
    websocket->deflate = strcmp(step->words[0], "deflate") == 0;
    if (!websocket->deflate && strcmp(step->words[0], "plain") != 0)
        session_fail(session, step, "a WebSocket is plain or deflate", step->words[0]);
    if (session->client->robot->address.v6)
        session_fail(session, step, "a WebSocket needs an IPv4 address here", NULL);
    snprintf(host, sizeof host, "%u.%u.%u.%u:%u", address[0], address[1], address[2], address[3],
             (unsigned)session->client->server_port);
    websocket->masks.state = prng_next(&session->prng);
    struct websocket_bytes request = {.at = bytes, .capacity = sizeof bytes};
    websocket_request(websocket, &request, host);
    wire_send(&session->connection, ARMTAP_TO_ROBOT, bytes, request.length, time);
    struct websocket_bytes answer = {.at = bytes, .capacity = sizeof bytes};
    websocket_accept(websocket, &answer);
    wire_send(&session->connection, ARMTAP_FROM_ROBOT, bytes, answer.length, session->connection.now + TURNAROUND);
    websocket->open = true;
}

static void set_dialect(struct session *session, const struct client_step *step)
{
    for (size_t i = 0; i < step->word_count; i++) {
        if (strcmp(step->words[i], "numbers") == 0)
            session->aubo.topics.numbers = true;
        else if (strcmp(step->words[i], "newline") == 0)
            session->aubo.separator = "\n";
        else
            session_fail(session, step, "a dialect is numbers or newline", step->words[i]);
    }
}

static void set_up(struct session *session, const struct client_step *step, struct json *json)
{
    struct aubo *aubo = &session->aubo;
    double cycles_per_second = 1000.0 / session->client->robot->cycle_ms;
    const char *names = step->word_count > 0 ? step->words[0] : NULL;
    bool to_server = step->kind == CLIENT_PUBLISH;
    if (names && !(step->seconds >= 0.01)) {
        session_fail(session, step, "the frequency must be 0.01 Hz at least", NULL);
        return;
    }
    aubo_request(json, step->count, step->seconds, names, to_server);
    if (to_server) {
        aubo->published[step->count] = names;
    } else {
        struct aubo_subscription *subscription = &aubo->subscriptions[step->count];
        subscription->names = names;
        subscription->every = names ? (unsigned)(cycles_per_second / step->seconds + 0.5) : 1;
        subscription->every += subscription->every == 0;
    }
}

static void tell(struct session *session, const struct client_step *step, int64_t time)
{
    struct topics *topics = &session->aubo.topics;
    topics->message_time = time / 1000000;
    topics->message_level = step->words[0];
    topics->message_source = step->words[1];
    topics->message = step->words[2];
}

void aubo_session_step(struct session *session, const struct client_step *step, int64_t time)
{
    char text[MAX_MESSAGE];
    struct json json = {.text = text, .capacity = sizeof text};
    if (!session->client->robot->aubo || step->count >= AUBO_CHANNELS) {
        session_fail(session, step, "this needs AUBO's robot, and a channel from 0 to 99", NULL);
        return;
    }
    if (step->kind == CLIENT_WEBSOCKET) {
        open_websocket(session, step, time);
    } else if (step->kind == CLIENT_DIALECT) {
        set_dialect(session, step);
    } else if (step->kind == CLIENT_FRAGMENT) {
        session->aubo.fragment = true;
    } else if (step->kind == CLIENT_TEXT) {
        tell(session, step, time);
    } else {
        if (step->kind == CLIENT_SEND) {
            if (!aubo_publish(&session->aubo, step->count, step->words, step->word_count, &json))
                session_fail(session, step, "not the values that the channel publishes", NULL);
            session->tally->records[ARMTAP_TO_ROBOT]++;
        } else {
            set_up(session, step, &json);
        }
        if (json.full)
            session_fail(session, step, "the message is too long", NULL);
        session->tally->protocol = ARMTAP_AUBO;
        send_message(session, ARMTAP_TO_ROBOT, json.text, json.length, time);
    }
}

void aubo_session_say(struct session *session, enum armtap_direction sender, const char *text, int64_t time)
{
    static const char request[] = "[100,";
    if (text[0] == '[') {
        session->tally->protocol = ARMTAP_AUBO;
        session->tally->records[sender] += strncmp(text, request, sizeof request - 1) != 0;
    }
    send_message(session, sender, text, strlen(text), time);
}

/* ---- cycles ---------------------------------------------------------------------------------------------------- */

static void hold_message(struct session *session, struct json *json)
{
    struct aubo *aubo = &session->aubo;
    struct websocket_bytes out = room_in_held(session);
    json_text(json, aubo->separator);
    out.full = json->full;
    if (aubo->websocket.open) {
        websocket_message(&aubo->websocket, ARMTAP_FROM_ROBOT, json->text, json->length, aubo->fragment, &out);
        aubo->asked = aubo->asked || aubo->fragment;
        aubo->fragment = false;
    } else if (json->length <= out.capacity - out.length) {
        memcpy(out.at + out.length, json->text, json->length);
        out.length += json->length;
    } else {
        out.full = true;
    }
    keep(session, &out);
    session->tally->records[ARMTAP_FROM_ROBOT]++;
}

bool aubo_session_data(struct session *session)
{
    struct aubo *aubo = &session->aubo;
    bool any = false;
    for (unsigned channel = 0; channel < AUBO_CHANNELS; channel++) {
        const struct aubo_subscription *subscription = &aubo->subscriptions[channel];
        if (!subscription->names || session->motion->cycle % subscription->every != 0)
            continue;
        char text[MAX_MESSAGE];
        struct json json = {.text = text, .capacity = sizeof text};
        aubo_data(aubo, channel, &json);
        hold_message(session, &json);
        any = true;
    }
    return any;
}

void aubo_session_answer(struct session *session)
{
    if (!session->aubo.asked || session->held_length > 0)
        return;
    session->aubo.asked = false;
    send_control(session, ARMTAP_TO_ROBOT, WEBSOCKET_PONG, WEBSOCKET_PING_TEXT, sizeof WEBSOCKET_PING_TEXT - 1,
                 session->connection.now + TURNAROUND);
}

void aubo_session_close(struct session *session, enum armtap_direction sender, int64_t time)
{
    static const uint8_t normal_closure[] = {1000 >> 8, 1000 & 0xff};
    if (!session->aubo.websocket.open)
        return;
    send_control(session, sender, WEBSOCKET_CLOSE, normal_closure, sizeof normal_closure, time);
    send_control(session, !sender, WEBSOCKET_CLOSE, normal_closure, sizeof normal_closure,
                 session->connection.now + TURNAROUND);
}
