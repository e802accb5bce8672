/* RTDE: packages byte for byte, both ways. The bytes are worked out by hand from the layouts in the guide. */
#include "rtde_package.h"
#include "protocol/decoder.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

#define FROM ARMTAP_FROM_ROBOT
#define TO ARMTAP_TO_ROBOT

struct vector {
    const char *hex;
    const char *tail; /* text after the hex; "" if none */
    struct armtap_rtde_package package;
    const char *values; /* hex */
};

#define NAMES(text) .names = text, .names_length = sizeof text - 1
#define TYPES(text_) .types = text_, .types_length = sizeof text_ - 1
#define TEXT(text_) .text = text_, .text_length = sizeof text_ - 1
#define SOURCE(text_) .source = text_, .source_length = sizeof text_ - 1

static const struct vector vectors[] = {
    {"00 05 56 00 02", "", {.type = 'V', .direction = TO, .protocol = 1, .version = 2}, ""},
    {"00 04 56 01", "", {.type = 'V', .direction = FROM, .protocol = 1, .accepted = 1}, ""},
    {"00 04 56 00", "", {.type = 'V', .direction = FROM, .protocol = 1, .accepted = 0}, ""},
    {"00 03 76", "", {.type = 'v', .direction = TO, .protocol = 2}, ""},
    {"00 13 76 00 00 00 05 00 00 00 0b 00 00 00 01 00 01 a8 6b",
     "",
     {.type = 'v', .direction = FROM, .protocol = 2, .release = {5, 11, 1, 108651}, .release_count = 4},
     ""},
    {"00 0f 76 00 00 00 03 00 00 00 02 ff ff ff ff",
     "",
     {.type = 'v', .direction = FROM, .protocol = 1, .release = {3, 2, 4294967295}, .release_count = 3},
     ""},
    {"00 0a 4d 02 48 69 02 6d 65 03",
     "",
     {.type = 'M', .direction = TO, .protocol = 1, TEXT("Hi"), SOURCE("me"), .level = 3},
     ""},
    {"00 0a 4d 02 48 69 02 6d 65 03",
     "",
     {.type = 'M', .direction = TO, .protocol = 2, TEXT("Hi"), SOURCE("me"), .level = 3},
     ""},
    {"00 09 4d 02 48 65 6c 6c 6f", "", {.type = 'M', .direction = FROM, .protocol = 1, TEXT("Hello"), .level = 2}, ""},
    {"00 0c 4d 05 48 65 6c 6c 6f 01 78 01",
     "",
     {.type = 'M', .direction = FROM, .protocol = 2, TEXT("Hello"), SOURCE("x"), .level = 1},
     ""},
    {"00 06 4d 00 00 00", "", {.type = 'M', .direction = FROM, .protocol = 3, TEXT(""), SOURCE(""), .level = 0}, ""},
    {"00 15 4f", "timestamp,actual_q", {.type = 'O', .direction = TO, .protocol = 1, NAMES("timestamp,actual_q")}, ""},
    {"00 1d 4f 40 5f 40 00 00 00 00 00",
     "timestamp,actual_q",
     {.type = 'O', .direction = TO, .protocol = 2, .frequency = 125, NAMES("timestamp,actual_q")},
     ""},
    {"00 1e 4f 40 7f 40 00 00 00 00 00",
     "timestamp,actual_q,",
     {.type = 'O', .direction = TO, .protocol = 3, .frequency = 500, NAMES("timestamp,actual_q,")},
     ""},
    {"00 12 4f", "DOUBLE,VECTOR6D", {.type = 'O', .direction = FROM, .protocol = 1, TYPES("DOUBLE,VECTOR6D")}, ""},
    {"00 13 4f 01",
     "DOUBLE,VECTOR6D",
     {.type = 'O', .direction = FROM, .protocol = 2, .has_id = true, .id = 1, TYPES("DOUBLE,VECTOR6D")},
     ""},
    {"00 16 4f 00",
     "NOT_FOUND,VECTOR6D",
     {.type = 'O', .direction = FROM, .protocol = 2, .has_id = true, .id = 0, TYPES("NOT_FOUND,VECTOR6D")},
     ""},
    {"00 14 49", "speed_slider_mask", {.type = 'I', .direction = TO, .protocol = 1, NAMES("speed_slider_mask")}, ""},
    {"00 0a 49 01",
     "UINT32",
     {.type = 'I', .direction = FROM, .protocol = 1, .has_id = true, .id = 1, TYPES("UINT32")},
     ""},
    {"00 11 49 00",
     "IN_USE,IN_USE",
     {.type = 'I', .direction = FROM, .protocol = 2, .has_id = true, .id = 0, TYPES("IN_USE,IN_USE")},
     ""},
    {"00 0a 49 ff",
     "UINT32",
     {.type = 'I', .direction = FROM, .protocol = 3, .has_id = true, .id = 255, TYPES("UINT32")},
     ""},
    {"00 03 53", "", {.type = 'S', .direction = TO, .protocol = 2}, ""},
    {"00 04 53 01", "", {.type = 'S', .direction = FROM, .protocol = 2, .accepted = 1}, ""},
    {"00 04 53 00", "", {.type = 'S', .direction = FROM, .protocol = 1, .accepted = 0}, ""},
    {"00 03 50", "", {.type = 'P', .direction = TO, .protocol = 1}, ""},
    {"00 04 50 01", "", {.type = 'P', .direction = FROM, .protocol = 2, .accepted = 1}, ""},
    {"00 13 55 40 d0 07 0d 2f 1a 9f be 3f f0 00 00 00 00 00 00",
     "",
     {.type = 'U', .direction = FROM, .protocol = 1},
     "40 d0 07 0d 2f 1a 9f be 3f f0 00 00 00 00 00 00"},
    {"00 0c 55 01 40 d0 07 0d 2f 1a 9f be",
     "",
     {.type = 'U', .direction = FROM, .protocol = 2, .has_id = true, .id = 1},
     "40 d0 07 0d 2f 1a 9f be"},
    {"00 08 55 02 00 00 00 01",
     "",
     {.type = 'U', .direction = TO, .protocol = 1, .has_id = true, .id = 2},
     "00 00 00 01"},
    {"00 08 55 02 00 00 00 01",
     "",
     {.type = 'U', .direction = TO, .protocol = 3, .has_id = true, .id = 2},
     "00 00 00 01"},
    {"00 16 52",
     "v1.software.version",
     {.type = 'R', .direction = TO, .protocol = 3, NAMES("v1.software.version")},
     ""},
    {"00 13 52 00 06 55 49 4e 54 36 34 00 05 00 1a 00 00 00 00",
     "",
     {.type = 'R', .direction = FROM, .protocol = 3, TYPES("UINT64")},
     "00 05 00 1a 00 00 00 00"},
    {"00 0e 52 00 09", "NOT_FOUND", {.type = 'R', .direction = FROM, .protocol = 3, TYPES("NOT_FOUND")}, ""},
};
#define VECTORS (sizeof vectors / sizeof vectors[0])

