/* Script text cut into programs: blocks, strings and comments, bounds, any chunking. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/robot/script_text.h"

/* The programs in `bytes`, pushed in pieces of `step`, each followed by a bar. */
static const char *programs(const char *bytes, size_t length, size_t step, char *out)
{
    struct script_text text;
    size_t written = 0, used;
    script_text_begin(&text, true);
    for (size_t at = 0; at < length; at += used) {
        size_t piece = length - at < step ? length - at : step;
        enum script_outcome outcome = script_text_next(&text, bytes + at, piece, &used);
        assert_true(outcome == SCRIPT_MORE || outcome == SCRIPT_PROGRAM);
        if (outcome == SCRIPT_PROGRAM)
            written += (size_t)sprintf(out + written, "%.*s|", (int)text.length, text.program);
    }
    sprintf(out + written, "%zu", script_text_unfinished(&text));
    assert_int_equal(text.bytes, length);
    script_text_end(&text);
    return out;
}

static const struct {
    const char *sent, *programs; /* then the bytes that are unfinished */
} cases[] = {
    {"movej(p)\n", "movej(p)\n|0"},
    {"movej(p)\r\nstopj(2)\n", "movej(p)\r\n|stopj(2)\n|0"},
    {"movej(p)", "8"},
    {"\n\n  \nstopj(2)\n", "stopj(2)\n|0"},
    {"def f():\n  movej(p)\nend\nstopj(2)\n", "def f():\n  movej(p)\nend\n|stopj(2)\n|0"},
    {"sec s():\n  textmsg(\"a\")\nend\n", "sec s():\n  textmsg(\"a\")\nend\n|0"},
    /* Blocks within, whether indented or not. */
    {"def f():\nwhile True:\nif a:\nb()\nelif c:\nd()\nelse:\ne()\nend\nend\nthread t():\ng()\nend\nend\n",
     "def f():\nwhile True:\nif a:\nb()\nelif c:\nd()\nelse:\ne()\nend\nend\nthread t():\ng()\nend\nend\n|0"},
    /* Words in strings, in comments and within other words open and end nothing. */
    {"def f():\ntextmsg(\"end\") # end\nif_=1\nend_=2\nappend(x)\nend\n",
     "def f():\ntextmsg(\"end\") # end\nif_=1\nend_=2\nappend(x)\nend\n|0"},
    {"textmsg(\"if while def\")\n", "textmsg(\"if while def\")\n|0"},
    {"# def f():\nstopj(2)\n", "stopj(2)\n|0"},
    {"textmsg(\"it's (\")\n# it's \\ (\n", "textmsg(\"it's (\")\n|0"},
    {"def f():\n# it's (\nend\n", "def f():\n# it's (\nend\n|0"},
    /* A call over several lines is one program. */
    {"movej([0,\n0,0],\na=1)\nstopj(2)\n", "movej([0,\n0,0],\na=1)\n|stopj(2)\n|0"},
    {"def f():\nif a: b()\nend\nend\n", "def f():\nif a: b()\nend\nend\n|0"},
    {"def f():\n\n  movej(p)\n\nend\n", "def f():\n\n  movej(p)\n\nend\n|0"},
    /* An end that does not come. */
    {"def f():\nif a:\nend\n", "19"},
};

static void programs_are_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t step = 1; step <= strlen(cases[i].sent); step++) {
            char out[400];
            assert_string_equal(programs(cases[i].sent, strlen(cases[i].sent), step, out), cases[i].programs);
        }
}

/* Where such a program ends is not certain: not a byte of it is given out, nor of what follows. */
static const char *const uncertain[] = {
    "end\n",
    "def f():\ntextmsg('the end')\nend\n",
    "def f():\ntextmsg(\"say \\\" end\")\nend\n",
    "def f():\ntextmsg(\"one\nend\n two\")\nend\n",
    "# c\rdef p():\n",
    "movej(p)\r\r\n",
    "def f():\nlocal sec = 1\nend\n",
    "def f():\nif a: b() end\nend\n",
    "movej(p))\n",
    "movej(if)\n",
    /* Blocks that begin with a word of another release. */
    "def f():\nfor i in x:\na()\nend\nend\n",
    "def f():\nswitch (x):\ncase 1:\na()\nend\nend\nend\n",
    "loop:\na()\nend\n",
    "if a\n:\n",
    "if f(a:b):\n",
    "\xEF\xBB\xBFmovej(p)\n",
    "movej(p)\f\n",
    "x='a'\n",
    "x=\"\\\"\n",
    "x=\"a\n",
};

static void what_is_uncertain_is_not_given_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof uncertain / sizeof *uncertain; i++)
        for (size_t step = 1; step <= strlen(uncertain[i]); step++) {
            struct script_text text;
            size_t used, told = 0, length = strlen(uncertain[i]);
            script_text_begin(&text, true);
            for (size_t at = 0; at < length; at += used) {
                enum script_outcome outcome =
                    script_text_next(&text, uncertain[i] + at, length - at < step ? length - at : step, &used);
                assert_true(outcome == SCRIPT_MORE || outcome == SCRIPT_UNCERTAIN);
                told += outcome == SCRIPT_UNCERTAIN;
            }
            assert_int_equal(told, 1);
            assert_non_null(text.uncertain);
            assert_int_equal(script_text_next(&text, "stopj(2)\n", 9, &used), SCRIPT_MORE);
            assert_int_equal(used, 9);
            assert_int_equal(text.programs, 0);
            script_text_end(&text);
        }
}

