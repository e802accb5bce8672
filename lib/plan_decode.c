/* The loop that runs plans from the wire into the state, in plain C for every compiler and machine, and once more for
 * what is frequent with AVX2 and AVX-512.
 *
 * What makes it fast: a plan is few and long steps, since the state's members stand in the order of the longest legacy
 * packet; its steps are small, for reading them between writes to the state costs most; one shuffle turns four or eight
 * doubles round; the kernels are inlined, nothing is called but for what is rare. tests/bench/README.md has numbers. */
#include "plan.h"

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#define CALLED static __attribute__((noinline))
#else
#define INLINE static inline
#define CALLED static
#endif

/* ---- kernels in plain C: `count` elements from `wire` to `to` ---- */

INLINE void swap4(const uint8_t *wire, uint8_t *to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = armtap_be32(wire + 4 * i);
        memcpy(to + 4 * i, &v, sizeof v);
    }
}

INLINE void swap8(const uint8_t *wire, uint8_t *to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t v = armtap_be64(wire + 8 * i);
        memcpy(to + 8 * i, &v, sizeof v);
    }
}

INLINE void truths(const uint8_t *wire, uint8_t *to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = wire[i] != 0;
}

INLINE void widen1(const uint8_t *wire, uint8_t *to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = wire[i];
        memcpy(to + 4 * i, &v, sizeof v);
    }
}

INLINE void widen4(const uint8_t *wire, uint8_t *to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t v = armtap_be32(wire + 4 * i);
        memcpy(to + 8 * i, &v, sizeof v);
    }
}

/* One legacy cell; `to` may be NULL: it is only judged. */
INLINE bool cell(enum armtap_op op, const uint8_t *wire, uint8_t *to)
{
    int32_t i32;
    uint32_t u32;
    uint64_t bits;
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

/* All are judged before the first is written, so that a vector is never half new. */
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

/* What RTDE has besides doubles. */
CALLED void others(const struct armtap_step *step, const uint8_t *wire, uint8_t *to)
{
    switch (step->op) {
    case ARMTAP_OP_SWAP4:
        swap4(wire, to, step->count);
        break;
    case ARMTAP_OP_BYTE:
        memcpy(to, wire, step->count);
        break;
    case ARMTAP_OP_BOOL:
        truths(wire, to, step->count);
        break;
    case ARMTAP_OP_BYTE_TO_4:
        widen1(wire, to, step->count);
        break;
    case ARMTAP_OP_4_TO_8:
        widen4(wire, to, step->count);
        break;
    default:
        break;
    }
}

/* ---- the loop ---- */

bool armtap_plan_decode(const struct armtap_step *steps, size_t count, const uint8_t *wire, struct armtap_state *state)
{
    bool whole = true;
    for (const struct armtap_step *step = steps, *end = steps + count; step < end; step++) {
        const uint8_t *from = wire + step->wire;
        uint8_t *to = (uint8_t *)state + step->state;
        if (step->op == ARMTAP_OP_SWAP8)
            swap8(from, to, step->count);
        else if (armtap_op_is_cell((enum armtap_op)step->op))
            whole &= cells(step, from, to);
        else
            others(step, from, to);
    }
    return whole;
}

/* ---- AVX2 ---- */

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define ALIGNED __attribute__((aligned(64))) /* the loop takes a tenth longer in some other places */
#define LANES 4                              /* doubles of a register */

INLINE AVX2 __m256i swapped_order(void)
{
    return _mm256_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2,
                           3, 4, 5, 6, 7);
}

INLINE AVX2 __m256i load_swapped(const uint8_t *wire)
{
    return _mm256_shuffle_epi8(_mm256_loadu_si256((const void *)wire), swapped_order());
}

INLINE AVX2 void store(uint8_t *to, __m256i lanes)
{
    _mm256_storeu_si256((void *)to, lanes);
}

/* What is left after whole registers is done by one more that ends with the last element, and writes some twice. */
INLINE AVX2 void swap8_avx2(const uint8_t *wire, uint8_t *to, uint32_t count)
{
    if (count < LANES) {
        swap8(wire, to, count);
        return;
    }
    size_t last = 8 * (size_t)(count - LANES);
    for (size_t at = 0; at < last; at += 32)
        store(to + at, load_swapped(wire + at));
    store(to + last, load_swapped(wire + last));
}

/* All bits set in the lanes whose numbers `fours` hold as they are. */
INLINE AVX2 __m256d is_whole(__m256d numbers, __m128i fours)
{
    return _mm256_cmp_pd(numbers, _mm256_cvtepi32_pd(fours), _CMP_EQ_OQ);
}