static struct bytes vector_bytes(const struct vector *vector)
{
    struct bytes bytes = {0};
    bytes_hex(&bytes, vector->hex);
    bytes_text(&bytes, vector->tail);
    return bytes;
}

static void check_span(const char *text, size_t length, const char *wanted, size_t wanted_length)
{
    assert_int_equal(length, wanted_length);
    if (length > 0)
        assert_memory_equal(text, wanted, length);
}

static void check_package(const struct armtap_rtde_package *p, const struct armtap_rtde_package *w)
{
    assert_int_equal(p->type, w->type);
    assert_int_equal(p->direction, w->direction);
    assert_int_equal(p->protocol, w->protocol);
    assert_int_equal(p->version, w->version);
    assert_int_equal(p->accepted, w->accepted);
    assert_int_equal(p->release_count, w->release_count);
    assert_memory_equal(p->release, w->release, sizeof p->release);
    assert_true(p->frequency == w->frequency);
    assert_int_equal(p->has_id, w->has_id);
    assert_int_equal(p->id, w->id);
    assert_int_equal(p->level, w->level);
    check_span(p->names, p->names_length, w->names, w->names_length);
    check_span(p->types, p->types_length, w->types, w->types_length);
    check_span(p->text, p->text_length, w->text, w->text_length);
    check_span(p->source, p->source_length, w->source, w->source_length);
}

