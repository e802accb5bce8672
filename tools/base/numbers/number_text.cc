/* The one C++ file: the shortest digits of a double come from dragonbox or the like (number_shortest.h). On 64-bit x86,
 * number_digits.h and one register of digits do most numbers faster; the plain way stands beside it. */
#include "number_text.h"

#include <cmath>
#include <cstring>

#include <stdio.h>

#include "bytes.h"
#include "number_digits.h"
#include "number_lanes.h"
#include "number_shortest.h"

#if defined NUMBER_DIGITS && defined __SSE2__
#include <emmintrin.h>
#define IN_ONE_REGISTER 1
#endif

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

constexpr uint64_t eight_digits = 100000000;

/* Writes a number below 10^8 with zeros in front. */
char *put_eight(char *out, uint64_t number)
{
    store(text_of_eight(static_cast<uint32_t>(number)), 0, out);
    return out + 8;
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

/* e-05, for example. */
char *put_power(char *out, int exponent)
{
    *out++ = 'e';
    *out++ = exponent < 0 ? '-' : '+';
    const unsigned magnitude = static_cast<unsigned>(exponent < 0 ? -exponent : exponent);
    if (magnitude >= 100)
        *out++ = static_cast<char>('0' + magnitude / 100);
    return put(out, pairs + 2 * (magnitude % 100), 2);
}

char *put_exponent(char *out, const digits &digits, int point)
{
    put_all(digits, out + 1);
    out[0] = digits.first;
    out[1] = '.';
    return put_power(out + (digits.count > 1 ? digits.count + 1 : 1), point - 1);
}

#ifdef IN_ONE_REGISTER

/* Sixteen digits as bytes from 0 to 9, the first in the lowest: of two numbers below 10^8, split into lanes of four
 * digits, of two, then of one. */
[[gnu::always_inline]] inline __m128i split(uint32_t upper, uint32_t lower)
{
    const __m128i eights = _mm_set_epi64x(lower, upper);
    const __m128i upper_fours = _mm_srli_epi64(_mm_mul_epu32(eights, _mm_set1_epi64x(3518437209)), 45); /* / 10000 */
    const __m128i lower_fours = _mm_sub_epi32(eights, _mm_mul_epu32(upper_fours, _mm_set1_epi64x(10000)));
    const __m128i fours = _mm_or_si128(upper_fours, _mm_slli_epi64(lower_fours, 32));
    const __m128i upper_twos = _mm_srli_epi16(_mm_mulhi_epu16(fours, _mm_set1_epi32(5243)), 3); /* / 100 */
    const __m128i lower_twos = _mm_sub_epi16(fours, _mm_mullo_epi16(upper_twos, _mm_set1_epi32(100)));
    const __m128i twos = _mm_or_si128(upper_twos, _mm_slli_epi32(lower_twos, 16));
    const __m128i upper_ones = _mm_srli_epi16(_mm_mullo_epi16(twos, _mm_set1_epi16(103)), 10); /* / 10 */
    const __m128i lower_ones = _mm_sub_epi16(twos, _mm_mullo_epi16(upper_ones, _mm_set1_epi16(10)));
    return _mm_or_si128(upper_ones, _mm_slli_epi16(lower_ones, 8));
}

/* Loaded from 16 - n on, the first n bytes are set. */
alignas(16) constexpr unsigned char first_bytes[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                       255, 255, 255, 255, 255, 255, 255, 255};
/* Loaded from 15 - n on, byte n is a point. */
alignas(16) constexpr char point_at[31] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '.'};

inline __m128i load(const void *from)
{
    return _mm_loadu_si128(static_cast<const __m128i *>(from));
}

inline void store(__m128i bytes, char *to)
{
    _mm_storeu_si128(reinterpret_cast<__m128i *>(to), bytes);
}

