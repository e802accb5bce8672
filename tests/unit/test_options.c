/* Shared by the commands, besides captures: times as users write them, JSON text, options, recipe files. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/os/names.h"
#include "base/text/json_writer.h"
#include "base/text/nearest_word.h"
#include "command_line/options.h"
#include "input/files/recipe_file.h"
#include "base/terminal/word_wrap.h"
#include "base/numbers/timestamp.h"

#define FILE_NAME "test_options.tmp"

/* ---- times ----------------------------------------------------------------------------------------------------- */

/* Seconds from date -u -d TIME +%s; nanoseconds by hand. */
static void times_to_the_nanosecond(void **state)
{
    static const struct {
        const char *text;
        bool relative;
        int64_t ns;
    } rows[] = {
        {"1970-01-01T00:00:00Z", false, 0},
        {"2026-01-31T12:00:00.5Z", false, INT64_C(1769860800500000000)},
        {"2026-01-31T12:00:00.123456789Z", false, INT64_C(1769860800123456789)},
        {"2026-01-31T13:30:00+01:30", false, INT64_C(1769860800000000000)},
        {"2026-01-31T04:00:00-0800", false, INT64_C(1769860800000000000)},
        {"2026-01-31 12:00:00Z", false, INT64_C(1769860800000000000)},
        {"2024-02-29T23:59:59Z", false, INT64_C(1709251199000000000)},
        {"2000-03-01T00:00:00Z", false, INT64_C(951868800000000000)},
        {"1969-12-31T23:59:59.25Z", false, INT64_C(-750000000)},
        {"2100-03-01T00:00:00Z", false, INT64_C(4107542400000000000)},
        {"1769860800.5", false, INT64_C(1769860800500000000)},
        {"1700000000.123456789", false, INT64_C(1700000000123456789)},
        {"1700000000.123456789000", false, INT64_C(1700000000123456789)},
        {"0", false, 0},
        {"+10.5", true, INT64_C(10500000000)},
        {"+0.000000001", true, 1},
        {"+1m", true, INT64_C(60000000000)},
        {"+2h", true, INT64_C(7200000000000)},
        {"+1h30m1.5s", true, INT64_C(5401500000000)},
        {"+1.5m", true, INT64_C(90000000000)},
        {"+1s250ms", true, INT64_C(1250000000)},
        {"+1.5ms", true, 1500000},
        {"-10m", false, INT64_C(600000000000)},
        {"-0.25", false, 250000000},
        {"2026-01-31", false, INT64_C(1769817600000000000)},
        {"2026-01-31 12:00", false, INT64_C(1769860800000000000)},
        {"2026-01-31T12:00Z", false, INT64_C(1769860800000000000)},
        {"2026-01-31T12:00:00.5", false, INT64_C(1769860800500000000)},
    };
    struct timestamp when;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (timestamp_parse(rows[i].text, &when) != 0)
            fail_msg("%s is a time", rows[i].text);
        assert_true(when.given);
        assert_int_equal(when.relative, rows[i].relative);
        if (when.ns != rows[i].ns)
            fail_msg("%s: %lld ns", rows[i].text, (long long)when.ns);
    }
}

static void what_is_no_time(void **state)
{
    static const char *const texts[] = {"",
                                        "x",
                                        "+",
                                        "-",
                                        "-5x",
                                        "+1s1",
                                        "+1ms1s",
                                        "2026-01-31T12",
                                        "2026-01-31T12:00:",
                                        "2026-01",
                                        "2026-01-31x",
                                        "1.",
                                        ".5",
                                        "1.5s",
                                        "+1m2h",
                                        "+1x",
                                        "+1h30",
                                        "+m",
                                        "+99999999999h",
                                        "24:00:00",
                                        "08:60:00",
                                        "08:53:60",
                                        "8:53:30",
                                        "08:53:",
                                        "08:53:30ZZ",
                                        "08:53:30+01:00",
                                        "08:53:30.",
                                        "1e3",
                                        "0x10",
                                        "1.0000000001",
                                        "99999999999",
                                        "99999999999999999999",
                                        "2026-13-01T00:00:00Z",
                                        "2026-02-29T00:00:00Z",
                                        "2026-00-01T00:00:00Z",
                                        "2026-01-00T00:00:00Z",
                                        "2026-01-31T24:00:00Z",
                                        "2026-01-31T12:60:00Z",
                                        "2026-01-31T12:00:61Z",
                                        "2026-1-31T12:00:00Z",
                                        "2026-01-31T12:00:00ZZ",
                                        "2026-01-31T12:00:00+1",
                                        "9999-01-01T00:00:00Z"};
    struct timestamp when;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (timestamp_parse(texts[i], &when) == 0)
            fail_msg("'%s' is not a time", texts[i]);
}

