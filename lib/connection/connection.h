/* The inside of a connection, shared by conn.c (its life), buffer.c, frames.c (bytes in), cut.c (bytes that are
 * missing), judge.c and seek.c (where frames begin), host.c (what decoders and layers ask and say) and deliver.c
 * (records out). */
#ifndef ARMTAP_CONNECTION_H
#define ARMTAP_CONNECTION_H

#include "protocol/budget.h"
#include "conn.h"
#include "protocol/decoder.h"
#include "layers/layer.h"
#include "protocol/robot.h"
#include "span.h"

enum armtap_half_mode {
    ARMTAP_HALF_UNKNOWN, /* the protocol is not known */
    ARMTAP_HALF_SYNCED,  /* the next byte begins a frame */
    ARMTAP_HALF_SEEKING  /* looking for the beginning of a frame */
};

#define ARMTAP_SEARCH_SPENT UINT64_MAX
#define ARMTAP_HOLES_MAX 32
#define ARMTAP_FILLED_MOST                                                                                             \
    65536 /* bytes that zeros may stand for, and within which a head that was cut off is proved */

/* What the client said first, as long as it may be the language of another port. */
struct armtap_spoken {
    enum { ARMTAP_SPOKEN_NOT, ARMTAP_SPOKEN_HEARD, ARMTAP_SPOKEN_SETTLED } state; /* NOT: nothing that is known yet */
    uint8_t language;                                                             /* HEARD: which, in spoken.c */
    uint16_t length;
    uint8_t *bytes; /* NOT: so far */
    struct armtap_where where;
};

/* What the snapshot length cut off among the bytes that wait, as far as these are still needed; zeros stand there. */
struct armtap_holes {
    size_t count;
    struct armtap_hole hole[ARMTAP_HOLES_MAX];
};

/* One direction. What each record needs comes first. */
struct armtap_half {
    enum armtap_half_mode mode;
    bool closed;              /* no more bytes will come, not even after a gap */
    bool hopeless;            /* UNKNOWN, and its first bytes match none of our protocols */
    bool after_gap;           /* the next record is the first after missing or skipped bytes */
    struct armtap_where read; /* the packet after which all bytes consumed could be read */
    uint64_t offset;          /* of the first byte not yet consumed */
    uint64_t synced_end;      /* of the last frame in sync */
    uint64_t search_skipped;
    size_t want; /* bytes from `offset` on needed to make progress */
    size_t used;
    size_t looked;                               /* bytes of the buffer already examined; more may wait for `want` */
    const void *brief_recipe;                    /* of the records whose state is the capture's; only compared */
    struct armtap_set *bad_cells;                /* already noted, until they are valid again; NULL: never any */
    struct armtap_state *state[ARMTAP_ARMS_MAX]; /* by arm, from 1; made on first use */
    uint8_t *buffer;
    size_t capacity;
    struct armtap_mark *marks;
    size_t mark_count;
    size_t mark_capacity;
    size_t ruled_out[ARMTAP_DECODERS_MAX]; /* UNKNOWN: by decoder, bytes where none of its frames begins */
    uint64_t worked[ARMTAP_DECODERS_MAX];  /* bytes examined to rule them out; SPENT: it gave up on the rest */
    struct armtap_where search_from;       /* where the first of the `search_skipped` bytes came */
    /* The message that begins at `begun` ends at `begun_end`, as its head says; 0: none did whose end is missing. */
    uint64_t begun, begun_end;
    struct armtap_holes *holes; /* NULL: there never were any */
    uint64_t boundary;          /* one begins here, since the one before ends where a gap does; 0: not known */
};

struct armtap_conn {
    const struct armtap_sink *sink; /* that of the capture, or its own */
    void *user;
    struct armtap_reserve *reserve;       /* that of the capture, or its own */
    const struct armtap_decoder *decoder; /* NULL while the protocol is not known */
    void *context;
    int error;  /* that ended it */
    bool busy;  /* a call that may invoke callbacks is running */
    bool freed; /* a callback freed it */
    bool forced;
    bool is_alone; /* of no capture: who made it expects a protocol */
    bool no_guess; /* data without a handshake stays opaque */
    bool roles_guessed;
    bool swapped; /* the roles turned out to be swapped */
    bool foreign;
    const uint8_t *content; /* of the current message; NULL: its own bytes */
    size_t content_length;
    struct armtap_mailbox *mailbox; /* of a client that may be ur_rtde's, if the sink hears commands; else NULL */
    bool has_no_mailbox;            /* its client is another */
    struct armtap_recipe *given_recipe;
    size_t claimed; /* bytes of memory, by the decoder */
    struct armtap_watch watch;
    struct armtap_stream stream;
    struct armtap_half half[2];
    uint64_t unheard; /* bytes of those that are missing: never acknowledged */
    struct armtap_robot *robot;
    size_t *pool_used; /* see the setup */
    size_t pool_limit;
    size_t taken;       /* bytes of memory, without those that the decoder claims */
    size_t state_bytes; /* of further arms */
    struct armtap_account account;
    struct armtap_knowledge *knowledge;
    struct armtap_guess guess; /* used without knowledge */
    enum armtap_protocol hint;
    enum armtap_rest rest;
    uint16_t port; /* on which one end listens; 0: not known */
    struct armtap_spoken spoken;
};

