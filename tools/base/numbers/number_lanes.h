/* The conversion of number_digits.h and number_text.cc for eight doubles at once, with AVX-512: the same
 * multiplications and the same digits, a number to a lane; then the layout of a number is one permutation of its
 * digits. Whatever is left to the plain way there is left to the caller here, and so are numbers with an exponent. */
#ifndef BASE_NUMBER_LANES_H
#define BASE_NUMBER_LANES_H

#include "number_digits.h"

#if defined NUMBER_DIGITS && defined __x86_64__
/* gcc 12 warns of its own headers. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop
#define NUMBER_LANES 1
#define LANES_TARGET gnu::target("avx512f,avx512dq,avx512bw,avx512vl,avx512cd,avx512ifma,avx512vbmi")

namespace number_lanes
{

inline bool are_supported()
{
    return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512ifma") && __builtin_cpu_supports("avx512vbmi");
}

constexpr unsigned count = 8;
constexpr unsigned text_max = 32; /* bytes that put() writes; a text has at most 23 */

typedef __m512i lanes;

/* ---- layouts ----------------------------------------------------------------------------------------------------- */

/* What is behind a number's last 16 digits in its 32 bytes. */
enum { FIRST_DIGIT = 16, ZERO, POINT, MINUS };
constexpr int least_point = -3, greatest_point = 16, points = greatest_point - least_point + 1;

/* For each sign and each place of the point: which of the number's 32 bytes its text has, one after the other. */
struct layouts {
    alignas(32) uint8_t of[2 * points][text_max];

    constexpr layouts() : of{}
    {
        for (int i = 0; i < 2 * points; i++) {
            const int point = i % points + least_point;
            int at = 0;
            if (i >= points)
                of[i][at++] = MINUS;
            for (int zeros = 0; zeros <= -point; zeros++) { /* 0.000 */
                of[i][at++] = ZERO;
                if (zeros == 0)
                    of[i][at++] = POINT;
            }
            for (int digit = 0; digit < 17; digit++) {
                if (digit > 0 && digit == point)
                    of[i][at++] = POINT;
                of[i][at++] = static_cast<uint8_t>(digit == 0 ? FIRST_DIGIT : digit - 1);
            }
        }
    }
};

inline constexpr layouts layout;

/* ---- digits ------------------------------------------------------------------------------------------------------ */

[[LANES_TARGET]] inline lanes all(uint64_t value)
{
    return _mm512_set1_epi64(static_cast<long long>(value));
}

/* The product of 64 bits by 64. */
struct wide_lanes {
    lanes high, low;
};

[[LANES_TARGET]] inline wide_lanes multiply(lanes a, lanes b)
{
    const lanes lower_half = all(UINT32_MAX), a1 = _mm512_srli_epi64(a, 32), b1 = _mm512_srli_epi64(b, 32);
    const lanes lowest = _mm512_mul_epu32(a, b);
    const lanes once = _mm512_add_epi64(_mm512_mul_epu32(a1, b), _mm512_srli_epi64(lowest, 32));
    const lanes twice = _mm512_add_epi64(_mm512_mul_epu32(a, b1), _mm512_and_si512(once, lower_half));
    const lanes carried = _mm512_add_epi64(_mm512_srli_epi64(once, 32), _mm512_srli_epi64(twice, 32));
    return {_mm512_add_epi64(_mm512_mul_epu32(a1, b1), carried),
            _mm512_or_si512(_mm512_slli_epi64(twice, 32), _mm512_and_si512(lowest, lower_half))};
}

[[LANES_TARGET]] inline lanes ten_times(lanes number)
{
    return _mm512_add_epi64(_mm512_slli_epi64(number, 3), _mm512_slli_epi64(number, 1));
}

/* As number_digits::decimal. */
struct decimals {
    lanes digits, exponent;
    __mmask8 are_sure;
};

/* More than 8 units from 0. */
[[LANES_TARGET]] inline __mmask8 is_apart(lanes distance)
{
    return _mm512_cmpgt_epu64_mask(_mm512_add_epi64(distance, all(8)), all(16));
}

/* The powers of ten that scale numbers with a layout have at most 64 bits. */
constexpr bool have_low_halves()
{
    for (const number_digits::scale &scale : number_digits::table.of)
        if (scale.exponent >= least_point - 17 && scale.exponent <= greatest_point - 16 && scale.low != 0)
            return true;
    return false;
}
static_assert(!have_low_halves(), "one multiplication scales a number");

