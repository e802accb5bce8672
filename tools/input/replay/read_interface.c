/* An interface, and the filter for what is captured there. */
#define _POSIX_C_SOURCE 200809L
#include "run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/process/message.h"
#include "base/os/privileges.h"

static size_t add_port(char *filter, size_t length, size_t room, const struct armtap_port *port)
{
    int more = snprintf(filter + length, room - length, "%stcp port %u", length == 0 ? "" : " or ", port->port);
    return length + (more > 0 && (size_t)more < room - length ? (size_t)more : 0);
}

/* "Destination unreachable", in IPv4 and IPv6, and fragments, of which only the first has ports. */
static const char others[] = " or icmp[0] == 3 or (ip6 proto 58 and ip6[40] == 1) or (ip proto 6 and ip[6:2] & 0x1fff "
                             "!= 0) or (ip6[6] == 44 and ip6[40] == 6)";

/* A capture filter for the telemetry ports, for the ICMP errors sent in a robot's place, and for fragments. The caller
 * frees it; NULL if memory runs out. */
static char *telemetry_filter(const struct replay_source *source)
{
    struct armtap_port port = {.size = sizeof port};
    size_t known = 0, length = 0;
    while (armtap_port_at(known, &port))
        known++;
    size_t room = (known + source->port_count) * sizeof " or tcp port 65535" + sizeof others;
    char *filter = calloc(1, room);
    if (!filter)
        return NULL;
    for (size_t i = 0; armtap_port_at(i, &port); i++)
        length = add_port(filter, length, room, &port);
    for (size_t i = 0; i < source->port_count; i++)
        length = add_port(filter, length, room, &source->ports[i]);
    snprintf(filter + length, room - length, "%s", others);
    return filter;
}

struct capture *replay_open_interface(const struct replay_source *source)
{
    char *made = source->filter ? NULL : telemetry_filter(source);
    const char *filter = made ? made : source->filter;
    if (!filter) {
        message_no_memory();
        return NULL;
    }
    struct capture *live = capture_open_live(source->interface, filter, made != NULL);
    int error = errno;
    free(made);
    if (!live && error == ENOMEM)
        message_no_memory();
    if (!live || (privileges_drop() == 0 && sandbox_enter() == 0))
        return live;
    capture_close(live);
    return NULL;
}

void replay_close_interface(struct capture *live)
{
    capture_close(live);
}

void run_interface(struct run *run)
{
    message_show_times();
    drops_begin(&run->drops, run_clock_time());
    run_packets(run, run->source->live, 0);
}
