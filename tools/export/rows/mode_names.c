#include "field_selection.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool mode_names_has(const struct armtap_field *field)
{
    const struct armtap_enum_value *first = field ? armtap_enum_at(field, 0) : NULL;
    return first && !first->is_bit;
}

static bool is_mode(const struct table_column *columns, const struct pick *pick)
{
    return pick->row_column == ROW_COLUMN_NONE && pick->column != TABLE_NONE &&
           mode_names_has(columns[pick->column].field);
}

/* Makes the pick of the names from that of the numbers. */
static int make_second(const struct pick *numbers, struct pick *names)
{
    static const char ending[] = "_name";
    size_t length = strlen(numbers->name);
    *names = *numbers;
    names->own_name = malloc(length + sizeof ending);
    if (!names->own_name)
        return -1;
    memcpy(names->own_name, numbers->name, length);
    memcpy(names->own_name + length, ending, sizeof ending);
    names->name = names->own_name;
    return 0;
}

int mode_names_apply(enum mode_names how, const struct table_column *columns, struct picks *picks)
{
    size_t used = 0;
    struct pick *named = NULL;
    if (how == MODES_BY_NUMBER)
        return 0;
    named = calloc((how == MODES_BY_BOTH ? 2 : 1) * picks->count + 1, sizeof *named);
    if (!named)
        return -1;
    bool failed = false;
    for (size_t i = 0; i < picks->count; i++) {
        named[used++] = picks->pick[i];
        if (!is_mode(columns, &picks->pick[i]))
            continue;
        if (how == MODES_BY_BOTH)
            failed = make_second(&picks->pick[i], &named[used++]) != 0 || failed;
        named[used - 1].by_name = true;
    }
    free(picks->pick);
    *picks = (struct picks){.pick = named, .count = used};
    return failed ? -1 : 0;
}

bool mode_names_are_mixed(unsigned generations)
{
    unsigned known = generations & ~(1u << ARMTAP_GENERATION_UNKNOWN);
    return (known & (known - 1)) != 0;
}

const char *mode_name(const struct armtap_value *value, unsigned element, enum armtap_generation generation,
                      char digits[MODE_NAME_MAX])
{
    if (armtap_value_is_text(value) || value->type == ARMTAP_DOUBLE || element >= value->count)
        return NULL;
    int64_t number = armtap_value_is_signed(value) ? value->i64[element] : (int64_t)value->u64[element];
    const char *name = value->field ? armtap_enum_name(value->field, number, generation) : NULL;
    if (name)
        return name;
    snprintf(digits, MODE_NAME_MAX, "%" PRId64, number);
    return digits;
}
