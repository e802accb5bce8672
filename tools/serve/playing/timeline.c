#define _POSIX_C_SOURCE 200809L
#include "timeline.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/interrupt.h"
#include "base/process/message.h"

#define TICKS 128u       /* that wait */
#define LOW (TICKS / 2u) /* when so few are left, the thread makes more: many at a time */
#define PACKET_MAX 4096u

/* A tick with its own bytes. */
struct slot {
    struct tick tick;
    uint8_t *image;
    uint8_t *given;
    uint8_t packet[PACKET_MAX];
    struct buffer message;
};

struct timeline {
    struct timeline_wish wish;
    struct tick_maker *maker;
    struct other_ports *other;
    size_t image_size, variable_count;
    struct replay_totals totals;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* guarded by lock */
    size_t filled, passed; /* counts; slot i is slots[i % TICKS] */
    bool finished;         /* the thread makes no more */
    bool failed;           /* after a message */
    bool stop;
    struct slot slots[TICKS];
};

/* ---- the thread -------------------------------------------------------------------------------------------------- */

/* False if memory runs out. */
static bool fill(struct timeline *timeline, struct slot *slot, const struct tick *tick)
{
    slot->tick = *tick;
    if (tick->image)
        slot->tick.image = memcpy(slot->image, tick->image, timeline->image_size);
    if (tick->given)
        slot->tick.given = memcpy(slot->given, tick->given, timeline->variable_count);
    if (tick->packet_length > 0)
        memcpy(slot->packet, tick->packet, tick->packet_length);
    slot->tick.packet = slot->packet;
    slot->message.length = 0;
    buffer_put(&slot->message, (const char *)tick->message, tick->message_length);
    if (tick->message)
        slot->tick.message = (const uint8_t *)slot->message.data;
    return !slot->message.failed;
}

/* Waits for room. */
static int emit(void *user, const struct tick *tick)
{
    struct timeline *timeline = user;
    pthread_mutex_lock(&timeline->lock);
    if (timeline->filled - timeline->passed == TICKS)
        while (timeline->filled - timeline->passed > LOW && !timeline->stop)
            pthread_cond_wait(&timeline->changed, &timeline->lock);
    bool stop = timeline->stop;
    size_t at = timeline->filled;
    pthread_mutex_unlock(&timeline->lock);
    if (stop)
        return REPLAY_HAS_ENOUGH;
    if (!fill(timeline, &timeline->slots[at % TICKS], tick))
        return REPLAY_NO_MEMORY;
    pthread_mutex_lock(&timeline->lock);
    bool was_empty = timeline->filled++ == timeline->passed; /* then the other side may wait for this one */
    pthread_mutex_unlock(&timeline->lock);
    if (was_empty)
        timeline->wish.on_ready(timeline->wish.user);
    return 0;
}

static bool is_robot(const struct timeline *timeline, const char *address)
{
    return strcmp(address, timeline->wish.recording->robots[timeline->wish.robot]->address) == 0;
}

static struct timestamp_range range_of(const struct timeline *timeline)
{
    const struct timeline_wish *wish = &timeline->wish;
    return timestamp_range(&wish->from, &wish->to, timeline->totals.first_time, wish->zone);
}

static int on_record(void *user, const struct armtap_record *record)
{
    struct timeline *timeline = user;
    int64_t time = record->read.time;
    char address[64];
    other_ports_host(address, record->stream->robot);
    if (!is_robot(timeline, address))
        return 0;
    if (time != ARMTAP_NO_TIME && time > range_of(timeline).to)
        return REPLAY_HAS_ENOUGH;
    bool wanted = time == ARMTAP_NO_TIME || time >= range_of(timeline).from;
    return tick_maker_record(timeline->maker, record, wanted);
}

static int on_event(void *user, const struct armtap_event *event)
{
    struct timeline *timeline = user;
    if (event->type == ARMTAP_EVENT_CLOSE)
        tick_maker_close(timeline->maker, event->stream->connection);
    return other_ports_event(timeline->other, event);
}

static int on_bytes(void *user, const struct armtap_bytes *bytes)
{
    struct timeline *timeline = user;
    return other_ports_bytes(timeline->other, bytes);
}

static int on_message(void *user, const struct armtap_message *message)
{
    struct timeline *timeline = user;
    return other_ports_message(timeline->other, message);
}

static int on_port_message(void *user, const struct port_message *message)
{
    struct timeline *timeline = user;
    if (!is_robot(timeline, message->robot) || message->time > range_of(timeline).to)
        return 0;
    return tick_maker_message(timeline->maker, message);
}

static bool must_stop(struct timeline *timeline)
{
    pthread_mutex_lock(&timeline->lock);
    bool stop = timeline->stop;
    pthread_mutex_unlock(&timeline->lock);
    return stop;
}

static enum replay_answer on_turn(void *user, const struct replay_totals *totals)
{
    (void)totals;
    return must_stop(user) ? REPLAY_HAS_ENOUGH : REPLAY_GO_ON;
}

