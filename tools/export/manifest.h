/* The manifest of exports: a line of JSON for each, appended to a file that many exports may share (--manifest). */
#ifndef EXPORT_MANIFEST_H
#define EXPORT_MANIFEST_H

#include "export_job.h"

/* 0, or -1 without memory. */
int manifest_collect(struct manifest *manifest, struct job *job);
/* Appends the line, in one piece. 0, or -1 after a message. */
int manifest_write(const struct manifest *manifest, const struct job *job, const char *name, enum exit_status status);
void manifest_free(struct manifest *manifest);

#endif
