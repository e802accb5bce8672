/* What answers instead of the protocol that was asked for: by a connection's first bytes, or by its port where none
 * come.
 */
#include <string.h>

#include "client.h"
#include "connection/conn.h"

#define TYPE_AT 2u /* in a package of RTDE */

/* What the port is known to carry; NONE: nothing. */
static enum armtap_protocol of_port(const struct armtap_client *client)
{
    return armtap_port_protocol(armtap_conn_port_of(client->robot));
}

void armtap_client_keep_head(struct armtap_client *client, const uint8_t *bytes, size_t length)
{
    struct armtap_client_link *link = &client->link;
    size_t room = HEAD_BYTES - link->head_length, taken = length < room ? length : room;
    if (taken == 0)
        return;
    memcpy(link->head + link->head_length, bytes, taken);
    link->head_length += taken;
}

/* What a port that carries the protocol sends. */
static const char *what_comes(enum armtap_protocol protocol)
{
    switch (protocol) {
    case ARMTAP_RTDE:
        return "RTDE packages";
    case ARMTAP_REALTIME:
        return "realtime packets";
    case ARMTAP_PRIMARY:
        return "messages of the primary interface";
    case ARMTAP_DASHBOARD:
        return "lines of the dashboard server";
    default:
        return "messages of another protocol";
    }
}

static int leave_to(struct armtap_client *client, enum armtap_protocol other, size_t message)
{
    const char *wanted = what_comes(client->options.protocol);
    client->agreed.answers = other;
    if (other == ARMTAP_REALTIME)
        return armtap_client_finish(client, ARMTAP_CLIENT_GIVE_UP, "this port sends %s of %u bytes, not %s",
                                    what_comes(other), (uint64_t)message, wanted);
    return armtap_client_finish(client, ARMTAP_CLIENT_GIVE_UP, "this port sends %s, not %s", what_comes(other), wanted);
}

/* Whether it is settled that the bytes are not another protocol's. On the legacy port of simulators, messages of the
 * secondary interface come between packets. */
static bool is_settled(const struct armtap_client *client)
{
    enum armtap_protocol own = client->options.protocol;
    return own == ARMTAP_RTDE ? armtap_rtde_client_knows(client->link.head[TYPE_AT])
                              : client->link.had_data || of_port(client) == own;
}

int armtap_client_judge_head(struct armtap_client *client)
{
    struct armtap_client_link *link = &client->link;
    struct armtap_beginning_bytes first = {link->head, link->head_length, client->options.protocol, of_port(client)};
    bool more = false;
    size_t message;
    if (link->is_judged || link->head_length <= TYPE_AT)
        return ARMTAP_OK;
    link->is_judged = is_settled(client);
    if (link->is_judged)
        return ARMTAP_OK;
    enum armtap_protocol found = armtap_conn_begins_with(&first, &more, &message);
    if (more && link->head_length < HEAD_BYTES)
        return ARMTAP_OK;
    link->is_judged = true;
    if (found != ARMTAP_PROTOCOL_NONE && found != first.wanted)
        return leave_to(client, found, message);
    return first.wanted == ARMTAP_RTDE ? armtap_client_lose(client, "the answer is not RTDE") : ARMTAP_OK;
}

bool armtap_client_is_misled(const struct armtap_client *client)
{
    enum armtap_protocol other = of_port(client);
    return client->link.head_length == 0 && other != ARMTAP_PROTOCOL_NONE && other != client->options.protocol;
}

int armtap_client_leave_port(struct armtap_client *client)
{
    client->agreed.answers = of_port(client);
    return armtap_client_finish(client, ARMTAP_CLIENT_GIVE_UP, "nothing arrives; this port is for %s, not %s",
                                what_comes(client->agreed.answers), what_comes(client->options.protocol));
}
