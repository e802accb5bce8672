/* Runs each command of the program many times; each time another allocation, write or read fails. The command must
 * give its usual output, or exit with 2 and a message: no other verdict, no crash, no hang, no file left behind.
 *
 *   starve                     a sample of the points, the same on every run; CHECK=all takes more
 *   starve --full              every point
 *   starve --command NAME      only this one
 *   starve --way WAY --at N    one point: also prints the output and where the failing call is; needs --command
 *
 * Environment: srcdir (the source folder, default .), builddir (default .). */
#define _GNU_SOURCE /* MAP_ANONYMOUS, nftw, F_SETPIPE_SZ */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../share.h"
#include "armtap.h"
#include "commands.h"
#include "hooks.h"
#include "made.h"
#include "inside.h"

/* LeakSanitizer asks these. fontconfig loses what it has begun when memory runs out. */
#define FOR_SANITIZER __attribute__((visibility("default")))
FOR_SANITIZER const char *__lsan_default_suppressions(void);
FOR_SANITIZER const char *__lsan_default_options(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\n";
}

const char *__lsan_default_options(void)
{
    return "print_suppressions=0";
}

int armtap_main(int argc, char **argv);

#define SECONDS_MAX 20
#define PIPE_MAX (1 << 20)
/* Points tried for each command and way without --full. */
#define SAMPLED 1
#define SAMPLED_OF_ALL 8 /* with CHECK=all */

/* A way to fail. */
static const struct way {
    const char *name;
    struct starve_plan plan;
    bool harmless; /* the output must be the usual one */
    bool quiet;    /* no message is needed */
} ways[] = {
    {"memory", {.kind = STARVE_MEMORY, .error = ENOMEM}, false, false},
    {"memory-on", {.kind = STARVE_MEMORY, .error = ENOMEM, .later = true}, false, false},
    {"write", {.kind = STARVE_WRITE, .error = EIO}, false, false},
    {"write-on", {.kind = STARVE_WRITE, .error = ENOSPC, .later = true}, false, false},
    {"write-closed", {.kind = STARVE_WRITE, .error = EPIPE, .later = true}, false, true},
    {"write-part", {.kind = STARVE_WRITE}, true, false},
    {"read", {.kind = STARVE_READ, .error = EIO}, false, false},
    {"read-on", {.kind = STARVE_READ, .error = EIO, .later = true}, false, false},
    {"read-again", {.kind = STARVE_READ, .error = EINTR}, false, false},
    {"read-part", {.kind = STARVE_READ, .later = true}, true, false},
};
#define WAY_COUNT (sizeof ways / sizeof *ways)

struct result {
    int status; /* as waitpid gives it */
    struct made made;
    unsigned long counts[STARVE_KINDS];
};

struct tally {
    unsigned long points, runs, failures;
};

struct test {
    bool full;
    unsigned long sampled; /* points of each command and way, without `full` */
    const char *only;      /* command */
    const struct way *way; /* NULL: all */
    unsigned long at;      /* 0: all */
    unsigned long *counts; /* shared with the children */
    struct tally tally[WAY_COUNT];
};

/* ---- a run ----------------------------------------------------------------------------------------------------- */

static void redirect(const char *name, int flags, int to)
{
    int file = open(name, flags, 0666);
    if (file < 0 || dup2(file, to) < 0)
        _exit(99);
    close(file);
}

/* Puts the whole file into a pipe. */
static void pipe_from(const char *name, int to)
{
    static char bytes[PIPE_MAX];
    int ends[2], file = open(name, O_RDONLY);
    ssize_t length = file < 0 ? -1 : read(file, bytes, sizeof bytes);
    if (length < 0 || length == (ssize_t)sizeof bytes || pipe(ends) != 0 ||
        fcntl(ends[1], F_SETPIPE_SZ, PIPE_MAX) < 0 || write(ends[1], bytes, (size_t)length) != length ||
        dup2(ends[0], to) < 0)
        _exit(97);
    close(file);
    close(ends[0]);
    close(ends[1]);
}

static void run_child(const struct command *command, const struct starve_plan *plan, unsigned long *counts)
{
    if (command->piped)
        pipe_from(command->input, STDIN_FILENO);
    else
        redirect(command->input ? command->input : "/dev/null", O_RDONLY, STDIN_FILENO);
    redirect("out", O_WRONLY | O_TRUNC | O_CREAT, STDOUT_FILENO);
    redirect("err", O_WRONLY | O_TRUNC | O_CREAT, STDERR_FILENO);
    if (starve_begin(plan) != 0)
        _exit(98);
    struct command mine = *command;
    int status = armtap_main(mine.count, mine.words);
    starve_end(counts);
    exit(status); /* not _exit: the sanitizers report leaks here */
}

static void on_alarm(int number)
{
    (void)number;
}

