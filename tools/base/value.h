/* What kind a value is of. */
#ifndef BASE_VALUE_H
#define BASE_VALUE_H

#include "armtap.h"

/* Whether it is text by pointer and length, of whatever kind. */
static inline bool value_is_text(const struct armtap_value *value)
{
    return value->type == ARMTAP_STRING || value->type == ARMTAP_BYTES || value->type == ARMTAP_JSON;
}

/* Whether its numbers are in i64. */
static inline bool value_is_signed(const struct armtap_value *value)
{
    return value->type == ARMTAP_INT32 || value->type == ARMTAP_INT64;
}

#endif
