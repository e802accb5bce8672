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
void armtap_stalls_free(struct stalls *stalls);
/* Adds tcp.zero-window, at the packet in which it began, once it is over. 0, or -1 without memory. */
int armtap_stalls_event(struct stalls *stalls, struct findings *findings, const struct armtap_event *event);
/* Since when the client of that connection has no room; packet 0: it has some. */
struct armtap_where armtap_stalls_begin_of_client(const struct stalls *stalls, uint64_t connection);
/* Whether the client of that connection has no room now. */
bool armtap_stalls_of_client(const struct stalls *stalls, uint64_t connection);
/* Whether a finding of tcp.zero-window says by its text that it was the client who did not read. */
bool armtap_stalls_is_client(const char *text);
/* The connection turned out to carry no telemetry. */
void armtap_stalls_forget(struct stalls *stalls, uint64_t connection);

#endif
