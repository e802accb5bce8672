/* What reads AUBO's usual messages fast against what reads all of them: numbers, values, ends of messages. The program
 * is linked with --wrap=armtap_aubo_values_by_position, which compares (aubo_both_ways.h). */
#define _POSIX_C_SOURCE 200809L
#include "aubo_both_ways.h"
#include "support.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoders/aubo_number.h"
#include "../../decoders/aubo_scan.h"
#include "../../decoders/aubo_values.h"
#include "../../decoders/aubo_words.h"
#include "input/replay/replay.h"

#define ROOM 4096

static uint64_t seed = 5;

static size_t chance(size_t below)
{
    return (size_t)(random_bits(&seed) % below);
}

#define PICK(list) (list)[chance(sizeof(list) / sizeof *(list))]

/* ---- numbers ---- */

/* Returns whether the number was taken. strtod and strtoll are independent of both ways. */
static bool check_number(const char *word)
{
    char text[ROOM];
    size_t length = strlen(word);
    struct armtap_aubo_number number;
    snprintf(text, sizeof text, "%s]", word);
    const char *end = armtap_aubo_take_number(text, text + length + 1, &number);
    if (!end)
        return false;
    if (end != text + length) /* it ends early: what follows is for the caller to refuse */
        return false;
    if (armtap_aubo_check_word(word, length) != ARMTAP_AUBO_WORD_PLAIN)
        fail_msg("%s is taken as a number", word);
    double real = number.whole ? (double)number.integer : number.real, wanted = strtod(word, NULL);
    assert_int_equal(number.whole, strpbrk(word, ".eE") == NULL);
    if (number.whole)
        assert_true(number.integer == strtoll(word, NULL, 10));
    else if (memcmp(&real, &wanted, sizeof real) != 0)
        fail_msg("%s: %a, not %a", word, real, wanted);
    return true;
}

static void test_edges_of_numbers(void **unused)
{
    static const char *const taken[] = {"0",
                                        "-0",
                                        "-0.0",
                                        "0e0",
                                        "7",
                                        "999999999999999999",
                                        "-999999999999999999",
                                        "9007199254740993.0",
                                        "0.1e1",
                                        "5e-324",
                                        "1e308",
                                        "1e309",
                                        "-1e999",
                                        "1e22",
                                        "1e23",
                                        "8.5e22",
                                        "0.5",
                                        "0.50000000000000000",
                                        "1.0000000000000002",
                                        "184467440737095516.5",
                                        "9999999999999999999e-40",
                                        "1E5",
                                        "1e+5",
                                        "0.0000000000000000000000000000000000000000",
                                        "0.00000000000000000001234567890123456789"},
                             *const refused[] = {"",
                                                 "-",
                                                 "+1",
                                                 ".5",
                                                 "1.",
                                                 "01",
                                                 "-01",
                                                 "1e",
                                                 "1e+",
                                                 "1.e5",
                                                 "--1",
                                                 "1.5.5",
                                                 "nan",
                                                 "NaN",
                                                 "Infinity",
                                                 "0x1",
                                                 "1000000000000000000",
                                                 "-9223372036854775808",
                                                 "12345678901234567890.5",
                                                 "1e0001",
                                                 "1-1",
                                                 "1e1e1"};
    (void)unused;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (!check_number(taken[i]))
            fail_msg("%s is not taken", taken[i]);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_false(check_number(refused[i]));
}

/* All powers of ten, all lengths. */
static void test_numbers_of_digits(void **unused)
{
    char word[ROOM];
    size_t taken = 0;
    (void)unused;
    for (int i = 0; i < 400000; i++) {
        char digits[24], fraction[64] = "";
        snprintf(digits, sizeof digits, "%llu", (unsigned long long)(random_bits(&seed) >> chance(64)));
        size_t point = chance(strlen(digits)) + 1;
        if (chance(3) == 0)
            snprintf(fraction, sizeof fraction, "0.%.*s%s", (int)chance(24), "000000000000000000000000", digits);
        else
            snprintf(fraction, sizeof fraction, "%.*s.%s0", (int)point, digits, digits + point);
        snprintf(word, sizeof word, "%s%s", chance(2) ? "-" : "", fraction);
        if (chance(4) == 0)
            snprintf(word + strlen(word), 16, "e%d", (int)chance(90) - 60);
        taken += check_number(word);
    }
    assert_in_range(taken, 350000, 400000);
}

/* Doubles of all magnitudes as writers print them, and what lies around the middle between two of them. */
static void test_numbers_of_doubles(void **unused)
{
    char word[ROOM];
    size_t taken = 0;
    (void)unused;
    for (int i = 0; i < 400000; i++) {
        uint64_t bits = (random_bits(&seed) >> 12) | (uint64_t)(1023 - 60 + chance(70)) << 52;
        double number;
        memcpy(&number, &bits, sizeof number);
        double middle = number + number * 0x1p-53;
        int digits = 15 + (int)chance(4);
        snprintf(word, sizeof word, chance(2) ? "%.*g" : "%.*e", digits, chance(3) ? number : middle);
        taken += check_number(word);
    }
    assert_in_range(taken, 350000, 400000);
}

