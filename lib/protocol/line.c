#include "note.h"

#include <float.h>
#include <string.h>

void armtap_line_begin(struct armtap_line *line)
{
    line->length = 0;
    line->cut = false;
    line->text[0] = '\0';
}

void armtap_line_piece(struct armtap_line *line, const char *text, size_t length)
{
    static const char ellipsis[] = "...";
    size_t room = sizeof line->text - sizeof ellipsis - line->length;
    if (line->length > sizeof line->text - sizeof ellipsis || line->cut)
        return;
    if (length <= room) {
        memcpy(line->text + line->length, text, length);
        line->length += length;
        line->text[line->length] = '\0';
    } else {
        while (room > 0 && ((unsigned char)text[room] & 0xc0) == 0x80)
            room--; /* do not split a character */
        memcpy(line->text + line->length, text, room);
        memcpy(line->text + line->length + room, ellipsis, sizeof ellipsis);
        line->length += room + sizeof ellipsis - 1;
        line->cut = true;
    }
}

void armtap_line_string(struct armtap_line *line, const char *text)
{
    armtap_line_piece(line, text, strlen(text));
}

bool armtap_line_name(struct armtap_line *line, const char *name)
{
    size_t length = strlen(name) + 1;
    if (line->cut || length >= sizeof line->text - line->length)
        return false;
    memcpy(line->text + line->length, name, length);
    line->length += length;
    line->text[line->length] = '\0';
    return true;
}

/* Invisible characters beyond ASCII: controls, line separators, text-direction marks, tags. */
static bool is_hidden(uint32_t character)
{
    static const uint32_t ranges[][2] = {{0x80, 0x9f},     {0x61c, 0x61c},   {0x200e, 0x200f}, {0x2028, 0x202e},
                                         {0x2066, 0x2069}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (character >= ranges[i][0] && character <= ranges[i][1])
            return true;
    return false;
}

/* Bytes of the visible character that begins at `p`; 0 if there is none. */
static size_t shown_length(const uint8_t *p, size_t left)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0x80)
        return p[0] >= 0x20 && p[0] != 0x7f;
    if (p[0] < 0xc0 || p[0] > 0xf4 || left < length)
        return 0;
    uint32_t character = p[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        character = character << 6 | (p[i] & 0x3fu);
    }
    bool exists = character >= least[length] && character <= 0x10ffff && (character < 0xd800 || character > 0xdfff);
    return exists && !is_hidden(character) ? length : 0;
}

void armtap_line_span(struct armtap_line *line, const void *bytes, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *p = bytes;
    for (size_t i = 0; i < length && !line->cut;) {
        size_t shown = shown_length(p + i, length - i);
        char escaped[4] = {'\\', 'x', digits[p[i] >> 4], digits[p[i] & 15]};
        if (shown > 0)
            armtap_line_piece(line, (const char *)p + i, shown);
        else
            armtap_line_piece(line, escaped, sizeof escaped);
        i += shown > 0 ? shown : 1;
    }
}

static void line_base(struct armtap_line *line, uint64_t number, unsigned base)
{
    char text[24];
    size_t at = sizeof text;
    do {
        text[--at] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number);
    armtap_line_piece(line, text + at, sizeof text - at);
}

void armtap_line_unsigned(struct armtap_line *line, uint64_t number)
{
    line_base(line, number, 10);
}

void armtap_line_signed(struct armtap_line *line, int64_t number)
{
    if (number < 0)
        armtap_line_piece(line, "-", 1);
    line_base(line, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, 10);
}

#define SIGNIFICANT 6

/* Six digits and a power of ten: digits[0].digits[1]... times 10^exponent. Returns how many digits are not the last
 * zeros. */
static int significant_digits(double number, char digits[SIGNIFICANT], int *exponent)
{
    int count = SIGNIFICANT;
    *exponent = SIGNIFICANT - 1;
    for (; number >= 1e6; ++*exponent)
        number /= 10;
    for (; number < 1e5; --*exponent)
        number *= 10;
    uint32_t whole = (uint32_t)number;
    double rest = number - whole;
    whole += rest > 0.5 || (rest == 0.5 && whole % 2 == 1);
    if (whole == 1000000) {
        whole /= 10;
        ++*exponent;
    }
    for (int i = SIGNIFICANT - 1; i >= 0; i--, whole /= 10)
        digits[i] = (char)('0' + whole % 10);
    while (count > 1 && digits[count - 1] == '0')
        count--;
    return count;
}

