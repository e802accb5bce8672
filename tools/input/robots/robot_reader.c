#define _POSIX_C_SOURCE 200809L
#include "robot_link.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/os/interrupt.h"
#include "base/process/message.h"
#include "event_loop.h"
#include "nanoseconds.h"
#include "ring.h"

/* Ten seconds of two robots' largest packages at 500 Hz. */
#define RING (16 * 1024 * 1024)
/* Data leaves so much of it to what matters more: handshakes, and how connections begin and end. */
#define RING_SPARE (512 * 1024)
/* Data that was dropped once is dropped until there is so much room: a few long holes are better than many short. */
#define RING_AGAIN (RING / 2)
#define WAIT INT64_C(10000000) /* ns, unless the user has more patience */
/* ns in which robots may end in an orderly way; the whole program has 0.8 s after a signal. */
#define GOOD_BYE (SECOND / 2)
#define RTDE_TYPE 2 /* where the type of a package is */
#define PRIMARY_TYPE 4
#define PRIMARY_STATE 16
#define LINE_MAX_BYTES 1200
#define WITHOUT_COMPANION                                                                                              \
    " (without this port a stop may lack its reason; armtap diagnose --no-primary leaves the port out)"

/* What was dropped since the last message that was kept. */
struct lost {
    uint64_t bytes, messages;
    int64_t since, until;
};

struct reader_link {
    struct robot_reader *reader;
    struct robot_link *link;
    enum armtap_protocol protocol;
    unsigned number;
    bool is_told, has_said; /* of a companion: its connection, and its line */
    bool unheard;           /* there was no room even for the connection's beginning: nothing of it is kept */
    struct lost lost[2];
};

struct robot_reader {
    struct ring *ring;
    struct event_loop *loop; /* all below belongs to the thread while it runs */
    struct reader_link *links;
    size_t count, named, ended; /* those that ended: of the named ones */
    pthread_t thread;
    bool is_running;
    atomic_bool wants_end, is_over;
    enum robot_reader_outcome outcome; /* once is_over */
    bool holds;                        /* the user has an event that is in the ring */
    int64_t patience;
};

/* ---- the thread: events into the ring ---------------------------------------------------------------------------- */

static bool is_companion(const struct reader_link *link)
{
    return link->number >= link->reader->named;
}

/* Copies an event and its bytes. */
static bool put_event(struct robot_reader *reader, const struct robot_event *event, size_t spare)
{
    size_t length = event->bytes ? event->length + 1 : 0;
    struct robot_event *copy = ring_reserve(reader->ring, sizeof *copy + length, spare);
    if (!copy)
        return false;
    *copy = *event;
    if (event->bytes) {
        uint8_t *bytes = (uint8_t *)(copy + 1);
        memcpy(bytes, event->bytes, event->length);
        bytes[event->length] = '\0';
    }
    ring_commit(reader->ring);
    return true;
}

/* Data comes again and again; everything else comes once. */
static bool is_data(const struct reader_link *link, const struct robot_event *event)
{
    if (event->kind != ROBOT_BYTES)
        return false;
    switch (link->protocol) {
    case ARMTAP_RTDE:
        return event->length > RTDE_TYPE && event->bytes[RTDE_TYPE] == 'U';
    case ARMTAP_PRIMARY:
        return event->length > PRIMARY_TYPE && event->bytes[PRIMARY_TYPE] == PRIMARY_STATE;
    default:
        return true;
    }
}

static void drop(struct lost *lost, const struct robot_event *event)
{
    if (lost->messages == 0)
        lost->since = event->time;
    lost->until = event->time;
    lost->messages++;
    lost->bytes += event->length;
}

/* Tells what was dropped in a direction; true if nothing is left to be told. */
static bool put_lost(struct reader_link *link, enum armtap_direction direction, size_t spare)
{
    struct lost *lost = &link->lost[direction];
    const struct robot_event event = {.kind = ROBOT_DROPPED,
                                      .robot = link->number,
                                      .time = lost->until,
                                      .since = lost->since,
                                      .direction = direction,
                                      .lost_bytes = lost->bytes,
                                      .lost_messages = lost->messages};
    if (lost->messages == 0)
        return true;
    if (!put_event(link->reader, &event, spare))
        return false;
    *lost = (struct lost){.bytes = 0};
    return true;
}

