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

/* A double has at most 17 shortest digits. They end at this place of a larger buffer, because copies of a fixed length
 * are faster than exact ones. */
constexpr size_t shortest_max = 17;
constexpr size_t block = 16;

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

char *put_zeros(char *out, int count)
{
    for (int i = 0; i < count; i++)
        *out++ = '0';
    return out;
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
[[gnu::always_inline]] inline void write_eight(uint32_t number, char *out)
{
    constexpr uint64_t two_lanes = UINT64_C(0x0000007f0000007f), four_lanes = UINT64_C(0x000f000f000f000f);
    const uint64_t fours = number / 10000 | static_cast<uint64_t>(number % 10000) << 32;
    const uint64_t hundreds = (fours * 10486 >> 20) & two_lanes;
    const uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
    const uint64_t tens = (twos * 103 >> 10) & four_lanes;
    uint64_t text = (tens | (twos - 10 * tens) << 8) + UINT64_C(0x3030303030303030);
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
        text = __builtin_bswap64(text);
    std::memcpy(out, &text, sizeof text);
}

/* Writes a number below 10^17 as shortest_max digits, with leading zeros. */
[[gnu::always_inline]] inline void write_shortest(uint64_t number, char *out)
{
    const uint64_t upper = number / 100000000;
    out[0] = static_cast<char>('0' + upper / 100000000);
    write_eight(static_cast<uint32_t>(upper % 100000000), out + 1);
    write_eight(static_cast<uint32_t>(number % 100000000), out + 9);
}

/* The layouts of Python's repr. `point` is the place of the decimal point, in digits from the first. May read two
 * blocks from `digits`. */
char *put_fixed(char *out, const char *digits, int count, int point)
{
    if (point <= 0) {
        std::memcpy(out, "0.000", 5);
        out += 2 - point;
        std::memcpy(out, digits, shortest_max);
        return out + count;
    }
    if (point >= count) {
        out = put_zeros(put(out, digits, static_cast<size_t>(count)), point - count);
        return put(out, ".0", 2);
    }
    std::memcpy(out, digits, block);
    out[point] = '.';
    std::memcpy(out + point + 1, digits + point, block);
    return out + count + 1;
}

char *put_exponent(char *out, const char *digits, int count, int point)
{
    *out++ = digits[0];
    if (count > 1) {
        *out++ = '.';
        out = put(out, digits + 1, static_cast<size_t>(count - 1));
    }
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
    if (bits & sign_bit)
        *at++ = '-';
    bits &= ~sign_bit;
    if (bits == infinity_bits)
        return static_cast<size_t>(put(at, "inf", 3) - out);
    if (bits == 0)
        return static_cast<size_t>(put(at, "0.0", 3) - out);

    const auto decimal = jkj::dragonbox::to_decimal(number, jkj::dragonbox::policy::sign::ignore);
    char buffer[shortest_max + 2 * block] = {};
    const int count = count_digits(decimal.significand);
    const char *digits = buffer + shortest_max - count;
    write_shortest(decimal.significand, buffer);
    const int point = count + decimal.exponent;
    at = point > -4 && point <= 16 ? put_fixed(at, digits, count, point) : put_exponent(at, digits, count, point);
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
