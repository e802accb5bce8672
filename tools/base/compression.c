#include "compression.h"

#include <stdio.h>

#include "libraries.h"
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
/* Messages shrink by 3 % less at the faster level, which takes half the time; columns by much less. */
static const int zstd_levels[] = {[COMPRESSION_FRAMED] = -1, [COMPRESSION_BARE] = 1};

static size_t zstd_bound(enum compression_shape shape, size_t length)
{
    (void)shape;
    return ZSTD_compressBound(length);
}

static size_t zstd_pack(struct compressor *compressor, enum compression_shape shape, struct bytes bytes, char *out,
                        size_t room)
{
    size_t written = ZSTD_compressCCtx(compressor->context, out, room, bytes.at, bytes.length, zstd_levels[shape]);
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
    [COMPRESSION_NONE] = {.name = "none", .bound = none_bound, .pack = none_pack},
    [COMPRESSION_LZ4] = {.name = "lz4",
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

enum compression compression_best(void)
{
    unsigned best = COMPRESSION_END - 1;
    while (!codecs[best].bound)
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

const char *compression_names(char list[COMPRESSION_LIST_MAX])
{
    size_t length = 0;
    for (unsigned i = 0; i < COMPRESSION_END; i++) {
        const char *separator = i == 0 ? "" : i + 1 < COMPRESSION_END ? ", " : " or ";
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
