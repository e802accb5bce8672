/* The loop that runs plans from the wire into the state, in plain C for every compiler and machine, and with AVX2 and
 * AVX-512 for the frequent cases.
 *
 * What makes it fast: a plan has few and long steps, since the state's members are in the order of the longest legacy
 * packet, and a step's overhead exceeds the cost of 64 bytes. So a run of doubles includes the single cells of other
 * types within it: those are checked before the run, all four at once, and written after it. One shuffle swaps the byte
 * order of four or eight doubles. The kernels are inlined: the loop calls nothing, and what they cannot decide is
 * decoded again in plain C. tests/bench/README.md says why it is so. */
#include "plan.h"

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#define CALLED static __attribute__((noinline))
#else
#define INLINE static inline
#define CALLED static
#endif

/* Keeps short loops short: clang would unroll each of them to a few hundred bytes, and the loop over the steps would
 * load their constants each time. */
#if defined(__clang__)
#define SHORT _Pragma("clang loop unroll(disable) vectorize(disable)")
#else
#define SHORT
#endif

/* ---- kernels in plain C: `count` elements from `wire` to `to` ---- */

/* Not memcpy: a call in the loop costs the registers saved across it. */
INLINE void copy(const uint8_t *wire, uint8_t *to, uint32_t count)
{
    SHORT
    for (uint32_t i = 0; i < count; i++)
        to[i] = wire[i];
}

INLINE void swap4(const uint8_t *wire, uint8_t *to, uint32_t count)
{
    SHORT
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = armtap_be32(wire + 4 * i);
        memcpy(to + 4 * i, &v, sizeof v);
    }
}

INLINE void swap8(const uint8_t *wire, uint8_t *to, uint32_t count)
{
    SHORT
    for (uint32_t i = 0; i < count; i++) {
        uint64_t v = armtap_be64(wire + 8 * i);
        memcpy(to + 8 * i, &v, sizeof v);
    }
}

INLINE void truths(const uint8_t *wire, uint8_t *to, uint32_t count)
{
    SHORT
    for (uint32_t i = 0; i < count; i++)
        to[i] = wire[i] != 0;
}

INLINE void widen1(const uint8_t *wire, uint8_t *to, uint32_t count)
{
    SHORT
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = wire[i];
        memcpy(to + 4 * i, &v, sizeof v);
    }
}

INLINE void widen4(const uint8_t *wire, uint8_t *to, uint32_t count)
{
    SHORT
    for (uint32_t i = 0; i < count; i++) {
        uint64_t v = armtap_be32(wire + 4 * i);
        memcpy(to + 8 * i, &v, sizeof v);
    }
}

/* One legacy cell; if `to` is NULL it is only checked. */
INLINE bool cell(enum armtap_op op, const uint8_t *wire, uint8_t *to)
{
    int32_t i32 = 0;
    uint32_t u32 = 0;
    uint64_t bits = 0;
    bool whole = op == ARMTAP_OP_CELL_BITS    ? armtap_cell_bits(wire, &bits)
                 : op == ARMTAP_OP_CELL_INT32 ? armtap_cell_int32(wire, &i32)
                                              : armtap_cell_uint32(wire, &u32);
    if (!whole || !to)
        return whole;
    if (op == ARMTAP_OP_CELL_BITS)
        memcpy(to, &bits, sizeof bits);
    else if (op == ARMTAP_OP_CELL_INT32)
        memcpy(to, &i32, sizeof i32);
    else
        memcpy(to, &u32, sizeof u32);
    return true;
}

/* Checks all before it writes the first, so that a vector is never half updated. */
CALLED bool cells(const struct armtap_step *step, const uint8_t *wire, uint8_t *to)
{
    enum armtap_op op = (enum armtap_op)step->op;
    size_t width = armtap_op_state_width(op);
    for (uint32_t i = 0; i < step->count; i++)
        if (!cell(op, wire + 8 * i, NULL))
            return false;
    for (uint32_t i = 0; i < step->count; i++)
        cell(op, wire + 8 * i, to + width * i);
    return true;
}

/* RTDE's types besides doubles and four-byte numbers. */
INLINE void others(const struct armtap_step *step, const uint8_t *wire, uint8_t *to)
{
    if (step->op == ARMTAP_OP_BYTE)
        copy(wire, to, step->count);
    else if (step->op == ARMTAP_OP_BOOL)
        truths(wire, to, step->count);
    else if (step->op == ARMTAP_OP_BYTE_TO_4)
        widen1(wire, to, step->count);
    else if (step->op == ARMTAP_OP_4_TO_8)
        widen4(wire, to, step->count);
}

