/* A robot in an event loop: a socket and the library's client. It connects, connects again, and tells what happens. */
#ifndef INPUT_ROBOT_LINK_H
#define INPUT_ROBOT_LINK_H

#include "client/armtap-client.h"
#include "event_loop.h"
#include "robot_event.h"
#include "armtap.h"
#include "base/os/tcp_socket.h"

struct robot_link;

struct robot_link_wish {
    const struct robot_address *address;        /* resolved; must outlive the link */
    const struct armtap_client_options *client; /* all but protocol, robot, client and on_event */
    unsigned number;                            /* in its events */
    bool is_companion; /* beside a robot that was named: never gives up, and tells of no bytes that are no message */
    int64_t patience;  /* ns that data may wait before it is told, which takes less of the processor; 0: at once */
    void *user;
    /* All of what happens, in order. The texts are for the user, one line each. */
    void (*on_event)(void *user, const struct robot_event *event);
    /* Decoded records as they come, or NULL. As a callback of a sink. */
    int (*on_record)(void *user, const struct armtap_record *record);
    /* Data that waited is to be taken: by this function, with robot_link_take(), for the other links of the loop, too,
     * so that what they got comes in the order of time. May be NULL. */
    void (*take_all)(void *user);
    /* The link has ended: robot_link_outcome() says why. May be NULL. */
    void (*on_end)(void *user);
};

enum robot_link_outcome {
    ROBOT_LINK_GOES_ON,
    ROBOT_LINK_STOPPED, /* as robot_link_stop() asked */
    ROBOT_LINK_GAVE_UP, /* an event said why */
    ROBOT_LINK_NO_MEMORY
};

/* Begins to connect in the loop's next turn. NULL if memory runs out. */
struct robot_link *robot_link_new(struct event_loop *loop, const struct robot_link_wish *wish);
/* Closes what is open, in silence; not to be called from its own callbacks. Accepts NULL. */
void robot_link_free(struct robot_link *link);
/* When the oldest data that waits came; ARMTAP_NO_TIME: none waits. */
int64_t robot_link_waiting_time(const struct robot_link *link);
/* Tells of the oldest data that waits; there must be some. */
void robot_link_take(struct robot_link *link);
/* Ends it in an orderly way, which takes up to a second: on_end follows. */
void robot_link_stop(struct robot_link *link);
enum robot_link_outcome robot_link_outcome(const struct robot_link *link);

/* Robots read by a thread of their own, so that reading them never waits for what is done with the data. */

struct robot_reader;

/* Robots to read, and what to ask them for. */
struct robot_sources {
    /* Resolved; companions last, which are read beside those that were named, for what they say: whether they answer
     * changes nothing. */
    struct robot_address *robots;
    size_t count, named;                 /* without companions */
    struct armtap_client_options client; /* as in struct robot_link_wish */
    int64_t patience;                    /* the same; events come up to twice as late */
    /* Called for each event before it becomes packets of a robot_capture; NULL: never. 0, or -1 if memory runs out. */
    int (*on_event)(void *user, const struct robot_event *event);
    void *user;
};

/* Starts the thread; `sources` must outlive it. NULL after a message. Call interrupt_hold() before. */
struct robot_reader *robot_reader_start(const struct robot_sources *sources);

enum robot_reader_outcome {
    ROBOT_READER_EVENT,
    ROBOT_READER_SILENT,  /* nothing came for a short while, which it waited: `patience`, or 10 ms */
    ROBOT_READER_STOPPED, /* nothing will come any more: the robots were left as robot_reader_stop() asked */
    ROBOT_READER_GAVE_UP, /* the same, but a robot was given up; an event said why */
    ROBOT_READER_NO_MEMORY
};
/* The next event; its bytes are valid until the next call. Once interrupt_asked(), robots are told to stop, and what
 * they still sent comes before the end. */
enum robot_reader_outcome robot_reader_next(struct robot_reader *reader, struct robot_event *event);
/* Leaves the robots; what they still send comes before the end, within half a second. */
void robot_reader_stop(struct robot_reader *reader);
/* Accepts NULL. */
void robot_reader_free(struct robot_reader *reader);

/* A robot as the user names it: SCHEME://HOST[:PORT]. */

/* What the user may write, in sentences. */
#define ROBOT_URLS "rtde://HOST, realtime://HOST or primary://HOST"

struct robot_scheme {
    const char *name; /* "rtde" */
    enum armtap_protocol protocol;
    uint16_t port;            /* without one in the URL */
    const char *meaning;      /* for completion */
    const char *when_refused; /* what to look for */
};
/* The i-th; NULL beyond the last. */
const struct robot_scheme *robot_scheme_at(size_t i);
/* By its protocol, or by how a URL begins; NULL: there is none. */
const struct robot_scheme *robot_scheme_of(enum armtap_protocol protocol);
const struct robot_scheme *robot_scheme_find(const char *url);

#define ROBOT_ADDRESSES 8
#define ROBOT_HOST_MAX 256

struct robot_address {
    const char *url; /* as given; must outlive this */
    enum armtap_protocol protocol;
    char host[ROBOT_HOST_MAX];
    uint16_t port;
    struct tcp_address addresses[ROBOT_ADDRESSES]; /* of the host, in the order to try */
    size_t count;
};

/* "rtde://10.0.0.2:30004", "primary://[fd00::2]"; port 0: none is named. `host` is shorter than ROBOT_HOST_MAX. */
#define ROBOT_URL_MAX (ROBOT_HOST_MAX + 32)
void robot_url(char url[ROBOT_URL_MAX], const struct robot_scheme *scheme, const char *host, uint16_t port);
/* Whether a word of the command line names a robot: it contains "://". */
bool robot_address_is(const char *word);
/* Whether a word that names neither a file nor a robot is meant as a robot: surely, as addresses and HOST:30004, or
 * perhaps, as host names. Then `url` is what to type: rtde://10.0.0.2, realtime://10.0.0.2:30003; a port from which no
 * robot is read is left out. */
enum robot_likeness { ROBOT_NOT, ROBOT_MAYBE, ROBOT_SURELY };
enum robot_likeness robot_address_guess(char url[ROBOT_URL_MAX], const char *word);
/* Reads the URL. 0, or -1 after a message. */
int robot_address_parse(struct robot_address *robot, const char *url);
/* Looks the host up, which may take seconds. 0, or -1 after a message. */
int robot_address_resolve(struct robot_address *robot);
/* Makes the primary interface of a robot its companion. False if that may be another robot's: the port is not the
 * protocol's own. */
bool robot_address_companion(const struct robot_address *robot, struct robot_address *companion);
/* Whether both are of one host. */
bool robot_address_is_same_host(const struct robot_address *one, const struct robot_address *other);
/* Whether the text, "10.0.0.2:30001", is one of its addresses. */
bool robot_address_has(const struct robot_address *robot, const char *text);
/* The companion that has this address; NULL: none. */
const struct robot_address *robot_companion_at(const struct robot_sources *sources, const char *text);

#endif
