#include "unpacker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>
#ifdef ARMTAP_WITH_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif
#ifdef ARMTAP_WITH_LZ4
#include <lz4frame.h>
#endif
#ifdef ARMTAP_WITH_LZMA
#include <lzma.h>
#endif
#ifdef ARMTAP_WITH_BZ2
#include <bzlib.h>
#endif

#include "bytes.h"

#define INPUT_SIZE 65536
#define OUTPUT_MOST ((size_t)2 * 1024 * 1024)
/* What an xz file may demand: its highest level takes half of it. zstd's default limit is the same. */
#define MEMORY_MOST (UINT64_C(128) * 1024 * 1024)

/* What became of one call of a library. */
enum step { STEP_ON, STEP_MEMBER_ENDS, STEP_DAMAGED, STEP_TOO_LARGE, STEP_NO_MEMORY };

struct unpacker {
    const struct packing *packing; /* of the member */
    const char *name;              /* of the first member's packing */
    byte_source *source;
    void *from;
    enum unpacker_state state;
    bool is_between;  /* members */
    bool is_filled;   /* the last call filled the output: the library may hold more */
    bool source_ends; /* it has no more bytes */
    uint64_t length;
    char why[200];
    /* for a call */
    const uint8_t *in;
    size_t in_left;
    uint8_t *out;
    size_t out_left;
    const char *reason; /* the library's; NULL: none */
    /* the library's */
    union {
        z_stream gzip;
#ifdef ARMTAP_WITH_LZMA
        lzma_stream xz;
#endif
#ifdef ARMTAP_WITH_BZ2
        bz_stream bzip2;
#endif
        void *context;
        struct {
            uint8_t head[8];
            uint64_t done;
        } skipped;
    } with;
    size_t hint; /* bytes of input that zstd and lz4 want next: a block, so that the blocks before damage are kept */
    uint8_t input[INPUT_SIZE];
};

struct packing {
    const char *name;
    uint8_t magic[PACKING_MAGIC];
    uint8_t mask; /* of the first byte */
    uint8_t magic_length;
    const char *library; /* that it needs; "": none */
    const char *program; /* that unpacks to its standard output, for a build without the library */
    /* 0, or -1 without memory; NULL: not built in */
    int (*begin)(struct unpacker *unpacker);
    enum step (*step)(struct unpacker *unpacker);
    void (*end)(struct unpacker *unpacker);
};

/* ---- gzip -------------------------------------------------------------------------------------------------------- */

static int gzip_begin(struct unpacker *unpacker)
{
    unpacker->with.gzip = (z_stream){.next_in = NULL};
    return inflateInit2(&unpacker->with.gzip, 15 + 16) == Z_OK ? 0 : -1;
}

static enum step gzip_step(struct unpacker *unpacker)
{
    z_stream *stream = &unpacker->with.gzip;
    stream->next_in = unpacker->in;
    stream->avail_in = (uInt)unpacker->in_left;
    stream->next_out = unpacker->out;
    stream->avail_out = (uInt)unpacker->out_left;
    int outcome = inflate(stream, Z_NO_FLUSH);
    unpacker->in = stream->next_in;
    unpacker->in_left = stream->avail_in;
    unpacker->out = stream->next_out;
    unpacker->out_left = stream->avail_out;
    unpacker->reason = stream->msg;
    return outcome == Z_STREAM_END                     ? STEP_MEMBER_ENDS
           : outcome == Z_OK || outcome == Z_BUF_ERROR ? STEP_ON
           : outcome == Z_MEM_ERROR                    ? STEP_NO_MEMORY
                                                       : STEP_DAMAGED;
}

static void gzip_end(struct unpacker *unpacker)
{
    inflateEnd(&unpacker->with.gzip);
}

/* ---- xz ---------------------------------------------------------------------------------------------------------- */

#ifdef ARMTAP_WITH_LZMA
static int xz_begin(struct unpacker *unpacker)
{
    unpacker->with.xz = (lzma_stream)LZMA_STREAM_INIT;
    return lzma_stream_decoder(&unpacker->with.xz, MEMORY_MOST, LZMA_TELL_UNSUPPORTED_CHECK) == LZMA_OK ? 0 : -1;
}