/* Numbers halfway between two doubles, and one digit before and after. */
static void test_numbers_halfway(void **unused)
{
    static const char *const fractions[] = {"0", "25", "5", "75"};
    char word[ROOM];
    (void)unused;
    for (int i = 0; i < 100000; i++) {
        uint64_t odd = (UINT64_C(1) << 53) + 2 * chance(UINT64_C(1) << 48) + 1;
        snprintf(word, sizeof word, "%llu.0", (unsigned long long)odd);
        assert_true(check_number(word));
        snprintf(word, sizeof word, "%llu.001", (unsigned long long)odd);
        assert_true(check_number(word));
        snprintf(word, sizeof word, "%llu.999", (unsigned long long)odd - 1);
        assert_true(check_number(word));
        snprintf(word, sizeof word, "%llu.%s", (unsigned long long)(odd / 4), fractions[odd % 4]);
        assert_true(check_number(word));
    }
}

/* ---- values ---- */

static const char *const topics[] = {"timestamp",
                                     "R1_actual_q",
                                     "R2_actual_TCP_pose",
                                     "R1_joint_temperatures",
                                     "R1_robot_mode",
                                     "R1_safety_mode",
                                     "runtime_state",
                                     "R1_joint_mode",
                                     "R1_speed_scaling",
                                     "R1_actual_momentum",
                                     "R1_elbow_position",
                                     "R1_robot_status_bits",
                                     "R1_master_io_current",
                                     "R1_tool_output_voltage",
                                     "R1_speed_slider_mask",
                                     "R1_euromap67_input_bits",
                                     "R1_message",
                                     "line_number",
                                     "input_float_registers_r0",
                                     "R1_standard_digital_output_bits"};

static struct armtap_recipe *recipe_of(const char *const *names, size_t count)
{
    char text[ROOM];
    struct armtap_recipe *recipe;
    size_t length = (size_t)snprintf(text, sizeof text, "[100,{\"chanel\":0,\"segments\":[");
    for (size_t i = 0; i < count; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s\"%s\"", i > 0 ? "," : "", names[i]);
    snprintf(text + length, sizeof text - length, "]}]");
    assert_int_equal(armtap_recipe_aubo(text, strlen(text), &recipe), ARMTAP_OK);
    return recipe;
}

static struct armtap_recipe *any_recipe(void)
{
    const char *names[12];
    size_t count = 1 + chance(12);
    for (size_t i = 0; i < count; i++)
        names[i] = PICK(topics);
    return recipe_of(names, count);
}

static void add(char *text, const char *more)
{
    strncat(text, more, ROOM - 1 - strlen(text));
}

static void add_number(char *text, bool whole)
{
    static const char *const odd[] = {"1e5",
                                      "-0.0",
                                      "-0",
                                      "5.0",
                                      "1e-05",
                                      "3E2",
                                      "0.1234567890123456789",
                                      "12345678901234567890",
                                      "9223372036854775807",
                                      "4294967296",
                                      "255",
                                      "256"};
    char word[64];
    if (chance(12) == 0)
        snprintf(word, sizeof word, "%s", PICK(odd));
    else if (whole)
        snprintf(word, sizeof word, "%d", (int)chance(12) - 1);
    else
        snprintf(word, sizeof word, chance(3) ? "%.17g" : "%.6f", ((double)chance(1000000007) - 5e8) / 1.3e8);
    add(text, word);
}

static void add_list(char *text, size_t count, bool whole)
{
    bool blanks = chance(5) == 0;
    add(text, "[");
    for (size_t i = 0; i < count; i++) {
        add(text, i == 0 ? "" : blanks ? ", " : ",");
        if (whole && chance(3) == 0)
            add(text, chance(9) ? "\"Running\"" : "\"Idle\"");
        else
            add_number(text, whole);
    }
    add(text, "]");
}

/* Mostly what its field expects. */
static void add_value(char *text, const struct armtap_field *field)
{
    static const char *const others[] = {"null",
                                         "true",
                                         "false",
                                         "\"Running\"",
                                         "\"none such\"",
                                         "\"a\\\"b\"",
                                         "\"\xc3\xa4\"",
                                         "[]",
                                         "{}",
                                         "[[1,2],[3]]",
                                         "{\"a\":1}",
                                         "NaN",
                                         "[1,NaN]",
                                         " 1",
                                         "[ 1]",
                                         "[null]",
                                         "\"\"",
                                         "[\"x\"]",
                                         "tru",
                                         "nul",
                                         "\"",
                                         "[1",
                                         "[1,]",
                                         "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"};
    bool whole = field && field->type != ARMTAP_DOUBLE;
    size_t count = field ? field->count : chance(3) ? 1 : chance(9);
    if (chance(40) == 0)
        add(text, PICK(others));
    else if (chance(40) == 0)
        add_list(text, chance(9), whole);
    else if (count != 1 || chance(9) == 0)
        add_list(text, count, whole);
    else if (whole && chance(3) == 0)
        add(text, "\"Running\"");
    else
        add_number(text, whole);
}

