/* Formats rows in batches, on one or several threads, and puts them into their files in the original order. Only
 * formatting is parallel: the thread that adds rows also writes, and formats batches itself instead of waiting. */
#ifndef EXPORT_FORMAT_THREADS_H
#define EXPORT_FORMAT_THREADS_H

#include "target.h"

struct batches;

/* `threads` includes the caller's. NULL without memory. The targets must outlive the batches. */
struct batches *batches_new(struct targets *targets, unsigned threads);
/* Discards rows that were not drained. NULL is fine. */
void batches_free(struct batches *batches);

/* Adds a row. Its bytes and strings are copied; the view and the layout must live until the next batches_drain. */
enum sink_outcome batches_row(struct batches *batches, struct output_file *outlet, const struct view *view,
                              const struct output_row *row);
/* Puts all rows so far into their files. */
enum sink_outcome batches_drain(struct batches *batches);
/* With FORMAT_COLUMNS: values so far that did not fit their columns' types and were left out. */
uint64_t batches_misfits(const struct batches *batches);

#endif
