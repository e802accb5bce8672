#define _GNU_SOURCE /* sched_getcpu, sched_setaffinity */
#include "thread.h"

#include <sched.h>
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

#ifdef __linux__
int thread_processor(void)
{
    return sched_getcpu();
}

void thread_leave(int processor)
{
    cpu_set_t all, others;
    if (processor < 0 || processor >= CPU_SETSIZE || sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    others = all;
    CPU_CLR((size_t)processor, &others);
    if (CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof others, &others) == 0)
        sched_setaffinity(0, sizeof all, &all);
}
#else
int thread_processor(void)
{
    return -1;
}

void thread_leave(int processor)
{
    (void)processor;
}
#endif
