/* Each input has a process of its own. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "replay.h"

#define SECONDS_MAX 20

/* In the child: messages are of interest only where it fails. */
static void run_input(fuzz_run *run, const char *name, FILE *said)
{
    size_t size;
    uint8_t *data = replay_input(name, &size);
    if (dup2(fileno(said), STDOUT_FILENO) < 0 || dup2(fileno(said), STDERR_FILENO) < 0)
        exit(1);
    alarm(SECONDS_MAX);
    run(data, size);
    free(data);
    exit(0);
}

static void show(FILE *said)
{
    char text[4096];
    rewind(said);
    size_t length = fread(text, 1, sizeof text, said);
    fwrite(text, 1, length, stdout);
}

bool replay_alone(fuzz_run *run, const char *name, DIR *folder)
{
    FILE *said = tmpfile();
    int status = 1;
    if (!said) {
        perror("tmpfile");
        exit(1);
    }
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        closedir(folder); /* or it looks like a leak there */
        run_input(run, name, said);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        perror("fork");
    if (status != 0) {
        printf("FAIL %s\n", name);
        if (WIFSIGNALED(status))
            printf("ended by signal %d%s\n", WTERMSIG(status), WTERMSIG(status) == SIGALRM ? ": too slow" : "");
        show(said);
    }
    fclose(said);
    return status == 0;
}