static void relative_times(void **state)
{
    struct timestamp when;
    (void)state;
    assert_int_equal(timestamp_parse("+1.5", &when), 0);
    assert_true(timestamp_resolve(&when, INT64_C(1700000000000000001), TIMESTAMP_UTC) == INT64_C(1700000001500000001));
    assert_true(timestamp_resolve(&when, ARMTAP_NO_TIME, TIMESTAMP_UTC) == ARMTAP_NO_TIME);
    assert_int_equal(timestamp_parse("+9000000000", &when), 0);
    assert_true(timestamp_resolve(&when, INT64_C(1700000000000000000), TIMESTAMP_UTC) == INT64_MAX);
    assert_int_equal(timestamp_parse("7", &when), 0);
    assert_true(timestamp_resolve(&when, 5, TIMESTAMP_UTC) == INT64_C(7000000000));
}

/* Zones that the C libraries of all systems know. */
#define EAST "CET-1"
#define WEST "EST5EDT"
/* One with rules of its own, which that of Windows does not. */
#define RULES "CET-1CEST,M3.5.0,M10.5.0/3"

static bool is_known(const char *zone)
{
    return !ON_WINDOWS || !zone || strcmp(zone, RULES) != 0;
}

/* Expected values come from date -d 'TZ="ZONE" DAY TIME' +%s. */
static void times_of_day(void **state)
{
    static const struct {
        const char *zone, *text;
        int64_t first, expected; /* s */
    } rows[] = {
        {NULL, "08:53:30", 1769849610, 1769849610}, /* the first packet's own */
        {NULL, "08:53:30", 1769849611, 1769936010}, /* a second earlier: the next day's */
        {NULL, "08:53", 1769849000, 1769849580},    /* later that day */
        {NULL, "00:00:00", 1769903999, 1769904000}, /* midnight in the capture */
        {NULL, "23:59:59", -2, -1},                 /* before 1970 */
        {EAST, "09:53:30", 1769849000, 1769849610},
        {EAST, "00:30:00", 1769898600, 1769902200},
        {RULES, "02:30:00", 1774740000, 1774830600}, /* 2026-03-29 skips this time: the 30th's */
        {RULES, "03:30:00", 1774740000, 1774747800}, /* right after clocks went forward */
        {WEST, "02:30:00", 1772947200, 1773037800},  /* 2026-03-08 skips this time: the 9th's */
        {WEST, "03:30:00", 1772947200, 1772955000},  /* right after clocks went forward */
        {WEST, "20:00:00", 1769904000, 1769907600},
        {WEST, "01:00:00Z", 1769904000, 1769907600}, /* UTC in any zone */
        {NULL, "08:53:30Z", 1769849610, 1769849610},
    };
    struct timestamp when;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!is_known(rows[i].zone))
            continue;
        setenv("TZ", rows[i].zone ? rows[i].zone : "UTC0", 1);
        assert_int_equal(timestamp_parse(rows[i].text, &when), 0);
        int64_t got =
            timestamp_resolve(&when, rows[i].first * 1000000000, rows[i].zone ? TIMESTAMP_LOCAL : TIMESTAMP_UTC);
        if (got != rows[i].expected * 1000000000)
            fail_msg("row %zu: %s after %lld is not %lld", i, rows[i].text, (long long)rows[i].first, (long long)got);
    }
    /* At half a second past, the quarter second has passed. */
    assert_int_equal(timestamp_parse("08:53:30.25", &when), 0);
    assert_true(timestamp_resolve(&when, INT64_C(1769849610500000000), TIMESTAMP_UTC) == INT64_C(1769936010250000000));
    assert_true(timestamp_resolve(&when, ARMTAP_NO_TIME, TIMESTAMP_UTC) == ARMTAP_NO_TIME);
    unsetenv("TZ");
}

