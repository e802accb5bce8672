/* The servers of a controller: RTDE, the legacy ports, the primary interface, the dashboard; and what they share: the
 * latest values, and the release that the controller claims to have. */
#ifndef SERVE_SERVERS_H
#define SERVE_SERVERS_H

#include <stddef.h>
#include <stdint.h>

#include "server.h"
#include "serve/recording/presence.h"
#include "serve/recording/other_ports.h"

/* The newest values of a robot, for the imitations, which need a few of them now and then. */

struct latest {
    const struct variables *variables;
    uint8_t *image;
    bool is_known[VARIABLES_MAX]; /* by index: the image has its value */
    int64_t time;                 /* of the last tick */
    int64_t captured;             /* the same, on the capture's clock; INT64_MIN before the first */
};
/* Begins with the values that were recorded at the beginning; `presence` NULL: with all. 0, or -1 if memory runs out.
 * The variables must outlive it and stay as they are. */
int latest_begin(struct latest *latest, struct variables *variables, const struct presence *presence);
void latest_end(struct latest *latest);
void latest_take(struct latest *latest, const struct tick *tick);
/* Element `i` of a field; `otherwise` where it has not come so far. */
double latest_number(const struct latest *latest, enum armtap_field_id id, unsigned i, double otherwise);

/* The release that a served controller claims to have, and the legacy packets of that release. */

/* Reads "5.11", "5.11.1" or "5.11.1.108". 0, or -1 if it is no release. */
int controller_release_parse(uint32_t release[4], const char *text);
/* The newest known release whose legacy packets have that size, or one for a size that is not known. */
void controller_release_of_size(uint32_t release[4], size_t size);
/* Bytes of that release's legacy packets. */
size_t controller_release_size(const uint32_t release[4]);

#define RTDE_NAMES_MAX 1024u /* variables of a recipe */

struct rtde_names {
    const char *const *names;
    size_t count;
};

struct rtde_server_options {
    const struct variables *variables; /* must outlive the server */
    const struct presence *presence;   /* when they are recorded; NULL: always */
    int64_t from, to;                  /* the part of the capture that is played */
    bool holds;                        /* what was recorded once stays */
    struct moments moments;
    uint32_t release[4];      /* major, minor, bugfix, build */
    int max_protocol;         /* 1 to 3 */
    int64_t cycle;            /* ns between ticks */
    struct rtde_names hidden; /* outputs and inputs that the controller claims not to know */
    struct rtde_names in_use; /* inputs that somebody else holds */
    const char *text;         /* a message that each client gets when it connects; NULL: none */
};

struct rtde_server;
/* NULL if memory runs out. The names and the text must outlive it. */
struct rtde_server *rtde_server_new(const struct rtde_server_options *options);
void rtde_server_free(struct rtde_server *server);
extern const struct server_kind rtde_server_kind;

/* The controller's side of the legacy ports: data for whoever connects. Script that a client sends is read and dropped,
 * unless a program may be taken. */

/* The server that `open` is given; may be shared by several ports. */
struct realtime_server {
    bool read_only; /* 30013: the controller ignores text there, too */
    /* Whether the programs of that client are taken; NULL: of none. */
    bool (*may_send)(void *user, const struct tcp_address *client);
    /* Takes a whole program of a client, and says what becomes of it. */
    void (*on_program)(void *user, const char *client, const char *program, size_t length);
    void *user;
    struct field_watch cells; /* for each client: what packets are made from; without `told` */
};
extern const struct server_kind realtime_server_kind;

/* A port of the primary or secondary interface: what was captured, and where the capture has nothing, an imitation. */

struct primary_server {
    struct primary_stub *stub;
    bool imitates;                        /* the beginning, if it was not captured */
    bool fills;                           /* also silences */
    const struct recorded_port *recorded; /* whose messages are played; NULL: none were captured */
};
extern const struct server_kind primary_imitated_kind;
extern const struct server_kind primary_captured_kind;
extern const struct server_kind secondary_captured_kind;

/* The dashboard server: captured replies first; else an imitation, which answers questions from the recorded state and
 * fails commands. */

struct dashboard_stub {
    struct latest latest;
    uint32_t release[4];
    enum armtap_generation generation;
    const struct recorded_ports *recorded; /* NULL: nothing of it was captured */
    const char *robot;                     /* address */
    bool imitates;                         /* what was not captured; else it is not understood */
};
extern const struct server_kind dashboard_stub_kind;     /* all is imitated */
extern const struct server_kind dashboard_captured_kind; /* not all is */

/* Messages for an imitation of the primary and secondary interface. */

struct primary_stub {
    struct latest latest;
    uint32_t release[4];
};

/* A message: the state, with `is_first` also the kinematics and the configuration, which are made up. */
void primary_stub_state(const struct primary_stub *stub, bool is_first, struct buffer *out);
void primary_stub_version(const struct primary_stub *stub, struct buffer *out);

#endif
