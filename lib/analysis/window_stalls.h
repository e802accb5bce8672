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
/* The connection carries no telemetry: drops its stalls. */
void armtap_stalls_forget(struct stalls *stalls, uint64_t connection);

#endif
