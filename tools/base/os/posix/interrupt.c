#define _GNU_SOURCE /* pipe2 */
#include "base/os/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/os/wait.h"
#include "nanoseconds.h"

/* ms between two attempts to end a call that blocks. */
#define REPEAT 100

/* When the signal arrived, in ms of the monotonic clock; 0 before that. Global because a handler takes no user
 * pointer. */
static atomic_llong asked;
/* A pipe that gets a byte then, which stays in it. */
static atomic_int asked_pipe[2] = {-1, -1};
/* Removes files before a signal ends the program; NULL: nothing to remove. */
static void (*_Atomic clean_up)(void);
/* What SIGUSR1 calls. */
static void (*_Atomic begin)(void);

static long long now_ms(void)
{
    return wait_clock() / MILLISECOND;
}

/* Whatever is in the pipe wakes who polls it: a write that fails is none the worse. */
static void tell_pipe(void)
{
    if (write(atomic_load(&asked_pipe[1]), "", 1) < 0)
        return;
}

static void end_by(int number)
{
    void (*clean)(void) = atomic_load(&clean_up);
    sigset_t only;
    if (clean)
        clean();
    sigemptyset(&only);
    sigaddset(&only, number);
    signal(number, SIG_DFL);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
}

static void on_signal(int number)
{
    const struct itimerval limit = {.it_value = {.tv_usec = INTERRUPT_LIMIT * 1000},
                                    .it_interval = {.tv_usec = REPEAT * 1000}};
    int error = errno;
    long long none = 0;
    if (atomic_compare_exchange_strong(&asked, &none, now_ms())) {
        tell_pipe();
        setitimer(ITIMER_REAL, &limit, NULL);
    } else if (interrupt_is_overdue()) {
        end_by(number);
    }
    errno = error;
}

/* Only wakes a blocked call once a signal has arrived; sent by somebody else, it is such a signal itself. */
static void on_alarm(int number)
{
    if (!interrupt_asked())
        on_signal(number);
}

/* Nobody reads the output any more: a live run ends as by Ctrl-C. */
static void on_pipe(int number)
{
    if (!interrupt_asked())
        on_signal(number);
}

static void handle(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, before;
    sigfillset(&action.sa_mask);
    sigaction(number, NULL, &before);
    if (number != SIGHUP || before.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

/* The same, unless somebody else has set what the signal does. */
static void handle_unset(int number, void (*handler)(int))
{
    struct sigaction before;
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        handle(number, handler, SA_RESTART);
}

static void open_pipe(void)
{
    int ends[2];
    if (atomic_load(&asked_pipe[0]) >= 0 || pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return;
    atomic_store(&asked_pipe[0], ends[0]);
    atomic_store(&asked_pipe[1], ends[1]);
}

int interrupt_descriptor(void)
{
    return atomic_load(&asked_pipe[0]);
}

void interrupt_hold(void)
{
    open_pipe();
    handle(SIGALRM, on_alarm, 0);
    handle(SIGINT, on_signal, SA_RESTART);
    handle(SIGTERM, on_signal, SA_RESTART);
    handle(SIGHUP, on_signal, SA_RESTART);
    handle(SIGPIPE, on_pipe, SA_RESTART);
}

void interrupt_guard(void (*clean)(void))
{
    static const int requests[] = {
        SIGQUIT,   SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU,
#ifdef SIGIO
        SIGIO,
#endif
#ifdef SIGPWR
        SIGPWR,
#endif
#ifdef SIGSTKFLT
        SIGSTKFLT,
#endif
    };
    static const int errors[] = {SIGPIPE, SIGXFSZ}; /* which the call reports as well */
    static const int crashes[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS};
    void (*none)(void) = NULL;
    if (!atomic_compare_exchange_strong(&clean_up, &none, clean))
        return;
    interrupt_hold();
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        handle_unset(errors[i], SIG_IGN);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        handle_unset(requests[i], on_signal);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        handle_unset(number, on_signal);
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        handle_unset(crashes[i], end_by);
}

void interrupt_ignore_closed_pipes(void)
{
    signal(SIGPIPE, SIG_IGN);
}

static void on_start_signal(int number)
{
    int error = errno;
    void (*call)(void) = atomic_load(&begin);
    (void)number;
    if (call)
        call();
    errno = error;
}

void interrupt_on_start(void (*on_start)(void))
{
    atomic_store(&begin, on_start);
    handle(SIGUSR1, on_start_signal, SA_RESTART);
}

bool interrupt_asked(void)
{
    return atomic_load(&asked) != 0;
}

bool interrupt_asked_before(int64_t ms)
{
    long long time = atomic_load(&asked);
    return time != 0 && now_ms() - time >= ms;
}

/* What was masked before interrupt_hold_back(). */
static _Thread_local sigset_t mask_before;

void interrupt_hold_back(void)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask_before);
}

void interrupt_let(void)
{
    pthread_sigmask(SIG_SETMASK, &mask_before, NULL);
}

int thread_begin(pthread_t *thread, void *(*work)(void *user), void *user)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(thread, NULL, work, user);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}
