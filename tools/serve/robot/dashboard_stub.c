/* Replies: UR's documents of the dashboard server, e-Series. */
#include "servers.h"

#include "serve/recording/other_ports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX DASHBOARD_REQUEST_MAX /* the rest is passed over */
#define REPLY_MAX (DASHBOARD_REPLY_MAX + 64u)
#define LINES_SHOWN 200u

struct dashboard_peer {
    struct dashboard_stub *stub;
    struct peer_wish wish;
    unsigned lines;
    size_t length;
    char line[LINE_MAX + 1];
};

/* ---- answers from the state -------------------------------------------------------------------------------------- */

static const char *mode_name(const struct dashboard_stub *stub, enum armtap_field_id id, double otherwise)
{
    double mode = latest_number(&stub->latest, id, 0, otherwise);
    const char *name = armtap_enum_name(armtap_field_at(id), (int64_t)mode, stub->generation);
    return name ? name : "UNDEFINED";
}

static void answer_version(const struct dashboard_stub *stub, char *to)
{
    const uint32_t *release = stub->release;
    snprintf(to, REPLY_MAX, "URSoftware %u.%u.%u.%u (Jan 01 2021)", release[0], release[1], release[2], release[3]);
}

static void answer_release(const struct dashboard_stub *stub, char *to)
{
    const uint32_t *release = stub->release;
    snprintf(to, REPLY_MAX, "%u.%u.%u.%u", release[0], release[1], release[2], release[3]);
}

static void answer_robot_mode(const struct dashboard_stub *stub, char *to)
{
    snprintf(to, REPLY_MAX, "Robotmode: %s", mode_name(stub, ARMTAP_ID_robot_mode, 7));
}

static void answer_safety_mode(const struct dashboard_stub *stub, char *to)
{
    snprintf(to, REPLY_MAX, "Safetymode: %s", mode_name(stub, ARMTAP_ID_safety_mode, 1));
}

/* A capture without the status has the mode, whose first values are the same. */
static void answer_safety_status(const struct dashboard_stub *stub, char *to)
{
    double mode = latest_number(&stub->latest, ARMTAP_ID_safety_mode, 0, 1);
    snprintf(to, REPLY_MAX, "Safetystatus: %s", mode_name(stub, ARMTAP_ID_safety_status, mode));
}

#define STATE_PLAYING 2
#define STATE_PAUSED 4

static double program_state(const struct dashboard_stub *stub)
{
    return latest_number(&stub->latest, ARMTAP_ID_runtime_state, 0, 1);
}

static void answer_program_state(const struct dashboard_stub *stub, char *to)
{
    double state = program_state(stub);
    snprintf(to, REPLY_MAX, "%s recorded.urp",
             state == STATE_PLAYING  ? "PLAYING"
             : state == STATE_PAUSED ? "PAUSED"
                                     : "STOPPED");
}

static void answer_running(const struct dashboard_stub *stub, char *to)
{
    snprintf(to, REPLY_MAX, "Program running: %s", program_state(stub) == STATE_PLAYING ? "true" : "false");
}

static const struct question {
    const char *name;
    void (*answer)(const struct dashboard_stub *stub, char *to);
    const char *fixed; /* the answer without a function */
} questions[] = {
    {"PolyscopeVersion", answer_version, NULL},
    {"version", answer_release, NULL},
    {"robotmode", answer_robot_mode, NULL},
    {"safetymode", answer_safety_mode, NULL},
    {"safetystatus", answer_safety_status, NULL},
    {"programState", answer_program_state, NULL},
    {"running", answer_running, NULL},
    {"stop", NULL, "Stopped"}, /* ur_rtde sends it to a running program, and goes on only with this answer */
    {"get robot model", NULL, "UR5"},
    {"get serial number", NULL, "20210000000"},
    {"is in remote control", NULL, "true"},
    {"get loaded program", NULL, "Loaded program: recorded.urp"},
    {"isProgramSaved", NULL, "true recorded.urp"},
    {"get operational mode", NULL, "AUTOMATIC"},
    {"getUserRole", NULL, "PROGRAMMER"},
};

