#define _GNU_SOURCE /* ppoll */
#include "event_loop.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "array.h"
#include "base/os/interrupt.h"
#include "nanoseconds.h"

/* The loop waits no longer at a time, so that it knows when it was to go on; and is so much later only if it could not.
 */
#define BEAT (SECOND / 4)
#define STILL_LEAST SECOND

/* What is polled: the wake-up, signals, then each watch. */
enum { WAKE, SIGNALS, WATCHES };

struct event_watch {
    struct event_loop *loop;
    size_t at; /* its place in loop->polls */
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
    struct pollfd *polls;
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
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * SECOND + time.tv_nsec;
}

int64_t event_loop_now(const struct event_loop *loop)
{
    return loop->now;
}

/* How long the machine has slept so far, and more. */
static int64_t asleep(void)
{
#ifdef CLOCK_BOOTTIME
    struct timespec time;
    if (clock_gettime(CLOCK_BOOTTIME, &time) == 0)
        return time.tv_sec * SECOND + time.tv_nsec - event_clock();
#endif
    return 0;
}

/* ---- making and freeing ------------------------------------------------------------------------------------------ */

struct event_loop *event_loop_new(void)
{
    struct event_loop *loop = calloc(1, sizeof *loop);
    if (!loop)
        return NULL;
    loop->now = event_clock();
    loop->asleep = asleep();
    loop->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    loop->polls = malloc(WATCHES * sizeof *loop->polls);
    if (loop->polls && loop->wake >= 0) {
        loop->polls[WAKE] = (struct pollfd){.fd = loop->wake, .events = POLLIN};
        loop->polls[SIGNALS] = (struct pollfd){.fd = -1, .events = POLLIN};
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
        close(loop->wake);
    free(loop->watches);
    free(loop->timers);
    free(loop->polls);
    free(loop);
}

struct event_watch *event_watch_new(struct event_loop *loop, int fd, void (*on_ready)(void *user, unsigned events),
                                    void *user)
{
    struct event_watch *watch = malloc(sizeof *watch);
    if (!watch || !MAKE_ROOM(loop->watches, loop->watch_count) ||
        !MAKE_ROOM(loop->polls, loop->watch_count + WATCHES)) {
        free(watch);
        return NULL;
    }
    size_t at = loop->watch_count + WATCHES;
    *watch = (struct event_watch){.loop = loop, .at = at, .on_ready = on_ready, .user = user};
    loop->watches[loop->watch_count++] = watch;
    loop->polls[at] = (struct pollfd){.fd = fd, .events = POLLIN};
    return watch;
}

/* A negative number tells the system to pass over the descriptor; without that it would report its end for ever. */
void event_watch_want(struct event_watch *watch, unsigned events)
{
    struct pollfd *poll = &watch->loop->polls[watch->at];
    int fd = poll->fd < 0 ? ~poll->fd : poll->fd;
    poll->fd = events ? fd : ~fd;
    poll->events = (short)((events & EVENT_READ ? POLLIN : 0) | (events & EVENT_WRITE ? POLLOUT : 0));
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
        loop->polls[watch->at] = loop->polls[i + WATCHES];
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

/* A write fails only where very many wake-ups are still unread, which is one already. */
void event_loop_wake(struct event_loop *loop)
{
    const uint64_t one = 1;
    int error = errno;
    if (write(loop->wake, &one, sizeof one) < 0)
        errno = error;
}

/* If it cannot be read now, it is still a wake-up; the next turn reads it. */
static void take_wake(struct event_loop *loop)
{
    uint64_t count;
    ssize_t length = read(loop->wake, &count, sizeof count);
    (void)length;
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
    int64_t late = loop->now - due, slept = asleep() - loop->asleep;
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

/* As ppoll(), until a time that is not far; returns at once with EINTR if interrupt_asked(). */
static int wait_until(struct event_loop *loop, int64_t until, bool obeys)
{
    int64_t left = until - event_clock();
    if (left < 0)
        left = 0;
    const struct timespec time = {.tv_sec = (time_t)(left / SECOND), .tv_nsec = (long)(left % SECOND)};
    if (obeys && interrupt_asked()) {
        errno = EINTR;
        return -1;
    }
    return ppoll(loop->polls, loop->watch_count + WATCHES, &time, NULL);
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

/* What was wanted and came; an end or an error counts as all that is wanted. */
static unsigned events_of(const struct pollfd *poll)
{
    bool ended = poll->revents & (POLLERR | POLLHUP | POLLNVAL);
    int came = poll->fd < 0 ? 0 : poll->events & (ended ? ~0 : poll->revents);
    return (came & POLLIN ? EVENT_READ : 0u) | (came & POLLOUT ? EVENT_WRITE : 0u);
}

static void call_watches(struct event_loop *loop)
{
    for (size_t i = 0, count = loop->watch_count; i < count && !loop->stopped; i++) {
        struct event_watch *watch = loop->watches[i];
        unsigned events = events_of(&loop->polls[i + WATCHES]);
        if (events)
            watch->on_ready(watch->user, events);
    }
}

/* Calls what is due, deadlines first: they are older than what just came. */
static void turn(struct event_loop *loop, int ready)
{
    loop->in_turn = true;
    call_timers(loop);
    if (ready > 0 && loop->polls[WAKE].revents && !loop->stopped)
        take_wake(loop);
    if (ready > 0)
        call_watches(loop);
    loop->in_turn = false;
    sweep(loop);
}

static enum event_loop_end run_loop(struct event_loop *loop, int64_t until, bool obeys)
{
    loop->stopped = false;
    loop->polls[SIGNALS].fd = obeys ? interrupt_descriptor() : -1;
    loop->now = event_clock();
    while (!loop->stopped) {
        int64_t beat = loop->now + BEAT, due = next_deadline(loop, until);
        due = due < beat ? due : beat;
        int ready = wait_until(loop, due, obeys);
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

bool event_can_write(int fd)
{
    const struct timespec at_once = {0};
    struct pollfd wanted = {.fd = fd, .events = POLLOUT};
    return ppoll(&wanted, 1, &at_once, NULL) > 0;
}