static void make_message(char text[ROOM], const struct armtap_recipe *recipe)
{
    bool blanks = chance(5) == 0;
    size_t count = recipe->count + (chance(40) == 0) - (chance(40) == 0);
    strcpy(text, "[0");
    for (size_t i = 0; i < count; i++) {
        add(text, blanks ? ", " : ",");
        add_value(text, i < recipe->count ? recipe->entries[i].field : NULL);
    }
    add(text, chance(60) ? "]" : PICK(((const char *const[]){"", "]]", "}", "] ", " ]", ",]"})));
}

/* Whether it is taken; the comparison is in the wrapper. The text gets memory of its own: sanitizers see any byte read
 * beyond it. */
static bool is_taken(const struct armtap_recipe *recipe, const char *text, size_t length, struct armtap_cells *cells)
{
    char *copy = malloc(length > 0 ? length : 1);
    assert_non_null(copy);
    memcpy(copy, text, length);
    bool taken = armtap_aubo_values_by_position(recipe, (struct armtap_aubo_element){copy, length}, cells);
    free(copy);
    return taken;
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

static void test_messages(void **unused)
{
    struct armtap_cells cells = {NULL, 0, 0};
    size_t taken = 0, taken_changed = 0;
    char text[ROOM];
    (void)unused;
    for (int i = 0; i < 4000; i++) {
        struct armtap_recipe *recipe = any_recipe();
        for (int k = 0; k < 10; k++) {
            make_message(text, recipe);
            taken += is_taken(recipe, text, strlen(text), &cells);
            change(text);
            taken_changed += is_taken(recipe, text, strlen(text), &cells);
        }
        armtap_recipe_release(recipe);
    }
    print_message("%zu of 40000 messages taken, and %zu changed ones\n", taken, taken_changed);
    assert_in_range(taken, 10000, 39000);
    assert_in_range(taken_changed, 4000, 39000);
    armtap_cells_free(&cells);
}

/* A message cut anywhere is not taken. */
static void test_cut_messages(void **unused)
{
    static const char *const names[] = {"timestamp", "R1_actual_q", "R1_robot_mode", "line_number"};
    static const char text[] = "[0,812.32,[1.239776611328125e-05,-0.2618083953857422,3,4,5,-6.25],\"Running\",[1,2]]";
    struct armtap_recipe *recipe = recipe_of(names, 4);
    struct armtap_cells cells = {NULL, 0, 0};
    (void)unused;
    for (size_t length = 0; length < sizeof text - 1; length++)
        assert_false(is_taken(recipe, text, length, &cells));
    assert_true(is_taken(recipe, text, sizeof text - 1, &cells));
    armtap_recipe_release(recipe);
    armtap_cells_free(&cells);
}

/* ---- samples ---- */

static int ignore(void *user, const struct armtap_record *record)
{
    (void)user;
    (void)record;
    return 0;
}

/* Robots' own messages are read the fast way: all but those that hold objects, and those after a new set-up. */
static void test_samples(void **unused)
{
    static const struct armtap_sink sink = {.size = sizeof sink, .on_record = ignore};
    char pattern[ROOM];
    glob_t samples;
    (void)unused;
    snprintf(pattern, sizeof pattern, "%s/captures/aubo-*.pcap*", getenv("srcdir") ? getenv("srcdir") : ".");
    assert_int_equal(glob(pattern, 0, NULL, &samples), 0);
    assert_in_range(samples.gl_pathc, 5, 99);
    for (size_t i = 0; i < samples.gl_pathc; i++) {
        const char *const names[] = {samples.gl_pathv[i]};
        struct replay_source source = {.names = names, .count = 1};
        struct replay_totals totals;
        aubo_both_ways = (struct aubo_both_ways){0, 0};
        assert_int_equal(replay(&source, &sink, NULL, &totals), EXIT_DONE);
        print_message("%s: %zu of %zu messages taken\n", names[0], aubo_both_ways.taken, aubo_both_ways.tried);
        assert_in_range(aubo_both_ways.tried, 1, SIZE_MAX);
        assert_in_range(aubo_both_ways.tried - aubo_both_ways.taken, 0, aubo_both_ways.tried / 10);
    }
    globfree(&samples);
}

/* ---- ends ---- */

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
    struct armtap_recipe *recipe = any_recipe();
    char text[ROOM];
    long found[3] = {0, 0, 0};
    (void)unused;
    for (int i = 0; i < 40000; i++) {
        struct armtap_aubo_scan scan = {0};
        size_t used;
        make_message(text, recipe);
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
    armtap_recipe_release(recipe);
    for (size_t i = 0; i < 3; i++)
        assert_in_range(found[i], 1000, 39000);
}

/* SEED=n tests other texts. */
int main(void)
{
    if (getenv("SEED"))
        seed = strtoull(getenv("SEED"), NULL, 10) | 1;
    print_message("SEED=%llu\n", (unsigned long long)seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges_of_numbers),
        cmocka_unit_test(test_numbers_of_digits),
        cmocka_unit_test(test_numbers_of_doubles),
        cmocka_unit_test(test_numbers_halfway),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_cut_messages),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_ends_of_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
