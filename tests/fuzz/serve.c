/* Clients of `armtap serve`: a byte that chooses the server, then operations: bytes from one of two clients, ticks, a
 * client that comes again. Two servers live through the same; one gets its bytes one at a time, and must answer the
 * same.
 */
#include "target.h"

#include <stdlib.h>
#include <string.h>

#include "serve/robot/servers.h"

#define LIVES 2
#define PEERS 2
#define CYCLE INT64_C(8000000)
#define LINE_MOST 1024
#define HELD_MAX (4 << 20) /* bytes: of two servers, with their answers */

enum operation { SEND, LONG_SEND, TICK, AGAIN, OPERATIONS };

struct life {
    struct variables *variables;
    struct rtde_server *rtde;
    struct realtime_server realtime;
    struct dashboard_stub dashboard;
    struct primary_stub primary;
    struct primary_server primary_port;
    const struct server_kind *kind;
    void *server;
    void *peers[PEERS]; /* NULL: was disconnected */
    struct buffer out;
    uint64_t lines;
};

static void on_say(void *user, const char *client, const char *line)
{
    struct life *life = user;
    CHECK(client && strlen(line) < LINE_MOST);
    life->lines++;
}

/* ---- what must hold ---- */

/* Whole packages, of types that a controller sends. */
static void judge_rtde(const struct buffer *out)
{
    const uint8_t *bytes = (const uint8_t *)out->data;
    for (size_t at = 0; at < out->length;) {
        CHECK(out->length - at >= 3);
        size_t length = (size_t)bytes[at] << 8 | bytes[at + 1];
        CHECK(length >= 3 && length <= out->length - at);
        CHECK(bytes[at + 2] != 0 && strchr("VvMUOISPR", bytes[at + 2]));
        at += length;
    }
}

static void judge_primary(const struct buffer *out)
{
    const uint8_t *bytes = (const uint8_t *)out->data;
    for (size_t at = 0; at < out->length;) {
        CHECK(out->length - at >= 5);
        size_t length = (size_t)bytes[at + 2] << 8 | bytes[at + 3];
        CHECK(bytes[at] == 0 && bytes[at + 1] == 0 && length >= 5 && length <= out->length - at);
        at += length;
    }
}

static void judge(struct life lives[LIVES])
{
    const struct buffer *a = &lives[0].out, *b = &lives[1].out;
    CHECK(a->length == b->length && (a->length == 0 || memcmp(a->data, b->data, a->length) == 0));
    CHECK(lives[0].lines == lives[1].lines);
    for (unsigned i = 0; i < PEERS; i++)
        CHECK(!lives[0].peers[i] == !lives[1].peers[i]);
    if (lives[0].kind == &rtde_server_kind)
        judge_rtde(a);
    else if (lives[0].kind == &primary_imitated_kind)
        judge_primary(a);
}

/* ---- what happens ---- */

static void open_peer(struct life *life, unsigned i)
{
    const struct peer_wish wish = {.client = "client", .say = on_say, .user = life};
    life->peers[i] = life->kind->open(life->server, &wish, &life->out);
    CHECK(life->peers[i]);
}

static void close_peer(struct life *life, unsigned i)
{
    if (life->peers[i])
        life->kind->close(life->peers[i]);
    life->peers[i] = NULL;
}

static void take(struct life *life, unsigned i, const uint8_t *bytes, size_t length, size_t step)
{
    for (size_t at = 0; at < length && life->peers[i]; at += step) {
        size_t some = length - at < step ? length - at : step;
        uint8_t *copy = copy_of(bytes + at, some);
        bool goes_on = life->kind->receive(life->peers[i], copy, some, &life->out);
        free(copy);
        if (!goes_on)
            close_peer(life, i);
    }
}

static void tick(struct life *life, int64_t time)
{
    static const uint8_t packet[12] = {0, 0, 0, 12};
    const struct tick tick = {.time = time,
                              .for_whom = TICK_RTDE | TICK_REALTIME,
                              .image = variables_first(life->variables),
                              .packet = packet,
                              .packet_length = sizeof packet};
    for (unsigned i = 0; i < PEERS; i++)
        if (life->peers[i])
            life->kind->tick(life->peers[i], &tick, &life->out);
}

