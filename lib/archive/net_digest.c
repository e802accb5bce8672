/* What a capture's digest keeps of its packets. */
#include "network/net.h"
#include "inside.h"

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