/* number_digits::shortest() of each lane; of numbers without a layout, any digits. */
[[LANES_TARGET]] inline decimals shortest(lanes mantissa, lanes biased)
{
    const lanes half = all(UINT64_C(1) << 63), ten = all(UINT64_C(10) << 60);
    const void *table = number_digits::table.of;
    const lanes at = _mm512_add_epi64(_mm512_slli_epi64(biased, 1), biased); /* in eights of bytes */
    const lanes high = _mm512_i64gather_epi64(at, table, 8);
    const lanes both = _mm512_i64gather_epi64(_mm512_add_epi64(at, all(2)), table, 8);
    const lanes shift = _mm512_srli_epi64(both, 32);
    const lanes exponent = _mm512_srai_epi64(_mm512_slli_epi64(both, 32), 32);

    const lanes scaled = _mm512_sllv_epi64(mantissa, _mm512_add_epi64(shift, all(1)));
    const wide_lanes product = multiply(scaled, high);
    const lanes integer = product.high, fraction = product.low;

    const lanes tens = _mm512_srli_epi64(multiply(integer, all(UINT64_C(0xcccccccccccccccd))).high, 3);
    const lanes down = ten_times(tens), last = _mm512_sub_epi64(integer, down);
    const lanes above = _mm512_or_si512(_mm512_slli_epi64(last, 60), _mm512_srli_epi64(fraction, 4));
    const lanes reach = _mm512_srlv_epi64(high, _mm512_sub_epi64(all(4), shift));
    const lanes below = _mm512_sub_epi64(ten, above);

    const __mmask8 is_down = _mm512_cmplt_epu64_mask(above, reach), is_up = _mm512_cmplt_epu64_mask(below, reach);
    const __mmask8 is_above_half = _mm512_cmpgt_epu64_mask(fraction, half);
    const lanes nearest = _mm512_mask_add_epi64(integer, is_above_half, integer, all(1));
    const lanes rounded = _mm512_mask_add_epi64(down, is_up, down, all(10));
    const lanes digits = _mm512_mask_mov_epi64(nearest, is_down | is_up, rounded);
    const __mmask8 are_sure = is_apart(_mm512_sub_epi64(above, reach)) & is_apart(_mm512_sub_epi64(below, reach)) &
                              is_apart(_mm512_sub_epi64(fraction, half));
    return {digits, exponent, are_sure};
}

/* split() of number_text.cc for four numbers: bytes from 0 to 9. */
[[LANES_TARGET]] inline lanes split(lanes eights)
{
    const lanes upper_fours = _mm512_srli_epi64(_mm512_mul_epu32(eights, all(3518437209)), 45); /* / 10000 */
    const lanes lower_fours = _mm512_sub_epi32(eights, _mm512_mul_epu32(upper_fours, all(10000)));
    const lanes fours = _mm512_or_si512(upper_fours, _mm512_slli_epi64(lower_fours, 32));
    const lanes upper_twos = _mm512_srli_epi16(_mm512_mulhi_epu16(fours, _mm512_set1_epi32(5243)), 3); /* / 100 */
    const lanes lower_twos = _mm512_sub_epi16(fours, _mm512_mullo_epi16(upper_twos, _mm512_set1_epi32(100)));
    const lanes twos = _mm512_or_si512(upper_twos, _mm512_slli_epi32(lower_twos, 16));
    const lanes upper_ones = _mm512_srli_epi16(_mm512_mullo_epi16(twos, _mm512_set1_epi16(103)), 10); /* / 10 */
    const lanes lower_ones = _mm512_sub_epi16(twos, _mm512_mullo_epi16(upper_ones, _mm512_set1_epi16(10)));
    return _mm512_or_si512(upper_ones, _mm512_slli_epi16(lower_ones, 8));
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* Eight numbers on their way to text. */
struct texts {
    alignas(64) uint8_t bytes[count][text_max]; /* digits, in the order of split(), and what else a text may need */
    alignas(64) uint64_t layout[count];         /* index of layouts */
    alignas(64) uint64_t length[count];
    unsigned are_made; /* bit set: the other numbers go the plain way */
};

/* The digits of 17-digit numbers; returns how many each has without the zeros at its end. */
[[LANES_TARGET]] inline lanes spell(lanes digits, texts *to)
{
    const lanes eight = all(100000000), ascii = _mm512_set1_epi8('0');
    /* Divided by 10^8 = 2^8 * 5^8, twice: 3022314549036573 is 2^70 / 5^8, and 1441151881 2^57 / 10^8, rounded up. */
    const lanes upper = _mm512_srli_epi64(
        _mm512_madd52hi_epu64(_mm512_setzero_si512(), _mm512_srli_epi64(digits, 8), all(3022314549036573)), 18);
    const lanes first = _mm512_srli_epi64(_mm512_mul_epu32(upper, all(1441151881)), 57);
    const lanes second = _mm512_sub_epi64(upper, _mm512_mul_epu32(first, eight));
    const lanes third = _mm512_sub_epi64(digits, _mm512_mul_epu32(upper, eight));
    const lanes left = split(_mm512_permutex2var_epi64(second, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), third));
    const lanes right = split(_mm512_permutex2var_epi64(second, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), third));
    const __m128i others = _mm_set_epi64x(static_cast<long long>(_mm512_test_epi8_mask(right, right)),
                                          static_cast<long long>(_mm512_test_epi8_mask(left, left)));

    const lanes behind =
        _mm512_add_epi64(first, all('0' | '0' << 8 | '.' << 16 | '-' << 24)); /* FIRST_DIGIT to MINUS */
    const lanes halves[2] = {_mm512_add_epi8(left, ascii), _mm512_add_epi8(right, ascii)};
    for (int i = 0; i < 4; i++) {
        const long long from = i % 2 * 4, number = 8 + 2 * i;
        const lanes which =
            _mm512_setr_epi64(from, from + 1, number, number, from + 2, from + 3, number + 1, number + 1);
        _mm512_store_si512(to->bytes[2 * i], _mm512_permutex2var_epi64(halves[i / 2], which, behind));
    }
    const lanes has_digit = _mm512_slli_epi64(_mm512_cvtepu16_epi64(others), 1);
    return _mm512_sub_epi64(all(64), _mm512_lzcnt_epi64(_mm512_or_si512(has_digit, all(1))));
}

