#include <stdlib.h>
#include <string.h>

#include "judge.h"

#define DEPTH_MAX 200
#define NAMES_MAX 4096 /* of one object are compared with one another; a recipe has less in what fuzzing makes */

struct reader {
    const char *at, *end;
    unsigned depth;
    const char *wrong;
};

static bool fail(struct reader *reader, const char *wrong)
{
    if (!reader->wrong)
        reader->wrong = wrong;
    return false;
}

static void skip(struct reader *reader)
{
    while (reader->at < reader->end && strchr(" \t\n\r", *reader->at) && *reader->at)
        reader->at++;
}

static bool take(struct reader *reader, char c)
{
    if (reader->at >= reader->end || *reader->at != c)
        return false;
    reader->at++;
    return true;
}

/* ---- scalars ---- */

static int hexadecimal(char c)
{
    const char *digits = "0123456789abcdef", *found = c ? strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c) : NULL;
    return found ? (int)(found - digits) : -1;
}

static bool read_escape(struct reader *reader)
{
    if (reader->at >= reader->end || !*reader->at || !strchr("\"\\/bfnrtu", *reader->at))
        return fail(reader, "an escape that JSON does not know");
    if (*reader->at++ != 'u')
        return true;
    for (int i = 0; i < 4; i++, reader->at++)
        if (reader->at >= reader->end || hexadecimal(*reader->at) < 0)
            return fail(reader, "\\u without four digits");
    return true;
}

static bool read_string(struct reader *reader)
{
    unsigned long number;
    if (!take(reader, '"'))
        return fail(reader, "a string is expected here");
    while (!take(reader, '"')) {
        size_t length = character((struct span){reader->at, (size_t)(reader->end - reader->at)}, &number);
        if (length == 0)
            return fail(reader, "a string is not UTF-8, or does not end");
        if (number < ' ')
            return fail(reader, "a control character in a string");
        reader->at += length;
        if (number == '\\' && !read_escape(reader))
            return false;
    }
    return true;
}

static size_t read_digits(struct reader *reader)
{
    const char *begin = reader->at;
    while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9')
        reader->at++;
    return (size_t)(reader->at - begin);
}

static bool read_number(struct reader *reader)
{
    take(reader, '-');
    const char *begin = reader->at;
    size_t digits = read_digits(reader);
    if (digits == 0 || (digits > 1 && *begin == '0'))
        return fail(reader, "a number without digits, or with a leading zero");
    if (take(reader, '.') && read_digits(reader) == 0)
        return fail(reader, "a decimal point without digits after it");
    if (take(reader, 'e') || take(reader, 'E')) {
        if (!take(reader, '+'))
            take(reader, '-');
        if (read_digits(reader) == 0)
            return fail(reader, "an exponent without digits");
    }
    return true;
}

static bool read_word(struct reader *reader)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < 3; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(reader->end - reader->at) >= length && memcmp(reader->at, words[i], length) == 0) {
            reader->at += length;
            return true;
        }
    }
    return fail(reader, "not a JSON value");
}

/* ---- arrays and objects ---- */

static bool read_value(struct reader *reader);

