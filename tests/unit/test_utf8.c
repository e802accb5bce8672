/* How texts from controllers are printed: which characters are shown and which are escaped, in wrapped lines and in
 * messages. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/terminal/word_wrap.h"
#include "base/text/utf8.h"

static const struct {
    const char *bytes, *shown;
} texts[] = {
    {"plain \"text\"", "plain \"text\""},
    {"Se\xc3\xb1or", "Se\xc3\xb1or"},
    {"\xe5\xae\x89\xe5\x85\xa8", "\xe5\xae\x89\xe5\x85\xa8"},
    {"\xf0\x9f\xa6\xbe", "\xf0\x9f\xa6\xbe"},
    {"a\tb\x1b[31m\x7f", "a\\x09b\\x1b[31m\\x7f"},
    {"Se\xf1or", "Se\\xf1or"},
    {"\xc2\x9b", "\\xc2\\x9b"},
    {"\xc2\xa0", "\xc2\xa0"},
    {"\xd8\x9c", "\\xd8\\x9c"},
    {"\xe2\x80\x8d", "\xe2\x80\x8d"}, /* joins characters, as in Persian */
    {"\xe2\x80\x8f", "\\xe2\\x80\\x8f"},
    {"\xe2\x80\xae", "\\xe2\\x80\\xae"},
    {"\xe2\x81\xa9", "\\xe2\\x81\\xa9"},
    {"\xef\xbb\xbf", "\\xef\\xbb\\xbf"},
    {"\xf3\xa0\x80\xa1", "\\xf3\\xa0\\x80\\xa1"},
    {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
    {"\xc0\xaf", "\\xc0\\xaf"},
    {"\xe5\xae", "\\xe5\\xae"},
};

static void what_shows_is_kept(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char out[100] = "", shown[UTF8_SHOWN_MAX];
        const char *text = texts[i].bytes;
        for (size_t left = strlen(text), used; left > 0; left -= used, text += used) {
            size_t length = utf8_show(shown, text, left, &used);
            assert_int_equal(length, strlen(shown));
            strcat(out, shown);
        }
        assert_string_equal(out, texts[i].shown);
    }
}

static void words_are_as_wide_as_they_show(void **state)
{
    FILE *file = tmpfile();
    (void)state;
    assert_non_null(file);
    struct text_wrap wrap = text_wrap_begin(file, 0, 0);
    for (int i = 0; i < 26; i++)
        text_wrap_word(&wrap, i == 0 ? "\xc3\xb1\xc3\xb1\xc3\xb1" : "\xc3\xb1\xc3\xb1");
    text_wrap_word(&wrap, "\xc3\xb1");
    assert_int_equal(wrap.column, 80);
    text_wrap_word(&wrap, "\xc3\xb1");
    text_wrap_end(&wrap);
    wrap = text_wrap_begin(file, 0, 0);
    text_wrap_word(&wrap, "\xf1\xf1");
    assert_int_equal(wrap.column, 8);
    text_wrap_end(&wrap);
    char *out = take_text(file);
    assert_non_null(strstr(out, " \xc3\xb1\n\xc3\xb1\n\\xf1\\xf1\n"));
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_shows_is_kept),
        cmocka_unit_test(words_are_as_wide_as_they_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
