#include "plan.h"

#include "field.h"

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

/* Four bytes of the state that no field uses. */
static bool is_padding(size_t offset)
{
    for (size_t id = 0; id < armtap_field_count(); id++) {
        const struct armtap_member *member = armtap_member_at(id);
        size_t size = armtap_type_width((enum armtap_type)member->type) * member->count;
        if (member->offset < offset + 4 && offset < member->offset + size)
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
    bool is_first = armtap_op_is_cell((enum armtap_op)step.op) || armtap_op_state_width((enum armtap_op)step.op) < 8;
    size_t at = is_first ? plan->first : plan->count;
    struct armtap_step *behind = &plan->steps[at], *end = &plan->steps[plan->count];
    armtap_set_add(&plan->fields, field);
    if (at > 0 && behind[-1].op == step.op && follows(behind - 1, step)) {
        behind[-1].count = (uint8_t)(behind[-1].count + step.count);
    } else if (plan->count > 0 && end[-1].op == ARMTAP_OP_SWAP8 && follows(end - 1, step) && can_cover(plan, step)) {
        end[-1].count++;
        cover(&plan->covered, step);
    } else {
        memmove(behind + 1, behind, (plan->count++ - at) * sizeof *behind);
        *behind = step;
        plan->first += is_first;
    }
}

void armtap_plan_encode(const struct armtap_plan *plan, const struct armtap_state *state, uint8_t *wire)
{
    for (size_t i = 0; i < plan->count; i++)
        armtap_step_encode(&plan->steps[i], state, wire);
    for (size_t i = 0; i < plan->covered.count; i++)
        armtap_step_encode(&plan->covered.cells[i], state, wire);
}
