/* What a capture's digest keeps of its packets, and how a net passes over a stretch that a digest describes. */
#include "network/net.h"

#include "stretch.h"
#include "try.h"

#include <stdlib.h>

/* Changes with everything that happens apart from connections' data. */
static uint64_t stirs(const struct armtap_net *net)
{
    uint64_t count = net->connections + net->flows.count + net->doubts;
    for (size_t i = 0; i < ARMTAP_NOTE_COUNT; i++)
        count += net->notes[i];
    return count;
}

static struct armtap_flow *flow_of(const struct armtap_net *net, const struct armtap_segment *segment)
{
    struct armtap_flow_key key;
    armtap_flow_key_of(segment, &key);
    return armtap_flow_find(&net->flows, &key);
}

void armtap_net_digest_before(struct armtap_net *net, const struct armtap_segment *segment)
{
    if (net->digest)
        armtap_digest_before(net->digest, segment ? flow_of(net, segment) : NULL, stirs(net), net->pool.waiting);
}

int armtap_net_digest_after(struct armtap_net *net, const struct armtap_packet *packet,
                            const struct armtap_segment *segment)
{
    return net->digest ? armtap_digest_after(net->digest, segment ? flow_of(net, segment) : NULL, packet, segment,
                                             stirs(net), net->pool.waiting)
                       : 0;
}

static int keep_fragment(void *user, const struct armtap_packet *packet)
{
    return armtap_digest_keep(user, packet);
}

int armtap_net_digest(struct armtap_net *net, struct armtap_digest *digest)
{
    if (!net)
        return ARMTAP_ERR_ARGUMENT;
    if (net->busy)
        return ARMTAP_ERR_BUSY;
    int error = 0;
    for (int i = 0; i < ARMTAP_FLOW_CLASSES && net->digest; i++)
        for (struct armtap_flow *flow = net->flows.class[i].oldest; flow && !error; flow = flow->newer)
            error = armtap_digest_flush(net->digest, flow);
    if (net->digest && !error)
        error = armtap_fragments_keep(&net->fragments, net->pool.now.file, keep_fragment, net->digest);
    if (net->digest)
        armtap_digest_sort(net->digest);
    net->digest = digest;
    return error;
}

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
    if (!flow->conn || flow->doubt || flow->tcp.ignored || !fits(flow, stretch))
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
    error = armtap_stretch_read(bytes, length, where, &stretch, &marks);
    if (!error)
        error = pass(net, &stretch);
    free(marks);
    return armtap_net_leave(net, error);
}
