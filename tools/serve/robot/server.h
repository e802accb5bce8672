/* What the servers share. A server does no input or output: for each client it has a peer, which is given the bytes
 * that came and the ticks of the robot, and appends what is to be sent to a buffer. */
#ifndef SERVE_SERVER_H
#define SERVE_SERVER_H

#include "base/text/buffer.h"
#include "input/robots/tcp_socket.h"
#include "serve/recording/variables.h"

/* Which clients a tick is for: bits. */
enum tick_for { TICK_RTDE = 1, TICK_REALTIME = 2 };

/* How a variable is given at a moment. */
enum given {
    GIVEN_NOT,      /* it is not recorded */
    GIVEN_AGAIN,    /* neither, but was: the last value */
    GIVEN_FILL,     /* neither: the user's value */
    GIVEN_RECORDED, /* the newest recorded value */
    GIVEN_COUNT
};

/* The robot at one moment of the recorded grid; or, without an image and for nobody, a message that was captured. A
 * tick with neither comes now and then while nothing is played; its time is of another clock. */
struct tick {
    int64_t time; /* ns, on a clock that never goes back; 0: the first tick */
    unsigned for_whom;
    bool is_repeated; /* nothing was captured: the last values, with the clock running on */
    bool is_silent;   /* nothing was captured from here on: data is not sent */
    const uint8_t *image;
    const uint8_t *given;  /* enum given, by index of a variable; NULL: all are recorded */
    const uint8_t *packet; /* the legacy packet */
    size_t packet_length;
    bool is_made;           /* the packet, from the image: cells that are not given are 0 */
    int64_t captured;       /* the same moment on the capture's clock */
    uint16_t message_port;  /* of the primary or secondary interface */
    const uint8_t *message; /* NULL: none */
    size_t message_length;
};

/* Prints one line about a client. Texts from the client are in it as they came. */
typedef void server_say(void *user, const char *client, const char *line);

struct peer_wish {
    const char *client;                /* "30004 127.0.0.1:50000"; must outlive the peer */
    const struct tcp_address *address; /* its own; valid during the call */
    server_say *say;
    void *user;
};

/* The functions of a kind of server; a peer is what they make of a client. Whoever calls them checks out->failed. */
struct server_kind {
    const char *name; /* "rtde" */
    const char *title;
    /* NULL if memory runs out. May append a greeting. */
    void *(*open)(void *server, const struct peer_wish *wish, struct buffer *out);
    /* The next bytes from the client; false: the connection must be closed, which was said. */
    bool (*receive)(void *peer, const uint8_t *bytes, size_t length, struct buffer *out);
    /* Appends what the client gets at this tick. */
    void (*tick)(void *peer, const struct tick *tick, struct buffer *out);
    /* Whether the client waits for data now. */
    bool (*wants_data)(const void *peer);
    void (*close)(void *peer);
};

#endif
