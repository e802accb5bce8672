#include "event_loop.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "array.h"
#include "base/os/interrupt.h"
#include "base/os/wait.h"
#include "nanoseconds.h"

/* The loop waits no longer at a time, so that it knows when it was to go on; and is so much later only if it could not.
 */
#define BEAT (SECOND / 4)
#define STILL_LEAST SECOND

/* What is waited for: the wake-up, signals, then each watch. */
enum { WAKE, SIGNALS, WATCHES };

struct event_watch {
    struct event_loop *loop;
    size_t at; /* its place in loop->items */
    void (*on_ready)(void *user, unsigned events);
    void *user;
    bool freed;
};

struct event_timer {
    struct event_loop *loop;
    int64_t when;
    void (*on_due)(void *user);
    void *user;
    bool freed;
};

/* Watches and timers freed by a callback stay in their arrays, switched off, until the turn ends: it walks through
 * them. */
struct event_loop {
    struct wait_item *items;
    struct event_watch **watches;
    size_t watch_count;
    struct event_timer **timers;
    size_t timer_count;
    bool has_freed;
    bool in_turn;
    bool stopped;
    int64_t now;
    int wake;
    void (*on_wake)(void *user);
    void *wake_user;
    int64_t asleep;     /* by how much the clock of all time is ahead of the monotonic one, which a sleep stops */
    int64_t still;      /* all the time of the monotonic clock in which it stood still */
    int64_t last_still; /* how long it stood still last, and until when */
    int64_t still_until;
    void (*on_still)(void *user, int64_t time);
    void *still_user;
};

int64_t event_clock(void)
{
    return wait_clock();
}

int64_t event_loop_now(const struct event_loop *loop)
{
    return loop->now;
}

/* ---- making and freeing ------------------------------------------------------------------------------------------ */

struct event_loop *event_loop_new(void)
{
    struct event_loop *loop = calloc(1, sizeof *loop);
    if (!loop)
        return NULL;
    loop->now = event_clock();
    loop->asleep = wait_slept();
    loop->wake = wake_open();
    loop->items = malloc(WATCHES * sizeof *loop->items);
    if (loop->items && loop->wake >= 0) {
        loop->items[WAKE] = (struct wait_item){.fd = loop->wake, .wanted = WAIT_READ};
        loop->items[SIGNALS] = (struct wait_item){.fd = -1, .wanted = WAIT_READ};
        return loop;
    }
    int error = loop->wake < 0 ? errno : ENOMEM;
    event_loop_free(loop);
    errno = error;
    return NULL;
}

void event_loop_free(struct event_loop *loop)
{
    if (!loop)
        return;
    for (size_t i = 0; i < loop->watch_count; i++)
        free(loop->watches[i]);
    for (size_t i = 0; i < loop->timer_count; i++)
        free(loop->timers[i]);
    if (loop->wake >= 0)
        wake_close(loop->wake);
    free(loop->watches);
    free(loop->timers);
    free(loop->items);
    free(loop);
}

struct event_watch *event_watch_new(struct event_loop *loop, int fd, void (*on_ready)(void *user, unsigned events),
                                    void *user)
{
    struct event_watch *watch = malloc(sizeof *watch);
    if (!watch || !MAKE_ROOM(loop->watches, loop->watch_count) ||
        !MAKE_ROOM(loop->items, loop->watch_count + WATCHES)) {
        free(watch);
        return NULL;
    }
    size_t at = loop->watch_count + WATCHES;
    *watch = (struct event_watch){.loop = loop, .at = at, .on_ready = on_ready, .user = user};
    loop->watches[loop->watch_count++] = watch;
    loop->items[at] = (struct wait_item){.fd = fd, .wanted = WAIT_READ};
    return watch;
}

/* A negative number tells the system to pass over the descriptor; without that it would report its end for ever. */
void event_watch_want(struct event_watch *watch, unsigned events)
{
    struct wait_item *item = &watch->loop->items[watch->at];
    int fd = item->fd < 0 ? ~item->fd : item->fd;
    item->fd = events ? fd : ~fd;
    item->wanted = (short)events;
}

struct event_timer *event_timer_new(struct event_loop *loop, void (*on_due)(void *user), void *user)
{
    struct event_timer *timer = malloc(sizeof *timer);
    if (!timer || !MAKE_ROOM(loop->timers, loop->timer_count)) {
        free(timer);
        return NULL;
    }
    *timer = (struct event_timer){.loop = loop, .when = EVENT_NEVER, .on_due = on_due, .user = user};
    loop->timers[loop->timer_count++] = timer;
    return timer;
}

void event_timer_set(struct event_timer *timer, int64_t when)
{
    timer->when = when;
}

static void sweep_watches(struct event_loop *loop)
{
    size_t kept = 0;
    for (size_t i = 0; i < loop->watch_count; i++) {
        struct event_watch *watch = loop->watches[i];
        if (watch->freed) {
            free(watch);
            continue;
        }
        watch->at = kept + WATCHES;
        loop->items[watch->at] = loop->items[i + WATCHES];
        loop->watches[kept++] = watch;
    }
    loop->watch_count = kept;
}

static void sweep_timers(struct event_loop *loop)
{
    size_t kept = 0;
    for (size_t i = 0; i < loop->timer_count; i++) {
        if (loop->timers[i]->freed)
            free(loop->timers[i]);
        else
            loop->timers[kept++] = loop->timers[i];
    }
    loop->timer_count = kept;
}

