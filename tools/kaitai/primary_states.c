/* States of the primary interface: sub-packages, whose layouts are types of their own. */
#include <string.h>

#include "kaitai.h"

/* Bytes of a sub-package's head: uint32 length, uint8 kind. The tables' offsets count from its first byte. */
#define HEADER 5u
#define CONDITION_MAX 384
enum conversion { SAME, SECONDS, MODE, TOOL_8, BIT_0, BIT_1, BIT_2, BIT_3 };

#define LAYOUT(layout, ...) LAYOUT_##layout,
enum layout_number {
#include "../../decoders/primary_layouts.def"
    LAYOUTS
};

#define ANY_SIZE UINT32_MAX
static const struct layout {
    const char *id, *title;
    unsigned type, part, flag; /* flag: the offset of a byte that must not be 0; 0: none */
    enum armtap_generation generation;
    uint32_t least, most;
} layouts[] = {
#define LAYOUT(layout, type, part, title, generation, least, most, flag)                                               \
    {#layout, title, type, part, flag, ARMTAP_GENERATION_##generation, least, most},
#include "../../decoders/primary_layouts.def"
};

static const struct row {
    enum layout_number layout;
    const char *type;
    unsigned width, offset, count, stride;
    const char *name, *field; /* UR's name; "": not a field */
    enum conversion conversion;
} rows[] = {
#define ROW(layout, wire, offset, count, stride, name, field, conversion)                                              \
    {LAYOUT_##layout, WIRE_##wire, offset, count, stride, name, field, conversion},
#include "../../decoders/primary_layouts.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

const char *primary_condition(enum armtap_generation generation)
{
    if (generation == ARMTAP_GENERATION_UNKNOWN)
        return NULL;
    return generation == ARMTAP_GENERATION_CB2 ? "_root.is_cb2" : "not _root.is_cb2";
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static unsigned end_of(const struct row *row)
{
    return row->offset + (row->count - 1) * row->stride + row->width;
}

static const struct armtap_field *field_of(const struct row *row)
{
    return armtap_field_find(row->field, strlen(row->field));
}

/* Whether other rows lie between its elements: a joint's values, then those of the next joint. */
static bool is_interleaved(const struct row *row)
{
    return row->count > 1 && row->stride > row->width;
}

/* Rows that together are an array: from this one on, of a layout's rows up to `end`. */
static const struct row *group_end(const struct row *row, const struct row *end)
{
    const struct row *last = row + 1;
    if (is_interleaved(row))
        while (last < end && is_interleaved(last) && last->offset < row->offset + row->stride)
            last++;
    return last;
}

/* The field's name, or else UR's, with a number if it is not the first of that name. */
static void row_name(char id[KSY_ID_MAX], const struct row *row)
{
    unsigned number = 1;
    bool is_field = row->field[0] != '\0' && row->conversion < BIT_0;
    for (const struct row *before = rows; !is_field && before < row; before++)
        number += before->layout == row->layout && before->field[0] == '\0' && strcmp(before->name, row->name) == 0;
    ksy_numbered_id(id, is_field ? row->field : row->name, number);
}

/* What is on the wire has a name of its own where the field's value is another. */
static bool is_raw(const struct row *row)
{
    return row->conversion == SECONDS || row->conversion == MODE || row->conversion == TOOL_8;
}

static void write_row(struct ksy *ksy, const struct row *row, unsigned count, const char *condition)
{
    char name[KSY_ID_MAX], id[KSY_ID_MAX + 8];
    const struct armtap_field *field = field_of(row);
    row_name(name, row);
    snprintf(id, sizeof id, "%s%s", name, is_raw(row) ? "_raw" : "");
    ksy_attribute(ksy, &(struct ksy_attribute){.id = id,
                                               .type = row->type,
                                               .count = count,
                                               .condition = condition,
                                               .field = row->conversion < BIT_0 ? field : NULL,
                                               .name = row->name});
}

/* ---- what is computed of a row ----------------------------------------------------------------------------------- */

/* Bits that single bytes of the layout hold, up to this one. */
static void bits_value(char *value, size_t room, const struct row *row)
{
    char name[KSY_ID_MAX];
    size_t length = 0;
    for (const struct row *one = rows; one <= row && length < room; one++)
        if (one->layout == row->layout && one->conversion >= BIT_0) {
            row_name(name, one);
            length += (size_t)snprintf(value + length, room - length, "%s(%s != 0 ? %d : 0)", length > 0 ? " | " : "",
                                       name, 1 << (one->conversion - BIT_0));
        }
}

static void write_conversion(struct ksy *ksy, const struct row *row, const char *condition)
{
    char id[KSY_ID_MAX], value[8 * KSY_ID_MAX];
    ksy_id(id, row->field);
    switch (row->conversion) {
    case SAME:
        return;
    case SECONDS:
        snprintf(value, sizeof value, "%s_raw / 1000000.0", id);
        break;
    case MODE:
        snprintf(value, sizeof value, "%s_raw - (%s_raw == 255 ? 256 : 0)", id, id);
        break;
    case TOOL_8: /* the tool's two bits behind those of the box */
        snprintf(value, sizeof value, "(%s_raw & 0xfcff) | ((%s_raw & 0x300) << 8)", id, id);
        break;
    default:
        if (row->field[0] == '\0')
            return;
        bits_value(value, sizeof value, row);
    }
    ksy_value(ksy, id, value, NULL, condition);
}

/* Whether a layout that both generations have shows numbers that they name differently. */
static bool is_split(const struct row *row)
{
    return layouts[row->layout].generation == ARMTAP_GENERATION_UNKNOWN && ksy_has_cb2_enum(field_of(row));
}

/* Whether the numbers of a row have names in that generation, which are not the other one's. */
static bool has_names(const struct row *row, enum armtap_generation generation)
{
    const struct armtap_field *field = field_of(row);
    enum armtap_generation of = layouts[row->layout].generation;
    if (!field || !ksy_has_enum(field, generation))
        return false;
    return of == generation || (of == ARMTAP_GENERATION_UNKNOWN && generation == ARMTAP_GENERATION_CB3E) ||
           is_split(row);
}

static void write_names(struct ksy *ksy, const struct row *row, const char *condition)
{
    static const enum armtap_generation generations[] = {ARMTAP_GENERATION_CB2, ARMTAP_GENERATION_CB3E};
    char joined[2 * CONDITION_MAX];
    for (size_t i = 0; i < 2; i++) {
        if (!has_names(row, generations[i]))
            continue;
        const char *own = is_split(row) ? primary_condition(generations[i]) : NULL;
        snprintf(joined, sizeof joined, "%s%s%s", condition ? condition : "", condition && own ? " and " : "",
                 own ? own : "");
        ksy_field_name(ksy, field_of(row), generations[i], "", joined[0] != '\0' ? joined : NULL);
    }
}

/* ---- layouts ----------------------------------------------------------------------------------------------------- */

/* The condition that a sub-package has all of a row. */
static void row_condition(char condition[CONDITION_MAX], const struct row *row)
{
    snprintf(condition, CONDITION_MAX, "_io.size >= %u", end_of(row) - HEADER);
}

/* The array that begins with this row, whose elements are joints: "joints", "joints_2"; their type:
 * "configuration_joint_2". */
static void group_names(char id[KSY_ID_MAX], char type[KSY_ID_MAX], const struct row *row)
{
    unsigned number = 1;
    char suffix[16] = "";
    const struct row *one = row;
    while (one > rows && one[-1].layout == row->layout)
        one--;
    for (; one < row; one = group_end(one, row))
        number += is_interleaved(one);
    if (number > 1)
        snprintf(suffix, sizeof suffix, "_%u", number);
    snprintf(id, KSY_ID_MAX, "joints%s", suffix);
    snprintf(type, KSY_ID_MAX, "%.60s_joint%s", layouts[row->layout].id, suffix);
}

static void write_group_type(struct ksy *ksy, const struct row *row, const struct row *end)
{
    char id[KSY_ID_MAX], type[KSY_ID_MAX];
    group_names(id, type, row);
    ksy_type(ksy, type, "");
    for (const struct row *one = row; one < end; one++)
        write_row(ksy, one, 1, NULL);
    for (const struct row *one = row; one < end; one++)
        write_names(ksy, one, NULL);
}

static void write_group(struct ksy *ksy, const struct row *row, const struct row *end)
{
    char type[KSY_ID_MAX], id[KSY_ID_MAX], condition[CONDITION_MAX];
    group_names(id, type, row);
    row_condition(condition, end - 1);
    ksy_attribute(ksy, &(struct ksy_attribute){.id = id, .type = type, .count = row->count, .condition = condition});
}

static void write_layout(struct ksy *ksy, const struct layout *layout, const struct row *first, const struct row *end)
{
    char id[KSY_ID_MAX], condition[CONDITION_MAX];
    snprintf(id, sizeof id, "%.80s_part", layout->id);
    ksy_type(ksy, id, layout->title);
    for (const struct row *row = first; row < end; row = group_end(row, end)) {
        row_condition(condition, row);
        if (is_interleaved(row))
            write_group(ksy, row, group_end(row, end));
        else
            write_row(ksy, row, row->count, condition);
    }
    for (const struct row *row = first; row < end; row = group_end(row, end)) {
        row_condition(condition, row);
        if (row->count == 1) {
            write_conversion(ksy, row, condition);
            write_names(ksy, row, condition);
        }
    }
}

static void write_layouts(struct ksy *ksy)
{
    const struct row *first = rows, *end;
    for (size_t i = 0; i < LAYOUTS; i++, first = end) {
        for (end = first; end < rows + ROWS && end->layout == i; end++)
            continue;
        if (end == first)
            continue;
        write_layout(ksy, &layouts[i], first, end);
        for (const struct row *row = first; row < end; row = group_end(row, end))
            if (is_interleaved(row))
                write_group_type(ksy, row, group_end(row, end));
    }
}

/* ---- sub-packages ------------------------------------------------------------------------------------------------ */

/* When a sub-package has this layout and none of those before it that describe the same part; "true": always. */
static void layout_condition(char condition[CONDITION_MAX], const struct layout *layout)
{
    char least[40] = "", most[40] = "", flag[40] = "";
    const char *of = primary_condition(layout->generation);
    if (layout->least > HEADER)
        snprintf(least, sizeof least, " and _io.size >= %u", layout->least - HEADER);
    if (layout->most != UINT32_MAX)
        snprintf(most, sizeof most, " and _io.size <= %u", layout->most - HEADER);
    if (layout->flag > 0)
        snprintf(flag, sizeof flag, " and flag_%u != 0", layout->flag);
    size_t length = (size_t)snprintf(condition, CONDITION_MAX, "%s%s%s%s", of ? of : "true", least, most, flag);
    for (const struct layout *one = layouts; one < layout && length < CONDITION_MAX; one++)
        if (one->type == layout->type && one->part == layout->part)
            length += (size_t)snprintf(condition + length, CONDITION_MAX - length, " and not is_%s", one->id);
}

static void write_condition(struct ksy *ksy, const struct layout *layout)
{
    char condition[CONDITION_MAX], id[KSY_ID_MAX];
    layout_condition(condition, layout);
    if (layout->flag > 0) {
        snprintf(id, sizeof id, "flag_%u:", layout->flag);
        ksy_instance(ksy, id);
        ksy_line(ksy, 2, "pos: %u", layout->flag - HEADER);
        ksy_line(ksy, 2, "type: u1");
        ksy_line(ksy, 2, "if: _io.size > %u", layout->flag - HEADER);
    }
    snprintf(id, sizeof id, "is_%s", layout->id);
    if (strcmp(condition, "true") != 0)
        ksy_value(ksy, id, condition, NULL, NULL);
}

/* The name of sub-packages of that type: of its last layout, which is today's. */
static const char *title_of(unsigned type)
{
    size_t i = LAYOUTS - 1;
    while (layouts[i].type != type)
        i--;
    return layouts[i].title;
}

static bool has_rows(size_t layout)
{
    const struct row *row = rows;
    while (row < rows + ROWS && row->layout != layout)
        row++;
    return row < rows + ROWS;
}

static void write_subpackage(struct ksy *ksy, size_t first)
{
    char id[KSY_ID_MAX], type[KSY_ID_MAX], condition[CONDITION_MAX], is_there[KSY_ID_MAX];
    unsigned kind = layouts[first].type;
    ksy_id(id, title_of(kind));
    ksy_type(ksy, id, title_of(kind));
    for (size_t i = first; i < LAYOUTS; i++) {
        if (layouts[i].type != kind || !has_rows(i))
            continue;
        layout_condition(condition, &layouts[i]);
        snprintf(type, sizeof type, "%.80s_part", layouts[i].id);
        snprintf(is_there, sizeof is_there, "is_%s", layouts[i].id);
        ksy_attribute(ksy, &(struct ksy_attribute){.id = layouts[i].id,
                                                   .type = type,
                                                   .count = 1,
                                                   .condition = strcmp(condition, "true") == 0 ? NULL : is_there});
    }
    ksy_rest(ksy, "rest");
    for (size_t i = first; i < LAYOUTS; i++)
        if (layouts[i].type == kind && has_rows(i))
            write_condition(ksy, &layouts[i]);
}

static bool is_first(size_t layout)
{
    size_t i = 0;
    while (layouts[i].type != layouts[layout].type)
        i++;
    return i == layout;
}

void primary_states(struct ksy *ksy)
{
    char id[KSY_ID_MAX], size[40];
    ksy_type(ksy, "robot_state", "A state: sub-packages.");
    ksy_seq(ksy, "- {id: sub_packages, type: sub_package, repeat: eos}");
    ksy_type(ksy, "sub_package", "A part of a state. Controllers differ in which they send, and how long these are.");
    ksy_seq(ksy, "- {id: len_sub_package, type: u4}");
    ksy_seq(ksy, "- {id: kind, type: u1}");
    snprintf(size, sizeof size, "len_sub_package - %u", HEADER);
    ksy_body(ksy, size);
    for (size_t i = 0; i < LAYOUTS; i++)
        if (is_first(i)) {
            ksy_id(id, title_of(layouts[i].type));
            ksy_case(ksy, layouts[i].type, id);
        }
    ksy_value(ksy, "kind_name", "kind", "sub_package_kind", NULL);
    for (size_t i = 0; i < LAYOUTS; i++)
        if (is_first(i))
            write_subpackage(ksy, i);
    write_layouts(ksy);
}

/* ---- enumerations ------------------------------------------------------------------------------------------------ */

static bool shows(const struct armtap_field *field, enum armtap_generation generation)
{
    for (const struct row *row = rows; row < rows + ROWS; row++)
        if (field_of(row) == field && has_names(row, generation))
            return true;
    return false;
}

void primary_state_enums(const struct ksy *ksy)
{
    ksy_enum(ksy, "sub_package_kind");
    for (size_t i = 0; i < LAYOUTS; i++)
        if (is_first(i))
            ksy_enum_value(ksy, layouts[i].type, title_of(layouts[i].type));
    for (size_t i = 0; i < armtap_field_count(); i++) {
        const struct armtap_field *field = armtap_field_at(i);
        bool is_shared = shows(field, ARMTAP_GENERATION_CB3E) && !ksy_has_cb2_enum(field);
        if (shows(field, ARMTAP_GENERATION_CB2) && !is_shared)
            ksy_field_enum(ksy, field, ARMTAP_GENERATION_CB2);
        if (shows(field, ARMTAP_GENERATION_CB3E))
            ksy_field_enum(ksy, field, ARMTAP_GENERATION_CB3E);
    }
}
