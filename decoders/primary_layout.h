/* The layouts of the primary interface's sub-packages, from primary_layouts.def, and their values. */
#ifndef ARMTAP_PRIMARY_LAYOUT_H
#define ARMTAP_PRIMARY_LAYOUT_H

#include "table/recipe.h"

#define ARMTAP_SUBPACKAGE_HEADER 5u /* uint32 length, uint8 type */

enum armtap_primary_wire {
    ARMTAP_WIRE_BOOL,
    ARMTAP_WIRE_INT8,
    ARMTAP_WIRE_UINT8,
    ARMTAP_WIRE_INT16,
    ARMTAP_WIRE_UINT16,
    ARMTAP_WIRE_INT32,
    ARMTAP_WIRE_UINT32,
    ARMTAP_WIRE_UINT64,
    ARMTAP_WIRE_FLOAT,
    ARMTAP_WIRE_DOUBLE,
    ARMTAP_WIRE_SPAN, /* text of a length given before; only in messages, like the next */
    ARMTAP_WIRE_REST  /* text to the end of the message */
};

enum armtap_primary_conversion {
    ARMTAP_CONVERT_SAME,
    ARMTAP_CONVERT_SECONDS,
    ARMTAP_CONVERT_MODE,
    ARMTAP_CONVERT_TOOL_8,
    ARMTAP_CONVERT_BIT_0,
    ARMTAP_CONVERT_BIT_1,
    ARMTAP_CONVERT_BIT_2,
    ARMTAP_CONVERT_BIT_3
};

struct armtap_primary_row {
    uint8_t layout;
    uint8_t wire;       /* enum armtap_primary_wire */
    uint8_t count;      /* elements */
    uint8_t conversion; /* enum armtap_primary_conversion */
    uint16_t offset;    /* of the first element in the sub-package */
    uint16_t stride;    /* from one element to the next */
    const char *name;   /* UR's */
    const char *field;  /* "": not delivered */
};

struct armtap_primary_layout {
    uint8_t type;
    uint8_t part;
    uint8_t generation; /* enum armtap_generation; UNKNOWN: both */
    uint8_t flag;       /* offset; 0: none */
    uint32_t least, most;
    const char *name; /* of the sub-package */
    size_t first;     /* its first row */
};

#define LAYOUT(layout, ...) ARMTAP_PRIMARY_LAYOUT_##layout,
enum {
#include "primary_layouts.def"
    ARMTAP_PRIMARY_LAYOUTS
};

/* Bytes of all delivered values at most, if a state had all layouts. */
#define ROW(layout, wire, offset, count, ...) +8 * (count)
enum {
    ARMTAP_PRIMARY_VALUES = 0
#include "primary_layouts.def"
};

/* Parts of a sub-package: no type has more. */
#define ARMTAP_PRIMARY_PARTS 3u

const struct armtap_primary_layout *armtap_primary_layout_at(size_t i);
const struct armtap_primary_row *armtap_primary_row_at(size_t i);
/* Bytes of an element on the wire; 0 for a text. */
size_t armtap_primary_wire_width(enum armtap_primary_wire wire);
/* A big-endian integer of that type; of a UINT64 its bits. */
int64_t armtap_primary_integer(enum armtap_primary_wire wire, const uint8_t *bytes);
/* The offset behind a row's last element. */
size_t armtap_primary_row_end(const struct armtap_primary_row *row);
/* A layout of sub-packages of a type, for its name; NULL if none is known. */
const struct armtap_primary_layout *armtap_primary_layout_named(uint8_t type);
/* The layouts of a sub-package of `length` bytes, one for each part, in the order of the table: their numbers in
 * `layouts`, their count. */
size_t armtap_primary_layouts_of(const uint8_t *subpackage, size_t length, enum armtap_generation generation,
                                 uint8_t layouts[ARMTAP_PRIMARY_PARTS]);
/* How many rows layout i has, and how many of them have all their elements in the first `length` bytes. */
size_t armtap_primary_rows_of(size_t i);
size_t armtap_primary_rows_within(size_t i, size_t length);
/* The generation of the controller that sent a RobotModeData of that length. */
enum armtap_generation armtap_primary_generation(size_t length);

/* ---- primary_values.c: one recipe for all sub-packages of a ROBOT_STATE, and the bytes that follow it ---- */

/* What of a state is there: how many rows of each layout. */
struct armtap_primary_shape {
    uint8_t rows[ARMTAP_PRIMARY_LAYOUTS];
};

/* A state, taken apart. */
struct armtap_primary_state {
    enum armtap_generation generation; /* as its RobotModeData shows, or as given */
    struct armtap_primary_shape shape;
    const uint8_t *subpackage[ARMTAP_PRIMARY_LAYOUTS]; /* by layout; NULL: not there */
};

/* The generation that the RobotModeData of a state shows; UNKNOWN without one. */
enum armtap_generation armtap_primary_state_generation(const uint8_t *frame, size_t length);
/* The generation that the sizes of its sub-packages speak for, where nothing else tells it. */
enum armtap_generation armtap_primary_sizes_generation(const uint8_t *frame, size_t length);
/* Whether what follows a first shape's layouts may be missing: then its records are the beginning of the others. */
bool armtap_primary_shape_begins(const struct armtap_primary_shape *shape, const struct armtap_primary_shape *longer);
/* The number of fields. */
size_t armtap_primary_fields(const struct armtap_primary_shape *shape);
int armtap_primary_recipe(const struct armtap_primary_shape *shape, struct armtap_recipe **recipe);
/* Writes the values in the order of a recipe that begins with those of the state's shape, big-endian; returns their
 * bytes, at most ARMTAP_PRIMARY_VALUES. */
size_t armtap_primary_put(const struct armtap_primary_state *state, const struct armtap_recipe *recipe,
                          uint8_t *values);
/* An element of a row as its field holds it: an integer, or the bits of a double. */
uint64_t armtap_primary_element(const struct armtap_primary_row *row, const uint8_t *wire);

#endif
