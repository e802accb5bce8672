#include "arrivals.h"

#include <stdlib.h>
#include <string.h>

static bool is_telemetry_port(const struct arrivals *arrivals, const char *robot)
{
    const char *colon = strrchr(robot, ':');
    unsigned long port = colon == NULL ? 0 : strtoul(colon + 1, NULL, 10);
    for (size_t i = 0; i < arrivals->port_count; i++)
        if (arrivals->ports[i].port == port)
            return true;
    struct armtap_port known;
    for (size_t i = 0; armtap_port_at(i, &known); i++)
        if (known.port == port)
            return true;
    return false;
}

static enum tables_outcome wait_for(struct arrivals *arrivals, uint64_t connection)
{
    if (arrivals->count == arrivals->room) {
        size_t room = 2 * arrivals->room + 16;
        uint64_t *waiting = realloc(arrivals->waiting, room * sizeof *waiting);
        if (waiting == NULL)
            return TABLES_NO_MEMORY;
        arrivals->waiting = waiting;
        arrivals->room = room;
    }
    arrivals->waiting[arrivals->count++] = connection;
    return TABLES_OK;
}

static void forget(struct arrivals *arrivals, uint64_t connection)
{
    size_t at = 0;
    while (at < arrivals->count && arrivals->waiting[at] != connection)
        at++;
    if (at == arrivals->count)
        return;
    arrivals->count--;
    memmove(arrivals->waiting + at, arrivals->waiting + at + 1, (arrivals->count - at) * sizeof *arrivals->waiting);
}

static enum tables_outcome number_until(struct arrivals *arrivals, struct tables *tables,
                                        const struct armtap_stream *stream)
{
    size_t before = 0;
    while (before < arrivals->count && arrivals->waiting[before] < stream->connection) {
        struct armtap_stream waiting = {.connection = arrivals->waiting[before++]};
        if (tables_stream(tables, &waiting) != TABLES_OK)
            return TABLES_NO_MEMORY;
    }
    arrivals->count -= before;
    if (before > 0)
        memmove(arrivals->waiting, arrivals->waiting + before, arrivals->count * sizeof *arrivals->waiting);
    forget(arrivals, stream->connection);
    return tables_stream(tables, stream);
}

enum tables_outcome arrivals_event(struct arrivals *arrivals, struct tables *tables, const struct armtap_event *event)
{
    if (event->type == ARMTAP_EVENT_OPEN && is_telemetry_port(arrivals, event->stream->robot))
        return wait_for(arrivals, event->stream->connection);
    if (event->type == ARMTAP_EVENT_RECOGNISED)
        return number_until(arrivals, tables, event->stream);
    if (event->type == ARMTAP_EVENT_CLOSE)
        forget(arrivals, event->stream->connection);
    return TABLES_OK;
}

void arrivals_free(struct arrivals *arrivals)
{
    free(arrivals->waiting);
    *arrivals = (struct arrivals){0};
}
