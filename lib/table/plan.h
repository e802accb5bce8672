/* Plans: what moves the values of a frame into the state and back. */
#ifndef ARMTAP_PLAN_H
#define ARMTAP_PLAN_H

#include "armtap.h"
#include "bytes.h"

/* ---- plan_step.c ----
 *
 * A step of a plan: how its elements are converted between the wire and the state. */

/* The conversion of one element from the wire to the state. */
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
    ARMTAP_OP_NONE       /* not kept in the state */
};

struct armtap_step {
    uint32_t wire;  /* offset of the first element from the first value of the frame */
    uint16_t state; /* offset of the first in struct armtap_state */
    uint8_t count;  /* elements */
    uint8_t op;     /* enum armtap_op */
};

/* Bytes of one element on the wire and in the state. */
size_t armtap_op_wire_width(enum armtap_op op);
size_t armtap_op_state_width(enum armtap_op op);
/* The operation that converts a wire type to a field's type; ARMTAP_OP_NONE if that would lose information. */
enum armtap_op armtap_op_for(enum armtap_type wire, enum armtap_type field);
static inline bool armtap_op_is_cell(enum armtap_op op)
{
    return op >= ARMTAP_OP_CELL_INT32 && op <= ARMTAP_OP_CELL_BITS;
}
/* The operation for a legacy cell of a field. */
enum armtap_op armtap_op_for_cell(enum armtap_type field);

/* A step for the field of that id, whose first element is at `wire`. */
struct armtap_step armtap_plan_step(enum armtap_op op, unsigned field, size_t wire);
void armtap_step_encode(const struct armtap_step *step, const struct armtap_state *state, uint8_t *wire);

/* ---- a legacy cell as a number; false if it holds none of that type ---- */

static inline bool armtap_cell_int32(const uint8_t *cell, int32_t *number)
{
    double value = armtap_be_double(cell);
    if (!(value >= INT32_MIN && value <= INT32_MAX))
        return false;
    *number = (int32_t)value;
    return value == (double)*number;
}

static inline bool armtap_cell_uint32(const uint8_t *cell, uint32_t *number)
{
    double value = armtap_be_double(cell);
    if (!(value >= 0 && value <= UINT32_MAX))
        return false;
    *number = (uint32_t)value;
    return value == (double)*number;
}

#define ARMTAP_TWO_TO_64 18446744073709551616.0
#define ARMTAP_TWO_TO_51 2251799813685248.0 /* below it a double can still hold halves */

static inline bool armtap_cell_bits(const uint8_t *cell, uint64_t *bits)
{
    double value = armtap_be_double(cell);
    *bits = armtap_be64(cell);
    if (*bits >> 52 == 0) /* 0 or denormal as a double, so it is a raw integer */
        return true;
    if (!(value >= 0 && value < ARMTAP_TWO_TO_64))
        return false;
    *bits = (uint64_t)value;
    return value == (double)*bits;
}

/* ---- plan.c, plan_decode.c ----
 *
 * A plan moves the values of a frame into the state and back: steps of {operation, count, source, destination}. The
 * loop that runs it, from the wire into the state; what builds it, step by step. */

/* Single legacy cells between doubles that have the same order in the state and on the wire. A run copies over them as
 * if they were doubles; they are checked before it and written after it. Each has eight bytes in the state; a field of
 * four bytes is followed by zeros. */
#define ARMTAP_COVERED_MAX 4
struct armtap_covered {
    size_t count;
    uint64_t places; /* of the cells in the state, 16 bits each, read in one load before the run */
    struct armtap_step
        cells[ARMTAP_COVERED_MAX];     /* entries past `count` repeat the last: all four are processed together */
    double least[ARMTAP_COVERED_MAX];  /* the range of the type, ... */
    double most[ARMTAP_COVERED_MAX];   /* ... at most ARMTAP_TWO_TO_51 */
    uint64_t mask[ARMTAP_COVERED_MAX]; /* the bits of the type */
};

struct armtap_plan;
/* Decodes the first `count` steps; `updated` (may be NULL) becomes the plan's fields. False if a legacy cell holds no
 * whole number: then decode the fields one by one, because others may not have been written, and `updated` is
 * undefined. The wire must hold the bytes of every step. */
typedef bool armtap_plan_decoder(const struct armtap_plan *plan, const uint8_t *wire, struct armtap_state *state,
                                 struct armtap_set *updated, size_t count);

struct armtap_plan {
    struct armtap_covered covered;
    size_t count, first; /* the first may fail or have fewer than eight bytes in the state, the others neither */
    struct armtap_step *steps;
    armtap_plan_decoder *decode; /* the fastest on this processor */
    struct armtap_set fields;    /* set by this plan */
};

/* In plain C. */
armtap_plan_decoder armtap_plan_decode;
/* A single step, in plain C. If one of its cells holds no whole number, returns false and leaves the state
 * unchanged. */
bool armtap_step_decode(const struct armtap_step *step, const uint8_t *wire, struct armtap_state *state);
/* The decoders for this processor, the fastest first, plain C last; NULL after the last. All produce the same bits. */
armtap_plan_decoder *armtap_plan_decoder_at(size_t i);

/* A plan without steps; the caller's `steps` has room for all that will be added. */
void armtap_plan_init(struct armtap_plan *plan, struct armtap_step *steps);
/* Adds a step that sets the field of that id; merges it into the last step if it continues it or can be covered by
 * it. */
void armtap_plan_add(struct armtap_plan *plan, struct armtap_step step, unsigned field);
void armtap_plan_encode(const struct armtap_plan *plan, const struct armtap_state *state, uint8_t *wire);

#endif
