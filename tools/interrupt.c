#define _POSIX_C_SOURCE 200809L
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

static sigset_t signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    return set;
}

void interrupt_hold(void)
{
    sigset_t set = signals();
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

bool interrupt_asked(void)
{
    sigset_t set = signals();
    struct timespec none = {0, 0};
    return sigtimedwait(&set, NULL, &none) > 0;
}

void interrupt_release(void)
{
    sigset_t set = signals();
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
