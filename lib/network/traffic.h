/* Captured traffic on robot ports that no decoder reads. */
#ifndef ARMTAP_TRAFFIC_H
#define ARMTAP_TRAFFIC_H

#include "packet/link.h"

/* Robot ports counted separately; further ones are left out. */
#define ARMTAP_TRAFFICS_MAX 256

/* Of one connection, or of a robot's port. */
struct armtap_traffic_count {
    struct armtap_address robot; /* version 0: no such port */
    uint16_t port;
    uint64_t packets, bytes;
    bool sure; /* otherwise it may be a client's port by chance */
};

struct armtap_traffics {
    struct armtap_traffic_count all[ARMTAP_TRAFFICS_MAX]; /* in the order in which they were added */
    size_t count;
};

/* Looks at the first segment of a connection. `server` is the end that its SYN makes the server, by index of both ends;
 * without a SYN both ends are checked; ports that a client may have by chance count only if the other end's port may be
 * a client's too. */
void armtap_traffic_begin(struct armtap_traffic_count *count, const struct armtap_address address[2],
                          const uint16_t port[2], bool has_syn, unsigned server);
/* Adds a connection's counts. */
void armtap_traffics_add(struct armtap_traffics *traffics, const struct armtap_traffic_count *count);
/* Whether one of them is certainly a port of that robot. */
bool armtap_traffics_know(const struct armtap_traffics *traffics, const struct armtap_address *robot);
/* Whether only robots listen on a port. */
bool armtap_traffic_is_robots(uint16_t port);
/* The name of a port in the table, or NULL. */
const char *armtap_traffic_name(uint16_t port);

#endif
