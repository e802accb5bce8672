#define _POSIX_C_SOURCE 200809L
#include "traffic_writer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/message.h"
#include "base/thread.h"
#include "input/event_loop.h"
#include "input/ring.h"
#include "input/synthetic_tcp.h"
#include "nanoseconds.h"
#include "record/capture_series.h"

#define RING ((size_t)16 * 1024 * 1024)
/* Kept free for what opens and ends connections. */
#define RING_SPARE ((size_t)256 * 1024)
#define SYNC (5 * SECOND)
#define NAP 10000000 /* ns, while there is nothing to write */

/* What goes through the ring: this, then the bytes. */
struct item {
    struct traffic traffic;
    uint64_t left_out[2]; /* bytes of the connection before it, by direction, that found no room */
};

/* What the putting side knows of a connection. */
struct told {
    bool open;              /* the writer knows that it is */
    struct traffic opening; /* to be told first */
    uint64_t left_out[2];
};

enum state { STATE_OPENING, STATE_OPEN, STATE_FAILED };

struct traffic_writer {
    struct capture_series_wish wish;
    struct ring *ring;
    pthread_t thread;
    atomic_int state;
    atomic_bool ends; /* nothing more will be put */
    struct told *told;
    uint64_t dropped;
    /* of the thread */
    struct synthetic_tcp *connections;
    int64_t *latest; /* times, by connection */
    struct capture_series *series;
    struct traffic_totals totals;
    uint64_t holes; /* before the next packet */
    uint64_t lost;  /* bytes that came after the capture had ended */
};

/* ---- the thread -------------------------------------------------------------------------------------------------- */

static int take_packet(void *user, int64_t time, const uint8_t *packet, size_t length)
{
    struct traffic_writer *writer = user;
    const struct capture_packet made = {.time = time, .bytes = packet, .length = length, .dropped = writer->holes};
    writer->holes = 0;
    return capture_series_packet(writer->series, &made);
}

static int write_hole(struct traffic_writer *writer, const struct item *item)
{
    struct synthetic_tcp *tcp = &writer->connections[item->traffic.connection];
    int outcome = 0;
    for (unsigned i = 0; i < 2 && outcome == 0; i++) {
        if (item->left_out[i] == 0)
            continue;
        writer->holes++;
        outcome = synthetic_tcp_skip(tcp, (enum armtap_direction)i, item->left_out[i], item->traffic.time, take_packet,
                                     writer);
    }
    return outcome;
}

/* 0, or -1: the capture is over. */
static int write_item(struct traffic_writer *writer, const struct item *item, const uint8_t *bytes)
{
    const struct traffic *traffic = &item->traffic;
    struct synthetic_tcp *tcp = &writer->connections[traffic->connection];
    if (traffic->event <= PROXY_UNANSWERED)
        synthetic_tcp_begin(tcp, &traffic->address[ARMTAP_FROM_ROBOT], &traffic->address[ARMTAP_TO_ROBOT]);
    switch (traffic->event) {
    case PROXY_CONNECTED:
        return synthetic_tcp_open(tcp, traffic->time, take_packet, writer);
    case PROXY_REFUSED:
        return synthetic_tcp_refused(tcp, traffic->time, take_packet, writer);
    case PROXY_UNANSWERED:
        return synthetic_tcp_unanswered(tcp, traffic->time, take_packet, writer);
    case PROXY_BYTES:
        if (write_hole(writer, item) != 0)
            return -1;
        return synthetic_tcp_bytes(tcp, traffic->direction, bytes, traffic->length, traffic->time, take_packet, writer);
    default:
        if (write_hole(writer, item) != 0)
            return -1;
        return synthetic_tcp_close(tcp, traffic->direction, traffic->event == PROXY_RESET, traffic->time, take_packet,
                                   writer);
    }
}

/* Bytes of one side may have reached this machine before those of the other, but been read after them: within a
 * connection, time does not go back. */
static void order_time(struct traffic_writer *writer, struct traffic *traffic)
{
    int64_t *latest = &writer->latest[traffic->connection];
    if (traffic->event > PROXY_UNANSWERED && traffic->time < *latest)
        traffic->time = *latest;
    *latest = traffic->time;
}

static void nap(void)
{
    const struct timespec time = {.tv_nsec = NAP};
    nanosleep(&time, NULL);
}

/* Writes the oldest item. False if there is none, or nothing can be written any more. */
static bool write_next(struct traffic_writer *writer)
{
    struct item item;
    size_t length;
    const uint8_t *bytes = ring_peek(writer->ring, &length);
    if (!bytes)
        return false;
    memcpy(&item, bytes, sizeof item);
    order_time(writer, &item.traffic);
    if (atomic_load(&writer->state) != STATE_OPEN)
        writer->lost += item.traffic.length;
    else if (write_item(writer, &item, bytes + sizeof item) != 0)
        atomic_store(&writer->state, STATE_FAILED);
    ring_release(writer->ring);
    return true;
}