static inline enum armtap_direction armtap_other(enum armtap_direction direction)
{
    return direction == ARMTAP_FROM_ROBOT ? ARMTAP_TO_ROBOT : ARMTAP_FROM_ROBOT;
}

/* The direction as the sink names it, if the roles turned out to be swapped. */
static inline enum armtap_direction armtap_conn_real(const struct armtap_conn *conn, enum armtap_direction direction)
{
    return conn->swapped ? armtap_other(direction) : direction;
}

/* Counts that many more bytes of memory for the connection, until it is freed. */
static inline void armtap_conn_take(struct armtap_conn *conn, size_t bytes)
{
    conn->taken += bytes;
    conn->reserve->taken += bytes;
}

/* Something happened that is not data like the data before it. */
static inline void armtap_conn_stir(struct armtap_conn *conn)
{
    conn->watch.stirs++;
}

/* The same, and data after it must be seen anew. */
static inline void armtap_conn_begin(struct armtap_conn *conn)
{
    conn->watch.stirs++;
    conn->watch.begins++;
}

/* What a callback's answer means. */
static inline int armtap_stopped(int answer)
{
    return answer == 0 ? ARMTAP_OK : ARMTAP_ERR_STOPPED;
}

/* ---- functions that a decoder may lack ---- */

static inline unsigned armtap_decoder_sure(const struct armtap_decoder *decoder, const void *context,
                                           enum armtap_direction direction, const uint8_t *frame, size_t length)
{
    return decoder->sure ? decoder->sure(context, direction, frame, length) : 0;
}

/* Whether the last frame left the decoder as it was. */
static inline bool armtap_decoder_steady(const struct armtap_decoder *decoder, const void *context)
{
    return !decoder->steady || decoder->steady(context);
}

/* ---- conn.c ---- */

/* Replaces the bytes of a direction that wait for the rest of their message. */
int armtap_conn_replace(struct armtap_conn *conn, enum armtap_direction direction,
                        const struct armtap_unfinished *unfinished);

/* ---- cut.c ---- */

/* Bytes [from, to) of a direction's stream, as far as the snapshot length cut them off. */
uint64_t armtap_half_missing(const struct armtap_half *half, uint64_t from, uint64_t to);
/* The next hole that ends behind `from`; NULL: there is none. */
const struct armtap_hole *armtap_half_next_hole(const struct armtap_half *half, uint64_t from);
/* How many of `length` bytes from there on come before the next hole. */
size_t armtap_half_before_hole(const struct armtap_half *half, uint64_t from, size_t length);
/* With too many, what lies between the last ones counts as missing, too. */
int armtap_half_add_hole(struct armtap_conn *conn, struct armtap_half *half, uint64_t from, uint64_t to);
/* Whether zeros can stand for that many bytes that were cut off, as the head of a message says where it ends. */
bool armtap_conn_may_fill(const struct armtap_conn *conn, enum armtap_direction side, uint64_t length);
/* Notes missing bytes; `cut` of them were cut off. */
int armtap_conn_say_missing(struct armtap_conn *conn, const struct armtap_frame *here, uint64_t length,
                            enum armtap_missing_why why);

/* ---- judge.c ---- */

enum armtap_frame_verdict {
    ARMTAP_FRAME_WHOLE,
    ARMTAP_FRAME_WAITS,    /* for more bytes: `want` is set */
    ARMTAP_FRAME_UNUSABLE, /* bytes that are needed were cut off, but its length is known */
    ARMTAP_FRAME_HEADLESS, /* the bytes that say its length were cut off */
    ARMTAP_FRAME_BAD
};

/* Whether a frame begins here and can be taken; *length becomes 0 if its head does not say it. One that is longer than
 * all that comes may have a damaged length, with messages behind it. */
enum armtap_frame_verdict armtap_judge_frame(const struct armtap_conn *conn, enum armtap_direction direction,
                                             const uint8_t *bytes, size_t left, bool final, size_t *length,
                                             size_t *want, unsigned *reading);
/* The same for a frame of which bytes may have been cut off. Its head says where it ends, and the one before it where
 * it begins, so that only a head that contradicts itself speaks against it. */
enum armtap_frame_verdict armtap_judge_cut_frame(const struct armtap_conn *conn, enum armtap_direction direction,
                                                 const uint8_t *bytes, size_t left, size_t *length, size_t *want,
                                                 unsigned *reading);
/* A frame whose head was cut off: it is as long as the ones before if another begins where that says. The head is put
 * where it was cut off. */