static void keep_bytes(struct reader_link *link, const struct robot_event *event)
{
    bool data = is_data(link, event);
    struct lost *lost = &link->lost[event->direction];
    size_t again = lost->messages > 0 ? RING_AGAIN : RING_SPARE;
    if (is_companion(link)) /* takes no room from the others */
        put_event(link->reader, event, RING_AGAIN);
    else if (!put_lost(link, event->direction, data ? again : 0) ||
             !put_event(link->reader, event, data ? RING_SPARE : 0))
        drop(lost, event);
}

static void on_event(void *user, const struct robot_event *event)
{
    struct reader_link *link = user;
    if (event->kind == ROBOT_OPENED) {
        link->unheard = !put_event(link->reader, event, 0);
        link->lost[0] = link->lost[1] = (struct lost){.bytes = 0};
    } else if (event->kind == ROBOT_SAID)
        put_event(link->reader, event, 0);
    else if (link->unheard)
        return;
    else if (event->kind == ROBOT_BYTES)
        keep_bytes(link, event);
    else if (put_lost(link, ARMTAP_FROM_ROBOT, 0) && put_lost(link, ARMTAP_TO_ROBOT, 0))
        put_event(link->reader, event, 0);
}

/* Of all lines about a companion the first that warns. */
static void keep_line(struct reader_link *link, const struct robot_event *said)
{
    char line[LINE_MAX_BYTES];
    struct robot_event event = *said;
    if (said->severity < ARMTAP_WARNING || link->has_said)
        return;
    link->has_said = true;
    event.severity = ARMTAP_WARNING;
    event.bytes = (const uint8_t *)line;
    event.length =
        (size_t)snprintf(line, sizeof line, "%.*s" WITHOUT_COMPANION, (int)said->length, (const char *)said->bytes);
    on_event(link, &event);
}

/* How a companion's attempts to connect fail is no finding: its connections begin with the first message. */
static void on_companion(void *user, const struct robot_event *event)
{
    struct reader_link *link = user;
    struct robot_event opened = {.kind = ROBOT_OPENED, .time = event->time, .robot = event->robot};
    memcpy(opened.address, event->address, sizeof opened.address);
    if (event->kind == ROBOT_OPENED)
        link->is_told = false;
    else if (event->kind == ROBOT_SAID)
        keep_line(link, event);
    else if (event->kind == ROBOT_BYTES || (event->kind == ROBOT_CLOSED && link->is_told)) {
        if (!link->is_told)
            on_event(link, &opened);
        link->is_told = true;
        on_event(link, event);
    }
}

/* The link whose waiting data is the oldest; NULL: none has any. */
static struct robot_link *longest_waiting(const struct robot_reader *reader)
{
    struct robot_link *found = NULL;
    int64_t oldest = ARMTAP_NO_TIME;
    for (size_t i = 0; i < reader->count; i++) {
        struct robot_link *link = reader->links[i].link;
        int64_t time = link ? robot_link_waiting_time(link) : ARMTAP_NO_TIME;
        if (time != ARMTAP_NO_TIME && (!found || time < oldest)) {
            found = link;
            oldest = time;
        }
    }
    return found;
}

static void take_all(void *user)
{
    const struct reader_link *any = user;
    struct robot_link *link;
    while ((link = longest_waiting(any->reader)))
        robot_link_take(link);
}

static void on_end(void *user)
{
    struct reader_link *link = user;
    struct robot_reader *reader = link->reader;
    enum robot_link_outcome outcome = robot_link_outcome(link->link);
    if (outcome == ROBOT_LINK_NO_MEMORY)
        reader->outcome = ROBOT_READER_NO_MEMORY;
    else if (outcome == ROBOT_LINK_GAVE_UP && reader->outcome == ROBOT_READER_STOPPED && !is_companion(link))
        reader->outcome = ROBOT_READER_GAVE_UP;
    reader->ended += !is_companion(link);
    if (reader->ended == reader->named || outcome == ROBOT_LINK_NO_MEMORY)
        event_loop_stop(reader->loop);
}

static void on_still(void *user, int64_t time)
{
    struct robot_reader *reader = user;
    int64_t now = tcp_clock();
    const struct robot_event event = {.kind = ROBOT_STILL, .since = now - time, .time = now};
    put_event(reader, &event, 0);
}

static void on_wake(void *user)
{
    struct robot_reader *reader = user;
    if (atomic_load(&reader->wants_end))
        event_loop_stop(reader->loop);
}

