/* Names of enumerated values (enums.def), looked up by field. */
#include "field.h"

#include <string.h>

enum enumeration {
    ENUMERATION_NONE,
#define ENUMERATION(name) ENUMERATION_##name,
#define USES(field, enumeration)
#define VALUE(enumeration, generation, number, name)
#define BIT(enumeration, bit, name)
#include "enums.def"
#undef ENUMERATION
#undef USES
#undef VALUE
#undef BIT
};
#define ENUMERATION(name)

static const struct {
    enum enumeration enumeration;
    struct armtap_enum_value value;
} enum_values[] = {
#define USES(field, enumeration)
#define VALUE(enumeration, generation, number, name)                                                                   \
    {ENUMERATION_##enumeration, {number, name, false, ARMTAP_GENERATION_##generation}},
#define BIT(enumeration, bit, name) {ENUMERATION_##enumeration, {bit, name, true, ARMTAP_GENERATION_UNKNOWN}},
#include "enums.def"
#undef USES
#undef VALUE
#undef BIT
};
#define ENUM_VALUES (sizeof enum_values / sizeof enum_values[0])

static enum enumeration enumeration_of(const struct armtap_field *field)
{
#define USES(name, enumeration)                                                                                        \
    case ARMTAP_ID_##name:                                                                                             \
        return ENUMERATION_##enumeration;
#define VALUE(enumeration, generation, number, name)
#define BIT(enumeration, bit, name)
    switch ((int)field->id) {
#include "enums.def"
    default:
        return ENUMERATION_NONE;
    }
#undef USES
#undef VALUE
#undef BIT
}

/* The next row of the field's enumeration from *k on; NULL after the last. */
static const struct armtap_enum_value *next_row(enum enumeration wanted, size_t *k)
{
    while (wanted != ENUMERATION_NONE && *k < ENUM_VALUES)
        if (enum_values[(*k)++].enumeration == wanted)
            return &enum_values[*k - 1].value;
    return NULL;
}

const struct armtap_enum_value *armtap_enum_at(const struct armtap_field *field, size_t i)
{
    const struct armtap_enum_value *row;
    enum enumeration wanted = field ? enumeration_of(field) : ENUMERATION_NONE;
    for (size_t k = 0; (row = next_row(wanted, &k));)
        if (i-- == 0)
            return row;
    return NULL;
}

static bool is_of(const struct armtap_enum_value *row, enum armtap_generation generation)
{
    return !row->is_bit && (row->generation == generation ||
                            (row->generation == ARMTAP_GENERATION_UNKNOWN && generation != ARMTAP_GENERATION_AUBO));
}

bool armtap_enum_has(const struct armtap_enum_value *value, enum armtap_generation generation)
{
    enum armtap_generation known = generation == ARMTAP_GENERATION_UNKNOWN ? ARMTAP_GENERATION_CB3E : generation;
    return value && (value->is_bit || is_of(value, known));
}

const char *armtap_enum_name(const struct armtap_field *field, int64_t value, enum armtap_generation generation)
{
    const struct armtap_enum_value *row;
    enum enumeration wanted = field ? enumeration_of(field) : ENUMERATION_NONE;
    for (size_t k = 0; (row = next_row(wanted, &k));)
        if (is_of(row, generation) && row->value == value)
            return row->name;
    return NULL;
}

bool armtap_enum_number(const struct armtap_field *field, const char *name, size_t length,
                        enum armtap_generation generation, int64_t *number)
{
    const struct armtap_enum_value *row;
    enum enumeration wanted = field ? enumeration_of(field) : ENUMERATION_NONE;
    for (size_t k = 0; (row = next_row(wanted, &k));)
        if (is_of(row, generation) && strlen(row->name) == length && memcmp(row->name, name, length) == 0) {
            *number = row->value;
            return true;
        }
    return false;
}
