/* Numbers the streams of a source that is read only once. When a connection is recognised as telemetry, earlier ones
 * that are still open on a telemetry port will probably carry telemetry too: they get their numbers first, unless they
 * have been silent for a while. */
#ifndef EXPORT_LIVE_NUMBERING_H
#define EXPORT_LIVE_NUMBERING_H

#include "tables.h"
#include "by_connection.h"

struct live_numbering {
    const struct armtap_port *ports; /* --port */
    size_t port_count;
    struct by_connection waiting; /* open connections without a number; each a struct armtap_stream */
};

/* Handles an event: numbers the waiting connections and then the recognised one. */
enum tables_outcome live_numbering_event(struct live_numbering *numbering, struct tables *tables,
                                         const struct armtap_event *event);
void live_numbering_free(struct live_numbering *numbering);

#endif