/* Writes first.rest with its point after `point` of 17 digits, from 1 to 16. */
[[gnu::always_inline]] inline void put_with_point(char *out, char first, __m128i rest, int point)
{
    const __m128i before = _mm_and_si128(rest, load(first_bytes + 17 - point));
    const __m128i behind = _mm_andnot_si128(load(first_bytes + 16 - point), _mm_slli_si128(rest, 1));
    out[0] = first;
    store(_mm_or_si128(_mm_or_si128(before, behind), load(point_at + 16 - point)), out + 1);
    out[17] = static_cast<char>(_mm_extract_epi16(rest, 7) >> 8);
}

/* The layouts of put_fixed and put_exponent, from a register. */
[[gnu::always_inline]] inline char *put_decimal(char *out, uint64_t digits, int exponent)
{
    constexpr uint64_t seventeen = UINT64_C(10000000000000000), eight = 100000000;
    const bool is_short = digits < seventeen;
    digits = number_digits::choose(is_short, 10 * digits, digits);
    const int point = exponent + 17 - is_short;

    const uint64_t upper = digits / eight, first = digits / seventeen;
    const __m128i values =
        split(static_cast<uint32_t>(upper - first * eight), static_cast<uint32_t>(digits - upper * eight));
    const int zeros = _mm_movemask_epi8(_mm_cmpeq_epi8(values, _mm_setzero_si128()));
    const int count = 32 - __builtin_clz(static_cast<unsigned>(~zeros & 0xffff) << 1 | 1);
    const __m128i rest = _mm_add_epi8(values, _mm_set1_epi8('0'));
    const char digit = static_cast<char>('0' + first);

    if (point >= 1 && point <= 16) {
        put_with_point(out, digit, rest, point);
        return out + 1 + (count > point ? count : point + 1);
    }
    if (point > -4 && point <= 0) {
        std::memcpy(out, "0.000", 5);
        out += 2 - point;
        out[0] = digit;
        store(rest, out + 1);
        return out + count;
    }
    out[0] = digit;
    out[1] = '.';
    store(rest, out + 2);
    return put_power(out + count + (count > 1), point - 1);
}

#endif

/* What number_repr does not need the plain way for. False: it does, and nothing was written. */
#ifdef IN_ONE_REGISTER
[[gnu::always_inline]] inline bool put_fast(uint64_t bits, char *&at)
{
    constexpr uint64_t hidden_bit = UINT64_C(1) << 52;
    const int biased = bits >> 52 & 0x7ff;
    const uint64_t mantissa = bits & (hidden_bit - 1);
    if (mantissa == 0 || biased == 0 || biased == 0x7ff)
        return false;
    const number_digits::decimal decimal = number_digits::shortest(mantissa | hidden_bit, biased);
    if (!decimal.is_sure)
        return false;
    *at = '-';
    at = put_decimal(at + (bits >> 63), decimal.digits, decimal.exponent);
    return true;
}
#else
inline bool put_fast(uint64_t, char *&)
{
    return false;
}
#endif

/* ---- cells ------------------------------------------------------------------------------------------------------- */

double number_of(uint64_t bits)
{
    double number;
    std::memcpy(&number, &bits, sizeof number);
    return number;
}

uint64_t bits_of(const double *number)
{
    uint64_t bits;
    std::memcpy(&bits, number, sizeof bits);
    return bits;
}

uint64_t bits_of(const uint8_t *number)
{
    return armtap_be64(number);
}

/* What put_fast leaves. */
[[gnu::noinline]] char *put_rare(uint64_t bits, const number_words *words, char *at)
{
    const double number = number_of(bits);
    const char *word = number != number ? words->nan : number - number != 0 ? words->infinite : nullptr;
    return word ? put(at, word, std::strlen(word)) : at + number_repr_plain(number, at);
}

/* Copies of a fixed length are faster than exact ones; no number has more digits. */
static_assert(NUMBER_CELL_TEXT <= NUMBER_MAX, "room for a number is room for its copy");

[[gnu::always_inline]] inline void copy_text(char *to, const char *from)
{
    char text[NUMBER_CELL_TEXT];
    std::memcpy(text, from, sizeof text);
    std::memcpy(to, text, sizeof text);
}

