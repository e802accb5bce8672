/* Names of files, and where outputs get theirs. A function that returns -1 has set errno. */
#ifndef BASE_OS_PATH_H
#define BASE_OS_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "file.h"

/* ---- parts of a name --------------------------------------------------------------------------------------------- */

/* Whether it stands between a folder and what is in it: '/'; on Windows '\' as well. */
bool path_is_separator(char character);
/* The name without its folder. */
const char *path_base(const char *path);
/* The folder without the name, which the caller frees: "." without one. NULL without memory. */
char *path_folder(const char *path);
/* Behind what is always there: "/", "C:\", "\\SERVER\SHARE\". */
const char *path_behind_root(const char *path);

/* ---- where a name leads ------------------------------------------------------------------------------------------ */

enum place_kind {
    PLACE_FAILED,    /* errno says why */
    PLACE_FREE,      /* no file is there yet */
    PLACE_FILE,      /* an ordinary file */
    PLACE_SOMETHING, /* a device, a pipe, a folder ... */
};

/* Where a name leads: the system follows links, under its own rules. Sets *path, which the caller frees, but for
 * PLACE_FAILED, and *status if something is there. */
enum place_kind path_find(const char *name, char **path, struct file_status *status);
/* The descriptor that a name such as /dev/fd/N stands for, or -1. */
int path_descriptor(const char *name);
/* Whether the file there can be replaced: 0, or an error number. */
int path_check_replaced(const char *place, const struct file_status *replaced);
/* Whether files can be made in a folder: 0 or -1. */
int path_check_folder(const char *folder);

#define PATH_OWNER_MAX 260

/* ---- whose a file is --------------------------------------------------------------------------------------------- */

/* Whether it is this user's; everybody's on Windows. */
bool path_is_own(const struct file_status *status);
/* The name of the user whose it is. */
void path_owner(const struct file_status *status, char name[PATH_OWNER_MAX]);
/* Makes a file to be appended to, which must not be there. It is not open to more people than the file that it will
 * replace (NULL: none). A descriptor or -1. */
int path_make(const char *path, const struct file_status *replaced);
/* Then gives it, as it was made, the rights of that file. */
void path_take_rights(int file, const struct file_status *made, const struct file_status *replaced);

/* ---- changing names ---------------------------------------------------------------------------------------------- */

/* Gives a file the name of another one, or a free one, at one stroke. 0 or -1. */
int path_replace(const char *from, const char *to);
/* The same for a name that must be free: else EEXIST. */
int path_rename(const char *from, const char *to);
/* Deletes a file. Async-signal-safe. */
int path_remove(const char *path);
/* A new name is on the disk once its folder is. 0 or -1. Some file systems sync no folders; some cannot be read. */
int path_sync_folder(const char *folder);

#endif
