#define _XOPEN_SOURCE 700
#include "write_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
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

enum { TAIL_BYTES = 65536 };

/* Waits until nobody else appends; whether the file has an end, and it is ours until the file is closed. */
static bool lock(int file, off_t *end)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat status;
    int outcome;
    do {
        outcome = fcntl(file, F_SETLKW, &whole);
    } while (outcome != 0 && errno == EINTR);
    if (outcome != 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    *end = status.st_size;
    return true;
}

/* Makes the file end in a newline. */
static int end_last_line(int file, off_t *end, const char *ours)
{
    char tail[TAIL_BYTES];
    off_t from = *end > TAIL_BYTES ? *end - TAIL_BYTES : 0;
    ssize_t got = pread(file, tail, (size_t)(*end - from), from);
    if (got <= 0 || tail[got - 1] == '\n')
        return 0;
    ssize_t start = got;
    while (start > 0 && tail[start - 1] != '\n')
        start--;
    size_t left = (size_t)(got - start), known = strlen(ours);
    bool is_ours = (start > 0 || from == 0) && memcmp(tail + start, ours, left < known ? left : known) == 0;
    if (!is_ours)
        return write_bytes(file, "\n", 1);
    *end = from + start;
    return ftruncate(file, *end) == 0 ? 0 : errno;
}

int append_line_open(const char *name)
{
    const int how = O_APPEND | O_CREAT | O_CLOEXEC;
    int file = open(name, O_RDWR | how, 0666);
    return file < 0 ? open(name, O_WRONLY | how, 0666) : file;
}

int append_line(int file, const char *line, size_t length, const char *ours)
{
    off_t end = 0;
    bool is_locked = lock(file, &end);
    int error = is_locked ? end_last_line(file, &end, ours) : 0;
    if (!error)
        error = write_bytes(file, line, length);
    if (error && is_locked)
        (void)!ftruncate(file, end);
    return error;
}
