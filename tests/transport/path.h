/* A TCP connection over a path that delays, loses, reorders and copies packets, and what a machine at either end of it
 * captures, with the truth about every captured packet. The sender retransmits as RFC 6298, 6675 and 8985 say (timeout
 * with backoff, SACK recovery after three segments or by time as RACK does, tail loss probe), the receiver delays its
 * acknowledgements and sends SACK and DSACK. */
#ifndef TRANSPORT_PATH_H
#define TRANSPORT_PATH_H

#include "capturefile.h"

#define PATH_WRITE 1108 /* bytes of a realtime packet, which fit a segment */

enum path_ids {
    PATH_IDS_COUNT,  /* a counter for each connection */
    PATH_IDS_SHARED, /* a counter shared with other connections */
    PATH_IDS_ZERO,
    PATH_IDS_RANDOM
};

struct path {
    uint64_t seed;
    unsigned segments; /* to be captured, at least */
    unsigned burst;    /* packages of PATH_WRITE bytes that the robot writes at once */
    int64_t cycle;     /* ns from one write to the next */
    int64_t delay;     /* ns, one way */
    int64_t jitter;    /* ns, at most; never reorders */
    double loss, reorder, copy;
    int64_t reorder_by, copy_by; /* ns, at most */
    bool v6, timestamps;
    int64_t tick; /* ns of a step of the timestamps' clock */
    enum path_ids ids;
    bool rack;           /* a segment is lost if a later one has come, and a reordering window has passed */
    bool no_dsack;       /* the receiver does not report what arrived twice */
    double stall;        /* packets that are delayed for up to 400 ms, with all behind them */
    bool at_receiver;    /* the capturing machine: behind the path, else before it */
    bool midstream;      /* it misses the handshake and the first packets */
    double drop, mirror; /* packets it drops, packets it captures twice */
};

enum truth {
    TRUTH_FIRST, /* sent for the first time, and no later bytes were captured before it */
    TRUTH_AGAIN, /* holds bytes that were sent before */
    TRUTH_LATE,  /* sent for the first time, captured after later bytes or after its own retransmission */
    TRUTH_COPY,  /* this very packet was captured before */
    TRUTH_KINDS
};

struct path_packet {
    enum truth truth;
    /* A retransmission that looks like a first transmission: neither that nor anything sent between the two was
     * captured. */
    bool hidden;
};

/* Bytes that the receiver got and the capture lacks. */
struct path_gap {
    uint64_t length;
    uint64_t packet; /* number, from 1, of the first packet with the byte behind them; 0: none */
};

struct path_capture {
    struct capture_list list;
    struct path_packet *packets; /* as many as in the list */
    struct path_gap *gaps;
    size_t gap_count;
    size_t segments; /* captured, with bytes */
};
void path_play(const struct path *path, struct path_capture *capture);
void path_capture_free(struct path_capture *capture);

#endif