static void *work(void *user)
{
    struct robot_reader *reader = user;
    if (event_loop_run(reader->loop) == EVENT_LOOP_FAILED)
        reader->outcome = ROBOT_READER_NO_MEMORY;
    event_loop_on_wake(reader->loop, NULL, NULL); /* it may still come, and must not cut the good-bye short */
    for (size_t i = 0; i < reader->count; i++)
        robot_link_stop(reader->links[i].link);
    if (reader->ended < reader->named)
        event_loop_drain(reader->loop, event_clock() + GOOD_BYE);
    for (size_t i = 0; i < reader->count; i++) {
        put_lost(&reader->links[i], ARMTAP_FROM_ROBOT, 0);
        robot_link_free(reader->links[i].link);
        reader->links[i].link = NULL;
    }
    atomic_store(&reader->is_over, true);
    return NULL;
}

/* ---- the user's side --------------------------------------------------------------------------------------------- */

static int begin_links(struct robot_reader *reader, const struct robot_sources *sources)
{
    reader->links = calloc(sources->count, sizeof *reader->links);
    if (!reader->links)
        return -1;
    reader->count = sources->count;
    reader->named = sources->named;
    for (size_t i = 0; i < reader->count; i++) {
        struct reader_link *link = &reader->links[i];
        *link = (struct reader_link){.reader = reader, .protocol = sources->robots[i].protocol, .number = (unsigned)i};
        const struct robot_link_wish wish = {.address = &sources->robots[i],
                                             .client = &sources->client,
                                             .number = (unsigned)i,
                                             .patience = sources->patience,
                                             .user = link,
                                             .is_companion = is_companion(link),
                                             .on_event = is_companion(link) ? on_companion : on_event,
                                             .take_all = take_all,
                                             .on_end = on_end};
        link->link = robot_link_new(reader->loop, &wish);
        if (!link->link)
            return -1;
    }
    return 0;
}

struct robot_reader *robot_reader_start(const struct robot_sources *sources)
{
    struct robot_reader *reader = calloc(1, sizeof *reader);
    if (reader) {
        reader->outcome = ROBOT_READER_STOPPED;
        reader->patience = sources->patience;
        atomic_init(&reader->wants_end, false);
        atomic_init(&reader->is_over, false);
        reader->ring = ring_new(RING);
        reader->loop = event_loop_new();
    }
    if (reader && reader->ring && reader->loop && begin_links(reader, sources) == 0) {
        event_loop_on_wake(reader->loop, on_wake, reader);
        event_loop_on_still(reader->loop, on_still, reader);
        reader->is_running = thread_begin(&reader->thread, work, reader) == 0;
        if (reader->is_running)
            return reader;
    }
    message_no_memory();
    robot_reader_free(reader);
    return NULL;
}

static void wait_briefly(const struct robot_reader *reader)
{
    const struct timespec time = {.tv_nsec = (long)(reader->patience > WAIT ? reader->patience : WAIT)};
    nanosleep(&time, NULL);
}

/* Whether there is an event. */
static bool take_event(struct robot_reader *reader, struct robot_event *event)
{
    size_t length;
    if (reader->holds)
        ring_release(reader->ring);
    const struct robot_event *oldest = ring_peek(reader->ring, &length);
    reader->holds = oldest != NULL;
    if (!oldest)
        return false;
    *event = *oldest;
    if (event->bytes)
        event->bytes = (const uint8_t *)(oldest + 1);
    return true;
}

enum robot_reader_outcome robot_reader_next(struct robot_reader *reader, struct robot_event *event)
{
    bool over = atomic_load(&reader->is_over);
    if (interrupt_asked())
        robot_reader_stop(reader);
    if (take_event(reader, event))
        return ROBOT_READER_EVENT;
    if (over)
        return reader->outcome;
    wait_briefly(reader);
    return ROBOT_READER_SILENT;
}

void robot_reader_stop(struct robot_reader *reader)
{
    if (!atomic_exchange(&reader->wants_end, true))
        event_loop_wake(reader->loop);
}

void robot_reader_free(struct robot_reader *reader)
{
    if (!reader)
        return;
    if (reader->is_running) {
        robot_reader_stop(reader);
        pthread_join(reader->thread, NULL);
    }
    for (size_t i = 0; reader->links && i < reader->count; i++)
        robot_link_free(reader->links[i].link);
    event_loop_free(reader->loop);
    ring_free(reader->ring);
    free(reader->links);
    free(reader);
}