/* ---- the loop ---- */

bool armtap_step_decode(const struct armtap_step *step, const uint8_t *wire, struct armtap_state *state)
{
    const uint8_t *from = wire + step->wire;
    uint8_t *to = (uint8_t *)state + step->state;
    if (step->op == ARMTAP_OP_SWAP8)
        swap8(from, to, step->count);
    else if (step->op == ARMTAP_OP_SWAP4)
        swap4(from, to, step->count);
    else if (armtap_op_is_cell((enum armtap_op)step->op))
        return cells(step, from, to);
    else
        others(step, from, to);
    return true;
}

bool armtap_plan_decode(const struct armtap_plan *plan, const uint8_t *wire, struct armtap_state *state,
                        struct armtap_set *updated, size_t count)
{
    const struct armtap_covered *covered = &plan->covered;
    uint8_t numbers[ARMTAP_COVERED_MAX][8] = {{0}};
    bool whole = true;
    for (size_t i = 0; i < covered->count; i++)
        if (!cell((enum armtap_op)covered->cells[i].op, wire + covered->cells[i].wire, numbers[i]))
            return false;
    for (const struct armtap_step *step = plan->steps, *end = step + count; step < end; step++)
        whole &= armtap_step_decode(step, wire, state);
    for (size_t i = 0; i < covered->count; i++)
        memcpy((uint8_t *)state + covered->cells[i].state, numbers[i], sizeof numbers[i]);
    if (updated)
        *updated = plan->fields;
    return whole;
}

/* ---- AVX2 ---- */

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define ALIGNED __attribute__((aligned(64))) /* otherwise code placement changes the speed by about 10 % */
#define LANES 4                              /* doubles of a register */

/* A kernel swaps the byte order of `size` bytes, in fours or eights. */
typedef void turn_kernel(const uint8_t *wire, uint8_t *to, size_t size, unsigned width);

INLINE AVX2 __m256i turned_order(unsigned width)
{
    return width == 8 ? _mm256_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0,
                                         15, 14, 13, 12, 11, 10, 9, 8)
                      : _mm256_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12, 3, 2, 1, 0, 7, 6, 5, 4,
                                         11, 10, 9, 8, 15, 14, 13, 12);
}

INLINE AVX2 void turn32(const uint8_t *wire, uint8_t *to, unsigned width)
{
    __m256i lanes = _mm256_loadu_si256((const void *)wire);
    _mm256_storeu_si256((void *)to, _mm256_shuffle_epi8(lanes, turned_order(width)));
}

INLINE AVX2 void turn16(const uint8_t *wire, uint8_t *to, unsigned width)
{
    __m128i lanes = _mm_loadu_si128((const void *)wire);
    _mm_storeu_si128((void *)to, _mm_shuffle_epi8(lanes, _mm256_castsi256_si128(turned_order(width))));
}

/* Less than two registers' bytes: two loads that overlap. */
INLINE AVX2 void turn_few(const uint8_t *wire, uint8_t *to, size_t size, unsigned width)
{
    if (size >= 32) {
        turn32(wire, to, width);
        turn32(wire + size - 32, to + size - 32, width);
    } else if (size >= 16) {
        turn16(wire, to, width);
        turn16(wire + size - 16, to + size - 16, width);
    } else if (width == 8) {
        swap8(wire, to, (uint32_t)size / 8);
    } else {
        swap4(wire, to, (uint32_t)size / 4);
    }
}

/* The tail is one more load that ends at the last element and overlaps the one before. */
INLINE AVX2 void turn_avx2(const uint8_t *wire, uint8_t *to, size_t size, unsigned width)
{
    if (size < 64) {
        turn_few(wire, to, size, width);
        return;
    }
    size_t last = size - 64;
    SHORT
    for (size_t at = 0; at < last; at += 64) {
        turn32(wire + at, to + at, width);
        turn32(wire + at + 32, to + at + 32, width);
    }
    turn32(wire + last, to + last, width);
    turn32(wire + last + 32, to + last + 32, width);
}

INLINE AVX2 __m256d load_doubles(const uint8_t *wire)
{
    return _mm256_castsi256_pd(_mm256_shuffle_epi8(_mm256_loadu_si256((const void *)wire), turned_order(8)));
}

