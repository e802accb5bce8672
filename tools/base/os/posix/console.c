#define _GNU_SOURCE /* pipe2 */
#include "base/os/console.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "nanoseconds.h"

/* Nothing can be read from or written to what takes the place of a closed descriptor. */
static void fill_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void console_begin(void)
{
    /* Beyond a limit of file sizes a write fails; temporary files and those of libraries are written in many places. */
    signal(SIGXFSZ, SIG_IGN);
    /* Whoever closes a pipe has enough: the status is what it would have been. */
    signal(SIGPIPE, SIG_IGN);
    fill_descriptors();
}

void console_stay(void)
{
}

bool console_has_lost_reader(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO};
    return poll(&output, 1, 0) == 1 && (output.revents & POLLERR);
}

bool console_size(int descriptor, int *rows, int *columns)
{
#ifdef TIOCGWINSZ
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) == 0) {
        *rows = size.ws_row;
        *columns = size.ws_col;
        return true;
    }
#else
    (void)descriptor;
#endif
    return false;
}

/* ---- a terminal that is drawn on ----------------------------------------------------------------------------------
 */

/* How the terminal was, for a handler, which takes no user pointer. */
static struct termios before;
/* Ctrl-Z was pressed: a handler again. */
static atomic_bool is_stop_asked;

static void on_stop(int number)
{
    (void)number;
    atomic_store(&is_stop_asked, true);
}

const char *console_type(void)
{
    return NULL;
}

bool console_has_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

FILE *console_keys(void)
{
    return isatty(STDIN_FILENO) ? stdin : fopen("/dev/tty", "re");
}

int console_take(void)
{
    const struct sigaction stop = {.sa_handler = on_stop, .sa_flags = SA_RESTART};
    if (tcgetattr(STDOUT_FILENO, &before) != 0)
        return -1;
    return sigaction(SIGTSTP, &stop, NULL); /* which curses then leaves alone */
}

void console_put_back(void)
{
    static const char leave[] = "\033[?1049l\033[?25h\033[0m\r\n";
    tcsetattr(STDOUT_FILENO, TCSANOW, &before);
    if (write(STDOUT_FILENO, leave, sizeof leave - 1) < 0)
        return;
}

bool console_is_gone(void)
{
    struct termios now;
    return tcgetattr(STDOUT_FILENO, &now) != 0 && errno != ENOSYS;
}

void console_drop_output(void)
{
    tcflow(STDOUT_FILENO, TCOON);
    tcflush(STDOUT_FILENO, TCOFLUSH);
}

bool console_is_stop_asked(void)
{
    return atomic_load(&is_stop_asked);
}

void console_stop(bool (*ends)(void *user), void *user)
{
    const struct timespec nap = {.tv_nsec = 100 * MILLISECOND};
    raise(SIGSTOP); /* to this thread, so that nothing is drawn before it stops */
    while (tcgetpgrp(STDOUT_FILENO) != getpgrp() && !ends(user))
        nanosleep(&nap, NULL);
    atomic_store(&is_stop_asked, false);
}

int console_divert_errors(int *from)
{
    int ends[2];
    if (!isatty(STDERR_FILENO) || pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return -1;
    int errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (errors >= 0)
        dup2(ends[1], STDERR_FILENO);
    else
        close(ends[0]);
    close(ends[1]);
    *from = ends[0];
    return errors;
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

char **console_names(const char *word)
{
    (void)word; /* the shell has replaced it */
    return NULL;
}

void console_names_free(char **names)
{
    (void)names;
}

const bool console_user_builds = true;
