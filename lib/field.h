/* What the library's own parts ask of the dictionary. */
#ifndef ARMTAP_FIELD_H
#define ARMTAP_FIELD_H

#include "armtap.h"

/* Bytes of one element in struct armtap_state; 0 for types that the state does not hold. */
size_t armtap_type_width(enum armtap_type type);
/* The type that RTDE calls so; false for other names. */
bool armtap_type_find(const char *name, size_t length, enum armtap_type *type, unsigned *count);
/* The field whose first element stands at a gnuplot column of a legacy layout; NULL inside a vector or beyond the end.
 */
const struct armtap_field *armtap_field_at_column(enum armtap_generation generation, unsigned column);
/* Columns of a legacy layout. */
unsigned armtap_layout_columns(enum armtap_generation generation);
/* The number that a generation gives a name of an enumerated field; false where it has none. */
bool armtap_enum_number(const struct armtap_field *field, const char *name, size_t length,
                        enum armtap_generation generation, int64_t *number);

#endif
