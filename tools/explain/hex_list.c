/* Numbers between commas, in brackets or without. */
#include <stdio.h>

#include "hex_text.h"
#include "base/process/message.h"

struct list {
    struct hex_text *read;
    const char *text, *at, *end;
    size_t marked;    /* numbers with 0x */
    size_t single;    /* of these, of one digit */
    size_t padded;    /* and of two, of which the first is 0 */
    size_t two_digit; /* without, of two digits */
    size_t only_hex;  /* of these, such as are no decimal numbers */
    size_t decimal;   /* such as are no byte of two hexadecimal digits */
    bool in_brackets;
};

static bool refuse(const struct list *list, const char *what)
{
    message_error("--hex: in the list, at character %zu: %s", (size_t)(list->at - list->text) + 1, what);
    return false;
}

/* Comments become blanks, in place: the text is as long as before. False if one does not end. */
static bool drop_comments(char *text, size_t length)
{
    for (size_t at = 0; at + 1 < length; at++) {
        bool is_block = text[at] == '/' && text[at + 1] == '*', is_line = text[at] == '/' && text[at + 1] == '/';
        if (!is_block && !is_line)
            continue;
        size_t end = at + 2;
        while (end < length &&
               (is_line ? text[end] != '\n' : !(end > at + 2 && text[end] == '/' && text[end - 1] == '*')))
            end++;
        if (is_block && end == length)
            return false;
        memset(text + at, ' ', end - at + (is_block ? 1 : 0));
        at = end;
    }
    return true;
}

static void skip_blanks(struct list *list)
{
    while (list->at < list->end && hex_is_blank(*list->at))
        list->at++;
}

/* "(byte)" before a number. */
static void skip_cast(struct list *list)
{
    const char *close =
        list->at < list->end && *list->at == '(' ? memchr(list->at, ')', (size_t)(list->end - list->at)) : NULL;
    if (close && close - list->at < 20) {
        list->at = close + 1;
        skip_blanks(list);
    }
}

static bool take_marked(struct list *list)
{
    unsigned number = 0, digits = 0;
    for (list->at += 2; list->at < list->end && hex_digit(*list->at) >= 0; list->at++, digits++)
        number = number < 256 ? number * 16 + (unsigned)hex_digit(*list->at) : number;
    if (digits == 0 || number > 255)
        return refuse(list, digits == 0 ? "0x without digits" : "a number is larger than a byte");
    list->marked++;
    list->single += digits == 1;
    list->padded += digits == 2 && number < 16;
    hex_put(list->read, number);
    return true;
}

/* Digits without 0x. They are read as decimal; judge() decides whether that is right. */
static bool take_digits(struct list *list)
{
    const char *from = list->at + (*list->at == '-');
    bool is_negative = *list->at == '-', is_hex = false;
    unsigned number = 0;
    size_t digits;
    for (list->at = from; list->at < list->end && hex_digit(*list->at) >= 0; list->at++) {
        is_hex |= hex_digit(*list->at) > 9;
        number = number < 1000 ? number * 10 + (unsigned)hex_digit(*list->at) : number;
    }
    digits = (size_t)(list->at - from);
    if (digits == 0)
        return refuse(list, "this is not a number");
    is_hex |= *from == '0' && digits > 1;
    list->two_digit += digits == 2;
    list->only_hex += is_hex;
    list->decimal += digits != 2;
    if (!is_hex && number > (is_negative ? 128u : 255u))
        return refuse(list, "a number is larger than a byte");
    hex_put(list->read, is_negative ? 256 - number : number);
    return true;
}

static bool take_number(struct list *list)
{
    skip_cast(list);
    bool is_marked = list->end - list->at > 2 && list->at[0] == '0' && (list->at[1] | 0x20) == 'x';
    if (!(is_marked ? take_marked(list) : list->at < list->end ? take_digits(list) : refuse(list, "a number lacks")))
        return false;
    if (list->at < list->end && (*list->at | 0x20) == 'u' && list->in_brackets)
        list->at++;
    skip_blanks(list);
    return true;
}

/* Numbers up to the end; a comma may stand behind the last. */
static bool take_numbers(struct list *list)
{
    for (skip_blanks(list); list->at < list->end; skip_blanks(list)) {
        if (!take_number(list))
            return false;
        if (list->at < list->end && *list->at != ',')
            return refuse(list, "no comma between two numbers");
        list->at += list->at < list->end;
    }
    return true;
}

/* Numbers without 0x: decimal in a list of a language; two digits each without brackets may be either. */
static bool judge(const struct list *list)
{
    size_t bare = list->two_digit + list->decimal;
    const char *what = NULL;
    if (list->single > 0 && list->padded > 0)
        what = "some numbers have one digit, others 0 and a digit: a digit may be missing; write two digits each";
    else if (bare == 0)
        return true;
    else if (list->only_hex > 0)
        what = "some numbers are hexadecimal, but have no 0x; write 0x before each, or only the digits, without commas";
    else if (!list->in_brackets && list->decimal == 0)
        what =
            "the numbers may be decimal or hexadecimal; put them in brackets if decimal, write 0x before each if not";
    if (what)
        message_error("--hex: %s", what);
    return !what;
}