/* From big-endian bytes. */
[[LANES_TARGET]] inline lanes load_swapped(const uint8_t *from, __mmask8 which)
{
    const lanes order = _mm512_set4_epi32(0x08090a0b, 0x0c0d0e0f, 0x00010203, 0x04050607);
    return _mm512_shuffle_epi8(_mm512_maskz_loadu_epi64(which, from), order);
}

/* Of eight bit patterns. */
[[LANES_TARGET]] inline void make(lanes bits, texts *to)
{
    const lanes hidden_bit = all(UINT64_C(1) << 52), ten_to_16 = all(UINT64_C(10000000000000000));
    const lanes biased = _mm512_and_si512(_mm512_srli_epi64(bits, 52), all(0x7ff));
    const lanes mantissa = _mm512_and_si512(bits, all((UINT64_C(1) << 52) - 1));
    /* Powers of two have a nearer neighbour below them, which changes the text of none that has a layout: the test
     * tries them all. */
    const __mmask8 are_usual = _mm512_test_epi64_mask(biased, biased) & _mm512_cmpneq_epu64_mask(biased, all(0x7ff));
    const decimals decimal = shortest(_mm512_or_si512(mantissa, hidden_bit), biased);

    const __mmask8 is_short = _mm512_cmplt_epu64_mask(decimal.digits, ten_to_16);
    const lanes digits = _mm512_mask_mov_epi64(decimal.digits, is_short, ten_times(decimal.digits));
    const lanes seventeen = _mm512_add_epi64(decimal.exponent, all(17));
    const lanes point = _mm512_mask_sub_epi64(seventeen, is_short, seventeen, all(1));
    const lanes place = _mm512_sub_epi64(point, all(static_cast<uint64_t>(least_point)));
    to->are_made = are_usual & decimal.are_sure & _mm512_cmplt_epu64_mask(place, all(points));

    const lanes digit_count = spell(digits, to);
    const lanes one = all(1), sign = _mm512_srli_epi64(bits, 63);
    const lanes whole = _mm512_add_epi64(_mm512_max_epi64(digit_count, _mm512_add_epi64(point, one)), one);
    const lanes part = _mm512_add_epi64(digit_count, _mm512_sub_epi64(all(2), point));
    const lanes length = _mm512_mask_mov_epi64(part, _mm512_cmpgt_epi64_mask(point, _mm512_setzero_si512()), whole);
    _mm512_store_si512(to->length, _mm512_add_epi64(length, sign));
    _mm512_store_si512(to->layout, _mm512_mask_add_epi64(place, _mm512_movepi64_mask(bits), place, all(points)));
}

/* Writes text_max bytes, of which the first texts.length[number] are the text. */
[[LANES_TARGET]] inline void put(const texts &texts, unsigned number, char *to)
{
    const __m256i bytes = _mm256_load_si256(reinterpret_cast<const __m256i *>(texts.bytes[number]));
    const __m256i which = _mm256_load_si256(reinterpret_cast<const __m256i *>(layout.of[texts.layout[number]]));
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(to), _mm256_permutexvar_epi8(which, bytes));
}

} // namespace number_lanes

#endif
#endif
