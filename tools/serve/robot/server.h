/* What the servers share. A server does no input or output: for each client it has a peer, which is given the bytes
 * that came and the ticks of the robot, and appends what is to be sent to a buffer. */
#ifndef SERVE_SERVER_H
#define SERVE_SERVER_H

#include "base/text/buffer.h"
#include "base/os/tcp_socket.h"
#include "serve/recording/variables.h"
#include "base/numbers/timestamp.h"

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

/* Says to whom it matters which variables begin and cease to be recorded, and when in the capture. */

/* How moments are shown. */
struct moments {
    bool has_times; /* the capture has; else it is the controller's clock */
    enum timestamp_zone zone;
};
#define MOMENT_MAX (WHEN_DATE_MAX + 32)
void moment_text(const struct moments *moments, int64_t captured, char text[MOMENT_MAX]);

/* Lines for a client; a capture that is played in rounds repeats them. */
#define FIELD_WATCH_LINES 100u

struct field_watch {
    const struct variable *const *variables;
    size_t count;
    const char *lacking; /* what follows: "no packages" */
    struct moments moments;
    uint8_t *told; /* enum given, what was said of each; by field_watch_begin */
    unsigned lines;
};

/* The variables must outlive it; sets what is above them, too. 0, or -1 if memory runs out. */
int field_watch_begin(struct field_watch *watch);
void field_watch_end(struct field_watch *watch);
/* Says what is different from the tick before, or from all being recorded. Returns whether all are given. */
bool field_watch_tick(struct field_watch *watch, const struct tick *tick, const struct peer_wish *wish);

#endif
