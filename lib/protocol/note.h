/* Notes: registered kinds, and lines of text built without stdio or locale. */
#ifndef ARMTAP_NOTE_H
#define ARMTAP_NOTE_H

#include <stdarg.h>

#include "armtap.h"

enum armtap_note_code {
#define NOTE(code, ...) ARMTAP_NOTE_##code,
#define FINDING(code, ...) ARMTAP_FINDING_##code, /* a name of its own: most are the analysis's */
#define HEARD(code, ...) ARMTAP_FINDING_##code,
#include "findings.def"
    ARMTAP_NOTE_COUNT
};

/* A bounded line; longer text is cut and ends in "...". Valid UTF-8 in spans is kept, except control characters and
 * direction marks; these, and bytes that are not UTF-8, become \xHH. */
struct armtap_line {
    size_t length;
    bool cut;
    char text[480];
};
void armtap_line_begin(struct armtap_line *line);
void armtap_line_string(struct armtap_line *line, const char *text);
void armtap_line_piece(struct armtap_line *line, const char *text, size_t length);
void armtap_line_span(struct armtap_line *line, const void *bytes, size_t length);
/* A name and a NUL; false, and nothing, if there is no room for both. */
bool armtap_line_name(struct armtap_line *line, const char *name);
void armtap_line_unsigned(struct armtap_line *line, uint64_t number);
void armtap_line_signed(struct armtap_line *line, int64_t number);
/* Up to six significant digits: 12.5, 1e-300, nan. */
void armtap_line_double(struct armtap_line *line, double number);
/* With that many decimals, at most 3, rounded as printf does: to nearest, ties to even. "inf" from 2^64 on, which no
 * count or measurement reaches. */
void armtap_line_decimal(struct armtap_line *line, double number, unsigned digits);
void armtap_line_hex(struct armtap_line *line, uint64_t number);
/* Adds several parts. The format knows %s (const char *), %u (uint64_t), %d (int64_t), %x (uint64_t, with 0x) and %b
 * (const void *, size_t: a span); arguments must have exactly these types. */
void armtap_line_format(struct armtap_line *line, const char *format, ...);
void armtap_line_arguments(struct armtap_line *line, const char *format, va_list arguments);

#endif
