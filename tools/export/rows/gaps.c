#define _POSIX_C_SOURCE 200809L
#include "gaps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/inside.h"
#include "array.h"

#define SILENT_AFTER 2.0 /* s; as the finding `silence` */
#define CYCLES_LEAST 2   /* missing */

struct robot_port {
    char *name;
    enum armtap_protocol protocol;
    int64_t last_read; /* of any connection */
    int64_t *ends;     /* of connections, as an earlier reading saw them, in order */
    size_t end_count;
    double usual;
};

static const char *const names[] = {
    [GAP_RECONNECTED] = "reconnected", [GAP_PAUSED] = "paused", [GAP_LOST] = "lost",
    [GAP_CAPTURE] = "capture",         [GAP_SILENT] = "silent", [GAP_SKIPPED] = "skipped",
};

const char *gap_cause_name(enum gap_cause cause)
{
    return names[cause];
}

void robot_ports_forget(struct robot_ports *ports)
{
    for (size_t i = 0; i < ports->count; i++) {
        free(ports->port[i]->name);
        free(ports->port[i]->ends);
        free(ports->port[i]);
    }
    free(ports->port);
    *ports = (struct robot_ports){.is_wanted = ports->is_wanted, .labels = ports->labels};
}

/* NULL without memory. */
static struct robot_port *port_of(struct robot_ports *ports, const struct armtap_stream *stream)
{
    const char *name = labels_name(ports->labels, stream->robot);
    for (size_t i = 0; i < ports->count; i++)
        if (ports->port[i]->protocol == stream->protocol && strcmp(ports->port[i]->name, name) == 0)
            return ports->port[i];
    struct robot_port *port = MAKE_ROOM(ports->port, ports->count) ? calloc(1, sizeof *port) : NULL;
    if (!port || !(port->name = strdup(name))) {
        free(port);
        return NULL;
    }
    port->protocol = stream->protocol;
    port->last_read = ARMTAP_NO_TIME;
    return ports->port[ports->count++] = port;
}

int gap_learn(struct robot_ports *ports, struct gap_track *track, const struct armtap_record *record)
{
    if (!ports->is_wanted)
        return 0;
    if (!track->port && !(track->port = port_of(ports, record->stream)))
        return -1;
    track->last_read = record->read.time;
    return 0;
}

int gap_keep_end(const struct gap_track *track)
{
    struct robot_port *port = track->port;
    if (!port || track->last_read == ARMTAP_NO_TIME)
        return 0;
    if (!MAKE_ROOM(port->ends, port->end_count))
        return -1;
    port->ends[port->end_count++] = track->last_read;
    return 0;
}

static int in_order(const void *one, const void *other)
{
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

void robot_ports_rewind(struct robot_ports *ports)
{
    for (size_t i = 0; i < ports->count; i++) {
        struct robot_port *port = ports->port[i];
        port->last_read = ARMTAP_NO_TIME;
        port->usual = 0;
        if (port->end_count > 0)
            qsort(port->ends, port->end_count, sizeof *port->ends, in_order);
    }
}

/* The last record before a connection begins. Those behind a hole, of one that has ended, may be read later: an earlier
 * reading knows when they came. */
static int64_t last_before(const struct robot_port *port, int64_t time)
{
    size_t from = 0, to = port->end_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (port->ends[middle] < time)
            from = middle + 1;
        else
            to = middle;
    }
    return from > 0 && port->ends[from - 1] > port->last_read ? port->ends[from - 1] : port->last_read;
}

/* As long as no usual time is known, that of the records so far stands in. */
static double usual_of(const struct gap_track *track, const struct gap_sight *sight)
{
    return sight->usual > 0 || track->steps == 0 ? sight->usual : track->flowing / track->steps;
}

/* The records due between two that follow each other within a connection: as many as the controller's clock says, else
 * those whose bytes are missing, and what came due in a pause or a long silence. */
static double missing_within(const struct gap_sight *sight, double usual, double seconds)
{
    double known = sight->lost + sight->unread;
    if (!isnan(sight->clock) && usual > 0)
        return floor(sight->clock / usual + 0.5) - 1;
    if (!(seconds > SILENT_AFTER) && !(sight->is_paused && usual > 0))
        return known;
    return fmax(known, floor(seconds / usual + 0.5) - 1); /* no limit where the cycle is not known */
}

/* The cause of most of what is missing; `seconds`: since the record before by the capture's time. */
static enum gap_cause cause_within(const struct gap_track *track, const struct gap_sight *sight, double seconds)
{
    double missing = missing_within(sight, usual_of(track, sight), seconds);
    double lost = fmin(sight->lost, missing), unread = fmin(sight->unread, missing - lost);
    double rest = missing - lost - unread;
    if (!(missing >= CYCLES_LEAST))
        return GAP_NONE;
    if (lost >= rest && lost >= unread)
        return GAP_LOST;
    if (unread >= rest)
        return GAP_CAPTURE;
    if (sight->is_paused)
        return GAP_PAUSED;
    if (seconds > SILENT_AFTER && !(sight->clock <= SILENT_AFTER))
        return GAP_SILENT;
    return sight->usual > 0 ? GAP_SKIPPED : GAP_NONE;
}

/* How long a gap lasted where the capture has no times, or records share one: to the microsecond. */
static double due_of(const struct gap_sight *sight)
{
    double due = isnan(sight->clock) ? (sight->lost + sight->unread + 1) * sight->usual : sight->clock;
    return floor(due * 1e6 + 0.5) / 1e6;
}

int gap_find(struct robot_ports *ports, struct gap_track *track, const struct armtap_record *record,
             const struct gap_sight *sight, struct gap *gap)
{
    bool is_first = !track->port;
    if (!ports->is_wanted)
        return 0;
    if (is_first && !(track->port = port_of(ports, record->stream)))
        return -1;
    struct robot_port *port = track->port;
    int64_t before = is_first ? last_before(port, record->read.time) : track->last_read;
    bool is_timed = before != ARMTAP_NO_TIME && record->read.time > before;
    double passed = is_timed ? (double)armtap_time_between(before, record->read.time) / 1e9 : NAN;
    double seconds = is_timed ? passed : due_of(sight);
    double usual = usual_of(track, sight);
    usual = usual > 0 ? usual : port->usual;
    *gap = (struct gap){.seconds = seconds};
    if (!is_first)
        gap->cause = cause_within(track, sight, passed);
    else if (is_timed && usual > 0 && seconds > (CYCLES_LEAST + 0.5) * usual)
        gap->cause = record->stream->midstream ? GAP_CAPTURE : GAP_RECONNECTED;
    if (!is_first && gap->cause == GAP_NONE && !(sight->usual > 0) && seconds > 0) {
        track->flowing += isnan(sight->clock) ? seconds : sight->clock;
        track->steps++;
    }
    if (gap->cause == GAP_NONE)
        gap->seconds = 0;
    track->last_read = port->last_read = record->read.time;
    port->usual = usual;
    return 0;
}
