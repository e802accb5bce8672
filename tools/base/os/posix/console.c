#define _DEFAULT_SOURCE
#include "base/os/console.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

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

char **console_names(const char *word)
{
    (void)word; /* the shell has replaced it */
    return NULL;
}

void console_names_free(char **names)
{
    (void)names;
}