static enum step xz_step(struct unpacker *unpacker)
{
    lzma_stream *stream = &unpacker->with.xz;
    stream->next_in = unpacker->in;
    stream->avail_in = unpacker->in_left;
    stream->next_out = unpacker->out;
    stream->avail_out = unpacker->out_left;
    lzma_ret outcome = lzma_code(stream, LZMA_RUN);
    unpacker->in = stream->next_in;
    unpacker->in_left = stream->avail_in;
    unpacker->out = stream->next_out;
    unpacker->out_left = stream->avail_out;
    switch (outcome) {
    case LZMA_STREAM_END:
        return STEP_MEMBER_ENDS;
    case LZMA_OK:
    case LZMA_BUF_ERROR:
    case LZMA_UNSUPPORTED_CHECK: /* it is not checked */
        return STEP_ON;
    case LZMA_MEMLIMIT_ERROR:
        return STEP_TOO_LARGE;
    case LZMA_MEM_ERROR:
        return STEP_NO_MEMORY;
    case LZMA_OPTIONS_ERROR:
        unpacker->reason = "it has options that liblzma does not know";
        return STEP_DAMAGED;
    default:
        return STEP_DAMAGED;
    }
}

static void xz_end(struct unpacker *unpacker)
{
    lzma_end(&unpacker->with.xz);
}
#else
#define xz_begin NULL
#define xz_step NULL
#define xz_end NULL
#endif

/* ---- bzip2 ------------------------------------------------------------------------------------------------------- */

#ifdef ARMTAP_WITH_BZ2
static int bzip2_begin(struct unpacker *unpacker)
{
    unpacker->with.bzip2 = (bz_stream){.next_in = NULL};
    return BZ2_bzDecompressInit(&unpacker->with.bzip2, 0, 0) == BZ_OK ? 0 : -1;
}

static enum step bzip2_step(struct unpacker *unpacker)
{
    bz_stream *stream = &unpacker->with.bzip2;
    size_t taken = (size_t)(unpacker->in - unpacker->input);
    stream->next_in = (char *)unpacker->input + taken;
    stream->avail_in = (unsigned)unpacker->in_left;
    stream->next_out = (char *)unpacker->out;
    stream->avail_out = (unsigned)unpacker->out_left;
    int outcome = BZ2_bzDecompress(stream);
    unpacker->in += unpacker->in_left - stream->avail_in;
    unpacker->in_left = stream->avail_in;
    unpacker->out += unpacker->out_left - stream->avail_out;
    unpacker->out_left = stream->avail_out;
    return outcome == BZ_STREAM_END  ? STEP_MEMBER_ENDS
           : outcome == BZ_OK        ? STEP_ON
           : outcome == BZ_MEM_ERROR ? STEP_NO_MEMORY
                                     : STEP_DAMAGED;
}

static void bzip2_end(struct unpacker *unpacker)
{
    BZ2_bzDecompressEnd(&unpacker->with.bzip2);
}
#else
#define bzip2_begin NULL
#define bzip2_step NULL
#define bzip2_end NULL
#endif

/* ---- zstd -------------------------------------------------------------------------------------------------------- */

#if defined(ARMTAP_WITH_ZSTD) || defined(ARMTAP_WITH_LZ4)
/* What the library wants to see at once. */
static size_t wanted(const struct unpacker *unpacker)
{
    return unpacker->hint > 0 && unpacker->hint < unpacker->in_left ? unpacker->hint : unpacker->in_left;
}

static void advance(struct unpacker *unpacker, size_t in, size_t out)
{
    unpacker->in += in;
    unpacker->in_left -= in;
    unpacker->out += out;
    unpacker->out_left -= out;
}
#endif

#ifdef ARMTAP_WITH_ZSTD
static int zstd_begin(struct unpacker *unpacker)
{
    unpacker->with.context = ZSTD_createDCtx();
    unpacker->hint = 1;
    return unpacker->with.context ? 0 : -1;
}

