#include "tables.h"

#include <stdlib.h>
#include <string.h>

#include "nanoseconds.h"
#include "analysis/inside.h"

/* A connection without a byte for so many ns of the capture is not waited for. */
#define SILENT_AFTER SECOND

static bool is_telemetry_port(const struct live_numbering *numbering, const char *robot)
{
    const char *colon = strrchr(robot, ':');
    unsigned long port = colon ? strtoul(colon + 1, NULL, 10) : 0;
    for (size_t i = 0; i < numbering->port_count; i++)
        if (numbering->ports[i].port == port)
            return true;
    struct armtap_port known = {.size = sizeof known};
    for (size_t i = 0; armtap_port_at(i, &known); i++)
        if (known.port == port)
            return true;
    return false;
}

/* Whether a connection was accepted, but carries no data. */
static bool is_silent(const struct armtap_stream *stream, const struct armtap_where *now)
{
    return stream->payload[0] + stream->payload[1] == 0 && stream->first.time != ARMTAP_NO_TIME &&
           armtap_time_between(stream->first.time, now->time) > SILENT_AFTER;
}

static enum tables_outcome number_until(struct live_numbering *numbering, struct tables *tables,
                                        const struct armtap_event *event)
{
    struct by_connection *waiting = &numbering->waiting;
    size_t kept = 0, before = by_connection_place(waiting, event->stream->connection);
    if (waiting->count == 0)
        return tables_stream(tables, event->stream);
    for (size_t i = 0; i < before; i++) {
        const struct armtap_stream *stream = waiting->slots[i].thing;
        if (is_silent(stream, &event->where))
            waiting->slots[kept++] = waiting->slots[i];
        else if (tables_stream(tables, stream) != TABLES_OK)
            return TABLES_NO_MEMORY;
    }
    waiting->count -= before - kept;
    memmove(waiting->slots + kept, waiting->slots + before, (waiting->count - kept) * sizeof *waiting->slots);
    by_connection_remove(&numbering->waiting, event->stream->connection);
    return tables_stream(tables, event->stream);
}

enum tables_outcome live_numbering_event(struct live_numbering *numbering, struct tables *tables,
                                         const struct armtap_event *event)
{
    if (event->type == ARMTAP_EVENT_OPEN && is_telemetry_port(numbering, event->stream->robot))
        return by_connection_add(&numbering->waiting, event->stream->connection, (void *)event->stream)
                   ? TABLES_OK
                   : TABLES_NO_MEMORY;
    if (event->type == ARMTAP_EVENT_RECOGNISED)
        return number_until(numbering, tables, event);
    if (event->type == ARMTAP_EVENT_CLOSE)
        by_connection_remove(&numbering->waiting, event->stream->connection);
    return TABLES_OK;
}

void live_numbering_free(struct live_numbering *numbering)
{
    free(numbering->waiting.slots);
    *numbering = (struct live_numbering){0};
}
