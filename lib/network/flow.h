/* The connections of a capture, known by their ends, and the traffic of those that no decoder reads. */
#ifndef ARMTAP_FLOW_H
#define ARMTAP_FLOW_H

#include "packet/link.h"
#include "attempt.h"
#include "connection/conn.h"
#include "tcp/tcp.h"

/* ---- traffic.c ----
 *
 * Captured traffic on robot ports that no decoder reads. */

/* Robot ports counted separately; further ones are left out. */
#define ARMTAP_TRAFFICS_MAX 256

/* Of one connection, or of a robot's port. */
struct armtap_traffic_count {
    struct armtap_address robot; /* version 0: no such port */
    uint16_t port;
    uint64_t packets, bytes;
};

struct armtap_traffics {
    struct armtap_traffic_count all[ARMTAP_TRAFFICS_MAX]; /* in the order in which they were added */
    size_t count;
};

/* Looks at the first segment of a connection. `server` is the end that its SYN makes the server, by index of both ends;
 * without a SYN both ends are checked; ports that a client may have by chance count only if the other end's port may be
 * a client's too. */
void armtap_traffic_begin(struct armtap_traffic_count *count, const struct armtap_address address[2],
                          const uint16_t port[2], bool has_syn, unsigned server);
/* Adds a connection's counts. */
void armtap_traffics_add(struct armtap_traffics *traffics, const struct armtap_traffic_count *count);
/* Whether only robots listen on a port. */
bool armtap_traffic_is_robots(uint16_t port);
/* The name of a port in the table, or NULL. */
const char *armtap_traffic_name(uint16_t port);

/* ---- flow.c ----
 *
 * The TCP connections of a capture: a bounded table, keyed by addresses and ports. */

struct armtap_digest_flow;

/* Both ends, the smaller first, so that both directions have the same key. */
struct armtap_flow_key {
    struct armtap_address address[2];
    uint16_t port[2];
};

/* Four bytes each of what a hash takes from a key: addresses, ports, IP version. */
#define ARMTAP_FLOW_WORDS 10

/* The value of a flow: when room is needed, the least valuable go first. */
enum armtap_flow_class {
    ARMTAP_FLOW_IDLE, /* closed or foreign: kept to recognise late packets */
    ARMTAP_FLOW_NEW,  /* no telemetry seen yet */
    ARMTAP_FLOW_LIVE, /* messages, but no records */
    ARMTAP_FLOW_SENDING,
    ARMTAP_FLOW_CLASSES
};

/* A segment that may belong to another connection on the same ports; later segments decide. */
struct armtap_doubt {
    struct armtap_where where;
    struct armtap_segment segment;
    unsigned sender; /* index of the end in the key */
    uint8_t bytes[];
};

/* A FIN before any data, kept until some came or the connection ended. */
struct armtap_early_end {
    struct armtap_where where;
    enum armtap_direction direction;
    bool is_doubtful, answers, is_there;
};

/* What each packet needs comes first, but for `tcp`. */
struct armtap_flow {
    struct armtap_flow_key key;
    uint64_t hash;
    struct armtap_flow *next;          /* in the same bucket */
    struct armtap_flow *older, *newer; /* of the same class, by their last packets */
    struct armtap_conn *conn;          /* NULL once closed */
    struct armtap_doubt *doubt;        /* usually NULL */
    enum armtap_flow_class class;
    unsigned robot_end;                  /* index of the robot's end in the key */
    bool decoded;                        /* it carries telemetry */
    bool given_up;                       /* dropped while open, because others needed its place */
    bool is_usual;                       /* a pattern of headers leads to it */
    bool is_awake;                       /* SENDING, and it did so lately */
    struct armtap_net *taker;            /* its sink gets the bytes of this robot's port; NULL: nobody does */
    struct armtap_traffic_count traffic; /* of a robot's port that may not be a telemetry port */
    struct armtap_flow_attempt attempt;  /* to connect; none for other ports */
    uint64_t taken[2];                   /* bytes for the taker, by enum armtap_direction */
    struct armtap_digest_flow *digest;   /* what a digest holds back of it, or NULL */
    struct armtap_early_end early;
    struct armtap_tcp tcp;
};

struct armtap_flow_table {
    struct armtap_flow **buckets;
    size_t bucket_count; /* a power of two, or 0 */
    size_t count;
    uint32_t addend[ARMTAP_FLOW_WORDS]; /* random, of the hash */
    struct armtap_flow *recent;         /* the last that a packet was for, or NULL */
    struct {
        struct armtap_flow *oldest, *newest;
        size_t count;
    } class[ARMTAP_FLOW_CLASSES];
    struct armtap_flow *awake; /* of those awake, the one that was silent longest; the newer ones are awake, too */
    size_t awake_count;
    bool take_turns; /* of those sending, the one that was silent longest sent last */
};

/* Returns the index of the segment's sender in the key. */
unsigned armtap_flow_key_of(const struct armtap_segment *segment, struct armtap_flow_key *key);
void armtap_flow_table_init(struct armtap_flow_table *table);
/* NULL if there is none. */
struct armtap_flow *armtap_flow_find(const struct armtap_flow_table *table, const struct armtap_flow_key *key);
/* A new flow of class NEW, all zero except its key; NULL if memory runs out. */
struct armtap_flow *armtap_flow_add(struct armtap_flow_table *table, const struct armtap_flow_key *key);
/* Whether it is the newest of that class. */
static inline bool armtap_flow_is_newest(const struct armtap_flow *flow, enum armtap_flow_class class)
{
    return flow->class == class && !flow->newer && (flow->is_awake || class != ARMTAP_FLOW_SENDING);
}

/* Call for each packet of a flow: makes it the newest of that class. */
void armtap_flow_enter(struct armtap_flow_table *table, struct armtap_flow *flow, enum armtap_flow_class class);
/* table->awake has been silent for long: it is no longer awake, until its next packet. */
void armtap_flow_doze(struct armtap_flow_table *table);
/* The oldest flow of a class over its limit, or NULL. If memory is scarce, the least valuable class is over its limit,
 * but each class keeps a few. */
struct armtap_flow *armtap_flow_surplus(const struct armtap_flow_table *table, bool is_scarce);
/* Bytes of memory of table and flows, without their connections. */
static inline size_t armtap_flow_bytes(const struct armtap_flow_table *table)
{
    return table->count * sizeof(struct armtap_flow) + table->bucket_count * sizeof *table->buckets;
}

/* The flow that contains an attempt. */
struct armtap_flow *armtap_flow_of(struct armtap_flow_attempt *attempt);
/* Its next packet will probably come soon: fetches what that needs. */
void armtap_flow_prefetch(const struct armtap_flow *flow);
/* Removes and frees a flow; the caller frees its connection and reassembly first. */
void armtap_flow_remove(struct armtap_flow_table *table, struct armtap_flow *flow);
/* Frees the table, which must be empty. */
void armtap_flow_table_free(struct armtap_flow_table *table);

#endif
