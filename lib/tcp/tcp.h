/* A TCP connection as the reassembler keeps it: both directions, and positions in their streams. Segments in; per
 * direction bytes, gaps and an end out, in stream order. */
#ifndef ARMTAP_TCP_H
#define ARMTAP_TCP_H

#include "arrival.h"
#include "connection/span.h"
#include "packet/link.h"
#include "protocol/fact.h"

/* What the reassembler calls; each returns 0 or an error that ends the work at once. */
struct armtap_tcp_calls {
    int (*push)(void *user, enum armtap_direction direction, const uint8_t *bytes, size_t length,
                const struct armtap_where *where);
    int (*gap)(void *user, enum armtap_direction direction, uint64_t length, enum armtap_missing_why why,
               const struct armtap_where *where);
    int (*close)(void *user, enum armtap_direction direction, const struct armtap_where *where);
    int (*event)(void *user, enum armtap_direction direction, enum armtap_event_type type, uint64_t a,
                 const struct armtap_where *where);
    /* What the network did to a packet of `bytes` bytes, how the connection ends (CLOSE), or that one side offers a
     * window of so many bytes (WINDOW); doubtful: the packets do not prove it, that this side is the first to close, or
     * the window's scale. */
    int (*arrival)(void *user, enum armtap_direction direction, enum armtap_event_type type, uint64_t bytes,
                   bool doubtful, const struct armtap_where *where);
    int (*note)(void *user, enum armtap_direction direction, enum armtap_note_code code,
                const struct armtap_where *where, const struct armtap_arguments *arguments);
};

enum armtap_tcp_state {
    ARMTAP_TCP_UNSEEN, /* no SYN, no byte */
    ARMTAP_TCP_HELD,   /* began in mid-stream: bytes wait a little because earlier ones may still come */
    ARMTAP_TCP_OPEN,
    ARMTAP_TCP_CLOSED
};

/* How far apart the clocks are that stamped a direction's packets, where two captures were merged. */
struct armtap_tcp_apart {
    unsigned behind, copies;   /* data that came after their acknowledgement, packets that came twice */
    unsigned measured, near;   /* of those behind: for how long is known, and it is about the most */
    unsigned disorder;         /* the peer's acknowledgements that came after later ones: one machine does both */
    bool is_syn_behind;        /* it came after its answer */
    uint64_t bytes;            /* of those behind */
    int64_t most, least;       /* ns: of those behind the most, of copies the least */
    struct armtap_where where; /* of the first */
};

/* One direction: what its sender sends. What each packet needs lies together, from the end of the queue to the middle
 * of the sender: where thousands of connections take turns, none of it is in a cache. */
