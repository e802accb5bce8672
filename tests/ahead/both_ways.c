/* Exports in both ways: with rows written in the first reading, and with a second one. Standard input has a command
 * line of export in each line, its words separated by tabs, with -o FILE among them. For each it runs both ways, the
 * first from beginnings of several lengths, and compares the file, standard error and the status. Prints what differs,
 * then a line: how many were compared, how many of them were written in the first reading, and how many were begun so.
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command_line/commands.h"
#include "export/export_job.h"

#define WORDS_MAX 64

enum exit_status __real_export_run(const struct export_wish *wish, const struct replay_source *source);
enum exit_status __wrap_export_run(const struct export_wish *wish, const struct replay_source *source);
int __real_ahead_begin(struct job *job, struct job *ahead);
int __wrap_ahead_begin(struct job *job, struct job *ahead);
struct job *__real_ahead_take_over(struct job *job);
struct job *__wrap_ahead_take_over(struct job *job);

/* Bytes of the beginning; 0: the second way. */
static const uint64_t beginnings[] = {1, 12000, 60000};

static struct {
    uint64_t beginning;
    unsigned compared, begun, held, failed;
} now;

enum exit_status __wrap_export_run(const struct export_wish *wish, const struct replay_source *source)
{
    struct export_wish ours = *wish;
    ours.reads_twice = now.beginning == 0;
    ours.beginning = now.beginning;
    return __real_export_run(&ours, source);
}

int __wrap_ahead_begin(struct job *job, struct job *ahead)
{
    int outcome = __real_ahead_begin(job, ahead);
    now.begun += job->ahead != NULL;
    return outcome;
}

struct job *__wrap_ahead_take_over(struct job *job)
{
    now.held++;
    return __real_ahead_take_over(job);
}

/* What a run left. */
struct trace {
    int status;
    char *file, *said;
    size_t file_length, said_length;
};

/* The bytes of a file; NULL if there is none. */
static char *read_file(const char *name, size_t *length)
{
    FILE *file = fopen(name, "rb");
    char *bytes = NULL;
    *length = 0;
    for (size_t got = 1; file && got > 0; *length += got) {
        char *more = realloc(bytes, *length + 65536);
        if (!more)
            abort();
        bytes = more;
        got = fread(bytes + *length, 1, 65536, file);
    }
    if (file)
        fclose(file);
    return bytes;
}

static void trace_free(struct trace *trace)
{
    free(trace->file);
    free(trace->said);
}

static struct trace run(int argc, char **argv, const char *out, uint64_t beginning)
{
    struct trace trace = {.status = -1};
    char *words[WORDS_MAX + 1];
    memcpy(words, argv, (size_t)argc * sizeof *words);
    words[argc] = NULL;
    now.beginning = beginning;
    unlink(out);
    int before = dup(STDERR_FILENO), file = open("said.tmp", O_RDWR | O_CREAT | O_TRUNC, 0666);
    if (before < 0 || file < 0 || dup2(file, STDERR_FILENO) < 0)
        abort();
    trace.status = cmd_export(argc, words);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    close(file);
    trace.file = read_file(out, &trace.file_length);
    trace.said = read_file("said.tmp", &trace.said_length);
    return trace;
}

static bool is_same(const char *one, size_t length, const char *other, size_t other_length)
{
    return !one == !other && length == other_length && (!one || memcmp(one, other, length) == 0);
}

static void compare(const char *line, uint64_t beginning, const struct trace *plain, const struct trace *ahead)
{
    bool file = is_same(plain->file, plain->file_length, ahead->file, ahead->file_length);
    bool said = is_same(plain->said, plain->said_length, ahead->said, ahead->said_length);
    now.compared++;
    if (file && said && plain->status == ahead->status)
        return;
    now.failed++;
    printf("FAIL from %llu bytes: %s: status %d and %d, %zu and %zu bytes%s%s\n", (unsigned long long)beginning, line,
           plain->status, ahead->status, plain->file_length, ahead->file_length, file ? "" : ", which differ",
           said ? "" : ", and so does what is said:");
    if (!said)
        printf("%.*s-- and\n%.*s", (int)plain->said_length, plain->said, (int)ahead->said_length, ahead->said);
}

static void run_both_ways(const char *line)
{
    char words[4096], *argv[WORDS_MAX] = {"export"}, *out = NULL;
    int argc = 1;
    snprintf(words, sizeof words, "%s", line);
    for (char *word = words; word && argc < WORDS_MAX; argc++) {
        char *end = strchr(word, '\t');
        argv[argc] = word;
        if (strcmp(argv[argc - 1], "-o") == 0)
            out = word;
        word = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
    }
    if (!out)
        abort();
    struct trace plain = run(argc, argv, out, 0);
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        struct trace ahead = run(argc, argv, out, beginnings[i]);
        compare(line, beginnings[i], &plain, &ahead);
        trace_free(&ahead);
    }
    trace_free(&plain);
}

int main(void)
{
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        run_both_ways(line);
    }
    printf("%u compared, %u written in the first reading, %u begun\n", now.compared, now.held, now.begun);
    return now.failed > 0 ? 1 : 0;
}
