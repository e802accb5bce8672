/* The table of fields, and the state that holds their values, for the library itself. */
#ifndef ARMTAP_FIELD_H
#define ARMTAP_FIELD_H

#include "armtap.h"

/* ---- field.c, enumeration.c ----
 *
 * The field table, for the library itself. */

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
/* What decoding needs of a field: where its values are in the state. Whoever uses only this is linked without the texts
 * of the table. The id must be that of a field. */
struct armtap_member {
    uint16_t offset;
    uint8_t type; /* enum armtap_type */
    uint8_t count;
};
const struct armtap_member *armtap_member_at(size_t id);
/* The field whose first element is at a gnuplot column of a legacy layout; NULL inside a vector or after the last
 * column. */
const struct armtap_field *armtap_field_at_column(enum armtap_generation generation, unsigned column);
/* The same as an id; false if there is none. */
bool armtap_id_at_column(enum armtap_generation generation, unsigned column, unsigned *id);
/* The number of a named value of an enumerated field in a generation; false if it has none. */
bool armtap_enum_number(const struct armtap_field *field, const char *name, size_t length,
                        enum armtap_generation generation, int64_t *number);

/* ---- state.c ----
 *
 * What armtap_state_new makes besides the state. */

/* Bytes after a state, initially zero, where a decoder keeps what speeds up the next packet. They are not copied with
 * the state. */
#define ARMTAP_STATE_ROOM (ARMTAP_STATE_BYTES - sizeof(struct armtap_state))

/* The members of `own`. The address distinguishes a state from a copy of its bytes, behind which nothing may be read.
 */
enum { ARMTAP_STATE_OWN_MARK, ARMTAP_STATE_OWN_ADDRESS, ARMTAP_STATE_OWN_HAS_ROOM, ARMTAP_STATE_OWN_IS_CALLERS };
#define ARMTAP_STATE_MARK UINT64_C(0x7061746d7261)

/* Bytes of memory that a state without that room takes. */
#define ARMTAP_STATE_PLAIN sizeof(struct armtap_state)
struct armtap_state *armtap_state_new_plain(void);

/* Whether this library made it, so that it has the full size. */
static inline bool armtap_state_is_ours(const struct armtap_state *state)
{
    return state && state->own[ARMTAP_STATE_OWN_MARK] == ARMTAP_STATE_MARK &&
           state->own[ARMTAP_STATE_OWN_ADDRESS] == (uintptr_t)state;
}

/* NULL where it has none. */
static inline void *armtap_state_room(struct armtap_state *state)
{
    return state->own[ARMTAP_STATE_OWN_HAS_ROOM] ? state + 1 : NULL;
}

#endif