static enum step zstd_step(struct unpacker *unpacker)
{
    ZSTD_inBuffer in = {unpacker->in, wanted(unpacker), 0};
    ZSTD_outBuffer out = {unpacker->out, unpacker->out_left, 0};
    size_t hint = ZSTD_decompressStream(unpacker->with.context, &out, &in);
    advance(unpacker, in.pos, out.pos);
    if (!ZSTD_isError(hint)) {
        unpacker->hint = hint;
        return hint == 0 ? STEP_MEMBER_ENDS : STEP_ON;
    }
    ZSTD_ErrorCode error = ZSTD_getErrorCode(hint);
    unpacker->reason = ZSTD_getErrorString(error);
    return error == ZSTD_error_memory_allocation               ? STEP_NO_MEMORY
           : error == ZSTD_error_frameParameter_windowTooLarge ? STEP_TOO_LARGE
                                                               : STEP_DAMAGED;
}

static void zstd_end(struct unpacker *unpacker)
{
    ZSTD_freeDCtx(unpacker->with.context);
}
#else
#define zstd_begin NULL
#define zstd_step NULL
#define zstd_end NULL
#endif

/* ---- lz4 --------------------------------------------------------------------------------------------------------- */

#ifdef ARMTAP_WITH_LZ4
static int lz4_begin(struct unpacker *unpacker)
{
    LZ4F_dctx *context = NULL;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)))
        return -1;
    unpacker->with.context = context;
    unpacker->hint = 7; /* the shortest header */
    return 0;
}

static enum step lz4_step(struct unpacker *unpacker)
{
    size_t in = wanted(unpacker), out = unpacker->out_left;
    size_t hint = LZ4F_decompress(unpacker->with.context, unpacker->out, &out, unpacker->in, &in, NULL);
    if (LZ4F_isError(hint)) {
        unpacker->reason = LZ4F_getErrorName(hint);
        return strstr(unpacker->reason, "allocation") ? STEP_NO_MEMORY : STEP_DAMAGED;
    }
    advance(unpacker, in, out);
    unpacker->hint = hint;
    return hint == 0 ? STEP_MEMBER_ENDS : STEP_ON;
}

static void lz4_end(struct unpacker *unpacker)
{
    LZ4F_freeDecompressionContext(unpacker->with.context);
}
#else
#define lz4_begin NULL
#define lz4_step NULL
#define lz4_end NULL
#endif

/* ---- frames to be skipped, of zstd and lz4 ----------------------------------------------------------------------- */

static int skipped_begin(struct unpacker *unpacker)
{
    unpacker->with.skipped.done = 0;
    return 0;
}

static enum step skipped_step(struct unpacker *unpacker)
{
    uint64_t *done = &unpacker->with.skipped.done;
    uint8_t *head = unpacker->with.skipped.head;
    while (*done < 8 && unpacker->in_left > 0) {
        head[(*done)++] = *unpacker->in++;
        unpacker->in_left--;
    }
    if (*done < 8)
        return STEP_ON;
    uint64_t all = 8 + (uint64_t)armtap_le32((const uint8_t *)head + 4);
    size_t more = all - *done < unpacker->in_left ? (size_t)(all - *done) : unpacker->in_left;
    unpacker->in += more;
    unpacker->in_left -= more;
    *done += more;
    return *done == all ? STEP_MEMBER_ENDS : STEP_ON;
}

static void skipped_end(struct unpacker *unpacker)
{
    (void)unpacker;
}

/* ---- which ------------------------------------------------------------------------------------------------------- */

