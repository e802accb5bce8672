#define _POSIX_C_SOURCE 200809L
#include "proxy_pair.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/os/file.h"
#include "base/process/message.h"
#include "base/os/interrupt.h"
#include "input/robots/event_loop.h"
#include "input/robots/ring.h"
#include "input/robots/robot_traffic.h"

#define RING ((size_t)16 * 1024 * 1024)
/* Kept free for what opens and ends connections. */
#define RING_SPARE ((size_t)256 * 1024)
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
    struct robot_traffic *connections;
    int64_t *latest; /* times, by connection */
    int64_t newest;  /* of these */
    struct capture_series *series;
    struct traffic_totals totals;
    uint64_t holes; /* before the next packet */
    uint64_t lost;  /* bytes that came after the capture had ended */
};

/* ---- the thread -------------------------------------------------------------------------------------------------- */

static int keep_packet(void *user, int64_t time, const uint8_t *packet, size_t length)
{
    struct traffic_writer *writer = user;
    const struct capture_packet made = {.time = time, .bytes = packet, .length = length, .dropped = writer->holes};
    writer->holes = 0;
    return capture_series_packet(writer->series, &made);
}

static int take_event(struct traffic_writer *writer, const struct traffic *traffic, struct robot_event event)
{
    event.robot = (unsigned)traffic->connection;
    event.time = traffic->time;
    return robot_traffic_take(writer->connections, &event, keep_packet, writer);
}

static int write_hole(struct traffic_writer *writer, const struct item *item)
{
    int outcome = 0;
    for (unsigned i = 0; i < 2 && outcome == 0; i++) {
        if (item->left_out[i] == 0)
            continue;
        writer->holes++;
        outcome = take_event(writer, &item->traffic,
                             (struct robot_event){.kind = ROBOT_DROPPED,
                                                  .direction = (enum armtap_direction)i,
                                                  .lost_bytes = item->left_out[i]});
    }
    return outcome;
}

static int write_beginning(struct traffic_writer *writer, const struct traffic *traffic)
{
    struct robot_event event = {.kind = traffic->event == PROXY_CONNECTED ? ROBOT_OPENED
                                        : traffic->event == PROXY_REFUSED ? ROBOT_REFUSED
                                                                          : ROBOT_UNANSWERED};
    memcpy(event.address, traffic->address, sizeof event.address);
    return take_event(writer, traffic, event);
}

/* Another file, if one is due; no file begins before the one before it ends, though times of several connections mix.
 */
static int cut(struct traffic_writer *writer, size_t length)
{
    return capture_series_cut(writer->series, writer->newest, length);
}

/* The bytes in whole messages, as far as these can be told: a file ends between two, or where a piece of one no longer
 * fits. */
static int write_bytes(struct traffic_writer *writer, const struct traffic *traffic, const uint8_t *bytes)
{
    size_t left = traffic->length;
    int outcome = 0;
    while (left > 0 && outcome == 0) {
        size_t whole, piece = robot_traffic_next(writer->connections, (unsigned)traffic->connection, traffic->direction,
                                                 bytes, left, &whole);
        if (whole > 0 || !capture_series_has_room(writer->series, piece))
            outcome = cut(writer, whole > piece ? whole : piece);
        if (outcome == 0)
            outcome =
                take_event(writer, traffic,
                           (struct robot_event){
                               .kind = ROBOT_BYTES, .direction = traffic->direction, .bytes = bytes, .length = piece});
        bytes += piece;
        left -= piece;
    }
    return outcome;
}

/* 0, or -1: the capture is over. */
static int write_item(struct traffic_writer *writer, const struct item *item, const uint8_t *bytes)
{
    const struct traffic *traffic = &item->traffic;
    if (traffic->event <= PROXY_UNANSWERED)
        return cut(writer, 0) != 0 ? -1 : write_beginning(writer, traffic);
    if (write_hole(writer, item) != 0)
        return -1;
    if (traffic->event == PROXY_BYTES)
        return write_bytes(writer, traffic, bytes);
    return take_event(writer, traffic,
                      (struct robot_event){.kind = ROBOT_CLOSED,
                                           .direction = traffic->direction,
                                           .reset = traffic->event != PROXY_FINISHED});
}

static int repeat(void *user, int64_t time, synthetic_take *take, void *taker)
{
    struct traffic_writer *writer = user;
    return robot_traffic_repeat(writer->connections, time, take, taker);
}

/* Bytes of one side may have reached this machine before those of the other, but been read after them: within a
 * connection, time does not go back. */
static void order_time(struct traffic_writer *writer, struct traffic *traffic)
{
    int64_t *latest = &writer->latest[traffic->connection];
    if (traffic->event > PROXY_UNANSWERED && traffic->time < *latest)
        traffic->time = *latest;
    *latest = traffic->time;
    writer->newest = traffic->time > writer->newest ? traffic->time : writer->newest;
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
            nanosleep(&(const struct timespec){.tv_nsec = NAP}, NULL);
    }
    if (writer->series && capture_series_end(writer->series) != 0)
        atomic_store(&writer->state, STATE_FAILED);
    return NULL;
}

/* ---- putting ----------------------------------------------------------------------------------------------------- */

static bool put_traffic(struct traffic_writer *writer, const struct traffic *traffic, const uint64_t left_out[2],
                        size_t spare)
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
        told->open = put_traffic(writer, &told->opening, nothing, spare);
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
    if (tell_opening(writer, told, spare) && put_traffic(writer, traffic, told->left_out, spare)) {
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
    robot_traffic_free(writer->connections);
    free(writer->latest);
    free(writer);
}

static int start_writer(struct traffic_writer *writer)
{
    int error = thread_begin(&writer->thread, work, writer);
    if (error)
        message_error("no thread can be started: %s", strerror(error));
    return error ? -1 : 0;
}

/* Opening such a pipe waits for its reader, which is left to the thread. */
static bool is_pipe(const char *output)
{
    struct file_status status;
    return file_status(output, &status) == 0 && status.kind == FILE_IS_PIPE;
}

struct traffic_writer *traffic_writer_new(const struct capture_series_wish *wish, size_t connections)
{
    struct traffic_writer *writer = calloc(1, sizeof *writer);
    if (!writer) {
        message_no_memory();
        return NULL;
    }
    writer->wish = *wish;
    writer->wish.repeat = repeat;
    writer->wish.user = writer;
    writer->ring = ring_new(RING);
    writer->told = calloc(connections, sizeof *writer->told);
    writer->connections = robot_traffic_new(connections);
    writer->latest = calloc(connections, sizeof *writer->latest);
    if (!writer->ring || !writer->told || !writer->connections || !writer->latest)
        message_no_memory();
    else {
        if (!is_pipe(wish->output))
            open_series(writer);
        if (atomic_load(&writer->state) != STATE_FAILED && start_writer(writer) == 0)
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
        totals = (struct traffic_totals){.packets = written->packets, .bytes = written->bytes, .parts = written->parts};
    }
    totals.dropped = writer->dropped + writer->lost;
    totals.failed = atomic_load(&writer->state) == STATE_FAILED;
    release(writer);
    return totals;
}
