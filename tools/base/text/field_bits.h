/* Fields whose bits have a meaning each: digital inputs and outputs, bit registers, status words. */
#ifndef BASE_FIELD_BITS_H
#define BASE_FIELD_BITS_H

#include "armtap.h"

/* Whether the field has such a bit: one that is named, or any of a register's. */
bool field_has_bit(const struct armtap_field *field, size_t bit);
#define FIELD_BITS 64 /* no field has more */
#define FIELD_BIT_MAX 80
/* What the bit is: "standard digital input 3", "output bit register 37", "IS_POWER_ON". */
void field_bit_say(char text[FIELD_BIT_MAX], const struct armtap_field *field, size_t bit);

#endif
