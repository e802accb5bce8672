/* What net.c and tcp.c use of a connection besides the public push, gap and close. */
#ifndef ARMTAP_CONN_H
#define ARMTAP_CONN_H

#include "armtap.h"
#include "protocol/budget.h"
#include "protocol/fact.h"
#include "protocol/port.h"
#include "span.h"

/* ---- what packets did to a connection, as far as the digest of a capture must know: whether they brought nothing but
 * data, and what they added to its counters ---- */

#define ARMTAP_WATCH_IDS 8

struct armtap_watch {
    uint64_t stirs;  /* so far: anything but a data record like those before it */
    uint64_t begins; /* those after which data must be seen anew: set-ups, gaps, lost frames */
    unsigned id_count;
    bool has_more_ids;
    uint16_t ids[ARMTAP_WATCH_IDS]; /* of the records since id_count was set to 0, see armtap_watch_record */
};

/* A record came: its kind is told by direction and a number. */
static inline void armtap_watch_record(struct armtap_watch *watch, enum armtap_direction direction, unsigned kind)
{
    uint16_t id = (uint16_t)((unsigned)direction << 8 | (kind & 0xFF));
    for (unsigned i = 0; i < watch->id_count; i++)
        if (watch->ids[i] == id)
            return;
    if (watch->id_count < ARMTAP_WATCH_IDS)
        watch->ids[watch->id_count++] = id;
    else
        watch->has_more_ids = true;
}

/* Counters of one direction. */
struct armtap_tally {
    uint64_t packets, payload; /* captured */
    uint64_t records, decoded; /* bytes of messages */
    uint64_t offset;           /* bytes done with */
};

/* Counters of a connection. Directions are those of its setup, here and below. */
struct armtap_tallies {
    struct armtap_tally side[2];
    uint64_t spent[ARMTAP_ACCOUNTS];   /* of its own budgets */
    uint64_t reserve[ARMTAP_ACCOUNTS]; /* what it took from that of the capture */
};

/* Bytes of a direction that wait for the rest of their message. */
struct armtap_unfinished {
    const uint8_t *bytes;
    size_t length;
    const struct armtap_mark *marks;
    size_t mark_count;
};

/* ---- the connection ---- */

struct armtap_reserve;
struct armtap_robot;

struct armtap_conn_setup {
    size_t *pool_used; /* data waiting in the connection also counts here, up to pool_limit; NULL: not counted */
    size_t pool_limit;
    enum armtap_protocol protocol; /* what the port is known to carry, or NONE */
    bool forced;                   /* given by the user: content is not checked */
    bool midstream;                /* no SYN was seen */
    enum armtap_rest rest;
    bool no_guess;          /* data without a handshake stays opaque */
    uint16_t port;          /* on which one end listens, as far as known; 0: not */
    bool roles_guessed;     /* neither port nor SYN showed which side is the robot */
    const char *robot_name; /* "10.0.0.2:30004" */
    const char *client_name;
    uint64_t connection;
    struct armtap_where first;
    struct armtap_reserve *reserve;     /* shared by the connections of a capture; NULL: the connection's own */
    struct armtap_knowledge *knowledge; /* what an earlier pass learned, or NULL */
    struct armtap_robot *robot; /* what the connections of one robot share; NULL: the connection makes its own */
};
/* A sink of full size. With a reserve it must stay until the connection is freed, like the reserve; else it is copied.
 */
int armtap_conn_create(const struct armtap_conn_setup *setup, const struct armtap_sink *sink, void *user,
                       struct armtap_conn **conn);

/* The port of an address such as "10.0.0.2:30004"; 0: it names none. */
uint16_t armtap_conn_port_of(const char *address);
/* A robot's first bytes on a connection from which one protocol is wanted. */
struct armtap_beginning_bytes {
    const uint8_t *bytes;
    size_t length;
    enum armtap_protocol wanted, port; /* that the port is known to carry; NONE: nothing */
};
/* What they are of; NONE: nothing known, or, if `more` becomes true, further bytes may show it. `message` becomes the
 * length of the first message; 0: not known. */
