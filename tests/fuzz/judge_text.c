#include <string.h>

#include "judge.h"

bool span_is(struct span span, const char *text)
{
    return span.length == strlen(text) && memcmp(span.at, text, span.length) == 0;
}

size_t character(struct span text, unsigned long *number)
{
    static const unsigned long least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)text.at;
    if (text.length == 0)
        return 0;
    size_t length = at[0] < 0x80 ? 1 : at[0] < 0xC0 ? 0 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : at[0] < 0xF8 ? 4 : 0;
    if (length == 0 || length > text.length)
        return 0;
    *number = length == 1 ? at[0] : at[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xC0) != 0x80)
            return 0;
        *number = *number << 6 | (at[i] & 0x3F);
    }
    bool is_surrogate = *number >= 0xD800 && *number <= 0xDFFF;
    return *number < least[length] || *number > 0x10FFFF || is_surrogate ? 0 : length;
}

const char *judge_utf8(struct span text, size_t *at)
{
    unsigned long number;
    for (*at = 0; *at < text.length;) {
        size_t length = character((struct span){text.at + *at, text.length - *at}, &number);
        if (length == 0)
            return "bytes that are no UTF-8";
        if (number == 0)
            return "a NUL";
        *at += length;
    }
    return NULL;
}

static bool is_hidden(unsigned long number)
{
    bool turns = number == 0x61C || number == 0x200E || number == 0x200F || (number >= 0x202A && number <= 0x202E) ||
                 (number >= 0x2066 && number <= 0x2069);
    return number < ' ' || (number >= 0x7F && number <= 0x9F) || turns;
}

const char *judge_shown(struct span text, size_t *at)
{
    unsigned long number;
    const char *wrong = judge_utf8(text, at);
    if (wrong)
        return wrong;
    for (*at = 0; *at < text.length;) {
        size_t length = character((struct span){text.at + *at, text.length - *at}, &number);
        if (is_hidden(number) && number != '\n')
            return "a character that a terminal does not show";
        *at += length;
    }
    return NULL;
}
