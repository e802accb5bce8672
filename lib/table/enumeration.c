/* Names of enumerated values (enums.def), looked up by field. */
#include "field.h"

#include <string.h>

enum enumeration {
#define ENUMERATION(name) ENUMERATION_##name,
#include "enums.def"
    ENUMERATIONS
};

/* Numbers all rows, each by the line that it is on. FIRST_name becomes the number of the enumeration's first row:
 * AGAIN_name steps back by one, so that this row gets it, too. */
enum row_number {
#define ROW(line) ROW_ON(line)
#define ROW_ON(line) ROW_##line,
#define ENUMERATION(name) FIRST_##name, AGAIN_##name = FIRST_##name - 1,
#define VALUE(enumeration, generation, number, name) ROW(__LINE__)
#define BIT(enumeration, bit, name) ROW(__LINE__)
#include "enums.def"
    ROWS
};

/* The first row of each enumeration, and the end of the last one's. */
static const int first_rows[ENUMERATIONS + 1] = {
#define ENUMERATION(name) FIRST_##name,
#include "enums.def"
    ROWS};

static const struct row {
    size_t name_length;
    struct armtap_enum_value value;
} all_rows[ROWS] = {
#define VALUE(enumeration, generation, number, name)                                                                   \
    {sizeof name - 1, {number, name, false, ARMTAP_GENERATION_##generation}},
#define BIT(enumeration, bit, name) {sizeof name - 1, {bit, name, true, ARMTAP_GENERATION_UNKNOWN}},
#include "enums.def"
};

static enum enumeration enumeration_of(const struct armtap_field *field)
{
#define USES(name, enumeration)                                                                                        \
    case ARMTAP_ID_##name:                                                                                             \
        return ENUMERATION_##enumeration;
    switch ((int)field->id) {
#include "enums.def"
    default:
        return ENUMERATIONS;
    }
}

struct rows {
    const struct row *begin, *end;
};

/* None if the field is not enumerated, or NULL. */
static struct rows rows_of(const struct armtap_field *field)
{
    enum enumeration enumeration = field ? enumeration_of(field) : ENUMERATIONS;
    if (enumeration == ENUMERATIONS)
        return (struct rows){all_rows, all_rows};
    return (struct rows){all_rows + first_rows[enumeration], all_rows + first_rows[enumeration + 1]};
}

const struct armtap_enum_value *armtap_enum_at(const struct armtap_field *field, size_t i)
{
    struct rows rows = rows_of(field);
    return i < (size_t)(rows.end - rows.begin) ? &rows.begin[i].value : NULL;
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
    struct rows rows = rows_of(field);
    for (const struct row *row = rows.begin; row < rows.end; row++)
        if (is_of(&row->value, generation) && row->value.value == value)
            return row->value.name;
    return NULL;
}

bool armtap_enum_number(const struct armtap_field *field, const char *name, size_t length,
                        enum armtap_generation generation, int64_t *number)
{
    struct rows rows = rows_of(field);
    for (const struct row *row = rows.begin; row < rows.end; row++)
        if (row->name_length == length && is_of(&row->value, generation) &&
            memcmp(row->value.name, name, length) == 0) {
            *number = row->value.value;
            return true;
        }
    return false;
}
