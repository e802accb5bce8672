/* The bridge: legacy packets for old programs, from a robot that is read over RTDE. */
#ifndef SERVE_BRIDGE_H
#define SERVE_BRIDGE_H

#include "input/replay/replay.h"
#include "input/robots/robot_address.h"
#include "input/robots/tcp_socket.h"
#include "serve/ports/ports.h"

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

#endif