/* Reads the capture once; false after a message. What was damaged when it was recorded is damaged again, and was said.
 */
static bool read_round(struct timeline *timeline)
{
    const struct armtap_sink sink = {.size = sizeof sink,
                                     .on_record = on_record,
                                     .on_event = on_event,
                                     .on_message = on_message,
                                     .on_bytes = on_bytes};
    const struct other_ports_wish wish = {.on_message = on_port_message, .user = timeline};
    struct replay_source source = *timeline->wish.source;
    source.progress = false;
    source.on_turn = on_turn;
    other_ports_free(timeline->other);
    timeline->other = other_ports_new(&wish);
    if (!timeline->other || tick_maker_begin_round(timeline->maker) != 0) {
        message_no_memory();
        return false;
    }
    enum exit_status status = replay(&source, &sink, timeline, &timeline->totals);
    if (!timeline->totals.broken_off && tick_maker_end_round(timeline->maker) == REPLAY_NO_MEMORY) {
        message_no_memory();
        return false;
    }
    return interrupt_asked() || (!timeline->totals.broken_off && (status == EXIT_DONE || source.quiet));
}

static void *work(void *user)
{
    struct timeline *timeline = user;
    bool whole;
    do
        whole = read_round(timeline);
    while (whole && timeline->wish.loop != LOOP_NONE && tick_maker_has_ticks(timeline->maker) && !must_stop(timeline) &&
           !interrupt_asked());
    pthread_mutex_lock(&timeline->lock);
    timeline->failed = !whole;
    timeline->finished = true;
    pthread_mutex_unlock(&timeline->lock);
    timeline->wish.on_ready(timeline->wish.user);
    return NULL;
}

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

static void free_slots(struct timeline *timeline)
{
    for (unsigned i = 0; i < TICKS; i++) {
        free(timeline->slots[i].image);
        free(timeline->slots[i].given);
        free(timeline->slots[i].message.data);
    }
    other_ports_free(timeline->other);
    tick_maker_free(timeline->maker);
    free(timeline);
}

static bool make_slots(struct timeline *timeline)
{
    timeline->maker = tick_maker_new(&timeline->wish, emit, timeline);
    for (unsigned i = 0; i < TICKS && timeline->maker; i++) {
        timeline->slots[i].image = malloc(timeline->image_size + 1);
        timeline->slots[i].given = malloc(timeline->variable_count + 1);
        if (!timeline->slots[i].image || !timeline->slots[i].given)
            return false;
    }
    return timeline->maker != NULL;
}

struct timeline *timeline_start(const struct timeline_wish *wish)
{
    struct timeline *timeline = calloc(1, sizeof *timeline);
    if (!timeline)
        return NULL;
    timeline->wish = *wish;
    const struct variables *variables = wish->recording->robots[wish->robot]->variables;
    timeline->image_size = variables_size(variables);
    timeline->variable_count = variables_count(variables);
    pthread_mutex_init(&timeline->lock, NULL);
    pthread_cond_init(&timeline->changed, NULL);
    if (make_slots(timeline) && thread_begin(&timeline->thread, work, timeline) == 0)
        return timeline;
    pthread_cond_destroy(&timeline->changed);
    pthread_mutex_destroy(&timeline->lock);
    free_slots(timeline);
    return NULL;
}

void timeline_free(struct timeline *timeline)
{
    if (!timeline)
        return;
    pthread_mutex_lock(&timeline->lock);
    timeline->stop = true;
    pthread_cond_signal(&timeline->changed);
    pthread_mutex_unlock(&timeline->lock);
    pthread_join(timeline->thread, NULL);
    pthread_cond_destroy(&timeline->changed);
    pthread_mutex_destroy(&timeline->lock);
    free_slots(timeline);
}

/* ---- the user's side --------------------------------------------------------------------------------------------- */

const struct tick *timeline_next(struct timeline *timeline)
{
    pthread_mutex_lock(&timeline->lock);
    const struct tick *tick =
        timeline->filled == timeline->passed ? NULL : &timeline->slots[timeline->passed % TICKS].tick;
    pthread_mutex_unlock(&timeline->lock);
    return tick;
}

void timeline_pass(struct timeline *timeline)
{
    pthread_mutex_lock(&timeline->lock);
    if (timeline->filled - ++timeline->passed == LOW)
        pthread_cond_signal(&timeline->changed);
    pthread_mutex_unlock(&timeline->lock);
}

bool timeline_is_over(struct timeline *timeline)
{
    pthread_mutex_lock(&timeline->lock);
    bool over = timeline->finished && timeline->filled == timeline->passed;
    pthread_mutex_unlock(&timeline->lock);
    return over;
}

bool timeline_has_failed(struct timeline *timeline)
{
    pthread_mutex_lock(&timeline->lock);
    bool failed = timeline->failed;
    pthread_mutex_unlock(&timeline->lock);
    return failed;
}
