/* Whether what connections brought up to some packet can still be seen in another light. */
#include "network/net.h"

#include "bytes.h"
#include "connection/connection.h"

static bool is_side_settled(const struct armtap_tcp_side *side)
{
    return !side->queue.head && side->missed == 0 && !side->has_probe && side->state != ARMTAP_TCP_HELD;
}

static bool is_half_settled(const struct armtap_half *half, const struct armtap_where *until)
{
    if (half->used > 0)
        return half->mode == ARMTAP_HALF_SYNCED && half->mark_count > 0 &&
               armtap_where_is_later(&half->marks[0].where, until);
    return half->mode == ARMTAP_HALF_SYNCED || half->closed || half->offset == 0;
}

/* Whether no later packet can change what is said of the flow's packets up to `until`: it is known what the flow
 * carries, no byte waits for missing ones, and no message is unfinished that began by then. */
static bool is_flow_settled(const struct armtap_flow *flow, const struct armtap_where *until)
{
    const struct armtap_conn *conn = flow->conn;
    if (flow->doubt || flow->tcp.may_be_reset)
        return false;
    if (!conn || flow->tcp.ignored || armtap_where_is_later(&conn->stream.first, until))
        return true;
    if (flow->class == ARMTAP_FLOW_NEW || armtap_conn_layers_wait(conn))
        return false;
    for (int i = 0; i < 2; i++)
        if (!is_side_settled(&flow->tcp.side[i]) || !is_half_settled(&conn->half[i], until))
            return false;
    return true;
}

bool armtap_net_is_settled(const struct armtap_net *net, const struct armtap_where *until)
{
    if (!net || !until || !armtap_is_sized(until->size, sizeof *until) || net->busy || net->error ||
        !armtap_knowledge_is_certain(net->knowledge) || armtap_fragments_wait(&net->fragments))
        return false;
    for (int i = ARMTAP_FLOW_IDLE; i < ARMTAP_FLOW_CLASSES; i++)
        for (const struct armtap_flow *flow = net->flows.class[i].oldest; flow; flow = flow->newer)
            if (!is_flow_settled(flow, until))
                return false;
    return true;
}
