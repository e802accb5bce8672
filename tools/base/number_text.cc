/* The one C++ file: the shortest digits of a double come from dragonbox, whose interface is C++. */
#include "number_text.h"

#include <cstring>

#include "dragonbox/dragonbox.h"

namespace
{

constexpr char pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748"
    "4950515253545556575859606162636465666768697071727374757677787980818283848586878889909192939495969798"
    "99";
constexpr size_t digits_max = 20;

/* Writes the digits to end at `end`; returns where they begin. */
char *write_backwards(uint64_t number, char *end)
{
    while (number >= 100) {
        end -= 2;
        std::memcpy(end, pairs + 2 * (number % 100), 2);
        number /= 100;
    }
    if (number >= 10) {
        end -= 2;
        std::memcpy(end, pairs + 2 * number, 2);
    } else {
        *--end = static_cast<char>('0' + number);
    }
    return end;
}

char *put(char *out, const char *text, size_t length)
{
    std::memcpy(out, text, length);
    return out + length;
}

constexpr uint64_t powers_of_ten[] = {1,
                                      10,
                                      100,
                                      1000,
                                      10000,
                                      100000,
                                      1000000,
                                      10000000,
                                      100000000,
                                      1000000000,
                                      10000000000,
                                      100000000000,
                                      1000000000000,
                                      10000000000000,
                                      100000000000000,
                                      1000000000000000,
                                      10000000000000000,
                                      100000000000000000};

/* The number of digits of a number from 1 to 10^17 - 1: estimated from its highest bit, corrected by one comparison. */
int count_digits(uint64_t number)
{
    const int guess = (64 - __builtin_clzll(number)) * 1233 >> 12;
    return guess + (number >= powers_of_ten[guess]);
}

/* Eight digits at once: splits a number below 10^8 into lanes of four digits, of two, then of one. The lanes end up as
 * bytes, the first digit in the lowest. */
[[gnu::always_inline]] inline uint64_t text_of_eight(uint32_t number)
{
    constexpr uint64_t two_lanes = UINT64_C(0x0000007f0000007f), four_lanes = UINT64_C(0x000f000f000f000f);
    const uint64_t fours = number / 10000 | static_cast<uint64_t>(number % 10000) << 32;
    const uint64_t hundreds = (fours * 10486 >> 20) & two_lanes;
    const uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
    const uint64_t tens = (twos * 103 >> 10) & four_lanes;
    return (tens | (twos - 10 * tens) << 8) + UINT64_C(0x3030303030303030);
}

/* Stores such a text without its first digits; what comes after it is meaningless. */
[[gnu::always_inline]] inline void store(uint64_t text, int without, char *out)
{
    text >>= 8 * without & 63;
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
        text = __builtin_bswap64(text);
    std::memcpy(out, &text, sizeof text);
}

/* The shortest digits of a double, at most 17, with zeros behind them: the first, and twice eight in registers. Digits
 * in memory would be read in other pieces than they were stored, for which processors wait. */
struct digits {
    int count; /* without the zeros */
    char first;
    uint64_t second, third;
};

[[gnu::always_inline]] inline digits digits_of(uint64_t number)
{
    const int count = count_digits(number);
    const uint64_t all = number * powers_of_ten[17 - count], upper = all / 100000000;
    return {count, static_cast<char>('0' + upper / 100000000), text_of_eight(static_cast<uint32_t>(upper % 100000000)),
            text_of_eight(static_cast<uint32_t>(all % 100000000))};
}

[[gnu::always_inline]] inline void put_all(const digits &digits, char *out)
{
    out[0] = digits.first;
    store(digits.second, 0, out + 1);
    store(digits.third, 0, out + 9);
}

/* The layouts of Python's repr. `point` is the place of the decimal point, in digits from the first. */
[[gnu::always_inline]] inline char *put_fixed(char *out, const digits &digits, int point)
{
    if (point <= 0) {
        std::memcpy(out, "0.000", 5);
        put_all(digits, out + 2 - point);
        return out + 2 - point + digits.count;
    }
    out[0] = digits.first;
    store(digits.second, 0, out + 1);
    if (point <= 9) {
        store(digits.second, point - 1, out + point + 1);
        store(digits.third, 0, out + 10);
    } else {
        store(digits.third, 0, out + 9);
        store(digits.third, point - 9, out + point + 1);
    }
    out[point] = '.';
    return out + (digits.count > point ? digits.count + 1 : point + 2);
}

char *put_exponent(char *out, const digits &digits, int point)
{
    put_all(digits, out + 1);
    out[0] = digits.first;
    out[1] = '.';
    out += digits.count > 1 ? digits.count + 1 : 1;
    const int exponent = point - 1;
    *out++ = 'e';
    *out++ = exponent < 0 ? '-' : '+';
    const unsigned magnitude = static_cast<unsigned>(exponent < 0 ? -exponent : exponent);
    if (magnitude >= 100)
        *out++ = static_cast<char>('0' + magnitude / 100);
    return put(out, pairs + 2 * (magnitude % 100), 2);
}

} // namespace

extern "C" size_t number_repr(double number, char *out)
{
    constexpr uint64_t sign_bit = UINT64_C(1) << 63;
    constexpr uint64_t infinity_bits = UINT64_C(0x7ff) << 52;
    uint64_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    char *at = out;
    if ((bits & ~sign_bit) > infinity_bits)
        return static_cast<size_t>(put(at, "nan", 3) - out);
    *at = '-';
    at += bits >> 63;
    bits &= ~sign_bit;
    if (bits == infinity_bits)
        return static_cast<size_t>(put(at, "inf", 3) - out);
    if (bits == 0)
        return static_cast<size_t>(put(at, "0.0", 3) - out);

    const auto decimal = jkj::dragonbox::to_decimal(number, jkj::dragonbox::policy::sign::ignore);
    const digits digits = digits_of(decimal.significand);
    const int point = digits.count + decimal.exponent;
    at = point > -4 && point <= 16 ? put_fixed(at, digits, point) : put_exponent(at, digits, point);
    return static_cast<size_t>(at - out);
}

extern "C" size_t number_unsigned(uint64_t number, char *out)
{
    char buffer[digits_max];
    char *const end = buffer + sizeof buffer;
    const char *digits = write_backwards(number, end);
    return static_cast<size_t>(put(out, digits, static_cast<size_t>(end - digits)) - out);
}

extern "C" size_t number_signed(int64_t number, char *out)
{
    if (number >= 0)
        return number_unsigned(static_cast<uint64_t>(number), out);
    *out = '-';
    return 1 + number_unsigned(UINT64_C(0) - static_cast<uint64_t>(number), out + 1);
}

extern "C" size_t number_seconds(int64_t nanoseconds, char *out)
{
    constexpr uint64_t per_second = 1000000000;
    char *at = out;
    uint64_t magnitude = static_cast<uint64_t>(nanoseconds);
    if (nanoseconds < 0) {
        *at++ = '-';
        magnitude = UINT64_C(0) - magnitude;
    }
    at += number_unsigned(magnitude / per_second, at);
    *at++ = '.';
    char buffer[digits_max];
    char *const end = buffer + sizeof buffer;
    char *digits = write_backwards(magnitude % per_second, end);
    while (digits > end - 9)
        *--digits = '0';
    return static_cast<size_t>(put(at, digits, 9) - out);
}
