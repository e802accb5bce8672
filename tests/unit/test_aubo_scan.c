/* Where AUBO's messages end, against the rules alone. SEED=n tests other texts. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoders/aubo_text.h"

#define ROOM 4096

static uint64_t seed = 5;

static size_t chance(size_t below)
{
    return (size_t)(random_bits(&seed) % below);
}

#define PICK(list) (list)[chance(sizeof(list) / sizeof *(list))]

static void add(char *text, const char *more)
{
    strncat(text, more, ROOM - 1 - strlen(text));
}

static void make_message(char text[ROOM])
{
    static const char *const values[] = {"1e5",
                                         "-0.0",
                                         "5.0",
                                         "0.1234567890123456789",
                                         "12345678901234567890",
                                         "null",
                                         "true",
                                         "\"Running\"",
                                         "\"a\\\"b\"",
                                         "\"\xc3\xa4\"",
                                         "\"[{\"",
                                         "[]",
                                         "{}",
                                         "[[1,2],[3]]",
                                         "{\"a\":1}",
                                         "NaN",
                                         " 1",
                                         "[1.5, -2.25e-07, 3]",
                                         "\"\"",
                                         "\"\\\\\""},
                             *const odd[] =
                                 {"tru",
                                  "\"",
                                  "[1",
                                  "[1,]",
                                  "{]",
                                  "\"\x01\"",
                                  "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"},
                             *const ends[] = {"", "]]", "}", "] ", " ]", ",]"};
    strcpy(text, "[0");
    for (size_t count = chance(12); count > 0; count--) {
        add(text, chance(5) ? "," : ", ");
        add(text, chance(40) ? PICK(values) : PICK(odd));
    }
    add(text, chance(60) ? "]" : PICK(ends));
}

static void change(char *text)
{
    static const char bytes[] = "0123456789.,-+eE[]{}\" \\tfnx\t\x01\x80";
    size_t length = strlen(text), at = chance(length);
    switch (chance(3)) {
    case 0:
        text[at] = bytes[chance(sizeof bytes - 1)];
        break;
    case 1:
        memmove(text + at, text + at + 1, length - at);
        break;
    default:
        if (length + 2 < ROOM) {
            memmove(text + at + 1, text + at, length - at + 1);
            text[at] = bytes[chance(sizeof bytes - 1)];
        }
    }
}

/* Where a message ends by the rules alone: 0 if it does not, -1 if a byte cannot be there. */
static long end_of(const char *text, size_t length)
{
    char open[ARMTAP_AUBO_DEPTH_MAX];
    size_t depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (in_string && c < ' ')
            return -1;
        if (in_string) {
            i += c == '\\' && i + 1 < length && (unsigned char)text[i + 1] >= ' ';
            in_string = c != '"';
        } else if (depth == 0 && c != '[' && c != '{') {
            return -1;
        } else if (c == '[' || c == '{') {
            if (depth == ARMTAP_AUBO_DEPTH_MAX)
                return -1;
            open[depth++] = c == '[' ? ']' : '}';
        } else if (c == ']' || c == '}') {
            if (open[--depth] != (char)c)
                return -1;
            if (depth == 0)
                return (long)i + 1;
        } else if (c == '"') {
            in_string = true;
        } else if (c >= 0x7f || (c < ' ' && !strchr("\t\r\n", (char)c)) || c == 0) {
            return -1;
        }
    }
    return 0;
}

static void test_ends_of_messages(void **unused)
{
    char text[ROOM];
    long found[3] = {0, 0, 0};
    (void)unused;
    for (int i = 0; i < 40000; i++) {
        struct armtap_aubo_scan scan = {0};
        size_t used;
        make_message(text);
        for (size_t changes = chance(4); changes > 0; changes--)
            change(text);
        long wanted = end_of(text, strlen(text));
        size_t half = chance(strlen(text) + 1);
        enum armtap_aubo_end end = armtap_aubo_scan(&scan, false, (const uint8_t *)text, half, &used);
        if (end == ARMTAP_AUBO_MORE) {
            end = armtap_aubo_scan(&scan, false, (const uint8_t *)text + half, strlen(text) - half, &used);
            used += half;
        }
        if (end != (wanted < 0 ? ARMTAP_AUBO_WRONG : wanted == 0 ? ARMTAP_AUBO_MORE : ARMTAP_AUBO_WHOLE))
            fail_msg("%s: end %d, not %ld", text, end, wanted);
        if (wanted > 0)
            assert_int_equal(used, wanted);
        found[end]++;
    }
    for (size_t i = 0; i < 3; i++)
        assert_in_range(found[i], 1000, 39000);
}

int main(void)
{
    if (getenv("SEED"))
        seed = strtoull(getenv("SEED"), NULL, 10) | 1;
    print_message("SEED=%llu\n", (unsigned long long)seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends_of_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