/* Sets all bits in the lanes whose numbers `fours` represent exactly. */
INLINE AVX2 __m256d is_whole(__m256d numbers, __m128i fours)
{
    return _mm256_cmp_pd(numbers, _mm256_cvtepi32_pd(fours), _CMP_EQ_OQ);
}

/* The modes of a packet in two registers, which may overlap. What does not fit becomes INT32_MIN, which is not equal.
 */
INLINE AVX2 bool int32_avx2(const uint8_t *wire, uint8_t *to, uint32_t count)
{
    if (count < LANES || count > 2 * LANES)
        return false;
    size_t last = count - LANES;
    __m256d head = load_doubles(wire), tail = load_doubles(wire + 8 * last);
    __m128i head_fours = _mm256_cvttpd_epi32(head), tail_fours = _mm256_cvttpd_epi32(tail);
    if (_mm256_movemask_pd(_mm256_and_pd(is_whole(head, head_fours), is_whole(tail, tail_fours))) != 15)
        return false;
    _mm_storeu_si128((void *)to, head_fours);
    _mm_storeu_si128((void *)(to + 4 * last), tail_fours);
    return true;
}

INLINE AVX2 __m256d gather(const struct armtap_step *cells, const uint8_t *wire)
{
    __m128d low = _mm_loadl_pd(_mm_setzero_pd(), (const void *)(wire + cells[0].wire));
    __m128d high = _mm_loadl_pd(_mm_setzero_pd(), (const void *)(wire + cells[2].wire));
    low = _mm_loadh_pd(low, (const void *)(wire + cells[1].wire));
    high = _mm_loadh_pd(high, (const void *)(wire + cells[3].wire));
    __m256i turned = _mm256_shuffle_epi8(_mm256_castpd_si256(_mm256_set_m128d(high, low)), turned_order(8));
    return _mm256_castsi256_pd(turned);
}

INLINE AVX2 void scatter(__m256i numbers, uint64_t places, uint8_t *state)
{
    __m128d low = _mm256_castpd256_pd128(_mm256_castsi256_pd(numbers));
    __m128d high = _mm256_extractf128_pd(_mm256_castsi256_pd(numbers), 1);
    _mm_storel_pd((void *)(state + (uint16_t)places), low);
    _mm_storeh_pd((void *)(state + (uint16_t)(places >> 16)), low);
    _mm_storel_pd((void *)(state + (uint16_t)(places >> 32)), high);
    _mm_storeh_pd((void *)(state + (uint16_t)(places >> 48)), high);
}

/* The numbers of the covered cells; false is no judgement. With 1.5 * 2^52 added a double's last bit counts ones, and
 * its lower bits are the number; taken off again the sum gives the number back if it was whole. Their bits are
 * compared, for raw integers are denormal, and those equal zero in a program that asked its processor for that
 * (-ffast-math). */
INLINE AVX2 bool judge(const struct armtap_covered *covered, const uint8_t *wire, __m256i *numbers)
{
    const __m256d ones = _mm256_set1_pd(3 * ARMTAP_TWO_TO_51), least = _mm256_loadu_pd(covered->least),
                  most = _mm256_loadu_pd(covered->most);
    __m256d values = gather(covered->cells, wire), sums = _mm256_add_pd(values, ones);
    __m256d good = _mm256_castsi256_pd(
        _mm256_cmpeq_epi64(_mm256_castpd_si256(_mm256_sub_pd(sums, ones)), _mm256_castpd_si256(values)));
    good = _mm256_and_pd(good, _mm256_cmp_pd(values, least, _CMP_GE_OQ));
    good = _mm256_and_pd(good, _mm256_cmp_pd(values, most, _CMP_LE_OQ));
    *numbers = _mm256_sub_epi64(_mm256_castpd_si256(sums), _mm256_castpd_si256(ones));
    *numbers = _mm256_and_si256(*numbers, _mm256_loadu_si256((const void *)covered->mask));
    return _mm256_movemask_pd(good) == 15;
}