/* What would act on a robot, or change something: the line is or begins like one of these. */
static const char *const commands[] = {"load",
                                       "play",
                                       "pause",
                                       "shutdown",
                                       "popup",
                                       "close popup",
                                       "addToLog",
                                       "setUserRole",
                                       "set operational mode",
                                       "clear operational mode",
                                       "power on",
                                       "power off",
                                       "brake release",
                                       "unlock protective stop",
                                       "close safety popup",
                                       "restart safety",
                                       "generate flight report",
                                       "generate support file",
                                       "saveLog"};

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static bool is_command(const char *line)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        size_t length = strlen(commands[i]);
        if (strncmp(line, commands[i], length) == 0 && (line[length] == '\0' || line[length] == ' '))
            return true;
    }
    return false;
}

/* NULL: nobody asked it in the capture. */
static const char *captured_reply(const struct dashboard_stub *stub, const char *line)
{
    return stub->recorded ? recorded_ports_answer(stub->recorded, stub->robot, line, stub->latest.captured) : NULL;
}

static void imitate_reply(const struct dashboard_stub *stub, const char *line, char *to)
{
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        const struct question *question = &questions[i];
        if (strcmp(line, question->name) != 0)
            continue;
        if (question->answer)
            question->answer(stub, to);
        else
            snprintf(to, REPLY_MAX, "%s", question->fixed);
        return;
    }
    if (is_command(line))
        snprintf(to, REPLY_MAX, "Failed to execute: %s", line);
    else
        snprintf(to, REPLY_MAX, "could not understand: '%s'", line);
}

static void say(struct dashboard_peer *peer, const char *reply)
{
    char text[2 * LINE_MAX + 16];
    if (peer->lines++ > LINES_SHOWN)
        return;
    snprintf(text, sizeof text, "%s -> %.*s", peer->line, (int)LINE_MAX, reply);
    peer->wish.say(peer->wish.user, peer->wish.client,
                   peer->lines > LINES_SHOWN ? "too many requests: further ones are not shown" : text);
}

/* False at the end. */
static bool take_line(struct dashboard_peer *peer, struct buffer *out)
{
    char reply[REPLY_MAX];
    bool quits = strcmp(peer->line, "quit") == 0;
    const char *captured = peer->line[0] == '\0' ? NULL : captured_reply(peer->stub, peer->line);
    if (captured)
        snprintf(reply, sizeof reply, "%s", captured);
    else if (quits)
        snprintf(reply, sizeof reply, "Disconnected");
    else if (peer->stub->imitates)
        imitate_reply(peer->stub, peer->line, reply);
    else
        snprintf(reply, sizeof reply, "could not understand: '%s'", peer->line);
    buffer_string(out, reply);
    buffer_char(out, '\n');
    say(peer, reply);
    return !quits;
}

static bool receive(void *user, const uint8_t *bytes, size_t length, struct buffer *out)
{
    struct dashboard_peer *peer = user;
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] != '\n') {
            if (peer->length < LINE_MAX && bytes[i] != '\0')
                peer->line[peer->length++] = (char)bytes[i];
            continue;
        }
        peer->length = dashboard_line_trim(peer->line, peer->length);
        peer->line[peer->length] = '\0';
        peer->length = 0;
        if (!take_line(peer, out))
            return false;
    }
    return true;
}

static void *open_peer(void *server, const struct peer_wish *wish, struct buffer *out)
{
    struct dashboard_peer *peer = calloc(1, sizeof *peer);
    if (!peer)
        return NULL;
    peer->stub = server;
    peer->wish = *wish;
    const char *captured = captured_reply(peer->stub, "");
    buffer_string(out, captured ? captured : "Connected: Universal Robots Dashboard Server");
    buffer_char(out, '\n');
    return peer;
}

static void tick(void *user, const struct tick *tick, struct buffer *out)
{
    struct dashboard_peer *peer = user;
    (void)out;
    latest_take(&peer->stub->latest, tick);
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

#define KIND(what)                                                                                                     \
    {                                                                                                                  \
        .name = "dashboard", .title = (what), .open = open_peer, .receive = receive, .tick = tick,                     \
        .wants_data = wants_data, .close = close_peer                                                                  \
    }
const struct server_kind dashboard_stub_kind = KIND("a simulated dashboard server");
const struct server_kind dashboard_captured_kind = KIND("the captured dashboard server");
