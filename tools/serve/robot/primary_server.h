/* A port of the primary or secondary interface: what was captured, and where the capture has nothing, an imitation. */
#ifndef SERVE_PRIMARY_SERVER_H
#define SERVE_PRIMARY_SERVER_H

#include "primary_stub.h"
#include "serve/recording/recorded_ports.h"

struct primary_server {
    struct primary_stub *stub;
    bool imitates;                        /* the beginning, if it was not captured */
    bool fills;                           /* also silences */
    const struct recorded_port *recorded; /* whose messages are played; NULL: none were captured */
};
extern const struct server_kind primary_imitated_kind;
extern const struct server_kind primary_captured_kind;
extern const struct server_kind secondary_captured_kind;

#endif
