/* For how long receivers had no room: from a window of 0 to the next one that is open, or to the end. */
#ifndef ANALYSIS_WINDOW_STALLS_H
#define ANALYSIS_WINDOW_STALLS_H

#include "findings.h"

/* So many at a time; others are told without their duration. */
#define STALLS_MAX 1000

struct stalls {
    struct stall {
        struct armtap_stream stream; /* as it was then */
        enum armtap_direction direction;
        struct armtap_where from;
    } * all;
    size_t count, room;
};

/* Begins as zeros. */
void stalls_free(struct stalls *stalls);
/* Adds tcp.zero-window, at the packet in which it began, once it is over. 0, or -1 without memory. */
int stalls_event(struct stalls *stalls, struct findings *findings, const struct armtap_event *event);
/* Since when the client of that connection has no room; packet 0: it has some. */
struct armtap_where stalls_begin_of_client(const struct stalls *stalls, uint64_t connection);
/* Whether the client of that connection has no room now. */
bool stalls_of_client(const struct stalls *stalls, uint64_t connection);
/* The connection turned out to carry no telemetry. */
void stalls_forget(struct stalls *stalls, uint64_t connection);

#endif
