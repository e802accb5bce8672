/* A plan moves the values of a frame into the state and back: steps of {operation, count, source, destination}. */
#ifndef ARMTAP_PLAN_H
#define ARMTAP_PLAN_H

#include "armtap.h"

/* What one element undergoes on its way from the wire to the state. */
enum armtap_op {
    ARMTAP_OP_BYTE,
    ARMTAP_OP_BOOL,       /* any non-zero byte is true */
    ARMTAP_OP_SWAP4,      /* INT32, UINT32 */
    ARMTAP_OP_SWAP8,      /* DOUBLE, UINT64 */
    ARMTAP_OP_BYTE_TO_4,  /* UINT8 on the wire, UINT32 in the state: protocol 3 widened two fields */
    ARMTAP_OP_4_TO_8,     /* UINT32 on the wire, UINT64 in the state */
    ARMTAP_OP_CELL_INT32, /* a legacy double that holds a whole number */
    ARMTAP_OP_CELL_UINT32,
    ARMTAP_OP_CELL_BITS, /* a legacy double that holds bits, or their raw integer */
    ARMTAP_OP_NONE       /* does not go into the state */
};

struct armtap_step {
    enum armtap_op op;
    uint32_t count; /* elements */
    uint32_t wire;  /* offset of the first from the first value of the frame */
    uint32_t state; /* offset of the first in struct armtap_state */
};

/* Bytes of one element on the wire and in the state. */
size_t armtap_op_wire_width(enum armtap_op op);
size_t armtap_op_state_width(enum armtap_op op);
/* The operation that takes a wire type to a field's type; ARMTAP_OP_NONE where that would lose something. */
enum armtap_op armtap_op_for(enum armtap_type wire, enum armtap_type field);
/* The operation for a legacy cell of a field. */
enum armtap_op armtap_op_for_cell(enum armtap_type field);

/* Adds a step to an array of steps, as part of the last one where it continues it. Returns the new number of steps. */
size_t armtap_plan_add(struct armtap_step *steps, size_t count, struct armtap_step step);
/* Decodes; a step over legacy cells of which one holds no whole number leaves the state as it was and makes the result
 * false. The wire must hold every step's bytes. */
bool armtap_plan_decode(const struct armtap_step *steps, size_t count, const uint8_t *wire, struct armtap_state *state);
void armtap_plan_encode(const struct armtap_step *steps, size_t count, const struct armtap_state *state, uint8_t *wire);

/* A legacy cell as a number; false where it holds none of that type. */
bool armtap_cell_int32(const uint8_t *cell, int32_t *number);
bool armtap_cell_uint32(const uint8_t *cell, uint32_t *number);
bool armtap_cell_bits(const uint8_t *cell, uint64_t *bits);

#endif
