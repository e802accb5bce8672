#define _POSIX_C_SOURCE 200809L
#include "atomic_file.h"
#include "base/os/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 255, NUMBERS_MAX = 100 };
static const char ending[] = ".partial";

bool partial_is_there(const char *path, const struct file_status *status)
{
    struct file_status found;
    return file_status_of_link(path, &found) == 0 && file_may_be_same(&found, status);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* OUT.partial, OUT.partial-1 ...; a long name is cut. NULL without memory. */
static char *number_name(const char *place, bool is_hidden, unsigned number)
{
    char tail[sizeof ending + 16];
    const char *base = path_base(place);
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

/* Gives a file another name, which no file has. 0, or -1. */
static int rename_to_free(const char *path, const char *place, struct partial *partial)
{
    for (unsigned number = 1; number < NUMBERS_MAX; number++) {
        char *other = number_name(place, partial->is_hidden, number);
        int error = !other ? ENOMEM : path_rename(path, other) != 0 ? errno : 0;
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
static bool is_left_over(int file, const struct partial *partial, struct file_status *status)
{
    return file_status_of_open(file, status) == 0 && status->kind == FILE_IS_ORDINARY && path_is_own(status) &&
           !inputs_have(partial->inputs, status) && file_lock(file, false) == 0;
}

/* Makes the name of a file that nobody uses free. What has no dot before its name may be anybody's: it is kept. False
 * if somebody may use it. */
static bool put_aside(const char *path, const char *place, struct partial *partial)
{
    int file = file_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    struct file_status status;
    bool is_left = file >= 0 && is_left_over(file, partial, &status);
    bool is_free = is_left && !partial_is_there(path, &status);
    if (is_left && !is_free) {
        partial->has_left = true;
        partial->left = status;
        bool is_kept = status.size > 0 && (partial->is_readable || !partial->is_hidden);
        is_free = is_kept ? rename_to_free(path, place, partial) == 0 : path_remove(path) == 0;
    }
    if (file >= 0)
        close(file);
    return is_free;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

/* Makes the file of that name. 0, or an error number; EEXIST: there is one, or another run has taken it. */
static int make_file(const char *path, const struct file_status *replaced, struct partial *partial)
{
    int file = path_make(path, replaced);
    if (file < 0)
        return errno;
    bool is_taken = file_lock(file, false) != 0 && errno == EWOULDBLOCK;
    if (is_taken || file_status_of_open(file, &partial->status) != 0 || !partial_is_there(path, &partial->status)) {
        close(file);
        return EEXIST;
    }
    partial->file = file;
    if (replaced)
        path_take_rights(file, &partial->status, replaced);
    return 0;
}

int partial_make(const char *place, const struct file_status *replaced, struct partial *partial)
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

int partial_open(const char *path, const struct file_status *status)
{
    struct file_status found;
    int file = file_open(path, O_WRONLY | O_APPEND | O_NOFOLLOW);
    if (file < 0 || (file_status_of_open(file, &found) == 0 && file_may_be_same(&found, status)))
        return file;
    close(file);
    errno = ESTALE;
    return -1;
}
