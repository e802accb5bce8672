/* Rows on their way into files: taken in batches, formatted by one or several threads, put into their files in the
 * order in which they came. Only formatting is spread: who adds rows also writes, and formats what no thread has begun
 * when it would have to wait. */
#ifndef EXPORT_FORMAT_THREADS_H
#define EXPORT_FORMAT_THREADS_H

#include "target.h"

struct batches;

/* `threads` is how many work, the caller's included. NULL without memory. Both other arguments outlive the batches. */
struct batches *batches_new(const struct format *format, struct output_files *outlets, unsigned threads);
/* What was not drained is lost. NULL is fine. */
void batches_free(struct batches *batches);

/* A row for an outlet. The row's bytes and texts are copied; the view and the layout must stay until the next
 * batches_drain. */
enum sink_outcome batches_row(struct batches *batches, struct output_file *outlet, const struct view *view,
                              const struct output_row *row);
/* All rows so far are in their outlets. */
enum sink_outcome batches_drain(struct batches *batches);
/* Of a format of columns: values in the rows so far that were no values of their columns' types, and are left out. */
uint64_t batches_misfits(const struct batches *batches);

#endif