/* The number that begins at `at`: its digits, and whether 0x stands before it. */
static size_t digits_at(const char *text, size_t length, size_t *at, bool *is_marked)
{
    size_t digits = 0;
    *at += text[*at] == '-';
    *is_marked = length - *at > 2 && text[*at] == '0' && (text[*at + 1] | 0x20) == 'x';
    *at += *is_marked ? 2 : 0;
    for (; *at < length && hex_digit(text[*at]) >= 0; ++*at)
        digits++;
    return digits;
}

/* Whether a text without brackets is a list: single numbers of up to a byte, and not digits alone as in 00,05,5f. */
static bool is_loose_list(const char *text, size_t length)
{
    size_t count = 0, digits_alone = 0, hex = 0;
    for (size_t at = 0; at < length;) {
        bool is_marked;
        if (hex_is_blank(text[at]) || text[at] == ',') {
            at++;
            continue;
        }
        size_t from = at, digits = digits_at(text, length, &at, &is_marked);
        bool ends = at == length || hex_is_blank(text[at]) || text[at] == ',';
        if (!ends || digits == 0 || digits > (is_marked ? 2 : 3))
            return false;
        count++;
        digits_alone += !is_marked && digits == 2 && text[from] != '-';
        for (size_t i = from; i < at && !is_marked; i++)
            hex += hex_digit(text[i]) > 9 || (i == from && text[i] == '0' && digits > 1);
    }
    return count > 1 && memchr(text, ',', length) && (digits_alone < count || hex == 0);
}

/* What precedes the brackets is a declaration or a call; a size in it is returned, or 0. False: it is something else.
 */
static bool read_before(const char *text, size_t length, size_t *size)
{
    *size = 0;
    for (size_t at = 0; at < length; at++) {
        const char *close = text[at] == '[' ? memchr(text + at, ']', length - at) : NULL;
        if (text[at] == '[' && !close)
            return false;
        if (close)
            for (const char *digit = text + at + 1; digit < close && *size < HEX_BYTES_MOST; digit++)
                *size = hex_digit(*digit) >= 0 && hex_digit(*digit) < 10 ? *size * 10 + (size_t)hex_digit(*digit) : 0;
        at = close ? (size_t)(close - text) : at;
        if (text[at] == '\0' || strchr("{}\\'\"", text[at]))
            return false;
    }
    return true;
}

/* What follows: nothing, or xxd -i's length of the array. */
static bool read_behind(const struct list *list, const char *text, size_t length)
{
    size_t number = 0, digits = 0;
    const char *is = memchr(text, '=', length);
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\0' || strchr("{}[]'\"", text[i]))
            return refuse(list, "there is more than one list; pass one");
    for (const char *at = is ? is + 1 : text + length; at < text + length; at++)
        if (*at >= '0' && *at <= '9' && ++digits < 9)
            number = number * 10 + (size_t)(*at - '0');
    if (!is || (digits > 0 && number == list->read->bytes.length))
        return true;
    message_error("--hex: the list has %zu bytes, but its length says %zu; some are missing or too many",
                  list->read->bytes.length, number);
    return false;
}

/* The brackets around the numbers: the first that have one inside. */
static bool find_brackets(const char *text, size_t length, size_t *open, size_t *close)
{
    const char *brace = memchr(text, '{', length), *bracket = memchr(text, '[', length);
    if (!brace && !bracket)
        return false;
    const char *from = brace ? brace : bracket;
    const char *to = memchr(from, brace ? '}' : ']', length - (size_t)(from - text));
    *open = (size_t)(from - text);
    *close = to ? (size_t)(to - text) : length;
    return true;
}

static enum hex_outcome read_list(struct list *list, size_t length)
{
    size_t open = 0, close = length, size = 0;
    list->in_brackets = find_brackets(list->text, length, &open, &close);
    if (!list->in_brackets && !is_loose_list(list->text, length))
        return HEX_OTHER;
    if (list->in_brackets && !read_before(list->text, open, &size))
        return HEX_OTHER;
    list->at = list->text + open + (list->in_brackets ? 1 : 0);
    list->end = list->text + close;
    if (!take_numbers(list) || !judge(list))
        return HEX_REFUSED;
    if (list->in_brackets && close == length) {
        refuse(list, "the closing bracket is missing");
        return HEX_REFUSED;
    }
    if (list->in_brackets && !read_behind(list, list->end + 1, length - close - 1))
        return HEX_REFUSED;
    if (size == 0 || size == list->read->bytes.length)
        return HEX_READ;
    message_error("--hex: the array is declared with %zu bytes and has %zu; some are missing or too many", size,
                  list->read->bytes.length);
    return HEX_REFUSED;
}

enum hex_outcome hex_list_read(struct hex_text *read, const char *text, size_t length)
{
    struct list list = {.read = read};
    char *copy = malloc(length + 1);
    enum hex_outcome outcome = HEX_REFUSED;
    if (!copy) {
        message_no_memory();
        return HEX_REFUSED;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    list.text = list.at = copy;
    if (drop_comments(copy, length))
        outcome = read_list(&list, length);
    else
        message_error("--hex: a comment does not end; pass the whole array");
    if (outcome == HEX_READ)
        snprintf(read->remark, sizeof read->remark, "read as a list of %zu %s numbers", read->bytes.length,
                 list.marked == read->bytes.length ? "hexadecimal"
                 : list.marked == 0                ? "decimal"
                                                   : "hexadecimal (0x) and decimal");
    free(copy);
    return outcome;
}
