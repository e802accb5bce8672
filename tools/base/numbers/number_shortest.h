/* The shortest decimal that reads back as the same double; of several the nearest: what Python's repr shows. By
 * dragonbox, and where that is missing by the C++ library, or by C's, a hundred times slower (tests/number-check.py
 * compares all). */
#ifndef BASE_NUMBER_SHORTEST_H
#define BASE_NUMBER_SHORTEST_H

#include <charconv>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#ifdef ARMTAP_WITH_DRAGONBOX
#include "dragonbox/dragonbox.h"
#endif

namespace number_shortest
{

/* significand * 10^exponent, without zeros at the end of the significand */
struct decimal {
    uint64_t significand;
    int exponent;
};

#ifdef ARMTAP_WITH_DRAGONBOX
inline decimal by_dragonbox(double number)
{
    const auto found = jkj::dragonbox::to_decimal(number, jkj::dragonbox::policy::sign::ignore);
    return {found.significand, found.exponent};
}
#endif

constexpr size_t text_max = 32;

/* Reads 1.25e-07, with any decimal point. */
inline decimal read(const char *text)
{
    decimal read = {0, 0};
    bool is_fraction = false;
    for (; *text != 'e'; text++) {
        if (*text < '0' || *text > '9') {
            is_fraction = true;
            continue;
        }
        read.significand = 10 * read.significand + static_cast<uint64_t>(*text - '0');
        read.exponent -= is_fraction;
    }
    read.exponent += std::atoi(text + 1);
    for (; read.significand % 10 == 0; read.significand /= 10)
        read.exponent++;
    return read;
}

#ifdef __cpp_lib_to_chars
inline decimal by_to_chars(double number)
{
    char text[text_max];
    *std::to_chars(text, text + text_max - 1, std::fabs(number), std::chars_format::scientific).ptr = '\0';
    return read(text);
}
#endif

inline bool reads_back(const decimal &decimal, double number)
{
    char text[text_max];
    std::snprintf(text, sizeof text, "%" PRIu64 "e%d", decimal.significand, decimal.exponent);
    return std::strtod(text, nullptr) == number;
}

/* Whether a decimal of so many digits reads back: the nearest, or the next above, since a power of two reaches further
 * up than down. */
inline bool find(double number, int digits, decimal *found)
{
    char text[text_max];
    std::snprintf(text, sizeof text, "%.*e", digits - 1, number);
    *found = read(text);
    if (reads_back(*found, number))
        return true;
    for (int count = std::snprintf(text, sizeof text, "%" PRIu64, found->significand); count < digits; count++) {
        found->significand *= 10;
        found->exponent--;
    }
    found->significand++;
    return reads_back(*found, number);
}

inline decimal by_printf(double number)
{
    const double size = std::fabs(number);
    decimal shortest = {0, 0}, shorter;
    for (int digits = 17; digits > 0 && find(size, digits, &shorter); digits--)
        shortest = shorter;
    return shortest;
}

inline decimal of(double number)
{
#if defined ARMTAP_WITH_DRAGONBOX
    return by_dragonbox(number);
#elif defined __cpp_lib_to_chars
    return by_to_chars(number);
#else
    return by_printf(number);
#endif
}

} // namespace number_shortest

#endif
