#define _GNU_SOURCE /* pipe2 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/console.h"
#include "base/os/privileges.h"
#include "base/process/message.h"
#include "base/terminal/word_wrap.h"

#define WORDS_MAX 32
#define WORDS_BYTES 1024
#define PIECE 65536
#define HELD_MAX 65536

/* Quits by itself if one screen is enough, shows colours, and leaves the last screen. */
static const char default_pager[] = "less -FRX";

/* Between this process and the pager stands another one, the pump, which takes all output, whether or not the user
 * still reads it: so that a pager that is quit early changes nothing, not even the exit status. */
struct ends {
    int read, write;
};
struct pipes {
    struct ends out, err; /* from this process to the pump; err: none if messages go elsewhere */
    struct ends started;  /* from the pump: errno if the pager cannot be run, nothing if it runs */
};

/* Global, like standard output. */
static struct {
    pid_t pump; /* 0: no pager */
    int columns;
    int messages; /* where standard error was; -1: where it is */
    int nowhere;  /* /dev/null */
} pager = {.messages = -1};

/* ---- the command ------------------------------------------------------------------------------------------------- */

/* The end of a word of $PAGER, which is copied to *to, without its quotes: as a shell reads it, but without variables,
 * pipes and the like. */
static const char *copy_word(const char *from, char **to)
{
    char quote = '\0';
    for (; *from != '\0' && (quote != '\0' || (*from != ' ' && *from != '\t')); from++) {
        if (*from == '\\' && quote != '\'' && from[1] != '\0')
            *(*to)++ = *++from;
        else if (quote == '\0' && (*from == '\'' || *from == '"'))
            quote = *from;
        else if (*from == quote)
            quote = '\0';
        else
            *(*to)++ = *from;
    }
    *(*to)++ = '\0';
    return from;
}

/* Returns 0, or -1 if it is too long. */
static int split(const char *command, char bytes[WORDS_BYTES], char *words[WORDS_MAX])
{
    size_t count = 0;
    if (strlen(command) + WORDS_MAX >= WORDS_BYTES)
        return -1;
    for (command += strspn(command, " \t"); *command != '\0'; command += strspn(command, " \t")) {
        if (count + 1 == WORDS_MAX)
            return -1;
        words[count++] = bytes;
        command = copy_word(command, &bytes);
    }
    words[count] = NULL;
    return 0;
}

static const char *wanted(void)
{
    const char *named = getenv("PAGER");
    return named && named[strspn(named, " \t")] != '\0' ? named : default_pager;
}

/* ---- the pump ---------------------------------------------------------------------------------------------------- */

static void write_all(int to, const char *bytes, size_t length)
{
    for (ssize_t written; length > 0; bytes += written, length -= (size_t)written) {
        written = write(to, bytes, length);
        if (written < 0 && errno == EINTR)
            written = 0;
        else if (written < 0)
            return; /* the pager was quit: the rest is not wanted */
    }
}

/* Reads once. Returns 0 at the end. */
static ssize_t read_bytes(int from, char *bytes, size_t room)
{
    ssize_t length;
    do
        length = read(from, bytes, room);
    while (length < 0 && errno == EINTR);
    return length < 0 ? 0 : length;
}

/* Output to the pager; messages are kept until it has ended, as far as there is room. */
static void pump(const struct pipes *pipes, int to, pid_t child)
{
    static char piece[PIECE], held[HELD_MAX];
    size_t held_length = 0;
    struct pollfd from[2] = {{.fd = pipes->out.read, .events = POLLIN}, {.fd = pipes->err.read, .events = POLLIN}};
    while (from[0].fd >= 0 || from[1].fd >= 0) {
        if (poll(from, 2, -1) < 0)
            continue;
        if (from[0].fd >= 0 && from[0].revents != 0) {
            ssize_t length = read_bytes(from[0].fd, piece, sizeof piece);
            write_all(to, piece, (size_t)length);
            if (length == 0) {
                close(to);
                from[0].fd = -1;
            }
        }
        if (from[1].fd >= 0 && from[1].revents != 0) {
            bool is_full = held_length == sizeof held;
            ssize_t length = read_bytes(from[1].fd, is_full ? piece : held + held_length,
                                        is_full ? sizeof piece : sizeof held - held_length);
            held_length += is_full ? 0 : (size_t)length;
            if (length == 0)
                from[1].fd = -1;
        }
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    write_all(STDERR_FILENO, held, held_length);
}

static void report_failure(int started, int why)
{
    write_all(started, (const char *)&why, sizeof why);
    _exit(127);
}

static void run_pager(char *const words[], int from, int started)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    setenv("LESS", "FRX", 0);
    setenv("LV", "-c", 0);
    if (dup2(from, STDIN_FILENO) >= 0)
        execvp(words[0], words);
    report_failure(started, errno);
}

