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

_Static_assert(sizeof(struct armtap_state) <= UINT16_MAX, "offsets in the state fit a step");

struct armtap_step armtap_plan_step(enum armtap_op op, const struct armtap_field *field, size_t wire)
{
    return (struct armtap_step){(uint32_t)wire, (uint16_t)field->offset, (uint8_t)field->count, (uint8_t)op};
}

void armtap_plan_init(struct armtap_plan *plan, struct armtap_step *steps)
{
    *plan = (struct armtap_plan){.decode = armtap_plan_decoder_at(0), .steps = steps};
}

static bool follows(const struct armtap_step *last, struct armtap_step step)
{
    enum armtap_op op = (enum armtap_op)last->op;
    return last->count + step.count <= UINT8_MAX && last->wire + last->count * armtap_op_wire_width(op) == step.wire &&
           last->state + last->count * armtap_op_state_width(op) == step.state;
}

/* Four bytes of the state that belong to no field. */
static bool is_padding(size_t offset)
{
    for (size_t id = 0; id < armtap_field_count(); id++) {
        const struct armtap_field *field = armtap_field_at(id);
        size_t size = armtap_type_width(field->type) * field->count;
        if (field->offset < offset + 4 && offset < field->offset + size)
            return false;
    }
    return offset + 4 <= sizeof(struct armtap_state);
}

static bool can_cover(const struct armtap_plan *plan, struct armtap_step step)
{
    enum armtap_op op = (enum armtap_op)step.op;
    return plan->covered.count < ARMTAP_COVERED_MAX && step.count == 1 && armtap_op_is_cell(op) &&
           (armtap_op_state_width(op) == 8 || is_padding(step.state + armtap_op_state_width(op)));
}

static void cover(struct armtap_covered *covered, struct armtap_step step)
{
    bool is_signed = step.op == ARMTAP_OP_CELL_INT32, is_long = step.op == ARMTAP_OP_CELL_BITS;
    for (size_t i = covered->count++; i < ARMTAP_COVERED_MAX; i++) {
        covered->cells[i] = step;
        covered->places = (covered->places & ~(UINT64_C(0xffff) << (16 * i))) | (uint64_t)step.state << (16 * i);
        covered->least[i] = is_signed ? INT32_MIN : 0;
        covered->most[i] = is_signed ? INT32_MAX : is_long ? ARMTAP_TWO_TO_51 : UINT32_MAX;
        covered->mask[i] = is_long ? UINT64_MAX : UINT32_MAX;
    }
}

void armtap_plan_add(struct armtap_plan *plan, struct armtap_step step, unsigned field)
{
    struct armtap_step *last = plan->count > 0 ? &plan->steps[plan->count - 1] : NULL;
    armtap_set_add(&plan->fields, field);
    if (last && last->op == step.op && follows(last, step)) {
        last->count = (uint8_t)(last->count + step.count);
    } else if (last && last->op == ARMTAP_OP_SWAP8 && follows(last, step) && can_cover(plan, step)) {
        last->count++;
        cover(&plan->covered, step);
    } else {
        plan->steps[plan->count++] = step;
    }
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

void armtap_plan_encode(const struct armtap_plan *plan, const struct armtap_state *state, uint8_t *wire)
{
    for (size_t i = 0; i < plan->count; i++)
        armtap_step_encode(&plan->steps[i], state, wire);
    for (size_t i = 0; i < plan->covered.count; i++)
        armtap_step_encode(&plan->covered.cells[i], state, wire);
}
