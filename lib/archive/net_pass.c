/* How a net passes over a stretch that a digest describes. */
#include "network/net.h"

#include "try.h"
#include "inside.h"

#include <stdlib.h>

/* Whether that end sent data in the stretch. */
static bool is_touched(const struct armtap_stretch_end *end)
{
    return end->before != end->after;
}

/* Whether a connection is where the packets of a stretch found it. */
static bool fits(const struct armtap_flow *flow, const struct armtap_stretch *stretch)
{
    for (unsigned i = 0; i < 2; i++) {
        const struct armtap_tcp_side *side = &flow->tcp.side[armtap_net_direction(flow, i)];
        const struct armtap_stretch_end *end = &stretch->end[i];
        struct armtap_unfinished unfinished;
        armtap_conn_unfinished(flow->conn, armtap_net_direction(flow, i), &unfinished);
        bool is_there = side->state == ARMTAP_TCP_UNSEEN ? !end->has_sent : (uint32_t)side->next == end->before;
        if (side->queue.head || !is_there || (is_touched(end) && unfinished.length != end->waited))
            return false;
        if (is_touched(end) && !armtap_conn_is_calm(flow->conn, armtap_net_direction(flow, i)))
            return false;
    }
    return true;
}

static int pass_data(struct armtap_flow *flow, const struct armtap_stretch *stretch, const struct armtap_where *where)
{
    struct armtap_tallies tallies = stretch->tallies;
    const struct armtap_unfinished *unfinished[2];
    if (!flow->conn || flow->doubt || flow->tcp.may_be_reset || flow->tcp.ignored || !fits(flow, stretch))
        return ARMTAP_ERR_NOT_READY;
    for (unsigned i = 0; i < 2; i++) {
        enum armtap_direction direction = armtap_net_direction(flow, i);
        tallies.side[direction] = stretch->tallies.side[i];
        unfinished[direction] = is_touched(&stretch->end[i]) ? &stretch->end[i].unfinished : NULL;
        armtap_tcp_pass(&flow->tcp.side[direction], stretch->end[i].after);
    }
    return armtap_conn_pass(flow->conn, &tallies, unfinished, where);
}

static int pass_quiet(struct armtap_flow *flow, const struct armtap_stretch *stretch, const struct armtap_where *where)
{
    struct armtap_tallies tallies = stretch->tallies;
    const struct armtap_unfinished *const none[2] = {NULL, NULL};
    if (flow->conn && !flow->tcp.ignored)
        return ARMTAP_ERR_NOT_READY;
    if (!flow->conn)
        return 0;
    for (unsigned i = 0; i < 2; i++) {
        tallies.side[armtap_net_direction(flow, i)] = stretch->tallies.side[i];
        armtap_tcp_pass(&flow->tcp.side[armtap_net_direction(flow, i)], stretch->end[i].after);
    }
    return armtap_conn_pass(flow->conn, &tallies, none, where);
}

static int pass(struct armtap_net *net, const struct armtap_stretch *stretch)
{
    struct armtap_flow *flow = armtap_flow_find(&net->flows, &stretch->key);
    if (!flow)
        return ARMTAP_ERR_NOT_READY;
    TRY((stretch->kind == ARMTAP_STRETCH_DATA ? pass_data : pass_quiet)(flow, stretch, &net->pool.now));
    flow->traffic.packets += stretch->packets;
    flow->traffic.bytes += stretch->bytes;
    armtap_flow_enter(&net->flows, flow, flow->class);
    net->pool.packets += stretch->packets;
    net->attempts.last = net->pool.now;
    return armtap_net_end_overdue(net);
}

int armtap_net_pass(struct armtap_net *net, const struct armtap_where *where, const void *bytes, size_t length)
{
    struct armtap_stretch stretch;
    struct armtap_mark *marks = NULL;
    if (!net || !where || !bytes)
        return ARMTAP_ERR_ARGUMENT;
    int error = armtap_net_enter(net);
    if (error)
        return error;
    net->pool.now = *where;
    net->pool.now.size = sizeof net->pool.now;
    error = armtap_stretch_read(bytes, length, where, &stretch, &marks);
    if (!error)
        error = pass(net, &stretch);
    free(marks);
    return armtap_net_leave(net, error);
}
