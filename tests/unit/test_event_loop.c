/* The event loop, with pipes and the monotonic clock; on Windows, which waits for sockets only, with connections, and
 * without signals. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef _WIN32
#include "base/os/tcp_socket.h"
#else
#include <sys/wait.h>
#endif

#include "base/os/interrupt.h"
#include "input/robots/event_loop.h"

#define MS INT64_C(1000000)

/* What happened, a letter each, and when; a callback may have one thing to do. */
struct scene {
    struct event_loop *loop;
    struct event_watch *watch[3];
    struct event_timer *timer[3];
    int pipe[2][2];
    char said[64];
    int64_t at[64];
    void (*then)(struct scene *scene);
};

#ifdef _WIN32

static int open_pipe(int ends[2])
{
    struct tcp_address here, peer;
    int listener = -1;
    if (tcp_address_parse(&here, "127.0.0.1:0", 0) == 0)
        listener = tcp_listen(&here);
    if (listener < 0 || tcp_local_address(listener, &here) != 0 || (ends[1] = tcp_connect(&here)) < 0)
        return -1;
    struct wait_item item = {.fd = listener, .wanted = WAIT_READ};
    wait_until(&item, 1, wait_clock() + 5000 * MS);
    ends[0] = tcp_accept(listener, &peer);
    tcp_close(listener, false);
    return ends[0] < 0 ? -1 : 0;
}

static ssize_t read_end(int end, void *to, size_t room)
{
    int64_t time;
    return tcp_receive(end, to, room, &time);
}

static ssize_t write_end(int end, const void *bytes, size_t length)
{
    return tcp_send(end, bytes, length);
}

static void close_end(int end)
{
    tcp_close(end, false);
}

#else

static int open_pipe(int ends[2])
{
    return pipe(ends);
}

static ssize_t read_end(int end, void *to, size_t room)
{
    return read(end, to, room);
}

static ssize_t write_end(int end, const void *bytes, size_t length)
{
    return write(end, bytes, length);
}

static void close_end(int end)
{
    close(end);
}

#endif

static void say(struct scene *scene, char letter)
{
    size_t length = strlen(scene->said);
    assert_true(length + 1 < sizeof scene->said);
    scene->said[length] = letter;
    scene->at[length] = event_clock();
}

static int set_up(void **state)
{
    static struct scene scene;
    memset(&scene, 0, sizeof scene);
    scene.loop = event_loop_new();
    assert_non_null(scene.loop);
    for (int i = 0; i < 2; i++)
        assert_int_equal(0, open_pipe(scene.pipe[i]));
    *state = &scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;
    event_loop_free(scene->loop);
    for (int i = 0; i < 4; i++)
        if (scene->pipe[i / 2][i % 2] >= 0)
            close_end(scene->pipe[i / 2][i % 2]);
    return 0;
}

static void on_a(void *user)
{
    struct scene *scene = user;
    say(scene, 'a');
    if (scene->then)
        scene->then(scene);
}

static void on_b(void *user)
{
    say(user, 'b');
}

static void on_stop(void *user)
{
    struct scene *scene = user;
    say(scene, '.');
    event_loop_stop(scene->loop);
}

/* Stops the loop `ms` from now. */
static void stop_after(struct scene *scene, int64_t ms)
{
    struct event_timer *timer = event_timer_new(scene->loop, on_stop, scene);
    assert_non_null(timer);
    event_timer_set(timer, event_clock() + ms * MS);
}

static void read_one(struct scene *scene, int which, unsigned events)
{
    char byte;
    if (events & EVENT_READ) {
        say(scene, (char)('0' + which));
        if (read_end(scene->pipe[which][0], &byte, 1) == 0)
            say(scene, 'E');
    }
    if (scene->then)
        scene->then(scene);
}

static void on_first(void *user, unsigned events)
{
    read_one(user, 0, events);
}

static void on_second(void *user, unsigned events)
{
    read_one(user, 1, events);
}

static void watch_both(struct scene *scene)
{
    scene->watch[0] = event_watch_new(scene->loop, scene->pipe[0][0], on_first, scene);
    scene->watch[1] = event_watch_new(scene->loop, scene->pipe[1][0], on_second, scene);
    assert_non_null(scene->watch[0]);
    assert_non_null(scene->watch[1]);
}

static void put(struct scene *scene, int which)
{
    assert_int_equal(1, write_end(scene->pipe[which][1], "x", 1));
}

/* ---- timers ------------------------------------------------------------------------------------------------------ */

/* Whether the letter was said, and not before `when`. */
static bool is_said(const struct scene *scene, char letter, int64_t when)
{
    const char *said = strchr(scene->said, letter);
    return said && scene->at[said - scene->said] >= when;
}

