#include "utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

size_t utf8_length(const unsigned char *text, size_t left)
{
    static const struct {
        unsigned char first, last, low, high; /* of the first byte; of the second byte */
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

/* Of control, separators of lines, marks that turn the direction of what follows, tags. */
static bool is_hidden(uint32_t character)
{
    static const struct {
        uint32_t first, last;
    } hidden[] = {{0x80, 0x9F},     {0x61C, 0x61C},   {0x200E, 0x200F}, {0x2028, 0x202E},
                  {0x2066, 0x2069}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (character >= hidden[i].first && character <= hidden[i].last)
            return true;
    return false;
}

size_t utf8_shown(const char *text, size_t left)
{
    const unsigned char *bytes = (const unsigned char *)text;
    if (bytes[0] < 0x80)
        return bytes[0] >= 0x20 && bytes[0] != 0x7F;
    size_t length = utf8_length(bytes, left);
    uint32_t character = length == 4 ? bytes[0] & 7 : length == 3 ? bytes[0] & 15 : bytes[0] & 31;
    for (size_t i = 1; i < length; i++)
        character = character << 6 | (bytes[i] & 0x3F);
    return length == 0 || is_hidden(character) ? 0 : length;
}

size_t utf8_show(char to[UTF8_SHOWN_MAX], const char *text, size_t left, size_t *used)
{
    size_t shown = utf8_shown(text, left);
    *used = shown == 0 ? 1 : shown;
    if (shown == 0)
        return (size_t)snprintf(to, UTF8_SHOWN_MAX, "\\x%02x", (unsigned char)text[0]);
    for (size_t i = 0; i < shown; i++)
        to[i] = text[i];
    to[shown] = '\0';
    return shown;
}