static const struct packing packings[] = {
    {"gzip", {0x1F, 0x8B, 0x08}, 0xFF, 3, "", "gzip -dc", gzip_begin, gzip_step, gzip_end},
    {"zstd", {0x28, 0xB5, 0x2F, 0xFD}, 0xFF, 4, "libzstd", "zstd -dc --long=31", zstd_begin, zstd_step, zstd_end},
    {"xz", {0xFD, '7', 'z', 'X', 'Z', 0}, 0xFF, 6, "liblzma", "xz -dc", xz_begin, xz_step, xz_end},
    {"lz4", {0x04, 0x22, 0x4D, 0x18}, 0xFF, 4, "liblz4", "lz4 -dc", lz4_begin, lz4_step, lz4_end},
    {"bzip2", {'B', 'Z', 'h'}, 0xFF, 3, "libbz2", "bzip2 -dc", bzip2_begin, bzip2_step, bzip2_end},
    {"zstd or lz4", {0x50, 0x2A, 0x4D, 0x18}, 0xF0, 4, "", "", skipped_begin, skipped_step, skipped_end}};
#define PACKINGS (sizeof packings / sizeof *packings)

const struct packing *armtap_packing_find(const uint8_t *first, size_t length, bool *is_open)
{
    *is_open = false;
    for (size_t i = 0; i < PACKINGS; i++) {
        const struct packing *packing = &packings[i];
        size_t known = length < packing->magic_length ? length : packing->magic_length;
        bool fits = known == 0 || (first[0] & packing->mask) == packing->magic[0];
        if (!fits || (known > 1 && memcmp(first + 1, packing->magic + 1, known - 1) != 0))
            continue;
        if (known == packing->magic_length)
            return packing;
        *is_open = true;
    }
    return NULL;
}

const char *armtap_packing_name(const struct packing *packing)
{
    return packing->name;
}

const char *armtap_packing_program(const struct packing *packing)
{
    return packing->program;
}

const char *armtap_packing_lacks(const struct packing *packing)
{
    return packing->begin ? NULL : packing->library;
}

#ifdef ARMTAP_WITH_LZMA
#define XZ_LIBRARY lzma_version_string()
#else
#define XZ_LIBRARY NULL
#endif
#ifdef ARMTAP_WITH_BZ2
#define BZIP2_LIBRARY BZ2_bzlibVersion()
#else
#define BZIP2_LIBRARY NULL
#endif

bool armtap_packing_library(size_t index, const char **name, const char **version)
{
    const struct {
        const char *name, *version;
    } libraries[] = {{"zlib", zlibVersion()}, {"liblzma", XZ_LIBRARY}, {"libbz2", BZIP2_LIBRARY}};
    if (index >= sizeof libraries / sizeof *libraries)
        return false;
    *name = libraries[index].name;
    *version = libraries[index].version;
    return true;
}

/* ---- unpacking --------------------------------------------------------------------------------------------------- */

static void finish(struct unpacker *unpacker, enum unpacker_state state, const char *why)
{
    unpacker->state = state;
    snprintf(unpacker->why, sizeof unpacker->why, "%s", why);
}

static void begin_member(struct unpacker *unpacker, const struct packing *packing)
{
    unpacker->packing = packing;
    unpacker->is_between = packing->begin(unpacker) != 0;
    if (unpacker->is_between)
        finish(unpacker, UNPACKER_NO_MEMORY, "");
}

struct unpacker *armtap_unpacker_new(const struct packing *packing, const uint8_t *first, size_t length,
                                     byte_source *source, void *from)
{
    struct unpacker *unpacker = malloc(sizeof *unpacker);
    if (!unpacker)
        return NULL;
    memset(unpacker, 0, offsetof(struct unpacker, input));
    unpacker->name = packing->name;
    unpacker->source = source;
    unpacker->from = from;
    memcpy(unpacker->input, first, length);
    unpacker->in = unpacker->input;
    unpacker->in_left = length;
    begin_member(unpacker, packing);
    if (!unpacker->is_between)
        return unpacker;
    free(unpacker);
    return NULL;
}

void armtap_unpacker_free(struct unpacker *unpacker)
{
    if (!unpacker)
        return;
    if (!unpacker->is_between)
        unpacker->packing->end(unpacker);
    free(unpacker);
}

enum unpacker_state armtap_unpacker_state(const struct unpacker *unpacker, const char **why)
{
    *why = unpacker->why;
    return unpacker->state;
}

