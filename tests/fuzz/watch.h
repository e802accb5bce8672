/* A sink that checks what must hold for any input, and computes a digest of everything it gets. */
#ifndef FUZZ_WATCH_H
#define FUZZ_WATCH_H

#include "connection/conn.h"
#include "target.h"

struct watch {
    uint64_t digest;                /* of all output, in order */
    const struct armtap_conn *conn; /* the one connection that is fed by hand, or NULL */
    uint64_t pushed[2];             /* bytes and gaps pushed, by the direction given */
    uint64_t connection;            /* number of the connection that `end` is about */
    uint64_t end[2];                /* of the last record, by direction */
    unsigned long records, calls;
    unsigned long stop_at; /* the call that answers "stop"; 0: none */
};
struct armtap_sink watch_sink(void); /* its user is a struct watch */

/* Prints a line of output, to explain a failure, if FUZZ_TRACE is in the environment. */
void watch_trace(const char *format, ...) __attribute__((format(printf, 1, 2)));
void watch_add(struct watch *watch, const void *bytes, size_t length);
void watch_number(struct watch *watch, uint64_t number);
/* The real direction of bytes pushed as `direction`, as far as it is known. */
enum armtap_direction watch_side(const struct watch *watch, enum armtap_direction direction);
/* Checks the counters of the connection fed by hand. With `all` no bytes are waiting any more. */
void watch_counters(const struct watch *watch, bool all);

#endif
