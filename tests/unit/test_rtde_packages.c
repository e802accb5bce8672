/* RTDE: packages byte for byte, both ways. The bytes are worked out by hand from the layouts in the guide. */
#include "rtde_package.h"
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
        struct armtap_rtde_package package;
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
            struct armtap_rtde_package package;
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
    struct armtap_rtde_package package;
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
    struct armtap_rtde_package package = {.type = 'U', .direction = TO, .protocol = 2, .values = values};
    (void)unused;
    assert_non_null(buffer);
    assert_non_null(values);
    package.values_length = 65535 - 4;
    assert_int_equal(armtap_rtde_write(&package, buffer, 70000), 65535);
    assert_memory_equal(buffer, "\xff\xff\x55\x00", 4);
    package.values_length++;
    assert_int_equal(armtap_rtde_write(&package, buffer, 70000), ARMTAP_ERR_ARGUMENT);
    struct armtap_rtde_package text = {.type = 'M',
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
                    struct armtap_rtde_package read;
                    memset(package + lists[k].head, k == 0 ? 'q' : 'Q', length);
                    package[lists[k].head + at] = (uint8_t)byte;
                    bool is_fine = byte > 0 ? strchr(lists[k].fine, (int)byte) != NULL : lists[k].direction == TO;
                    assert_int_equal(
                        armtap_rtde_read(package, lists[k].head + length, lists[k].direction, 2, true, &read), is_fine);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
