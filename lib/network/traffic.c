#include "flow.h"

#include "bytes.h"

#include <string.h>

#define EPHEMERAL (32768 /* from here on systems take ports for clients; some from 49152 on */)

enum listener { LISTENER_ROBOT, LISTENER_MACHINE };

static const struct robot_port {
    uint16_t port;
    enum listener listener;
    const char *name;
} ports[] = {
#define ROBOT_PORT(port, listener, name) {port, LISTENER_##listener, name},
#include "robot_ports.def"
};

static const struct robot_port *find(uint16_t port)
{
    for (size_t i = 0; i < sizeof ports / sizeof ports[0]; i++)
        if (ports[i].port == port)
            return &ports[i];
    return NULL;
}

const char *armtap_traffic_name(uint16_t port)
{
    const struct robot_port *found = find(port);
    return found ? found->name : NULL;
}

bool armtap_robot_port_at(size_t number, struct armtap_robot_port *port)
{
    struct armtap_port decoded = {.size = sizeof decoded};
    size_t count = 0;
    if (!port || !armtap_is_sized(port->size, sizeof *port))
        return false;
    while (armtap_port_at(count, &decoded))
        if (count++ == number) {
            *port = (struct armtap_robot_port){port->size, decoded.port, armtap_protocol_name(decoded.protocol)};
            return true;
        }
    for (size_t i = 0; i < sizeof ports / sizeof ports[0]; i++)
        if (ports[i].listener == LISTENER_ROBOT && count++ == number) {
            *port = (struct armtap_robot_port){port->size, ports[i].port, ports[i].name};
            return true;
        }
    return false;
}

bool armtap_traffic_is_robots(uint16_t port)
{
    const struct robot_port *found = find(port);
    return found && found->listener == LISTENER_ROBOT;
}

/* Without SYN: a port below those of clients is a server's; one among them may be either's, unless the other end's is
 * among them too. */
static bool may_serve(const uint16_t port[2], unsigned end)
{
    return port[end] < EPHEMERAL || port[!end] >= EPHEMERAL;
}

void armtap_traffic_begin(struct armtap_traffic_count *count, const struct armtap_address address[2],
                          const uint16_t port[2], bool has_syn, unsigned server)
{
    for (unsigned end = 0; end < 2; end++) {
        const struct robot_port *found = find(port[end]);
        if (!found || (has_syn ? end != server : !may_serve(port, end)))
            continue;
        count->robot = address[end];
        count->port = port[end];
    }
}

static struct armtap_traffic_count *place_of(struct armtap_traffics *traffics, const struct armtap_traffic_count *count)
{
    for (size_t i = 0; i < traffics->count; i++)
        if (traffics->all[i].port == count->port &&
            memcmp(&traffics->all[i].robot, &count->robot, sizeof count->robot) == 0)
            return &traffics->all[i];
    if (traffics->count == ARMTAP_TRAFFICS_MAX)
        return NULL;
    struct armtap_traffic_count *added = &traffics->all[traffics->count++];
    *added = (struct armtap_traffic_count){.robot = count->robot, .port = count->port};
    return added;
}

void armtap_traffics_add(struct armtap_traffics *traffics, const struct armtap_traffic_count *count)
{
    struct armtap_traffic_count *place = count->robot.version ? place_of(traffics, count) : NULL;
    if (!place)
        return;
    place->packets += count->packets;
    place->bytes += count->bytes;
}
