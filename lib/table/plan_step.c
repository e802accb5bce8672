#include "plan.h"

#include "field.h"

/* op, bytes on the wire, bytes in the state */
static const uint8_t widths[][2] = {
    [ARMTAP_OP_BYTE] = {1, 1},       [ARMTAP_OP_BOOL] = {1, 1},        [ARMTAP_OP_SWAP4] = {4, 4},
    [ARMTAP_OP_SWAP8] = {8, 8},      [ARMTAP_OP_BYTE_TO_4] = {1, 4},   [ARMTAP_OP_4_TO_8] = {4, 8},
    [ARMTAP_OP_CELL_INT32] = {8, 4}, [ARMTAP_OP_CELL_UINT32] = {8, 4}, [ARMTAP_OP_CELL_BITS] = {8, 8},
    [ARMTAP_OP_NONE] = {0, 0},
};

size_t armtap_op_wire_width(enum armtap_op op)
{
    return widths[op][0];
}

size_t armtap_op_state_width(enum armtap_op op)
{
    return widths[op][1];
}

enum armtap_op armtap_op_for(enum armtap_type wire, enum armtap_type field)
{
    static const struct {
        enum armtap_type wire, field;
        enum armtap_op op;
    } rows[] = {
        {ARMTAP_BOOL, ARMTAP_BOOL, ARMTAP_OP_BOOL},         {ARMTAP_UINT8, ARMTAP_UINT8, ARMTAP_OP_BYTE},
        {ARMTAP_INT32, ARMTAP_INT32, ARMTAP_OP_SWAP4},      {ARMTAP_UINT32, ARMTAP_UINT32, ARMTAP_OP_SWAP4},
        {ARMTAP_UINT64, ARMTAP_UINT64, ARMTAP_OP_SWAP8},    {ARMTAP_DOUBLE, ARMTAP_DOUBLE, ARMTAP_OP_SWAP8},
        {ARMTAP_UINT8, ARMTAP_UINT32, ARMTAP_OP_BYTE_TO_4}, {ARMTAP_UINT32, ARMTAP_UINT64, ARMTAP_OP_4_TO_8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].wire == wire && rows[i].field == field)
            return rows[i].op;
    return ARMTAP_OP_NONE;
}

enum armtap_op armtap_op_for_cell(enum armtap_type field)
{
    switch (field) {
    case ARMTAP_INT32:
        return ARMTAP_OP_CELL_INT32;
    case ARMTAP_UINT32:
        return ARMTAP_OP_CELL_UINT32;
    case ARMTAP_UINT64:
        return ARMTAP_OP_CELL_BITS;
    default:
        return ARMTAP_OP_SWAP8;
    }
}

struct armtap_step armtap_plan_step(enum armtap_op op, unsigned field, size_t wire)
{
    const struct armtap_member *member = armtap_member_at(field);
    return (struct armtap_step){(uint32_t)wire, member->offset, member->count, (uint8_t)op};
}

static void put_cell_bits(uint8_t *cell, uint64_t bits)
{
    double value = (double)bits;
    if (value < ARMTAP_TWO_TO_64 && (uint64_t)value == bits)
        armtap_put_double(cell, value);
    else
        armtap_put64(cell, bits);
}

static void encode_element(enum armtap_op op, const uint8_t *from, uint8_t *wire)
{
    uint32_t four = 0;
    uint64_t eight = 0;
    size_t width = armtap_op_state_width(op);
    if (width == 4)
        memcpy(&four, from, 4);
    else if (width == 8)
        memcpy(&eight, from, 8);
    switch (op) {
    case ARMTAP_OP_SWAP8:
        armtap_put64(wire, eight);
        break;
    case ARMTAP_OP_SWAP4:
        armtap_put32(wire, four);
        break;
    case ARMTAP_OP_BYTE:
    case ARMTAP_OP_BOOL:
        *wire = *from;
        break;
    case ARMTAP_OP_BYTE_TO_4:
        *wire = (uint8_t)four;
        break;
    case ARMTAP_OP_4_TO_8:
        armtap_put32(wire, (uint32_t)eight);
        break;
    case ARMTAP_OP_CELL_INT32:
        armtap_put_double(wire, (double)(int32_t)four);
        break;
    case ARMTAP_OP_CELL_UINT32:
        armtap_put_double(wire, (double)four);
        break;
    case ARMTAP_OP_CELL_BITS:
        put_cell_bits(wire, eight);
        break;
    case ARMTAP_OP_NONE:
        break;
    }
}

void armtap_step_encode(const struct armtap_step *step, const struct armtap_state *state, uint8_t *wire)
{
    enum armtap_op op = (enum armtap_op)step->op;
    for (uint32_t i = 0; i < step->count; i++)
        encode_element(op, (const uint8_t *)state + step->state + i * armtap_op_state_width(op),
                       wire + step->wire + i * armtap_op_wire_width(op));
}
