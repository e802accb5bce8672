#define _GNU_SOURCE /* O_PATH, flock */
#include "atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/os/interrupt.h"

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

enum { PATH_BYTES = 4096, NAME_MAX_BYTES = 255, NUMBERS_MAX = 100 };
static const char ending[] = ".partial";

static bool is_same(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

bool partial_is_there(const char *path, const struct stat *status)
{
    struct stat found;
    return lstat(path, &found) == 0 && is_same(&found, status);
}

static enum place_kind fail(int error)
{
    errno = error;
    return PLACE_FAILED;
}

/* ---- where a name leads ------------------------------------------------------------------------------------------ */

/* The name of an open file, without links. NULL with errno. */
static char *path_of(int file)
{
    char descriptor[40], path[PATH_BYTES];
    snprintf(descriptor, sizeof descriptor, "/proc/self/fd/%d", file);
    ssize_t length = readlink(descriptor, path, sizeof path);
    if (length == PATH_BYTES)
        errno = ENAMETOOLONG;
    return length < 0 || length == PATH_BYTES ? NULL : strndup(path, (size_t)length);
}

static enum place_kind kind_of(const struct stat *status)
{
    return S_ISREG(status->st_mode) ? PLACE_FILE : PLACE_SOMETHING;
}

/* Closes the file. */
static enum place_kind place_of(int file, char **path, struct stat *status)
{
    int error = fstat(file, status) == 0 ? 0 : errno;
    *path = error == 0 ? path_of(file) : NULL;
    error = error == 0 && !*path ? errno : error;
    close(file);
    return *path ? kind_of(status) : fail(error);
}

/* A link to a file that does not exist yet. The kernel makes it, so that its rules hold; it is removed again, since an
 * output has its name only once it is whole. */
static enum place_kind follow_to_nothing(const char *name, char **path, struct stat *status)
{
    interrupt_hold_back();
    int file = open(name, O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    enum place_kind kind = file < 0 ? PLACE_FAILED : place_of(file, path, status);
    int error = errno;
    if (kind == PLACE_FILE && status->st_size == 0 && partial_is_there(*path, status) && unlink(*path) == 0)
        kind = PLACE_FREE;
    interrupt_let();
    errno = error;
    return kind;
}

static enum place_kind follow_link(const char *name, char **path, struct stat *status)
{
    int file = open(name, O_PATH | O_CLOEXEC);
    if (file >= 0)
        return place_of(file, path, status);
    return errno == ENOENT ? follow_to_nothing(name, path, status) : PLACE_FAILED;
}

enum place_kind place_find(const char *name, char **path, struct stat *status)
{
    bool exists = lstat(name, status) == 0;
    if (!exists && errno != ENOENT)
        return PLACE_FAILED;
    if (exists && S_ISLNK(status->st_mode))
        return follow_link(name, path, status);
    *path = strdup(name);
    if (!*path)
        return fail(ENOMEM);
    return exists ? kind_of(status) : PLACE_FREE;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* OUT.partial, OUT.partial-1 ...; a long name is cut. NULL without memory. */
static char *number_name(const char *place, bool is_hidden, unsigned number)
{
    char tail[sizeof ending + 16];
    const char *slash = strrchr(place, '/'), *base = slash ? slash + 1 : place;
    int more = snprintf(tail, sizeof tail, number > 0 ? "%s-%u" : "%s", ending, number);
    size_t length = strlen(base), longest = NAME_MAX_BYTES - (size_t)more - is_hidden;
    size_t room = (size_t)(base - place) + length + sizeof tail + 1;
    char *path = malloc(room);
    if (path)
        snprintf(path, room, "%.*s%s%.*s%s", (int)(base - place), place, is_hidden ? "." : "",
                 (int)(length < longest ? length : longest), base, tail);
    return path;
}

/* ---- what a killed run has left ---------------------------------------------------------------------------------- */

/* Not all file systems have links. 0, or an error number. */
static int rename_if_free(const char *path, const char *other)
{
    struct stat status;
    if (link(path, other) == 0)
        return unlink(path) == 0 ? 0 : errno;
    if (errno == EEXIST)
        return EEXIST;
    if (lstat(other, &status) == 0)
        return EEXIST;
    return rename(path, other) == 0 ? 0 : errno;
}

/* Gives a file another name, which no file has. 0, or -1. */
static int rename_to_free(const char *path, const char *place, struct partial *partial)
{
    for (unsigned number = 1; number < NUMBERS_MAX; number++) {
        char *other = number_name(place, partial->is_hidden, number);
        int error = other ? rename_if_free(path, other) : ENOMEM;
        if (error == 0)
            partial->kept = other;
        else
            free(other);
        if (error != EEXIST)
            return error == 0 ? 0 : -1;
    }
    return -1;
}

/* Whether a run that was killed may have left the file, and nobody writes or reads it. Locks it. */
static bool is_left_over(int file, const struct partial *partial, struct stat *status)
{
    return fstat(file, status) == 0 && S_ISREG(status->st_mode) && status->st_uid == geteuid() &&
           !inputs_have(partial->inputs, status) && flock(file, LOCK_EX | LOCK_NB) == 0;
}

/* Makes the name of a file that nobody uses free. What has no dot before its name may be anybody's: it is kept. False
 * if somebody may use it. */
static bool put_aside(const char *path, const char *place, struct partial *partial)
{
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat status;
    bool is_left = file >= 0 && is_left_over(file, partial, &status);
    bool is_free = is_left && !partial_is_there(path, &status);
    if (is_left && !is_free) {
        partial->has_left = true;
        partial->left = status;
        bool is_kept = status.st_size > 0 && (partial->is_readable || !partial->is_hidden);
        is_free = is_kept ? rename_to_free(path, place, partial) == 0 : unlink(path) == 0;
    }
    if (file >= 0)
        close(file);
    return is_free;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

/* Of another group its rights would be those of other people. */
static void set_rights(struct partial *partial, const struct stat *replaced)
{
    mode_t mode = replaced->st_mode & 0777;
    if (partial->status.st_gid != replaced->st_gid && fchown(partial->file, (uid_t)-1, replaced->st_gid) != 0)
        mode &= (mode_t)~S_IRWXG;
    (void)!fchmod(partial->file, mode);
}

/* Makes the file of that name. 0, or an error number; EEXIST: there is one, or another run has taken it. */
static int make_file(const char *path, const struct stat *replaced, struct partial *partial)
{
    mode_t mode = replaced ? replaced->st_mode & S_IRWXU : 0666;
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (file < 0)
        return errno;
    bool is_taken = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (is_taken || fstat(file, &partial->status) != 0 || !partial_is_there(path, &partial->status)) {
        close(file);
        return EEXIST;
    }
    partial->file = file;
    if (replaced)
        set_rights(partial, replaced);
    return 0;
}

int partial_make(const char *place, const struct stat *replaced, struct partial *partial)
{
    int error = EEXIST;
    partial->file = -1;
    for (unsigned number = 0; error == EEXIST && number < NUMBERS_MAX; number++) {
        char *path = number_name(place, partial->is_hidden, number);
        error = path ? make_file(path, replaced, partial) : ENOMEM;
        if (error == EEXIST && number == 0 && put_aside(path, place, partial))
            error = make_file(path, replaced, partial);
        partial->has_neighbour = number > 0;
        if (error != 0)
            free(path);
        else
            partial->path = path;
    }
    if (error != 0) {
        free(partial->kept);
        partial->kept = NULL;
    }
    return error;
}

int partial_open(const char *path, const struct stat *status)
{
    struct stat found;
    int file = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0 || (fstat(file, &found) == 0 && is_same(&found, status)))
        return file;
    close(file);
    errno = ESTALE;
    return -1;
}