enum armtap_frame_verdict armtap_judge_headless(const struct armtap_conn *conn, enum armtap_direction direction,
                                                const struct armtap_span *span, size_t at, size_t *length,
                                                size_t *want);

/* ---- buffer.c ---- */

void armtap_buffer_free(struct armtap_conn *conn, struct armtap_half *half);
/* Whether the pool has room for so many more bytes. */
bool armtap_buffer_has_room(const struct armtap_conn *conn, const struct armtap_half *half, size_t length);
int armtap_buffer_append(struct armtap_conn *conn, struct armtap_half *half, const uint8_t *bytes, size_t length,
                         const struct armtap_where *where);
int armtap_buffer_reserve(struct armtap_conn *conn, enum armtap_direction direction);
void armtap_buffer_consume(struct armtap_half *half, size_t length);
/* An empty buffer is not kept large. */
void armtap_buffer_shrink(struct armtap_conn *conn, struct armtap_half *half);
static inline struct armtap_span armtap_buffer_span(const struct armtap_half *half, bool final)
{
    return (struct armtap_span){half->buffer, half->used, half->marks, half->mark_count, final};
}

/* ---- frames.c: the inside of the public calls ---- */

int armtap_frames_push(struct armtap_conn *conn, enum armtap_direction direction, const uint8_t *bytes, size_t length,
                       const struct armtap_where *where);
int armtap_frames_miss(struct armtap_conn *conn, enum armtap_direction direction, uint64_t length,
                       enum armtap_missing_why why, const struct armtap_where *where);
int armtap_frames_close(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_where *where);

/* ---- deliver.c ---- */

/* Hands bytes [from, to) of a span to the sink as they came; `offset` is that of the first in its direction's stream.
 */
int armtap_conn_bytes(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                      size_t from, size_t to, uint64_t offset, bool skipped);

/* The layers: bytes of a direction are missing, or no more will come. */
int armtap_conn_layers_lost(struct armtap_conn *conn, enum armtap_direction direction);
int armtap_conn_layers_end(struct armtap_conn *conn, enum armtap_direction direction);
/* Whether what came is not all told: a command has not ended. */
bool armtap_conn_layers_wait(const struct armtap_conn *conn);

/* ---- seek.c ---- */

/* How well the first bytes of a direction fit a protocol. */
enum armtap_fit armtap_decoder_begins(const struct armtap_decoder *decoder, enum armtap_direction direction,
                                      const uint8_t *bytes, size_t length);
/* How well the `available` bytes after a frame fit it. */
enum armtap_fit armtap_decoder_follows(const struct armtap_decoder *decoder, const void *context,
                                       enum armtap_direction direction, const uint8_t *frame, size_t length,
                                       size_t available);
/* `need`, or more if many bytes have arrived already, so that repeated searches stay linear. */
size_t armtap_spaced(size_t need, size_t at_hand);
/* Nothing is ruled out yet for the next bytes. */
void armtap_search_anew(struct armtap_half *half);
/* Whether a decoder gave up on them before their end. */
bool armtap_search_is_spent(const struct armtap_half *half);
/* Whether the bytes at hand are not the first of their direction. */
bool armtap_is_late(const struct armtap_conn *conn, enum armtap_direction direction);
/* Whether to keep searching for a protocol that did not appear in that many more bytes. */
bool armtap_search_goes_on(const struct armtap_conn *conn, enum armtap_direction direction, size_t length);
/* Within how many bytes a protocol must appear. */
size_t armtap_recognise_limit(const struct armtap_conn *conn);
/* Searches for a protocol in the first bytes of a direction, up to the limit. If one is found, the
 * connection has its decoder; else the half's `want` is set, or `hopeless` if nothing will be found. *begin becomes the
 * start of the first frame if known, else -1. Returns 0 or an error. */
int armtap_recognise(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                     long *begin, bool *found);
/* Searches for the start of a frame. Returns the number of bytes before it; `found` says whether there is one; if not,
 * those bytes are done with and `want` is set. */
size_t armtap_seek(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                   bool *found);

/* ---- spoken.c ---- */

/* Bytes to the robot, before they are decoded; to be called while the state is NOT. */
int armtap_spoken_hear(struct armtap_conn *conn, const uint8_t *bytes, size_t length, const struct armtap_where *where);
void armtap_spoken_free(struct armtap_conn *conn);
/* Whether what the client said is no reason yet to expect that protocol: the robot's first bytes will tell. `final`:
 * the client says no more. */
static inline bool armtap_spoken_waits(const struct armtap_conn *conn, bool final)
{
    const struct armtap_half *robot = &conn->half[ARMTAP_FROM_ROBOT];
    return conn->spoken.state == ARMTAP_SPOKEN_HEARD && !conn->decoder && !robot->hopeless && !robot->closed &&
           (!final || robot->used > 0);
}
/* Reports it once the robot's answer, or the end, shows that the port was the wrong one. */
int armtap_spoken_judge(struct armtap_conn *conn);

#endif
