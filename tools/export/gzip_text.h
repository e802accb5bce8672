/* Text that is compressed as it is written, as gzip does. */
#ifndef EXPORT_GZIP_TEXT_H
#define EXPORT_GZIP_TEXT_H

#include "base/buffer.h"

struct gzip;

/* NULL without memory. */
struct gzip *gzip_new(void);
void gzip_free(struct gzip *gzip);
/* Compresses bytes; what is ready is appended to `out`. With `at_once` all of them are, so that a reader can have them,
 * which costs a few bytes. Without memory out->failed is set. */
void gzip_add(struct gzip *gzip, const char *bytes, size_t length, bool at_once, struct buffer *out);
/* Appends what is left. More bytes may follow: they begin another member of the file, which gunzip takes as well. */
void gzip_end(struct gzip *gzip, struct buffer *out);

#endif
