#include "other_ports.h"

#include <stdlib.h>
#include <string.h>

/* Connections at a time; another one takes the place of the one silent longest. */
#define LINKS 64u
/* What a client gets on connecting; controllers send five messages of 1.5 kB. */
#define GREETING_MESSAGES 16u
#define GREETING_BYTES ((size_t)64 * 1024)

struct link {
    uint64_t connection;
    uint64_t used; /* a count of calls: when it was used last; 0: free */
    char robot[64];
    uint16_t port;
    int64_t time;
    bool greets; /* `greeting` holds all that came so far */
    unsigned greeting_messages;
    struct buffer greeting;
    struct primary_stream stream;
    struct dashboard_talk *talk; /* NULL: the primary or secondary interface */
    struct other_ports *ports;
};

struct other_ports {
    struct other_ports_wish wish;
    uint64_t calls;
    struct link links[LINKS];
};

void other_ports_host(char to[64], const char *robot)
{
    const char *colon = strrchr(robot, ':');
    size_t length = colon ? (size_t)(colon - robot) : strlen(robot);
    if (length > 63)
        length = 63;
    memcpy(to, robot, length);
    to[length] = '\0';
}

struct other_ports *other_ports_new(const struct other_ports_wish *wish)
{
    struct other_ports *ports = calloc(1, sizeof *ports);
    if (ports)
        ports->wish = *wish;
    return ports;
}

static void free_link(struct link *link)
{
    primary_stream_end(&link->stream);
    free(link->greeting.data);
    free(link->talk);
    *link = (struct link){0};
}

