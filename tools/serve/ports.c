#include "ports.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"

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

/* Digits, and the character after them; -1: no port. */
static long read_port(const char **text)
{
    char *end;
    if (**text < '0' || **text > '9')
        return -1;
    long port = strtol(*text, &end, 10);
    *text = end;
    return port > 65535 ? -1 : port;
}

static struct served_port *find(struct served_port *ports, long number)
{
    for (unsigned i = 0; i < SERVED_PORTS; i++)
        if (ports[i].controllers == number)
            return &ports[i];
    return NULL;
}

int ports_parse(struct served_port ports[SERVED_PORTS], const char *list)
{
    const char *at = list;
    for (unsigned i = 0; i < SERVED_PORTS; i++)
        ports[i].is_served = false;
    for (;;) {
        struct served_port *port = find(ports, read_port(&at));
        long here = port ? port->controllers : -1;
        if (port && *at == '=') {
            at++;
            here = read_port(&at);
        }
        if (here < 0 || (*at != ',' && *at != '\0')) {
            message_error(
                "--ports '%s': expected ports of a controller (29999, 30001 to 30004, 30011 to 30013), each with "
                "the port to use instead if it is another, as in --ports 30004=40004,30003=0; 0 is any free port",
                list);
            return -1;
        }
        port->here = (uint16_t)here;
        port->is_served = true;
        if (*at++ == '\0')
            return 0;
    }
}
