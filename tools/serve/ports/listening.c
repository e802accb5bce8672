#include "listening.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/process/message.h"

void listening_warn(const struct tcp_address *address)
{
    if (!tcp_address_is_loopback(address))
        message_warning("whoever reaches this address can connect: there are no passwords");
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
                 "; %" PRIu64 " idle ones made room, %" PRIu64 " turned away", totals.made_room, totals.turned_away);
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
