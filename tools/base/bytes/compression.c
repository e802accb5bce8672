#include "compression.h"

#include <stdio.h>

#include <zlib.h>

#include "base/process/libraries.h"
#ifdef ARMTAP_WITH_LZ4
#include <lz4.h>
#include <lz4frame.h>
#endif
#ifdef ARMTAP_WITH_ZSTD
#include <zstd.h>
#endif

struct codec;

struct compressor {
    const struct codec *codec;
    void *context; /* the library's, or NULL */
};

struct bytes {
    const char *at;
    size_t length;
};

struct codec {
    const char *name;
    unsigned families;    /* compression_family */
    enum library library; /* that it needs */
    const char *(*version)(void);
    size_t (*bound)(enum compression_shape shape, size_t length); /* NULL: not built in */
    /* The number of bytes written, or 0 without memory. */
    size_t (*pack)(struct compressor *compressor, enum compression_shape shape, struct bytes bytes, char *out,
                   size_t room);
    /* Makes the context. False without memory. */
    bool (*open)(struct compressor *compressor);
    void (*close)(struct compressor *compressor);
};

/* ---- none -------------------------------------------------------------------------------------------------------- */

static size_t none_bound(enum compression_shape shape, size_t length)
{
    (void)shape;
    return length;
}

static size_t none_pack(struct compressor *compressor, enum compression_shape shape, struct bytes bytes, char *out,
                        size_t room)
{
    (void)compressor;
    (void)shape;
    (void)room;
    memcpy(out, bytes.at, bytes.length);
    return bytes.length;
}

/* ---- gzip -------------------------------------------------------------------------------------------------------- */

enum { SEGMENT = 8192, LEVELS_COST = 16, BYTE_VALUES = 256, SAMPLES = SEGMENT / 5 };

static size_t gzip_bound(enum compression_shape shape, size_t length)
{
    (void)shape;
    return compressBound((uLong)length) + (length / SEGMENT + 2) * LEVELS_COST;
}

/* Whether packing bytes well is not worth its time, judged by some of them: pairs of equal bytes, which in random ones
 * are a 256th of all pairs, are less than that share. */
static bool is_random(const char *bytes, size_t length, unsigned share)
{
    uint32_t counts[2][BYTE_VALUES] = {{0}}; /* two in turn: equal neighbours do not wait for each other */
    uint64_t pairs = 0;
    size_t step = length < SEGMENT ? 1 : length / SAMPLES | 1; /* odd: each byte of a double gets its turn */
    size_t samples = (length + step - 1) / step;
    for (size_t i = 0; i < samples; i++)
        counts[i & 1][(unsigned char)bytes[i * step]]++;
    for (size_t i = 0; i < BYTE_VALUES; i++)
        pairs += (uint64_t)(counts[0][i] + counts[1][i]) * (counts[0][i] + counts[1][i]);
    return pairs < (uint64_t)samples * samples / share;
}

/* The low bytes of measured values cannot be compressed, and trying takes most of the time: they are stored. */
static size_t gzip_pack(struct compressor *compressor, enum compression_shape shape, struct bytes bytes, char *out,
                        size_t room)
{
    z_stream *stream = compressor->context;
    int outcome = deflateReset(stream), level = -1;
    (void)shape;
    stream->next_out = (Bytef *)out;
    stream->avail_out = (uInt)room;
    stream->next_in = (Bytef *)(uintptr_t)bytes.at; /* only read */
    stream->avail_in = 0;
    for (size_t at = 0; outcome == Z_OK && at < bytes.length; at += SEGMENT) {
        size_t length = bytes.length - at < SEGMENT ? bytes.length - at : SEGMENT;
        int wanted = is_random(bytes.at + at, length, 64) ? Z_NO_COMPRESSION : Z_BEST_SPEED;
        if (wanted != level)
            outcome = deflateParams(stream, wanted, Z_DEFAULT_STRATEGY);
        level = wanted;
        stream->avail_in = (uInt)length;
        if (outcome == Z_OK)
            outcome = deflate(stream, Z_NO_FLUSH);
    }
    return outcome == Z_OK && deflate(stream, Z_FINISH) == Z_STREAM_END ? room - stream->avail_out : 0;
}

