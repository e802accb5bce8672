#include "note.h"

#include <string.h>

static const struct armtap_note_kind kinds[ARMTAP_NOTE_COUNT] = {
#define NOTE(code, id, severity, meaning, remedy) [ARMTAP_NOTE_##code] = {id, ARMTAP_##severity, meaning, remedy},
#include "notes.def"
#undef NOTE
};

size_t armtap_note_count(void)
{
    return ARMTAP_NOTE_COUNT;
}

const struct armtap_note_kind *armtap_note_at(size_t i)
{
    return i < ARMTAP_NOTE_COUNT ? &kinds[i] : NULL;
}

const char *armtap_severity_name(enum armtap_severity severity)
{
    static const char *const names[] = {"info", "notice", "warning", "error"};
    return names[severity];
}

void armtap_line_begin(struct armtap_line *line)
{
    line->length = 0;
    line->text[0] = '\0';
}

static void line_put(struct armtap_line *line, const char *text, size_t length)
{
    static const char ellipsis[] = "...";
    size_t room = sizeof line->text - sizeof ellipsis - line->length;
    if (line->length > sizeof line->text - sizeof ellipsis)
        return; /* it is cut already */
    if (length <= room) {
        memcpy(line->text + line->length, text, length);
        line->length += length;
        line->text[line->length] = '\0';
    } else {
        memcpy(line->text + line->length, text, room);
        memcpy(line->text + line->length + room, ellipsis, sizeof ellipsis);
        line->length = sizeof line->text - 1;
    }
}

void armtap_line_string(struct armtap_line *line, const char *text)
{
    line_put(line, text, strlen(text));
}

void armtap_line_span(struct armtap_line *line, const void *bytes, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *p = bytes;
    for (size_t i = 0; i < length && line->length < sizeof line->text - 1; i++) {
        char escaped[4] = {'\\', 'x', digits[p[i] >> 4], digits[p[i] & 15]};
        char plain = (char)p[i];
        if (p[i] >= 0x20 && p[i] < 0x7f)
            line_put(line, &plain, 1);
        else
            line_put(line, escaped, sizeof escaped);
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
    line_put(line, text + at, sizeof text - at);
}

void armtap_line_unsigned(struct armtap_line *line, uint64_t number)
{
    line_base(line, number, 10);
}

void armtap_line_signed(struct armtap_line *line, int64_t number)
{
    if (number < 0)
        line_put(line, "-", 1);
    line_base(line, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, 10);
}

void armtap_line_hex(struct armtap_line *line, uint64_t number)
{
    line_put(line, "0x", 2);
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
        if (*p != '%' || !p[1]) {
            line_put(line, p, 1);
            continue;
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
            line_put(line, p, 1);
        }
    }
}
