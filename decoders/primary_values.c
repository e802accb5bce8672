#include "primary_layout.h"

#include <string.h>

#include "bytes.h"
#include "primary_message.h"

#define ELEMENTS 6u /* of a vector, at most */
#define NO_MODE 255u
#define TOOL_BITS 0x300u /* of a CB2's word */
#define TOOL_SHIFT 8

enum armtap_generation armtap_primary_state_generation(const uint8_t *frame, size_t length)
{
    size_t at = ARMTAP_PRIMARY_HEADER;
    for (size_t size; (size = armtap_primary_subpackage(frame, length, at)) > 0; at += size)
        if (frame[at + 4] == 0)
            return armtap_primary_generation(size);
    return ARMTAP_GENERATION_UNKNOWN;
}

enum armtap_generation armtap_primary_sizes_generation(const uint8_t *frame, size_t length)
{
    /* Sub-packages that only CB2 sends in this size; `flag`: the byte that must be set. */
    static const struct {
        uint8_t type, size, flag;
    } cb2[] = {{3, 64, 0}, {3, 76, 63}, {5, 29, 0}, {8, 10, 0}};
    size_t at = ARMTAP_PRIMARY_HEADER;
    for (size_t size; (size = armtap_primary_subpackage(frame, length, at)) > 0; at += size)
        for (size_t i = 0; i < sizeof cb2 / sizeof *cb2; i++)
            if (frame[at + 4] == cb2[i].type && size == cb2[i].size &&
                (cb2[i].flag == 0 || frame[at + cb2[i].flag] != 0))
                return ARMTAP_GENERATION_CB2;
    return ARMTAP_GENERATION_CB3E;
}

bool armtap_primary_shape_begins(const struct armtap_primary_shape *shape, const struct armtap_primary_shape *longer)
{
    size_t last = ARMTAP_PRIMARY_LAYOUTS;
    while (last > 0 && shape->rows[last - 1] == 0)
        last--;
    return last == 0 ||
           (memcmp(shape->rows, longer->rows, last - 1) == 0 && shape->rows[last - 1] <= longer->rows[last - 1]);
}

/* The next delivered row of a shape from *row of *layout on; NULL beyond the last. */
static const struct armtap_primary_row *next_row(const struct armtap_primary_shape *shape, size_t *layout, size_t *row)
{
    for (; *layout < ARMTAP_PRIMARY_LAYOUTS; ++*layout, *row = 0)
        while (*row < shape->rows[*layout]) {
            const struct armtap_primary_row *found =
                armtap_primary_row_at(armtap_primary_layout_at(*layout)->first + (*row)++);
            if (found->field[0] != '\0')
                return found;
        }
    return NULL;
}

size_t armtap_primary_fields(const struct armtap_primary_shape *shape)
{
    size_t layout = 0, row = 0, count = 0;
    while (next_row(shape, &layout, &row))
        count++;
    return count;
}

int armtap_primary_recipe(const struct armtap_primary_shape *shape, struct armtap_recipe **recipe)
{
    char *names; /* they stay in the table */
    int error = armtap_recipe_make(ARMTAP_PRIMARY, armtap_primary_fields(shape), 0, recipe, &names);
    if (error != ARMTAP_OK)
        return error;
    size_t layout = 0, row = 0;
    for (const struct armtap_primary_row *next; (next = next_row(shape, &layout, &row));) {
        const struct armtap_field *field = armtap_field_find(next->field, strlen(next->field));
        armtap_recipe_add_typed(*recipe, next->field, field, field->type, field->count);
    }
    return ARMTAP_OK;
}

static double float_of(const uint8_t *wire)
{
    uint32_t bits = armtap_be32(wire);
    float number;
    memcpy(&number, &bits, sizeof number);
    return (double)number;
}

static uint64_t bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static uint64_t convert(enum armtap_primary_conversion conversion, uint64_t number)
{
    switch (conversion) {
    case ARMTAP_CONVERT_SECONDS:
        return bits_of((double)number / 1e6);
    case ARMTAP_CONVERT_MODE:
        return number == NO_MODE ? UINT64_MAX : number;
    case ARMTAP_CONVERT_TOOL_8:
        return (number & ~(uint64_t)TOOL_BITS) | (number & TOOL_BITS) << TOOL_SHIFT;
    case ARMTAP_CONVERT_BIT_0:
    case ARMTAP_CONVERT_BIT_1:
    case ARMTAP_CONVERT_BIT_2:
    case ARMTAP_CONVERT_BIT_3:
        return (uint64_t)(number != 0) << (conversion - ARMTAP_CONVERT_BIT_0);
    default:
        return number;
    }
}

uint64_t armtap_primary_element(const struct armtap_primary_row *row, const uint8_t *wire)
{
    switch ((enum armtap_primary_wire)row->wire) {
    case ARMTAP_WIRE_FLOAT:
        return bits_of(float_of(wire));
    case ARMTAP_WIRE_DOUBLE:
        return armtap_be64(wire);
    default:
        return convert((enum armtap_primary_conversion)row->conversion,
                       (uint64_t)armtap_primary_integer((enum armtap_primary_wire)row->wire, wire));
    }
}

static size_t put_number(uint8_t *to, uint64_t number, size_t width)
{
    for (size_t i = 0; i < width; i++)
        to[i] = (uint8_t)(number >> 8 * (width - 1 - i));
    return width;
}

/* The next value of the recipe, as *entry says; advances it. */
static size_t put_entry(uint8_t *to, const struct armtap_recipe_entry **entry, const uint64_t *numbers, unsigned count)
{
    size_t length = 0;
    for (unsigned i = 0; i < count; i++)
        length += put_number(to + length, numbers[i], armtap_type_width((*entry)->type));
    ++*entry;
    return length;
}

/* The values of a layout's first `count` rows. */
static size_t put_rows(const struct armtap_primary_row *row, size_t count, const uint8_t *subpackage,
                       const struct armtap_recipe_entry **entry, uint8_t *values)
{
    uint64_t bits = 0, numbers[ELEMENTS];
    size_t length = 0;
    for (const struct armtap_primary_row *end = row + count; row < end; row++) {
        for (size_t i = 0; i < row->count; i++)
            numbers[i] = armtap_primary_element(row, subpackage + row->offset + i * row->stride);
        if (row->conversion >= ARMTAP_CONVERT_BIT_0)
            bits = numbers[0] |= bits;
        if (row->field[0] == '\0')
            continue;
        length += put_entry(values + length, entry, numbers, row->count);
    }
    return length;
}

size_t armtap_primary_put(const struct armtap_primary_state *state, const struct armtap_recipe *recipe, uint8_t *values)
{
    const struct armtap_recipe_entry *entry = recipe->entries;
    size_t length = 0;
    for (size_t i = 0; i < ARMTAP_PRIMARY_LAYOUTS; i++)
        if (state->shape.rows[i] > 0)
            length += put_rows(armtap_primary_row_at(armtap_primary_layout_at(i)->first), state->shape.rows[i],
                               state->subpackage[i], &entry, values + length);
    return length;
}
