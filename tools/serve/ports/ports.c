#include "ports.h"

#include <string.h>

#include "base/process/message.h"
#include "command_line/port_list.h"

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

static struct served_port *find(struct served_port *ports, unsigned number)
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
        struct served_port *port = find(ports, pairs[i].robots);
        if (!port)
            continue;
        port->here = pairs[i].here;
        port->is_served = true;
        known++;
    }
    if (count > 0 && known == count)
        return 0;
    message_error("--ports '%s': expected ports of a controller (29999, 30001 to 30004, 30011 to 30013), each with the "
                  "port to use instead if it is another, as in --ports 30004=40004,30003=0; 0 is any free port",
                  list);
    return -1;
}
