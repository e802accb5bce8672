/* The controller's side of RTDE: answers requests, and sends data packages. */
#ifndef SERVE_RTDE_SERVER_H
#define SERVE_RTDE_SERVER_H

#include "field_watch.h"
#include "serve/recording/presence.h"
#include "server.h"

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

#endif