void other_ports_free(struct other_ports *ports)
{
    for (unsigned i = 0; ports && i < LINKS; i++)
        free_link(&ports->links[i]);
    free(ports);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static int tell_bytes(const struct link *link, const uint8_t *bytes, size_t length, bool is_greeting)
{
    const struct port_message message = {.robot = link->robot,
                                         .port = link->port,
                                         .connection = link->connection,
                                         .time = link->time,
                                         .is_greeting = is_greeting,
                                         .bytes = bytes,
                                         .length = length};
    return link->ports->wish.on_message(link->ports->wish.user, &message);
}

static int tell_one(void *user, const uint8_t *message, size_t length)
{
    return tell_bytes(user, message, length, false);
}

/* No greeting after all: its messages are as any others. */
static int give_up_greeting(struct link *link)
{
    struct primary_stream again;
    if (!link->greets)
        return 0;
    link->greets = false;
    primary_stream_begin(&again, true);
    int outcome =
        primary_stream_bytes(&again, (const uint8_t *)link->greeting.data, link->greeting.length, tell_one, link);
    primary_stream_end(&again);
    return outcome;
}

static int on_message(void *user, const uint8_t *message, size_t length)
{
    struct link *link = user;
    if (link->greets &&
        (link->greeting_messages == GREETING_MESSAGES || link->greeting.length + length > GREETING_BYTES)) {
        int outcome = give_up_greeting(link);
        if (outcome != 0)
            return outcome;
    }
    if (!link->greets)
        return tell_bytes(link, message, length, false);
    buffer_put(&link->greeting, (const char *)message, length);
    if (link->greeting.failed)
        return OTHER_PORTS_NO_MEMORY;
    link->greeting_messages++;
    if (primary_message_type(message) != PRIMARY_ROBOT_STATE)
        return 0;
    link->greets = false;
    return tell_bytes(link, (const uint8_t *)link->greeting.data, link->greeting.length, true);
}

static int on_reply(void *user, const char *request, const char *reply)
{
    const struct link *link = user;
    const struct port_reply told = {link->robot, link->time, request, reply};
    const struct other_ports_wish *wish = &link->ports->wish;
    return wish->on_reply ? wish->on_reply(wish->user, &told) : 0;
}

/* ---- connections ------------------------------------------------------------------------------------------------- */

static bool is_ours(uint16_t port)
{
    return port == DASHBOARD_PORT || port == 30001 || port == 30002 || port == 30011 || port == 30012;
}

/* Both directions of the dashboard server's begin together. */
static int begin_link(struct link *link, const struct armtap_bytes *bytes)
{
    bool from_start = !bytes->stream->midstream && bytes->offset == 0;
    link->connection = bytes->stream->connection;
    link->port = bytes->port;
    other_ports_host(link->robot, bytes->stream->robot);
    link->greets = from_start && link->port != DASHBOARD_PORT;
    primary_stream_begin(&link->stream, from_start);
    if (link->port != DASHBOARD_PORT)
        return 0;
    link->talk = malloc(sizeof *link->talk);
    if (!link->talk)
        return OTHER_PORTS_NO_MEMORY;
    dashboard_talk_begin(link->talk, from_start);
    return 0;
}

static struct link *find_link(struct other_ports *ports, uint64_t connection)
{
    for (unsigned i = 0; i < LINKS; i++)
        if (ports->links[i].used > 0 && ports->links[i].connection == connection)
            return &ports->links[i];
    return NULL;
}

static int make_link(struct other_ports *ports, const struct armtap_bytes *bytes, struct link **made)
{
    struct link *link = &ports->links[0];
    int outcome = 0;
    for (unsigned i = 1; i < LINKS; i++)
        if (ports->links[i].used < link->used)
            link = &ports->links[i];
    if (link->used > 0)
        outcome = other_ports_close(ports, link->connection);
    if (outcome != 0)
        return outcome;
    free_link(link);
    link->ports = ports;
    link->used = ++ports->calls;
    *made = link;
    return begin_link(link, bytes);
}

static int take_gap(struct link *link)
{
    if (link->talk)
        dashboard_talk_gap(link->talk);
    primary_stream_gap(&link->stream);
    return give_up_greeting(link);
}

int other_ports_bytes(struct other_ports *ports, const struct armtap_bytes *bytes)
{
    bool from_robot = bytes->direction == ARMTAP_FROM_ROBOT;
    if (!is_ours(bytes->port) || (!from_robot && bytes->port != DASHBOARD_PORT))
        return 0;
    struct link *link = find_link(ports, bytes->stream->connection);
    if (!link) {
        int outcome = make_link(ports, bytes, &link);
        if (outcome != 0)
            return outcome;
    }
    link->used = ++ports->calls;
    link->time = bytes->where.time;
    if (!bytes->bytes)
        return take_gap(link);
    size_t length = (size_t)bytes->length;
    return link->talk ? dashboard_talk_bytes(link->talk, from_robot, bytes->bytes, length, on_reply, link)
                      : primary_stream_bytes(&link->stream, bytes->bytes, length, on_message, link);
}

static uint16_t port_of(const struct armtap_stream *stream)
{
    const char *colon = strrchr(stream->robot, ':');
    return colon ? (uint16_t)strtoul(colon + 1, NULL, 10) : 0;
}

/* Whether its bytes come as messages, not raw. */
static bool has_decoder(uint16_t port)
{
    struct armtap_port known = {.size = sizeof known};
    for (size_t i = 0; armtap_port_at(i, &known); i++)
        if (known.port == port)
            return true;
    return false;
}

int other_ports_message(struct other_ports *ports, const struct armtap_message *message)
{
    const struct armtap_bytes bytes = {.stream = message->stream,
                                       .where = message->where,
                                       .direction = message->direction,
                                       .port = port_of(message->stream),
                                       .offset = message->offset,
                                       .bytes = message->bytes,
                                       .length = message->length};
    return has_decoder(bytes.port) ? other_ports_bytes(ports, &bytes) : 0;
}

/* Whether the robot will say no more: a client that ends its direction may still be answered. */
static bool ends_robots_side(const struct armtap_event *event)
{
    return event->type == ARMTAP_EVENT_CLOSE && (event->direction == ARMTAP_FROM_ROBOT || event->a != ARMTAP_CLOSE_FIN);
}

int other_ports_event(struct other_ports *ports, const struct armtap_event *event)
{
    const struct armtap_bytes missing = {.stream = event->stream,
                                         .where = event->where,
                                         .direction = event->direction,
                                         .port = port_of(event->stream),
                                         .length = event->a};
    if (event->type == ARMTAP_EVENT_GAP)
        return has_decoder(missing.port) ? other_ports_bytes(ports, &missing) : 0;
    return ends_robots_side(event) ? other_ports_close(ports, event->stream->connection) : 0;
}

int other_ports_close(struct other_ports *ports, uint64_t connection)
{
    struct link *link = find_link(ports, connection);
    if (!link)
        return 0;
    int outcome = give_up_greeting(link);
    free_link(link);
    return outcome;
}
