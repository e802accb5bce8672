/* The values of one message of a text protocol, put and read by position. What is put is kept in one span of bytes that
 * armtap_recipe_read takes as the `values` of a record:
 *
 *   number of cells, then the offset of each from the first byte (0: absent), then the cells
 *   a cell: type, count, then the elements, 8 bytes each; of STRING, BYTES and JSON the length, then the text
 *
 * Numbers are of the machine's own order, at any alignment; counts, types and offsets are uint32_t. */
#ifndef ARMTAP_CELLS_H
#define ARMTAP_CELLS_H

#include "armtap.h"

struct armtap_cells {
    uint8_t *bytes;
    size_t length;
    size_t capacity;
};
/* Resets to that many absent cells. The memory is kept for the next message. */
int armtap_cells_begin(struct armtap_cells *cells, size_t count);
/* Sets cell i from the value's type, count and elements, or text; an absent value leaves it absent. */
int armtap_cells_put(struct armtap_cells *cells, size_t i, const struct armtap_value *value);
void armtap_cells_free(struct armtap_cells *cells);

/* Reads cell i into the value's type, count, present and elements; texts point into `bytes`. Invalid bytes give an
 * absent value. */
void armtap_cells_read(const uint8_t *bytes, size_t length, size_t i, struct armtap_value *value);
/* Whether values of a type are text by pointer and length. */
bool armtap_type_is_text(enum armtap_type type);

#endif