/* On a busy machine both may be due in one turn, in either order. */
static void timers_run_once_not_before_their_time(void **state)
{
    struct scene *scene = *state;
    int64_t begin = event_clock();
    struct event_timer *late = event_timer_new(scene->loop, on_b, scene);
    struct event_timer *early = event_timer_new(scene->loop, on_a, scene);
    struct event_timer *off = event_timer_new(scene->loop, on_a, scene);
    event_timer_set(late, begin + 20 * MS);
    event_timer_set(early, begin + 5 * MS);
    event_timer_set(off, begin + 1 * MS);
    event_timer_set(off, EVENT_NEVER);
    stop_after(scene, 40);
    assert_int_equal(EVENT_LOOP_STOPPED, event_loop_run(scene->loop));
    assert_int_equal(3, strlen(scene->said));
    assert_true(is_said(scene, 'a', begin + 5 * MS) && is_said(scene, 'b', begin + 20 * MS));
    assert_true(is_said(scene, '.', begin + 40 * MS));
    assert_true(event_loop_now(scene->loop) >= begin + 40 * MS);
}

static void again_at_once(struct scene *scene)
{
    event_timer_set(scene->timer[0], event_loop_now(scene->loop));
    if (strlen(scene->said) == 3)
        event_loop_stop(scene->loop);
}

/* A timer set to the present waits for the next turn: the pipe has its turn in between. */
static void a_timer_set_by_itself_does_not_starve_watches(void **state)
{
    struct scene *scene = *state;
    watch_both(scene);
    scene->timer[0] = event_timer_new(scene->loop, on_a, scene);
    scene->then = again_at_once;
    event_timer_set(scene->timer[0], event_clock());
    put(scene, 0);
    event_loop_run(scene->loop);
    assert_string_equal("a0a", scene->said);
}

static void free_timers(struct scene *scene)
{
    event_timer_free(scene->timer[0]);
    event_timer_free(scene->timer[1]);
    scene->then = NULL;
}

static void a_timer_frees_itself_and_another(void **state)
{
    struct scene *scene = *state;
    scene->timer[0] = event_timer_new(scene->loop, on_a, scene);
    scene->timer[1] = event_timer_new(scene->loop, on_b, scene);
    scene->then = free_timers;
    event_timer_set(scene->timer[0], event_clock());
    event_timer_set(scene->timer[1], event_clock());
    stop_after(scene, 10);
    event_loop_run(scene->loop);
    assert_string_equal("a.", scene->said);
}

/* ---- watches ----------------------------------------------------------------------------------------------------- */

static void free_both(struct scene *scene)
{
    event_watch_free(scene->watch[0]);
    event_watch_free(scene->watch[1]);
    scene->then = NULL;
}

static void a_watch_frees_itself_and_another(void **state)
{
    struct scene *scene = *state;
    watch_both(scene);
    scene->then = free_both;
    put(scene, 0);
    put(scene, 1);
    stop_after(scene, 10);
    event_loop_run(scene->loop);
    assert_string_equal("0.", scene->said);
}

static void add_many(struct scene *scene)
{
    scene->then = NULL;
    for (int i = 0; i < 100; i++)
        assert_non_null(event_watch_new(scene->loop, scene->pipe[1][0], on_second, scene));
    for (int i = 0; i < 100; i++)
        assert_non_null(event_timer_new(scene->loop, on_b, scene));
}

static void a_callback_adds_watches_and_timers(void **state)
{
    struct scene *scene = *state;
    watch_both(scene);
    scene->then = add_many;
    put(scene, 0);
    stop_after(scene, 10);
    event_loop_run(scene->loop);
    assert_string_equal("0.", scene->said);
}

static void a_watch_that_wants_nothing_is_left_alone(void **state)
{
    struct scene *scene = *state;
    watch_both(scene);
    event_watch_want(scene->watch[0], 0);
    put(scene, 0);
    stop_after(scene, 10);
    event_loop_run(scene->loop);
    assert_string_equal(".", scene->said);
    event_watch_want(scene->watch[0], EVENT_READ);
    event_loop_drain(scene->loop, event_clock());
    assert_string_equal(".0", scene->said);
}

/* Time of a processor, ns. */
static int64_t computed(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1000 * MS + time.tv_nsec;
}

/* The end of a descriptor is told as what is wanted. */
static void an_end_is_told(void **state)
{
    struct scene *scene = *state;
    watch_both(scene);
    close_end(scene->pipe[0][1]);
    event_loop_drain(scene->loop, event_clock());
    assert_string_equal("0E", scene->said);
    event_watch_want(scene->watch[0], 0);
    int64_t before = computed();
    event_loop_drain(scene->loop, event_clock() + 50 * MS);
    assert_string_equal("0E", scene->said);
    assert_true(computed() - before < 20 * MS); /* it slept */
    scene->pipe[0][1] = -1;
}