/* Waits for the child; one that hangs is killed from here, since the program handles SIGALRM itself. */
static bool wait_for(pid_t child, int *status)
{
    const struct sigaction interrupts = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &interrupts, NULL);
    alarm(SECONDS_MAX);
    pid_t ended = waitpid(child, status, 0);
    alarm(0);
    if (ended == child || errno != EINTR)
        return ended == child;
    kill(child, SIGKILL);
    return waitpid(child, status, 0) == child;
}

static int run(const struct test *test, const struct command *command, const struct starve_plan *plan,
               struct result *result)
{
    memset(test->counts, 0, STARVE_KINDS * sizeof *test->counts);
    if (made_prepare(command->replaced) != 0)
        return -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        run_child(command, plan, test->counts);
    if (child < 0 || !wait_for(child, &result->status))
        return -1;
    memcpy(result->counts, test->counts, sizeof result->counts);
    return made_read(&result->made);
}

/* ---- judging --------------------------------------------------------------------------------------------------- */

static bool exited(const struct result *result, int status)
{
    return WIFEXITED(result->status) && WEXITSTATUS(result->status) == status;
}

/* Returns what is wrong with a run; NULL: nothing. */
static const char *judge(const struct way *way, const struct result *usual, const struct result *result, bool is_live)
{
    if (WIFSIGNALED(result->status))
        return WTERMSIG(result->status) == SIGKILL ? "it hangs" : "it ends by a signal";
    bool same = result->status == usual->status && made_same(&usual->made, &result->made);
    if (same)
        return NULL;
    if (way->harmless)
        return "the output differs";
    if (!exited(result, 2) && !(way->quiet && result->status == usual->status))
        return "the output differs, but the status is not 2";
    if (!way->quiet && result->made.err.length == 0)
        return "status 2 without a message";
    if (way->plan.kind == STARVE_MEMORY && !made_output_begins(&usual->made, &result->made))
        return "status 2, but the output is not the beginning of the usual one";
    if (way->plan.kind != STARVE_READ && !made_is_clean(&usual->made, &result->made, is_live))
        return "a file is left behind";
    return NULL;
}

static void show(const char *title, const struct bytes *bytes)
{
    printf("---- %s\n%.*s\n", title, (int)(bytes->length < 4000 ? bytes->length : 4000), bytes->at);
}

/* ---- points ---------------------------------------------------------------------------------------------------- */

static void complain(struct test *test, const struct command *command, const struct way *way, unsigned long at,
                     const char *wrong, const struct result *result)
{
    test->tally[way - ways].failures++;
    printf("FAIL %s: %s %lu: %s (status %d)\n", command->name, way->name, at, wrong,
           WIFEXITED(result->status) ? WEXITSTATUS(result->status) : -WTERMSIG(result->status));
}

static int try_point(struct test *test, const struct command *command, const struct way *way, unsigned long at,
                     const struct result *usual)
{
    struct result result = {0};
    struct starve_plan plan = way->plan;
    plan.at = at;
    plan.trace = test->at > 0;
    if (run(test, command, &plan, &result) != 0)
        return -1;
    const char *wrong = judge(way, usual, &result, command->piped);
    test->tally[way - ways].runs++;
    if (wrong)
        complain(test, command, way, at, wrong, &result);
    if (test->at > 0) {
        printf("status %d, usually %d\n", result.status, usual->status);
        show("standard output", &result.made.out);
        show("standard error", &result.made.err);
    }
    made_free(&result.made);
    return 0;
}

/* Returns the distance between two points that are tried. The first point differs by command and way. */
static unsigned long stride_of(const struct test *test, unsigned long points)
{
    return test->full || points <= test->sampled ? 1 : (points + test->sampled - 1) / test->sampled;
}

static int try_way(struct test *test, const struct command *command, const struct way *way, const struct result *usual)
{
    unsigned long points = usual->counts[way->plan.kind], stride = stride_of(test, points);
    unsigned long first = 1 + (command->number * WAY_COUNT + (unsigned long)(way - ways)) % stride;
    test->tally[way - ways].points += points;
    if (test->at > 0)
        return try_point(test, command, way, test->at, usual);
    for (unsigned long at = first; at <= points; at += stride)
        if (try_point(test, command, way, at, usual) != 0)
            return -1;
    return 0;
}

static int try_command(struct test *test, const struct command *command)
{
    struct result usual = {0};
    const struct starve_plan nothing = {.at = 0};
    if (run(test, command, &nothing, &usual) != 0)
        return -1;
    if (WIFSIGNALED(usual.status) || WEXITSTATUS(usual.status) != command->status) {
        printf("FAIL %s: although nothing fails, it exits with %d instead of %d\n", command->name,
               WEXITSTATUS(usual.status), command->status);
        show("standard error", &usual.made.err);
        test->tally[0].failures++;
    }
    bool is_sample = !test->full && !test->only && !checks_all(); /* every second way */
    for (size_t i = is_sample ? command->number % 2 : 0; i < WAY_COUNT && !command->is_first; i += is_sample ? 2 : 1)
        if ((!test->way || test->way == &ways[i]) && try_way(test, command, &ways[i], &usual) != 0)
            return -1;
    made_free(&usual.made);
    return 0;
}

