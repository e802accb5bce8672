#define _XOPEN_SOURCE 700
#include "atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "base/pager.h"
#include "base/privileges.h"
#include "temporary_file.h"
#include "write_bytes.h"

enum { LINKS_MAX = 40, PATH_BYTES = 4096 };

struct sink_file {
    char *name;   /* from the user */
    char *place;  /* final name, with symbolic links followed; NULL: the sink is written directly */
    char *beside; /* temporary name; NULL: the same */
    int file;     /* descriptor of a sink that is written directly, else -1 */
};

/* Advice for an error number. */
static const char *remedy(int error)
{
    static const struct {
        int error;
        const char *remedy;
    } remedies[] = {
        {EINTR, "its reader has stopped reading"},
        {ENOSPC, "free some space, or name another place with -o"},
        {EDQUOT, "free some space, or name another place with -o"},
        {EFBIG, "use a file system that holds larger files, or --split or --every"},
        {ENOENT, "make the directory first, or name another one with -o"},
        {ENOTDIR, "name a place inside a directory with -o"},
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

static enum sink_outcome report(const char *name, const char *what, int error)
{
    const char *user = error == EACCES || error == EPERM ? privileges_given_up_for() : NULL;
    if (user)
        message_error(
            "%s: %s: %s; root was given up once the interface was open: name a place that %s may write to with -o",
            name, what, strerror(error), user);
    else
        message_error("%s: %s: %s; %s", name, what, strerror(error), remedy(error));
    return SINK_FAILED;
}

static enum sink_outcome failed(const struct sink_file *sink, const char *what, int error)
{
    return report(strcmp(sink->name, "-") == 0 ? "standard output" : sink->name, what, error);
}

int sink_file_report(const char *name, int error)
{
    report(name, "cannot be written", error);
    return -1;
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

/* Creates the temporary file, with the permissions of the file that it will replace. */
static int make_beside(struct sink_file *sink, const struct stat *replaced)
{
    int file = temporary_file_make(sink->place, &sink->beside);
    if (file < 0)
        return errno;
    if (replaced)
        (void)!fchmod(file, replaced->st_mode & 0777);
    close(file);
    return 0;
}

/* ---- where a name leads ---------------------------------------------------------------------------------------- */

/* The descriptor that a name such as /dev/fd/N stands for, or -1. */
static int descriptor_of(const char *name)
{
    static const char *const places[] = {"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"};
    if (strcmp(name, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(name, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *digits = name + strlen(places[i]);
        size_t length = strncmp(name, places[i], strlen(places[i])) == 0 ? strspn(digits, "0123456789") : 0;
        if (length > 0 && length < 6 && digits[length] == '\0')
            return atoi(digits);
    }
    return -1;
}

enum link { LINK_NONE, LINK_FOLLOWED, LINK_FAILED /* errno says why */ };

/* Replaces a symbolic link by its target. */
static enum link follow_link(char place[PATH_BYTES])
{
    char target[PATH_BYTES];
    ssize_t length = readlink(place, target, sizeof target - 1);
    if (length < 0)
        return errno == EINVAL || errno == ENOENT ? LINK_NONE : LINK_FAILED;
    target[length] = '\0';
    char *slash = strrchr(place, '/'), *base = target[0] == '/' || !slash ? place : slash + 1;
    if ((size_t)(base - place) + (size_t)length >= PATH_BYTES) {
        errno = ENAMETOOLONG;
        return LINK_FAILED;
    }
    memcpy(base, target, (size_t)length + 1);
    return LINK_FOLLOWED;
}

/* Follows symbolic links to the file of that name, which need not exist. Sets `descriptor` if one of them leads to
 * /dev/stdout or /dev/fd/N, else -1. 0, or an error number. */
static int find_place(const char *name, char place[PATH_BYTES], int *descriptor)
{
    enum link outcome = LINK_FOLLOWED;
    if (strlen(name) >= PATH_BYTES)
        return ENAMETOOLONG;
    strcpy(place, name);
    for (unsigned i = 0; i < LINKS_MAX && outcome == LINK_FOLLOWED; i++) {
        *descriptor = descriptor_of(place);
        if (*descriptor >= 0)
            return 0;
        outcome = follow_link(place);
    }
    return outcome == LINK_FOLLOWED ? ELOOP : outcome == LINK_FAILED ? errno : 0;
}

/* ---- opening --------------------------------------------------------------------------------------------------- */

static struct sink_file *refuse_input(struct sink_file *sink)
{
    const char *name = strcmp(sink->name, "-") == 0 ? "standard output" : sink->name;
    message_error("%s: this file is also an input; name another one with -o", name);
    sink_free(sink);
    return NULL;
}

static struct sink_file *open_ordinary(struct sink_file *sink, const char *place, const struct stat *replaced)
{
    if (replaced && access(place, W_OK) != 0)
        return refuse(sink, errno);
    sink->place = strdup(place);
    int error = sink->place ? make_beside(sink, replaced) : ENOMEM;
    return error != 0 ? refuse(sink, error) : sink;
}

bool sink_file_is_terminal(const char *name)
{
    struct stat status;
    if (strcmp(name, "-") == 0)
        return pager_is_shown(STDOUT_FILENO);
    if (stat(name, &status) != 0 || !S_ISCHR(status.st_mode))
        return false;
    int file = open(name, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    bool is_terminal = file >= 0 && isatty(file);
    if (file >= 0)
        close(file);
    return is_terminal;
}

/* Writes to an inherited descriptor at its current offset, which the parent process shares. */
static struct sink_file *open_given(struct sink_file *sink, int descriptor, const struct inputs *inputs)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0)
        return refuse(sink, errno);
    if (inputs_have(inputs, &status))
        return refuse_input(sink);
    sink->file = descriptor == STDOUT_FILENO ? STDOUT_FILENO : fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return sink->file < 0 ? refuse(sink, errno) : sink;
}

static struct sink_file *open_named(struct sink_file *sink, const struct inputs *inputs)
{
    struct stat status;
    char place[PATH_BYTES];
    int descriptor = -1, error = find_place(sink->name, place, &descriptor);
    if (error != 0)
        return refuse(sink, error);
    if (descriptor >= 0)
        return open_given(sink, descriptor, inputs);
    bool exists = stat(place, &status) == 0;
    if (!exists && errno != ENOENT)
        return refuse(sink, errno);
    if (exists && S_ISDIR(status.st_mode))
        return refuse(sink, EISDIR);
    if (exists && inputs_have(inputs, &status))
        return refuse_input(sink);
    if (!exists || S_ISREG(status.st_mode))
        return open_ordinary(sink, place, exists ? &status : NULL);
    sink->file = open(place, O_WRONLY | O_CLOEXEC);
    return sink->file < 0 ? refuse(sink, errno) : sink;
}

struct sink_file *sink_file_open(const char *name, const struct inputs *inputs)
{
    struct sink_file *sink = calloc(1, sizeof *sink);
    if (!sink || !(sink->name = strdup(name))) {
        free(sink);
        message_no_memory();
        return NULL;
    }
    sink->file = -1;
    return strcmp(name, "-") == 0 ? open_given(sink, STDOUT_FILENO, inputs) : open_named(sink, inputs);
}

enum sink_outcome sink_file_write(struct sink_file *sink, const char *bytes, size_t length)
{
    if (length == 0)
        return SINK_OK;
    int error;
    if (!sink->beside) {
        error = write_bytes(sink->file, bytes, length);
        return error == 0 ? SINK_OK : error == EPIPE ? SINK_CLOSED : failed(sink, "cannot be written", error);
    }
    int file = open(sink->beside, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return failed(sink, "cannot be written", errno);
    error = write_bytes(file, bytes, length);
    if (close(file) != 0 && error == 0)
        error = errno;
    return error == 0 ? SINK_OK : failed(sink, "cannot be written", error);
}

enum sink_outcome sink_file_sync(struct sink_file *sink)
{
    int file = sink->beside ? open(sink->beside, O_WRONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
    int error = sink->beside && (file < 0 || fsync(file) != 0) ? errno : 0;
    if (file >= 0)
        close(file);
    return error == 0 ? SINK_OK : failed(sink, "cannot be written", error);
}

enum sink_outcome sink_file_commit(struct sink_file *sink)
{
    enum sink_outcome outcome = SINK_OK;
    if (sink->beside && rename(sink->beside, sink->place) != 0) {
        outcome = failed(sink, "cannot be put in its place", errno);
        unlink(sink->beside);
    }
    sink_free(sink);
    return outcome;
}

void sink_file_discard(struct sink_file *sink)
{
    if (!sink)
        return;
    if (sink->beside)
        unlink(sink->beside);
    sink_free(sink);
}

bool sink_file_is_pending(const struct sink_file *sink)
{
    return sink->beside != NULL;
}

const char *sink_file_path(const struct sink_file *sink)
{
    return sink->beside;
}

const char *sink_file_name(const struct sink_file *sink)
{
    return sink->name;
}
