/* What two ends sent each other over one TCP connection, and when; and the same bytes sent again in other packets. */
#ifndef TRANSPORT_DIALOGUE_H
#define TRANSPORT_DIALOGUE_H

#include "capturefile.h"

/* The next `length` bytes of a direction, sent at once. */
struct turn {
    int64_t time;
    enum armtap_direction direction;
    size_t length;
};

struct dialogue {
    struct bytes stream[2]; /* by enum armtap_direction */
    struct turn *turns;
    size_t count, room;
    uint16_t robot_port, client_port;
    bool robot_calls; /* it connects to the other; set before dialogue_read */
};
void dialogue_say(struct dialogue *dialogue, int64_t time, enum armtap_direction direction, const void *bytes,
                  size_t length);
/* The `index`-th connection of a capture that begins with a SYN. It must hold every byte once and in order. */
void dialogue_read(struct dialogue *dialogue, const char *file, unsigned index);
void dialogue_free(struct dialogue *dialogue);

/* ---- segments, in the order of capture ---- */

struct segment {
    int64_t time;
    enum armtap_direction direction;
    size_t from, to; /* bytes of the direction's stream; equal: none */
    size_t acked;    /* bytes of the other direction */
    unsigned flags;  /* TCP's, beside ACK */
    uint16_t ip_id;
    bool has_ack;
};

struct segments {
    struct segment *at;
    size_t count, room;
};
void segments_add(struct segments *segments, const struct segment *segment);
void segments_insert(struct segments *segments, size_t place, const struct segment *segment);
void segments_free(struct segments *segments);

/* How a dialogue is cut into segments. */
struct cutting {
    size_t least, most; /* bytes of a segment; most 0: a segment for each turn */
    uint64_t seed;
    bool handshake, end; /* SYN and FIN are there */
    bool without_acks;   /* only those that data carries */
};
void cut(const struct dialogue *dialogue, const struct cutting *cutting, struct segments *segments);

/* How segments become packets. */
struct clothing {
    enum link link;
    unsigned tags;       /* VLAN tags before the network header */
    bool v6, extensions; /* IPv6; hop-by-hop and destination options before TCP */
    bool no_ip_length;   /* as with segmentation offload */
    bool little_endian;  /* the family of a null link */
    bool padded;         /* to Ethernet's shortest frame, with any bytes */
    uint32_t isn[2];     /* initial sequence numbers, by direction */
};
void dress(const struct dialogue *dialogue, const struct segments *segments, const struct clothing *clothing,
           struct capture_list *list);

#endif
