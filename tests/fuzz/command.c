#define _POSIX_C_SOURCE 200809L
#include "command.h"

#include <signal.h>
#ifndef _WIN32
#include <sys/resource.h>
#endif

#include "base/os/file.h"
#include "base/os/names.h"
#include "command_line/commands.h"

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
#define COMMAND(name, summary, groups) {#name, cmd_##name},
#include "command_line/commands.def"
};

/* A standard stream, and the file that replaces it meanwhile. */
struct stand_in {
    FILE *stream;
    int number, file, kept;
};

static void divert(struct stand_in *in)
{
    fflush(in->stream);
    if (in->file == 0)
        in->file = file_open_nameless(file_temporary_folder());
    CHECK(in->file >= 0 && ftruncate(in->file, 0) == 0 && lseek(in->file, 0, SEEK_SET) == 0);
    in->kept = dup(in->number);
    CHECK(in->kept >= 0 && dup2(in->file, in->number) >= 0);
}

/* Returns the bytes that were written. */
static size_t let_go(struct stand_in *in)
{
    fflush(in->stream);
    clearerr(in->stream);
    CHECK(dup2(in->kept, in->number) >= 0);
    close(in->kept);
    off_t length = lseek(in->file, 0, SEEK_END);
    CHECK(length >= 0);
    return (size_t)length;
}

static void take(const struct stand_in *in, size_t length, struct caught *caught)
{
    caught->text = malloc(length + 1);
    CHECK(caught->text);
    CHECK(pread(in->file, caught->text, length, 0) == (ssize_t)length);
    caught->text[length] = '\0';
    caught->length = length;
}

static int call(const char *const *arguments)
{
    char *argv[COMMAND_ARGUMENTS + 1] = {NULL};
    int argc = 0, status = -1;
    for (; arguments[argc + 1] && argc < COMMAND_ARGUMENTS; argc++)
        CHECK((argv[argc] = strdup(arguments[argc + 1])) != NULL);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, arguments[0]) == 0)
            status = commands[i].run(argc, argv);
    CHECK(status >= 0);
    while (argc > 0)
        free(argv[--argc]);
    return status;
}

void __sanitizer_set_report_fd(void *file) __attribute__((weak));

/* A sanitizer's report is not the program's output. If libFuzzer has replaced standard error by /dev/null, it has
 * redirected the sanitizers already. */
static void keep_reports(void)
{
    struct stat status;
    if (!__sanitizer_set_report_fd || fstat(STDERR_FILENO, &status) != 0 || S_ISCHR(status.st_mode))
        return;
    __sanitizer_set_report_fd((void *)(intptr_t)dup(STDERR_FILENO));
}

/* ---- what Windows lacks: a limit for files, signals of its own ---- */

#define PIPE_ROOM 65536

#ifdef _WIN32

static void limit_output(void)
{
}

static int open_pipe(int ends[2])
{
    return _pipe(ends, PIPE_ROOM, O_BINARY);
}

static int call_with_signals(const char *const *arguments)
{
    return call(arguments);
}

#else

#define OUTPUT_MAX (64u << 20)

/* Endless output must not fill the disk. */
static void limit_output(void)
{
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    limit.rlim_cur = OUTPUT_MAX;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0 && signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
}

static int open_pipe(int ends[2])
{
    return pipe(ends);
}

/* The program handles signals that the fuzzer needs, among them SIGALRM. */
static const int taken[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
#define TAKEN (sizeof taken / sizeof *taken)

static int call_with_signals(const char *const *arguments)
{
    struct sigaction before[TAKEN];
    for (size_t i = 0; i < TAKEN; i++)
        sigaction(taken[i], NULL, &before[i]);
    int status = call(arguments);
    for (size_t i = 0; i < TAKEN; i++)
        sigaction(taken[i], &before[i], NULL);
    return status;
}

#endif

static struct stand_in out = {NULL, STDOUT_FILENO, 0, 0}, error = {NULL, STDERR_FILENO, 0, 0};

/* ---- standard input ---- */

static const char *input_name;

void command_standard_input(const char *name)
{
    input_name = name;
}

static int open_piped(int file)
{
    static char bytes[PIPE_ROOM + 1];
    int ends[2];
    ssize_t length = pread(file, bytes, sizeof bytes, 0);
    if (length < 0 || length > PIPE_ROOM || open_pipe(ends) != 0)
        return file;
    CHECK(file_write_all(ends[1], bytes, (size_t)length) == 0);
    close(ends[1]);
    close(file);
    return ends[0];
}

static bool reads_input(const char *const *arguments)
{
    for (; *arguments; arguments++)
        if (strcmp(*arguments, "-") == 0)
            return true;
    return false;
}

/* Returns the standard input that was there before, or -1. */
static int divert_input(const char *const *arguments)
{
    if (!reads_input(arguments))
        return -1;
    int file = file_open(input_name, O_RDONLY), kept = dup(STDIN_FILENO);
    CHECK(file >= 0);
    file = open_piped(file);
    CHECK(dup2(file, STDIN_FILENO) >= 0);
    close(file);
    return kept < 0 ? STDIN_FILENO : kept;
}

static void restore_input(int kept)
{
    if (kept == STDIN_FILENO) /* there was none */
        close(STDIN_FILENO);
    else if (kept >= 0)
        CHECK(dup2(kept, STDIN_FILENO) >= 0 && close(kept) == 0);
}

static int call_alone(const char *const *arguments)
{
    int kept = divert_input(arguments), status = call_with_signals(arguments);
    restore_input(kept);
    return status;
}

static int call_caught(const char *const *arguments, size_t lengths[2])
{
    if (!out.stream) {
        limit_output();
        keep_reports();
        out.stream = stdout;
        error.stream = stderr;
    }
    divert(&out);
    divert(&error);
    int status = call_alone(arguments);
    lengths[1] = let_go(&error);
    lengths[0] = let_go(&out);
    return status;
}

void command_run(const char *const *arguments, struct outcome *outcome)
{
    size_t lengths[2];
    outcome->status = call_caught(arguments, lengths);
    take(&out, lengths[0], &outcome->out);
    take(&error, lengths[1], &outcome->error);
}

uint64_t command_run_unseen(const char *const *arguments)
{
    size_t lengths[2];
    call_caught(arguments, lengths);
    return lengths[0] + lengths[1];
}

void outcome_free(struct outcome *outcome)
{
    free(outcome->out.text);
    free(outcome->error.text);
}
