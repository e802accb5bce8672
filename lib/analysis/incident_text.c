#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "verdict.h"
#include "inside.h"

#define TEXT_MAX 1400

bool armtap_incident_same_host(const char *one, const char *other)
{
    const char *colon = strrchr(one, ':');
    size_t length = colon ? (size_t)(colon - one) + 1 : strlen(one);
    return length > 0 && strncmp(one, other, length) == 0 && strrchr(other, ':') == other + length - 1;
}

/* The ports with a controller's messages. Of the secondary interface only some are known: errors come on the primary.
 */
static const struct message_port {
    const char *port;
    bool has_errors;
} message_ports[] = {{"30001", true}, {"30002", false}, {"30011", true}, {"30012", false}};
#define MESSAGE_PORTS (sizeof message_ports / sizeof *message_ports)

struct text {
    char bytes[TEXT_MAX];
    size_t length;
};

FINDINGS_FORMAT(2, 3)
static void put(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->bytes + text->length, TEXT_MAX - text->length, format, arguments);
    va_end(arguments);
    text->length += length < 0 ? 0 : (size_t)length;
    if (text->length >= TEXT_MAX)
        text->length = TEXT_MAX - 1;
}

static const struct armtap_stream *stream_of(const struct verdict_grounds *grounds,
                                             const struct armtap_finding *finding)
{
    const struct armtap_stream_summary *summary =
        finding->stream == ARMTAP_NO_STREAM ? NULL : armtap_streams_at(grounds->streams, finding->stream);
    return summary ? summary->stream : NULL;
}

static const char *port_of(const char *end)
{
    const char *colon = strrchr(end, ':');
    return colon ? colon + 1 : "";
}

static bool is_message_port(const char *port)
{
    for (size_t i = 0; i < MESSAGE_PORTS; i++)
        if (strcmp(port, message_ports[i].port) == 0)
            return message_ports[i].has_errors;
    return false;
}

/* What happened, its time of the day, and its packet. */
static void put_stop(struct text *text, const struct verdict_grounds *grounds, const struct incident *incident)
{
    const struct armtap_finding *stop = armtap_findings_at(grounds->findings, incident->stop);
    char date[ARMTAP_TIME_MAX];
    armtap_time_text(date, stop->where.time, grounds->zone);
    char *dot = strchr(date, '.');
    if (dot)
        memmove(dot + 4, dot + 10, strlen(dot + 10) + 1);
    const char *clock = strchr(date, 'T');
    if (incident->kind == INCIDENT_STOP)
        put(text, "the robot went into %.*s", (int)strcspn(stop->text, " "), stop->text);
    else if (incident->kind == INCIDENT_PROGRAM)
        put(text, "the robot stopped (%s)", stop->text);
    else
        put(text, "no data came for %s s, until", DECIMAL(stop->size, 3));
    put(text, "%s %s (packet %" PRIu64 "): ", incident->kind == INCIDENT_DATA ? "" : " at", clock ? clock + 1 : date,
        stop->where.packet);
}

/* Where a finding was, and how long before or after the stop. */
static void put_place(struct text *text, const struct verdict_grounds *grounds, const struct armtap_finding *finding,
                      const struct armtap_finding *stop)
{
    const struct armtap_stream *stream = stream_of(grounds, finding);
    bool is_before = finding->where.time < stop->where.time;
    double seconds = is_before ? armtap_time_seconds(finding->where.time, stop->where.time)
                               : armtap_time_seconds(stop->where.time, finding->where.time);
    put(text, " (");
    if (stream && is_message_port(port_of(stream->robot)))
        put(text, "port %s, ", port_of(stream->robot));
    else if (stream)
        put(text, "stream %" PRIu32 ", ", finding->stream);
    put(text, "packet %" PRIu64 ", %s s %s)", finding->where.packet, DECIMAL(seconds, 3),
        is_before ? "before" : "after");
}

/* Whether the capture has such a connection of the robot: 1 decoded, 0 none, -1 some that was not decoded, maybe of
 * another robot. */
static int has_messages(const struct verdict_grounds *grounds, const struct armtap_stream *of)
{
    const struct armtap_connections *connections = armtap_streams_connections(grounds->streams);
    for (size_t i = 0; i < armtap_streams_count(grounds->streams); i++) {
        const struct armtap_stream *stream = armtap_streams_at(grounds->streams, i)->stream;
        if (armtap_incident_same_host(stream->robot, of->robot) && is_message_port(port_of(stream->robot)))
            return 1;
    }
    for (size_t i = 0; i < connections->port_count; i++)
        if (is_message_port(connections->ports[i]))
            return -1;
    return 0;
}

static void put_filter(struct text *text, const char *robot)
{
    size_t length = (size_t)(port_of(robot) - robot);
    bool is_bracketed = *robot == '[' && length > 2;
    put(text, "'host %.*s and tcp port (", (int)(length - (is_bracketed ? 3 : 1)), robot + is_bracketed);
    for (size_t i = 0; i < MESSAGE_PORTS; i++)
        put(text, "%s%s", i == 0 ? "" : " or ", message_ports[i].port);
    put(text, ")'");
}

static void put_unknown(struct text *text, const struct verdict_grounds *grounds, const struct armtap_finding *stop,
                        bool is_hinted)
{
    const struct armtap_stream *stream = stream_of(grounds, stop);
    put(text, "nothing in the capture says why");
    if (stream->protocol == ARMTAP_AUBO)
        return;
    int has = has_messages(grounds, stream);
    if (has > 0)
        put(text, ", although it has messages of the robot");
    else if (has < 0)
        put(text, "; the reason may be on port 30001, which was captured but not decoded");
    else if (is_hinted)
        put(text, "; port 30001 was not captured");
    else {
        put(text, "; the reason would be on port 30001, which was not captured: to capture it too, run tcpdump with ");
        put_filter(text, stream->robot);
    }
}

static void put_cause(struct text *text, const struct verdict_grounds *grounds, const struct armtap_finding *stop,
                      const struct incident_cause *cause)
{
    const struct armtap_finding *finding = armtap_findings_at(grounds->findings, cause->finding);
    const struct armtap_finding *with = armtap_findings_at(grounds->findings, cause->with);
    /* A stop that is its own cause was named already. */
    bool is_stop = finding == stop;
    if (!is_stop) {
        put(text, "%s", finding->text);
        put_place(text, grounds, finding, stop);
    }
    if (cause->meaning)
        put(text, "%s%s", is_stop ? "" : "; ", cause->meaning);
    if (with) {
        put(text, ": %s", with->text);
        put_place(text, grounds, with, stop);
    }
}

char *armtap_incident_text(const struct verdict_grounds *grounds, const struct incident *incident,
                           const struct incident_cause *cause)
{
    const struct armtap_finding *stop = armtap_findings_at(grounds->findings, incident->stop);
    struct text text = {.length = 0};
    put_stop(&text, grounds, incident);
    if (cause->finding == SIZE_MAX)
        put_unknown(&text, grounds, stop, cause->is_hinted);
    else
        put_cause(&text, grounds, stop, cause);
    put(&text, ".");
    char *copy = malloc(text.length + 1);
    return copy ? memcpy(copy, text.bytes, text.length + 1) : NULL;
}
