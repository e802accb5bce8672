/* What happens between a client and a robot. The first three begin a connection. */
#ifndef PROXY_PROXY_EVENT_H
#define PROXY_PROXY_EVENT_H

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

#endif
