#include "live_numbering.h"

#include <stdlib.h>
#include <string.h>

#include "base/timestamp.h"

/* ns of the capture without a byte, after which a connection is not waited for. */
#define SILENT_AFTER INT64_C(1000000000)

static bool is_telemetry_port(const struct live_numbering *arrivals, const char *robot)
{
    const char *colon = strrchr(robot, ':');
    unsigned long port = colon ? strtoul(colon + 1, NULL, 10) : 0;
    for (size_t i = 0; i < arrivals->port_count; i++)
        if (arrivals->ports[i].port == port)
            return true;
    struct armtap_port known;
    for (size_t i = 0; armtap_port_at(i, &known); i++)
        if (known.port == port)
            return true;
    return false;
}

static enum tables_outcome wait_for(struct live_numbering *arrivals, const struct armtap_stream *stream)
{
    if (arrivals->count == arrivals->room) {
        size_t room = 2 * arrivals->room + 16;
        const struct armtap_stream **waiting = realloc(arrivals->waiting, room * sizeof(*waiting));
        if (!waiting)
            return TABLES_NO_MEMORY;
        arrivals->waiting = waiting;
        arrivals->room = room;
    }
    arrivals->waiting[arrivals->count++] = stream;
    return TABLES_OK;
}

/* How many that wait were begun before the connection. */
static size_t place_of(const struct live_numbering *arrivals, uint64_t connection)
{
    size_t low = 0, high = arrivals->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (arrivals->waiting[middle]->connection < connection)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void forget(struct live_numbering *arrivals, uint64_t connection)
{
    size_t at = place_of(arrivals, connection);
    if (at == arrivals->count || arrivals->waiting[at]->connection != connection)
        return;
    arrivals->count--;
    memmove(arrivals->waiting + at, arrivals->waiting + at + 1, (arrivals->count - at) * sizeof *arrivals->waiting);
}

/* Whoever accepts a connection and then has nothing to say does not count. */
static bool is_silent(const struct armtap_stream *stream, const struct armtap_where *now)
{
    return stream->payload[0] + stream->payload[1] == 0 && stream->first.time != ARMTAP_NO_TIME &&
           armtap_time_between(stream->first.time, now->time) > SILENT_AFTER;
}

static enum tables_outcome number_until(struct live_numbering *arrivals, struct tables *tables,
                                        const struct armtap_event *event)
{
    size_t kept = 0, before = place_of(arrivals, event->stream->connection);
    if (arrivals->count == 0)
        return tables_stream(tables, event->stream);
    for (size_t i = 0; i < before; i++) {
        const struct armtap_stream *waiting = arrivals->waiting[i];
        if (is_silent(waiting, &event->where))
            arrivals->waiting[kept++] = waiting;
        else if (tables_stream(tables, waiting) != TABLES_OK)
            return TABLES_NO_MEMORY;
    }
    arrivals->count -= before - kept;
    memmove(arrivals->waiting + kept, arrivals->waiting + before, (arrivals->count - kept) * sizeof *arrivals->waiting);
    forget(arrivals, event->stream->connection);
    return tables_stream(tables, event->stream);
}

enum tables_outcome live_numbering_event(struct live_numbering *arrivals, struct tables *tables,
                                         const struct armtap_event *event)
{
    if (event->type == ARMTAP_EVENT_OPEN && is_telemetry_port(arrivals, event->stream->robot))
        return wait_for(arrivals, event->stream);
    if (event->type == ARMTAP_EVENT_RECOGNISED)
        return number_until(arrivals, tables, event);
    if (event->type == ARMTAP_EVENT_CLOSE)
        forget(arrivals, event->stream->connection);
    return TABLES_OK;
}

void live_numbering_free(struct live_numbering *arrivals)
{
    free(arrivals->waiting);
    *arrivals = (struct live_numbering){0};
}