/* Expected values come from TZ=ZONE date -d TEXT +%s. */
static void dates_of_a_zone(void **state)
{
    static const struct {
        const char *zone, *text;
        int64_t expected; /* s */
    } rows[] = {
        {EAST, "2026-01-31 12:00", 1769857200}, {EAST, "2026-07-31", 1785452400},
        {RULES, "2026-07-31", 1785448800},      {RULES, "2026-10-25 03:00", 1792893600},
        {WEST, "2026-11-01 02:00", 1793516400}, {WEST, "2026-03-08 01:59:59", 1772953199},
        {WEST, "2026-03-08 03:30", 1772955000}, {WEST, "2026-03-08T03:30Z", 1772940600},
    };
    struct timestamp when;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!is_known(rows[i].zone))
            continue;
        setenv("TZ", rows[i].zone, 1);
        assert_int_equal(timestamp_parse(rows[i].text, &when), 0);
        if (timestamp_resolve(&when, 0, TIMESTAMP_LOCAL) != rows[i].expected * 1000000000)
            fail_msg("%s: %lld ns", rows[i].text, (long long)timestamp_resolve(&when, 0, TIMESTAMP_LOCAL));
    }
    unsetenv("TZ");
}

static void ranges(void **state)
{
    const int64_t first = INT64_C(1769860800000000000), hour = INT64_C(3600000000000);
    struct timestamp from, to;
    (void)state;
    assert_int_equal(timestamp_parse("23:00", &from), 0);
    assert_int_equal(timestamp_parse("01:00", &to), 0);
    struct timestamp_range range = timestamp_range(&from, &to, first, TIMESTAMP_UTC);
    assert_true(range.from == first + 11 * hour && range.to == first + 13 * hour);
    assert_false(timestamp_is_swapped(&from, &to));
    assert_int_equal(timestamp_parse("-2h", &from), 0);
    assert_int_equal(timestamp_parse("-3h", &to), 0);
    assert_true(timestamp_is_swapped(&from, &to));
    timestamp_count_back(&from, first);
    timestamp_count_back(&to, first);
    range = timestamp_range(&from, &to, first - 9 * hour, TIMESTAMP_UTC);
    assert_true(range.from == first - 2 * hour && range.to == first - 3 * hour);
    const struct timestamp none = {.given = false};
    range = timestamp_range(&none, &none, first, TIMESTAMP_UTC);
    assert_true(range.from == INT64_MIN && range.to == INT64_MAX);
}

static void local_dates(void **state)
{
    char text[WHEN_DATE_MAX];
    (void)state;
    setenv("TZ", EAST, 1);
    timestamp_date(text, INT64_C(1769860800500000000), TIMESTAMP_LOCAL);
    assert_string_equal(text, "2026-01-31T13:00:00.500000000+01:00");
    setenv("TZ", WEST, 1);
    timestamp_date(text, INT64_C(1784894400000000000), TIMESTAMP_LOCAL);
    assert_string_equal(text, "2026-07-24T08:00:00.000000000-04:00");
    setenv("TZ", "NST3:30", 1);
    timestamp_date(text, INT64_C(1769860800000000001), TIMESTAMP_LOCAL);
    assert_string_equal(text, "2026-01-31T08:30:00.000000001-03:30");
    timestamp_date(text, INT64_C(1769860800000000001), TIMESTAMP_UTC);
    assert_string_equal(text, "2026-01-31T12:00:00.000000001Z");
    unsetenv("TZ");
}

