#include "primary_message.h"

#include <math.h>
#include <string.h>

#include "bytes.h"

#define DEPTH 8u  /* of lists within lists */
#define DIGITS 9u /* that tell any two floats apart */
#define POSE_NUMBERS 6u
#define PLAIN_FROM (-5) /* powers of ten of numbers without an exponent */
#define PLAIN_TO 9

enum form { NOTHING, TEXT, LIST, POSE, BOOL, FLOAT, INT, MATRIX };

static const struct value_type {
    uint8_t numbering, number, form;
    const char *name;
} types[] = {
#define VALUE_TYPE(numbering, number, name, form) {ARMTAP_VALUES_##numbering, number, form, name},
#include "primary_value_types.def"
};

static unsigned number_at(const char **text)
{
    unsigned number = 0;
    for (; **text >= '0' && **text <= '9' && number < 1000; ++*text)
        number = 10 * number + (unsigned)(**text - '0');
    return number;
}

enum armtap_value_numbering armtap_value_numbering_of(const char *release)
{
    unsigned major = number_at(&release), minor = *release == '.' ? (release++, number_at(&release)) : 0;
    if (major == 0)
        return ARMTAP_VALUES_UNKNOWN;
    if (major < 3 || (major == 3 && minor < 3))
        return ARMTAP_VALUES_UNTIL_3_2;
    bool is_middle = (major == 3 && minor < 14) || major == 4 || (major == 5 && minor < 9);
    return is_middle ? ARMTAP_VALUES_FROM_3_3 : ARMTAP_VALUES_FROM_5_9;
}

/* ---- writing --------------------------------------------------------------------------------------------------- */

static void put(struct armtap_value_reader *reader, const void *text, size_t length)
{
    if (length > reader->room - reader->length)
        length = reader->room - reader->length;
    memcpy(reader->text + reader->length, text, length);
    reader->length += length;
}

static void put_word(struct armtap_value_reader *reader, const char *word)
{
    put(reader, word, strlen(word));
}

static void put_integer(struct armtap_value_reader *reader, int64_t number)
{
    char digits[24];
    size_t at = sizeof digits;
    uint64_t rest = number < 0 ? (uint64_t)-number : (uint64_t)number;
    do
        digits[--at] = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (number < 0)
        digits[--at] = '-';
    put(reader, digits + at, sizeof digits - at);
}

/* The fewest digits that are this float, which is above 0: 0.d1d2... times ten to the power. */
static unsigned shorten(float number, int *power, uint32_t *digits)
{
    double left = (double)number, unit = 1, tens = 1;
    *power = 0;
    for (; left >= 1; left /= 10, unit *= 10)
        ++*power;
    for (; left < 0.1; left *= 10, unit /= 10)
        --*power;
    for (unsigned count = 1; count <= DIGITS; count++) {
        left *= 10;
        tens *= 10;
        *digits = (uint32_t)(left + 0.5);
        float again = (float)(*digits / tens * unit);
        if (again >= number && again <= number)
            return count;
    }
    return DIGITS;
}

/* Digits with a point behind the first `before` of them. */
static void put_decimal(struct armtap_value_reader *reader, uint32_t digits, unsigned count, int before)
{
    char text[DIGITS]; /* they end with it */
    for (size_t i = DIGITS; i-- > 0; digits /= 10)
        text[i] = (char)('0' + digits % 10);
    if (before <= 0)
        put_word(reader, "0.");
    for (int i = before; i < 0; i++)
        put_word(reader, "0");
    for (int i = 0; i < (int)count || i < before; i++) {
        if (i == before && i > 0)
            put_word(reader, ".");
        put(reader, i < (int)count ? &text[DIGITS - count + (unsigned)i] : "0", 1);
    }
}

static void put_positive(struct armtap_value_reader *reader, float number)
{
    uint32_t digits;
    int power;
    unsigned count = shorten(number, &power, &digits);
    bool is_plain = power >= PLAIN_FROM && power <= PLAIN_TO;
    put_decimal(reader, digits, count, is_plain ? power : 1);
    if (is_plain)
        return;
    put_word(reader, "e");
    put_integer(reader, power - 1);
}

