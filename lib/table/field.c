/* The dictionary: descriptors and columns, all from armtap-fields.h. */
#include "field.h"
#include "inside.h"

#include <string.h>

#define OFFSET(member) offsetof(struct armtap_state, member)

#define SCALAR(name, ctype, type, direction, unit, cb2, cb3e, legacy, since, meaning)                                  \
    {#name, unit, legacy, since,       meaning, ARMTAP_ID_##name, ARMTAP_##type, ARMTAP_FIELD_##direction,             \
     1,     cb2,  cb3e,   OFFSET(name)},
#define VECTOR(name, ctype, type, count, direction, unit, cb2, cb3e, legacy, since, meaning)                           \
    {#name, unit, legacy, since,       meaning, ARMTAP_ID_##name, ARMTAP_##type, ARMTAP_FIELD_##direction,             \
     count, cb2,  cb3e,   OFFSET(name)},
#define ELEMENT(number, array, ctype, type, direction, unit, cb2, cb3e, legacy, prefix, first, since, meaning)         \
    {prefix #number,                                                                                                   \
     unit,                                                                                                             \
     legacy,                                                                                                           \
     since,                                                                                                            \
     meaning,                                                                                                          \
     (enum armtap_field_id)(ARMTAP_ID_##array + (number) - (first)),                                                   \
     ARMTAP_##type,                                                                                                    \
     ARMTAP_FIELD_##direction,                                                                                         \
     1,                                                                                                                \
     (cb2) ? (cb2) + (number) - (first) : 0,                                                                           \
     (cb3e) ? (cb3e) + (number) - (first) : 0,                                                                         \
     OFFSET(array) + ((number) - (first)) * sizeof(ctype)},
#define FAMILY(array, ctype, type, length, direction, unit, cb2, cb3e, legacy, prefix, first, each_a, since_a, each_b, \
               since_b, meaning)                                                                                       \
    each_a(ELEMENT, array, ctype, type, direction, unit, cb2, cb3e, legacy, prefix, first, since_a, meaning)           \
        each_b(ELEMENT, array, ctype, type, direction, unit, cb2, cb3e, legacy, prefix, first, since_b, meaning)

static const struct armtap_field fields[] = {ARMTAP_FIELDS(SCALAR, VECTOR, FAMILY)};

#undef SCALAR
#undef VECTOR
#undef ELEMENT
#undef FAMILY

/* The same without the texts, by id. */
#define MEMBER(offset, type, count) {(uint16_t)(offset), ARMTAP_##type, (uint8_t)(count)},
#define SCALAR(name, ctype, type, ...) MEMBER(OFFSET(name), type, 1)
#define VECTOR(name, ctype, type, count, ...) MEMBER(OFFSET(name), type, count)
#define ELEMENT(number, array, ctype, type, first) MEMBER(OFFSET(array) + ((number) - (first)) * sizeof(ctype), type, 1)
#define FAMILY(array, ctype, type, length, direction, unit, cb2, cb3e, legacy, prefix, first, each_a, since_a, each_b, \
               ...)                                                                                                    \
    each_a(ELEMENT, array, ctype, type, first) each_b(ELEMENT, array, ctype, type, first)
static const struct armtap_member members[ARMTAP_FIELD_COUNT] = {ARMTAP_FIELDS(SCALAR, VECTOR, FAMILY)};
#undef MEMBER
#undef SCALAR
#undef VECTOR
#undef ELEMENT
#undef FAMILY
_Static_assert(sizeof(struct armtap_state) <= UINT16_MAX, "a member's offset has 16 bits");

/* Lengths of the names, by id. */
#define SCALAR(name, ...) sizeof #name - 1,
#define VECTOR(name, ...) sizeof #name - 1,
#define ELEMENT(number, prefix) sizeof(prefix #number) - 1,
#define FAMILY(array, ctype, type, length, direction, unit, cb2, cb3e, legacy, prefix, first, each_a, since_a, each_b, \
               ...)                                                                                                    \
    each_a(ELEMENT, prefix) each_b(ELEMENT, prefix)
static const uint8_t name_lengths[ARMTAP_FIELD_COUNT] = {ARMTAP_FIELDS(SCALAR, VECTOR, FAMILY)};
#undef SCALAR
#undef VECTOR
#undef ELEMENT
#undef FAMILY

_Static_assert(sizeof fields / sizeof fields[0] == ARMTAP_FIELD_COUNT, "a family's ranges do not fill its array");
_Static_assert(ARMTAP_FIELD_COUNT <= 64 * 16, "struct armtap_set is full");