bool is_known(const number_cell &cell, uint64_t bits)
{
    return cell.bits == bits && cell.length > 0;
}

[[gnu::always_inline]] inline char *put_known(const number_cell &cell, char *at)
{
    copy_text(at, cell.text);
    return at + cell.length;
}

/* `Number`: a double, or a byte of eight that are one. */
template <typename Number> constexpr size_t each = sizeof(double) / sizeof(Number);

/* The loop is here so that the conversion is part of it. */
template <typename Number>
[[gnu::noinline]] char *put_any(const Number *numbers, unsigned count, const number_words *words, number_cell *cells,
                                char *at)
{
    for (unsigned k = 0; k < count; k++) {
        number_cell &cell = cells[k];
        const uint64_t bits = bits_of(numbers + k * each<Number>);
        if (k > 0)
            *at++ = words->separator;
        if (is_known(cell, bits)) {
            at = put_known(cell, at);
            continue;
        }
        char *const begin = at;
        if (!put_fast(bits, at))
            at = put_rare(bits, words, begin);
        cell.bits = bits;
        cell.length = static_cast<uint32_t>(at - begin);
        copy_text(cell.text, begin);
    }
    return at;
}

/* Most are known, if they were queued: without the registers that a conversion needs. */
template <typename Number>
[[gnu::always_inline]] inline char *put_cells(const Number *numbers, unsigned count, const number_words *words,
                                              number_cell *cells, char *at)
{
    for (unsigned k = 0; k < count; k++) {
        if (!is_known(cells[k], bits_of(numbers + k * each<Number>)))
            return put_any(numbers + k * each<Number>, count - k, words, cells + k, at);
        at = put_known(cells[k], at);
        if (k + 1 < count)
            *at++ = words->separator;
    }
    return at;
}

/* ---- several at a time ------------------------------------------------------------------------------------------- */

#ifdef NUMBER_LANES

const bool has_lanes = number_lanes::are_supported();

/* Up to eight numbers that follow one another; those that moved go to the end of the queue. */
[[LANES_TARGET]] unsigned add_moved(number_queue *queue, const uint8_t *numbers, unsigned count, number_cell *cells)
{
    constexpr long long step = sizeof *cells;
    static_assert(offsetof(number_cell, bits) == 0, "where a cell is are its bits");
    const __mmask8 which = static_cast<__mmask8>((1u << count) - 1);
    const __m512i bits = number_lanes::load_swapped(numbers, which);
    const __m512i places = _mm512_setr_epi64(0, step, 2 * step, 3 * step, 4 * step, 5 * step, 6 * step, 7 * step);
    const __m512i before = _mm512_mask_i64gather_epi64(bits, which, places, cells, 1);
    const __mmask8 moved = _mm512_cmpneq_epu64_mask(bits, before);
    const __m512i here = _mm512_add_epi64(_mm512_set1_epi64(reinterpret_cast<long long>(cells)), places);
    _mm512_storeu_si512(queue->bits + queue->count, _mm512_maskz_compress_epi64(moved, bits));
    _mm512_storeu_si512(queue->cells + queue->count, _mm512_maskz_compress_epi64(moved, here));
    return static_cast<unsigned>(__builtin_popcount(moved));
}

[[LANES_TARGET]] void convert(number_queue *queue)
{
    static_assert(number_lanes::text_max == NUMBER_CELL_TEXT, "a text fills its cell");
    number_lanes::texts texts;
    for (unsigned first = 0; first < queue->count; first += number_lanes::count) {
        number_lanes::make(_mm512_loadu_si512(queue->bits + first), &texts);
        const unsigned several =
            queue->count - first < number_lanes::count ? queue->count - first : number_lanes::count;
        for (unsigned left = texts.are_made & ((1u << several) - 1); left != 0; left &= left - 1) {
            const unsigned k = static_cast<unsigned>(__builtin_ctz(left));
            number_cell *cell = queue->cells[first + k];
            cell->bits = queue->bits[first + k];
            cell->length = static_cast<uint32_t>(texts.length[k]);
            number_lanes::put(texts, k, cell->text);
        }
    }
}