static void test_packages_are_taken_apart(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < VECTORS; i++) {
        const struct vector *vector = &vectors[i];
        struct bytes bytes = vector_bytes(vector), values = {0};
        struct armtap_rtde_package package = {.size = sizeof package};
        uint8_t *exact = malloc(bytes.length);
        assert_non_null(exact);
        memcpy(exact, bytes.at, bytes.length);
        assert_int_equal(exact[0] << 8 | exact[1], bytes.length); /* the vector itself */
        assert_int_equal(
            armtap_rtde_parse(exact, bytes.length, vector->package.direction, vector->package.protocol, &package),
            ARMTAP_OK);
        check_package(&package, &vector->package);
        bytes_hex(&values, vector->values);
        check_span((const char *)package.values, package.values_length, (const char *)values.at, values.length);
        free(exact);
        bytes_free(&bytes);
        bytes_free(&values);
    }
}

static void test_packages_are_put_together(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < VECTORS; i++) {
        struct bytes wanted = vector_bytes(&vectors[i]), values = {0};
        struct armtap_rtde_package package = vectors[i].package;
        package.size = sizeof package;
        bytes_hex(&values, vectors[i].values);
        package.values = values.at;
        package.values_length = values.length;
        for (size_t room = 0; room <= wanted.length + 1; room++) {
            uint8_t *buffer = malloc(room ? room : 1);
            assert_non_null(buffer);
            int length = armtap_rtde_write(&package, buffer, room);
            assert_int_equal(length, room < wanted.length ? ARMTAP_ERR_SPACE : (int)wanted.length);
            if (length > 0)
                assert_memory_equal(buffer, wanted.at, wanted.length);
            free(buffer);
        }
        bytes_free(&wanted);
        bytes_free(&values);
    }
}

static void test_cut_packages_are_short(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < VECTORS; i++) {
        struct bytes bytes = vector_bytes(&vectors[i]);
        for (size_t length = 0; length < bytes.length; length++) {
            struct armtap_rtde_package package = {.size = sizeof package};
            uint8_t *exact = malloc(length ? length : 1);
            assert_non_null(exact);
            memcpy(exact, bytes.at, length);
            assert_int_equal(
                armtap_rtde_parse(exact, length, vectors[i].package.direction, vectors[i].package.protocol, &package),
                ARMTAP_ERR_SHORT);
            free(exact);
        }
        bytes_free(&bytes);
    }
}

struct wrong {
    const char *hex;
    enum armtap_direction direction;
    int protocol, error;
};

static void test_packages_that_are_none(void **unused)
{
    static const struct wrong wrong[] = {
        {"00 02 56 00", TO, 1, ARMTAP_ERR_NOT_OURS}, /* size below the header's */
        {"00 00 56 00", TO, 1, ARMTAP_ERR_NOT_OURS},
        {"00 05 57 00 02", TO, 1, ARMTAP_ERR_NOT_OURS}, /* unknown type */
        {"00 05 00 00 02", TO, 1, ARMTAP_ERR_NOT_OURS},
        {"00 06 56 00 02 00", TO, 1, ARMTAP_ERR_NOT_OURS}, /* one byte too many */
        {"00 04 56 00", TO, 1, ARMTAP_ERR_SHORT},          /* a byte too few */
        {"00 03 56", FROM, 1, ARMTAP_ERR_SHORT},
        {"00 05 53 01 00", FROM, 1, ARMTAP_ERR_NOT_OURS},
        {"00 14 76 00 00 00 05 00 00 00 05 00 00 00 05 00 00 00 05 00", FROM, 2, ARMTAP_ERR_NOT_OURS},
        {"00 10 76 00 00 00 05 00 00 00 05 00 00 00 05 00", FROM, 2, ARMTAP_ERR_SHORT},
        {"00 08 4d 05 48 69 00 00", FROM, 2, ARMTAP_ERR_SHORT}, /* a text beyond the package */
        {"00 07 4d 00 05 00 00", FROM, 2, ARMTAP_ERR_SHORT},
        {"00 0a 4f 40 5f 40 00 00 00 00", TO, 2, ARMTAP_ERR_SHORT}, /* half a frequency */
        {"00 03 49", FROM, 1, ARMTAP_ERR_SHORT},
        {"00 06 52 00 05 44", FROM, 3, ARMTAP_ERR_SHORT}, /* types beyond the package */
        {"00 03 55", FROM, 2, ARMTAP_ERR_SHORT},          /* no id */
    };
    struct armtap_rtde_package package = {.size = sizeof package};
    (void)unused;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct bytes bytes = {0};
        bytes_hex(&bytes, wrong[i].hex);
        int error = armtap_rtde_parse(bytes.at, bytes.length, wrong[i].direction, wrong[i].protocol, &package);
        if (error != wrong[i].error)
            fail_msg("%s: %d", wrong[i].hex, error);
        bytes_free(&bytes);
    }
    assert_int_equal(armtap_rtde_parse(NULL, 3, TO, 1, &package), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_rtde_parse("\0\3S", 3, TO, 1, NULL), ARMTAP_ERR_ARGUMENT);
}

