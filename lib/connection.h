/* The inside of a connection, shared by conn.c (bytes in), seek.c (where frames begin) and deliver.c (records out). */
#ifndef ARMTAP_CONNECTION_H
#define ARMTAP_CONNECTION_H

#include "account.h"
#include "conn.h"
#include "decoder.h"
#include "robot.h"
#include "span.h"

#define ARMTAP_DECODERS_MAX 8

enum armtap_half_mode {
    ARMTAP_HALF_UNKNOWN, /* the protocol is not known */
    ARMTAP_HALF_SYNCED,  /* the next byte begins a frame */
    ARMTAP_HALF_SEEKING  /* looking for the beginning of a frame */
};

#define ARMTAP_SEARCH_SPENT UINT64_MAX

/* One direction. */
struct armtap_half {
    enum armtap_half_mode mode;
    bool closed;         /* nothing will follow, not even after a gap */
    bool hopeless;       /* UNKNOWN, and its first bytes are nothing of ours */
    bool after_gap;      /* the next record is the first after missing or skipped bytes */
    bool misses;         /* bytes were skipped in this search, which is to be noted */
    uint64_t offset;     /* of the first byte not yet consumed */
    uint64_t synced_end; /* of the last frame that was in step */
    uint64_t search_skipped;
    size_t want;                           /* bytes from `offset` on with which something can be done */
    size_t ruled_out[ARMTAP_DECODERS_MAX]; /* UNKNOWN: by decoder, bytes of which none begins a frame of its */
    uint64_t worked[ARMTAP_DECODERS_MAX];  /* bytes that it took to rule them out; SPENT: it gave up on the rest */
    uint8_t *buffer;
    size_t used;
    size_t looked; /* bytes of the buffer that were looked at; more may wait for `want` */
    size_t capacity;
    struct armtap_mark *marks;
    size_t mark_count;
    size_t mark_capacity;
    struct armtap_state *state[ARMTAP_ARMS_MAX]; /* by arm, from 1; made when they are needed */
    struct armtap_set bad_cells;                 /* noted, until they are good again */
};

struct armtap_conn {
    struct armtap_stream stream;
    struct armtap_sink sink;
    void *user;
    bool busy;  /* a call runs that may call back */
    bool freed; /* meanwhile it was freed */
    int error;  /* that ended it */
    struct armtap_robot *robot;
    size_t *pool_used; /* see the setup */
    size_t pool_limit;
    size_t taken;       /* bytes of memory, without those that the decoder claims */
    size_t claimed;     /* by the decoder */
    size_t state_bytes; /* of further arms */
    struct armtap_account account;
    struct armtap_reserve *reserve;    /* that of the capture, or its own */
    struct armtap_reserve own_reserve; /* allocated where there is no capture */
    struct armtap_knowledge *knowledge;
    struct armtap_guess guess;            /* where there is no knowledge to keep it */
    const struct armtap_decoder *decoder; /* NULL while the protocol is not known */
    void *context;
    enum armtap_protocol hint;
    bool forced;
    bool no_guess; /* data without a handshake stays opaque */
    enum armtap_rest rest;
    bool roles_guessed;
    bool swapped; /* the roles turned out the other way round */
    bool foreign;
    const uint8_t *content; /* of the message at hand; NULL: it is its bytes */
    size_t content_length;
    struct armtap_recipe *given_recipe;
    struct armtap_half half[2];
};

static inline enum armtap_direction armtap_other(enum armtap_direction direction)
{
    return direction == ARMTAP_FROM_ROBOT ? ARMTAP_TO_ROBOT : ARMTAP_FROM_ROBOT;
}

/* Directions as the sink names them, where the roles turned out the other way round. */
static inline enum armtap_direction armtap_conn_real(const struct armtap_conn *conn, enum armtap_direction direction)
{
    return conn->swapped ? armtap_other(direction) : direction;
}

/* The connection takes so many bytes of memory more, until it is freed. */
static inline void armtap_conn_take(struct armtap_conn *conn, size_t bytes)
{
    conn->taken += bytes;
    conn->reserve->taken += bytes;
}

/* ---- deliver.c ---- */

/* Hands bytes [from, to) of a span to the sink as they came; `offset` is that of the first in its direction's stream.
 */
int armtap_conn_bytes(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                      size_t from, size_t to, uint64_t offset, bool skipped);

/* ---- seek.c ---- */

/* `need`, or more where much is at hand already, so that looking again and again stays linear. */
size_t armtap_spaced(size_t need, size_t at_hand);
/* Nothing is ruled out of the bytes that come next. */
void armtap_search_anew(struct armtap_half *half);
/* Whether a decoder gave up on them before their end. */
bool armtap_search_is_spent(const struct armtap_half *half);
/* Whether the bytes at hand are not the first of their direction. */
bool armtap_is_late(const struct armtap_conn *conn, enum armtap_direction direction);
/* Whether a protocol that did not show itself in so many more bytes is looked for in the next ones. */
bool armtap_search_goes_on(const struct armtap_conn *conn, enum armtap_direction direction, size_t length);
/* In how many bytes a protocol must show itself. */
size_t armtap_recognise_limit(const struct armtap_conn *conn);
/* Looks for a protocol in the first bytes of a direction, no more than the limit. Returns 0 when it is found (the
 * connection has its decoder), 1 when not, or an error. Sets the half's `want`, or `hopeless` when nothing will be
 * found; *begin becomes where the first frame begins if that is known, -1 otherwise. */
int armtap_recognise(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                     long *begin);
/* Searches a frame's beginning. Returns how many bytes lie before it; found tells whether there is one, otherwise those
 * bytes are done with and `want` is set. */
size_t armtap_seek(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                   bool *found);

#endif
