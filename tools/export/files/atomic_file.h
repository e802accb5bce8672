/* A file that is written beside its place, as OUT.partial, and renamed once it is complete. This holds for regular
 * files; devices, pipes and standard output ("-") are written directly.
 *
 * No signal that can be caught leaves a partial file behind, unless its rows came live: then it stays. */
#ifndef EXPORT_ATOMIC_FILE_H
#define EXPORT_ATOMIC_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/os/path.h"
#include "input/files/input_files.h"

struct sink_file;

enum sink_outcome {
    SINK_OK,
    SINK_CLOSED, /* the reader closed the pipe: no error, but writing stops */
    SINK_FAILED  /* after a message */
};

/* The outputs of a run. The caller sets the first members, the others begin as 0. */
struct sink_run {
    const struct inputs *inputs; /* that must not be overwritten; NULL: none */
    bool is_readable;            /* what is written can be read without its end */
    bool is_live;                /* it cannot be made again: if it is readable, it stays also if the run fails */
    bool is_hidden;              /* a reader of the folder takes every file whose name does not begin with a dot */
    size_t open;                 /* descriptors that stay open */
    size_t left;                 /* partial files of killed runs; those after the first are told of at the end */
    size_t neighbours;
    size_t others; /* replaced files that belong to other users */
};

/* Whether the name leads to a terminal. */
bool sink_file_is_terminal(const char *name);
/* NULL after a message, also if the name is one of the inputs. Symbolic links are followed, even to a file that does
 * not exist yet; /dev/stdout and /dev/fd/N are written at their current offset. There may be many: of some the
 * descriptor stays open, others are opened for each write. `run` must outlive the file. */
struct sink_file *sink_file_open(const char *name, struct sink_run *run);
enum sink_outcome sink_file_write(struct sink_file *sink, const char *bytes, size_t length);
/* Has all that was written reach the disk, then renames the files to their final names, so that they are whole even if
 * the machine stops. Frees the sinks, also on failure. */
enum sink_outcome sink_files_commit(struct sink_file *const *sinks, size_t count);
/* The same for one. */
enum sink_outcome sink_file_commit(struct sink_file *sink);
/* Writes a whole file. */
enum sink_outcome sink_file_put(const char *name, const struct inputs *inputs, const char *bytes, size_t length);
/* Deletes the temporary file, unless the run keeps it. Frees the sink; NULL is fine. */
void sink_file_discard(struct sink_file *sink);
/* Name of the partial file; NULL if the sink is written directly. */
const char *sink_file_path(const struct sink_file *sink);
/* Prints that a file or folder cannot be written, why and what to do. Returns -1. */
int sink_file_report(const char *name, int error);
/* The name that the user gave; for messages. */
const char *sink_file_name(const struct sink_file *sink);

/* OUT.partial: the file beside an output, in which it is written until it is whole. Its name is known, so nothing looks
 * through folders. A running armtap has it locked; one that is not locked was left by a run that was killed. */

struct partial {
    const struct inputs *inputs; /* set by the caller: these stay where they are, whatever their names */
    bool is_hidden;              /* set by the caller: the name begins with a dot */
    bool is_readable;            /* set by the caller: what a killed run has left may be of use */
    char *path;                  /* the caller frees */
    int file;                    /* its descriptor, for writing; locked */
    struct file_status status;   /* which file it is */
    bool has_left;               /* a killed run had left such a file, which is gone or renamed */
    struct file_status left;     /* that file */
    char *kept;                  /* its new name, which the caller frees; NULL: nobody needs it, and it was deleted */
    bool has_neighbour;          /* another armtap uses that name, or it is an input: this one has a number */
};

/* Makes an empty one for an output, with exactly the rights of the file that it will replace (NULL: none), never with
 * more. 0, or an error number. */
int partial_make(const char *place, const struct file_status *replaced, struct partial *partial);
/* Opens it again for writing, if it is still the same file; else -1 with errno. */
int partial_open(const char *path, const struct file_status *status);
/* Whether that name still leads to the same file. */
bool partial_is_there(const char *path, const struct file_status *status);

#endif
