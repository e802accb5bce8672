#include "shared_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/message.h"
#include "input/robots/robot_link.h"
#include "inside.h"
#include "analysis/inside.h"

/* Reports the first attempt, and what to do. */
static void report_attempts(const struct armtap_attempts *attempts)
{
    char text[ARMTAP_ATTEMPT_TEXT_MAX];
    const struct armtap_attempt *first = armtap_attempts_at(attempts, 0);
    armtap_attempt_text(text, attempts, first, NULL);
    message_error("no telemetry: %s%s%s", text, armtap_attempts_at(attempts, 1) ? ", and others" : "",
                  armtap_attempts_have_fault(attempts) ? "; armtap diagnose shows the remedy" : "");
}

static void report_open(const struct armtap_attempt_open *open)
{
    char text[ARMTAP_ATTEMPT_TEXT_MAX];
    armtap_attempt_open_text(text, open, NULL);
    message_error("no telemetry: %s", text);
}

/* The kind of packets that cannot be read of which there are most; `what` NULL: there are none. */
static struct armtap_unread find_unread(const struct replay_totals *totals)
{
    struct armtap_unread most = {.packets = 0};
    for (size_t i = 0; i < REPLAY_UNREAD_KINDS && totals->unread[i].what; i++)
        if (totals->unread[i].packets > most.packets)
            most = totals->unread[i];
    return most;
}

static void report_without_tcp(const struct replay_totals *totals, const char *packets)
{
    struct armtap_unread unread = find_unread(totals);
    if (unread.what)
        message_error("no telemetry: %" PRIu64 " %s, no TCP connection among them that can be read; %" PRIu64
                      " of them: %s, which armtap cannot decode; capture at the robot or its client, where packets are "
                      "not encapsulated",
                      totals->packets, packets, unread.packets, unread.what);
    else
        message_error("no telemetry: %" PRIu64 " %s, no TCP connection among them; capture the robot's traffic "
                      "with Wireshark, or tcpdump -s 0 -i any -w FILE host ROBOT",
                      totals->packets, packets);
}

bool no_telemetry_but_speech(const struct armtap_streams *streams)
{
    size_t kind = (size_t)(armtap_note_find("protocol.wrong-port") - armtap_note_at(0));
    return armtap_streams_note_counts(streams)[kind] > 0;
}

/* A protocol that this build lacks, to whose port there is a connection; NULL: none. */
static const struct armtap_protocol_info *find_lacking(const struct armtap_connections *connections)
{
    const struct armtap_protocol_info *info;
    for (size_t i = 0; (info = armtap_protocol_at(i)); i++)
        for (const uint16_t *port = info->ports; info->left_out && *port != 0; port++)
            for (size_t k = 0; k < connections->port_count; k++)
                if (strtoul(connections->ports[k], NULL, 10) == *port)
                    return info;
    return NULL;
}

void no_telemetry_report(const struct armtap_streams *streams, const struct replay_totals *totals)
{
    char ports[200] = "", protocols[REPLAY_PROTOCOLS_MAX];
    const struct armtap_connections *connections = armtap_streams_connections(streams);
    const struct armtap_attempts *attempts = armtap_streams_attempts(streams);
    struct armtap_attempt_open open;
    size_t length = 0;
    if (totals->packets == 0) {
        message_error(
            "no telemetry: there are no packets; capture the robot's traffic with Wireshark, or tcpdump -s 0 -i any "
            "-w FILE host ROBOT");
        return;
    }
    for (size_t i = 0; i < connections->port_count && length < sizeof ports - 10; i++)
        length +=
            (size_t)snprintf(ports + length, sizeof ports - length, "%s%s", i == 0 ? "" : " ", connections->ports[i]);
    const char *packets = totals->packets == 1 ? "packet" : "packets";
    const struct armtap_protocol_info *lacking = find_lacking(connections);
    replay_protocols(protocols, "|", "|");
    if (lacking)
        message_error("no telemetry: %" PRIu64
                      " %s, TCP port %s: this build of armtap lacks %s; configure it without %s",
                      totals->packets, packets, ports, lacking->title, lacking->left_out);
    else if (armtap_attempts_at(attempts, 0))
        report_attempts(attempts);
    else if (armtap_attempts_open_at(attempts, 0, &open))
        report_open(&open);
    else if (no_telemetry_but_speech(streams))
        message_error("no telemetry: a client used the protocol of another port; armtap diagnose names both");
    else if (connections->count > 0 && connections->port_count == 0)
        message_error("no telemetry: %" PRIu64 " %s, %" PRIu64
                      " TCP connection%s to the telemetry ports, but no telemetry; "
                      "capture for longer, both directions, from before the client connects",
                      totals->packets, packets, connections->count, connections->count == 1 ? "" : "s");
    else if (connections->count == 0)
        report_without_tcp(totals, packets);
    else
        message_error("no telemetry: %" PRIu64 " %s, %" PRIu64 " TCP connection%s (port %s%s); if one of them carries "
                      "telemetry, add --port N=%s",
                      totals->packets, packets, connections->count, connections->count == 1 ? "" : "s", ports,
                      connections->more_ports ? " and others" : "", protocols);
}

/* ---- robots ------------------------------------------------------------------------------------------------------ */

bool no_telemetry_came(const struct replay_source *source, const struct armtap_streams *streams)
{
    if (!source->robots)
        return false;
    for (size_t i = 0; i < armtap_streams_count(streams); i++) {
        const struct armtap_stream *stream = armtap_streams_at(streams, i)->stream;
        if (stream->records[ARMTAP_FROM_ROBOT] > 0 && !robot_companion_at(source->robots, stream->robot))
            return false;
    }
    return armtap_streams_rest(streams)->records[ARMTAP_FROM_ROBOT] == 0;
}

static const char *what_came(const struct armtap_stream *stream)
{
    if (stream->bytes_decoded[ARMTAP_FROM_ROBOT] > 0)
        return "answered, but sent no data";
    return stream->payload[ARMTAP_FROM_ROBOT] > 0 ? "sent nothing that can be read" : "accepted, but sent nothing";
}

void no_telemetry_report_robots(const struct replay_source *source, const struct armtap_streams *streams)
{
    size_t count = 0;
    const struct armtap_stream *first = NULL;
    const struct armtap_attempts *attempts = armtap_streams_attempts(streams);
    for (size_t i = armtap_streams_count(streams); i-- > 0;)
        if (!robot_companion_at(source->robots, armtap_streams_at(streams, i)->stream->robot)) {
            first = armtap_streams_at(streams, i)->stream;
            count++;
        }
    if (first) {
        message_error("no telemetry: %s %s%s", first->robot, what_came(first),
                      count > 1 ? "; further connections brought no data either" : "");
    } else if (armtap_attempts_at(attempts, 0)) {
        report_attempts(attempts);
    } else {
        message_error("no telemetry: no robot has accepted a connection");
    }
}
