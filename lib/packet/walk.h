/* A packet on the way from its outermost header to TCP: what the files of the link share. */
#ifndef ARMTAP_WALK_H
#define ARMTAP_WALK_H

#include "link.h"

/* What the bytes begin with. */
enum armtap_layer {
    ARMTAP_LAYER_DONE, /* the walk has its result */
    ARMTAP_LAYER_ETHERNET,
    ARMTAP_LAYER_TYPE, /* what the EtherType `number` says */
    ARMTAP_LAYER_LLC,
    ARMTAP_LAYER_FAMILY,
    ARMTAP_LAYER_PPP,
    ARMTAP_LAYER_MPLS,
    ARMTAP_LAYER_IP, /* of the version that its first bits say */
    ARMTAP_LAYER_IPV4,
    ARMTAP_LAYER_IPV6,
    ARMTAP_LAYER_PROTOCOL, /* what the IP protocol `number` says */
};

/* The rest of a packet after the headers read so far. */
struct armtap_walk {
    const uint8_t *data;
    size_t captured; /* bytes at data */
    size_t length;   /* bytes on the wire, never fewer than captured */
    unsigned number;
    unsigned tunnels; /* passed so far */
    enum armtap_link_result result;
    const char *fault; /* constant */
    struct armtap_segment *segment;
};

static inline void armtap_walk_skip(struct armtap_walk *walk, size_t count)
{
    walk->data += count;
    walk->captured -= count;
    walk->length -= count;
}

/* Drops what lies after the first `length` bytes: padding, trailers. */
static inline void armtap_walk_limit(struct armtap_walk *walk, size_t length)
{
    if (walk->length > length)
        walk->length = length;
    if (walk->captured > length)
        walk->captured = length;
}

static inline enum armtap_layer armtap_walk_end(struct armtap_walk *walk, enum armtap_link_result result)
{
    walk->result = result;
    return ARMTAP_LAYER_DONE;
}

static inline enum armtap_layer armtap_walk_bad(struct armtap_walk *walk, const char *fault)
{
    walk->fault = fault;
    return armtap_walk_end(walk, ARMTAP_LINK_BAD);
}

/* What comes next cannot be read: `what` it is, a constant, or NULL where that says nothing about a robot. */
static inline enum armtap_layer armtap_walk_unread(struct armtap_walk *walk, const char *what)
{
    walk->segment->unread = what;
    return armtap_walk_end(walk, ARMTAP_LINK_OTHER);
}

/* There are fewer bytes than a header of `what` has. */
static inline enum armtap_layer armtap_walk_short(struct armtap_walk *walk, const char *what)
{
    return walk->length > walk->captured ? armtap_walk_end(walk, ARMTAP_LINK_CUT) : armtap_walk_unread(walk, what);
}

/* ---- tunnel.c: a step over what stands between the link and the IP header of a robot's packet, or around it ---- */

enum armtap_layer armtap_walk_type(struct armtap_walk *walk);
enum armtap_layer armtap_walk_llc(struct armtap_walk *walk);
enum armtap_layer armtap_walk_ppp(struct armtap_walk *walk);
enum armtap_layer armtap_walk_mpls(struct armtap_walk *walk);
/* IP protocols other than TCP, ICMP and the extension headers. */
enum armtap_layer armtap_walk_protocol(struct armtap_walk *walk);
/* Whether tunnels end at that UDP port. */
bool armtap_walk_is_tunnel_port(unsigned port);

#endif
