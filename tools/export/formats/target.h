/* Calls a format's begin, place, ease, end and forget for its files, in order (format.h). */
#ifndef EXPORT_TARGET_H
#define EXPORT_TARGET_H

#include "formats.h"
#include "export/files/output_files.h"

/* The files of an export and their format. */
struct targets {
    const struct format *format;
    struct output_files *files;
    struct format_settings settings;
    size_t held; /* bytes of rows that the format keeps in memory */
};

/* Begins a table in a file, unless it has begun. */
enum sink_outcome target_begin(struct targets *targets, struct output_file *file, const struct view *view);
/* Puts the bytes that the format made of rows of that view into a file. */
enum sink_outcome target_put(struct targets *targets, struct output_file *file, const struct view *view,
                             const char *bytes, size_t length);
/* Has the format write rows if it keeps too many of them in memory. What it writes depends on when this is called,
 * which must depend on the rows only. */
enum sink_outcome targets_ease(struct targets *targets);
/* Has the format write the rows that it keeps in memory, if it can. */
enum sink_outcome targets_show(struct targets *targets);
/* Ends a file. */
enum sink_outcome target_end(struct targets *targets, struct output_file *file);
/* Ends every file that is not over. */
enum sink_outcome targets_end(struct targets *targets);
/* Frees the format's state of all files, ended or not. */
void targets_forget(struct targets *targets);

#endif
