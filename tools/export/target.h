/* What a format's begin, place, end and forget are called for: its files, in order (format.h). */
#ifndef EXPORT_TARGET_H
#define EXPORT_TARGET_H

#include "formats.h"
#include "output_files.h"

/* A table begins in a file, unless it has. */
enum sink_outcome target_begin(const struct format *format, struct output_file *file, const struct view *view);
/* A file gets the bytes that the format made of rows of that view. */
enum sink_outcome target_put(const struct format *format, struct output_files *files, struct output_file *file,
                             const struct view *view, const char *bytes, size_t length);
/* Every file gets its end. */
enum sink_outcome targets_end(const struct format *format, struct output_files *files);
/* The format forgets all files, ended or not. */
void targets_forget(const struct format *format, struct output_files *files);

#endif
