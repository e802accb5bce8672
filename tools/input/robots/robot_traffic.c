#include "robot_traffic.h"

#include <stdlib.h>

struct connection {
    struct synthetic_tcp tcp;
    bool is_open;
    bool ended[2];
    struct setup_keeper setup;
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
        setup_keeper_free(&traffic->connections[i].setup);
    free(traffic);
}

static void begin_connection(struct connection *connection, const struct robot_event *event)
{
    connection->is_open = event->kind == ROBOT_OPENED;
    connection->ended[0] = connection->ended[1] = false;
    setup_keeper_begin(&connection->setup);
    synthetic_tcp_begin(&connection->tcp, &event->address[ARMTAP_FROM_ROBOT], &event->address[ARMTAP_TO_ROBOT]);
}

static int end_connection(struct connection *connection, const struct robot_event *event, synthetic_take *take,
                          void *user)
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
        begin_connection(connection, event);
        return synthetic_tcp_open(&connection->tcp, event->time, take, user);
    case ROBOT_REFUSED:
        begin_connection(connection, event);
        return synthetic_tcp_refused(&connection->tcp, event->time, take, user);
    case ROBOT_UNANSWERED:
        begin_connection(connection, event);
        return synthetic_tcp_unanswered(&connection->tcp, event->time, take, user);
    case ROBOT_BYTES:
        if (setup_keeper_take(&connection->setup, event->direction, event->bytes, event->length) != 0)
            return -1;
        return synthetic_tcp_bytes(&connection->tcp, event->direction, event->bytes, event->length, event->time, take,
                                   user);
    case ROBOT_DROPPED:
        setup_keeper_skip(&connection->setup, event->direction);
        return synthetic_tcp_skip(&connection->tcp, event->direction, event->lost_bytes, event->time, take, user);
    case ROBOT_CLOSED:
        return end_connection(connection, event, take, user);
    case ROBOT_STILL:
    case ROBOT_SAID:
        break;
    }
    return 0;
}

int robot_traffic_repeat(struct robot_traffic *traffic, int64_t time, synthetic_take *take, void *user)
{
    struct synthetic_part parts[SETUP_PARTS];
    int outcome = 0;
    for (size_t i = 0; i < traffic->count && outcome == 0; i++) {
        struct connection *connection = &traffic->connections[i];
        size_t count = setup_keeper_parts(&connection->setup, parts);
        if (connection->is_open)
            outcome = synthetic_tcp_repeat(&connection->tcp, parts, count, time, take, user);
    }
    return outcome;
}

size_t robot_traffic_next(const struct robot_traffic *traffic, unsigned robot, enum armtap_direction direction,
                          const uint8_t *bytes, size_t length, size_t *whole)
{
    return setup_keeper_next(&traffic->connections[robot].setup, direction, bytes, length, whole);
}
