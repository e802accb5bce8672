/* One client of the proxy and its connection to the robot: bytes pass in both directions as soon as the other side
 * takes them, and so do ends and resets. */
#ifndef PROXY_PROXY_PAIR_H
#define PROXY_PROXY_PAIR_H

#include "armtap.h"
#include "input/robots/event_loop.h"
#include "input/robots/tcp_socket.h"
#include "nanoseconds.h"

struct proxy_pair;

/* What happens between a client and a robot. The first three begin a connection. */
enum proxy_event {
    PROXY_CONNECTED,  /* the robot accepted */
    PROXY_REFUSED,    /* the robot, or the network, did not: the client was reset */
    PROXY_UNANSWERED, /* the robot did not answer in time: the client was reset */
    PROXY_BYTES,      /* bytes came and are on their way */
    PROXY_FINISHED,   /* a side will send no more */
    PROXY_RESET,      /* a side reset the connection, or is gone */
    PROXY_LET_GO,     /* a side sent no more, and nothing came for long: the proxy ended the connection */
    PROXY_OVER        /* the pair is over; it may be freed now, and only now */
};

struct proxy_news {
    enum proxy_event event;
    enum armtap_direction
        direction; /* of BYTES; of FINISHED, RESET and LET_GO: that in which the side sent that ended */
    int64_t time;  /* ns since the epoch */
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
/* ns: so long may nothing pass once a side sends no more, until the pair is let go. */
#define PROXY_PAIR_LINGER (30 * SECOND)
/* Since when nothing passes although a side sends no more, by event_loop_awake(); EVENT_NEVER: both sides may send. */
int64_t proxy_pair_ending_since(const struct proxy_pair *pair);
/* Lets it go at once; not to be called from its own callbacks. */
void proxy_pair_let_go(struct proxy_pair *pair);
/* Closes both sides; accepts NULL. */
void proxy_pair_free(struct proxy_pair *pair);

#endif
