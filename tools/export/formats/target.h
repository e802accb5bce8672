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

/* Formats rows in batches, on one or several threads, and puts them into their files in the original order. Only
 * formatting is parallel: the thread that adds rows also writes, and formats batches itself instead of waiting. */

struct batches;

/* `threads` includes the caller's; `parts`: rows that become one, each of a part of the table. NULL without memory. The
 * targets must outlive the batches. */
struct batches *batches_new(struct targets *targets, unsigned threads, size_t parts);
/* Discards rows that were not drained. NULL is fine. */
void batches_free(struct batches *batches);

/* Adds a row, of so many parts. Its bytes and strings are copied; the view and the layout must live until the next
 * batches_drain. */
enum sink_outcome batches_row(struct batches *batches, struct output_file *outlet, const struct view *view,
                              const struct output_row *row);
/* Puts all rows so far into their files. */
enum sink_outcome batches_drain(struct batches *batches);
/* With FORMAT_COLUMNS: values so far that did not fit their columns' types and were left out. */
uint64_t batches_misfits(const struct batches *batches);

#endif
