#define _POSIX_C_SOURCE 200809L
#include "compare.h"

#include <pthread.h>

#include "base/process/message.h"

struct turns {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    unsigned turn; /* the reading whose turn it is */
    bool over[SIDE_BY_SIDE_READINGS];
    bool stopped;
};

struct reading {
    struct turns *turns;
    unsigned number;
    struct replay_source source;
    const struct side_by_side_calls *calls;
    void *user;
    enum exit_status status;
};

static void wait_turn(struct turns *turns, unsigned number)
{
    pthread_mutex_lock(&turns->mutex);
    while (turns->turn != number)
        pthread_cond_wait(&turns->changed, &turns->mutex);
    pthread_mutex_unlock(&turns->mutex);
}

/* Gives the turn to the other reading, unless that is over. */
static void pass_turn(struct turns *turns, unsigned number)
{
    pthread_mutex_lock(&turns->mutex);
    if (!turns->over[!number]) {
        turns->turn = !number;
        pthread_cond_signal(&turns->changed);
    }
    pthread_mutex_unlock(&turns->mutex);
}

static int on_record(void *user, const struct armtap_record *record)
{
    struct reading *reading = user;
    struct turns *turns = reading->turns;
    enum side_by_side_turn outcome = reading->calls->record(reading->user, reading->number, record);
    if (outcome == TURN_ENDS)
        turns->stopped = true;
    if (outcome == TURN_PASSES && !turns->over[!reading->number]) {
        pass_turn(turns, reading->number);
        wait_turn(turns, reading->number);
    }
    return turns->stopped ? REPLAY_GAVE_UP : outcome == TURN_HAS_ENOUGH ? REPLAY_HAS_ENOUGH : REPLAY_GO_ON;
}

static int wants(void *user, const struct armtap_stream *stream, enum armtap_direction direction)
{
    struct reading *reading = user;
    return reading->calls->wants(reading->user, reading->number, stream, direction);
}

static void *read_through(void *user)
{
    struct reading *reading = user;
    struct turns *turns = reading->turns;
    const struct armtap_sink sink = {.size = sizeof sink, .on_record = on_record, .wants = wants};
    struct replay_totals totals = {.broken_off = true};
    wait_turn(turns, reading->number);
    reading->status = EXIT_FAILED;
    if (!turns->stopped)
        reading->status = replay(&reading->source, &sink, reading, &totals);
    if (!turns->stopped)
        turns->stopped = totals.broken_off || reading->calls->over(reading->user, reading->number) != 0;
    turns->over[reading->number] = true;
    pass_turn(turns, reading->number);
    return NULL;
}

enum exit_status replay_side_by_side(const struct replay_source *source, const struct side_by_side_calls *calls,
                                     void *user, bool *broken_off)
{
    struct turns turns = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    struct reading readings[SIDE_BY_SIDE_READINGS];
    pthread_t thread;
    for (unsigned i = 0; i < SIDE_BY_SIDE_READINGS; i++) {
        readings[i] = (struct reading){.turns = &turns, .number = i, .source = *source, .calls = calls, .user = user};
        readings[i].source.progress = source->progress && i == 0;
    }
    if (pthread_create(&thread, NULL, read_through, &readings[1]) != 0) {
        message_error("cannot start a thread: the system allows no more");
        *broken_off = true;
        return EXIT_FAILED;
    }
    read_through(&readings[0]);
    pthread_join(thread, NULL);
    *broken_off = turns.stopped;
    return readings[0].status > readings[1].status ? readings[0].status : readings[1].status;
}
