/* One client of the proxy and its connection to the robot: bytes pass in both directions as soon as the other side
 * takes them, and so do ends and resets. */
#ifndef PROXY_PROXY_PAIR_H
#define PROXY_PROXY_PAIR_H

#include "armtap.h"
#include "input/event_loop.h"
#include "input/tcp_socket.h"

struct proxy_pair;

enum proxy_event {
    PROXY_CONNECTED,  /* the robot accepted */
    PROXY_REFUSED,    /* the robot, or the network, did not: the client was reset */
    PROXY_UNANSWERED, /* the robot did not answer in time: the client was reset */
    PROXY_BYTES,      /* bytes came and are on their way */
    PROXY_FINISHED,   /* a side will send no more */
    PROXY_RESET,      /* a side reset the connection, or is gone */
    PROXY_OVER        /* the pair is over; it may be freed now, and only now */
};

struct proxy_news {
    enum proxy_event event;
    enum armtap_direction direction; /* of BYTES; of FINISHED and RESET: that in which the side sends */
    int64_t time;                    /* ns since the epoch */
    const uint8_t *bytes;
    size_t length;
    int error; /* REFUSED, RESET: the error number */
};

struct proxy_pair_wish {
    struct event_loop *loop;
    int client; /* connected; the pair closes it */
    const struct tcp_address *robot;
    void (*on_news)(void *user, const struct proxy_news *news);
    void *user;
};

/* Connects to the robot. NULL with errno; then the client is reset. */
struct proxy_pair *proxy_pair_new(const struct proxy_pair_wish *wish);
/* Closes both sides; accepts NULL. */
void proxy_pair_free(struct proxy_pair *pair);

#endif
