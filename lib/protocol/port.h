/* Which protocol a port is for. */
#ifndef ARMTAP_LIB_PORT_H
#define ARMTAP_LIB_PORT_H

#include "armtap.h"

/* The protocol that a built-in decoder expects on a port, as armtap_port_at() lists them; NONE: none does. */
enum armtap_protocol armtap_port_protocol(uint16_t port);

#endif
