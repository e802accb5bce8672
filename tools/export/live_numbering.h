/* Numbers of streams in a reading that cannot look ahead. A connection on a telemetry port that is open when a later
 * one turns out to carry telemetry will most likely turn out so too, and has the lower number; unless nothing came of
 * it for a while. */
#ifndef EXPORT_LIVE_NUMBERING_H
#define EXPORT_LIVE_NUMBERING_H

#include "tables.h"
#include "by_connection.h"

struct live_numbering {
    const struct armtap_port *ports; /* --port */
    size_t port_count;
    struct by_connection waiting; /* struct armtap_stream that are open and not numbered yet */
};

/* An event of a connection: one that is recognised gets its number, after those that wait for theirs. */
enum tables_outcome live_numbering_event(struct live_numbering *arrivals, struct tables *tables,
                                         const struct armtap_event *event);
void live_numbering_free(struct live_numbering *arrivals);

#endif