#else

constexpr bool has_lanes = false;

unsigned add_moved(number_queue *, const uint8_t *, unsigned, number_cell *)
{
    return 0;
}

void convert(number_queue *)
{
}

#endif

} // namespace

extern "C" size_t number_repr_plain(double number, char *out)
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

    const number_shortest::decimal decimal = number_shortest::of(number);
    const digits digits = digits_of(decimal.significand);
    const int point = digits.count + decimal.exponent;
    at = point > -4 && point <= 16 ? put_fixed(at, digits, point) : put_exponent(at, digits, point);
    return static_cast<size_t>(at - out);
}

extern "C" size_t number_repr(double number, char *out)
{
    char *at = out;
    return put_fast(bits_of(&number), at) ? static_cast<size_t>(at - out) : number_repr_plain(number, out);
}

extern "C" char *number_cells(const double *numbers, unsigned count, const number_words *words, number_cell *cells,
                              char *to)
{
    return put_cells(numbers, count, words, cells, to);
}

extern "C" char *number_cells_wire(const uint8_t *numbers, unsigned count, const number_words *words,
                                   number_cell *cells, char *to)
{
    return put_cells(numbers, count, words, cells, to);
}

extern "C" bool number_queue_is_fast(void)
{
    return has_lanes;
}

extern "C" void number_queue_add(number_queue *queue, const uint8_t *numbers, unsigned count, number_cell *cells)
{
    constexpr unsigned most = 8;
    for (unsigned k = 0; has_lanes && k < count; k += most) {
        const unsigned several = count - k < most ? count - k : most;
        if (queue->count > NUMBER_QUEUE - most)
            number_queue_convert(queue);
        queue->count += add_moved(queue, numbers + k * sizeof(double), several, cells + k);
    }
}

extern "C" void number_queue_convert(number_queue *queue)
{
    if (has_lanes && queue->count > 1)
        convert(queue);
    queue->count = 0;
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

/* Digits of a whole number, at least so many. */
static char *put_digits(uint64_t number, int least, char *at)
{
    char buffer[digits_max];
    char *const end = buffer + sizeof buffer;
    char *digits = write_backwards(number, end);
    while (digits > end - least)
        *--digits = '0';
    return put(at, digits, static_cast<size_t>(end - digits));
}

/* Near the middle between two numbers printf decides, which knows all bits. */
extern "C" size_t number_fixed(double number, int decimals, char *out)
{
    static constexpr double scales[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    constexpr double most = 1e9, doubt = 1e-6;
    double scaled = std::fabs(number) * scales[decimals], below = std::floor(scaled), beyond = scaled - below;
    if (!(scaled < most) || std::fabs(beyond - 0.5) < doubt) {
        auto length = static_cast<size_t>(snprintf(out, NUMBER_MAX, "%.*f", decimals, number));
        return length < NUMBER_MAX ? length : NUMBER_MAX - 1;
    }
    auto rounded = static_cast<uint64_t>(below) + (beyond > 0.5);
    char *at = out;
    if (std::signbit(number))
        *at++ = '-';
    auto scale = static_cast<uint64_t>(scales[decimals]);
    at += number_unsigned(rounded / scale, at);
    if (decimals > 0) {
        *at++ = '.';
        at = put_digits(rounded % scale, decimals, at);
    }
    return static_cast<size_t>(at - out);
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
    const uint64_t seconds = magnitude / per_second, fraction = magnitude % per_second;
    if (seconds < eight_digits) {
        at += number_unsigned(seconds, at);
    } else {
        at += number_unsigned(seconds / eight_digits, at);
        at = put_eight(at, seconds % eight_digits);
    }
    *at++ = '.';
    *at++ = static_cast<char>('0' + fraction / eight_digits);
    return static_cast<size_t>(put_eight(at, fraction % eight_digits) - out);
}