static void put_digits(struct armtap_line *line, const char *digits, int count, int before)
{
    for (int i = before; i < 1; i++)
        armtap_line_piece(line, i == before ? "0." : "0", i == before ? 2 : 1);
    for (int i = 0; i < count || i < before; i++) {
        if (i == before && i > 0)
            armtap_line_piece(line, ".", 1);
        armtap_line_piece(line, i < count ? digits + i : "0", 1);
    }
}

void armtap_line_double(struct armtap_line *line, double number)
{
    char digits[SIGNIFICANT];
    uint64_t bits;
    int exponent;
    memcpy(&bits, &number, sizeof bits);
    if (bits >> 63)
        armtap_line_piece(line, "-", 1);
    number = bits >> 63 ? -number : number;
    if (number != number || number > DBL_MAX || number == 0) {
        armtap_line_string(line, number == 0 ? "0" : number > 0 ? "inf" : "nan");
        return;
    }
    int count = significant_digits(number, digits, &exponent);
    if (exponent >= -4 && exponent < SIGNIFICANT) {
        put_digits(line, digits, count, exponent + 1);
        return;
    }
    put_digits(line, digits, count, 1);
    armtap_line_string(line, exponent < 0 ? "e-" : "e+");
    exponent = exponent < 0 ? -exponent : exponent;
    if (exponent < 10)
        armtap_line_piece(line, "0", 1);
    armtap_line_unsigned(line, (uint64_t)exponent);
}

/* `number` / 2^shift, rounded to nearest, ties to even. */
static uint64_t shifted(uint64_t number, int shift)
{
    if (shift > 63)
        return 0;
    uint64_t result = number >> shift, rest = number & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);
    return result + (rest > half || (rest == half && result % 2 == 1));
}

/* The value in units of the last digit, below 2^64; in whole units if it has no fraction. */
static uint64_t units_of(double value, uint64_t scale, bool *is_whole)
{
    enum { SIGNIFICAND = 52, BIAS = 1023 };
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)(bits >> SIGNIFICAND & 0x7ff);
    uint64_t significand = (bits & ((UINT64_C(1) << SIGNIFICAND) - 1)) | (uint64_t)(exponent > 0) << SIGNIFICAND;
    int shift = BIAS + SIGNIFICAND - (exponent > 0 ? exponent : 1);
    *is_whole = shift <= 0;
    return *is_whole ? significand << -shift : shifted(significand * scale, shift);
}

void armtap_line_decimal(struct armtap_line *line, double number, unsigned digits)
{
    static const uint64_t scales[] = {1, 10, 100, 1000};
    uint64_t bits, scale = scales[digits < 3 ? digits : 3];
    bool is_whole;
    memcpy(&bits, &number, sizeof bits);
    number = bits >> 63 ? -number : number;
    if (bits >> 63)
        armtap_line_piece(line, "-", 1);
    if (!(number < 0x1p64)) {
        armtap_line_string(line, number != number ? "nan" : "inf");
        return;
    }
    uint64_t units = units_of(number, scale, &is_whole), rest = is_whole ? 0 : units % scale;
    line_base(line, is_whole ? units : units / scale, 10);
    if (scale == 1)
        return;
    armtap_line_piece(line, ".", 1);
    for (scale /= 10; scale > 0; scale /= 10)
        line_base(line, rest / scale % 10, 10);
}

void armtap_line_hex(struct armtap_line *line, uint64_t number)
{
    armtap_line_piece(line, "0x", 2);
    line_base(line, number, 16);
}

void armtap_line_format(struct armtap_line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    armtap_line_arguments(line, format, arguments);
    va_end(arguments);
}

void armtap_line_arguments(struct armtap_line *line, const char *format, va_list arguments)
{
    for (const char *p = format; *p; p++) {
        size_t plain = strcspn(p, "%");
        armtap_line_piece(line, p, plain);
        p += plain;
        if (*p == '\0' || p[1] == '\0') {
            armtap_line_piece(line, p, strlen(p));
            return;
        }
        switch (*++p) {
        case 's':
            armtap_line_string(line, va_arg(arguments, const char *));
            break;
        case 'u':
            armtap_line_unsigned(line, va_arg(arguments, uint64_t));
            break;
        case 'd':
            armtap_line_signed(line, va_arg(arguments, int64_t));
            break;
        case 'x':
            armtap_line_hex(line, va_arg(arguments, uint64_t));
            break;
        case 'b': {
            const void *bytes = va_arg(arguments, const void *);
            armtap_line_span(line, bytes, va_arg(arguments, size_t));
            break;
        }
        default:
            armtap_line_piece(line, p, 1);
        }
    }
}
