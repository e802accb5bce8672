/* Text between quotes: each character is a byte, but for escapes. */
#include <stdio.h>

#include "hex_text.h"
#include "base/process/message.h"

struct quoted {
    struct hex_text *read;
    const char *text, *at, *end;
    bool is_python; /* b'...': an escape of digits has two */
    size_t escapes; /* in all */
    size_t strings;
};

static size_t place(const struct quoted *quoted)
{
    return (size_t)(quoted->at - quoted->text) + 1;
}

static bool refuse(const struct quoted *quoted, const char *what)
{
    message_error("--hex: in quotes, at character %zu: %s", place(quoted), what);
    return false;
}

/* \x and two digits. A third would belong to it in C, and be a character in Python. */
static bool take_hex(struct quoted *quoted)
{
    const char *at = quoted->at + 2;
    int high = quoted->end - at > 0 ? hex_digit(at[0]) : -1, low = quoted->end - at > 1 ? hex_digit(at[1]) : -1;
    if (high < 0 || low < 0)
        return refuse(quoted, "\\x needs two hexadecimal digits");
    if (!quoted->is_python && quoted->end - at > 2 && hex_digit(at[2]) >= 0)
        return refuse(quoted, "a third digit follows \\x, which C and Python read differently; for Python's reading "
                              "write b'...'");
    hex_put(quoted->read, (unsigned)(high << 4 | low));
    quoted->at = at + 2;
    return true;
}

static bool take_octal(struct quoted *quoted)
{
    unsigned number = 0, digits = 0;
    const char *at = quoted->at + 1;
    for (; at < quoted->end && digits < 3 && *at >= '0' && *at <= '7'; at++, digits++)
        number = number * 8 + (unsigned)(*at - '0');
    if (number > 255)
        return refuse(quoted, "an octal escape is larger than a byte");
    hex_put(quoted->read, number);
    quoted->at = at;
    return true;
}

static bool take_escape(struct quoted *quoted)
{
    static const char letters[] = "abfnrtv\\'\"", bytes[] = "\a\b\f\n\r\t\v\\'\"";
    char letter = quoted->at + 1 < quoted->end ? quoted->at[1] : '\0';
    const char *known = letter == '\0' ? NULL : strchr(letters, letter);
    quoted->escapes++;
    if (letter == 'x')
        return take_hex(quoted);
    if (letter >= '0' && letter <= '7')
        return take_octal(quoted);
    if (!known)
        return refuse(quoted, "an escape that is not a byte");
    hex_put(quoted->read, (unsigned char)bytes[known - letters]);
    quoted->at += 2;
    return true;
}

/* The string that begins at the quote `mark`. */
static bool take_string(struct quoted *quoted, char mark)
{
    quoted->strings++;
    for (quoted->at++; quoted->at < quoted->end && *quoted->at != mark;) {
        unsigned char c = (unsigned char)*quoted->at;
        if (c == '\\') {
            if (!take_escape(quoted))
                return false;
        } else if (c < ' ' || c > '~') {
            return refuse(quoted, "a character that is not a single byte; write escapes as in b'\\x00'");
        } else {
            hex_put(quoted->read, c);
            quoted->at++;
        }
    }
    if (quoted->at == quoted->end)
        return refuse(quoted, "the closing quote is missing");
    quoted->at++;
    return true;
}

/* Digits in quotes are most likely those of bytes, and not the bytes. */
static bool judge(const struct quoted *quoted)
{
    const struct buffer *bytes = &quoted->read->bytes;
    size_t digits = 0;
    for (size_t i = 0; i < bytes->length; i++)
        digits += hex_digit(bytes->data[i]) >= 0 || strchr(" :,-x", bytes->data[i]) != NULL;
    if (quoted->escapes > 0 || digits < bytes->length || bytes->length == 0)
        return true;
    message_error("--hex: there are hexadecimal digits between quotes; pass them without quotes");
    return false;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/* What may stand around the strings: names, calls, an assignment; b before a quote. */
static bool skip_around(struct quoted *quoted)
{
    bool is_behind = quoted->strings > 0;
    quoted->is_python = false;
    while (quoted->at < quoted->end && *quoted->at != '\'' && *quoted->at != '"') {
        const char *from = quoted->at;
        while (quoted->at < quoted->end && is_word(*quoted->at))
            quoted->at++;
        size_t length = (size_t)(quoted->at - from);
        bool is_quote = quoted->at < quoted->end && (*quoted->at == '\'' || *quoted->at == '"');
        quoted->is_python = is_quote && length == 1 && (*from | 0x20) == 'b';
        if (length > 0 && (is_quote || is_behind) && !quoted->is_python)
            return refuse(quoted, "words around the strings; pass only the strings, as in b'\\x00\\x05V'");
        if (length == 0 && !hex_is_blank(*from) && !strchr(is_behind ? ");\\" : "=:([]*", *from))
            return refuse(quoted, is_behind ? "something follows the string; pass one string, or several joined ones"
                                            : "something precedes the string; pass only the string");
        quoted->at += length == 0;
    }
    return true;
}

static bool looks_quoted(const char *text, size_t length)
{
    const char *quote = memchr(text, '\'', length), *other = memchr(text, '"', length);
    quote = !quote || (other && other < quote) ? other : quote;
    return quote && !memchr(text, '{', (size_t)(quote - text)) && !memchr(text, ',', (size_t)(quote - text));
}

enum hex_outcome hex_quoted_read(struct hex_text *read, const char *text, size_t length)
{
    struct quoted quoted = {.read = read, .text = text, .at = text, .end = text + length};
    if (!looks_quoted(text, length))
        return HEX_OTHER;
    while (quoted.at < quoted.end) {
        if (!skip_around(&quoted))
            return HEX_REFUSED;
        if (quoted.at < quoted.end && !take_string(&quoted, *quoted.at))
            return HEX_REFUSED;
    }
    if (!judge(&quoted))
        return HEX_REFUSED;
    snprintf(read->remark, sizeof read->remark, "read as text with escapes between quotes: %zu bytes",
             read->bytes.length);
    return HEX_READ;
}
