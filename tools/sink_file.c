#define _XOPEN_SOURCE 700
#include "sink_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"

enum { attempts_max = 100 };

struct sink_file {
    char *name;   /* as the user gave it */
    char *place;  /* where it goes: symbolic links followed; NULL for what is written to directly */
    char *beside; /* where it is written; NULL as above */
    int file;     /* of what is written to directly, -1 otherwise */
};

/* What helps against an error of the system. */
static const char *remedy(int error)
{
    static const struct {
        int error;
        const char *remedy;
    } remedies[] = {
        {ENOSPC, "free some space, or name another place with -o"},
        {EDQUOT, "free some space, or name another place with -o"},
        {EFBIG, "use a file system that holds larger files, or --split or --every"},
        {ENOENT, "make the directory first, or name another one with -o"},
        {ENOTDIR, "name a place inside of a directory with -o"},
        {EISDIR, "name a file with -o, not a directory"},
        {EACCES, "name a place that you may write to with -o"},
        {EPERM, "name a place that you may write to with -o"},
        {EROFS, "name a place that can be written to with -o"},
        {ENAMETOOLONG, "name a shorter place with -o"},
    };
    for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
        if (remedies[i].error == error)
            return remedies[i].remedy;
    return "name another place with -o";
}

static enum sink_outcome failed(const struct sink_file *sink, const char *what, int error)
{
    const char *name = strcmp(sink->name, "-") == 0 ? "standard output" : sink->name;
    message_error("%s: %s: %s; %s", name, what, strerror(error), remedy(error));
    return SINK_FAILED;
}

static void sink_free(struct sink_file *sink)
{
    if (sink->file > STDERR_FILENO)
        close(sink->file);
    free(sink->name);
    free(sink->place);
    free(sink->beside);
    free(sink);
}

static struct sink_file *refuse(struct sink_file *sink, int error)
{
    failed(sink, "cannot be written", error);
    sink_free(sink);
    return NULL;
}

/* Makes the file beside its place, with the rights that the file it replaces has. */
static int make_beside(struct sink_file *sink, const struct stat *replaced)
{
    size_t room = strlen(sink->place) + 48;
    sink->beside = malloc(room);
    if (sink->beside == NULL)
        return ENOMEM;
    int file = -1;
    for (unsigned i = 0; file < 0 && i < attempts_max; i++) {
        snprintf(sink->beside, room, "%s.armtap-%ld-%u", sink->place, (long)getpid(), i);
        file = open(sink->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST)
            break;
    }
    int error = errno;
    if (file < 0) {
        free(sink->beside);
        sink->beside = NULL;
        return error;
    }
    if (replaced != NULL)
        (void)!fchmod(file, replaced->st_mode & 0777);
    close(file);
    return 0;
}

static struct sink_file *open_ordinary(struct sink_file *sink, bool exists, const struct stat *status)
{
    if (exists && access(sink->name, W_OK) != 0)
        return refuse(sink, errno);
    sink->place = exists ? realpath(sink->name, NULL) : strdup(sink->name);
    if (sink->place == NULL)
        return refuse(sink, errno);
    int error = make_beside(sink, exists ? status : NULL);
    return error != 0 ? refuse(sink, error) : sink;
}

bool sink_file_is_terminal(const char *name)
{
    struct stat status;
    if (strcmp(name, "-") == 0)
        return isatty(STDOUT_FILENO);
    if (stat(name, &status) != 0 || !S_ISCHR(status.st_mode))
        return false;
    int file = open(name, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    bool is_terminal = file >= 0 && isatty(file);
    if (file >= 0)
        close(file);
    return is_terminal;
}

struct sink_file *sink_file_open(const char *name)
{
    struct sink_file *sink = calloc(1, sizeof *sink);
    if (sink == NULL || (sink->name = strdup(name)) == NULL) {
        free(sink);
        message_no_memory();
        return NULL;
    }
    sink->file = -1;
    if (strcmp(name, "-") == 0) {
        sink->file = STDOUT_FILENO;
        return sink;
    }
    struct stat status;
    bool exists = stat(name, &status) == 0;
    if (!exists && errno != ENOENT)
        return refuse(sink, errno);
    if (exists && S_ISDIR(status.st_mode))
        return refuse(sink, EISDIR);
    /* What /dev/stdout leads to is the shell's to make and keep, even if it is an ordinary file. */
    bool direct = exists && (!S_ISREG(status.st_mode) || strncmp(name, "/dev/", 5) == 0);
    if (!direct)
        return open_ordinary(sink, exists, &status);
    sink->file = open(name, O_WRONLY | O_CLOEXEC | (S_ISREG(status.st_mode) ? O_APPEND : 0));
    return sink->file < 0 ? refuse(sink, errno) : sink;
}

static int write_all(int file, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(file, bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return errno;
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

/* Writes all. A closed pipe and a file size limit come as errors here, not as the signals that end a program. */
static int write_calmly(int file, const char *bytes, size_t length)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction pipe_before;
    struct sigaction size_before;
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, &pipe_before);
    sigaction(SIGXFSZ, &ignore, &size_before);
    int error = write_all(file, bytes, length);
    sigaction(SIGPIPE, &pipe_before, NULL);
    sigaction(SIGXFSZ, &size_before, NULL);
    return error;
}

enum sink_outcome sink_file_write(struct sink_file *sink, const char *bytes, size_t length)
{
    if (length == 0)
        return SINK_OK;
    int error;
    if (sink->beside == NULL) {
        error = write_calmly(sink->file, bytes, length);
        return error == 0 ? SINK_OK : error == EPIPE ? SINK_CLOSED : failed(sink, "cannot be written", error);
    }
    int file = open(sink->beside, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return failed(sink, "cannot be written", errno);
    error = write_calmly(file, bytes, length);
    if (close(file) != 0 && error == 0)
        error = errno;
    return error == 0 ? SINK_OK : failed(sink, "cannot be written", error);
}

enum sink_outcome sink_file_commit(struct sink_file *sink)
{
    enum sink_outcome outcome = SINK_OK;
    if (sink->beside != NULL && rename(sink->beside, sink->place) != 0) {
        outcome = failed(sink, "cannot be put in its place", errno);
        unlink(sink->beside);
    }
    sink_free(sink);
    return outcome;
}

void sink_file_discard(struct sink_file *sink)
{
    if (sink == NULL)
        return;
    if (sink->beside != NULL)
        unlink(sink->beside);
    sink_free(sink);
}

bool sink_file_is_pending(const struct sink_file *sink)
{
    return sink->beside != NULL;
}

const char *sink_file_name(const struct sink_file *sink)
{
    return sink->name;
}