static void test_writing_refuses_what_does_not_fit(void **unused)
{
    uint8_t *buffer = malloc(70000), *values = calloc(1, 66000);
    struct armtap_rtde_package package = {
        .size = sizeof(struct armtap_rtde_package), .type = 'U', .direction = TO, .protocol = 2, .values = values};
    (void)unused;
    assert_non_null(buffer);
    assert_non_null(values);
    package.values_length = 65535 - 4;
    assert_int_equal(armtap_rtde_write(&package, buffer, 70000), 65535);
    assert_memory_equal(buffer, "\xff\xff\x55\x00", 4);
    package.values_length++;
    assert_int_equal(armtap_rtde_write(&package, buffer, 70000), ARMTAP_ERR_ARGUMENT);
    struct armtap_rtde_package text = {.size = sizeof(struct armtap_rtde_package),
                                       .type = 'M',
                                       .direction = FROM,
                                       .protocol = 2,
                                       .text = (char *)values,
                                       .text_length = 255,
                                       .source = (char *)values,
                                       .source_length = 255};
    assert_int_equal(armtap_rtde_write(&text, buffer, 70000), 3 + 256 + 256 + 1);
    text.source_length = 256;
    assert_int_equal(armtap_rtde_write(&text, buffer, 70000), ARMTAP_ERR_ARGUMENT);
    text.source_length = 0;
    text.text_length = 256;
    assert_int_equal(armtap_rtde_write(&text, buffer, 70000), ARMTAP_ERR_ARGUMENT);
    text.protocol = 1; /* the rest of the package */
    assert_int_equal(armtap_rtde_write(&text, buffer, 70000), 3 + 1 + 256);
    text.type = (enum armtap_rtde_type)'x';
    assert_int_equal(armtap_rtde_write(&text, buffer, 70000), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_rtde_write(NULL, buffer, 70000), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_rtde_write(&package, NULL, 70000), ARMTAP_ERR_ARGUMENT);
    free(buffer);
    free(values);
}