/* In the new process; does not return. */
static void run_pump(const struct pipes *pipes, char *const words[], bool is_live)
{
    struct ends to = {-1, -1};
    close(pipes->out.write);
    if (pipes->err.write >= 0)
        close(pipes->err.write);
    close(pipes->started.read);
    /* Ctrl-C is for the pager; it must not lose output. */
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    if ((is_live ? privileges_drop() : privileges_drop_lent()) != 0)
        report_failure(pipes->started.write, EPERM);
    pid_t child = pipe2((int *)&to, O_CLOEXEC) == 0 ? fork() : -1;
    if (child == 0)
        run_pager(words, to.read, pipes->started.write);
    if (child < 0)
        report_failure(pipes->started.write, errno);
    close(pipes->started.write);
    close(to.read);
    close(STDIN_FILENO);
    pump(pipes, to.write, child);
    _exit(0);
}

/* ---- this process ------------------------------------------------------------------------------------------------ */

static void wait_for_pump(void)
{
    while (waitpid(pager.pump, NULL, 0) < 0 && errno == EINTR)
        continue;
}

/* Ends all output, and with it the pump's work. */
static void give_back_messages(void)
{
    if (pager.messages >= 0)
        dup2(pager.messages, STDERR_FILENO);
}

/* Ends this process when its user has left the pager, which has the terminal until then. */
static void on_interrupt(int number)
{
    dup2(pager.nowhere, STDOUT_FILENO);
    give_back_messages();
    signal(number, SIG_IGN);
    wait_for_pump();
    signal(number, SIG_DFL);
    raise(number);
}

static void close_pipe(struct ends *ends)
{
    if (ends->read >= 0)
        close(ends->read);
    if (ends->write >= 0)
        close(ends->write);
    *ends = (struct ends){-1, -1};
}

static int open_pipes(struct pipes *pipes)
{
    bool holds_messages = isatty(STDERR_FILENO);
    *pipes = (struct pipes){{-1, -1}, {-1, -1}, {-1, -1}};
    if (pipe2((int *)&pipes->out, O_CLOEXEC) == 0 && pipe2((int *)&pipes->started, O_CLOEXEC) == 0 &&
        (!holds_messages || pipe2((int *)&pipes->err, O_CLOEXEC) == 0))
        return 0;
    int why = errno;
    close_pipe(&pipes->out);
    close_pipe(&pipes->started);
    errno = why;
    return -1;
}

/* Whether the pager runs; otherwise errno says why not. */
static bool has_started(int started)
{
    int why = 0;
    ssize_t length = read_bytes(started, (char *)&why, sizeof why);
    errno = why;
    return length == 0;
}

/* Output goes to the pump from here on. */
static void turn_output(struct pipes *pipes)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    pager.columns = console_columns(STDOUT_FILENO);
    (void)text_colour_choose(*text_plain(stdout) ? "always" : "never");
    dup2(pipes->out.write, STDOUT_FILENO);
    if (pipes->err.write >= 0) {
        pager.messages = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
        dup2(pipes->err.write, STDERR_FILENO);
    }
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

static void report_missing(const char *name)
{
    message_warning("the pager %s cannot be run: %s; printing without a pager. PAGER=COMMAND names another one", name,
                    strerror(errno));
}

/* `is_asked`: by the user; otherwise a machine without less is none to report. */
static void start(bool is_live, bool is_asked)
{
    char bytes[WORDS_BYTES], *words[WORDS_MAX];
    struct pipes pipes;
    if (pager.pump != 0 || !isatty(STDOUT_FILENO))
        return;
    errno = E2BIG;
    if (split(wanted(), bytes, words) != 0 || open_pipes(&pipes) != 0) {
        report_missing(wanted());
        return;
    }
    pid_t child = fork();
    if (child == 0)
        run_pump(&pipes, words, is_live);
    close(pipes.started.write);
    pipes.started.write = -1;
    pager.nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    pager.pump = child;
    if (child > 0 && pager.nowhere >= 0 && has_started(pipes.started.read)) {
        turn_output(&pipes);
    } else {
        if (is_asked || wanted() != default_pager)
            report_missing(words[0]);
        pager.pump = 0;
    }
    close_pipe(&pipes.out);
    close_pipe(&pipes.err);
    close_pipe(&pipes.started);
    if (pager.pump == 0 && child > 0)
        waitpid(child, NULL, 0);
}

void pager_start(bool is_live)
{
    start(is_live, true);
}

void pager_offer(void)
{
    start(false, false);
}

bool pager_has(int descriptor)
{
    return pager.pump != 0 && descriptor == STDOUT_FILENO;
}

bool pager_is_shown(int descriptor)
{
    return isatty(descriptor) || pager_has(descriptor);
}

int pager_columns(int descriptor)
{
    return pager_has(descriptor) ? pager.columns : isatty(descriptor) ? console_columns(descriptor) : 0;
}

void pager_finish(void)
{
    if (pager.pump == 0)
        return;
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    give_back_messages();
    wait_for_pump();
    pager.pump = 0;
}
