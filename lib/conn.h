/* What net.c and tcp.c use of a connection besides the public push, gap and close. */
#ifndef ARMTAP_CONN_H
#define ARMTAP_CONN_H

#include "armtap.h"
#include "budget.h"
#include "note.h"
#include "rest.h"

struct armtap_reserve;
struct armtap_robot;

struct armtap_conn_setup {
    size_t *pool_used; /* what waits in the connection counts here too, up to pool_limit; NULL: nobody counts */
    size_t pool_limit;
    enum armtap_protocol protocol; /* what the port is known to carry, or NONE */
    bool forced;                   /* the user said so: not judged by content */
    bool midstream;                /* no SYN was seen */
    enum armtap_rest rest;
    bool no_guess;          /* data without a handshake stays opaque */
    bool roles_guessed;     /* neither port nor SYN told which side is the robot */
    const char *robot_name; /* "10.0.0.2:30004" */
    const char *client_name;
    uint64_t connection;
    struct armtap_where first;
    struct armtap_reserve *reserve;     /* shared by the connections of a capture; NULL: the connection's own */
    struct armtap_knowledge *knowledge; /* what an earlier pass found out, or NULL */
    struct armtap_robot *robot; /* what the connections of one robot share; NULL: the connection makes its own */
};
int armtap_conn_create(const struct armtap_conn_setup *setup, const struct armtap_sink *sink, void *user,
                       struct armtap_conn **conn);

/* Copies the callbacks of a sink as far as both know them; ERR_ARGUMENT for a size that cannot be. NULL: none. */
int armtap_sink_take(struct armtap_sink *to, const struct armtap_sink *from);
/* No callback is called any more. */
void armtap_conn_silence(struct armtap_conn *conn);

/* Nothing of ours is carried: bytes need not be pushed any more. */
bool armtap_conn_is_foreign(const struct armtap_conn *conn);
struct armtap_robot *armtap_conn_robot(const struct armtap_conn *conn);
/* Its robot shares no recipes, for that limit: said once in a capture. */
int armtap_conn_tell_unshared(struct armtap_conn *conn, enum armtap_budget_code code, const struct armtap_where *where);
/* The robot accepted it. */
void armtap_conn_accept(struct armtap_conn *conn, const struct armtap_where *where);
/* Said where it has records: what follows is another stream. */
int armtap_conn_give_up(struct armtap_conn *conn, const struct armtap_where *where);
/* A packet of it was captured, with so many bytes. */
void armtap_conn_touch(struct armtap_conn *conn, enum armtap_direction direction, uint64_t payload,
                       const struct armtap_where *where);
/* Hands an event or a note of this connection to the sink. Directions are those of the setup, even where the content
 * showed later that the roles are the other way round. */
int armtap_conn_event(struct armtap_conn *conn, enum armtap_direction direction, enum armtap_event_type type,
                      uint64_t a, const struct armtap_where *where);
int armtap_conn_arrival(struct armtap_conn *conn, enum armtap_direction direction, enum armtap_event_type type,
                        uint64_t bytes, bool doubtful, const struct armtap_where *where);
int armtap_conn_unreachable(struct armtap_conn *conn, uint64_t syns, const struct armtap_unreachable *unreachable,
                            const struct armtap_where *where);
int armtap_conn_note(struct armtap_conn *conn, enum armtap_direction direction, enum armtap_note_code code,
                     const struct armtap_where *where, const char *text);

#endif