/* The words that open and end blocks count wherever they are in a line that is too long to be kept. */
static void long_lines_are_followed_to_their_end(void **state)
{
    static const char begin[] = "x=1 ", end[] = "\ndef p():\n a()\nend\n";
    struct script_text text;
    size_t used, size = sizeof begin - 1 + SCRIPT_PROGRAM_MAX;
    char *bytes = malloc(size + sizeof end);
    (void)state;
    assert_non_null(bytes);
    memset(bytes, ' ', size);
    memcpy(bytes, begin, sizeof begin - 1);
    memcpy(bytes + size, end, sizeof end);
    script_text_begin(&text, true);
    assert_int_equal(script_text_next(&text, bytes, size + sizeof end - 1, &used), SCRIPT_TOO_LONG);
    assert_int_equal(script_text_next(&text, bytes + used, size + sizeof end - 1 - used, &used), SCRIPT_PROGRAM);
    assert_int_equal(text.length, sizeof end - 2);
    script_text_end(&text);
    /* The block begins behind what is kept of the line. */
    memcpy(bytes, "def p():", 8);
    memcpy(bytes + size, "\n if x:\n a()\n ", 14);
    script_text_begin(&text, true);
    assert_int_equal(script_text_next(&text, bytes, size + 14, &used), SCRIPT_MORE);
    assert_int_equal(script_text_next(&text, "end\n", 4, &used), SCRIPT_MORE);
    assert_int_equal(script_text_next(&text, "b()\n", 4, &used), SCRIPT_MORE);
    assert_int_equal(script_text_next(&text, "end\n", 4, &used), SCRIPT_TOO_LONG);
    script_text_end(&text);
    free(bytes);
}

/* A program of `size` bytes: comments between its first and its last line. */
static char *long_program(size_t size)
{
    static const char head[] = "def f():\n", tail[] = "end\n", line[] = "# 3456\n";
    char *bytes = malloc(size + 1);
    assert_non_null(bytes);
    size_t at = (size_t)sprintf(bytes, "%s", head);
    for (; at + sizeof tail - 1 + sizeof line - 1 <= size; at += sizeof line - 1)
        memcpy(bytes + at, line, sizeof line - 1);
    while (at < size - (sizeof tail - 1))
        bytes[at++] = '\n';
    memcpy(bytes + at, tail, sizeof tail);
    return bytes;
}

static void size_is_bounded(size_t size, enum script_outcome expected, size_t step)
{
    struct script_text text;
    char *bytes = long_program(size);
    enum script_outcome outcome = SCRIPT_MORE;
    size_t at = 0, used;
    script_text_begin(&text, true);
    for (; at < size; at += used) {
        outcome = script_text_next(&text, bytes + at, size - at < step ? size - at : step, &used);
        assert_true(text.length <= SCRIPT_PROGRAM_MAX);
        assert_int_equal(outcome, at + used < size ? SCRIPT_MORE : expected);
    }
    assert_int_equal(text.dropped, expected == SCRIPT_TOO_LONG);
    /* What follows is a program of its own again. */
    assert_int_equal(script_text_next(&text, "stopj(2)\n", 9, &used), SCRIPT_PROGRAM);
    assert_int_equal(text.length, 9);
    script_text_end(&text);
    free(bytes);
}

static void long_programs_are_dropped_whole(void **state)
{
    (void)state;
    static const size_t steps[] = {1000, 65536, SIZE_MAX};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        size_is_bounded(SCRIPT_PROGRAM_MAX, SCRIPT_PROGRAM, steps[i]);
        size_is_bounded(SCRIPT_PROGRAM_MAX + 1, SCRIPT_TOO_LONG, steps[i]);
        size_is_bounded(4 * SCRIPT_PROGRAM_MAX, SCRIPT_TOO_LONG, steps[i]);
    }
}

/* A line without an end takes no more memory than a program. */
static void a_line_is_bounded(void **state)
{
    struct script_text text;
    char bytes[4096];
    size_t used;
    (void)state;
    memset(bytes, 'x', sizeof bytes);
    script_text_begin(&text, true);
    for (size_t sent = 0; sent < 5 * SCRIPT_PROGRAM_MAX; sent += sizeof bytes)
        assert_int_equal(script_text_next(&text, bytes, sizeof bytes, &used), SCRIPT_MORE);
    assert_true(text.length <= SCRIPT_PROGRAM_MAX);
    assert_int_equal(script_text_next(&text, "\n", 1, &used), SCRIPT_TOO_LONG);
    script_text_end(&text);
}

static void what_is_not_forwarded_is_only_counted(void **state)
{
    struct script_text text;
    size_t used;
    (void)state;
    script_text_begin(&text, false);
    assert_int_equal(script_text_next(&text, "\n\n  movej", 9, &used), SCRIPT_MORE);
    assert_false(text.first_complete);
    assert_int_equal(script_text_next(&text, "(p)\nstopj(2)\n", 13, &used), SCRIPT_MORE);
    assert_true(text.first_complete);
    assert_string_equal(text.first_line, "  movej(p)");
    assert_int_equal(text.bytes, 22);
    assert_null(text.program);
    script_text_end(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_whole),
        cmocka_unit_test(what_is_uncertain_is_not_given_out),
        cmocka_unit_test(long_lines_are_followed_to_their_end),
        cmocka_unit_test(long_programs_are_dropped_whole),
        cmocka_unit_test(a_line_is_bounded),
        cmocka_unit_test(what_is_not_forwarded_is_only_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
