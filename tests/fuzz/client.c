/* A client of robots: two bytes of options, then what happens, one operation after the other: bytes from the robot,
 * answers that fit the request, time, ends of connections, calls of the program. Two clients live through the same; one
 * gets its bytes one at a time. As long as what comes are whole packages, it must do what the other does: a search for
 * the next package in other bytes takes place later in small chunks. */
#include "target.h"

#include <stdlib.h>
#include <string.h>

#include "client/armtap-client.h"

#define MS INT64_C(1000000)
#define CLIENTS 2
#define OUT_MAX 4096
#define HELD_MAX (4 << 20) /* bytes that two clients may hold */

enum operation { RECEIVE, ANSWER, PASS, SEND, CLOSE, FAIL, STOP, WRITE, EXPIRE, OPERATIONS };

static const char *const inputs[] = {"input_int_register_24,wonder", "speed_slider_mask"};
static const char *const answers[] = {"DOUBLE,VECTOR6D,INT32",
                                      "DOUBLE,NOT_FOUND,INT32",
                                      "NOT_FOUND,NOT_FOUND,NOT_FOUND",
                                      "DOUBLE,INT32",
                                      "DOUBLE",
                                      "IN_USE,INT32",
                                      "INT32,NOT_FOUND",
                                      "INT32"};

struct life {
    struct armtap_client *clients[CLIENTS];
    struct armtap_state *values;
    int64_t now;
    uint8_t asked; /* type of the last package that was sent at once on this connection; 0: none */
    bool orderly;  /* only whole packages came, after the client sent one, and not data first */
    bool answered; /* on this connection */
    size_t held;   /* before them */
};

/* ---- what must hold ---- */

/* One line for people: nothing of the wire controls a terminal. */
static void check_line(const char *text)
{
    size_t length = 0;
    for (; text[length]; length++)
        CHECK((unsigned char)text[length] >= 0x20 && text[length] != 0x7f);
    CHECK(length < 500);
}

static int on_event(void *user, const struct armtap_client_event *event)
{
    (void)user;
    CHECK(event->type <= ARMTAP_CLIENT_EVENT_VERDICT && event->severity <= ARMTAP_ERROR);
    check_line(event->text);
    return 0;
}

static int on_note(void *user, const struct armtap_note *note)
{
    (void)user;
    check_line(note->text);
    return 0;
}

static struct armtap_client_options options_of(unsigned first, unsigned second)
{
    return (struct armtap_client_options){
        .size = sizeof(struct armtap_client_options),
        .protocol = first & 1 ? (first & 128 ? ARMTAP_PRIMARY : ARMTAP_REALTIME) : ARMTAP_RTDE,
        .max_version = (int)(first >> 1 & 3),
        .outputs = "timestamp,actual_q,robot_mode",
        .frequency = first & 8 ? 125 : 0,
        .inputs = inputs,
        .input_count = first >> 4 & 1 ? 2 : 0,
        .strict = first & 32,
        .robot = first & 64 ? "10.0.0.2:30003" : NULL,
        .give_up = (int64_t)second * 100 * MS,
        .on_event = on_event,
    };
}

static void judge_names(const struct armtap_client *client, bool strict)
{
    struct armtap_client_dropped dropped = {.size = sizeof dropped};
    size_t count = 0;
    for (; armtap_client_dropped(client, count, &dropped); count++)
        CHECK(dropped.name[0] && dropped.since && dropped.input < 2);
    CHECK(count <= 6);
    CHECK(!strict || count == 0 || armtap_client_state(client) == ARMTAP_CLIENT_STATE_CLOSED);
    for (size_t i = 0; i < 2; i++)
        CHECK(armtap_recipe_count(armtap_client_input(client, i)) <= 2);
}

