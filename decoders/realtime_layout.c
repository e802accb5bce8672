/* The layouts of legacy packets: which sizes there are, and which fields a packet of a size holds. */
#include "realtime_packet.h"

#include "table/field.h"
#include "inside.h"

#define CELL 8u /* bytes */
#define LARGEST_CB2_SIZE 812

static const uint16_t listed_sizes[] = {
#define SIZE(bytes, software) bytes,
#include "realtime_sizes.def"
};

size_t armtap_realtime_size_at(size_t i)
{
    return i < sizeof listed_sizes / sizeof *listed_sizes ? listed_sizes[i] : 0;
}

bool armtap_realtime_is_listed(size_t size)
{
    for (size_t i = 0; i < sizeof listed_sizes / sizeof *listed_sizes; i++)
        if (listed_sizes[i] == size)
            return true;
    return false;
}

enum armtap_generation armtap_realtime_generation(size_t size)
{
    return size <= LARGEST_CB2_SIZE ? ARMTAP_GENERATION_CB2 : ARMTAP_GENERATION_CB3E;
}

#define MODES_BOOL(column, count)
#define MODES_UINT8(column, count)
#define MODES_UINT32(column, count)
#define MODES_UINT64(column, count)
#define MODES_DOUBLE(column, count)
#define MODES_INT32(column, count) {column, count},
#define FAMILY(...)
#define SCALAR(name, ctype, type, direction, unit, cb2, ...) MODES_##type(cb2, 1)
#define VECTOR(name, ctype, type, count, direction, unit, cb2, ...) MODES_##type(cb2, count)
static const struct armtap_realtime_cells cb2_modes[] = {ARMTAP_FIELDS(SCALAR, VECTOR, FAMILY){0, 0}};
#undef SCALAR
#undef VECTOR
#define SCALAR(name, ctype, type, direction, unit, cb2, cb3e, ...) MODES_##type(cb3e, 1)
#define VECTOR(name, ctype, type, count, direction, unit, cb2, cb3e, ...) MODES_##type(cb3e, count)
static const struct armtap_realtime_cells cb3e_modes[] = {ARMTAP_FIELDS(SCALAR, VECTOR, FAMILY){0, 0}};
#undef SCALAR
#undef VECTOR

const struct armtap_realtime_cells *armtap_realtime_modes(enum armtap_generation generation)
{
    return generation == ARMTAP_GENERATION_CB2 ? cb2_modes : cb3e_modes;
}

bool armtap_realtime_next(enum armtap_generation generation, size_t size, unsigned *column, unsigned *id)
{
    if (!armtap_id_at_column(generation, *column, id))
        return false;
    unsigned end = *column + armtap_member_at(*id)->count;
    if (ARMTAP_REALTIME_LENGTH_WORD + CELL * (end - 1) > size)
        return false;
    *column = end;
    return true;
}

int armtap_recipe_realtime(size_t size, struct armtap_recipe **recipe)
{
    enum armtap_generation generation = armtap_realtime_generation(size);
    char *names;
    if (!recipe)
        return ARMTAP_ERR_ARGUMENT;
    int error = armtap_recipe_make(ARMTAP_REALTIME, armtap_layout_columns(generation), 0, recipe, &names);
    if (error != ARMTAP_OK)
        return error;
    unsigned column = 1, id;
    while (armtap_realtime_next(generation, size, &column, &id)) {
        const struct armtap_field *field = armtap_field_at(id);
        armtap_recipe_add(*recipe, field->name, field, field->type, field->count, armtap_op_for_cell(field->type));
    }
    return ARMTAP_OK;
}