static void step(struct life lives[LIVES], struct input *input, int64_t *time)
{
    unsigned first = input_byte(input), how = input_byte(input), i = first >> 4 & 1;
    enum operation operation = (enum operation)(first % OPERATIONS);
    size_t length = operation == LONG_SEND ? how * 256u : how;
    const uint8_t *bytes = operation <= LONG_SEND ? input_bytes(input, &length) : NULL;
    *time += how * CYCLE / 4;
    for (unsigned k = 0; k < LIVES; k++) {
        lives[k].out.length = 0;
        if (operation <= LONG_SEND)
            take(&lives[k], i, bytes, length, k == 0 ? SIZE_MAX / 2 : 1);
        else if (operation == TICK)
            tick(&lives[k], *time);
        if (operation == AGAIN) {
            close_peer(&lives[k], i);
            open_peer(&lives[k], i);
        }
    }
    judge(lives);
}

/* ---- a server ---- */

static void add(struct variables *variables, const char *name, enum armtap_type type, unsigned count)
{
    struct variable *added;
    CHECK(variables_add(variables, name, type, count, &added) == 0 && added);
    added->recorded = true;
}

static void choose(struct life *life, unsigned which)
{
    const struct server_kind *const kinds[] = {&rtde_server_kind, &rtde_server_kind, &dashboard_stub_kind,
                                               &realtime_server_kind, &primary_imitated_kind};
    void *const servers[] = {life->rtde, life->rtde, &life->dashboard, &life->realtime, &life->primary_port};
    life->kind = kinds[which % 5];
    life->server = servers[which % 5];
}

static void begin(struct life *life, unsigned which)
{
    static const char *const names[] = {"payload"};
    *life = (struct life){.variables = variables_new()};
    CHECK(life->variables);
    add(life->variables, "timestamp", ARMTAP_DOUBLE, 1);
    add(life->variables, "actual_q", ARMTAP_DOUBLE, 6);
    add(life->variables, "robot_mode", ARMTAP_INT32, 1);
    add(life->variables, "payload", ARMTAP_DOUBLE, 1);
    add(life->variables, "wonder", ARMTAP_UINT8, 1);
    CHECK(variables_add_registers(life->variables) == 0);
    const struct rtde_server_options options = {.variables = life->variables,
                                                .release = {5, 11, 1, 1},
                                                .max_protocol = 3,
                                                .cycle = CYCLE,
                                                .hidden = {names, 1},
                                                .text = which & 64 ? "text" : NULL};
    life->rtde = rtde_server_new(&options);
    CHECK(life->rtde);
    CHECK(latest_begin(&life->dashboard.latest, life->variables, NULL) == 0);
    life->primary_port = (struct primary_server){.stub = &life->primary, .imitates = true, .fills = true};
    life->dashboard.imitates = true;
    CHECK(latest_begin(&life->primary.latest, life->variables, NULL) == 0);
    choose(life, which & 63);
    for (unsigned i = 0; i < PEERS; i++)
        open_peer(life, i);
}

static void end(struct life *life)
{
    for (unsigned i = 0; i < PEERS; i++)
        close_peer(life, i);
    rtde_server_free(life->rtde);
    latest_end(&life->dashboard.latest);
    latest_end(&life->primary.latest);
    variables_free(life->variables);
    free(life->out.data);
}

FUZZ_TARGET(serve)
{
    struct input input = {data, data + size};
    struct life lives[LIVES];
    unsigned which = input_byte(&input);
    size_t held = bytes_held();
    int64_t time = 0;
    for (unsigned k = 0; k < LIVES; k++)
        begin(&lives[k], which);
    judge(lives);
    while (input.at < input.end)
        step(lives, &input, &time);
    CHECK(bytes_held() <= held + HELD_MAX);
    for (unsigned k = 0; k < LIVES; k++)
        end(&lives[k]);
    return 0;
}
