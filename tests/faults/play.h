/* Plays a dialogue between a controller and a client packet by packet, with something wrong in it, and notes meanwhile
 * what diagnose must find, with the packet's number in the capture. */
#ifndef PLAY_H
#define PLAY_H

#include <stdio.h>

#include "wire.h"
#include "armtap.h"

#define PLAY_FINDINGS 64

struct play {
    struct wire wire;
    struct wire_connection connection; /* the current one; its ends are indexed by the sender */
    unsigned connections;
    unsigned robot;               /* target of new connections: its address is this far after the first robot's */
    bool v6;                      /* new connections use IPv6 */
    struct armtap_state *state;   /* what the controller sends; its timestamp advances by itself */
    struct armtap_recipe *recipe; /* of its RTDE data */
    int protocol;
    unsigned size;    /* of legacy packets; 0: RTDE */
    int64_t time;     /* of the capture, ns; when data is sent */
    int64_t step;     /* between two packages, ns */
    double fast;      /* by how much the controller's clock is fast; 1e-6 is 1 ppm */
    size_t cut;       /* index of a packet that the capture cut, plus 1 */
    size_t cut_to;    /* bytes that are left of it */
    uint64_t dropped; /* packets dropped by the interface; if not 0, the capture is a pcapng with this count */
    bool recorded;    /* by armtap, from a socket; goes with `dropped` */
    bool failed;
    struct play_finding {
        const char *id;
        int stream; /* -1: of the capture */
        size_t packet;
    } findings[PLAY_FINDINGS];
    size_t finding_count;
};

int play_begin(struct play *play);
void play_end(struct play *play);
/* Writes the capture with times in ns: as pcap, or as pcapng if packets were dropped. */
int play_write(const struct play *play, FILE *file);

/* ---- what goes over the wire ---- */

/* A new connection to a port of the controller: the client's SYN; the same SYN again; the answers to it. */
void play_call(struct play *play, uint16_t port);
void play_call_again(struct play *play);
void play_refuse(struct play *play);
void play_accept(struct play *play);
/* A connection that is accepted. */
void play_connect(struct play *play, uint16_t port);
void play_ask(struct play *play, struct armtap_rtde_package package);
void play_reply(struct play *play, struct armtap_rtde_package package);
/* Protocol 2 and the controller's version, as most clients begin. */
void play_greet(struct play *play, unsigned major);
/* A set-up with the reply `types`, or the table's types if NULL; later data follows it. */
void play_set_up(struct play *play, double frequency, const char *names, const char *types);
void play_start(struct play *play);
void play_pause(struct play *play);
/* Connection, greeting by a controller 5.x, set-up, START. */
void play_stream(struct play *play, double frequency, const char *names);
/* The same for the legacy interface. */
void play_realtime(struct play *play, unsigned size);
/* Legacy packets of that size on the current connection. */
void play_realtime_data(struct play *play, unsigned size, unsigned count);
/* `count` packages, one step apart. */
void play_data(struct play *play, unsigned count);
/* Nothing for that time, then everything that was due in it at once. */
void play_stall(struct play *play, int64_t time);
/* One data package with `more` bytes than its recipe has. */
void play_odd_data(struct play *play, int more);
void play_bytes(struct play *play, enum armtap_direction sender, const void *bytes, size_t length);
/* Time passes without a package. */
void play_wait(struct play *play, int64_t time);
void play_close(struct play *play, enum armtap_direction sender, enum wire_close how);

/* ---- what happens to the packets; they are named by their index ---- */

/* The last one with bytes from that side. */
size_t play_last(const struct play *play, enum armtap_direction sender);
/* The first one with bytes from that side after `index`. */
size_t play_next(const struct play *play, size_t index, enum armtap_direction sender);
/* The last of all. */
size_t play_latest(const struct play *play);
uint8_t *play_payload(const struct play *play, size_t index, size_t *length);
void play_drop(struct play *play, size_t index);
/* Adds a copy of it, `after` ns after the latest packet. Returns the copy's index. */
size_t play_repeat(struct play *play, size_t index, int64_t after);
/* Adds a router's ICMP error about it, `after` ns after the latest packet: type 3 and this code, or ICMPv6's type 1.
 * Returns its index. */
size_t play_unreachable(struct play *play, size_t index, uint8_t code, int64_t after);
unsigned play_ip_id(const struct play *play, size_t index);
void play_set_ip_id(const struct play *play, size_t index, unsigned id);
/* Swaps the bytes of two packets, so that they arrive in the other order. */
void play_swap(struct play *play, size_t one, size_t other);
/* All packets so far of one side carry times that much later, and come in that order. Returns where its first is now.
 */
size_t play_set_clock(struct play *play, enum armtap_direction sender, int64_t ahead);
/* The capture begins here. */
void play_forget(struct play *play);

/* ---- what must be found ---- */

void play_expect(struct play *play, const char *id, size_t index);
void play_expect_of(struct play *play, const char *id, int stream, size_t index);

#endif
