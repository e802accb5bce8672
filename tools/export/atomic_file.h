/* A file that is written beside its place and takes it when it is whole. Ordinary files only: devices and pipes are
 * written to, and "-" is standard output. */
#ifndef EXPORT_ATOMIC_FILE_H
#define EXPORT_ATOMIC_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "input/input_files.h"

struct sink_file;

enum sink_outcome {
    SINK_OK,
    SINK_CLOSED, /* who read the pipe has gone: no error, but nobody wants more */
    SINK_FAILED  /* after a message */
};

/* Whether what is written to that name reaches somebody's terminal. */
bool sink_file_is_terminal(const char *name);
/* NULL after a message, also where it is one of the inputs. Symbolic links are followed, to a file that is not there
 * yet as well; what /dev/stdout and /dev/fd/N name is written to at the place where its owner is. Between writes no
 * descriptor of an ordinary file is held, so there may be many. */
struct sink_file *sink_file_open(const char *name, const struct inputs *inputs);
enum sink_outcome sink_file_write(struct sink_file *sink, const char *bytes, size_t length);
/* The file takes its place. Frees the sink, also when that fails. */
enum sink_outcome sink_file_commit(struct sink_file *sink);
/* What was written beside the place goes away. Frees the sink; NULL is fine. */
void sink_file_discard(struct sink_file *sink);
/* Whether a file is written beside its place: what would be left behind by a program that is ended. */
bool sink_file_is_pending(const struct sink_file *sink);
/* Where it is written until it takes its place; NULL as long as that is no ordinary file of its own. */
const char *sink_file_path(const struct sink_file *sink);
/* The name without its place beside; for messages. */
const char *sink_file_name(const struct sink_file *sink);

#endif
