/* The manifest of exports: a line of JSON for each, appended to a file that many exports may share (--manifest). */
#ifndef EXPORT_MANIFEST_H
#define EXPORT_MANIFEST_H

#include "export/export_job.h"

/* Opens the file before the export begins, and makes it if there is none. 0, or -1 after a message: also if it is an
 * input or an output, or holds something else. */
int manifest_open(struct manifest *manifest, const struct job *job);
/* Notes what is to be written. 0, or -1 after a message: also if the manifest is one of the outputs. */
int manifest_collect(struct manifest *manifest, const struct job *job);
/* Appends the line, in one piece, if the file is open. 0, or -1 after a message. */
int manifest_write(const struct manifest *manifest, const struct job *job);
void manifest_free(struct manifest *manifest);

#endif