static int compare_spans(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    int order = memcmp(x->at, y->at, x->length < y->length ? x->length : y->length);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

static bool are_unique(struct span *names, size_t count)
{
    qsort(names, count, sizeof *names, compare_spans);
    for (size_t i = 1; i < count; i++)
        if (compare_spans(&names[i - 1], &names[i]) == 0)
            return false;
    return true;
}

static bool read_members(struct reader *reader, struct span *names)
{
    size_t count = 0;
    do {
        skip(reader);
        const char *begin = reader->at;
        if (!read_string(reader))
            return false;
        if (count < NAMES_MAX)
            names[count++] = (struct span){begin, (size_t)(reader->at - begin)};
        skip(reader);
        if (!take(reader, ':'))
            return fail(reader, "no colon after a name");
        if (!read_value(reader))
            return false;
        skip(reader);
    } while (take(reader, ','));
    if (!take(reader, '}'))
        return fail(reader, "an object does not end");
    return are_unique(names, count) || fail(reader, "a name twice in one object");
}

static bool read_object(struct reader *reader)
{
    skip(reader);
    if (take(reader, '}'))
        return true;
    struct span *names = malloc(NAMES_MAX * sizeof *names);
    bool good = names && read_members(reader, names);
    free(names);
    return good;
}

static bool read_array(struct reader *reader)
{
    skip(reader);
    if (take(reader, ']'))
        return true;
    do
        if (!read_value(reader))
            return false;
    while (skip(reader), take(reader, ','));
    return take(reader, ']') || fail(reader, "an array does not end");
}

static bool read_nested(struct reader *reader, bool (*read)(struct reader *reader))
{
    if (++reader->depth > DEPTH_MAX)
        return fail(reader, "values nested too deep");
    bool good = read(reader);
    reader->depth--;
    return good;
}

static bool read_value(struct reader *reader)
{
    skip(reader);
    if (take(reader, '{'))
        return read_nested(reader, read_object);
    if (take(reader, '['))
        return read_nested(reader, read_array);
    if (reader->at < reader->end && *reader->at == '"')
        return read_string(reader);
    bool is_number = reader->at < reader->end && (*reader->at == '-' || (*reader->at >= '0' && *reader->at <= '9'));
    return is_number ? read_number(reader) : read_word(reader);
}

const char *judge_json(struct span text, bool lines, size_t *at)
{
    struct span rest = text, line;
    while (lines ? next_line(&rest, &line) : rest.length > 0) {
        line = lines ? line : rest;
        struct reader reader = {line.at, line.at + line.length, 0, NULL};
        read_value(&reader);
        skip(&reader);
        if (!reader.wrong && reader.at < reader.end)
            reader.wrong = "something behind the value";
        *at = (size_t)(reader.at - text.at);
        if (reader.wrong)
            return reader.wrong;
        if (!lines)
            return NULL;
    }
    return lines ? NULL : "no value";
}

/* ---- what a judged value holds ---- */

struct span json_inside(struct span value)
{
    return (struct span){value.at + 1, value.length - 1};
}

bool json_next(struct span *rest, struct span *name, struct span *value)
{
    struct reader reader = {rest->at, rest->at + rest->length, 0, NULL};
    skip(&reader);
    take(&reader, ',');
    skip(&reader);
    if (reader.at >= reader.end || *reader.at == '}' || *reader.at == ']')
        return false;
    const char *begin = reader.at;
    if (name) {
        read_string(&reader);
        *name = (struct span){begin, (size_t)(reader.at - begin)};
        skip(&reader);
        take(&reader, ':');
        skip(&reader);
        begin = reader.at;
    }
    read_value(&reader);
    *value = (struct span){begin, (size_t)(reader.at - begin)};
    *rest = (struct span){reader.at, (size_t)(reader.end - reader.at)};
    return true;
}

bool json_member(struct span object, const char *name, struct span *value)
{
    struct span found, rest = json_inside(object);
    size_t length = strlen(name);
    while (json_next(&rest, &found, value))
        if (found.length == length + 2 && memcmp(found.at + 1, name, length) == 0)
            return true;
    return false;
}

/* ---- strings ---- */

static unsigned long escaped_number(const char *at)
{
    unsigned long number = 0;
    for (int i = 0; i < 4; i++)
        number = number << 4 | (unsigned long)hexadecimal(at[i]);
    return number;
}

static size_t put_character(unsigned long number, char *to)
{
    size_t length = number < 0x80 ? 1 : number < 0x800 ? 2 : number < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; number >>= 6)
        to[i] = (char)(0x80 | (number & 0x3F));
    to[0] = (char)(length == 1 ? number : (0xF00u >> length & 0xFF) | number);
    return length;
}

size_t json_string(struct span string, char *to)
{
    static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
    const char *at = string.at + 1, *end = string.at + string.length - 1;
    size_t length = 0;
    while (at < end) {
        if (*at != '\\') {
            to[length++] = *at++;
            continue;
        }
        const char *letter = strchr(letters, at[1]);
        unsigned long number = (unsigned char)(letter ? meant[letter - letters] : at[1]);
        if (at[1] == 'u') {
            number = escaped_number(at + 2);
            at += 4;
            if (number >= 0xD800 && number < 0xDC00 && end - at >= 8 && at[2] == '\\' && at[3] == 'u') {
                number = 0x10000 + ((number & 0x3FF) << 10) + (escaped_number(at + 4) & 0x3FF);
                at += 6;
            }
        }
        at += 2;
        length += put_character(number, to + length);
    }
    to[length] = '\0';
    return length;
}
