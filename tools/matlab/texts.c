#include "store.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The code point of valid UTF-8 at *at; advances it. */
static uint32_t code_point(const char **at)
{
    const unsigned char *byte = (const unsigned char *)*at;
    unsigned more = *byte < 0xc0 ? 0 : *byte < 0xe0 ? 1 : *byte < 0xf0 ? 2 : 3;
    uint32_t code = more == 0 ? *byte : *byte & (0x3fu >> more);
    for (unsigned i = 1; i <= more; i++)
        code = code << 6 | (byte[i] & 0x3f);
    *at += 1 + more;
    return code;
}

size_t matlab_units(const char *text, size_t length, uint16_t *out, size_t stride, size_t room)
{
    size_t units = 0;
    for (const char *at = text; at < text + length;) {
        uint32_t code = code_point(&at);
        size_t needed = code >= 0x10000 ? 2 : 1;
        if (units + needed > room)
            return units;
        if (needed == 2)
            out[units++ * stride] = (uint16_t)(0xd800 + ((code - 0x10000) >> 10));
        out[units++ * stride] = needed == 2 ? (uint16_t)(0xdc00 + ((code - 0x10000) & 0x3ff)) : (uint16_t)code;
    }
    return units;
}

/* Four hexadecimal digits. */
static uint16_t escaped_unit(const char *digits)
{
    unsigned unit = 0;
    for (unsigned i = 0; i < 4; i++) {
        char digit = digits[i];
        unit = unit << 4 | (unsigned)(digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10);
    }
    return (uint16_t)unit;
}

size_t matlab_json_units(const char *text, size_t length, uint16_t *out, size_t stride, size_t room)
{
    static const char codes[] = "bfnrt", meant[] = "\b\f\n\r\t";
    const char *at = text + 1, *end = text + length - 1;
    size_t units = 0;
    while (at < end && units < room) {
        size_t plain = 0;
        while (at + plain < end && at[plain] != '\\')
            plain++;
        units += matlab_units(at, plain, out + units * stride, stride, room - units);
        at += plain;
        if (at + 1 >= end || units == room)
            break;
        const char *code = strchr(codes, at[1]);
        bool is_unit = at[1] == 'u' && end - at >= 6;
        out[units++ * stride] = is_unit ? escaped_unit(at + 2) : (uint16_t)(code ? meant[code - codes] : at[1]);
        at += is_unit ? 6 : 2;
    }
    return units;
}

enum matlab_json_kind matlab_json_kind_of(const char *text, size_t length)
{
    char digits[24];
    if (*text == '"')
        return MATLAB_JSON_STRING;
    if (*text == 't' || *text == 'f')
        return MATLAB_JSON_TRUTH;
    if (*text != '-' && (*text < '0' || *text > '9'))
        return MATLAB_JSON_OTHER;
    bool is_whole = !memchr(text, '.', length) && !memchr(text, 'e', length) && !memchr(text, 'E', length);
    if (!is_whole || length < 16)
        return MATLAB_JSON_NUMBER;
    if (length >= sizeof digits)
        return MATLAB_JSON_OTHER;
    memcpy(digits, text, length);
    digits[length] = '\0';
    return strtoull(digits + (*digits == '-'), NULL, 10) <= MATLAB_WHOLE_MAX ? MATLAB_JSON_NUMBER : MATLAB_JSON_OTHER;
}

size_t matlab_json_text_units(const char *text, size_t length)
{
    size_t units = matlab_text_units(text, length) - 2;
    for (size_t i = 1; i + 1 < length; i++) {
        size_t more = text[i] != '\\' ? 0 : text[i + 1] == 'u' ? 5 : 1;
        units -= more;
        i += more;
    }
    return units;
}

size_t matlab_text_units(const char *text, size_t length)
{
    size_t units = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        units += byte >= 0xf0 ? 2 : byte < 0x80 || byte >= 0xc0;
    }
    return units;
}

/* ---- names of variables ----------------------------------------------------------------------------------------- */

static bool is_letter(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

static bool is_digit(char digit)
{
    return digit >= '0' && digit <= '9';
}

static bool is_keyword(const char *name)
{
    static const char *const keywords[] = {
        "break",  "case", "catch",     "classdef", "continue",   "else",   "elseif", "end",    "for", "function",
        "global", "if",   "otherwise", "parfor",   "persistent", "return", "spmd",   "switch", "try", "while"};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strcmp(name, keywords[i]) == 0)
            return true;
    return false;
}

void matlab_name_make(const char *name, size_t length, char made[MATLAB_NAME_MAX + 1])
{
    size_t at = 0;
    if (length == 0 || !is_letter(name[0]))
        made[at++] = 'x';
    for (size_t i = 0; i < length && at < MATLAB_NAME_MAX; i++)
        made[at++] = is_letter(name[i]) || is_digit(name[i]) ? name[i] : '_';
    made[at] = '\0';
    if (is_keyword(made))
        strcpy(made + at, "_");
}
