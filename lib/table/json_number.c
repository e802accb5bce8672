/* The numbers of JSON text as integers and doubles. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "json.h"

#define DIGITS_MAX 19                 /* of which any number is a uint64_t */
#define EXACT_POWER_MAX 22            /* 10^22 is a double */
#define EXACT_MAX (UINT64_C(1) << 53) /* so is every integer up to here */
#define FRACTION_MAX 40
#define SIGNIFICANT_MAX 800    /* a double depends on no more than 767 digits */
#define EXPONENT_MAX 100000000 /* a larger one gives 0 or infinity for as many digits as a text may have */

/* ---- digits ---- */

/* Whether all eight bytes are digits: 0x30 to 0x39. */
static inline bool are_digits(uint64_t word)
{
    uint64_t high = UINT64_C(0xf0f0f0f0f0f0f0f0), zeros = UINT64_C(0x3030303030303030);
    return (word & high) == zeros && ((word + UINT64_C(0x0606060606060606)) & high) == zeros;
}

/* The number that eight digits are, the first in the highest byte: neighbours join to pairs, these to fours. */
static inline uint64_t eight_digits(uint64_t word)
{
    uint64_t pairs = UINT64_C(0x000f000f000f000f), fours = UINT64_C(0x000000ff000000ff), eight = UINT64_C(0xffff);
    word = (word >> 8 & pairs) * 10 + (word & pairs);
    word = (word >> 16 & fours) * 100 + (word & fours);
    return (word >> 32 & eight) * 10000 + (word & eight);
}

/* Appends the digits at `at`; returns where they end. */
static const char *take_digits(const char *at, const char *end, struct armtap_json_decimal *decimal)
{
    const char *begin = at;
    uint64_t digits = decimal->digits;
    for (; end - at >= 8; at += 8) {
        uint64_t word = armtap_be64((const uint8_t *)at);
        if (!are_digits(word))
            break;
        digits = digits * 100000000 + eight_digits(word);
    }
    for (; at < end && armtap_json_is_digit(*at); at++)
        digits = digits * 10 + (uint64_t)(*at - '0');
    while (decimal->count == 0 && begin < at && *begin == '0')
        begin++;
    decimal->count += (size_t)(at - begin);
    decimal->digits = digits;
    return at;
}

/* Appends an exponent; NULL if it has no digit. */
static const char *take_exponent(const char *at, const char *end, int64_t *power)
{
    bool negative = at < end && *at == '-';
    long exponent = 0;
    at += at < end && (negative || *at == '+');
    const char *begin = at;
    for (; at < end && armtap_json_is_digit(*at); at++)
        if (exponent < EXPONENT_MAX)
            exponent = exponent * 10 + (*at - '0');
    *power += negative ? -exponent : exponent;
    return at > begin ? at : NULL;
}

const char *armtap_json_decimal(const char *text, const char *end, struct armtap_json_decimal *decimal)
{
    *decimal = (struct armtap_json_decimal){.negative = *text == '-'};
    text += decimal->negative;
    const char *at = take_digits(text, end, decimal);
    if (at == text || (*text == '0' && at - text > 1))
        return NULL;
    decimal->whole = at == end || (*at != '.' && *at != 'e' && *at != 'E');
    if (at < end && *at == '.') {
        const char *fraction = at + 1;
        at = take_digits(fraction, end, decimal);
        decimal->power = fraction - at;
        if (at == fraction)
            return NULL;
    }
    if (at < end && (*at == 'e' || *at == 'E'))
        at = take_exponent(at + 1, end, &decimal->power);
    return at;
}

/* ---- doubles ---- */