/* Every byte at every place of a list of 1 to 40 bytes. */
static void test_characters_of_lists(void **unused)
{
    static const struct {
        enum armtap_direction direction;
        size_t head;
        const char *fine; /* as well as NUL in names */
    } lists[] = {
        {TO, 3, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_,. \r\n\t"},
        {FROM, 4, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_, "},
    };
    (void)unused;
    for (size_t k = 0; k < 2; k++)
        for (size_t length = 1; length <= 40; length++)
            for (size_t at = 0; at < length; at++)
                for (unsigned byte = 0; byte < 256; byte++) {
                    uint8_t package[48] = {0, (uint8_t)(lists[k].head + length), 'I', 1};
                    struct armtap_rtde_package read = {.size = sizeof read};
                    memset(package + lists[k].head, k == 0 ? 'q' : 'Q', length);
                    package[lists[k].head + at] = (uint8_t)byte;
                    bool is_fine = byte > 0 ? strchr(lists[k].fine, (int)byte) != NULL : lists[k].direction == TO;
                    assert_int_equal(
                        armtap_rtde_read(package, lists[k].head + length, lists[k].direction, 2, true, &read), is_fine);
                }
}

/* ---- what shows that a connection begins with RTDE ---- */

struct showing {
    enum armtap_direction direction;
    const char *hex, *tail;
    bool shows;
};

/* The last that shows, and the first that does not. */
static const struct showing showings[] = {
    {TO, "00 05 56 00 00", "", false}, /* versions 1 to 16 */
    {TO, "00 05 56 00 01", "", true},
    {TO, "00 05 56 00 10", "", true},
    {TO, "00 05 56 00 11", "", false},
    {FROM, "00 04 56 02", "", false}, /* accepted, or not */
    {FROM, "00 04 53 02", "", false},
    {FROM, "00 04 50 02", "", false},
    {FROM, "00 13 76 00 00 00 63 00 00 03 e7 00 01 86 9f ff ff ff ff", "", true}, /* a release */
    {FROM, "00 0f 76 00 00 00 63 00 00 03 e7 00 01 86 9f", "", true},
    {FROM, "00 13 76 00 00 00 64 00 00 03 e7 00 01 86 9f ff ff ff ff", "", false},
    {FROM, "00 13 76 00 00 00 63 00 00 03 e8 00 01 86 9f ff ff ff ff", "", false},
    {FROM, "00 13 76 00 00 00 63 00 00 03 e7 00 01 86 a0 ff ff ff ff", "", false},
    {FROM, "00 10 76 00 00 00 63 00 00 03 e7 00 01 86 9f ff", "", false}, /* half a number */
    {FROM, "00 06 4d 08", "Hi", true},                                    /* levels up to 8, and a text */
    {FROM, "00 06 4d 09", "Hi", false},
    {FROM, "00 06 4d 03 48 00", "", false},
    {FROM, "00 06 4d 03 48 1f", "", false},
    {FROM, "00 06 4d 03 48 0a", "", true},
    {FROM, "00 06 4d 03 48 20", "", true},
    {TO, "00 06 4d 08", "Hi", false},
    {TO, "00 0a 4d 02 48 69 02 6d 65 08", "", true}, /* text, source and level */
    {TO, "00 0a 4d 02 48 69 02 6d 65 09", "", false},
    {TO, "00 0a 4d 02 48 69 01 6d 65 03", "", false},
    {TO, "00 0a 4d 02 48 69 03 6d 65 03", "", false},
    {TO, "00 0a 4d 02 01 69 02 6d 65 03", "", false},
    {TO, "00 0a 4d 02 48 69 02 6d 01 03", "", false},
    {TO, "00 07 4f", "BOOL", true}, /* at least four characters */
    {TO, "00 06 4f", "IN8", false},
    {TO, "00 0a 4f", "payload", true}, /* no room for a frequency */
    {TO, "00 0b 4f 40 5f 40 00 00 00 00 00", "", false},
    {TO, "00 0f 4f 40 8f 40 00 00 00 00 00", "mode", true}, /* 1000 Hz and above, 0.1 Hz, none, and less */
    {TO, "00 0f 4f 40 8f 40 00 00 00 00 01", "mode", false},
    {TO, "00 0f 4f 3f b9 99 99 99 99 99 9a", "mode", true},
    {TO, "00 0f 4f bf b9 99 99 99 99 99 9a", "mode", false},
    {TO, "00 0f 4f 40 5f 40 00 00 00 00 00", "mod!", false},
    {TO, "00 07 49", "mode", true},
    {TO, "00 07 49", "mo,e", false},
    {TO, "00 08 49", "mo,de", true},
    {TO, "00 08 49", ",mode", false}, /* between commas there is a name, */
    {TO, "00 09 49", "mo,,de", false},
    {TO, "00 08 49", "mode,", true},
    {TO, "00 09 49", "mode, ", true},
    {TO, "00 0a 49", "mode ,q", true},
    {TO, "00 0a 49", "mode q,", false}, /* and in it no blank */
    {TO, "00 08 49", "mode.", true},
    {TO, "00 08 49", "mode-", false},
    {TO, "00 43 49", "a234567890123456789012345678901234567890123456789012345678901234", true},
    {TO, "00 44 49", "a2345678901234567890123456789012345678901234567890123456789012345", false},
    {FROM, "00 07 4f", "BOOL", true}, /* types, after an id or not */
    {FROM, "00 08 4f 01", "BOOL", true},
    {FROM, "00 07 4f", "Bool", false},
    {FROM, "00 09 49 01 01", "BOOL", false},
    {FROM, "00 04 49 01", "", false},
    {TO, "00 07 52", "mode", true},
    {TO, "00 07 52", "mo!e", false},
    {FROM, "00 09 52 00 04", "BOOL", true}, /* types with their length */
    {FROM, "00 0a 52 00 04", "BOOL\1", true},
    {FROM, "00 0a 52 00 05", "BOOL\1", false},
    {FROM, "00 09 52 00 05", "BOOL", false},
    {FROM, "00 09 52 00 03", "BOOL", false},
    {TO, "00 04 55 01", "", false}, /* data alone show nothing */
};

/* Cut anywhere it needs more, unless what is there shows that it is none. */
static void check_showing(enum armtap_direction direction, const struct bytes *bytes, enum armtap_fit wanted)
{
    assert_int_equal(bytes->at[0] << 8 | bytes->at[1], bytes->length); /* the row itself */
    for (size_t length = 0; length <= bytes->length; length++) {
        uint8_t *exact = malloc(length ? length : 1);
        assert_non_null(exact);
        memcpy(exact, bytes->at, length);
        enum armtap_fit fit = armtap_rtde_begins(direction, exact, length);
        if (length == bytes->length ? fit != wanted : fit != ARMTAP_FIT_MORE && wanted != ARMTAP_FIT_NO)
            fail_msg("%.*s, %zu of %zu bytes: %d", (int)bytes->length, (const char *)bytes->at, length, bytes->length,
                     fit);
        free(exact);
    }
}

static void test_what_shows_that_it_begins(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof showings / sizeof showings[0]; i++) {
        struct bytes bytes = {0};
        bytes_hex(&bytes, showings[i].hex);
        bytes_text(&bytes, showings[i].tail);
        check_showing(showings[i].direction, &bytes,
                      !showings[i].shows   ? ARMTAP_FIT_NO
                      : bytes.at[2] == 'V' ? ARMTAP_FIT_WELL
                                           : ARMTAP_FIT_YES);
        bytes_free(&bytes);
    }
    for (size_t i = 0; i < VECTORS; i++) {
        const struct armtap_rtde_package *package = &vectors[i].package;
        struct bytes bytes = vector_bytes(&vectors[i]);
        bool is_release = package->type != 'v' || package->release[2] < 100000;
        check_showing(package->direction, &bytes,
                      package->type == 'U' || !is_release ? ARMTAP_FIT_NO
                      : package->type == 'V'              ? ARMTAP_FIT_WELL
                                                          : ARMTAP_FIT_YES);
        bytes_free(&bytes);
    }
}

/* Of a long list the first 520 bytes of the package decide. */
static void test_what_is_examined_of_a_long_list(void **unused)
{
    uint8_t package[603] = {600 >> 8, 600 & 255, 'I'};
    (void)unused;
    for (size_t at = 3; at < 600; at++) {
        memset(package + 3, 'q', 600 - 3);
        for (size_t comma = 50; comma < 600; comma += 50)
            package[comma] = ',';
        package[at] = '!';
        assert_int_equal(armtap_rtde_begins(TO, package, 600), at < 520 ? ARMTAP_FIT_NO : ARMTAP_FIT_YES);
        assert_int_equal(armtap_rtde_begins(TO, package, 520), at < 520 ? ARMTAP_FIT_NO : ARMTAP_FIT_MORE);
        assert_int_equal(armtap_rtde_begins(TO, package, 519), ARMTAP_FIT_MORE);
    }
}

/* What each package's size can be, from the guide: a header of 3 bytes and the payload's fields. */
static void test_sizes_of_packages(void **unused)
{
    static const struct {
        char type;
        const char *name;
        size_t to[2], from[2];
    } sizes[] = {
        {'V', "REQUEST_PROTOCOL_VERSION", {3 + 2, 3 + 2}, {3 + 1, 3 + 1}},
        {'v', "GET_URCONTROL_VERSION", {3, 3}, {3 + 3 * 4, 3 + 4 * 4}},
        {'M', "TEXT_MESSAGE", {3 + 1 + 1 + 1, 3 + 256 + 256 + 1}, {3 + 1, 65535}},
        {'U', "DATA_PACKAGE", {3, 65535}, {3, 65535}},
        {'O', "CONTROL_PACKAGE_SETUP_OUTPUTS", {3, 65535}, {3, 65535}},
        {'I', "CONTROL_PACKAGE_SETUP_INPUTS", {3, 65535}, {3, 65535}},
        {'S', "CONTROL_PACKAGE_START", {3, 3}, {3 + 1, 3 + 1}},
        {'P', "CONTROL_PACKAGE_PAUSE", {3, 3}, {3 + 1, 3 + 1}},
        {'R', "READ_PROPERTIES", {3, 65535}, {3 + 2, 65535}},
    };
    (void)unused;
    for (unsigned type = 0, i; type < 256; type++) {
        for (i = 0; i < 9 && sizes[i].type != (char)type; i++)
            ;
        if (i < 9)
            assert_string_equal(armtap_rtde_type_name((uint8_t)type), sizes[i].name);
        else
            assert_null(armtap_rtde_type_name((uint8_t)type));
        for (size_t size = 0; size <= 65535; size += size == 600 ? 64900 : 1) {
            bool to = i < 9 && size >= sizes[i].to[0] && size <= sizes[i].to[1];
            bool from = i < 9 && size >= sizes[i].from[0] && size <= sizes[i].from[1];
            assert_true(armtap_rtde_size_fits((uint8_t)type, TO, size) == to);
            assert_true(armtap_rtde_size_fits((uint8_t)type, FROM, size) == from);
        }
    }
}

/* Two data packages of unknown recipes that begin with a clock, after an id or not: its last byte shows that they
 * follow each other, no earlier one. */
static void test_a_clock_shows_what_follows(void **unused)
{
    const struct armtap_decoder *decoder = armtap_decoder_for(ARMTAP_RTDE);
    (void)unused;
    for (unsigned with_id = 0; with_id < 2; with_id++)
        for (unsigned others = 0; others < 3; others++) {
            struct bytes payload = {0}, packages[2] = {{0}};
            for (unsigned i = 0; i < 2; i++) {
                payload.length = 0;
                bytes_number(&payload, 1, with_id);
                bytes_double(&payload, 1000 + 0.008 * i);
                bytes_number(&payload, 7, others);
                bytes_package(&packages[i], 'U', &payload);
            }
            for (size_t available = 0; available <= packages[1].length; available++) {
                enum armtap_fit fit =
                    decoder->follows(NULL, FROM, packages[0].at, packages[0].length, packages[1].at, available);
                assert_int_equal(fit, available < 3 + with_id + 8 ? ARMTAP_FIT_MORE : ARMTAP_FIT_WELL);
            }
            bytes_free(&payload);
            bytes_free(&packages[0]);
            bytes_free(&packages[1]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packages_are_taken_apart),
        cmocka_unit_test(test_packages_are_put_together),
        cmocka_unit_test(test_cut_packages_are_short),
        cmocka_unit_test(test_packages_that_are_none),
        cmocka_unit_test(test_writing_refuses_what_does_not_fit),
        cmocka_unit_test(test_characters_of_lists),
        cmocka_unit_test(test_what_shows_that_it_begins),
        cmocka_unit_test(test_what_is_examined_of_a_long_list),
        cmocka_unit_test(test_sizes_of_packages),
        cmocka_unit_test(test_a_clock_shows_what_follows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
