#include "hex_text.h"

#include "base/process/message.h"

/* ---- digits alone ---------------------------------------------------------------------------------------------- */

struct digits {
    const char *text;
    size_t length, at;
    size_t prefixed, bare; /* runs of digits with 0x before them, and without */
    size_t escaped;        /* with \x */
};

/* What may stand between bytes: blanks, line ends, marks, and "0x" or "\x" before one. Returns whether there was any.
 */
static bool skip_marks(struct digits *digits)
{
    size_t from = digits->at;
    bool is_prefixed = false, is_escaped = false;
    while (digits->at < digits->length) {
        const char *here = digits->text + digits->at;
        if (hex_is_blank(*here) || (*here != '\0' && strchr(":,;-", *here))) {
            digits->at++;
            is_prefixed = is_escaped = false;
        } else if (digits->at + 1 < digits->length && (*here == '0' || *here == '\\') && (here[1] | 0x20) == 'x') {
            digits->at += 2;
            is_prefixed = *here == '0';
            is_escaped = !is_prefixed;
        } else {
            break;
        }
    }
    bool is_run = digits->at > from || from == 0;
    if (is_run && digits->at < digits->length) {
        digits->prefixed += is_prefixed;
        digits->escaped += is_escaped;
        digits->bare += !is_prefixed && !is_escaped;
    }
    return is_run;
}

/* Whether it is letters and digits of Base64 and nothing else. */
static bool is_base64(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        bool is_one = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '+' || c == '/' ||
                      c == '-' || c == '_' || c == '=';
        if (!is_one && !hex_is_blank(c))
            return false;
        count += is_one;
    }
    return count >= 8;
}

static int refuse_character(const struct digits *digits)
{
    size_t at = digits->at;
    if (is_base64(digits->text, digits->length))
        message_error(
            "--hex: this is Base64, not hexadecimal; decode it first: base64 -d FILE | xxd -p | armtap explain "
            "--hex -");
    else if (hex_digit(digits->text[at]) < 0)
        message_error("--hex: '%c' at character %zu is not a hexadecimal digit; pass only the bytes, as printed by xxd "
                      "-p, or a dump as Wireshark, xxd, hexdump -C or tcpdump -X print it",
                      digits->text[at], at + 1);
    else
        message_error("--hex: the byte at character %zu has one digit; each has two", at + 1);
    return -1;
}

/* Whether 0x stands before several runs, but not before all: 12 may then be decimal. */
static int judge_prefixes(const struct digits *digits, size_t bytes)
{
    bool is_mixed = digits->prefixed > 1 && digits->bare > 0;
    bool is_half_escaped = digits->escaped > 0 && digits->escaped != bytes;
    if (is_mixed)
        message_error("--hex: some numbers have 0x and others, which may be decimal, do not; write 0x before all, or "
                      "before none");
    else if (is_half_escaped)
        message_error("--hex: some bytes have \\x and others, which may be characters, do not; put the text between "
                      "quotes, as in --hex \"b'\\x00\\x05V'\"");
    return is_mixed || is_half_escaped ? -1 : 0;
}

/* Whether the end of a line, behind a wide gap, shows as text what stands before it. */
static bool has_text_column(const char *line, size_t length)
{
    uint8_t bytes[64];
    size_t count = 0, at = 0;
    while (at + 1 < length && count < sizeof bytes && hex_digit(line[at]) >= 0 && hex_digit(line[at + 1]) >= 0) {
        bytes[count++] = (uint8_t)(hex_digit(line[at]) << 4 | hex_digit(line[at + 1]));
        at += 2;
        size_t gap = at;
        while (gap < length && hex_is_blank(line[gap]))
            gap++;
        bool is_wide = gap >= at + 2 || (gap > at && line[at] == '\t');
        if (is_wide && gap < length && hex_shows(line + gap, length - gap, bytes, count, false))
            return true;
        at = gap;
    }
    return false;
}

static int judge_lines(const char *text, size_t length)
{
    size_t number = 1;
    for (size_t at = 0; at < length; number++) {
        const char *end = memchr(text + at, '\n', length - at);
        size_t next = end ? (size_t)(end - text) + 1 : length, stop = next;
        while (stop > at && hex_is_blank(text[stop - 1]))
            stop--;
        if (has_text_column(text + at, stop - at)) {
            message_error("--hex: the end of line %zu may be its bytes as text; remove it", number);
            return -1;
        }
        at = next;
    }
    return 0;
}

static int read_digits(struct hex_text *read, const char *text, size_t length)
{
    struct digits digits = {.text = text, .length = length};
    for (skip_marks(&digits); digits.at < length; skip_marks(&digits)) {
        int high = hex_digit(text[digits.at]);
        int low = digits.at + 1 < length ? hex_digit(text[digits.at + 1]) : -1;
        if (high < 0 || low < 0)
            return refuse_character(&digits);
        hex_put(read, (unsigned)(high << 4 | low));
        digits.at += 2;
    }
    return judge_prefixes(&digits, read->bytes.length) == 0 ? judge_lines(text, length) : -1;
}

/* ---- any form -------------------------------------------------------------------------------------------------- */

/* Pages and chats have blanks that do not break, and marks of the order of bytes at the beginning. */
static bool copy_plainly(struct buffer *to, const char *text, size_t length)
{
    size_t at = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    for (; at < length; at++) {
        bool is_fixed = at + 1 < length && memcmp(text + at, "\xC2\xA0", 2) == 0;
        buffer_put(to, is_fixed ? " " : text + at, 1);
        at += is_fixed;
    }
    return !to->failed;
}

static int read_any(struct hex_text *read, const char *text, size_t length)
{
    static enum hex_outcome (*const forms[])(struct hex_text *, const char *, size_t) = {hex_dump_read, hex_quoted_read,
                                                                                         hex_list_read};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        enum hex_outcome outcome = forms[i](read, text, length);
        if (outcome != HEX_OTHER)
            return outcome == HEX_READ ? 0 : -1;
    }
    return read_digits(read, text, length);
}

int hex_text_read(struct hex_text *read, const char *text, size_t length)
{
    struct buffer plain = {0};
    if (!copy_plainly(&plain, text, length)) {
        free(plain.data);
        return length > 0 ? message_no_memory() : 0;
    }
    int outcome = read_any(read, plain.data ? plain.data : "", plain.length);
    free(plain.data);
    if (outcome != 0)
        return -1;
    if (read->bytes.failed)
        return message_no_memory();
    if (read->bytes.length > 0)
        return 0;
    message_error("--hex: it contains no byte; pass some, as in --hex '00 04 56 01'");
    return -1;
}
