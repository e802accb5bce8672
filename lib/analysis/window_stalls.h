/* How long receive buffers were full: from a zero window to the next open one, or to the end. */
#ifndef ANALYSIS_WINDOW_STALLS_H
#define ANALYSIS_WINDOW_STALLS_H

#include "findings.h"

/* Stalls at a time; further ones are reported without duration. */
#define STALLS_MAX 1000

struct stalls {
    struct stall {
        struct armtap_stream stream; /* as it was at that time */
        enum armtap_direction direction;
        struct armtap_where from;
    } * all;
    size_t count, room;
};

/* Starts as zeros. */
void armtap_stalls_free(struct stalls *stalls);
/* Adds tcp.zero-window when a stall is over, at the packet where it began. 0, or -1 if memory runs out. */
int armtap_stalls_event(struct stalls *stalls, struct findings *findings, const struct armtap_event *event);
/* Where the receive buffer of that connection's client became full; packet 0: it is not full. */
struct armtap_where armtap_stalls_begin_of_client(const struct stalls *stalls, uint64_t connection);
/* Whether the receive buffer of that connection's client is full now. */
bool armtap_stalls_of_client(const struct stalls *stalls, uint64_t connection);
/* Whether the text of a tcp.zero-window finding says that the client stopped reading. */
bool armtap_stalls_is_client(const char *text);
/* The client of one connection offers a window that is not 0, but too small for the robot's next message, which TCP may
 * hold back until the client has read. */
struct narrow_window {
    struct armtap_where from;  /* packet 0: it is wide enough */
    struct armtap_where until; /* where it was 0 or wide enough again; packet 0: nowhere yet */
    struct armtap_where open;  /* where it was wide enough again */
    uint64_t room;             /* bytes that it offered meanwhile, at most */
    bool is_paused;            /* no data is due */
};
/* Starts as zeros. `message`: bytes of the robot's last one; 0: unknown. */
void armtap_narrow_event(struct narrow_window *narrow, const struct armtap_event *event, size_t message);
/* What is known when the robot's next record comes, or the connection ends. */
struct narrow_end {
    const struct armtap_stream *stream;
    struct armtap_where last, now; /* the record before, and this one or the end */
    size_t message;                /* bytes of this record, or of the last one */
    double usual;                  /* s between records; 0: unknown */
    bool is_skip;                  /* the controller skipped packages */
    bool is_after_gap;             /* of the capture: what it lacks was no silence */
    bool is_close;
};
/* Adds tcp.zero-window, and returns true, if that window is why no record came for so long: the controller skipped
 * some, or it was silent. Call at every record. */
bool armtap_narrow_end(struct narrow_window *narrow, struct findings *findings, const struct narrow_end *end);
/* The connection carries no telemetry: drops its stalls. */
void armtap_stalls_forget(struct stalls *stalls, uint64_t connection);

#endif
