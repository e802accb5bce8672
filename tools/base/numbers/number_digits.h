/* The shortest digits of a double by three multiplications and without a branch that depends on the number. Where
 * rounding leaves a doubt, it says so, and dragonbox decides (number_text.cc).
 *
 * As in Schubfach (Raffaello Giulietti, 2020), the number is scaled so that the distance to its neighbours is from 1 to
 * 10: then its shortest digits are the multiple of ten nearest to it, if that reads back as the same double, else the
 * nearest integer. */
#ifndef BASE_NUMBER_DIGITS_H
#define BASE_NUMBER_DIGITS_H

#include <cstdint>

#ifdef __SIZEOF_INT128__
#define NUMBER_DIGITS 1

namespace number_digits
{

__extension__ typedef unsigned __int128 wide;

/* ---- powers of ten ----------------------------------------------------------------------------------------------- */

constexpr int least_power = -292, greatest_power = 324;

/* A power of ten is number * 2^n with 2^127 <= number < 2^128, rounded down: at most 325 units of the last place are
 * missing, and none from 10^0 to 10^55. */
constexpr wide times_ten(wide number)
{
    const wide upper = (number >> 4) * 10, rest = (number & 15) * 10; /* number * 10 = upper * 16 + rest */
    const wide eighth = upper + (rest >> 4);                          /* number * 10 / 16 */
    return eighth >> 127 ? eighth : eighth << 1 | (rest >> 3 & 1);
}

constexpr wide by_ten(wide number)
{
    const wide quotient = number / 10, rest = number % 10;
    const wide eightfold = (quotient << 3) + (rest << 3) / 10;
    return eightfold >> 127 ? eightfold : (quotient << 4) + (rest << 4) / 10;
}

/* floor(log10(2^n)) and floor(log2(10^n)), for any n that a double needs. */
constexpr int log10_of_power_of_2(int n)
{
    return n * 315653 >> 20;
}

constexpr int log2_of_power_of_10(int n)
{
    return n * 1741647 >> 19;
}

/* How to scale the numbers of one binary exponent: by 2^shift * high:low. */
struct scale {
    uint64_t high, low;
    int32_t exponent; /* of ten, of the scaled number's last digit */
    int32_t shift;    /* 0 to 3 */
};

struct scales {
    scale of[2048]; /* by the biased exponent */

    constexpr scales() : of{}
    {
        wide power[greatest_power - least_power + 1] = {};
        wide up = static_cast<wide>(1) << 127, down = up;
        for (int n = 0; n <= greatest_power; n++, up = times_ten(up))
            power[n - least_power] = up;
        for (int n = 0; n >= least_power; n--, down = by_ten(down))
            power[n - least_power] = down;
        for (int biased = 1; biased < 2047; biased++) {
            const int q = biased - 1075, k = log10_of_power_of_2(q);
            const wide number = power[-k - least_power];
            of[biased].high = static_cast<uint64_t>(number >> 64);
            of[biased].low = static_cast<uint64_t>(number);
            of[biased].exponent = k;
            of[biased].shift = q + log2_of_power_of_10(-k);
        }
    }
};

inline constexpr scales table;

/* Without a branch, which compilers like to make of ?: and which would be guessed wrong half of the time. */
constexpr uint64_t choose(bool which, uint64_t if_true, uint64_t if_false)
{
    return if_false ^ ((if_true ^ if_false) & (UINT64_C(0) - which));
}

/* ---- digits ------------------------------------------------------------------------------------------------------ */

struct decimal {
    uint64_t digits; /* from 10^15 to 10^17 - 1, maybe with zeros at the end */
    int exponent;    /* the number is digits * 10^exponent */
    bool is_sure;
};

/* Of mantissa * 2^(biased - 1075), where mantissa has its hidden bit, and is not a power of two: below those the
 * neighbour is nearer. `biased`: from 1 to 2046. */
[[gnu::always_inline]] inline decimal shortest(uint64_t mantissa, int biased)
{
    constexpr uint64_t doubt = 8, ten = UINT64_C(10) << 60, half = UINT64_C(1) << 63;
    const scale &g = table.of[biased];

    /* The scaled number: its integer, and its fraction in 2^-64, of which up to 6 are missing. */
    const uint64_t scaled = mantissa << (g.shift + 1);
    const wide product =
        static_cast<wide>(scaled) * g.high + static_cast<uint64_t>(static_cast<wide>(scaled) * g.low >> 64);
    const uint64_t integer = static_cast<uint64_t>(product >> 64), fraction = static_cast<uint64_t>(product);

    /* In 2^-60: how far it is from the multiple of ten below, and from the middle between it and a neighbour. */
    const uint64_t tens = integer / 10, last = integer - 10 * tens;
    const uint64_t above = last << 60 | fraction >> 4, reach = g.high >> (4 - g.shift);
    const uint64_t below = ten - above;

    const bool is_down = above < reach, is_up = below < reach;
    const uint64_t nearest = integer + (fraction > half), rounded = 10 * (tens + is_up);
    const uint64_t digits = choose(is_down | is_up, rounded, nearest);
    const bool is_sure = (above - reach + doubt > 2 * doubt) & (below - reach + doubt > 2 * doubt) &
                         (fraction - half + doubt > 2 * doubt);
    return {digits, g.exponent, is_sure};
}

} // namespace number_digits

#endif
#endif
