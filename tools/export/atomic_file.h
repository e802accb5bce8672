/* A file that is written under a temporary name beside its final one and renamed once it is complete. This holds for
 * regular files; devices, pipes and standard output ("-") are written directly. */
#ifndef EXPORT_ATOMIC_FILE_H
#define EXPORT_ATOMIC_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "input/input_files.h"

struct sink_file;

enum sink_outcome {
    SINK_OK,
    SINK_CLOSED, /* the reader closed the pipe: no error, but writing stops */
    SINK_FAILED  /* after a message */
};

/* Whether the name leads to a terminal. */
bool sink_file_is_terminal(const char *name);
/* NULL after a message, also if the name is one of the inputs. Symbolic links are followed, even to a file that does
 * not exist yet; /dev/stdout and /dev/fd/N are written at their current offset. No descriptor of a regular file stays
 * open between writes, so there may be many. */
struct sink_file *sink_file_open(const char *name, const struct inputs *inputs);
enum sink_outcome sink_file_write(struct sink_file *sink, const char *bytes, size_t length);
/* Waits until what was written is on the disk, so that a renamed file is whole even if the machine stops. */
enum sink_outcome sink_file_sync(struct sink_file *sink);
/* Renames the file to its final name. Frees the sink, also on failure. */
enum sink_outcome sink_file_commit(struct sink_file *sink);
/* Deletes the temporary file. Frees the sink; NULL is fine. */
void sink_file_discard(struct sink_file *sink);
/* Whether there is a temporary file, which a killed program would leave behind. */
bool sink_file_is_pending(const struct sink_file *sink);
/* Name of the temporary file; NULL if the sink is written directly. */
const char *sink_file_path(const struct sink_file *sink);
/* Prints that a file or folder cannot be written, why and what to do. Returns -1. */
int sink_file_report(const char *name, int error);
/* The name that the user gave; for messages. */
const char *sink_file_name(const struct sink_file *sink);

#endif
