#define _POSIX_C_SOURCE 200809L
#include "bus_error.h"

#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

#include "interrupt.h"

/* Where this thread goes on; NULL: no read. Global because a handler takes no user pointer. */
static _Thread_local sigjmp_buf *volatile way_out;

static void on_bus_error(int number)
{
    if (way_out)
        siglongjmp(*way_out, 1);
    interrupt_end_by(number); /* not ours: as without this handler */
}

bool bus_error_guard(void (*read)(void *user), void *user)
{
    struct sigaction action = {.sa_handler = on_bus_error, .sa_flags = SA_NODEFER}; /* not blocked behind a jump */
    sigset_t bus_error;
    sigjmp_buf here;
    sigemptyset(&action.sa_mask);
    sigemptyset(&bus_error);
    sigaddset(&bus_error, SIGBUS);
    /* Blocked in threads that leave signals to others: the kernel would end the program. */
    pthread_sigmask(SIG_UNBLOCK, &bus_error, NULL);
    sigaction(SIGBUS, &action, NULL); /* each time: cheap, and others may have handlers of their own */
    if (sigsetjmp(here, 0) != 0) {
        way_out = NULL;
        return false;
    }
    way_out = &here;
    read(user);
    way_out = NULL;
    return true;
}
