#include "gzip_text.h"

#include <limits.h>
#include <zlib.h>

enum { WINDOW_BITS = 15, WITH_GZIP_HEADER = 16, MEMORY_LEVEL = 8, PIECE = 16384 };

/* Digits of measurements hardly repeat: zlib's default level takes five times as long and saves a tenth. */
struct gzip {
    z_stream stream;
    bool waits; /* it holds bytes that have not come out yet */
};

struct gzip *gzip_new(void)
{
    struct gzip *gzip = calloc(1, sizeof *gzip);
    if (!gzip)
        return NULL;
    if (deflateInit2(&gzip->stream, Z_BEST_SPEED, Z_DEFLATED, WINDOW_BITS + WITH_GZIP_HEADER, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) == Z_OK)
        return gzip;
    free(gzip);
    return NULL;
}

void gzip_free(struct gzip *gzip)
{
    if (!gzip)
        return;
    deflateEnd(&gzip->stream);
    free(gzip);
}

/* Runs deflate until it has no more output. */
static void run_deflate(struct gzip *gzip, int flush, struct buffer *out)
{
    z_stream *stream = &gzip->stream;
    do {
        char *at = buffer_room(out, PIECE);
        if (!at)
            return;
        stream->next_out = (Bytef *)at;
        stream->avail_out = PIECE;
        deflate(stream, flush);
        out->length += PIECE - stream->avail_out;
    } while (stream->avail_out == 0);
}

void gzip_add(struct gzip *gzip, const char *bytes, size_t length, bool at_once, struct buffer *out)
{
    z_stream *stream = &gzip->stream;
    gzip->waits = gzip->waits || length > 0;
    while (length > 0) {
        size_t part = length < INT_MAX ? length : INT_MAX;
        stream->next_in = (Bytef *)(uintptr_t)bytes; /* zlib only reads them */
        stream->avail_in = (uInt)part;
        bytes += part;
        length -= part;
        run_deflate(gzip, Z_NO_FLUSH, out);
    }
    if (!at_once || !gzip->waits)
        return;
    gzip->waits = false;
    run_deflate(gzip, Z_SYNC_FLUSH, out);
}

void gzip_end(struct gzip *gzip, struct buffer *out)
{
    gzip->stream.avail_in = 0;
    gzip->waits = false;
    run_deflate(gzip, Z_FINISH, out);
    deflateReset(&gzip->stream);
}