static void report(const struct test *test, size_t commands)
{
    struct tally all = {0};
    printf("| what fails | points | tried | wrong |\n|---|---|---|---|\n");
    for (size_t i = 0; i < WAY_COUNT; i++) {
        const struct tally *tally = &test->tally[i];
        printf("| %s | %lu | %lu | %lu |\n", ways[i].name, tally->points, tally->runs, tally->failures);
        all.points += tally->points;
        all.runs += tally->runs;
        all.failures += tally->failures;
    }
    printf("%zu commands, %lu points, %lu tried, %lu wrong\n", commands, all.points, all.runs, all.failures);
}

/* ---- the whole ------------------------------------------------------------------------------------------------- */

static const struct way *find_way(const char *name)
{
    for (size_t i = 0; i < WAY_COUNT; i++)
        if (strcmp(ways[i].name, name) == 0)
            return &ways[i];
    fprintf(stderr, "starve: unknown way %s\n", name);
    exit(2);
}

static void parse_options(int argc, char **argv, struct test *test)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--full") == 0) {
            test->full = true;
            continue;
        }
        if (strcmp(argv[i], "--command") == 0)
            test->only = value;
        else if (strcmp(argv[i], "--way") == 0)
            test->way = find_way(value);
        else if (strcmp(argv[i], "--at") == 0)
            test->at = strtoul(value, NULL, 10);
        else
            exit((fprintf(stderr, "starve: unknown option %s\n", argv[i]), 2));
        i++;
    }
}

/* Whether one of the files that a command reads is called so. */
static bool reads(const struct command *command, const char *part)
{
    bool found = command->input && strstr(command->input, part);
    for (int i = 0; i < command->count && !found; i++)
        found = strstr(command->words[i], part);
    return found;
}

/* Whether the command was asked for and can run in this build. */
static bool wants(const struct test *test, const struct command *command)
{
    if ((reads(command, "aubo") || reads(command, "web") || reads(command, "arms")) && !armtap_aubo_libraries()) {
        printf("%s: not tried: built without AUBO\n", command->name);
        return false;
    }
#if !defined(ARMTAP_WITH_HDF5) || !defined(ARMTAP_WITH_MATIO)
    if (strncmp(command->name, "mat", 3) == 0 || strncmp(command->name, "h5", 2) == 0) {
        printf("%s: not tried: built without libhdf5 or libmatio\n", command->name);
        return false;
    }
#endif
#ifndef ARMTAP_WITH_CAIRO
    static const char *const names[] = {"plot-png", "plot-pdf", "plot-sixel", "plot-kitty"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(command->name, names[i]) != 0)
            continue;
        printf("%s: not tried: built without libcairo\n", command->name);
        return false;
    }
#endif
    return !test->only || strcmp(test->only, command->name) == 0;
}

static int try_commands(struct test *test, const struct commands *commands)
{
    size_t count = 0;
    for (size_t i = 0; i < commands->count; i++) {
        if (!commands->all[i].is_first && !wants(test, &commands->all[i]))
            continue;
        count++;
        if (try_command(test, &commands->all[i]) != 0)
            return -1;
    }
    report(test, count);
    return count > 0 ? 0 : -1;
}

static bool has_failures(const struct test *test)
{
    unsigned long failures = 0;
    for (size_t i = 0; i < WAY_COUNT; i++)
        failures += test->tally[i].failures;
    return failures > 0;
}

/* Works in a folder of its own. */
static int enter(const char *folder)
{
    if (mkdir(folder, 0777) == 0 && chdir(folder) == 0 && mkdir("made", 0777) == 0)
        return 0;
    perror(folder);
    return -1;
}

static int remove_one(const char *name, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(name);
}

static void leave(const char *folder, const char *here)
{
    if (chdir(here) == 0)
        nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int main(int argc, char **argv)
{
    struct test test = {.sampled = share_of(SAMPLED_OF_ALL, SAMPLED, "points of each command and way")};
    struct commands commands;
    const char *source = getenv("srcdir");
    char list[1024], samples[1024], folder[64], here[512];
    parse_options(argc, argv, &test);
    if (!getcwd(here, sizeof here))
        return 2;
    bool is_absolute = source && *source == '/';
    snprintf(list, sizeof list, "%s/%s/tests/starve/COMMANDS", is_absolute ? "" : here, source ? source : ".");
    snprintf(samples, sizeof samples, "%s/%s/captures", is_absolute ? "" : here, source ? source : ".");
    snprintf(folder, sizeof folder, "starve.%ld", (long)getpid());
    test.counts =
        mmap(NULL, sizeof(unsigned long) * STARVE_KINDS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (test.counts == MAP_FAILED || enter(folder) != 0 || commands_read(list, samples, &commands) != 0)
        return 2;
    int outcome = try_commands(&test, &commands);
    leave(folder, here);
    commands_free(&commands);
    return outcome != 0 || has_failures(&test) ? 1 : 0;
}
