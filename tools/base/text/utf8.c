#include "utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The length of the sequence of two to four bytes at `text`; 0 if it is not valid (overlong forms and surrogates
 * included). */
static size_t utf8_length(const unsigned char *text, size_t left)
{
    static const struct {
        unsigned char first, last, low, high; /* bounds of the first byte, then of the second */
        size_t length;
    } forms[] = {{0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
                 {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
                 {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (text[0] < forms[i].first || text[0] > forms[i].last)
            continue;
        if (left < forms[i].length || text[1] < forms[i].low || text[1] > forms[i].high)
            return 0;
        for (size_t k = 2; k < forms[i].length; k++)
            if ((text[k] & 0xC0) != 0x80)
                return 0;
        return forms[i].length;
    }
    return 0;
}

bool utf8_is_hidden(uint32_t character)
{
    /* Unicode's categories Cc, Cf, Zl and Zp, except U+200C and U+200D, which Persian, Indic scripts and some emoji
     * need. */
    static const struct {
        uint32_t first, last;
    } hidden[] = {{0x0, 0x1F},        {0x7F, 0x9F},       {0xAD, 0xAD},       {0x600, 0x605},     {0x61C, 0x61C},
                  {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x890, 0x891},     {0x8E2, 0x8E2},     {0x180E, 0x180E},
                  {0x200B, 0x200B},   {0x200E, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},   {0xFEFF, 0xFEFF},
                  {0xFFF9, 0xFFFB},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3},
                  {0x1D173, 0x1D17A}, {0xE0000, 0xE007F}};
    if (character >= ' ' && character <= '~')
        return false;
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (character >= hidden[i].first && character <= hidden[i].last)
            return true;
    return false;
}

size_t utf8_character(const char *text, size_t left, uint32_t *character)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t length = bytes[0] < 0x80 ? 1 : utf8_length(bytes, left);
    *character = length == 4 ? bytes[0] & 7 : length == 3 ? bytes[0] & 15 : length == 2 ? bytes[0] & 31 : bytes[0];
    for (size_t i = 1; i < length; i++)
        *character = *character << 6 | (bytes[i] & 0x3F);
    return length;
}

size_t utf8_shown(const char *text, size_t left)
{
    uint32_t character;
    size_t length = utf8_character(text, left, &character);
    return length == 0 || utf8_is_hidden(character) ? 0 : length;
}

/* Writes the first `kept` bytes of the text unchanged, or, if `kept` is 0, its first byte as \xHH. */
static size_t put_character(char to[UTF8_SHOWN_MAX], const char *text, size_t kept, size_t *used)
{
    *used = kept == 0 ? 1 : kept;
    if (kept == 0)
        return (size_t)snprintf(to, UTF8_SHOWN_MAX, "\\x%02x", (unsigned char)text[0]);
    memcpy(to, text, kept);
    to[kept] = '\0';
    return kept;
}

size_t utf8_show(char to[UTF8_SHOWN_MAX], const char *text, size_t left, size_t *used)
{
    return put_character(to, text, utf8_shown(text, left), used);
}

size_t utf8_store(char to[UTF8_SHOWN_MAX], const char *text, size_t left, size_t *used)
{
    uint32_t character;
    size_t length = utf8_character(text, left, &character);
    return put_character(to, text, character == 0 ? 0 : length, used);
}

bool utf8_is_shown(const char *text)
{
    size_t shown;
    for (; *text != '\0'; text += shown)
        if ((shown = utf8_shown(text, strlen(text))) == 0)
            return false;
    return true;
}
