#define _XOPEN_SOURCE 700
#include "write_bytes.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/process/interrupt.h"

static int write_all(int file, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(file, bytes, length);
        if (written < 0 && errno == EINTR && !interrupt_is_overdue())
            continue;
        if (written < 0)
            return errno;
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

int write_bytes(int file, const char *bytes, size_t length)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, &before);
    int error = write_all(file, bytes, length);
    sigaction(SIGPIPE, &before, NULL);
    return error;
}