/* Takes out what was freed, unless a turn is still walking through the arrays. */
static void sweep(struct event_loop *loop)
{
    if (!loop->has_freed || loop->in_turn)
        return;
    loop->has_freed = false;
    sweep_watches(loop);
    sweep_timers(loop);
}

void event_watch_free(struct event_watch *watch)
{
    if (!watch)
        return;
    event_watch_want(watch, 0);
    watch->freed = watch->loop->has_freed = true;
    sweep(watch->loop);
}

void event_timer_free(struct event_timer *timer)
{
    if (!timer)
        return;
    timer->when = EVENT_NEVER;
    timer->freed = timer->loop->has_freed = true;
    sweep(timer->loop);
}

/* ---- waking up --------------------------------------------------------------------------------------------------- */

void event_loop_on_wake(struct event_loop *loop, void (*on_wake)(void *user), void *user)
{
    loop->on_wake = on_wake;
    loop->wake_user = user;
}

void event_loop_wake(struct event_loop *loop)
{
    wake_up(loop->wake);
}

static void take_wake(struct event_loop *loop)
{
    wake_take(loop->wake);
    if (loop->on_wake)
        loop->on_wake(loop->wake_user);
}

/* ---- standing still ---------------------------------------------------------------------------------------------- */

void event_loop_on_still(struct event_loop *loop, void (*on_still)(void *user, int64_t time), void *user)
{
    loop->on_still = on_still;
    loop->still_user = user;
}

int64_t event_loop_awake(const struct event_loop *loop)
{
    return loop->now - loop->still;
}

int64_t event_loop_when_awake(const struct event_loop *loop, int64_t awake)
{
    return awake > EVENT_NEVER - loop->still ? EVENT_NEVER : awake + loop->still;
}

int64_t event_loop_stood_still(const struct event_loop *loop, int64_t within)
{
    return loop->last_still > 0 && loop->now - loop->still_until < within ? loop->last_still : 0;
}

/* `due`: when the loop was to go on at the latest. */
static void judge_still(struct event_loop *loop, int64_t due)
{
    int64_t late = loop->now - due, slept = wait_slept() - loop->asleep;
    if (late < STILL_LEAST && slept < STILL_LEAST)
        return;
    loop->asleep += slept;
    loop->still += late >= STILL_LEAST ? late : 0;
    loop->last_still = (late >= STILL_LEAST ? late : 0) + (slept >= STILL_LEAST ? slept : 0);
    loop->still_until = loop->now;
    if (loop->on_still)
        loop->on_still(loop->still_user, loop->last_still);
}

/* ---- turns ------------------------------------------------------------------------------------------------------- */

void event_loop_stop(struct event_loop *loop)
{
    loop->stopped = true;
}

static int64_t next_deadline(const struct event_loop *loop, int64_t until)
{
    for (size_t i = 0; i < loop->timer_count; i++)
        if (loop->timers[i]->when < until)
            until = loop->timers[i]->when;
    return until;
}

/* Returns at once with EINTR if interrupt_asked(). */
static int wait_for_items(struct event_loop *loop, int64_t until, bool obeys)
{
    if (obeys && interrupt_asked()) {
        errno = EINTR;
        return -1;
    }
    return wait_until(loop->items, loop->watch_count + WATCHES, until);
}

static void call_timers(struct event_loop *loop)
{
    for (size_t i = 0, count = loop->timer_count; i < count && !loop->stopped; i++) {
        struct event_timer *timer = loop->timers[i];
        if (timer->when > loop->now)
            continue;
        timer->when = EVENT_NEVER;
        timer->on_due(timer->user);
    }
}

/* What came and is still wanted. */
static unsigned events_of(const struct wait_item *item)
{
    return item->fd < 0 ? 0 : (unsigned)(item->came & item->wanted);
}

static void call_watches(struct event_loop *loop)
{
    for (size_t i = 0, count = loop->watch_count; i < count && !loop->stopped; i++) {
        struct event_watch *watch = loop->watches[i];
        unsigned events = events_of(&loop->items[i + WATCHES]);
        if (events)
            watch->on_ready(watch->user, events);
    }
}

/* Calls what is due, deadlines first: they are older than what just came. */
static void turn(struct event_loop *loop, int ready)
{
    loop->in_turn = true;
    call_timers(loop);
    if (ready > 0 && loop->items[WAKE].came && !loop->stopped)
        take_wake(loop);
    if (ready > 0)
        call_watches(loop);
    loop->in_turn = false;
    sweep(loop);
}

static enum event_loop_end run_loop(struct event_loop *loop, int64_t until, bool obeys)
{
    loop->stopped = false;
    loop->items[SIGNALS].fd = obeys ? interrupt_descriptor() : -1;
    loop->now = event_clock();
    while (!loop->stopped) {
        int64_t beat = loop->now + BEAT, due = next_deadline(loop, until);
        due = due < beat ? due : beat;
        int ready = wait_for_items(loop, due, obeys);
        if (ready < 0 && errno != EINTR)
            return EVENT_LOOP_FAILED;
        int64_t before = loop->now;
        loop->now = event_clock();
        judge_still(loop, due > before ? due : before);
        turn(loop, ready);
        if (loop->stopped)
            break;
        if (obeys && interrupt_asked())
            return EVENT_LOOP_INTERRUPTED;
        if (loop->now >= until)
            return EVENT_LOOP_TIMED_OUT;
    }
    return EVENT_LOOP_STOPPED;
}

enum event_loop_end event_loop_run(struct event_loop *loop)
{
    return run_loop(loop, EVENT_NEVER, true);
}

enum event_loop_end event_loop_drain(struct event_loop *loop, int64_t until)
{
    return run_loop(loop, until, false);
}
