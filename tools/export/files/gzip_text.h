/* Compresses output as gzip does. */
#ifndef EXPORT_GZIP_TEXT_H
#define EXPORT_GZIP_TEXT_H

#include "base/text/buffer.h"

struct gzip;

/* NULL without memory. */
struct gzip *gzip_new(void);
void gzip_free(struct gzip *gzip);
/* Compresses bytes and appends what is ready to `out`. `at_once`: everything so far, for a reader that waits; costs a
 * few bytes. Sets out->failed without memory. */
void gzip_add(struct gzip *gzip, const char *bytes, size_t length, bool at_once, struct buffer *out);
/* Appends the rest. Bytes that follow start another member, which gunzip reads as well. */
void gzip_end(struct gzip *gzip, struct buffer *out);

#endif