static bool gzip_open(struct compressor *compressor)
{
    z_stream *stream = calloc(1, sizeof *stream);
    if (stream && deflateInit(stream, Z_BEST_SPEED) != Z_OK) {
        free(stream);
        stream = NULL;
    }
    compressor->context = stream;
    return stream != NULL;
}

static void gzip_close(struct compressor *compressor)
{
    deflateEnd(compressor->context);
    free(compressor->context);
}

/* ---- lz4 --------------------------------------------------------------------------------------------------------- */

#ifdef ARMTAP_WITH_LZ4
static LZ4F_preferences_t lz4_preferences(size_t length)
{
    return (LZ4F_preferences_t){.frameInfo = {.contentSize = length}};
}

static size_t lz4_bound(enum compression_shape shape, size_t length)
{
    const LZ4F_preferences_t preferences = lz4_preferences(length);
    if (shape == COMPRESSION_BARE)
        return (size_t)LZ4_compressBound((int)length);
    return LZ4F_compressFrameBound(length, &preferences);
}

static size_t lz4_pack(struct compressor *compressor, enum compression_shape shape, struct bytes bytes, char *out,
                       size_t room)
{
    const LZ4F_preferences_t preferences = lz4_preferences(bytes.length);
    if (shape == COMPRESSION_BARE)
        return (size_t)LZ4_compress_fast_extState(compressor->context, bytes.at, out, (int)bytes.length, (int)room, 1);
    size_t written = LZ4F_compressFrame(out, room, bytes.at, bytes.length, &preferences);
    return LZ4F_isError(written) ? 0 : written;
}

static bool lz4_open(struct compressor *compressor)
{
    compressor->context = malloc((size_t)LZ4_sizeofState());
    return compressor->context != NULL;
}

static void lz4_close(struct compressor *compressor)
{
    free(compressor->context);
}
#endif

/* ---- zstd -------------------------------------------------------------------------------------------------------- */

#ifdef ARMTAP_WITH_ZSTD
/* Level 1 makes messages 3 % smaller than level -1, and takes twice the time. Numbers that use all bits of their
 * mantissas hardly shrink: a faster level makes such columns 5 % larger, in a fifth of the time; below a 76th are half
 * of them. */
static const struct zstd_levels {
    unsigned share; /* of pairs, below which bytes are random */
    int usual, random;
} zstd_levels[] = {[COMPRESSION_FRAMED] = {16, -1, -3}, [COMPRESSION_BARE] = {76, 1, -1}};

static size_t zstd_bound(enum compression_shape shape, size_t length)
{
    (void)shape;
    return ZSTD_compressBound(length);
}

static size_t zstd_pack(struct compressor *compressor, enum compression_shape shape, struct bytes bytes, char *out,
                        size_t room)
{
    const struct zstd_levels *levels = &zstd_levels[shape];
    int level = is_random(bytes.at, bytes.length, levels->share) ? levels->random : levels->usual;
    size_t written = ZSTD_compressCCtx(compressor->context, out, room, bytes.at, bytes.length, level);
    return ZSTD_isError(written) ? 0 : written;
}

static bool zstd_open(struct compressor *compressor)
{
    compressor->context = ZSTD_createCCtx();
    return compressor->context != NULL;
}

static void zstd_close(struct compressor *compressor)
{
    ZSTD_freeCCtx(compressor->context);
}
#endif

/* ---- all --------------------------------------------------------------------------------------------------------- */

