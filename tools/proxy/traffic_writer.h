/* Writes what connections carried into a capture, in a thread of its own: whoever has the bytes never waits for the
 * disk. What the thread cannot take in time is left out and counted. */
#ifndef PROXY_TRAFFIC_WRITER_H
#define PROXY_TRAFFIC_WRITER_H

#include "armtap.h"
#include "input/robots/tcp_socket.h"
#include "proxy_pair.h"
#include "record/capture_series.h"

struct traffic_writer;

/* Begins a recording, of at most `connections` at a time; what its parts repeat is the writer's part of the wish. Does
 * not wait for the reader of a named pipe. NULL after a message. */
struct traffic_writer *traffic_writer_new(const struct capture_series_wish *wish, size_t connections);

struct traffic {
    enum proxy_event event; /* not OVER */
    size_t connection;      /* its place, below the number above */
    int64_t time;
    enum armtap_direction direction;
    struct tcp_address address[2]; /* of CONNECTED, REFUSED and UNANSWERED; by direction that the side sends in */
    const uint8_t *bytes;
    size_t length;
};
/* Never waits. */
void traffic_writer_put(struct traffic_writer *writer, const struct traffic *traffic);

struct traffic_totals {
    uint64_t packets, bytes, parts; /* written */
    uint64_t dropped; /* bytes that were not written, because the disk did not take them in time, or at all */
    bool failed;      /* the capture ended early, as a message said */
};
/* Writes what is left, and ends. Accepts NULL. */
struct traffic_totals traffic_writer_free(struct traffic_writer *writer);

#endif
