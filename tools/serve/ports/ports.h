/* The ports of a controller, and where they are served. */
#ifndef SERVE_PORTS_H
#define SERVE_PORTS_H

#include <stdbool.h>
#include <stdint.h>

/* What listens on a port. */
enum port_server { PORT_RTDE, PORT_REALTIME, PORT_PRIMARY, PORT_DASHBOARD, PORT_SERVERS };

struct served_port {
    uint16_t controllers; /* 30004 */
    uint16_t here;        /* the port to listen on; 0: any that is free */
    enum port_server server;
    bool read_only;
    bool is_served;
};
#define SERVED_PORTS 8u
void ports_default(struct served_port ports[SERVED_PORTS]);
/* Reads "30004=0,30003": only these are served then. 0, or -1 after a message. */
int ports_parse(struct served_port ports[SERVED_PORTS], const char *list);

#endif
