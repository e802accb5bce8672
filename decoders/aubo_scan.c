#include "aubo_text.h"

#include <string.h>

/* The role of each ASCII character in JSON: w word, s white space, q quote, o opening and e closing bracket, c comma or
 * colon, p other printable, x control character. */
static const char kinds[256] = "xxxxxxxxxssxxsxx"
                               "xxxxxxxxxxxxxxxx"
                               "spqppppppppwcwwp"
                               "wwwwwwwwwwcppppp"
                               "pwwwwwwwwwwwwwww"
                               "wwwwwwwwwwwopepp"
                               "pwwwwwwwwwwwwwww"
                               "wwwwwwwwwwwopepx";

static bool is_word(uint8_t c)
{
    return kinds[c] == 'w';
}

static bool take_in_string(struct armtap_aubo_scan *scan, uint8_t c)
{
    if (c < 0x20)
        return false;
    if (scan->escaped)
        scan->escaped = false;
    else if (c == '\\')
        scan->escaped = true;
    else if (c == '"')
        scan->in_string = false;
    return true;
}

/* Begins a value; false if JSON allows none here. */
static bool begin_value(struct armtap_aubo_scan *scan, bool strict)
{
    bool fits = !strict || !scan->operand;
    scan->operand = true;
    scan->opened = false;
    return fits;
}

static bool open_bracket(struct armtap_aubo_scan *scan, bool strict, bool brace)
{
    if (scan->depth == (strict ? ARMTAP_AUBO_SEARCH_DEPTH_MAX : ARMTAP_AUBO_DEPTH_MAX) || !begin_value(scan, strict))
        return false;
    uint32_t bit = UINT32_C(1) << scan->depth++;
    scan->braces = brace ? scan->braces | bit : scan->braces & ~bit;
    scan->operand = false;
    scan->opened = true;
    return true;
}

static bool in_object(const struct armtap_aubo_scan *scan)
{
    return scan->depth > 0 && (scan->braces >> (scan->depth - 1) & 1);
}

static bool close_bracket(struct armtap_aubo_scan *scan, bool strict, bool brace)
{
    if (scan->depth == 0 || in_object(scan) != brace || (strict && !scan->operand && !scan->opened))
        return false;
    scan->depth--;
    scan->operand = true;
    scan->opened = false;
    return true;
}

/* A comma or colon. */
static bool separate(struct armtap_aubo_scan *scan, bool strict, uint8_t c)
{
    if (strict && (!scan->operand || (c == ':' && !in_object(scan))))
        return false;
    scan->commas += c == ',' && scan->depth == 1;
    scan->operand = scan->opened = false;
    return true;
}

static bool take(struct armtap_aubo_scan *scan, bool strict, uint8_t c)
{
    if (scan->in_string)
        return take_in_string(scan, c);
    bool continues = scan->in_word;
    scan->in_word = is_word(c);
    switch (kinds[c]) {
    case 'w':
        return continues || begin_value(scan, strict);
    case 's':
        return true;
    case 'q':
        scan->in_string = true;
        return begin_value(scan, strict);
    case 'o':
        return open_bracket(scan, strict, c == '{');
    case 'e':
        return close_bracket(scan, strict, c == '}');
    case 'c':
        return separate(scan, strict, c);
    default:
        return !strict && kinds[c] == 'p';
    }
}

/* Number of bytes that make no difference outside strings unless the scan is strict: '#' to 'Z', among which are
 * digits, points, commas and signs. */
static size_t even_bytes(const uint8_t *bytes, size_t length)
{
    size_t count = 0;
    while (count < length && bytes[count] >= '#' && bytes[count] <= 'Z')
        count++;
    return count;
}

/* Number of bytes that do not change the state: those inside a word, and inside a string up to a byte that may end it.
 */
static size_t plain_bytes(const struct armtap_aubo_scan *scan, bool strict, const uint8_t *bytes, size_t length)
{
    size_t count = 0;
    if (!strict && !scan->in_string && scan->depth > 0)
        return even_bytes(bytes, length);
    if (scan->in_word)
        while (count < length && is_word(bytes[count]))
            count++;
    else if (scan->in_string && !scan->escaped)
        while (count < length && bytes[count] >= 0x20 && bytes[count] != '"' && bytes[count] != '\\')
            count++;
    return count;
}

