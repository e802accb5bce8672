/* OUT.partial: the file beside an output, in which it is written until it is whole. Its name is known, so nothing looks
 * through folders. A running armtap has it locked; one that is not locked was left by a run that was killed. */
#ifndef EXPORT_PARTIAL_FILE_H
#define EXPORT_PARTIAL_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "input/files/input_files.h"

enum place_kind {
    PLACE_FAILED,    /* errno says why */
    PLACE_FREE,      /* no file is there yet */
    PLACE_FILE,      /* an ordinary file */
    PLACE_SOMETHING, /* a device, a pipe, a folder ... */
};

/* Where a name leads: the kernel follows links, under its own rules. Sets *path, which the caller frees, but for
 * PLACE_FAILED, and *status if something is there. */
enum place_kind place_find(const char *name, char **path, struct stat *status);

struct partial {
    const struct inputs *inputs; /* set by the caller: these stay where they are, whatever their names */
    bool is_hidden;              /* set by the caller: the name begins with a dot */
    bool is_readable;            /* set by the caller: what a killed run has left may be of use */
    char *path;                  /* the caller frees */
    int file;                    /* its descriptor, for writing; locked */
    struct stat status;          /* which file it is */
    bool has_left;               /* a killed run had left such a file, which is gone or renamed */
    struct stat left;            /* that file */
    char *kept;                  /* its new name, which the caller frees; NULL: nobody needs it, and it was deleted */
    bool has_neighbour;          /* another armtap uses that name, or it is an input: this one has a number */
};

/* Makes an empty one for an output, with exactly the rights of the file that it will replace (NULL: none), never with
 * more. 0, or an error number. */
int partial_make(const char *place, const struct stat *replaced, struct partial *partial);
/* Opens it again for writing, if it is still the same file; else -1 with errno. */
int partial_open(const char *path, const struct stat *status);
/* Whether that name still leads to the same file. */
bool partial_is_there(const char *path, const struct stat *status);

#endif
