/* compression: what it packs, the libraries' own decoders unpack; what is not built in is named with its package. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/compression.h"
#ifdef ARMTAP_WITH_LZ4
#include <lz4.h>
#include <lz4frame.h>
#endif
#ifdef ARMTAP_WITH_ZSTD
#include <zstd.h>
#endif

enum { SIZE = 200000 };

/* Bytes that pack well, and some that do not. */
static void fill(char *bytes)
{
    uint32_t noise = 1;
    for (size_t i = 0; i < SIZE; i++) {
        noise = noise * 1664525u + 1013904223u;
        bytes[i] = (char)(i < SIZE / 2 ? i / 100 : noise >> 24);
    }
}

static struct buffer pack(enum compression compression, enum compression_shape shape, const char *bytes, size_t length)
{
    struct buffer out = {0};
    struct compressor *compressor = compressor_new(compression);
    assert_non_null(compressor);
    buffer_string(&out, "head");
    compressor_pack(compressor, shape, bytes, length, &out);
    assert_false(out.failed);
    assert_memory_equal(out.data, "head", 4);
    size_t first = out.length - 4;
    compressor_pack(compressor, shape, bytes, length, &out);
    assert_int_equal(out.length, 4 + 2 * first);
    assert_memory_equal(out.data + 4, out.data + 4 + first, first);
    out.length = first;
    memmove(out.data, out.data + 4, first);
    compressor_free(compressor);
    return out;
}

static void names(void **state)
{
    char list[COMPRESSION_LIST_MAX];
    (void)state;
    assert_string_equal(compression_names(list, COMPRESSION_MODERN), "none, lz4 or zstd");
    assert_int_equal(compression_find("zstd"), COMPRESSION_ZSTD);
    assert_int_equal(compression_find("none"), COMPRESSION_NONE);
    assert_string_equal(compression_names(list, COMPRESSION_DEFLATE), "none or gzip");
    assert_int_equal(compression_find("gzip"), COMPRESSION_GZIP);
    assert_int_equal(compression_find(""), COMPRESSION_END);
    assert_int_equal(compression_check(compression_best(COMPRESSION_MODERN)), 0);
    assert_int_equal(compression_check(COMPRESSION_NONE), 0);
}

static void none(void **state)
{
    char *bytes = malloc(SIZE);
    (void)state;
    fill(bytes);
    struct buffer out = pack(COMPRESSION_NONE, COMPRESSION_BARE, bytes, SIZE);
    assert_int_equal(out.length, SIZE);
    assert_memory_equal(out.data, bytes, SIZE);
    free(out.data);
    out = pack(COMPRESSION_NONE, COMPRESSION_FRAMED, bytes, 0);
    assert_int_equal(out.length, 0);
    free(out.data);
    free(bytes);
}

#ifdef ARMTAP_WITH_LZ4
static void lz4_bare(void **state)
{
    char *bytes = malloc(SIZE), *back = malloc(SIZE);
    (void)state;
    fill(bytes);
    struct buffer out = pack(COMPRESSION_LZ4, COMPRESSION_BARE, bytes, SIZE);
    assert_in_range(out.length, SIZE / 2, SIZE * 2 / 3);
    assert_int_equal(LZ4_decompress_safe(out.data, back, (int)out.length, SIZE), SIZE);
    assert_memory_equal(back, bytes, SIZE);
    free(out.data);
    free(bytes);
    free(back);
}

static void lz4_framed(void **state)
{
    char *bytes = malloc(SIZE), *back = malloc(SIZE);
    (void)state;
    fill(bytes);
    struct buffer out = pack(COMPRESSION_LZ4, COMPRESSION_FRAMED, bytes, SIZE);
    assert_memory_equal(out.data, "\x04\x22\x4d\x18", 4);
    LZ4F_dctx *context;
    LZ4F_frameInfo_t info;
    size_t head = out.length, room = SIZE;
    assert_false(LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)));
    assert_false(LZ4F_isError(LZ4F_getFrameInfo(context, &info, out.data, &head)));
    assert_int_equal(info.contentSize, SIZE);
    size_t rest = out.length - head;
    assert_int_equal(LZ4F_decompress(context, back, &room, out.data + head, &rest, NULL), 0);
    assert_int_equal(room, SIZE);
    assert_memory_equal(back, bytes, SIZE);
    LZ4F_freeDecompressionContext(context);
    free(out.data);
    free(bytes);
    free(back);
}
#else
static void lz4_missing(void **state)
{
    (void)state;
    assert_int_equal(compression_check(COMPRESSION_LZ4), -1);
}
#endif

#ifdef ARMTAP_WITH_ZSTD
static void zstd(void **state)
{
    char *bytes = malloc(SIZE), *back = malloc(SIZE);
    (void)state;
    fill(bytes);
    struct buffer out = pack(COMPRESSION_ZSTD, COMPRESSION_BARE, bytes, SIZE);
    assert_memory_equal(out.data, "\x28\xb5\x2f\xfd", 4);
    assert_in_range(out.length, SIZE / 2, SIZE * 2 / 3);
    assert_int_equal(ZSTD_getFrameContentSize(out.data, out.length), SIZE);
    assert_int_equal(ZSTD_decompress(back, SIZE, out.data, out.length), SIZE);
    assert_memory_equal(back, bytes, SIZE);
    free(out.data);
    free(bytes);
    free(back);
}

static void best(void **state)
{
    (void)state;
    assert_int_equal(compression_best(COMPRESSION_MODERN), COMPRESSION_ZSTD);
}
#else
static void zstd_missing(void **state)
{
    (void)state;
    assert_int_equal(compression_check(COMPRESSION_ZSTD), -1);
    assert_int_not_equal(compression_best(COMPRESSION_MODERN), COMPRESSION_ZSTD);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),    cmocka_unit_test(none),
#ifdef ARMTAP_WITH_LZ4
        cmocka_unit_test(lz4_bare), cmocka_unit_test(lz4_framed),
#else
        cmocka_unit_test(lz4_missing),
#endif
#ifdef ARMTAP_WITH_ZSTD
        cmocka_unit_test(zstd),     cmocka_unit_test(best),
#else
        cmocka_unit_test(zstd_missing),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
