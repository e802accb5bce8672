#include "robot_traffic.h"

#include <stdlib.h>
#include <string.h>

/* A set-up is a few kB long; a robot that sends more of such messages gets the first ones repeated. */
#define SETUP_MAX 65536
#define SETUP_PARTS 64
/* RTDE messages after which data makes sense: protocol, release, recipes, start and pause. */
#define SETUP_TYPES "VvOISP"
#define RTDE_HEADER 3

struct connection {
    struct synthetic_tcp tcp;
    bool is_open;
    bool ended[2];
    uint8_t *setup; /* SETUP_MAX bytes; NULL until there are any */
    size_t length;
    struct synthetic_part parts[SETUP_PARTS];
    size_t part_count;
};

struct robot_traffic {
    size_t count;
    struct connection connections[];
};

struct robot_traffic *robot_traffic_new(size_t robots)
{
    struct robot_traffic *traffic = calloc(1, sizeof *traffic + robots * sizeof *traffic->connections);
    if (traffic)
        traffic->count = robots;
    return traffic;
}

void robot_traffic_free(struct robot_traffic *traffic)
{
    for (size_t i = 0; traffic && i < traffic->count; i++)
        free(traffic->connections[i].setup);
    free(traffic);
}

static bool is_setup(const struct robot_event *event)
{
    const uint8_t *bytes = event->bytes;
    return event->length >= RTDE_HEADER && (size_t)(bytes[0] << 8 | bytes[1]) == event->length &&
           strchr(SETUP_TYPES, bytes[2]) && bytes[2] != '\0';
}

/* Keeps the message, to be repeated. */
static int keep(struct connection *connection, const struct robot_event *event)
{
    if (!is_setup(event) || connection->part_count == SETUP_PARTS || event->length > SETUP_MAX - connection->length)
        return 0;
    if (!connection->setup && !(connection->setup = malloc(SETUP_MAX)))
        return -1;
    uint8_t *to = connection->setup + connection->length;
    memcpy(to, event->bytes, event->length);
    connection->length += event->length;
    connection->parts[connection->part_count++] = (struct synthetic_part){event->direction, to, event->length};
    return 0;
}

static void begin(struct connection *connection, const struct robot_event *event)
{
    connection->is_open = event->kind == ROBOT_OPENED;
    connection->ended[0] = connection->ended[1] = false;
    connection->length = connection->part_count = 0;
    synthetic_tcp_begin(&connection->tcp, &event->address[ARMTAP_FROM_ROBOT], &event->address[ARMTAP_TO_ROBOT]);
}

static int end(struct connection *connection, const struct robot_event *event, synthetic_take *take, void *user)
{
    connection->ended[event->direction] = true;
    connection->is_open = !event->reset && !(connection->ended[0] && connection->ended[1]);
    return synthetic_tcp_close(&connection->tcp, event->direction, event->reset, event->time, take, user);
}

int robot_traffic_take(struct robot_traffic *traffic, const struct robot_event *event, synthetic_take *take, void *user)
{
    struct connection *connection = &traffic->connections[event->robot];
    switch (event->kind) {
    case ROBOT_OPENED:
        begin(connection, event);
        return synthetic_tcp_open(&connection->tcp, event->time, take, user);
    case ROBOT_REFUSED:
        begin(connection, event);
        return synthetic_tcp_refused(&connection->tcp, event->time, take, user);
    case ROBOT_UNANSWERED:
        begin(connection, event);
        return synthetic_tcp_unanswered(&connection->tcp, event->time, take, user);
    case ROBOT_BYTES:
        if (keep(connection, event) != 0)
            return -1;
        return synthetic_tcp_bytes(&connection->tcp, event->direction, event->bytes, event->length, event->time, take,
                                   user);
    case ROBOT_DROPPED:
        return synthetic_tcp_skip(&connection->tcp, event->direction, event->lost_bytes, event->time, take, user);
    case ROBOT_CLOSED:
        return end(connection, event, take, user);
    case ROBOT_STILL:
    case ROBOT_SAID:
        break;
    }
    return 0;
}

int robot_traffic_repeat(struct robot_traffic *traffic, int64_t time, synthetic_take *take, void *user)
{
    int outcome = 0;
    for (size_t i = 0; i < traffic->count && outcome == 0; i++) {
        struct connection *connection = &traffic->connections[i];
        if (connection->is_open)
            outcome =
                synthetic_tcp_repeat(&connection->tcp, connection->parts, connection->part_count, time, take, user);
    }
    return outcome;
}
