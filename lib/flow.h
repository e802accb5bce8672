/* The TCP connections of a capture: found by their addresses and ports, in number bounded. */
#ifndef ARMTAP_FLOW_H
#define ARMTAP_FLOW_H

#include "attempt.h"
#include "conn.h"
#include "link.h"
#include "tcp.h"
#include "traffic.h"

/* Both ends, the lesser first, so that both directions have one key. */
struct armtap_flow_key {
    struct armtap_address address[2];
    uint16_t port[2];
};

/* What is lost when a flow has to go: the least precious go first. */
enum armtap_flow_class {
    ARMTAP_FLOW_IDLE, /* closed or foreign: kept to know its stragglers */
    ARMTAP_FLOW_NEW,  /* nothing of ours was seen yet */
    ARMTAP_FLOW_LIVE, /* messages, but no records */
    ARMTAP_FLOW_SENDING,
    ARMTAP_FLOW_CLASSES
};

/* A segment that may belong to another connection on the same ports: what follows tells. */
struct armtap_doubt {
    struct armtap_where where;
    struct armtap_segment segment;
    unsigned sender; /* which end of the key */
    uint8_t bytes[];
};

struct armtap_flow {
    struct armtap_flow_key key;
    uint64_t hash;
    struct armtap_flow *next; /* of the same bucket */
    enum armtap_flow_class class;
    struct armtap_flow *older, *newer;   /* of the same class, by their last packets */
    unsigned robot_end;                  /* which end of the key is the robot */
    struct armtap_conn *conn;            /* NULL once it is closed */
    struct armtap_doubt *doubt;          /* NULL mostly */
    struct armtap_traffic_count traffic; /* of a robot's port that may be another than telemetry's */
    bool decoded;                        /* it is telemetry */
    bool given_up;                       /* while it was open: others needed its place */
    struct armtap_attempt attempt;       /* to connect; of other ports none */
    struct armtap_tcp tcp;
};

struct armtap_flow_table {
    struct armtap_flow **buckets;
    size_t bucket_count; /* a power of two, or 0 */
    size_t count;
    uint64_t seed;
    struct {
        struct armtap_flow *oldest, *newest;
        size_t count;
    } class[ARMTAP_FLOW_CLASSES];
};

/* Returns which end of the key the segment's sender is. */
unsigned armtap_flow_key_of(const struct armtap_segment *segment, struct armtap_flow_key *key);
void armtap_flow_table_init(struct armtap_flow_table *table);
/* NULL if there is none. */
struct armtap_flow *armtap_flow_find(const struct armtap_flow_table *table, const struct armtap_flow_key *key);
/* A new flow, all zero but for its key, of class NEW; NULL without memory. */
struct armtap_flow *armtap_flow_add(struct armtap_flow_table *table, const struct armtap_flow_key *key);
/* A packet of it came: it is the newest of that class. */
void armtap_flow_enter(struct armtap_flow_table *table, struct armtap_flow *flow, enum armtap_flow_class class);
/* The oldest flow of a class that holds more than it may; NULL if none does. Where memory is scarce that is the least
 * precious class, so that each of them keeps a few. */
struct armtap_flow *armtap_flow_surplus(const struct armtap_flow_table *table, bool is_scarce);
/* Bytes of memory that table and flows take, without their connections. */
size_t armtap_flow_bytes(const struct armtap_flow_table *table);
/* The flow of an attempt. */
struct armtap_flow *armtap_flow_of(struct armtap_attempt *attempt);
/* Takes it out and frees it; connection and reassembly are the caller's to free before. */
void armtap_flow_remove(struct armtap_flow_table *table, struct armtap_flow *flow);
/* Frees the table itself, which is empty. */
void armtap_flow_table_free(struct armtap_flow_table *table);

#endif
