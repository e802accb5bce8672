#define _POSIX_C_SOURCE 200809L
#include "thread.h"

#include <signal.h>

int thread_begin(pthread_t *thread, void *(*work)(void *user), void *user)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(thread, NULL, work, user);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}