struct armtap_tcp_side {
    struct armtap_queue queue;
    enum armtap_tcp_state state;
    bool has_isn;    /* its SYN was seen */
    bool has_first;  /* `first` is known, from a packet without bytes or from the peer */
    bool has_end;    /* its FIN was seen, at position `end` */
    bool has_window; /* `window` is known */
    bool is_behind;  /* further bytes came after the connection ended */
    bool ttl_varies, mac_varies;
    uint8_t ttl;      /* of its last packet, and of all before if it does not vary */
    bool may_answer;  /* its FIN acknowledges more than a peer without captured bytes had sent at first, ... */
    bool answers;     /* ... and the last of it, perhaps before, was a single byte: the peer's FIN */
    bool acked_one;   /* nothing of it was captured, and the peer acknowledged a single byte last: a FIN */
    bool was_in_vain; /* waited for what it acknowledges, of which nothing came since */
    bool has_probe;   /* `probe_byte` is kept aside: a window probe, or the next byte after all */
    uint8_t probe_byte;
    int8_t scale; /* shift of its window; -1 if its SYN had none */
    uint64_t mac; /* as `ttl` */
    uint32_t isn, first;
    uint32_t acked_last; /* by the peer, while nothing of it was captured */
    uint64_t start;      /* position of the first byte, where it began in mid-stream */
    uint64_t next;       /* position of the next byte to deliver */
    uint64_t highest;    /* end of what was seen */
    uint64_t end;
    uint64_t lost;                  /* of the last gap, not yet reported */
    uint64_t said;                  /* end of what was sent, by its packets without bytes */
    uint64_t missed;                /* what the peer acknowledged beyond `highest`; 0: nothing */
    uint64_t ahead;                 /* acknowledged before it was captured, at `ahead_time`; 0: nothing waits */
    uint64_t passed;                /* up to there, they were decoded elsewhere */
    uint64_t keep_alives;           /* sent since the peer last sent a packet */
    uint64_t window, window_peak;   /* bytes; the peak is that since the last event */
    struct armtap_history *history; /* NULL if too many others keep one */
    struct armtap_sender sender;
    uint64_t lost_from, lost_to; /* the last gap */
    enum armtap_missing_why lost_why;
    struct armtap_where lost_where;
    struct armtap_where missed_where; /* where that was seen */
    struct armtap_where probe_where;
    int64_t keep_alive_time; /* of the last keep-alive */
    int64_t ahead_time;
    struct armtap_tcp_apart apart;
    int64_t held_time;
    uint64_t held_packet;
};

/* A RST, and what came after it. Its receiver may have ignored it, or somebody else sent it. */
struct armtap_tcp_reset {
    struct armtap_tcp *older, *newer; /* in pool->oldest_reset, if is_listed */
    bool is_listed;
    bool is_doubtful; /* the other side may have closed before */
    bool is_exact;    /* at the byte expected next (RFC 5961) */
    bool has_beyond, has_sent;
    bool is_late;                    /* its receiver spoke when it would long have heard of it, ... */
    bool is_unheard;                 /* ... and sent new bytes */
    uint8_t repeated;                /* by further ones; at most three */
    enum armtap_direction direction; /* in whose name it came */
    struct armtap_reset what;
    uint32_t seq;    /* its own number */
    uint32_t beyond; /* up to where that side sent; ... */
    uint32_t sent;   /* ... and the other; who goes on behind that, or acknowledges it, did not end the connection */
    uint64_t acked;  /* how far it and what came before it acknowledge the other's bytes; 0: nothing */
    struct armtap_where where;
    int64_t active_time; /* of the last new bytes */
    int64_t silence;     /* ns: after so long without new ones it ended the connection */
};

struct armtap_tcp {
    struct armtap_pool *pool;
    const struct armtap_tcp_calls *calls;
    void *user;
    bool ignored;
    bool cut_noted;
    bool is_made;                   /* its packets are made from a socket's bytes: a RST is one */
    bool may_be_reset;              /* by `reset`: what comes later decides */
    bool is_answer;                 /* the FIN that closes a side acknowledges that of the other, which closed first */
    struct armtap_resent resent;    /* the last bytes sent again */
    struct armtap_tcp_reset reset;  /* the last that counts */
    struct armtap_tcp_side side[2]; /* by enum armtap_direction */
};

#define ARMTAP_TCP_JUMP (16 << 20) /* bytes: farther than any window, so another connection */

static inline int32_t armtap_tcp_distance(uint32_t seq, uint64_t position)
{
    return (int32_t)(seq - (uint32_t)position);
}

static inline uint64_t armtap_tcp_position(const struct armtap_tcp_side *side, uint32_t seq)
{
    return side->next + (uint64_t)(int64_t)armtap_tcp_distance(seq, side->next);
}

static inline bool armtap_tcp_was_seen(const struct armtap_tcp_side *side)
{
    return side->highest != 0;
}

static inline struct armtap_tcp_side *armtap_tcp_peer(struct armtap_tcp *tcp, enum armtap_direction direction)
{
    return &tcp->side[!direction];
}