/* The frequent cases of the first `count` steps; a packet with anything else is decoded again in plain C. */
INLINE AVX2 bool decode_frequent(const struct armtap_plan *plan, const uint8_t *wire, struct armtap_state *state,
                                 struct armtap_set *updated, size_t count, turn_kernel *turn)
{
    const struct armtap_covered *covered = &plan->covered;
    const bool covers = covered->count > 0;
    const uint64_t places = covered->places;
    __m256i numbers = _mm256_setzero_si256();
    if (covers && !judge(covered, wire, &numbers))
        return armtap_plan_decode(plan, wire, state, updated, count);
    if (updated)
        *updated = plan->fields;
    for (const struct armtap_step *step = plan->steps, *end = step + count; step < end; step++) {
        const uint8_t *from = wire + step->wire;
        uint8_t *to = (uint8_t *)state + step->state;
        if (step->op == ARMTAP_OP_SWAP8)
            turn(from, to, 8 * (size_t)step->count, 8);
        else if (step->op == ARMTAP_OP_SWAP4)
            turn(from, to, 4 * (size_t)step->count, 4);
        else if (!armtap_op_is_cell((enum armtap_op)step->op))
            others(step, from, to);
        else if (step->op != ARMTAP_OP_CELL_INT32 || !int32_avx2(from, to, step->count))
            return armtap_plan_decode(plan, wire, state, updated, count);
    }
    if (covers)
        scatter(numbers, places, (uint8_t *)state);
    return true;
}

static AVX2 ALIGNED bool decode_avx2(const struct armtap_plan *plan, const uint8_t *wire, struct armtap_state *state,
                                     struct armtap_set *updated, size_t count)
{
    return decode_frequent(plan, wire, state, updated, count, turn_avx2);
}

/* ---- AVX-512: the same with registers of 64 bytes, which libc's memcpy uses too ---- */

#define AVX512 __attribute__((target("avx2,avx512f,avx512bw,avx512vbmi")))

INLINE AVX512 __m512i turned_order64(unsigned width)
{
    const __m512i places =
        _mm512_set_epi64(0x3f3e3d3c3b3a3938, 0x3736353433323130, 0x2f2e2d2c2b2a2928, 0x2726252423222120,
                         0x1f1e1d1c1b1a1918, 0x1716151413121110, 0x0f0e0d0c0b0a0908, 0x0706050403020100);
    return _mm512_shuffle_epi8(places, _mm512_broadcast_i64x4(turned_order(width)));
}

INLINE AVX512 void turn64(const uint8_t *wire, uint8_t *to, unsigned width)
{
    const __m512i order = _mm512_broadcast_i64x4(turned_order(width));
    _mm512_storeu_si512((void *)to, _mm512_shuffle_epi8(_mm512_loadu_si512((const void *)wire), order));
}

/* A packet's values begin anywhere in a cache line, so each 64 bytes of them lie in two, and loading them costs twice.
 * Between the first and the last, whole lines are loaded, each once, and a shuffle takes its bytes out of two. */
INLINE AVX512 void turn_avx512(const uint8_t *wire, uint8_t *to, size_t size, unsigned width)
{
    if (size < 64) {
        turn_few(wire, to, size, width);
        return;
    }
    size_t last = size - 64, at = 0;
    if (size >= 192) {
        size_t skew = (uintptr_t)wire % 64;
        const __m512i order = _mm512_add_epi8(turned_order64(width), _mm512_set1_epi8((char)skew));
        const uint8_t *line = wire - skew + 64;
        __m512i low = _mm512_load_si512((const void *)line), high;
        turn64(wire, to, width);
        SHORT
        for (at = 64; at + 64 < last; at += 64, low = high) {
            high = _mm512_load_si512((const void *)(line + at));
            _mm512_storeu_si512((void *)(to + at), _mm512_permutex2var_epi8(low, order, high));
        }
    }
    SHORT
    for (; at < last; at += 64)
        turn64(wire + at, to + at, width);
    turn64(wire + last, to + last, width);
}

static AVX512 ALIGNED bool decode_avx512(const struct armtap_plan *plan, const uint8_t *wire,
                                         struct armtap_state *state, struct armtap_set *updated, size_t count)
{
    return decode_frequent(plan, wire, state, updated, count, turn_avx512);
}

/* The first processors with AVX-512 run slower while they use it; those with VBMI2 do not. */
armtap_plan_decoder *armtap_plan_decoder_at(size_t i)
{
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2") &&
        __builtin_cpu_supports("avx512vbmi") && i-- == 0)
        return decode_avx512;
    if (__builtin_cpu_supports("avx2") && i-- == 0)
        return decode_avx2;
    return i == 0 ? armtap_plan_decode : NULL;
}

#else

armtap_plan_decoder *armtap_plan_decoder_at(size_t i)
{
    return i == 0 ? armtap_plan_decode : NULL;
}

#endif