static void put_float(struct armtap_value_reader *reader, float number)
{
    if (number < 0)
        put_word(reader, "-");
    number = fabsf(number);
    if (isnan(number) || isinf(number))
        put_word(reader, isnan(number) ? "nan" : "inf");
    else if (number > 0)
        put_positive(reader, number);
    else
        put_word(reader, "0");
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

/* The next bytes; NULL if they are missing. */
static const uint8_t *take(struct armtap_value_reader *reader, size_t length)
{
    const uint8_t *at = reader->at;
    if ((size_t)(reader->end - at) < length)
        return NULL;
    reader->at += length;
    return at;
}

static bool read_float(struct armtap_value_reader *reader)
{
    const uint8_t *wire = take(reader, 4);
    float number;
    if (!wire)
        return false;
    uint32_t bits = armtap_be32(wire);
    memcpy(&number, &bits, sizeof number);
    put_float(reader, number);
    return true;
}

static bool read_pose(struct armtap_value_reader *reader)
{
    put_word(reader, "p[");
    for (unsigned i = 0; i < POSE_NUMBERS; i++) {
        put_word(reader, i > 0 ? ", " : "");
        if (!read_float(reader))
            return false;
    }
    put_word(reader, "]");
    return true;
}

static bool read_text(struct armtap_value_reader *reader)
{
    const uint8_t *length = take(reader, 2), *text = length ? take(reader, armtap_be16(length)) : NULL;
    if (!text)
        return false;
    put_word(reader, "\"");
    put(reader, text, armtap_be16(length));
    put_word(reader, "\"");
    return true;
}

static bool read_any(struct armtap_value_reader *reader, unsigned depth);

static bool read_items(struct armtap_value_reader *reader, size_t count, unsigned depth)
{
    put_word(reader, "[");
    for (size_t i = 0; i < count; i++) {
        put_word(reader, i > 0 ? ", " : "");
        if (!read_any(reader, depth + 1))
            return false;
    }
    put_word(reader, "]");
    return true;
}

static bool read_list(struct armtap_value_reader *reader, unsigned depth)
{
    const uint8_t *count = take(reader, 2);
    return count && read_items(reader, armtap_be16(count), depth);
}

static bool read_matrix(struct armtap_value_reader *reader, unsigned depth)
{
    const uint8_t *size = take(reader, 4);
    size_t rows = size ? armtap_be16(size) : 0, columns = size ? armtap_be16(size + 2) : 0;
    put_word(reader, "[");
    for (size_t i = 0; i < rows && columns > 0; i++) {
        put_word(reader, i > 0 ? ", " : "");
        if (!read_items(reader, columns, depth))
            return false;
    }
    put_word(reader, "]");
    return size != NULL;
}

static bool read_as(struct armtap_value_reader *reader, enum form form, unsigned depth)
{
    const uint8_t *wire;
    switch (form) {
    case NOTHING:
        put_word(reader, "None");
        return true;
    case TEXT:
        return read_text(reader);
    case LIST:
        return read_list(reader, depth);
    case POSE:
        return read_pose(reader);
    case BOOL:
        wire = take(reader, 1);
        put_word(reader, wire && *wire ? "True" : "False");
        return wire != NULL;
    case FLOAT:
        return read_float(reader);
    case INT:
        wire = take(reader, 4);
        put_integer(reader, wire ? (int32_t)armtap_be32(wire) : 0);
        return wire != NULL;
    default:
        return read_matrix(reader, depth);
    }
}

static bool read_any(struct armtap_value_reader *reader, unsigned depth)
{
    const uint8_t *number = depth < DEPTH ? take(reader, 1) : NULL;
    for (size_t i = 0; number && i < sizeof types / sizeof *types; i++)
        if (types[i].numbering == (uint8_t)reader->numbering && types[i].number == *number)
            return read_as(reader, (enum form)types[i].form, depth);
    reader->unknown_type = number ? *number : -1;
    return false;
}

bool armtap_value_read(struct armtap_value_reader *reader)
{
    reader->length = 0;
    reader->unknown_type = -1;
    return read_any(reader, 0);
}
