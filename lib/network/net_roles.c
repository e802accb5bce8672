/* Who of a connection's ends is the robot, and what it speaks. */
#include "net.h"

#include "protocol/port.h"
#include "protocol/robot.h"

#define CLIENTS_FROM 32768 /* the lowest port that systems take for clients */

/* The protocol that the user gave for a port; NONE if none was given. */
static enum armtap_protocol port_of_user(const struct armtap_net *net, uint16_t port)
{
    for (size_t i = 0; i < net->port_count; i++)
        if (net->ports[i].port == port)
            return net->ports[i].protocol;
    return ARMTAP_PROTOCOL_NONE;
}

bool armtap_net_is_telemetry(const struct armtap_net *net, uint16_t port)
{
    enum armtap_protocol known = armtap_port_protocol(port);
    return port_of_user(net, port) || (known && !armtap_protocol_has(known, ARMTAP_TRAIT_ROBOT_CONNECTS));
}

/* The end that the first segment's SYN makes the server; without SYN, that of the lower port. */
static unsigned server_end(const struct armtap_flow *flow, const struct armtap_segment *segment, unsigned sender)
{
    if (segment->flags & ARMTAP_TCP_SYN)
        return segment->flags & ARMTAP_TCP_ACK ? sender : !sender;
    if (flow->key.port[0] == flow->key.port[1])
        return sender;
    return flow->key.port[1] < flow->key.port[0];
}

/* The protocol of an end's port. One on which a robot's peer listens may be any client's by chance: its end must be the
 * server, which without SYN the other port has to show. */
static enum armtap_protocol port_of_end(const struct armtap_flow *flow, const struct armtap_segment *segment,
                                        unsigned sender, unsigned end)
{
    enum armtap_protocol known = armtap_port_protocol(flow->key.port[end]);
    uint16_t other = flow->key.port[!end];
    bool has_syn = segment->flags & ARMTAP_TCP_SYN;
    bool is_robots = armtap_port_protocol(other) || armtap_traffic_name(other);
    bool serves = has_syn ? end == server_end(flow, segment, sender) : other >= CLIENTS_FROM && !is_robots;
    return serves || !armtap_protocol_has(known, ARMTAP_TRAIT_ROBOT_CONNECTS) ? known : ARMTAP_PROTOCOL_NONE;
}

/* The end that listens on a port of robots, and of robots only; -1: neither, or both. */
static int robots_port_end(const struct armtap_net *net, const struct armtap_flow *flow)
{
    bool is[2];
    for (unsigned end = 0; end < 2; end++)
        is[end] = armtap_traffic_is_robots(flow->key.port[end]) && !armtap_net_is_telemetry(net, flow->key.port[end]);
    return is[0] == is[1] ? -1 : is[1];
}

void armtap_net_tell_roles(const struct armtap_net *net, struct armtap_flow *flow, const struct armtap_segment *segment,
                           unsigned sender, struct armtap_conn_setup *setup)
{
    bool has_syn = segment->flags & ARMTAP_TCP_SYN;
    enum armtap_protocol known[2];
    for (unsigned end = 0; end < 2; end++)
        known[end] = port_of_user(net, flow->key.port[end]);
    setup->forced = known[0] || known[1];
    for (unsigned end = 0; end < 2 && !setup->forced; end++)
        known[end] = port_of_end(flow, segment, sender, end);
    bool both = known[0] && known[1];
    flow->robot_end = known[0] && !both ? 0 : known[1] && !both ? 1 : server_end(flow, segment, sender);
    setup->protocol = known[flow->robot_end];
    setup->port = flow->key.port[flow->robot_end];
    if (armtap_protocol_has(setup->protocol, ARMTAP_TRAIT_ROBOT_CONNECTS))
        flow->robot_end = !flow->robot_end;
    setup->roles_guessed = !has_syn && (both || !setup->protocol);
}

void armtap_net_find_taker(struct armtap_net *net, struct armtap_flow *flow, bool has_syn,
                           const struct armtap_conn_setup *setup)
{
    int end = setup->protocol ? -1 : robots_port_end(net, flow);
    if (end >= 0 && !has_syn)
        flow->robot_end = (unsigned)end;
    flow->taker = end == (int)flow->robot_end && net->sink.on_bytes ? net : NULL;
    flow->taken[0] = flow->taken[1] = 0;
}

void armtap_net_begin_traffic(struct armtap_net *net, struct armtap_flow *flow, const struct armtap_segment *segment,
                              unsigned sender)
{
    bool listed = true;
    for (unsigned end = 0; end < 2; end++)
        listed =
            listed && !armtap_net_is_telemetry(net, flow->key.port[end]) && !port_of_end(flow, segment, sender, end);
    if (listed)
        armtap_traffic_begin(&flow->traffic, flow->key.address, flow->key.port, segment->flags & ARMTAP_TCP_SYN,
                             server_end(flow, segment, sender));
}
