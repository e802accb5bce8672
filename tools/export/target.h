/* Calls a format's begin, place, end and forget for its files, in order (format.h). */
#ifndef EXPORT_TARGET_H
#define EXPORT_TARGET_H

#include "formats.h"
#include "output_files.h"

/* Begins a table in a file, unless it has begun. */
enum sink_outcome target_begin(const struct format *format, struct output_file *file, const struct view *view);
/* Puts the bytes that the format made of rows of that view into a file. */
enum sink_outcome target_put(const struct format *format, struct output_files *files, struct output_file *file,
                             const struct view *view, const char *bytes, size_t length);
/* Ends every file. */
enum sink_outcome targets_end(const struct format *format, struct output_files *files);
/* Frees the format's state of all files, ended or not. */
void targets_forget(const struct format *format, struct output_files *files);

#endif
