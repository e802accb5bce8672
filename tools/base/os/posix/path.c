#define _GNU_SOURCE /* O_PATH */
#include "base/os/path.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/interrupt.h"

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

enum { PATH_BYTES = 4096 };

/* ---- parts of a name --------------------------------------------------------------------------------------------- */

bool path_is_separator(char character)
{
    return character == '/';
}

const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
}

const char *path_behind_root(const char *path)
{
    return *path == '/' ? path + 1 : path;
}

/* ---- where a name leads ------------------------------------------------------------------------------------------ */

static enum place_kind fail(int error)
{
    errno = error;
    return PLACE_FAILED;
}

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

static enum place_kind kind_of(const struct file_status *status)
{
    return status->kind == FILE_IS_ORDINARY ? PLACE_FILE : PLACE_SOMETHING;
}

/* Closes the file. */
static enum place_kind place_of(int file, char **path, struct file_status *status)
{
    int error = file_status_of_open(file, status) == 0 ? 0 : errno;
    *path = error == 0 ? path_of(file) : NULL;
    error = error == 0 && !*path ? errno : error;
    close(file);
    return *path ? kind_of(status) : fail(error);
}

static bool is_there(const char *path, const struct file_status *status)
{
    struct file_status found;
    return file_status_of_link(path, &found) == 0 && file_is_same(&found, status);
}

/* A link to a file that does not exist yet. The kernel makes it, so that its rules hold; it is removed again, since an
 * output has its name only once it is whole. */
static enum place_kind follow_to_nothing(const char *name, char **path, struct file_status *status)
{
    interrupt_hold_back();
    int file = open(name, O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    enum place_kind kind = file < 0 ? PLACE_FAILED : place_of(file, path, status);
    int error = errno;
    if (kind == PLACE_FILE && status->size == 0 && is_there(*path, status) && unlink(*path) == 0)
        kind = PLACE_FREE;
    interrupt_let();
    errno = error;
    return kind;
}

static enum place_kind follow_link(const char *name, char **path, struct file_status *status)
{
    int file = open(name, O_PATH | O_CLOEXEC);
    if (file >= 0)
        return place_of(file, path, status);
    return errno == ENOENT ? follow_to_nothing(name, path, status) : PLACE_FAILED;
}

enum place_kind path_find(const char *name, char **path, struct file_status *status)
{
    bool exists = file_status_of_link(name, status) == 0;
    if (!exists && errno != ENOENT)
        return PLACE_FAILED;
    if (exists && status->kind == FILE_IS_LINK)
        return follow_link(name, path, status);
    *path = strdup(name);
    if (!*path)
        return fail(ENOMEM);
    return exists ? kind_of(status) : PLACE_FREE;
}

int path_descriptor(const char *name)
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

/* In a sticky folder only its owner may rename a file. */
int path_check_replaced(const char *place, const struct file_status *replaced)
{
    struct stat folder;
    if (access(place, W_OK) != 0)
        return errno;
    char *above = path_folder(place);
    bool is_stuck = above && stat(above, &folder) == 0 && (folder.st_mode & S_ISVTX) && geteuid() != 0 &&
                    geteuid() != replaced->owner && geteuid() != folder.st_uid;
    int error = !above ? ENOMEM : is_stuck ? EPERM : 0;
    free(above);
    return error;
}

int path_check_folder(const char *folder)
{
    return access(folder, W_OK | X_OK);
}

/* ---- whose a file is --------------------------------------------------------------------------------------------- */

bool path_is_own(const struct file_status *status)
{
    return status->owner == geteuid();
}

void path_owner(const struct file_status *status, char name[PATH_OWNER_MAX])
{
    const struct passwd *owner = getpwuid(status->owner);
    if (owner)
        snprintf(name, PATH_OWNER_MAX, "%s", owner->pw_name);
    else
        snprintf(name, PATH_OWNER_MAX, "user %lu", (unsigned long)status->owner);
}

int path_make(const char *path, const struct file_status *replaced)
{
    mode_t mode = replaced ? replaced->rights & S_IRWXU : 0666;
    return open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
}

/* Of another group its rights would be those of other people. */
void path_take_rights(int file, const struct file_status *made, const struct file_status *replaced)
{
    mode_t mode = replaced->rights & 0777;
    if (made->group != replaced->group && fchown(file, (uid_t)-1, replaced->group) != 0)
        mode &= (mode_t)~S_IRWXG;
    (void)!fchmod(file, mode);
}

/* ---- changing names ---------------------------------------------------------------------------------------------- */

int path_replace(const char *from, const char *to)
{
    return rename(from, to);
}

static int refuse_taken(void)
{
    errno = EEXIST;
    return -1;
}

/* Not all file systems have links. */
int path_rename(const char *from, const char *to)
{
    struct stat status;
    if (link(from, to) == 0)
        return unlink(from);
    if (errno == EEXIST || lstat(to, &status) == 0)
        return refuse_taken();
    return rename(from, to);
}

int path_remove(const char *path)
{
    return unlink(path);
}

int path_sync_folder(const char *folder)
{
    int opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = opened >= 0 && fsync(opened) != 0 && errno != EINVAL ? errno : 0;
    if (opened >= 0)
        close(opened);
    errno = error;
    return error == 0 ? 0 : -1;
}
