/* A small network: TCP connections whose packets a capturing machine beside the client sees. It gives every packet its
 * headers, options, checksums and acknowledgements, and keeps them until they are written in the order of time. */
#ifndef WIRE_H
#define WIRE_H

#include "armtap.h"
#include "number.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wire_address {
    bool v6;
    uint8_t bytes[16]; /* 4 of them in IPv4 */
};

struct wire_packet {
    int64_t time; /* ns since the epoch */
    size_t order; /* in which they were made */
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
/* Puts the packets of all connections into the order of their times. */
void wire_sort(struct wire *wire);

struct wire_end {
    struct wire_address address;
    uint16_t port;
    uint32_t sequence;   /* of its next byte */
    uint32_t received;   /* what it acknowledges */
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
    unsigned vlan;
    bool open;
    int64_t now; /* of its latest packet; it only goes on */
};

enum wire_close { WIRE_CLOSE_FIN, WIRE_CLOSE_RESET };

/* The client's SYN, the same once more, and the two answers to it. Addresses, ports, vlan and prng are set before. */
void wire_ask(struct wire_connection *connection, int64_t time);
void wire_ask_again(struct wire_connection *connection, int64_t time);
void wire_accept(struct wire_connection *connection);
void wire_refuse(struct wire_connection *connection);
/* The three packets of a connection's beginning. Addresses, ports, vlan and prng are set before. */
void wire_open(struct wire_connection *connection, int64_t time);
/* Bytes from one end to the other, in as many segments as they need, with the acknowledgements that fall due. */
void wire_send(struct wire_connection *connection, enum armtap_direction sender, const void *bytes, size_t length,
               int64_t time);
/* Acknowledgements that fall due before `time`. */
void wire_wait(struct wire_connection *connection, int64_t time);
void wire_close(struct wire_connection *connection, enum armtap_direction sender, enum wire_close how, int64_t time);

#endif
