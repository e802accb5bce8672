#include "clients.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/process/message.h"
#include "command_line/options.h"

#define PAIRS_MAX 64u

static const struct served_port all[SERVED_PORTS] = {
    {30004, 30004, PORT_RTDE, false, true},    {30003, 30003, PORT_REALTIME, false, true},
    {30013, 30013, PORT_REALTIME, true, true}, {30001, 30001, PORT_PRIMARY, false, true},
    {30002, 30002, PORT_PRIMARY, false, true}, {30011, 30011, PORT_PRIMARY, true, true},
    {30012, 30012, PORT_PRIMARY, true, true},  {29999, 29999, PORT_DASHBOARD, false, true},
};

void ports_default(struct served_port ports[SERVED_PORTS])
{
    memcpy(ports, all, sizeof all);
}

static struct served_port *find_port(struct served_port *ports, unsigned number)
{
    for (unsigned i = 0; i < SERVED_PORTS; i++)
        if (ports[i].controllers == number)
            return &ports[i];
    return NULL;
}

int ports_parse(struct served_port ports[SERVED_PORTS], const char *list)
{
    struct port_pair pairs[PAIRS_MAX];
    size_t count = port_list_parse(list, pairs, PAIRS_MAX), known = 0;
    for (unsigned i = 0; i < SERVED_PORTS; i++)
        ports[i].is_served = false;
    for (size_t i = 0; i < count; i++) {
        struct served_port *port = find_port(ports, pairs[i].robots);
        if (!port)
            continue;
        port->here = pairs[i].here;
        port->is_served = true;
        known++;
    }
    if (count > 0 && known == count)
        return 0;
    message_error("--ports '%s': expected ports of a controller (29999, 30001 to 30004, 30011 to 30013), each with the "
                  "port to use instead if it differs, as in --ports 30004=40004,30003=0; 0 is any free port",
                  list);
    return -1;
}

void listening_warn(const struct tcp_address *address)
{
    if (!tcp_address_is_loopback(address))
        message_warning("anyone who can reach this address can connect: there are no passwords");
}

static void complain(const struct served_port *port, const char *address, int error)
{
    if (error == EADDRINUSE)
        message_error("%s: another program listens there; use another address (--listen 127.0.0.11) or port (--ports "
                      "%u=0)",
                      address, port->controllers);
    else
        message_error("%s: cannot listen: %s", address, strerror(error));
}

int listening_begin(struct clients *clients, const struct served_port *port, const struct tcp_address *address,
                    const struct server_kind *kind, void *server)
{
    struct tcp_address here = *address;
    char label[16], text[TCP_ADDRESS_MAX];
    tcp_address_set_port(&here, port->here);
    snprintf(label, sizeof label, "%u", port->controllers);
    int outcome = clients_listen(clients, kind, server, label, &here);
    int error = errno;
    tcp_address_text(&here, text);
    if (outcome != 0)
        complain(port, text, error);
    else
        message_info("%s: %s listens on %s", label, kind->title, text);
    return outcome;
}

void listening_totals(char to[LISTENING_TOTALS_MAX], const struct clients *clients)
{
    const struct clients_totals totals = clients_totals(clients);
    int length = snprintf(to, LISTENING_TOTALS_MAX, "; %" PRIu64 " client%s; %" PRIu64 " package%s dropped%s",
                          totals.served, totals.served == 1 ? "" : "s", totals.dropped, totals.dropped == 1 ? "" : "s",
                          totals.dropped > 0 ? ", because clients read too slowly" : "");
    if (totals.made_room > 0 || totals.turned_away > 0)
        snprintf(to + length, LISTENING_TOTALS_MAX - (size_t)length,
                 "; %" PRIu64 " idle ones were closed for others, %" PRIu64 " refused", totals.made_room,
                 totals.turned_away);
}

void listening_still(void *user, int64_t time)
{
    (void)user;
    message_still(time);
}

void listening_say(void *user, const char *client, const char *line)
{
    (void)user;
    message_info("%s: %s", client, line);
}