static void open_series(struct traffic_writer *writer)
{
    writer->series = capture_series_open(&writer->wish, tcp_clock());
    atomic_store(&writer->state, writer->series ? STATE_OPEN : STATE_FAILED);
}

/* Takes items also when they cannot be written: the ring is not to fill up. */
static void *work(void *user)
{
    struct traffic_writer *writer = user;
    if (atomic_load(&writer->state) == STATE_OPENING)
        open_series(writer);
    for (bool ends = false; !ends;) {
        ends = atomic_load(&writer->ends);
        bool wrote = false;
        while (write_next(writer))
            wrote = true;
        if (atomic_load(&writer->state) == STATE_OPEN && capture_series_turn(writer->series, event_clock(), true) != 0)
            atomic_store(&writer->state, STATE_FAILED);
        if (!wrote && !ends)
            nap();
    }
    if (writer->series && capture_series_end(writer->series) != 0)
        atomic_store(&writer->state, STATE_FAILED);
    return NULL;
}

/* ---- putting ----------------------------------------------------------------------------------------------------- */

static bool put(struct traffic_writer *writer, const struct traffic *traffic, const uint64_t left_out[2], size_t spare)
{
    const struct item item = {.traffic = *traffic, .left_out = {left_out[0], left_out[1]}};
    uint8_t *to = ring_reserve(writer->ring, sizeof item + traffic->length, spare);
    if (!to)
        return false;
    memcpy(to, &item, sizeof item);
    if (traffic->length > 0)
        memcpy(to + sizeof item, traffic->bytes, traffic->length);
    ring_commit(writer->ring);
    return true;
}

static bool tell_opening(struct traffic_writer *writer, struct told *told, size_t spare)
{
    static const uint64_t nothing[2] = {0, 0};
    if (!told->open)
        told->open = put(writer, &told->opening, nothing, spare);
    return told->open;
}

void traffic_writer_put(struct traffic_writer *writer, const struct traffic *traffic)
{
    struct told *told = &writer->told[traffic->connection];
    bool begins = traffic->event <= PROXY_UNANSWERED, is_data = traffic->event == PROXY_BYTES;
    if (begins) {
        *told = (struct told){.opening = *traffic};
        tell_opening(writer, told, 0);
        return;
    }
    size_t spare = is_data ? RING_SPARE : 0;
    if (tell_opening(writer, told, spare) && put(writer, traffic, told->left_out, spare)) {
        told->left_out[0] = told->left_out[1] = 0;
        return;
    }
    told->left_out[traffic->direction] += traffic->length;
    writer->dropped += traffic->length;
}

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

static void release(struct traffic_writer *writer)
{
    capture_series_free(writer->series);
    ring_free(writer->ring);
    free(writer->told);
    free(writer->connections);
    free(writer->latest);
    free(writer);
}

static int start(struct traffic_writer *writer)
{
    int error = thread_begin(&writer->thread, work, writer);
    if (error)
        message_error("no thread can be started: %s", strerror(error));
    return error ? -1 : 0;
}

/* Opening such a pipe waits for its reader, which is left to the thread. */
static bool is_pipe(const char *output)
{
    struct stat status;
    return stat(output, &status) == 0 && S_ISFIFO(status.st_mode);
}

struct traffic_writer *traffic_writer_new(const char *output, const char *robot, size_t connections)
{
    struct traffic_writer *writer = calloc(1, sizeof *writer);
    if (!writer) {
        message_no_memory();
        return NULL;
    }
    writer->wish = (struct capture_series_wish){.output = output, .robot = robot, .sync = SYNC};
    writer->ring = ring_new(RING);
    writer->told = calloc(connections, sizeof *writer->told);
    writer->connections = calloc(connections, sizeof *writer->connections);
    writer->latest = calloc(connections, sizeof *writer->latest);
    if (!writer->ring || !writer->told || !writer->connections || !writer->latest)
        message_no_memory();
    else {
        if (!is_pipe(output))
            open_series(writer);
        if (atomic_load(&writer->state) != STATE_FAILED && start(writer) == 0)
            return writer;
    }
    release(writer);
    return NULL;
}

struct traffic_totals traffic_writer_free(struct traffic_writer *writer)
{
    struct traffic_totals totals = {.packets = 0};
    if (!writer)
        return totals;
    atomic_store(&writer->ends, true);
    pthread_join(writer->thread, NULL);
    if (writer->series) {
        const struct capture_series_totals *written = capture_series_totals(writer->series);
        totals = (struct traffic_totals){.packets = written->packets, .bytes = written->bytes};
    }
    totals.dropped = writer->dropped + writer->lost;
    totals.failed = atomic_load(&writer->state) == STATE_FAILED;
    release(writer);
    return totals;
}
