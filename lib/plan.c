#include "plan.h"

#include "bytes.h"

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

size_t armtap_plan_add(struct armtap_step *steps, size_t count, struct armtap_step step)
{
    struct armtap_step *last = count > 0 ? &steps[count - 1] : NULL;
    if (last && last->op == step.op && last->wire + last->count * armtap_op_wire_width(step.op) == step.wire &&
        last->state + last->count * armtap_op_state_width(step.op) == step.state) {
        last->count += step.count;
        return count;
    }
    steps[count] = step;
    return count + 1;
}

bool armtap_cell_int32(const uint8_t *cell, int32_t *number)
{
    double value = armtap_be_double(cell);
    if (!(value >= INT32_MIN && value <= INT32_MAX) || value != (double)(int32_t)value)
        return false;
    *number = (int32_t)value;
    return true;
}

bool armtap_cell_uint32(const uint8_t *cell, uint32_t *number)
{
    double value = armtap_be_double(cell);
    if (!(value >= 0 && value <= UINT32_MAX) || value != (double)(uint32_t)value)
        return false;
    *number = (uint32_t)value;
    return true;
}

#define TWO_TO_64 18446744073709551616.0

bool armtap_cell_bits(const uint8_t *cell, uint64_t *bits)
{
    uint64_t raw = armtap_be64(cell);
    double value = armtap_be_double(cell);
    if (raw >> 52 == 0) { /* as a double it would be 0 or denormal: it is the raw integer */
        *bits = raw;
        return true;
    }
    if (!(value >= 0 && value < TWO_TO_64) || value != (double)(uint64_t)value)
        return false;
    *bits = (uint64_t)value;
    return true;
}

static void put_cell_bits(uint8_t *cell, uint64_t bits)
{
    double value = (double)bits;
    if (value < TWO_TO_64 && (uint64_t)value == bits)
        armtap_put_double(cell, value);
    else
        armtap_put64(cell, bits);
}

/* Cells are judged before the first is written, so that a vector is never half new. */
static bool decode_cells(const struct armtap_step *step, const uint8_t *wire, uint8_t *to)
{
    uint64_t bits;
    int32_t i32;
    uint32_t u32;
    for (unsigned pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < step->count; i++) {
            const uint8_t *cell = wire + 8 * i;
            bool whole = step->op == ARMTAP_OP_CELL_BITS    ? armtap_cell_bits(cell, &bits)
                         : step->op == ARMTAP_OP_CELL_INT32 ? armtap_cell_int32(cell, &i32)
                                                            : armtap_cell_uint32(cell, &u32);
            if (!whole)
                return false;
            if (pass == 0)
                continue;
            if (step->op == ARMTAP_OP_CELL_BITS)
                memcpy(to + 8 * i, &bits, sizeof bits);
            else if (step->op == ARMTAP_OP_CELL_INT32)
                memcpy(to + 4 * i, &i32, sizeof i32);
            else
                memcpy(to + 4 * i, &u32, sizeof u32);
        }
    return true;
}

static void decode_swap4(const uint8_t *wire, uint8_t *to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = armtap_be32(wire + 4 * i);
        memcpy(to + 4 * i, &v, sizeof v);
    }
}

static void decode_swap8(const uint8_t *wire, uint8_t *to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t v = armtap_be64(wire + 8 * i);
        memcpy(to + 8 * i, &v, sizeof v);
    }
}

static void decode_widened(enum armtap_op op, const uint8_t *wire, uint8_t *to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from_byte = wire[i];
        uint64_t from_four = op == ARMTAP_OP_4_TO_8 ? armtap_be32(wire + 4 * i) : 0;
        if (op == ARMTAP_OP_4_TO_8)
            memcpy(to + 8 * i, &from_four, sizeof from_four);
        else
            memcpy(to + 4 * i, &from_byte, sizeof from_byte);
    }
}

bool armtap_plan_decode(const struct armtap_step *steps, size_t count, const uint8_t *wire, struct armtap_state *state)
{
    bool whole = true;
    for (const struct armtap_step *step = steps; step < steps + count; step++) {
        const uint8_t *from = wire + step->wire;
        uint8_t *to = (uint8_t *)state + step->state;
        switch (step->op) {
        case ARMTAP_OP_SWAP8:
            decode_swap8(from, to, step->count);
            break;
        case ARMTAP_OP_SWAP4:
            decode_swap4(from, to, step->count);
            break;
        case ARMTAP_OP_BYTE:
            memcpy(to, from, step->count);
            break;
        case ARMTAP_OP_BOOL:
            for (uint32_t i = 0; i < step->count; i++)
                to[i] = from[i] != 0;
            break;
        case ARMTAP_OP_BYTE_TO_4:
        case ARMTAP_OP_4_TO_8:
            decode_widened(step->op, from, to, step->count);
            break;
        case ARMTAP_OP_CELL_INT32:
        case ARMTAP_OP_CELL_UINT32:
        case ARMTAP_OP_CELL_BITS:
            whole &= decode_cells(step, from, to);
            break;
        case ARMTAP_OP_NONE:
            break;
        }
    }
    return whole;
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

void armtap_plan_encode(const struct armtap_step *steps, size_t count, const struct armtap_state *state, uint8_t *wire)
{
    for (const struct armtap_step *step = steps; step < steps + count; step++)
        for (uint32_t i = 0; i < step->count; i++)
            encode_element(step->op, (const uint8_t *)state + step->state + i * armtap_op_state_width(step->op),
                           wire + step->wire + i * armtap_op_wire_width(step->op));
}
