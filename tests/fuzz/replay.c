/* Runs every file of the corpus through its target, without libFuzzer: the regression test of what fuzzing found. */
#define _POSIX_C_SOURCE 200809L
#include "replay.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INPUT_MAX (1024 * 1024)

static const struct target {
    const char *name;
    fuzz_run *run;
} targets[] = {
#define TARGET(name) {#name, fuzz_##name},
#include "targets.def"
#undef TARGET
};

struct result {
    unsigned passed, failed;
};

uint8_t *replay_input(const char *name, size_t *size)
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
        bool passed = replay_alone(target->run, name, folder);
        result->passed += passed;
        result->failed += !passed;
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
