#include "rows.h"

enum {
    WORD_BITS = 64,
    FLAG_ABSENT = 1,
    FLAG_WIDE = 2,
    KINDS_AT = 2,
    CHARACTERS_AT = 6,
};
/* Beyond it, doubles skip whole numbers. */
#define DOUBLE_WHOLE_MAX ((uint64_t)1 << 53)

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void put_word(struct buffer *rows, uint64_t word)
{
    buffer_put(rows, (const char *)&word, sizeof word);
}

void matlab_rows_begin(struct buffer *rows, size_t count)
{
    put_word(rows, count);
}

static bool lacks_any(const uint64_t *present, size_t count)
{
    uint64_t missing = 0;
    for (size_t i = 0; i < count / WORD_BITS; i++)
        missing |= ~present[i];
    if (count % WORD_BITS > 0)
        missing |= ~present[count / WORD_BITS] & (((uint64_t)1 << count % WORD_BITS) - 1);
    return missing != 0;
}

static bool is_wide(enum matlab_type type, const uint64_t *words, size_t count)
{
    bool wide = false;
    if (type != MATLAB_INT64 && type != MATLAB_UINT64)
        return false;
    for (size_t i = 0; i < count; i++) {
        bool is_negative = type == MATLAB_INT64 && words[i] >> (WORD_BITS - 1) != 0;
        wide = wide || (is_negative ? 0 - words[i] : words[i]) > DOUBLE_WHOLE_MAX;
    }
    return wide;
}

static void put_narrow(char *at, size_t width, const uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count && width == 1; i++)
        at[i] = (char)words[i];
    for (size_t i = 0; i < count && width == sizeof(uint32_t); i++) {
        uint32_t value = (uint32_t)words[i];
        memcpy(at + i * sizeof value, &value, sizeof value);
    }
}

void matlab_rows_numbers(struct buffer *rows, enum matlab_type type, const uint64_t *present, const uint64_t *words,
                         size_t count)
{
    size_t width = matlab_type_row(type)->width;
    put_word(rows, (lacks_any(present, count) ? FLAG_ABSENT : 0) | (is_wide(type, words, count) ? FLAG_WIDE : 0));
    put_word(rows, count * width);
    buffer_put(rows, (const char *)present, matlab_words_of(count) * sizeof *present);
    char *at = buffer_room(rows, count * width + 1);
    if (!at)
        return;
    if (width == sizeof *words)
        memcpy(at, words, count * width);
    else
        put_narrow(at, width, words, count);
    rows->length += count * width;
}

size_t matlab_rows_texts(struct buffer *rows, const uint64_t *present, size_t count)
{
    put_word(rows, lacks_any(present, count) ? FLAG_ABSENT : 0);
    put_word(rows, 0);
    buffer_put(rows, (const char *)present, matlab_words_of(count) * sizeof *present);
    return rows->length - (2 + matlab_words_of(count)) * sizeof(uint64_t);
}

void matlab_rows_text(struct buffer *rows, const char *text, size_t length)
{
    uint32_t size = (uint32_t)length;
    buffer_put(rows, (const char *)&size, sizeof size);
    buffer_put(rows, text, length);
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

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

/* What a JSON text is. */
static enum matlab_json_kind kind_of(const char *text, size_t length)
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
    return strtoull(digits + (*digits == '-'), NULL, 10) <= DOUBLE_WHOLE_MAX ? MATLAB_JSON_NUMBER : MATLAB_JSON_OTHER;
}

/* UTF-16 units of a JSON string. */
static size_t unquoted_units(const char *text, size_t length)
{
    size_t units = matlab_text_units(text, length) - 2;
    for (size_t i = 1; i + 1 < length; i++) {
        size_t more = text[i] != '\\' ? 0 : text[i + 1] == 'u' ? 5 : 1;
        units -= more;
        i += more;
    }
    return units;
}

static void measure(struct matlab_run *run, enum matlab_type type, const char *text, size_t length)
{
    enum matlab_json_kind kind = type == MATLAB_JSON && length > 0 ? kind_of(text, length) : MATLAB_JSON_OTHER;
    size_t units = type == MATLAB_BYTES         ? length
                   : kind == MATLAB_JSON_STRING ? unquoted_units(text, length)
                                                : matlab_text_units(text, length);
    run->characters = units > run->characters ? units : run->characters;
    run->kinds |= kind;
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

void matlab_rows_texts_end(struct buffer *rows, size_t place, size_t count, enum matlab_type type)
{
    uint64_t flags, bytes;
    size_t first = place + (2 + matlab_words_of(count)) * sizeof flags;
    struct matlab_run run = {0};
    if (rows->failed)
        return;
    memcpy(&flags, rows->data + place, sizeof flags);
    bytes = rows->length - first;
    for (const char *at = rows->data + first; at < rows->data + rows->length;) {
        size_t length;
        const char *text = matlab_text_next(&at, &length);
        measure(&run, type, text, length);
    }
    flags |= (uint64_t)run.kinds << KINDS_AT | (uint64_t)run.characters << CHARACTERS_AT;
    memcpy(rows->data + place, &flags, sizeof flags);
    memcpy(rows->data + place + sizeof flags, &bytes, sizeof bytes);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static uint64_t word_at(const char *words, size_t index)
{
    uint64_t word;
    memcpy(&word, words + index * sizeof word, sizeof word);
    return word;
}

size_t matlab_rows_count(const char **rows)
{
    size_t count = (size_t)word_at(*rows, 0);
    *rows += sizeof(uint64_t);
    return count;
}

struct matlab_run matlab_rows_next(const char **rows, size_t count)
{
    uint64_t flags = word_at(*rows, 0);
    struct matlab_run run = {.present = *rows + 2 * sizeof flags,
                             .bytes = (size_t)word_at(*rows, 1),
                             .has_absent = (flags & FLAG_ABSENT) != 0,
                             .is_wide = (flags & FLAG_WIDE) != 0};
    run.kinds = (unsigned)(flags >> KINDS_AT) & 15;
    run.characters = (size_t)(flags >> CHARACTERS_AT);
    run.values = run.present + matlab_words_of(count) * sizeof flags;
    *rows = run.values + run.bytes;
    return run;
}

const char *matlab_text_next(const char **at, size_t *length)
{
    uint32_t size;
    memcpy(&size, *at, sizeof size);
    const char *text = *at + sizeof size;
    *length = size;
    *at = text + size;
    return text;
}

/* `count` bits from bit `from` on, at most 64. */
static uint64_t bits_from(const char *words, size_t from, size_t count)
{
    size_t shift = from % WORD_BITS;
    uint64_t bits = word_at(words, from / WORD_BITS) >> shift;
    if (shift + count > WORD_BITS)
        bits |= word_at(words, from / WORD_BITS + 1) << (WORD_BITS - shift);
    return count == WORD_BITS ? bits : bits & (((uint64_t)1 << count) - 1);
}

void matlab_bits_copy(const char *words, size_t from, size_t count, uint64_t *bits, size_t at)
{
    while (count > 0) {
        size_t shift = at % WORD_BITS, some = count < WORD_BITS - shift ? count : WORD_BITS - shift;
        bits[at / WORD_BITS] = (shift == 0 ? 0 : bits[at / WORD_BITS]) | bits_from(words, from, some) << shift;
        from += some;
        at += some;
        count -= some;
    }
}