/* One multiplication or division is correctly rounded if both numbers are exact. */
static bool by_one_operation(uint64_t digits, int64_t power, double *real)
{
    static const double powers[EXACT_POWER_MAX + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (FLT_EVAL_METHOD != 0 || digits > EXACT_MAX || power < -EXACT_POWER_MAX || power > EXACT_POWER_MAX)
        return false;
    *real = power < 0 ? (double)digits / powers[-power] : (double)digits * powers[power];
    return true;
}

#ifdef __SIZEOF_INT128__

__extension__ typedef unsigned __int128 wide;

/* 10^-k is `factor` * 2^-`shift`, or up to 2^-`shift` more. From floor(2^shift / 10^k), with the shift for which that
 * has 64 bits. */
static const struct {
    uint64_t factor;
    int shift;
} fractions[FRACTION_MAX + 1] = {
    {0x8000000000000000, 63},  {0xcccccccccccccccc, 67},  {0xa3d70a3d70a3d70a, 70},  {0x83126e978d4fdf3b, 73},
    {0xd1b71758e219652b, 77},  {0xa7c5ac471b478423, 80},  {0x8637bd05af6c69b5, 83},  {0xd6bf94d5e57a42bc, 87},
    {0xabcc77118461cefc, 90},  {0x89705f4136b4a597, 93},  {0xdbe6fecebdedd5be, 97},  {0xafebff0bcb24aafe, 100},
    {0x8cbccc096f5088cb, 103}, {0xe12e13424bb40e13, 107}, {0xb424dc35095cd80f, 110}, {0x901d7cf73ab0acd9, 113},
    {0xe69594bec44de15b, 117}, {0xb877aa3236a4b449, 120}, {0x9392ee8e921d5d07, 123}, {0xec1e4a7db69561a5, 127},
    {0xbce5086492111aea, 130}, {0x971da05074da7bee, 133}, {0xf1c90080baf72cb1, 137}, {0xc16d9a0095928a27, 140},
    {0x9abe14cd44753b52, 143}, {0xf79687aed3eec551, 147}, {0xc612062576589dda, 150}, {0x9e74d1b791e07e48, 153},
    {0xfd87b5f28300ca0d, 157}, {0xcad2f7f5359a3b3e, 160}, {0xa2425ff75e14fc31, 163}, {0x81ceb32c4b43fcf4, 166},
    {0xcfb11ead453994ba, 170}, {0xa6274bbdd0fadd61, 173}, {0x84ec3c97da624ab4, 176}, {0xd4ad2dbfc3d07787, 180},
    {0xaa242499697392d2, 183}, {0x881cea14545c7575, 186}, {0xd9c7dced53c72255, 190}, {0xae397d8aa96c1b77, 193},
    {0x8b61313bbabce2c6, 196}};

/* Multiplies by 10^power to 64 bits. The product that is computed is at most 1 of the last bit too small, so that the
 * bits below the 54th tell how to round, unless they are all zero or all one. */
static bool by_product(uint64_t digits, int64_t power, double *real)
{
    if (power > 0 || power < -FRACTION_MAX)
        return false;
    int zeros = __builtin_clzll(digits);
    uint64_t product = (uint64_t)((wide)(digits << zeros) * fractions[-power].factor >> 64);
    int below = 9 + (int)(product >> 63); /* the product has 63 or 64 bits: 54 and those below */
    uint64_t rest = product & ((UINT64_C(1) << below) - 1);
    if (rest == 0 || rest == (UINT64_C(1) << below) - 1)
        return false;
    uint64_t mantissa = ((product >> below) + 1) >> 1; /* 2^52 to 2^53 */
    int exponent = below + 1 + 64 - zeros - fractions[-power].shift;
    uint64_t bits = ((uint64_t)(exponent + 52 + 1023) << 52) + (mantissa - (UINT64_C(1) << 52));
    memcpy(real, &bits, sizeof bits);
    return true;
}

#else

static bool by_product(uint64_t digits, int64_t power, double *real)
{
    (void)digits;
    (void)power;
    (void)real;
    return false;
}

#endif

/* Writes "e", the number and a NUL. */
static void put_exponent(char *to, int64_t power)
{
    char digits[24];
    size_t count = 0;
    *to++ = 'e';
    if (power < 0)
        *to++ = '-';
    for (uint64_t left = (uint64_t)(power < 0 ? -power : power); left > 0 || count == 0; left /= 10)
        digits[count++] = (char)('0' + left % 10);
    while (count > 0)
        *to++ = digits[--count];
    *to = '\0';
}

/* Converts with strtod, without a decimal point, which would depend on the locale. */
static double long_number(const char *text, const struct armtap_json_decimal *decimal)
{
    char plain[SIGNIFICANT_MAX + 32];
    size_t kept = 0, seen = 0;
    bool more = false; /* a digit other than 0 follows those kept */
    for (const char *at = text + decimal->negative; seen < decimal->count; at++) {
        if (!armtap_json_is_digit(*at) || (seen == 0 && *at == '0'))
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

double armtap_json_double(const struct armtap_json_token *number)
{
    const struct armtap_json_decimal *decimal = &number->decimal;
    char last = number->text[number->length - 1];
    double real = 0;
    if (!armtap_json_is_digit(last))
        return last == 'N' ? (double)NAN : number->text[0] == '-' ? -(double)INFINITY : (double)INFINITY;
    if (decimal->count > DIGITS_MAX ||
        (decimal->count > 0 && !by_one_operation(decimal->digits, decimal->power, &real) &&
         !by_product(decimal->digits, decimal->power, &real)))
        real = long_number(number->text, decimal);
    return decimal->negative ? -real : real;
}

/* Whether a number is an integer of one of the types. */
static bool is_integer(const struct armtap_json_token *number)
{
    static const char largest[] = "18446744073709551615";
    const struct armtap_json_decimal *decimal = &number->decimal;
    const size_t most = sizeof largest - 1;
    if (!armtap_json_is_digit(number->text[number->length - 1]) || !decimal->whole || decimal->count > most ||
        (decimal->negative && (decimal->count == most || decimal->digits > (uint64_t)INT64_MAX + 1)))
        return false;
    return decimal->count < most || memcmp(number->text, largest, most) <= 0;
}

void armtap_json_number(const struct armtap_json_token *number, struct armtap_value *value)
{
    const struct armtap_json_decimal *decimal = &number->decimal;
    value->present = true;
    value->count = 1;
    if (is_integer(number)) {
        value->type = !decimal->negative && decimal->digits > INT64_MAX ? ARMTAP_UINT64 : ARMTAP_INT64;
        value->u64[0] = decimal->negative ? 0 - decimal->digits : decimal->digits;
    } else {
        value->type = ARMTAP_DOUBLE;
        value->f64[0] = armtap_json_double(number);
    }
}
