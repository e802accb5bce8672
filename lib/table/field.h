/* The field table, for the library itself. */
#ifndef ARMTAP_FIELD_H
#define ARMTAP_FIELD_H

#include "armtap.h"

/* The number of columns of each legacy layout, computed from the table: each union member is as large as its field's
 * last column, so the union is as large as the highest column. */
#define ARMTAP_LAST_COLUMN(name, column, count) char name[(column) > 0 ? (column) + (count)-1 : 1];
#define ARMTAP_SCALAR_CB2(name, ctype, type, direction, unit, cb2, ...) ARMTAP_LAST_COLUMN(name, cb2, 1)
#define ARMTAP_VECTOR_CB2(name, ctype, type, count, direction, unit, cb2, ...) ARMTAP_LAST_COLUMN(name, cb2, count)
#define ARMTAP_FAMILY_CB2(name, ctype, type, length, direction, unit, cb2, ...) ARMTAP_LAST_COLUMN(name, cb2, length)
#define ARMTAP_SCALAR_CB3E(name, ctype, type, direction, unit, cb2, cb3e, ...) ARMTAP_LAST_COLUMN(name, cb3e, 1)
#define ARMTAP_VECTOR_CB3E(name, ctype, type, count, direction, unit, cb2, cb3e, ...)                                  \
    ARMTAP_LAST_COLUMN(name, cb3e, count)
#define ARMTAP_FAMILY_CB3E(name, ctype, type, length, direction, unit, cb2, cb3e, ...)                                 \
    ARMTAP_LAST_COLUMN(name, cb3e, length)
union armtap_columns_cb2 {
    ARMTAP_FIELDS(ARMTAP_SCALAR_CB2, ARMTAP_VECTOR_CB2, ARMTAP_FAMILY_CB2)
};
union armtap_columns_cb3e {
    ARMTAP_FIELDS(ARMTAP_SCALAR_CB3E, ARMTAP_VECTOR_CB3E, ARMTAP_FAMILY_CB3E)
};
enum { ARMTAP_COLUMNS_CB2 = sizeof(union armtap_columns_cb2), ARMTAP_COLUMNS_CB3E = sizeof(union armtap_columns_cb3e) };

/* The type with this RTDE name; false for other names. */
bool armtap_type_find(const char *name, size_t length, enum armtap_type *type, unsigned *count);
/* The field whose first element is at a gnuplot column of a legacy layout; NULL inside a vector or after the last
 * column. */
const struct armtap_field *armtap_field_at_column(enum armtap_generation generation, unsigned column);
/* The number of a named value of an enumerated field in a generation; false if it has none. */
bool armtap_enum_number(const struct armtap_field *field, const char *name, size_t length,
                        enum armtap_generation generation, int64_t *number);

#endif