enum armtap_protocol armtap_conn_begins_with(const struct armtap_beginning_bytes *first, bool *more, size_t *message);
/* Copies the callbacks that both sides know; ERR_ARGUMENT for an impossible size. NULL: none. */
int armtap_sink_take(struct armtap_sink *to, const struct armtap_sink *from);
/* Calls no callback from now on. */
void armtap_conn_silence(struct armtap_conn *conn);

/* The connection carries none of our protocols: no need to push more bytes. */
bool armtap_conn_is_foreign(const struct armtap_conn *conn);
struct armtap_robot *armtap_conn_robot(const struct armtap_conn *conn);
/* Because of that limit its robot shares no recipes: noted once per capture. */
int armtap_conn_tell_unshared(struct armtap_conn *conn, enum armtap_budget_code code, const struct armtap_where *where);
/* Bytes are missing, as armtap_conn_gap says. */
int armtap_conn_miss(struct armtap_conn *conn, enum armtap_direction direction, uint64_t length,
                     enum armtap_missing_why why, const struct armtap_where *where);
/* The robot accepted it. */
void armtap_conn_accept(struct armtap_conn *conn, const struct armtap_where *where);
/* Because of that limit. Noted if it has records: what follows is another stream. */
int armtap_conn_give_up(struct armtap_conn *conn, enum armtap_budget_code limit, const struct armtap_where *where);
/* Its next packet will probably come soon: fetches the connection, or, once that is there, what its decoder keeps. */
void armtap_conn_prefetch(const struct armtap_conn *conn);
/* Fetches where its last packet was; it may be NULL. */
void armtap_conn_prefetch_last(const struct armtap_conn *conn);
void armtap_conn_prefetch_context(const struct armtap_conn *conn);
/* One of its packets has that origin. */
void armtap_conn_origin(struct armtap_conn *conn, enum armtap_origin origin);
/* One of its packets was captured, with that many bytes. */
void armtap_conn_touch(struct armtap_conn *conn, enum armtap_direction direction, uint64_t payload,
                       const struct armtap_where *where);
/* The same packet, which is no copy of one in an earlier file: its sequence number and its bytes that were captured. */
void armtap_conn_note_beginning(struct armtap_conn *conn, uint32_t seq, const uint8_t *bytes, size_t length,
                                const struct armtap_where *where);
/* Hands an event or a note of this connection to the sink. Directions are those of the setup, even if the content later
 * showed that the roles are swapped. */
int armtap_conn_event(struct armtap_conn *conn, enum armtap_direction direction, enum armtap_event_type type,
                      uint64_t a, const struct armtap_where *where);
int armtap_conn_arrival(struct armtap_conn *conn, const struct armtap_event *event);
int armtap_conn_unreachable(struct armtap_conn *conn, uint64_t syns, const struct armtap_unreachable *unreachable,
                            const struct armtap_where *where);
int armtap_conn_note(struct armtap_conn *conn, enum armtap_direction direction, enum armtap_note_code code,
                     const struct armtap_where *where, const struct armtap_arguments *arguments);

/* ---- for the digest of a capture, and for passing over what it leaves out ---- */

/* What happened to the connection so far; the caller may reset its ids. */
struct armtap_watch *armtap_conn_watch(struct armtap_conn *conn);
/* Its protocol is known, and the next byte of that direction begins a message or continues one whose bytes are all
 * there. */
bool armtap_conn_is_calm(const struct armtap_conn *conn, enum armtap_direction direction);
/* Whether a whole message waits in that direction for the next one to prove it. A connection that knows more would have
 * taken it. */
bool armtap_conn_awaits_proof(const struct armtap_conn *conn, enum armtap_direction direction);
void armtap_conn_tally(const struct armtap_conn *conn, struct armtap_tallies *tallies);
/* Valid until the next bytes come. */
void armtap_conn_unfinished(const struct armtap_conn *conn, enum armtap_direction direction,
                            struct armtap_unfinished *unfinished);
/* Data that left nothing behind but these counts and unfinished bytes was decoded elsewhere; the last came at `where`.
 * `unfinished` is by direction; NULL: as before. */
int armtap_conn_pass(struct armtap_conn *conn, const struct armtap_tallies *more,
                     const struct armtap_unfinished *const unfinished[2], const struct armtap_where *where);

#endif