/* The modes of a packet in two registers, which may overlap. What does not fit becomes INT32_MIN, which is not equal.
 */
INLINE AVX2 bool int32_avx2(const uint8_t *wire, uint8_t *to, uint32_t count)
{
    size_t last = count - LANES;
    __m256d head = _mm256_castsi256_pd(load_swapped(wire)), tail = _mm256_castsi256_pd(load_swapped(wire + 8 * last));
    __m128i head_fours = _mm256_cvttpd_epi32(head), tail_fours = _mm256_cvttpd_epi32(tail);
    if (_mm256_movemask_pd(_mm256_and_pd(is_whole(head, head_fours), is_whole(tail, tail_fours))) != 15)
        return false;
    _mm_storeu_si128((void *)to, head_fours);
    _mm_storeu_si128((void *)(to + 4 * last), tail_fours);
    return true;
}

/* One cell that holds a number which fits 63 bits; false is no judgement. */
INLINE AVX2 bool cell_avx2(enum armtap_op op, const uint8_t *wire, uint8_t *to)
{
    double value = armtap_be_double(wire);
    int64_t number = _mm_cvttsd_si64(_mm_set_sd(value)); /* INT64_MIN where it does not fit */
    if ((double)number != value)
        return false;
    if (op == ARMTAP_OP_CELL_BITS) {
        if (number < 0)
            return false;
        memcpy(to, &number, 8);
        return true;
    }
    if (op == ARMTAP_OP_CELL_INT32 ? number != (int32_t)number : number != (uint32_t)number)
        return false;
    memcpy(to, &number, 4);
    return true;
}

INLINE AVX2 bool cells_avx2(const struct armtap_step *step, const uint8_t *wire, uint8_t *to)
{
    if (step->count == 1)
        return cell_avx2((enum armtap_op)step->op, wire, to);
    return step->op == ARMTAP_OP_CELL_INT32 && step->count >= LANES && step->count <= 2 * LANES &&
           int32_avx2(wire, to, step->count);
}

typedef void swap8_kernel(const uint8_t *wire, uint8_t *to, uint32_t count);

/* What is frequent; the rest of the plan is left to plain C from the first step on that is not. */
INLINE AVX2 bool decode_frequent(const struct armtap_step *steps, size_t count, const uint8_t *wire,
                                 struct armtap_state *state, swap8_kernel *fast_swap8)
{
    const struct armtap_step *step = steps, *end = steps + count;
    for (; step < end; step++) {
        const uint8_t *from = wire + step->wire;
        uint8_t *to = (uint8_t *)state + step->state;
        if (step->op == ARMTAP_OP_SWAP8)
            fast_swap8(from, to, step->count);
        else if (step->op == ARMTAP_OP_SWAP4)
            swap4(from, to, step->count);
        else if (!armtap_op_is_cell((enum armtap_op)step->op) || !cells_avx2(step, from, to))
            return armtap_plan_decode(step, (size_t)(end - step), wire, state);
    }
    return true;
}

static AVX2 ALIGNED bool decode_avx2(const struct armtap_step *steps, size_t count, const uint8_t *wire,
                                     struct armtap_state *state)
{
    return decode_frequent(steps, count, wire, state, swap8_avx2);
}

/* ---- AVX-512: the same with registers of 64 bytes, which libc's memcpy uses too ---- */

#define AVX512 __attribute__((target("avx2,avx512f,avx512bw")))

INLINE AVX512 void swap64(const uint8_t *wire, uint8_t *to)
{
    const __m512i order = _mm512_broadcast_i64x4(swapped_order());
    _mm512_storeu_si512((void *)to, _mm512_shuffle_epi8(_mm512_loadu_si512((const void *)wire), order));
}

INLINE AVX512 void swap8_avx512(const uint8_t *wire, uint8_t *to, uint32_t count)
{
    if (count < 2 * LANES) {
        swap8_avx2(wire, to, count);
        return;
    }
    size_t last = 8 * (size_t)(count - 2 * LANES);
    for (size_t at = 0; at < last; at += 64)
        swap64(wire + at, to + at);
    swap64(wire + last, to + last);
}

static AVX512 ALIGNED bool decode_avx512(const struct armtap_step *steps, size_t count, const uint8_t *wire,
                                         struct armtap_state *state)
{
    return decode_frequent(steps, count, wire, state, swap8_avx512);
}

/* The first processors with AVX-512 run slower while they use it; those with VBMI2 do not. */
armtap_plan_decoder *armtap_plan_decoder_at(size_t i)
{
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2") && i-- == 0)
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
