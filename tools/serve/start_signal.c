#define _POSIX_C_SOURCE 200809L
#include "start_signal.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

/* Global because a handler takes no user pointer. */
static _Atomic(struct event_loop *) woken;
static atomic_bool came;

static void on_signal(int number)
{
    int error = errno;
    struct event_loop *loop = atomic_load(&woken);
    (void)number;
    atomic_store(&came, true);
    if (loop)
        event_loop_wake(loop);
    errno = error;
}

void start_signal_hold(struct event_loop *loop)
{
    struct sigaction action = {.sa_handler = loop ? on_signal : SIG_IGN, .sa_flags = SA_RESTART};
    atomic_store(&woken, loop);
    sigfillset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
}

bool start_signal_came(void)
{
    return atomic_load(&came);
}
