/* Without fork: the inputs are run one after the other here, and one that crashes ends the program. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "replay.h"

static const char *running;
static FILE *told; /* standard output, also while a command has another one */

static void say_which(int number)
{
    fprintf(told, "FAIL %s\nended by signal %d\n", running, number);
    fflush(told);
    _Exit(1);
}

bool replay_alone(fuzz_run *run, const char *name, DIR *folder)
{
    size_t size;
    uint8_t *data = replay_input(name, &size);
    (void)folder;
    running = name;
    if (!told && !(told = fdopen(dup(STDOUT_FILENO), "w")))
        exit(1);
    if (signal(SIGABRT, say_which) == SIG_ERR || signal(SIGSEGV, say_which) == SIG_ERR)
        exit(1);
    run(data, size);
    free(data);
    return true;
}
