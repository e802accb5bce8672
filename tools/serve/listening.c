#include "listening.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"

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

void listening_say(void *user, const char *client, const char *line)
{
    (void)user;
    message_info("%s: %s", client, line);
}