static void judge(const struct armtap_client *client, int64_t now)
{
    const struct armtap_client_verdict *verdict = armtap_client_verdict(client);
    enum armtap_client_state state = armtap_client_state(client);
    int64_t deadline = armtap_client_deadline(client);
    const void *bytes;
    size_t length = armtap_client_send(client, &bytes);
    CHECK(verdict->what <= ARMTAP_CLIENT_GIVE_UP);
    check_line(verdict->reason);
    check_line(armtap_client_agreement(client)->said);
    CHECK(armtap_client_state_name(state)[0]);
    CHECK((state == ARMTAP_CLIENT_STATE_CONNECTING) == (verdict->what == ARMTAP_CLIENT_RECONNECT));
    CHECK((state == ARMTAP_CLIENT_STATE_CLOSED) == (verdict->what >= ARMTAP_CLIENT_DONE));
    CHECK(verdict->what == ARMTAP_CLIENT_GO_ON || length == 0);
    CHECK(length <= OUT_MAX);
    CHECK(verdict->what != ARMTAP_CLIENT_RECONNECT || verdict->at <= now + 5000 * MS);
    /* No state of a handshake lasts for ever. */
    bool lasts = state == ARMTAP_CLIENT_STATE_WAITING || state == ARMTAP_CLIENT_STATE_STREAMING ||
                 verdict->what != ARMTAP_CLIENT_GO_ON;
    CHECK(lasts || deadline <= now + 5000 * MS);
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* The chunks made no difference. */
static void compare(const struct life *life)
{
    const struct armtap_client *a = life->clients[0], *b = life->clients[1];
    const struct armtap_client_verdict *verdicts[] = {armtap_client_verdict(a), armtap_client_verdict(b)};
    const struct armtap_client_agreement *agreed[] = {armtap_client_agreement(a), armtap_client_agreement(b)};
    const void *bytes[CLIENTS];
    size_t length = armtap_client_send(a, &bytes[0]);
    CHECK(armtap_client_state(a) == armtap_client_state(b));
    CHECK(verdicts[0]->what == verdicts[1]->what && verdicts[0]->at == verdicts[1]->at);
    CHECK(same_text(verdicts[0]->reason, verdicts[1]->reason));
    CHECK(armtap_client_deadline(a) == armtap_client_deadline(b));
    CHECK(armtap_client_send(b, &bytes[1]) == length && (length == 0 || memcmp(bytes[0], bytes[1], length) == 0));
    CHECK(agreed[0]->records == agreed[1]->records && agreed[0]->version == agreed[1]->version);
    CHECK(agreed[0]->restarts == agreed[1]->restarts && same_text(agreed[0]->said, agreed[1]->said));
    CHECK(!agreed[0]->recipe == !agreed[1]->recipe);
    CHECK(armtap_recipe_same(agreed[0]->recipe, agreed[1]->recipe) || !agreed[0]->recipe);
}

/* ---- what happens ---- */

static void take(const struct life *life, const uint8_t *bytes, size_t length)
{
    if (length == 0)
        return;
    uint8_t *copy = copy_of(bytes, length);
    armtap_client_receive(life->clients[0], copy, length, life->now, NULL);
    free(copy);
    for (size_t i = 0; i < length; i++)
        armtap_client_receive(life->clients[1], bytes + i, 1, life->now, NULL);
}

/* An answer of the type that was asked for last; `how` says what is in it. */
static void take_answer(struct life *life, unsigned how)
{
    life->orderly &= life->asked != 0;
    uint8_t buffer[1000];
    static const uint8_t values[61] = {0x40, 0x10};
    const char *types = answers[how & 7];
    struct armtap_rtde_package package = {.size = sizeof(struct armtap_rtde_package),
                                          .type = (enum armtap_rtde_type)life->asked,
                                          .direction = ARMTAP_FROM_ROBOT,
                                          .protocol = how & 64 ? 1 : 2,
                                          .accepted = !(how & 1),
                                          .release = {how & 8 ? 3u : 5u, 11, how >> 4, 1},
                                          .release_count = how & 2 ? 3 : 4,
                                          .id = how >> 3 & 3,
                                          .types = types,
                                          .types_length = strlen(types),
                                          .text = "SafetySetup has not been confirmed yet",
                                          .text_length = 38,
                                          .source = "",
                                          .values = values,
                                          .values_length = how & 4 ? 60 : 61};
    if (how & 128)
        package.type = how & 2 ? ARMTAP_RTDE_TEXT : ARMTAP_RTDE_DATA;
    life->answered |= package.type != ARMTAP_RTDE_DATA;
    life->orderly &= life->answered;
    int length = armtap_rtde_write(&package, buffer, sizeof buffer);
    if (length > 0)
        take(life, buffer, (size_t)length);
}

static void send_some(struct life *life, unsigned most)
{
    const void *bytes;
    size_t length = armtap_client_send(life->clients[0], &bytes);
    bool all = most == 0 || length <= most;
    if (!all)
        length = most;
    if (length >= 3 && all)
        life->asked = ((const uint8_t *)bytes)[2];
    for (size_t i = 0; i < CLIENTS; i++)
        armtap_client_sent(life->clients[i], length, life->now, NULL);
}

/* What does not need bytes, for one client. */
static void operate(const struct life *life, struct armtap_client *client, enum operation operation, unsigned how)
{
    if (operation == CLOSE)
        armtap_client_closed(client, life->now, (enum armtap_client_end)(how & 3), NULL);
    else if (operation == FAIL)
        armtap_client_failed(client, life->now, (enum armtap_client_failure)(how & 3), how & 4 ? "because" : NULL);
    else if (operation == STOP)
        armtap_client_stop(client, life->now);
    else if (operation == WRITE)
        armtap_client_write(client, how & 1, life->values);
    else if (operation == EXPIRE)
        armtap_client_expire(client, life->now);
}

static void step(struct life *life, struct input *input)
{
    enum operation operation = (enum operation)(input_byte(input) % OPERATIONS);
    unsigned how = input_byte(input);
    size_t length = how * 4;
    if (operation == RECEIVE) {
        life->orderly = false;
        const uint8_t *bytes = input_bytes(input, &length);
        take(life, bytes, length);
    } else if (operation == ANSWER) {
        take_answer(life, how);
    } else if (operation == PASS) {
        life->now += how * how * MS;
    } else if (operation == SEND) {
        send_some(life, how);
    }
    for (size_t i = 0; i < CLIENTS; i++)
        operate(life, life->clients[i], operation, how);
}

/* What every program does: calls when it is due, and connects when asked to. */
static void keep_up(struct life *life, struct armtap_client *client)
{
    if (armtap_client_deadline(client) <= life->now) {
        armtap_client_expire(client, life->now);
        CHECK(armtap_client_deadline(client) > life->now);
    }
    const struct armtap_client_verdict *verdict = armtap_client_verdict(client);
    if (verdict->what == ARMTAP_CLIENT_RECONNECT && verdict->at <= life->now) {
        armtap_client_closed(client, life->now, ARMTAP_CLIENT_CLOSED_HERE, NULL);
        CHECK(armtap_client_connected(client, life->now, NULL) == ARMTAP_OK);
        life->asked = 0;
        life->answered = false;
    }
}

FUZZ_TARGET(client)
{
    struct input input = {data, data + size};
    unsigned first = input_byte(&input), second = input_byte(&input);
    struct armtap_client_options options = options_of(first, second);
    struct life life = {.values = armtap_state_new(), .held = bytes_held(), .orderly = options.protocol == ARMTAP_RTDE};
    struct armtap_sink sink = {.size = sizeof sink, .on_note = on_note};
    bool ended = false;
    for (size_t i = 0; i < CLIENTS; i++)
        CHECK(armtap_client_new(&options, i == 0 ? &sink : NULL, NULL, &life.clients[i]) == ARMTAP_OK);
    while (input_left(&input) > 0) {
        for (size_t i = 0; i < CLIENTS; i++)
            keep_up(&life, life.clients[i]);
        step(&life, &input);
        for (size_t i = 0; i < CLIENTS; i++)
            judge(life.clients[i], life.now);
        judge_names(life.clients[0], options.strict);
        if (life.orderly)
            compare(&life);
        CHECK(!ended || armtap_client_state(life.clients[0]) == ARMTAP_CLIENT_STATE_CLOSED);
        ended = armtap_client_state(life.clients[0]) == ARMTAP_CLIENT_STATE_CLOSED;
        CHECK(bytes_held() <= life.held + HELD_MAX);
    }
    for (size_t i = 0; i < CLIENTS; i++)
        armtap_client_free(life.clients[i]);
    armtap_state_free(life.values);
    return 0;
}
