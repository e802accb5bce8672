#include "aubo_words.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 20          /* of the largest uint64_t */
#define EXACT_POWER_MAX 22     /* 10^22 is a double */
#define EXACT_MAX (1ull << 53) /* so is every integer up to here */
#define SIGNIFICANT_MAX 800    /* a double depends on no more than 767 digits */
#define EXPONENT_MAX 100000000 /* a larger one gives 0 or infinity: messages have no more than 65536 bytes */

static bool is_word(char c)
{
    return armtap_aubo_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' ||
           c == '.';
}

size_t armtap_aubo_word_length(const char *text, size_t length)
{
    size_t count = 0;
    while (count < length && is_word(text[count]))
        count++;
    return count;
}

/* ---- checking ---- */

static size_t digits_at(const char *text, size_t length, size_t at)
{
    size_t count = 0;
    while (at + count < length && armtap_aubo_is_digit(text[at + count]))
        count++;
    return count;
}

static bool is_beyond_range(const char *digits, size_t count, bool negative)
{
    const char *limit = negative ? "9223372036854775808" : "18446744073709551615";
    size_t longest = strlen(limit);
    return count > longest || (count == longest && memcmp(digits, limit, count) > 0);
}

static enum armtap_aubo_word check_number(const char *text, size_t length)
{
    size_t at = text[0] == '-' ? 1 : 0;
    size_t whole = digits_at(text, length, at);
    if (whole == 0 || (whole > 1 && text[at] == '0'))
        return ARMTAP_AUBO_WORD_WRONG;
    const char *digits = text + at;
    at += whole;
    if (at == length)
        return is_beyond_range(digits, whole, text[0] == '-') ? ARMTAP_AUBO_WORD_BEYOND_RANGE : ARMTAP_AUBO_WORD_PLAIN;
    if (text[at] == '.') {
        size_t fraction = digits_at(text, length, at + 1);
        if (fraction == 0)
            return ARMTAP_AUBO_WORD_WRONG;
        at += 1 + fraction;
    }
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        if (at < length && (text[at] == '+' || text[at] == '-'))
            at++;
        size_t exponent = digits_at(text, length, at);
        if (exponent == 0)
            return ARMTAP_AUBO_WORD_WRONG;
        at += exponent;
    }
    return at == length ? ARMTAP_AUBO_WORD_PLAIN : ARMTAP_AUBO_WORD_WRONG;
}

static bool is_name(const char *text, size_t length)
{
    static const char *const names[] = {"true", "false", "null", "NaN", "Infinity", "-Infinity"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == length && memcmp(names[i], text, length) == 0)
            return true;
    return false;
}

enum armtap_aubo_word armtap_aubo_check_word(const char *text, size_t length)
{
    bool is_number = armtap_aubo_is_digit(text[0]) || (text[0] == '-' && length > 1 && armtap_aubo_is_digit(text[1]));
    if (is_number)
        return check_number(text, length);
    return is_name(text, length) ? ARMTAP_AUBO_WORD_PLAIN : ARMTAP_AUBO_WORD_WRONG;
}

/* ---- values ---- */

/* A number: digits times a power of ten. */
struct decimal {
    bool negative, whole; /* whole: neither a point nor an exponent */
    size_t count;         /* of digits after leading zeros */
    uint64_t digits;      /* valid if they are at most DIGITS_MAX and fit */
    long power;
};

static long read_exponent(const char *text, size_t length)
{
    bool negative = text[0] == '-';
    long exponent = 0;
    for (size_t at = negative || text[0] == '+'; at < length && exponent < EXPONENT_MAX; at++)
        exponent = exponent * 10 + (text[at] - '0');
    return negative ? -exponent : exponent;
}

