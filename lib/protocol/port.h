/* What is known of a connection before its bytes are: which protocol its port is for, and whether it is the rest of one
 * that was given up because there were more at once than armtap tracks. */
#ifndef ARMTAP_LIB_PORT_H
#define ARMTAP_LIB_PORT_H

#include "armtap.h"

/* The protocol that a built-in decoder expects on a port, as armtap_port_at() lists them; NONE: none does. */
enum armtap_protocol armtap_port_protocol(uint16_t port);

enum armtap_rest {
    ARMTAP_REST_NOT,
    ARMTAP_REST_PERHAPS, /* such connections were forgotten */
    ARMTAP_REST_SURELY
};

#endif
