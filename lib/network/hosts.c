/* Which MAC addresses answer for the address of a robot or client: two that do so in turn are two machines. */
#include "net.h"

#include <string.h>

#include "try.h"

#define AT_ONCE INT64_C(1000000000) /* ns: two answers to one question */
enum { ARP_REPLY = 2 };

enum { CURRENT, BEFORE };

static struct armtap_host *host_of(struct armtap_hosts *hosts, const struct armtap_address *address)
{
    for (size_t i = 0; i < ARMTAP_HOSTS; i++)
        if (hosts->all[i].address.version && memcmp(&hosts->all[i].address, address, sizeof *address) == 0)
            return &hosts->all[i];
    struct armtap_host *host = &hosts->all[hosts->next++ % ARMTAP_HOSTS];
    *host = (struct armtap_host){.address = *address};
    return host;
}

/* A connection of robots that the host is an end of; NULL if there is none. */
static const struct armtap_flow *flow_of(const struct armtap_net *net, const struct armtap_address *address)
{
    for (int i = 0; i < ARMTAP_FLOW_CLASSES; i++)
        for (const struct armtap_flow *flow = net->flows.class[i].newest; flow; flow = flow->older)
            if ((memcmp(&flow->key.address[0], address, sizeof *address) == 0 ||
                 memcmp(&flow->key.address[1], address, sizeof *address) == 0) &&
                armtap_net_is_telemetry(net, flow->key.port[flow->robot_end]))
                return flow;
    return NULL;
}

/* Of other machines in the same network, nothing is said. */
static int tell(struct armtap_net *net, struct armtap_host *host)
{
    const struct armtap_flow *flow = flow_of(net, &host->address);
    char robot[64], mac[ARMTAP_MAC_TEXT], rest[ARMTAP_MAC_TEXT];
    if (!flow)
        return 0;
    host->state = ARMTAP_HOST_TOLD;
    struct armtap_where now = net->pool.now;
    struct armtap_segment about = {.source = host->address, .target = host->address};
    armtap_address_text(&flow->key.address[flow->robot_end], flow->key.port[flow->robot_end], robot);
    armtap_mac_text(host->mac[CURRENT], mac);
    armtap_mac_text(host->mac[BEFORE], rest);
    net->pool.now = host->where;
    int error = armtap_net_note(net, ARMTAP_NOTE_address_conflict, &about,
                                ARGS(arg_robot(robot), arg_mac(mac), arg_mac_of_rest(rest)));
    net->pool.now = now;
    return error;
}

int armtap_hosts_claim(struct armtap_net *net, const struct armtap_segment *segment)
{
    struct armtap_host *host = host_of(&net->hosts, &segment->source);
    bool is_reply = !segment->tcp && segment->flags == ARP_REPLY;
    if (host->mac[CURRENT] == segment->mac || segment->mac == 0 || host->state == ARMTAP_HOST_TOLD) {
        host->reply_time = is_reply ? net->pool.now.time : host->reply_time;
        return host->state == ARMTAP_HOST_TWICE ? tell(net, host) : 0;
    }
    bool returns = segment->mac == host->mac[BEFORE];
    bool both = is_reply && host->reply_time && net->pool.now.time - host->reply_time < AT_ONCE;
    host->mac[BEFORE] = host->mac[CURRENT];
    host->mac[CURRENT] = segment->mac;
    host->reply_time = is_reply ? net->pool.now.time : 0;
    if (!returns && !both)
        return 0;
    host->state = ARMTAP_HOST_TWICE;
    host->where = net->pool.now;
    return tell(net, host);
}

int armtap_hosts_finish(struct armtap_net *net)
{
    for (size_t i = 0; i < ARMTAP_HOSTS; i++)
        if (net->hosts.all[i].state == ARMTAP_HOST_TWICE)
            TRY(tell(net, &net->hosts.all[i]));
    return 0;
}
