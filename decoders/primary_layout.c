#include "primary_layout.h"

#include "bytes.h"

#define ANY UNKNOWN
#define LARGEST_CB2_MODE 29u /* bytes of RobotModeData */

#define ROW(layout, wire, offset, count, stride, name, field, conversion)                                              \
    {ARMTAP_PRIMARY_LAYOUT_##layout,                                                                                   \
     ARMTAP_WIRE_##wire,                                                                                               \
     count,                                                                                                            \
     ARMTAP_CONVERT_##conversion,                                                                                      \
     offset,                                                                                                           \
     stride,                                                                                                           \
     name,                                                                                                             \
     field},
static const struct armtap_primary_row rows[] = {
#include "primary_layouts.def"
};

/* Where the rows of each layout begin: the number of rows before it. */
#define LAYOUT(layout, ...) FIRST_ROW_##layout, BEFORE_##layout = FIRST_ROW_##layout - 1,
#define ROW(layout, wire, offset, ...) ROW_##layout##_##offset,
enum row_number {
#include "primary_layouts.def"
    ROWS
};
_Static_assert(ROWS == sizeof rows / sizeof *rows, "each row has a number");

#define ARMTAP_GENERATION_ANY ARMTAP_GENERATION_UNKNOWN
#define LAYOUT(layout, type, part, name, generation, least, most, flag)                                                \
    {type, part, ARMTAP_GENERATION_##generation, flag, least, most, name, FIRST_ROW_##layout},
static const struct armtap_primary_layout layouts[] = {
#include "primary_layouts.def"
};

const struct armtap_primary_layout *armtap_primary_layout_at(size_t i)
{
    return i < ARMTAP_PRIMARY_LAYOUTS ? &layouts[i] : NULL;
}

const struct armtap_primary_row *armtap_primary_row_at(size_t i)
{
    return i < ROWS ? &rows[i] : NULL;
}

size_t armtap_primary_wire_width(enum armtap_primary_wire wire)
{
    static const uint8_t widths[] = {
        [ARMTAP_WIRE_BOOL] = 1,   [ARMTAP_WIRE_INT8] = 1,   [ARMTAP_WIRE_UINT8] = 1,  [ARMTAP_WIRE_INT16] = 2,
        [ARMTAP_WIRE_UINT16] = 2, [ARMTAP_WIRE_INT32] = 4,  [ARMTAP_WIRE_UINT32] = 4, [ARMTAP_WIRE_UINT64] = 8,
        [ARMTAP_WIRE_FLOAT] = 4,  [ARMTAP_WIRE_DOUBLE] = 8, [ARMTAP_WIRE_REST] = 0};
    return widths[wire];
}

int64_t armtap_primary_integer(enum armtap_primary_wire wire, const uint8_t *bytes)
{
    switch (wire) {
    case ARMTAP_WIRE_BOOL:
        return *bytes != 0;
    case ARMTAP_WIRE_INT8:
        return (int8_t)*bytes;
    case ARMTAP_WIRE_UINT8:
        return *bytes;
    case ARMTAP_WIRE_INT16:
        return (int16_t)armtap_be16(bytes);
    case ARMTAP_WIRE_UINT16:
        return armtap_be16(bytes);
    case ARMTAP_WIRE_INT32:
        return (int32_t)armtap_be32(bytes);
    case ARMTAP_WIRE_UINT32:
        return armtap_be32(bytes);
    default:
        return (int64_t)armtap_be64(bytes);
    }
}

size_t armtap_primary_row_end(const struct armtap_primary_row *row)
{
    return row->offset + (row->count - 1u) * (size_t)row->stride +
           armtap_primary_wire_width((enum armtap_primary_wire)row->wire);
}

size_t armtap_primary_rows_of(size_t i)
{
    return (i + 1 < ARMTAP_PRIMARY_LAYOUTS ? layouts[i + 1].first : (size_t)ROWS) - layouts[i].first;
}

size_t armtap_primary_rows_within(size_t i, size_t length)
{
    size_t count = armtap_primary_rows_of(i), within = 0;
    while (within < count && armtap_primary_row_end(&rows[layouts[i].first + within]) <= length)
        within++;
    return within;
}

const struct armtap_primary_layout *armtap_primary_layout_named(uint8_t type)
{
    for (size_t i = 0; i < ARMTAP_PRIMARY_LAYOUTS; i++)
        if (layouts[i].type == type)
            return &layouts[i];
    return NULL;
}

static bool fits(const struct armtap_primary_layout *layout, const uint8_t *subpackage, size_t length,
                 enum armtap_generation generation)
{
    bool is_of_generation = layout->generation == ARMTAP_GENERATION_ANY || layout->generation == generation;
    return is_of_generation && length >= layout->least && length <= layout->most &&
           (layout->flag == 0 || subpackage[layout->flag] != 0);
}

size_t armtap_primary_layouts_of(const uint8_t *subpackage, size_t length, enum armtap_generation generation,
                                 uint8_t found[ARMTAP_PRIMARY_PARTS])
{
    size_t count = 0;
    for (size_t i = 0; i < ARMTAP_PRIMARY_LAYOUTS && count < ARMTAP_PRIMARY_PARTS; i++)
        if (layouts[i].type == subpackage[4] && layouts[i].part == count &&
            fits(&layouts[i], subpackage, length, generation))
            found[count++] = (uint8_t)i;
    return count;
}

enum armtap_generation armtap_primary_generation(size_t length)
{
    return length <= LARGEST_CB2_MODE ? ARMTAP_GENERATION_CB2 : ARMTAP_GENERATION_CB3E;
}
