/* One thread's event loop: descriptors that become ready, deadlines, and a wake-up from other threads. Deadlines are
 * nanoseconds of the monotonic clock. Every callback may create, change and free watches and timers, its own too. */
#ifndef INPUT_EVENT_LOOP_H
#define INPUT_EVENT_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/os/wait.h"

struct event_loop;
struct event_watch;
struct event_timer;

/* NULL with errno if memory or descriptors run out. */
struct event_loop *event_loop_new(void);
/* Frees the watches and timers that are left, too; closes none of their descriptors. Accepts NULL. */
void event_loop_free(struct event_loop *loop);

enum event_loop_end {
    EVENT_LOOP_STOPPED,     /* event_loop_stop() was called */
    EVENT_LOOP_INTERRUPTED, /* interrupt_asked(): callbacks of the turn have run */
    EVENT_LOOP_TIMED_OUT,   /* event_loop_drain() only */
    EVENT_LOOP_FAILED       /* errno tells why the system refused to wait */
};
/* Runs until event_loop_stop() or interrupt_asked(). A signal that arrives just before it begins to wait is not missed.
 */
enum event_loop_end event_loop_run(struct event_loop *loop);
/* Runs on until event_loop_stop() or that time, even if interrupt_asked(): to say good-bye to peers. */
enum event_loop_end event_loop_drain(struct event_loop *loop, int64_t until);
/* Ends the run that is under way, after the callback that calls this. Of that loop's own thread only. */
void event_loop_stop(struct event_loop *loop);
/* The monotonic clock as read when the loop last stopped waiting. */
int64_t event_loop_now(const struct event_loop *loop);

/* The program itself may stand still for a while: stopped by a signal, on a machine that sleeps, or waiting for a
 * processor. Whatever did not come meanwhile is nobody else's fault. `on_still` is called right after, before what is
 * due, with how long it was. */
void event_loop_on_still(struct event_loop *loop, void (*on_still)(void *user, int64_t time), void *user);
/* The clock without these times, for deadlines by which others are judged. */
int64_t event_loop_awake(const struct event_loop *loop);
/* When event_loop_awake() will be that late, by the monotonic clock, if the program does not stand still until then;
 * EVENT_NEVER stays. */
int64_t event_loop_when_awake(const struct event_loop *loop, int64_t awake);
/* How long it stood still last, if that was over less than `within` ago; 0: it was not. */
int64_t event_loop_stood_still(const struct event_loop *loop, int64_t within);

/* `on_wake` is called in the loop's thread after event_loop_wake(), once for any number of wake-ups before. */
void event_loop_on_wake(struct event_loop *loop, void (*on_wake)(void *user), void *user);
/* Of any thread, and of a signal handler. */
void event_loop_wake(struct event_loop *loop);

/* Either also tells of an end or an error of the descriptor, which the next read or write returns. */
enum { EVENT_READ = WAIT_READ, EVENT_WRITE = WAIT_WRITE };
/* Wants EVENT_READ at first. NULL if memory runs out. */
struct event_watch *event_watch_new(struct event_loop *loop, int fd, void (*on_ready)(void *user, unsigned events),
                                    void *user);
/* 0: nothing, so that the peer has to wait. */
void event_watch_want(struct event_watch *watch, unsigned events);
/* Accepts NULL. Its callback does not run again; call it before closing the descriptor. */
void event_watch_free(struct event_watch *watch);

#define EVENT_NEVER INT64_MAX
/* Off at first. NULL if memory runs out. */
struct event_timer *event_timer_new(struct event_loop *loop, void (*on_due)(void *user), void *user);
/* `on_due` runs once, at that time or soon after; EVENT_NEVER turns it off. */
void event_timer_set(struct event_timer *timer, int64_t when);
/* Accepts NULL. */
void event_timer_free(struct event_timer *timer);

/* The monotonic clock now, in ns. */
int64_t event_clock(void);

#endif