static void on_writable(void *user, unsigned events)
{
    say(user, events == EVENT_WRITE ? 'w' : '?');
}

static void a_pipe_with_room_is_writable(void **state)
{
    struct scene *scene = *state;
    struct event_watch *watch = event_watch_new(scene->loop, scene->pipe[0][1], on_writable, scene);
    event_loop_drain(scene->loop, event_clock());
    assert_string_equal("", scene->said);
    event_watch_want(watch, EVENT_READ | EVENT_WRITE);
    event_loop_drain(scene->loop, event_clock());
    assert_string_equal("w", scene->said);
}

/* ---- from outside ------------------------------------------------------------------------------------------------ */

static void *wake_often(void *loop)
{
    for (int i = 0; i < 1000; i++)
        event_loop_wake(loop);
    return NULL;
}

static void another_thread_wakes_it(void **state)
{
    struct scene *scene = *state;
    pthread_t thread;
    event_loop_on_wake(scene->loop, on_stop, scene);
    assert_int_equal(0, pthread_create(&thread, NULL, wake_often, scene->loop));
    assert_int_equal(EVENT_LOOP_STOPPED, event_loop_run(scene->loop));
    assert_string_equal(".", scene->said);
    pthread_join(thread, NULL);
}

static void draining_ends_in_time(void **state)
{
    struct scene *scene = *state;
    int64_t until = event_clock() + 10 * MS;
    assert_int_equal(EVENT_LOOP_TIMED_OUT, event_loop_drain(scene->loop, until));
    assert_true(event_clock() >= until);
}

#ifndef _WIN32

static void *run_without_signals(void *user)
{
    static enum event_loop_end end;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    end = event_loop_run(user);
    return &end;
}

/* Whether a loop that waits ends when another thread takes a signal. */
static bool ends_by_signal_of_another(struct event_loop *loop)
{
    const struct timespec brief = {.tv_nsec = 20 * MS};
    pthread_t thread;
    void *end;
    interrupt_hold();
    if (pthread_create(&thread, NULL, run_without_signals, loop) != 0)
        return false;
    nanosleep(&brief, NULL);
    raise(SIGTERM);
    pthread_join(thread, &end);
    return *(const enum event_loop_end *)end == EVENT_LOOP_INTERRUPTED;
}

/* In a child, since interrupt_asked() stays. */
static void a_signal_taken_by_another_thread_ends_it(void **state)
{
    struct scene *scene = *state;
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        stop_after(scene, 5000);
        _exit(ends_by_signal_of_another(scene->loop) ? 0 : 1);
    }
    assert_int_equal(child, waitpid(child, &status, 0));
    assert_int_equal(0, status);
}

static void raise_interrupt(struct scene *scene)
{
    (void)scene;
    raise(SIGINT);
}

/* Last: interrupt_asked() stays. The signal arrives while a callback runs, not while the loop waits. */
static void a_signal_ends_it(void **state)
{
    struct scene *scene = *state;
    interrupt_hold();
    scene->timer[0] = event_timer_new(scene->loop, on_a, scene);
    event_timer_set(scene->timer[0], event_clock());
    scene->then = raise_interrupt;
    assert_int_equal(EVENT_LOOP_INTERRUPTED, event_loop_run(scene->loop));
    assert_string_equal("a", scene->said);
    int64_t begin = event_clock(); /* SIGALRM comes 800 ms after the signal */
    assert_int_equal(EVENT_LOOP_INTERRUPTED, event_loop_run(scene->loop));
    assert_true(event_clock() - begin < 400 * MS);
    stop_after(scene, 5);
    assert_int_equal(EVENT_LOOP_STOPPED, event_loop_drain(scene->loop, EVENT_NEVER));
}

#endif

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(timers_run_once_not_before_their_time),
        CASE(a_timer_set_by_itself_does_not_starve_watches),
        CASE(a_timer_frees_itself_and_another),
        CASE(a_watch_frees_itself_and_another),
        CASE(a_callback_adds_watches_and_timers),
        CASE(a_watch_that_wants_nothing_is_left_alone),
        CASE(an_end_is_told),
        CASE(a_pipe_with_room_is_writable),
        CASE(another_thread_wakes_it),
        CASE(draining_ends_in_time),
#ifndef _WIN32
        CASE(a_signal_taken_by_another_thread_ends_it),
        CASE(a_signal_ends_it),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
