#include "decimal.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Bits of a double's significand; times 1000 it needs 63. */
#define SIGNIFICAND 53

static const uint64_t scales[DECIMAL_DIGITS_MAX + 1] = {1, 10, 100, 1000};

/* `number` / 2^shift, rounded to nearest, ties to even. */
static uint64_t shifted(uint64_t number, int shift)
{
    if (shift > 63)
        return 0;
    uint64_t result = number >> shift, rest = number & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);
    return result + (rest > half || (rest == half && result % 2 == 1));
}

/* The value in units of the last digit, below 2^64; in whole units if it has no fraction. */
static uint64_t units_of(double value, unsigned digits, bool *is_whole)
{
    int exponent;
    uint64_t significand = (uint64_t)ldexp(frexp(value, &exponent), SIGNIFICAND);
    *is_whole = exponent >= SIGNIFICAND;
    return *is_whole ? significand << (exponent - SIGNIFICAND)
                     : shifted(significand * scales[digits], SIGNIFICAND - exponent);
}

const char *armtap_decimal(char to[DECIMAL_MAX], double value, unsigned digits)
{
    const char *sign = signbit(value) != 0 ? "-" : "";
    bool is_whole;
    if (!(fabs(value) < 0x1p64)) {
        snprintf(to, DECIMAL_MAX, "%s%s", sign, isnan(value) ? "nan" : "inf");
        return to;
    }
    uint64_t units = units_of(fabs(value), digits, &is_whole), scale = is_whole ? 1 : scales[digits];
    int length = snprintf(to, DECIMAL_MAX, "%s%" PRIu64, sign, units / scale);
    if (digits > 0)
        snprintf(to + length, DECIMAL_MAX - (size_t)length, ".%0*" PRIu64, (int)digits, units % scale);
    return to;
}
