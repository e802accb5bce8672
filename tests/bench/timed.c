/* Runs a command and reports its costs: timed FD COMMAND... writes "wall cpu peak status" to the file descriptor FD, in
 * seconds and bytes. It is small because a child's peak memory includes its parent's until exec. */
#define _DEFAULT_SOURCE /* wait4 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    struct rusage usage;
    int status, to = argc > 2 ? atoi(argv[1]) : -1;
    if (to < 3) {
        fputs("usage: timed FD COMMAND...\n", stderr);
        return 2;
    }
    double begin = now();
    pid_t child = fork();
    if (child == 0) {
        close(to);
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child)
        return 2;
    dprintf(to, "%.6f %.6f %ld %d\n", now() - begin, seconds(usage.ru_utime) + seconds(usage.ru_stime),
            1024 * usage.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    return 0;
}