static struct decimal take_apart(const char *text, size_t length)
{
    struct decimal decimal = {.negative = text[0] == '-', .whole = true};
    bool fraction = false;
    size_t at = decimal.negative;
    for (; at < length && (armtap_aubo_is_digit(text[at]) || text[at] == '.'); at++) {
        if (text[at] == '.') {
            fraction = true;
            continue;
        }
        decimal.power -= fraction;
        decimal.count += decimal.count > 0 || text[at] != '0';
        if (decimal.count <= DIGITS_MAX)
            decimal.digits = decimal.digits * 10 + (uint64_t)(text[at] - '0');
    }
    decimal.whole = !fraction && at == length;
    if (at < length)
        decimal.power += read_exponent(text + at + 1, length - at - 1);
    return decimal;
}

/* Converts by one multiplication or division, correctly rounded; false if one is not enough. */
static bool scale(const struct decimal *decimal, double *number)
{
    static const double powers[EXACT_POWER_MAX + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (FLT_EVAL_METHOD != 0 || decimal->count >= DIGITS_MAX || decimal->digits > EXACT_MAX ||
        decimal->power < -EXACT_POWER_MAX || decimal->power > EXACT_POWER_MAX)
        return false;
    double digits = (double)decimal->digits;
    *number = decimal->power < 0 ? digits / powers[-decimal->power] : digits * powers[decimal->power];
    return true;
}

/* Writes "e", the number and a NUL. */
static void put_exponent(char *to, long power)
{
    char digits[24];
    size_t count = 0;
    *to++ = 'e';
    if (power < 0)
        *to++ = '-';
    for (unsigned long left = (unsigned long)(power < 0 ? -power : power); left > 0 || count == 0; left /= 10)
        digits[count++] = (char)('0' + left % 10);
    while (count > 0)
        *to++ = digits[--count];
    *to = '\0';
}

/* Converts with strtod, without a decimal point, which would depend on the locale. */
static double long_number(const char *text, const struct decimal *decimal)
{
    char plain[SIGNIFICANT_MAX + 32];
    size_t kept = 0, seen = 0;
    bool more = false; /* a digit other than 0 follows those kept */
    for (const char *at = text + decimal->negative; seen < decimal->count; at++) {
        if (!armtap_aubo_is_digit(*at) || (seen == 0 && *at == '0'))
            continue;
        seen++;
        if (kept < SIGNIFICANT_MAX)
            plain[kept++] = *at;
        else
            more |= *at != '0';
    }
    if (more)
        plain[kept++] = '1';
    put_exponent(plain + kept, decimal->power + (long)(decimal->count - kept));
    return strtod(plain, NULL);
}

static double real_number(const char *text, size_t length)
{
    double number;
    if (text[length - 1] == 'N')
        return (double)NAN;
    if (text[length - 1] == 'y')
        return text[0] == '-' ? -(double)INFINITY : (double)INFINITY;
    struct decimal decimal = take_apart(text, length);
    if (!scale(&decimal, &number))
        number = decimal.count > 0 ? long_number(text, &decimal) : 0;
    return decimal.negative ? -number : number;
}

static bool whole_number(const char *text, size_t length, struct armtap_value *value)
{
    if (!armtap_aubo_is_digit(text[length - 1]) || armtap_aubo_check_word(text, length) != ARMTAP_AUBO_WORD_PLAIN)
        return false;
    struct decimal decimal = take_apart(text, length);
    value->type = !decimal.negative && decimal.digits > INT64_MAX ? ARMTAP_UINT64 : ARMTAP_INT64;
    value->u64[0] = decimal.negative ? 0 - decimal.digits : decimal.digits;
    return decimal.whole;
}

void armtap_aubo_word_value(const char *text, size_t length, struct armtap_value *value)
{
    char c = text[0];
    value->present = c != 'n';
    value->count = 1;
    if (c == 'n') {
        value->type = ARMTAP_JSON;
    } else if (c == 't' || c == 'f') {
        value->type = ARMTAP_BOOL;
        value->u64[0] = c == 't';
    } else if (!whole_number(text, length, value)) {
        value->type = ARMTAP_DOUBLE;
        value->f64[0] = real_number(text, length);
    }
}
