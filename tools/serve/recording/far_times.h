/* Sums and differences of times that a damaged capture puts centuries apart: they end at the ends of the type. */
#ifndef SERVE_FAR_TIMES_H
#define SERVE_FAR_TIMES_H

#include <stdint.h>

static inline int64_t far_sum(int64_t one, int64_t other)
{
    int64_t sum;
    return !__builtin_add_overflow(one, other, &sum) ? sum : one < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t far_difference(int64_t one, int64_t other)
{
    int64_t difference;
    return !__builtin_sub_overflow(one, other, &difference) ? difference : one < 0 ? INT64_MIN : INT64_MAX;
}

/* A number of ns that may be of any size; not NAN. */
static inline int64_t far_time(double ns)
{
    return ns >= 0x1p63 ? INT64_MAX : ns < -0x1p63 ? INT64_MIN : (int64_t)ns;
}

#endif
