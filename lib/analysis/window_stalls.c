#include "window_stalls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decimal.h"
#include "times.h"

void armtap_stalls_free(struct stalls *stalls)
{
    free(stalls->all);
    *stalls = (struct stalls){0};
}

static const char of_client[] = "the client";

bool armtap_stalls_is_client(const char *text)
{
    return strncmp(text, of_client, sizeof of_client - 1) == 0;
}

static void report(struct findings *findings, const struct stall *stall, const struct armtap_where *until,
                   const char *what_then)
{
    const char *who = stall->direction == ARMTAP_FROM_ROBOT ? "the robot" : of_client;
    double seconds = armtap_time_seconds(stall->from.time, until->time);
    if (seconds >= 0)
        armtap_findings_measure(findings, "tcp.zero-window", seconds, &stall->stream, &stall->from,
                                "%s stopped reading: its receive buffer was full for %s s%s", who, DECIMAL(seconds, 3),
                                what_then);
    else
        armtap_findings_say(findings, "tcp.zero-window", &stall->stream, &stall->from,
                            "%s stopped reading: its receive buffer was full%s", who, what_then);
}

static struct stall *stall_of(const struct stalls *stalls, uint64_t connection, enum armtap_direction direction)
{
    for (size_t i = 0; i < stalls->count; i++)
        if (stalls->all[i].stream.connection == connection && stalls->all[i].direction == direction)
            return &stalls->all[i];
    return NULL;
}

static int begin(struct stalls *stalls, struct findings *findings, const struct armtap_event *event)
{
    struct stall stall = {*event->stream, event->direction, event->where};
    if (stalls->count == STALLS_MAX) {
        const struct armtap_where nowhere = {.time = ARMTAP_NO_TIME};
        report(findings, &stall, &nowhere, "");
        return 0;
    }
    if (stalls->count == stalls->room) {
        size_t room = stalls->room == 0 ? 4 : stalls->room * 2;
        struct stall *all = realloc(stalls->all, room * sizeof *all);
        if (!all)
            return -1;
        stalls->all = all;
        stalls->room = room;
    }
    stalls->all[stalls->count++] = stall;
    return 0;
}

static void end(struct stalls *stalls, struct findings *findings, struct stall *stall, const struct armtap_where *until,
                const char *what_then)
{
    report(findings, stall, until, what_then);
    *stall = stalls->all[--stalls->count];
}

static void end_at_close(struct stalls *stalls, struct findings *findings, const struct armtap_event *event,
                         enum armtap_direction direction)
{
    struct stall *stall = stall_of(stalls, event->stream->connection, direction);
    if (stall)
        end(stalls, findings, stall, &event->where,
            event->a == ARMTAP_CLOSE_END_OF_CAPTURE ? ", and still is at the end of the capture"
                                                    : ", until the connection ended");
}

int armtap_stalls_event(struct stalls *stalls, struct findings *findings, const struct armtap_event *event)
{
    struct stall *stall = stall_of(stalls, event->stream->connection, event->direction);
    if (event->type == ARMTAP_EVENT_WINDOW && event->a == 0)
        return stall ? 0 : begin(stalls, findings, event);
    if (stall && event->type == ARMTAP_EVENT_WINDOW)
        end(stalls, findings, stall, &event->where, "");
    if (event->type == ARMTAP_EVENT_CLOSE) {
        end_at_close(stalls, findings, event, event->direction);
        /* A FIN ends its sender's stall; anything else ends both. */
        if (event->a != ARMTAP_CLOSE_FIN)
            end_at_close(stalls, findings, event, !event->direction);
    }
    return 0;
}

bool armtap_stalls_of_client(const struct stalls *stalls, uint64_t connection)
{
    return stall_of(stalls, connection, ARMTAP_TO_ROBOT) != NULL;
}

struct armtap_where armtap_stalls_begin_of_client(const struct stalls *stalls, uint64_t connection)
{
    const struct armtap_where nowhere = {.time = ARMTAP_NO_TIME};
    const struct stall *stall = stall_of(stalls, connection, ARMTAP_TO_ROBOT);
    return stall ? stall->from : nowhere;
}

void armtap_stalls_forget(struct stalls *stalls, uint64_t connection)
{
    for (size_t i = stalls->count; i-- > 0;)
        if (stalls->all[i].stream.connection == connection)
            stalls->all[i] = stalls->all[--stalls->count];
}
