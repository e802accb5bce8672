/* Runs every file of the corpus through its target, without libFuzzer: the regression test of what fuzzing found. Each
 * input has a process of its own, so that one that crashes or hangs is one that failed. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target.h"

#define SECONDS_MAX 20
#define INPUT_MAX (1024 * 1024)

static const struct target {
    const char *name;
    int (*run)(const uint8_t *data, size_t size);
} targets[] = {
#define TARGET(name) {#name, fuzz_##name},
#include "targets.def"
#undef TARGET
};

struct result {
    unsigned passed, failed;
};

static uint8_t *read_input(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rb");
    uint8_t *data = malloc(INPUT_MAX);
    if (!file || !data) {
        perror(name);
        exit(1);
    }
    *size = fread(data, 1, INPUT_MAX, file);
    fclose(file);
    uint8_t *exact = copy_of(data, *size);
    free(data);
    return exact;
}

/* In the child: messages are of interest only where it fails. */
static void run_input(const struct target *target, const char *name, FILE *said)
{
    size_t size;
    uint8_t *data = read_input(name, &size);
    if (dup2(fileno(said), STDOUT_FILENO) < 0 || dup2(fileno(said), STDERR_FILENO) < 0)
        exit(1);
    alarm(SECONDS_MAX);
    target->run(data, size);
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

static void replay_input(const struct target *target, const char *name, DIR *folder, struct result *result)
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
        run_input(target, name, said);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        perror("fork");
    if (status == 0) {
        result->passed++;
    } else {
        result->failed++;
        printf("FAIL %s\n", name);
        if (WIFSIGNALED(status))
            printf("ended by signal %d%s\n", WTERMSIG(status), WTERMSIG(status) == SIGALRM ? ": too slow" : "");
        show(said);
    }
    fclose(said);
}

static void replay_target(const struct target *target, const char *corpus, struct result *result)
{
    char name[4096];
    unsigned before = result->passed + result->failed;
    snprintf(name, sizeof name, "%s/%s", corpus, target->name);
    DIR *folder = opendir(name);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s/%s", corpus, target->name, entry->d_name);
        replay_input(target, name, folder, result);
    }
    if (folder)
        closedir(folder);
    if (result->passed + result->failed == before) {
        printf("FAIL %s/%s: there are no inputs\n", corpus, target->name);
        result->failed++;
    }
}

int main(int argc, char **argv)
{
    char corpus[2048];
    struct result result = {0, 0};
    const char *sources = getenv("srcdir");
    snprintf(corpus, sizeof corpus, "%s/tests/fuzz/corpus", sources ? sources : ".");
    if (argc > 1)
        snprintf(corpus, sizeof corpus, "%s", argv[1]);
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
        if (argc < 3 || strcmp(argv[2], targets[i].name) == 0)
            replay_target(&targets[i], corpus, &result);
    printf("%u passed, %u failed\n", result.passed, result.failed);
    return result.failed > 0 || result.passed == 0;
}