/* Whether two sequence numbers are close enough to belong to one connection. */
static inline bool armtap_tcp_is_near(uint32_t a, uint32_t b)
{
    int32_t d = (int32_t)(a - b);
    return d >= -ARMTAP_TCP_JUMP && d <= ARMTAP_TCP_JUMP;
}

static inline bool armtap_tcp_is_closed(const struct armtap_tcp *tcp)
{
    return tcp->side[0].state == ARMTAP_TCP_CLOSED && tcp->side[1].state == ARMTAP_TCP_CLOSED;
}

/* Whether packets of that direction were captured. */
static inline bool armtap_tcp_is_heard(const struct armtap_tcp_side *side)
{
    return side->has_isn || side->has_window;
}

/* Whether all packets before came with another one. */
static inline bool armtap_tcp_is_other_ttl(const struct armtap_tcp_side *side, const struct armtap_segment *segment)
{
    return side->ttl && !side->ttl_varies && segment->ttl != side->ttl;
}

static inline bool armtap_tcp_is_other_mac(const struct armtap_tcp_side *side, const struct armtap_segment *segment)
{
    return side->mac && segment->mac && !side->mac_varies && segment->mac != side->mac;
}

/* Behind its bytes. */
static inline uint32_t armtap_tcp_end_of(const struct armtap_segment *segment)
{
    return segment->seq + (uint32_t)(segment->length + segment->cut);
}

void armtap_tcp_init(struct armtap_tcp *tcp, struct armtap_pool *pool, const struct armtap_tcp_calls *calls,
                     void *user);
/* Drops waiting data without calling anything. */
void armtap_tcp_clear(struct armtap_tcp *tcp);
/* Whether the segment belongs to another connection on the same ports: then start over. */
bool armtap_tcp_is_other(const struct armtap_tcp *tcp, enum armtap_direction direction,
                         const struct armtap_segment *segment);
/* Whether all of it came before: bytes, more than a keep-alive's one, or a SYN after which bytes followed. */
bool armtap_tcp_is_repeat(const struct armtap_tcp *tcp, enum armtap_direction direction,
                          const struct armtap_segment *segment);
/* A segment that came after the connection ended, and belongs to it. */
void armtap_tcp_after_end(struct armtap_tcp *tcp, enum armtap_direction direction,
                          const struct armtap_segment *segment);
/* The next segment, captured at pool->now. */
int armtap_tcp_segment(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment);
/* Whether the segment brings only the next bytes of a direction, or an acknowledgement without bytes, and nothing waits
 * in either direction. Then armtap_tcp_next() does what armtap_tcp_is_other() and armtap_tcp_segment() would. */
bool armtap_tcp_is_next(const struct armtap_tcp *tcp, enum armtap_direction direction,
                        const struct armtap_segment *segment);
int armtap_tcp_next(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment);
/* The bytes are no longer needed: only beginning and end are tracked. */
void armtap_tcp_ignore(struct armtap_tcp *tcp);
/* Delivers all waiting data and closes both directions; `direction` is the side that caused it. */
int armtap_tcp_finish(struct armtap_tcp *tcp, enum armtap_direction direction, enum armtap_close reason);
/* One that a RST ended, and in which nothing came any more for long enough, so that armtap_tcp_finish() may end it; or
 * NULL. */
struct armtap_tcp *armtap_tcp_overdue(const struct armtap_pool *pool);
/* Bytes of a side that it sent again, and that the other never acknowledged. */
uint64_t armtap_tcp_unacknowledged(const struct armtap_tcp *tcp, enum armtap_direction direction);
/* Bytes behind its last ones that were sent, as its packets without bytes show, and neither captured nor acknowledged.
 */
uint64_t armtap_tcp_unseen(const struct armtap_tcp *tcp, enum armtap_direction direction);
/* Bytes that were decoded elsewhere are passed over, up to sequence number `seq`. */
void armtap_tcp_pass(struct armtap_tcp_side *side, uint32_t seq);

#endif