/* The later one packs better. */
static const struct codec codecs[COMPRESSION_END] = {
    [COMPRESSION_NONE] = {.name = "none", .families = COMPRESSION_ANY, .bound = none_bound, .pack = none_pack},
    [COMPRESSION_GZIP] = {.name = "gzip",
                          .families = COMPRESSION_DEFLATE,
                          .version = zlibVersion,
                          .bound = gzip_bound,
                          .pack = gzip_pack,
                          .open = gzip_open,
                          .close = gzip_close},
    [COMPRESSION_LZ4] = {.name = "lz4",
                         .families = COMPRESSION_MODERN,
                         .library = LIBRARY_LZ4,
#ifdef ARMTAP_WITH_LZ4
                         .version = LZ4_versionString,
                         .bound = lz4_bound,
                         .pack = lz4_pack,
                         .open = lz4_open,
                         .close = lz4_close
#endif
    },
    [COMPRESSION_ZSTD] = {.name = "zstd",
                          .families = COMPRESSION_MODERN,
                          .library = LIBRARY_ZSTD,
#ifdef ARMTAP_WITH_ZSTD
                          .version = ZSTD_versionString,
                          .bound = zstd_bound,
                          .pack = zstd_pack,
                          .open = zstd_open,
                          .close = zstd_close
#endif
    },
};

const char *compression_name(enum compression compression)
{
    return codecs[compression].name;
}

enum compression compression_find(const char *name)
{
    for (unsigned i = 0; i < COMPRESSION_END; i++)
        if (strcmp(codecs[i].name, name) == 0)
            return (enum compression)i;
    return COMPRESSION_END;
}

bool compression_is_of(enum compression compression, enum compression_family family)
{
    return (codecs[compression].families & family) != 0;
}

enum compression compression_best(enum compression_family family)
{
    unsigned best = COMPRESSION_END - 1;
    while (!codecs[best].bound || !compression_is_of((enum compression)best, family))
        best--;
    return (enum compression)best;
}

int compression_check(enum compression compression)
{
    char what[40];
    if (codecs[compression].bound)
        return 0;
    snprintf(what, sizeof what, "--compression %s", codecs[compression].name);
    library_report_missing(codecs[compression].library, what);
    return -1;
}

const char *compression_names(char list[COMPRESSION_LIST_MAX], enum compression_family family)
{
    size_t length = 0;
    unsigned last = 0;
    for (unsigned i = 0; i < COMPRESSION_END; i++)
        last = compression_is_of((enum compression)i, family) ? i : last;
    for (unsigned i = 0; i <= last; i++) {
        const char *separator = i == 0 ? "" : i < last ? ", " : " or ";
        if (compression_is_of((enum compression)i, family))
            length += (size_t)snprintf(list + length, COMPRESSION_LIST_MAX - length, "%s%s", separator, codecs[i].name);
    }
    return list;
}

const char *compression_library(enum compression compression, char text[64])
{
    const struct codec *codec = &codecs[compression];
    if (!codec->version)
        return library_absence(codec->library);
    snprintf(text, 64, "%s version %s", library_name(codec->library), codec->version());
    return text;
}

struct compressor *compressor_new(enum compression compression)
{
    struct compressor *compressor = calloc(1, sizeof *compressor);
    if (!compressor)
        return NULL;
    *compressor = (struct compressor){.codec = &codecs[compression]};
    if (!compressor->codec->open || compressor->codec->open(compressor))
        return compressor;
    free(compressor);
    return NULL;
}

void compressor_free(struct compressor *compressor)
{
    if (!compressor)
        return;
    if (compressor->codec->close)
        compressor->codec->close(compressor);
    free(compressor);
}

void compressor_pack(struct compressor *compressor, enum compression_shape shape, const void *bytes, size_t length,
                     struct buffer *out)
{
    const struct codec *codec = compressor->codec;
    size_t room = codec->bound(shape, length);
    char *at = room > 0 ? buffer_room(out, room) : NULL;
    size_t written = at ? codec->pack(compressor, shape, (struct bytes){bytes, length}, at, room) : 0;
    out->length += written;
    out->failed = out->failed || (written == 0 && room > 0);
}