size_t armtap_unpacker_waiting(const struct unpacker *unpacker)
{
    return unpacker->in_left;
}

uint64_t armtap_unpacker_length(const struct unpacker *unpacker)
{
    return unpacker->length;
}

/* Reads on, behind what is left; false at the end. */
static bool read_more(struct unpacker *unpacker)
{
    if (unpacker->source_ends)
        return false;
    memmove(unpacker->input, unpacker->in, unpacker->in_left);
    unpacker->in = unpacker->input;
    size_t got = unpacker->source(unpacker->from, unpacker->input + unpacker->in_left, INPUT_SIZE - unpacker->in_left);
    unpacker->in_left += got;
    unpacker->source_ends = got == 0;
    return got > 0;
}

static void end_early(struct unpacker *unpacker)
{
    char why[100];
    snprintf(why, sizeof why, "the %s data ends early; copy or fetch the file again", unpacker->name);
    finish(unpacker, UNPACKER_ENDED_EARLY, why);
}

/* After a member: another one, zeros as padding, or the end. */
static void next_member(struct unpacker *unpacker)
{
    char why[100];
    bool is_open = true;
    while ((unpacker->in_left > 0 || read_more(unpacker)) && *unpacker->in == 0) {
        unpacker->in++;
        unpacker->in_left--;
    }
    if (unpacker->in_left == 0) {
        finish(unpacker, UNPACKER_ENDED, "");
        return;
    }
    const struct packing *packing;
    while (!(packing = armtap_packing_find(unpacker->in, unpacker->in_left, &is_open)) && is_open &&
           read_more(unpacker))
        ;
    if (packing && packing->begin) {
        begin_member(unpacker, packing);
    } else if (!packing && is_open) {
        end_early(unpacker);
    } else {
        snprintf(why, sizeof why, "other bytes follow the %s data, and were ignored", unpacker->name);
        finish(unpacker, UNPACKER_DAMAGED, why);
    }
}

static void end_member(struct unpacker *unpacker)
{
    unpacker->packing->end(unpacker);
    unpacker->is_between = true;
}

static void check_step(struct unpacker *unpacker, enum step step)
{
    char why[sizeof unpacker->why];
    if (step == STEP_MEMBER_ENDS) {
        end_member(unpacker);
    } else if (step == STEP_NO_MEMORY) {
        finish(unpacker, UNPACKER_NO_MEMORY, "");
    } else if (step == STEP_TOO_LARGE) {
        snprintf(why, sizeof why, "unpacking it takes more than %u MiB of memory; unpack it first: %s",
                 (unsigned)(MEMORY_MOST >> 20), unpacker->packing->program);
        finish(unpacker, UNPACKER_DAMAGED, why);
    } else if (step == STEP_DAMAGED) {
        snprintf(why, sizeof why, "the %s data is damaged (%.80s); copy or fetch the file again", unpacker->name,
                 unpacker->reason ? unpacker->reason : "no reason given");
        finish(unpacker, UNPACKER_DAMAGED, why);
    }
}

size_t armtap_unpacker_read(struct unpacker *unpacker, uint8_t *to, size_t room)
{
    room = room < OUTPUT_MOST ? room : OUTPUT_MOST;
    unpacker->out = to;
    unpacker->out_left = room;
    while (unpacker->out_left == room && unpacker->state == UNPACKER_GOES_ON) {
        if (unpacker->is_between) {
            next_member(unpacker);
            continue;
        }
        /* The library still holds what did not fit into the last call's output. */
        bool is_pending = unpacker->is_filled;
        if (unpacker->in_left == 0 && !read_more(unpacker) && !is_pending) {
            end_early(unpacker);
            break;
        }
        unpacker->reason = NULL;
        enum step step = unpacker->packing->step(unpacker);
        unpacker->is_filled = unpacker->out_left == 0;
        check_step(unpacker, step);
    }
    unpacker->length += room - unpacker->out_left;
    return room - unpacker->out_left;
}
