/* The bridge: legacy packets for old programs, from a robot that is read over RTDE. */
#ifndef SERVE_BRIDGE_H
#define SERVE_BRIDGE_H

#include "input/replay/replay.h"
#include "input/robots/robot_link.h"
#include "base/os/tcp_socket.h"
#include "serve/ports/clients.h"
#include "input/robots/event_loop.h"

#define BRIDGE_ALLOWED_MAX 16u

enum bridge_loss {
    BRIDGE_CLOSE, /* clients are disconnected, as if the robot itself had gone */
    BRIDGE_HOLD   /* they stay connected, without data */
};

struct bridge_wish {
    const struct robot_address *robot; /* resolved */
    size_t layout;                     /* of the packets, bytes */
    double hz;                         /* 0: every record */
    enum bridge_loss on_loss;
    bool allow_script;
    struct tcp_address allowed[BRIDGE_ALLOWED_MAX]; /* who may send script */
    size_t allowed_count;
    struct tcp_address address;      /* to listen on */
    const struct served_port *ports; /* SERVED_PORTS of them: the legacy ones are served */
    bool strict;                     /* as the client's options have it */
    int64_t give_up;                 /* the same; ns */
};

/* Runs until interrupted, or until the robot is given up. The caller has called interrupt_hold(). */
enum exit_status bridge_run(const struct bridge_wish *wish);

/* Passes whole programs on to a robot's port for scripts, over one connection that is kept open and read: a controller
 * may discard a program whose sender closes before it has read a status message (script manual, "Connecting to
 * URControl"). A program that cannot be sent at once is dropped, not sent later: by then it would move a robot that
 * nobody expects to move. */

#define SCRIPT_PORT 30002
/* What waits to be sent; a program that does not fit is dropped whole. */
#define SCRIPT_WAITING_MAX ((size_t)2 * 1024 * 1024)
#define SCRIPT_WAITING_PROGRAMS 256u

struct script_forwarder;
/* Connects when the first program comes. NULL if memory runs out. */
struct script_forwarder *script_forwarder_new(struct event_loop *loop, const struct tcp_address *robot);
/* Says what was not sent. Accepts NULL. */
void script_forwarder_free(struct script_forwarder *forwarder);
/* Takes a whole program, and says what becomes of it. */
void script_forwarder_send(struct script_forwarder *forwarder, const char *client, const char *program, size_t length);
/* The same for a program that must not be sent, because of `reason`. */
void script_forwarder_refuse(struct script_forwarder *forwarder, const char *client, size_t length, const char *reason);
/* Drops what waits, and what is on its way as far as that is possible. */
void script_forwarder_abort(struct script_forwarder *forwarder, const char *reason);

#endif
