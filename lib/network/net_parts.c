/* Several nets read the parts of one capture, each the packets of its connections. */
#include "net.h"

#include "tcp/tcp_deliver.h"
#include "try.h"

int armtap_net_part(struct armtap_net *net, unsigned part)
{
    if (!net || part >= ARMTAP_PARTS_MAX)
        return ARMTAP_ERR_ARGUMENT;
    if (net->busy)
        return ARMTAP_ERR_BUSY;
    if (net->pool.packets)
        return ARMTAP_ERR_NOT_READY;
    net->part.is_one = true;
    net->part.number = part;
    return ARMTAP_OK;
}

bool armtap_net_waits(const struct armtap_net *net)
{
    return net && (net->attempts.oldest || net->pool.waiting);
}

/* What take_packet() does with a packet that concerns no connection. */
static int tick(struct armtap_net *net)
{
    armtap_flow_attempts_tick(&net->attempts, &net->pool.now);
    TRY(armtap_net_end_overdue(net));
    return armtap_tcp_sweep(&net->pool);
}

int armtap_net_tick(struct armtap_net *net, const struct armtap_where *where, uint64_t packets)
{
    if (!net || !where || packets == 0 || (packets > 1 && armtap_net_waits(net)))
        return ARMTAP_ERR_ARGUMENT;
    int error = armtap_net_enter(net);
    if (error)
        return error;
    net->pool.now = *where;
    net->pool.packets += packets;
    if (packets > 1)
        net->attempts.last = *where;
    return armtap_net_leave(net, packets > 1 ? 0 : tick(net));
}

/* Whether they would all have done the same if the first had been given everything. */
static bool stand_beside(struct armtap_net *const *nets, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            if (k != i && !armtap_knowledge_stands_beside(nets[i]->knowledge, nets[k]->knowledge))
                return false;
    return true;
}

/* Whether one net would have shared the recipes that they share. */
static bool share_as_one(struct armtap_net *const *nets, size_t count)
{
    const struct armtap_layouts *all[ARMTAP_PARTS_MAX];
    for (size_t i = 0; i < count && i < ARMTAP_PARTS_MAX; i++)
        all[i] = &nets[i]->layouts;
    return count <= ARMTAP_PARTS_MAX && armtap_layouts_are_as_one(all, count);
}

bool armtap_nets_stand_alone(struct armtap_net *const *nets, size_t count)
{
    struct armtap_part_sum sum = {.most = {.is_one = true}};
    for (size_t i = 0; nets && i < count; i++) {
        if (!nets[i] || armtap_knowledge_has_guesses(nets[i]->knowledge))
            return false;
        armtap_part_add(&sum, &nets[i]->part, &nets[i]->reserve);
    }
    return nets && armtap_part_has_room(&sum) && share_as_one(nets, count) && stand_beside(nets, count);
}

unsigned armtap_net_load(const struct armtap_net *net, unsigned *lasting)
{
    struct armtap_part_sum sum = {.most = {.is_one = true}};
    unsigned unused;
    if (!net)
        return 0;
    armtap_part_add(&sum, &net->part, &net->reserve);
    return armtap_part_load(&sum, lasting ? lasting : &unused);
}