/* Every row's C type matches its type, and a family's offsets stay inside its array. */
#define CTYPE_BOOL uint8_t
#define CTYPE_UINT8 uint8_t
#define CTYPE_UINT32 uint32_t
#define CTYPE_UINT64 uint64_t
#define CTYPE_INT32 int32_t
#define CTYPE_DOUBLE double
#define IS_CTYPE(ctype, type) _Generic((ctype){0}, CTYPE_##type : 1, default : 0)
#define SCALAR(name, ctype, type, ...)                                                                                 \
    _Static_assert(IS_CTYPE(ctype, type) && sizeof(((struct armtap_state *)0)->name) == sizeof(ctype), #name);
#define VECTOR(name, ctype, type, count, ...)                                                                          \
    _Static_assert(IS_CTYPE(ctype, type) && ((count) == 3 || (count) == 6), #name);
#define FAMILY(array, ctype, type, length, ...) _Static_assert(IS_CTYPE(ctype, type), #array);
ARMTAP_FIELDS(SCALAR, VECTOR, FAMILY)
#undef SCALAR
#undef VECTOR
#undef FAMILY

/* Column -> id + 1 of the field that begins there. Rows without a column all land in slot 0, which is never read. */
#define SCALAR_AT(column, name) [column] = ARMTAP_ID_##name + 1,
#define ELEMENT_AT(number, array, column, first)                                                                       \
    [(column) ? (column) + (number) - (first) : 0] = ARMTAP_ID_##array + (number) - (first) + 1,
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#endif
#if defined(__clang__)
#pragma clang diagnostic ignored "-Winitializer-overrides"
#endif
#define SCALAR(name, ctype, type, direction, unit, cb2, ...) SCALAR_AT(cb2, name)
#define VECTOR(name, ctype, type, count, direction, unit, cb2, ...) SCALAR_AT(cb2, name)
#define FAMILY(array, ctype, type, length, direction, unit, cb2, cb3e, legacy, prefix, first, each_a, since_a, each_b, \
               ...)                                                                                                    \
    each_a(ELEMENT_AT, array, cb2, first) each_b(ELEMENT_AT, array, cb2, first)
static const uint16_t cb2_at[ARMTAP_COLUMNS_CB2 + 1] = {ARMTAP_FIELDS(SCALAR, VECTOR, FAMILY)};
#undef SCALAR
#undef VECTOR
#undef FAMILY
#define SCALAR(name, ctype, type, direction, unit, cb2, cb3e, ...) SCALAR_AT(cb3e, name)
#define VECTOR(name, ctype, type, count, direction, unit, cb2, cb3e, ...) SCALAR_AT(cb3e, name)
#define FAMILY(array, ctype, type, length, direction, unit, cb2, cb3e, legacy, prefix, first, each_a, since_a, each_b, \
               ...)                                                                                                    \
    each_a(ELEMENT_AT, array, cb3e, first) each_b(ELEMENT_AT, array, cb3e, first)
static const uint16_t cb3e_at[ARMTAP_COLUMNS_CB3E + 1] = {ARMTAP_FIELDS(SCALAR, VECTOR, FAMILY)};
#undef SCALAR
#undef VECTOR
#undef FAMILY
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

unsigned armtap_layout_columns(enum armtap_generation generation)
{
    return generation == ARMTAP_GENERATION_CB2 ? ARMTAP_COLUMNS_CB2 : ARMTAP_COLUMNS_CB3E;
}

bool armtap_id_at_column(enum armtap_generation generation, unsigned column, unsigned *id)
{
    if (column == 0 || column > armtap_layout_columns(generation))
        return false;
    unsigned slot = generation == ARMTAP_GENERATION_CB2 ? cb2_at[column] : cb3e_at[column];
    *id = slot - 1;
    return slot > 0;
}

const struct armtap_field *armtap_field_at_column(enum armtap_generation generation, unsigned column)
{
    unsigned id;
    return armtap_id_at_column(generation, column, &id) ? &fields[id] : NULL;
}

const struct armtap_member *armtap_member_at(size_t id)
{
    return &members[id];
}

size_t armtap_field_count(void)
{
    return ARMTAP_FIELD_COUNT;
}

const struct armtap_field *armtap_field_at(size_t id)
{
    return id < ARMTAP_FIELD_COUNT ? &fields[id] : NULL;
}

/* Peers choose the names that are looked up here: only names of the same length are compared, and those are few. */
const struct armtap_field *armtap_field_find(const char *name, size_t length)
{
    const uint8_t *at = name_lengths, *end = name_lengths + ARMTAP_FIELD_COUNT;
    if (!name || length == 0 || length > UINT8_MAX)
        return NULL;
    while ((at = memchr(at, (int)length, (size_t)(end - at)))) {
        const struct armtap_field *field = &fields[at++ - name_lengths];
        if (memcmp(field->name, name, length) == 0)
            return field;
    }
    return NULL;
}

size_t armtap_type_width(enum armtap_type type)
{
    switch (type) {
    case ARMTAP_BOOL:
    case ARMTAP_UINT8:
        return 1;
    case ARMTAP_UINT32:
    case ARMTAP_INT32:
        return 4;
    case ARMTAP_UINT64:
    case ARMTAP_DOUBLE:
        return 8;
    default:
        return 0;
    }
}

struct type_name {
    enum armtap_type type;
    unsigned count;
    const char *name;
    size_t length;
};
static const struct type_name type_names[] = {
#define RTDE_TYPE(name, type, count) {ARMTAP_##type, count, name, sizeof name - 1},
#include "types.def"
};
#define TYPE_NAMES (sizeof type_names / sizeof type_names[0])

const char *armtap_type_name(enum armtap_type type, unsigned count)
{
    for (size_t i = 0; i < TYPE_NAMES; i++)
        if (type_names[i].type == type && type_names[i].count == count)
            return type_names[i].name;
    return "";
}

bool armtap_type_find(const char *name, size_t length, enum armtap_type *type, unsigned *count)
{
    for (size_t i = 0; i < TYPE_NAMES; i++)
        if (type_names[i].length == length && memcmp(type_names[i].name, name, length) == 0) {
            *type = type_names[i].type;
            *count = type_names[i].count;
            return true;
        }
    return false;
}
