/* A robot for tests of clients, and a world in which the two exchange bytes: time passes only when nothing else
 * happens, and everything that can go wrong on a wire is a setting. */
#ifndef ARMTAP_CLIENT_WORLD_H
#define ARMTAP_CLIENT_WORLD_H

#include "client/armtap-client.h"
#include "support.h"

#define MS INT64_C(1000000)

/* How a robot behaves. */
struct manners {
    int protocol;            /* the highest that it accepts; 0: 3; -1: it refuses all */
    uint32_t release[4];     /* all 0: 5.11.1.108 */
    uint32_t release_again;  /* the major number from the second connection on; 0: the same */
    unsigned release_count;  /* 0: 4 */
    const char *silent;      /* packages that it does not answer: "V" */
    unsigned silent_only;    /* only at that occurrence, and at the third */
    unsigned silent_from;    /* only from that occurrence on, from 1 */
    const char *lacks;       /* names that it does not know, ",a,b," */
    const char *lacks_again; /* names that it does not know in the second set-up */
    unsigned in_use;         /* times that it says IN_USE to input set-ups */
    unsigned refuse_start;   /* times that it refuses START */
    const char *text;        /* said before and after every package that it sends; NULL: nothing */
    unsigned early;          /* data packages before the reply to START */
    unsigned data;           /* data packages after it */
    unsigned late;           /* data packages between PAUSE and its reply */
    double clock;            /* of the first package of a connection; from the second connection on `clock_again` */
    double clock_again;
    size_t realtime;    /* a legacy robot with packets of that size */
    size_t close_after; /* it closes each connection after that many bytes; 0: never */
    bool closes;        /* it closes each connection after its data */
    bool reset;         /* it closes by a reset */
};

struct robot {
    const struct manners *manners;
    int protocol;
    double clock;
    struct bytes out, in;
    size_t values;      /* bytes of a data package's values */
    struct bytes asked; /* names of the last set-up of outputs, and a NUL */
    double frequency;   /* that it asked for */
    size_t given;       /* bytes sent on this connection */
    unsigned inputs;    /* set up on this connection */
    unsigned in_use, starts, connections, requests[256];
    bool started;
};

/* Connections and time around a client. `log` must come first: the sink's callbacks take it. */
struct world {
    struct log log;
    struct manners manners;
    struct robot robot;
    struct armtap_client *client;
    int64_t now;
    size_t chunk;      /* bytes that the client receives at once; 0: all */
    size_t send_chunk; /* bytes that it may send at once */
    bool stopped;
    unsigned stop_at; /* it is stopped after that many records; 0: when nothing more happens */
    unsigned steps;
    struct armtap_state *input;     /* for the test's own use */
    const struct armtap_sink *sink; /* NULL: everything is logged */
    int64_t until;                  /* the world ends then */
    int error;                      /* the first that a call returned */
};

/* Runs a client of these options to a final verdict, or to the end of the world. Everything is in the log: what the
 * sink got, events with their times, states at the end. */
void world_run(struct world *world, const struct armtap_client_options *options);
/* Whether two texts of lines are the same; prints the first difference. */
bool same_lines(const char *got, const char *wanted);
void world_free(struct world *world);
/* RTDE, "timestamp,actual_q" */
struct armtap_client_options client_options(void);
/* Appends what a primary interface sends first: a version message, of URControl 5.9.4. */
void bytes_primary_version(struct bytes *bytes);

#endif
