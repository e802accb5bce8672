/* A small network: TCP connections captured beside the client. It gives every packet its headers, options, checksums
 * and acknowledgements, and keeps the packets until they are written in order of time. */
#ifndef WIRE_H
#define WIRE_H

#include "armtap.h"
#include "number.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MICROSECOND INT64_C(1000) /* ns */

struct wire_address {
    bool v6;
    uint8_t bytes[16]; /* 4 of them in IPv4 */
};

struct wire_packet {
    int64_t time; /* ns since the epoch */
    size_t order; /* of creation */
    uint8_t *bytes;
    size_t length;
};

struct wire {
    struct wire_packet *packets;
    size_t count;
    size_t capacity;
    bool out_of_memory;
};

void wire_free(struct wire *wire);
/* Sorts the packets of all connections by time. */
void wire_sort(struct wire *wire);

struct wire_end {
    struct wire_address address;
    uint16_t port;
    uint32_t sequence;   /* of its next byte */
    uint32_t received;   /* next byte that it expects */
    unsigned unanswered; /* segments that it has not acknowledged */
    int64_t answer_due;  /* when it acknowledges them at the latest */
    uint16_t ip_id;
    uint16_t window; /* as it stands in the header, scaled */
};

/* One TCP connection; its ends are indexed by the direction in which they send: ARMTAP_FROM_ROBOT, ARMTAP_TO_ROBOT. */
struct wire_connection {
    struct wire *wire;
    struct prng prng;
    struct wire_end end[2];
    bool robot_calls; /* it connects to the other */
    unsigned vlan;
    bool open;
    int64_t now; /* of its latest packet; never goes back */
};

enum wire_close { WIRE_CLOSE_FIN, WIRE_CLOSE_RESET };

/* The caller's SYN, its retransmission, and the two possible answers. Set addresses, ports, robot_calls, vlan and prng
 * before. */
void wire_ask(struct wire_connection *connection, int64_t time);
void wire_ask_again(struct wire_connection *connection, int64_t time);
void wire_accept(struct wire_connection *connection);
void wire_refuse(struct wire_connection *connection);
/* The three-way handshake. Set the same before. */
void wire_open(struct wire_connection *connection, int64_t time);
/* Bytes from one end to the other, in as many segments as they need, with the acknowledgements that fall due. */
void wire_send(struct wire_connection *connection, enum armtap_direction sender, const void *bytes, size_t length,
               int64_t time);
/* Sends the acknowledgements that are due before `time`. */
void wire_wait(struct wire_connection *connection, int64_t time);
void wire_close(struct wire_connection *connection, enum armtap_direction sender, enum wire_close how, int64_t time);

#endif
