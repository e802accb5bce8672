/* Reassembly of one TCP connection: segments in, per direction bytes, gaps and an end out, in stream order. */
#ifndef ARMTAP_TCP_H
#define ARMTAP_TCP_H

#include "arrival.h"
#include "link.h"
#include "note.h"

/* What the reassembler calls; each returns 0 or an error that ends the work at once. */
struct armtap_tcp_calls {
    int (*push)(void *user, enum armtap_direction direction, const uint8_t *bytes, size_t length,
                const struct armtap_where *where);
    int (*gap)(void *user, enum armtap_direction direction, uint64_t length, const struct armtap_where *where);
    int (*close)(void *user, enum armtap_direction direction, const struct armtap_where *where);
    int (*event)(void *user, enum armtap_direction direction, enum armtap_event_type type, uint64_t a,
                 const struct armtap_where *where);
    /* What the network did to a packet of `bytes` bytes; doubtful: the packets do not prove it. */
    int (*arrival)(void *user, enum armtap_direction direction, enum armtap_event_type type, uint64_t bytes,
                   bool doubtful, const struct armtap_where *where);
    int (*note)(void *user, enum armtap_direction direction, enum armtap_note_code code,
                const struct armtap_where *where, const char *text);
};

enum armtap_tcp_state {
    ARMTAP_TCP_UNSEEN, /* no SYN, no byte */
    ARMTAP_TCP_HELD,   /* began in mid-stream: bytes wait a little, for earlier ones may still come */
    ARMTAP_TCP_OPEN,
    ARMTAP_TCP_CLOSED
};

/* One direction: what its sender sends. */
struct armtap_tcp_side {
    enum armtap_tcp_state state;
    bool has_isn;    /* its SYN was seen */
    bool has_first;  /* `first` is known, from a packet without bytes or from the peer */
    bool has_end;    /* its FIN was seen, at position `end` */
    bool has_window; /* `window` is known */
    bool has_probe;  /* `probe_byte` is kept aside: a window probe, or the next byte after all */
    uint8_t probe_byte;
    int8_t scale; /* shift of its window, -1 where its SYN had none */
    uint32_t isn, first;
    uint64_t start;   /* position of the first byte, where it began in mid-stream */
    uint64_t next;    /* position of the next byte to deliver */
    uint64_t highest; /* end of what was seen */
    uint64_t end;
    uint64_t lost_from, lost_to; /* the last gap */
    uint64_t lost;               /* of it, not yet told */
    uint64_t missed;             /* what the peer acknowledged beyond `highest`; 0: nothing; told at: */
    struct armtap_where missed_where;
    uint64_t keep_alives;    /* sent since the peer last sent a packet */
    int64_t keep_alive_time; /* of the last */
    struct armtap_where lost_where;
    struct armtap_where probe_where;
    int64_t held_time;
    uint64_t held_packet;
    uint64_t window, window_peak; /* bytes; the peak is that since the last event */
    struct armtap_queue queue;
    struct armtap_sender sender;
    struct armtap_history *history; /* NULL where too many others keep one */
};

struct armtap_tcp {
    struct armtap_tcp_side side[2]; /* by enum armtap_direction */
    struct armtap_pool *pool;
    const struct armtap_tcp_calls *calls;
    void *user;
    bool ignored;
    bool cut_noted;
};

void armtap_tcp_init(struct armtap_tcp *tcp, struct armtap_pool *pool, const struct armtap_tcp_calls *calls,
                     void *user);
/* Drops what waits; calls nothing. */
void armtap_tcp_clear(struct armtap_tcp *tcp);
/* The segment is of another connection on the same ports: begin anew. */
bool armtap_tcp_is_other(const struct armtap_tcp *tcp, enum armtap_direction direction,
                         const struct armtap_segment *segment);
/* Two sequence numbers so near each other that one connection may hold both. */
bool armtap_tcp_is_near(uint32_t a, uint32_t b);
/* The next segment, captured at pool->now. */
int armtap_tcp_segment(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment);
/* Nobody cares for the bytes any more: only beginning and end are followed. */
void armtap_tcp_ignore(struct armtap_tcp *tcp);
/* Gives out all that waits and closes both directions; `direction` is whose doing it was. */
int armtap_tcp_finish(struct armtap_tcp *tcp, enum armtap_direction direction, enum armtap_close reason);
bool armtap_tcp_is_closed(const struct armtap_tcp *tcp);
/* Forgets what it delivered of late, while more than `least` directions of all keep that. */
void armtap_tcp_drop_histories(struct armtap_tcp *tcp, unsigned least);
/* Gives up a hole of the queue that holds most; *done tells whether there was one. */
int armtap_tcp_relieve(struct armtap_pool *pool, bool *done);
/* Looks whether the holes of some waiting connections have to be given up; to be called for each captured packet. */
int armtap_tcp_sweep(struct armtap_pool *pool);

#endif
