/* One client of the proxy and its connection to the robot: bytes pass in both directions as soon as the other side
 * takes them, and so do ends and resets. */
#ifndef PROXY_PROXY_PAIR_H
#define PROXY_PROXY_PAIR_H

#include "armtap.h"
#include "input/robots/event_loop.h"
#include "base/os/tcp_socket.h"
#include "nanoseconds.h"
#include "record/capture_series.h"

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

/* Writes what connections carried into a capture, in a thread of its own: whoever has the bytes never waits for the
 * disk. What the thread cannot take in time is left out and counted. */

struct traffic_writer;

/* Begins a recording, of at most `connections` at a time; what its parts repeat is the writer's part of the wish. Does
 * not wait for the reader of a named pipe. NULL after a message. */
struct traffic_writer *traffic_writer_new(const struct capture_series_wish *wish, size_t connections);

struct traffic {
    enum proxy_event event; /* not OVER */
    size_t connection;      /* its place, below the number above */
    int64_t time;
    enum armtap_direction direction;
    struct tcp_address address[2]; /* of CONNECTED, REFUSED and UNANSWERED; by direction that the side sends in */
    const uint8_t *bytes;
    size_t length;
};
/* Never waits. */
void traffic_writer_put(struct traffic_writer *writer, const struct traffic *traffic);

struct traffic_totals {
    uint64_t packets, bytes, parts; /* written */
    uint64_t dropped; /* bytes that were not written, because the disk did not take them in time, or at all */
    bool failed;      /* the capture ended early, as a message said */
};
/* Writes what is left, and ends. Accepts NULL. */
struct traffic_totals traffic_writer_free(struct traffic_writer *writer);

#endif