static void dates(void **state)
{
    char text[WHEN_DATE_MAX];
    struct timestamp when;
    (void)state;
    timestamp_date(text, INT64_C(1709251199000000001), TIMESTAMP_UTC);
    assert_string_equal(text, "2024-02-29T23:59:59.000000001Z");
    timestamp_date(text, -1, TIMESTAMP_UTC);
    assert_string_equal(text, "1969-12-31T23:59:59.999999999Z");
    timestamp_date(text, INT64_MAX, TIMESTAMP_UTC);
    assert_string_equal(text, "2262-04-11T23:47:16.854775807Z");
    timestamp_date(text, INT64_MIN + 1, TIMESTAMP_UTC);
    assert_string_equal(text, "1677-09-21T00:12:43.145224193Z");
    /* Every date reads back, across leap years and centuries. */
    for (int64_t day = -30000; day < 90000; day += 7) {
        int64_t ns = day * INT64_C(86400000000000) + 123;
        timestamp_date(text, ns, TIMESTAMP_UTC);
        assert_int_equal(timestamp_parse(text, &when), 0);
        assert_true(when.ns == ns);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------------------------ */

static void expect_quoted(const char *text, size_t length, const char *expected)
{
    char out[200];
    assert_true(JSON_QUOTED_MAX(length) <= sizeof out);
    size_t written = json_quote(out, text, length);
    assert_true(written <= JSON_QUOTED_MAX(length));
    out[written] = '\0';
    assert_string_equal(out, expected);
}

static void json_strings(void **state)
{
    (void)state;
    expect_quoted("", 0, "\"\"");
    expect_quoted("a\"b\\c/", 6, "\"a\\\"b\\\\c/\"");
    expect_quoted("\n\r\t\b\f\0\x1f\x7f", 8, "\"\\n\\r\\t\\b\\f\\\\x00\\u001f\\u007f\"");
    expect_quoted("\xC3\xA9\xE2\x82\xAC\xF0\x9F\xA4\x96", 9, "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\xA4\x96\"");
    /* cut, stray, overlong, surrogate, beyond U+10FFFF */
    expect_quoted("\xC3", 1, "\"\\\\xc3\"");
    expect_quoted("\x80z", 2, "\"\\\\x80z\"");
    expect_quoted("\xC0\x80", 2, "\"\\\\xc0\\\\x80\"");
    expect_quoted("\xED\xA0\x80", 3, "\"\\\\xed\\\\xa0\\\\x80\"");
    expect_quoted("\xF4\x90\x80\x80", 4, "\"\\\\xf4\\\\x90\\\\x80\\\\x80\"");
    /* control, text direction, a byte order mark, a tag beyond 16 bits; joiners of letters are kept */
    expect_quoted("\xC2\x9B\xE2\x80\xAE\xEF\xBB\xBF", 8, "\"\\u009b\\u202e\\ufeff\"");
    expect_quoted("\xF3\xA0\x80\x81", 4, "\"\\udb40\\udc01\"");
    expect_quoted("a\xE2\x80\x8D", 4, "\"a\xE2\x80\x8D\"");
}

/* Long texts are written in parts; no part ends inside a character, whatever surrounds it. */
static void json_spans_keep_characters(void **state)
{
    static const char robot[] = "\xF0\x9F\xA4\x96", stray[] = "\x80\x80\x80";
    (void)state;
    for (size_t before = 50; before < 70; before++) {
        char text[100], wanted[200];
        size_t length = (size_t)snprintf(text, sizeof text, "%0*d%s%s", (int)before, 7, robot, stray);
        FILE *file = tmpfile();
        assert_non_null(file);
        struct json json;
        json_begin(&json, file);
        json_span(&json, text, length);
        char *out = take_text(file);
        snprintf(wanted, sizeof wanted, "\"%0*d%s\\\\x80\\\\x80\\\\x80\"", (int)before, 7, robot);
        assert_string_equal(out, wanted);
        free(out);
    }
}

static void json_writer(void **state)
{
    char expected[2000], text[201];
    FILE *file = tmpfile();
    struct json json;
    (void)state;
    assert_non_null(file);
    memset(text, 'x', 60);
    strcpy(text + 60, "ab\xF0\x9F\xA4\x96z"); /* four bytes across the 64th */
    json_begin(&json, file);
    json_object(&json, true);
    json_key(&json, "a");
    json_array(&json, false);
    json_unsigned(&json, UINT64_MAX);
    json_signed(&json, INT64_MIN);
    json_decimal(&json, INT64_C(-1), 9);
    json_decimal(&json, INT64_C(1700000000123456789), 9);
    json_decimal(&json, INT64_MIN, 9);
    json_text(&json, NULL);
    json_bool(&json, true);
    json_close(&json);
    json_key(&json, "t");
    json_text(&json, text);
    json_key(&json, "e");
    json_object(&json, true);
    json_end(&json);
    char *got = take_text(file);
    snprintf(expected, sizeof expected,
             "{\n  \"a\": [18446744073709551615, -9223372036854775808, -0.000000001, 1700000000.123456789, "
             "-9223372036.854775808, null, true],\n  \"t\": \"%s\",\n  \"e\": {}\n}\n",
             text);
    assert_string_equal(got, expected);
    free(got);
}

/* ---- options --------------------------------------------------------------------------------------------------- */

/* The rows are as options.def writes them. */
struct
try {
    const char *output, *list;
    bool split, quiet, has_count, also, reads, decimal;
    unsigned count;
    uint64_t big;
    double real;
    enum { FIRST = 3, SECOND, THIRD } word;
    struct timestamp time;
    unsigned times;
};

static int read_list(const struct option_row *row, const char *value, void *place)
{
    struct try *try = place;
    assert_string_equal(row->name, "list");
    try->list = value;
    try->times++;
    return strcmp(value, "bad") == 0 ? -1 : 0;
}

#define OPTIONS_STRUCT                                                                                                 \
    struct                                                                                                             \
    try
/* clang-format off */
static const struct option_row rows[] = {
    OPTION('o', "output", "OUT", TEXT(output), HELP(""))
    OPTION(0, "split", NULL, FLAG(split), CLASHES("count time", "is alone"), HELP(""))
    OPTION('q', "quiet", NULL, FLAG(quiet), HELP(""))
    OPTION(0, "count", "N", NUMBER(count, 2, 9), SETS(has_count), HELP(""))
    OPTION(0, "big", "N", NUMBER(big, 0, UINT64_MAX), HELP(""))
    OPTION(0, "real", "X", REAL(real, 0.5, 2, "a half to two"), HELP(""))
    OPTION(0, "word", "HOW", WORD(word, "first, second or third", FIRST), HELP(""))
    OPTION(0, "time", "T", TIME(time), HELP(""))
    OPTION(0, "list", "X", READ(read_list), REPEATS, HELP(""))
    OPTION(0, "also", NULL, FLAG(also), NEEDS("split"), HELP(""))
    OPTION(0, "reads", NULL, FLAG(reads), CHOOSES("output", "reads nothing"), READS_NOTHING, HELP(""))
    OPTION(0, "decimal", NULL, FLAG(decimal), CHOOSES("output", "is another mode"), HELP(""))
    OPTION(0, "then", NULL, FLAG(also), NEEDS("decimal"), HELP(""))
    OPTION(0, "last", NULL, FLAG(also), NEEDS("then"), HELP(""))
    OPTION(0, "live", "T", TIME(time), FROM(SOURCE_LIVE), HELP(""))
    {.read = NULL}
};
/* clang-format on */
#undef OPTIONS_STRUCT
static const struct option_usage usage = {.command = "try",
                                          .arguments = "",
                                          .summary = "",
                                          .rows = rows,
                                          .groups = DECODES | READS_DUMPS | GUESSES | READS_CAPTURES | READS_LIVE,
                                          .examples = ""};

static enum options_outcome parse(struct options *options, struct try *try, char **words)
{
    int count = 0;
    while (words[count])
        count++;
    *try = (struct try){.count = 0};
    return options_parse(&usage, count, words, options, try);
}
#define PARSE(...) parse(&options, &try, (char *[]){__VA_ARGS__, NULL})

static void no_options_of_its_own(void **state)
{
    static const struct option_usage bare = {.command = "try", .arguments = "", .summary = "", .examples = ""};
    char *words[] = {"a", "b", NULL}, *unknown[] = {"--output=x", NULL};
    struct options options;
    (void)state;
    assert_int_equal(options_parse(&bare, 2, words, &options, NULL), OPTIONS_RUN);
    assert_int_equal(options.operand_count, 2);
    options_free(&options);
    assert_int_equal(options_parse(&bare, 1, unknown, &options, NULL), OPTIONS_BAD);
}

static void options_in_all_forms(void **state)
{
    struct options options;
    struct try try;
    (void)state;
    assert_int_equal(PARSE("a", "--output=x=y", "-q", "--port", "3=rtde", "--port=65535=realtime", "-", "--threads=3",
                           "--", "--split", "-o"),
                     OPTIONS_RUN);
    assert_string_equal(try.output, "x=y");
    assert_true(try.quiet && !try.split);
    assert_int_equal(options.threads, 3);
    assert_int_equal(options.source.count, 4);
    assert_string_equal(options.source.names[0], "a");
    assert_string_equal(options.source.names[1], "-");
    assert_string_equal(options.source.names[2], "--split");
    assert_int_equal(options.source.port_count, 2);
    assert_int_equal(options.source.ports[0].port, 3);
    assert_int_equal(options.source.ports[0].protocol, ARMTAP_RTDE);
    assert_int_equal(options.source.ports[1].port, 65535);
    assert_int_equal(options.source.ports[1].protocol, ARMTAP_REALTIME);
    options_free(&options);
    assert_int_equal(PARSE("a", "-oz"), OPTIONS_RUN);
    assert_string_equal(try.output, "z");
    options_free(&options);
    assert_int_equal(PARSE("a", "-qo", "w"), OPTIONS_RUN);
    assert_true(try.quiet);
    assert_string_equal(try.output, "w");
    options_free(&options);
}

static void values_of_all_kinds(void **state)
{
    struct options options;
    struct try try;
    (void)state;
    assert_int_equal(PARSE("a", "--count", "9", "--big=18446744073709551615", "--real", "1.25", "--word", "second",
                           "--time", "+1.5", "--list", "x", "--list", "y"),
                     OPTIONS_RUN);
    assert_int_equal(try.count, 9);
    assert_true(try.has_count && try.big == UINT64_MAX && try.real == 1.25);
    assert_int_equal(try.word, SECOND);
    assert_true(try.time.relative && try.time.ns == 1500000000);
    assert_int_equal(try.times, 2);
    assert_string_equal(try.list, "y");
    size_t given = 0;
    while (options_given_at(&options, given))
        given++;
    assert_int_equal(given, 6);
    assert_string_equal(options_given_at(&options, 0)->name, "count");
    options_free(&options);
    assert_int_equal(PARSE("a", "--count", "1"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--count", "10"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--big", "18446744073709551616"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--real", "2.5"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--real", "nan"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--real", "1x"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--word", "or"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--word", "firs"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--time", "now"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--list", "bad"), OPTIONS_BAD);
}

static void what_the_rules_refuse(void **state)
{
    struct options options;
    struct try try;
    (void)state;
    assert_int_equal(PARSE("a", "--split", "--split"), OPTIONS_BAD); /* twice */
    assert_int_equal(PARSE("a", "-o", "x", "--output", "x"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--port", "1=rtde", "--port", "1=realtime"), OPTIONS_BAD); /* cannot carry both */
    assert_int_equal(PARSE("a", "--time", "1", "--split"), OPTIONS_BAD);                   /* they clash */
    assert_int_equal(PARSE("a", "--also"), OPTIONS_BAD);                                   /* it needs another */
    assert_int_equal(PARSE("--reads", "a"), OPTIONS_BAD);                                  /* a mode without operands */
    assert_int_equal(PARSE("--reads", "-q"), OPTIONS_BAD); /* a mode that does not list it */
    assert_int_equal(PARSE("--reads", "--port", "1=rtde"), OPTIONS_BAD);
    assert_int_equal(PARSE("--reads", "--decimal"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--decimal", "-q"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--live", "1"), OPTIONS_BAD); /* of another source */
    assert_int_equal(PARSE("a", "--local"), OPTIONS_BAD);     /* of other commands */
    assert_int_equal(PARSE("--reads", "-o", "x", "--threads", "2"), OPTIONS_RUN);
    options_free(&options);
    assert_int_equal(PARSE("--reads", "-o", "x", "--split", "--also"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--decimal", "--last"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--decimal", "--then", "--last"), OPTIONS_RUN);
    options_free(&options);
    assert_int_equal(PARSE("a", "--decimal", "--output=x", "--port", "1=rtde"), OPTIONS_RUN);
    options_free(&options);
    assert_int_equal(PARSE("a", "--split", "--also"), OPTIONS_RUN);
    options_free(&options);
}

static void options_that_make_no_sense(void **state)
{
    struct options options;
    struct try try;
    (void)state;
    assert_int_equal(PARSE(NULL), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--outputs", "x"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--out", "x"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "-x"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--output"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--split=1"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--port", "0=rtde"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--port", "65536=rtde"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--port", "30004"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--port", "30004=modbus"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--port", "=rtde"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--threads", "0"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--threads", "99999999999999999999999"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--raw", "x"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "-i", "lo"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--filter", "tcp"), OPTIONS_BAD);
    assert_int_equal(PARSE("-", "-"), OPTIONS_BAD);
    assert_int_equal(PARSE("a", "--recipe", "no/such/file"), OPTIONS_BAD);
}

static void nearest_names(void **state)
{
    static const char *const names[] = {"info", "export", "fields", "f"};
    (void)state;
    assert_string_equal(word_nearest("inf", names, 4), "info");
    assert_string_equal(word_nearest("exprot", names, 4), "export");
    assert_string_equal(word_nearest("filds", names, 4), "fields");
    assert_string_equal(word_nearest("ex", names, 4), "export");
    assert_null(word_nearest("diagnose", names, 4));
    assert_null(word_nearest("zz", names, 4));
}

/* ---- recipe files ---------------------------------------------------------------------------------------------- */

static int read_recipe(const char *text, struct armtap_recipe **recipe)
{
    FILE *file = fopen(FILE_NAME, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    *recipe = NULL;
    int outcome = recipe_file_read(FILE_NAME, recipe);
    remove(FILE_NAME);
    return outcome;
}

static void recipes_of_both_kinds(void **state)
{
    static const char *const texts[] = {
        "timestamp DOUBLE\nactual_q VECTOR6D\nmy_own UINT8\n",
        "# a comment\r\n\r\n  timestamp\tDOUBLE # another\r\nactual_q\nmy_own UINT8",
        ("<?xml version=\"1.0\"?>\n<rtde_config>\n<recipe key=\"in\"><field name=\"x\" type=\"BOOL\"/></recipe>"
         "<recipe key=\"out\"><field name=\"timestamp\" type=\"DOUBLE\"/><field name=\"actual_q\" type=\"VECTOR6D\"/>"
         "<field name=\"my_own\" type=\"UINT8\"/></recipe>"
         "<recipe key=\"late\"><field name=\"y\" type=\"BOOL\"/></recipe></rtde_config>"),
        ("<rtde_config><recipe key=\"state\"><field name='timestamp' type='DOUBLE'/><field name='actual_q'/>"
         "<field name='my_own' type='UINT8'/></recipe><recipe><field name='y' type='BOOL'/></recipe></rtde_config>"),
    };
    struct armtap_recipe *recipe;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(read_recipe(texts[i], &recipe), 0);
        assert_int_equal(armtap_recipe_count(recipe), 3);
        assert_int_equal(armtap_recipe_size(recipe), 8 + 48 + 1);
        assert_string_equal(armtap_recipe_at(recipe, 1)->name, "actual_q");
        assert_string_equal(armtap_recipe_at(recipe, 2)->name, "my_own");
        armtap_recipe_release(recipe);
    }
}

static void recipes_that_are_none(void **state)
{
    static const char *const texts[] = {
        "",
        "\n# nothing\n",
        "unknown_field\n",
        "timestamp DOUBLE extra\n",
        "timestamp REAL\n",
        "timestamp NOT_FOUND\n",
        "timestamp,actual_q DOUBLE,VECTOR6D\n",
        "<rtde_config/>",
        "<rtde_config><recipe key='out'></recipe></rtde_config>",
        "<rtde_config><recipe key='out'><field name='a' type='DOUBLE'/></rtde_config>",
        "<recipe><field type='DOUBLE'/></recipe>",
        "<recipe><field name='a,b' type='DOUBLE'/></recipe>",
        "<!DOCTYPE x [<!ENTITY e 'DOUBLE'>]><recipe><field name='a' type='&e;'/></recipe>",
        "<"};
    struct armtap_recipe *recipe;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (read_recipe(texts[i], &recipe) == 0)
            fail_msg("'%s' is not a recipe", texts[i]);
}

static void names_that_follow(void **state)
{
    (void)state;
    assert_true(text_name_follows("register_9", "register_10"));
    assert_true(text_name_follows("rt_103", "rt_104"));
    assert_false(text_name_follows("register_9", "register_11"));
    assert_false(text_name_follows("register_9", "registers_10"));
    assert_false(text_name_follows("actual_q", "actual_qd"));
    assert_false(text_name_follows("a_99999999999", "a_100000000000"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_to_the_nanosecond),
        cmocka_unit_test(what_is_no_time),
        cmocka_unit_test(relative_times),
        cmocka_unit_test(times_of_day),
        cmocka_unit_test(dates_of_a_zone),
        cmocka_unit_test(ranges),
        cmocka_unit_test(local_dates),
        cmocka_unit_test(dates),
        cmocka_unit_test(json_strings),
        cmocka_unit_test(json_spans_keep_characters),
        cmocka_unit_test(json_writer),
        cmocka_unit_test(no_options_of_its_own),
        cmocka_unit_test(options_in_all_forms),
        cmocka_unit_test(values_of_all_kinds),
        cmocka_unit_test(what_the_rules_refuse),
        cmocka_unit_test(options_that_make_no_sense),
        cmocka_unit_test(nearest_names),
        cmocka_unit_test(recipes_of_both_kinds),
        cmocka_unit_test(recipes_that_are_none),
        cmocka_unit_test(names_that_follow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