enum armtap_aubo_end armtap_aubo_scan(struct armtap_aubo_scan *given, bool strict, const uint8_t *bytes, size_t length,
                                      size_t *used)
{
    struct armtap_aubo_scan scan = *given;
    enum armtap_aubo_end end = ARMTAP_AUBO_MORE;
    size_t i = 0;
    while (end == ARMTAP_AUBO_MORE && (i += plain_bytes(&scan, strict, bytes + i, length - i)) < length) {
        bool begins = scan.depth > 0 || bytes[i] == '[' || bytes[i] == '{';
        if (!begins || !take(&scan, strict, bytes[i]))
            end = ARMTAP_AUBO_WRONG;
        else if (i++, scan.depth == 0)
            end = ARMTAP_AUBO_WHOLE;
    }
    *used = i;
    *given = scan;
    return end;
}

size_t armtap_aubo_blanks(const uint8_t *bytes, size_t length)
{
    size_t max = length < ARMTAP_AUBO_BLANKS_MAX ? length : ARMTAP_AUBO_BLANKS_MAX, count = 0;
    while (count < max && armtap_aubo_is_blank(bytes[count]))
        count++;
    return count;
}

/* The bytes of a prefix still to read. */
struct cursor {
    const uint8_t *at, *end;
};

static void skip_blanks(struct cursor *cursor)
{
    while (cursor->at < cursor->end && armtap_json_is_blank((char)*cursor->at))
        cursor->at++;
}

/* Expects one character, after white space. */
static enum armtap_aubo_end expect(struct cursor *cursor, char c)
{
    skip_blanks(cursor);
    if (cursor->at == cursor->end)
        return ARMTAP_AUBO_MORE;
    return *cursor->at++ == (uint8_t)c ? ARMTAP_AUBO_WHOLE : ARMTAP_AUBO_WRONG;
}

static enum armtap_aubo_end read_number(struct cursor *cursor, unsigned *number)
{
    unsigned digits = 0;
    skip_blanks(cursor);
    *number = 0;
    for (; cursor->at < cursor->end && armtap_json_is_digit((char)*cursor->at); cursor->at++) {
        if ((digits > 0 && *number == 0) || digits++ == 3)
            return ARMTAP_AUBO_WRONG;
        *number = *number * 10 + (unsigned)(*cursor->at - '0');
    }
    if (cursor->at == cursor->end)
        return ARMTAP_AUBO_MORE;
    return digits > 0 && *number <= ARMTAP_AUBO_SET_UP ? ARMTAP_AUBO_WHOLE : ARMTAP_AUBO_WRONG;
}

enum armtap_aubo_end armtap_aubo_prefix(const uint8_t *bytes, size_t length, unsigned *number)
{
    struct cursor cursor = {bytes, bytes + length};
    unsigned found;
    enum armtap_aubo_end end = expect(&cursor, '[');
    if (end == ARMTAP_AUBO_WHOLE)
        end = read_number(&cursor, &found);
    if (end != ARMTAP_AUBO_WHOLE)
        return end;
    skip_blanks(&cursor);
    if (cursor.at == cursor.end)
        return ARMTAP_AUBO_MORE;
    if (number)
        *number = found;
    return *cursor.at == ',' || *cursor.at == ']' ? ARMTAP_AUBO_WHOLE : ARMTAP_AUBO_WRONG;
}

/* Reads a quoted key of a set-up; any of them may come first. */
static enum armtap_aubo_end read_key(struct cursor *cursor)
{
    static const char *const keys[] = {"\"chanel\"",   "\"channel\"",   "\"frequency\"",
                                       "\"segments\"", "\"to_server\"", "\"trigger\""};
    enum armtap_aubo_end end = ARMTAP_AUBO_WRONG;
    skip_blanks(cursor);
    size_t left = (size_t)(cursor->end - cursor->at);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        size_t length = strlen(keys[i]);
        if (memcmp(cursor->at, keys[i], left < length ? left : length) != 0)
            continue;
        if (left >= length) {
            cursor->at += length;
            return ARMTAP_AUBO_WHOLE;
        }
        end = ARMTAP_AUBO_MORE;
    }
    return end;
}

enum armtap_aubo_end armtap_aubo_set_up_prefix(const uint8_t *bytes, size_t length)
{
    struct cursor cursor = {bytes, bytes + length};
    unsigned number = 0;
    enum armtap_aubo_end end = expect(&cursor, '[');
    if (end == ARMTAP_AUBO_WHOLE)
        end = read_number(&cursor, &number);
    if (end == ARMTAP_AUBO_WHOLE)
        end = number == ARMTAP_AUBO_SET_UP ? expect(&cursor, ',') : ARMTAP_AUBO_WRONG;
    if (end == ARMTAP_AUBO_WHOLE)
        end = expect(&cursor, '{');
    if (end == ARMTAP_AUBO_WHOLE)
        end = read_key(&cursor);
    return end == ARMTAP_AUBO_WHOLE ? expect(&cursor, ':') : end;
}
