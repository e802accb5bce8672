/* A packet of the realtime interface: its length, then doubles, in the order of the columns of one of two layouts. */
#include "kaitai.h"

#include <string.h>

#include "base/process/message.h"

#define CELL 8u /* bytes */
#define CONDITION_MAX 40
#define VALUE_MAX (5 * KSY_ID_MAX)

/* A layout: the longest one of a generation, of which the packets of smaller sizes are the beginning. */
struct layout {
    const char *id, *about;
    enum armtap_generation generation;
    size_t size; /* of its longest packet */
    struct armtap_recipe *recipe;
};

static const char about[] =
    "One packet of Universal Robots' realtime interface (ports 30003 and 30013, the \"Matlab "
    "interface\"). Read one after the other from the same stream. Every number is a big-endian double. "
    "Fields that a shorter packet lacks are absent; bytes beyond the layout are in `rest`. A number's "
    "name is in NAME_name, in NAME_cb2_name where CB2 numbers differently. Kaitai does not look for the "
    "next packet after damaged bytes.";

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* Whether old controllers send an integer, not a double. */
static bool is_bits(const struct armtap_field *field)
{
    return field->type == ARMTAP_UINT64;
}

static void field_end(char condition[CONDITION_MAX], size_t offset, const struct armtap_field *field)
{
    snprintf(condition, CONDITION_MAX, "_io.size >= %zu", offset + CELL * field->count);
}

static void write_field(struct ksy *ksy, const struct armtap_field *field, size_t offset)
{
    char name[KSY_ID_MAX], id[KSY_ID_MAX + 8], condition[CONDITION_MAX];
    ksy_id(name, field->name);
    snprintf(id, sizeof id, "%s%s", name, is_bits(field) ? "_cell" : "");
    field_end(condition, offset, field);
    ksy_attribute(ksy, &(struct ksy_attribute){.id = id,
                                               .type = ksy_number(ARMTAP_DOUBLE, CELL),
                                               .count = field->count,
                                               .condition = condition,
                                               .field = field,
                                               .name = field->legacy_name[0] ? field->legacy_name : NULL});
}

/* Read as a double, an integer below 2^52 is 0 or denormal. */
static void write_bits(struct ksy *ksy, const char *name, size_t offset, const char *condition)
{
    char value[VALUE_MAX], line[KSY_ID_MAX + 8];
    snprintf(line, sizeof line, "%s_raw:", name);
    ksy_instance(ksy, line);
    ksy_line(ksy, 2, "pos: %zu", offset);
    ksy_line(ksy, 2, "type: s8");
    ksy_line(ksy, 2, "if: %s", condition);
    snprintf(value, sizeof value, "%s_raw >= 0 and %s_raw < 0x10000000000000 ? %s_raw : %s_cell.to_i", name, name, name,
             name);
    ksy_value(ksy, name, value, NULL, condition);
}

static void write_instance(struct ksy *ksy, const struct layout *layout, const struct armtap_field *field,
                           size_t offset)
{
    char name[KSY_ID_MAX], condition[CONDITION_MAX];
    ksy_id(name, field->name);
    field_end(condition, offset, field);
    if (is_bits(field))
        write_bits(ksy, name, offset, condition);
    else if (field->count == 1 && ksy_has_enum(field, layout->generation))
        ksy_field_name(ksy, field, layout->generation, ".to_i", condition);
}

/* In C# a type must not have the name of an attribute beside it. */
static void layout_type(char id[KSY_ID_MAX], const struct layout *layout)
{
    snprintf(id, KSY_ID_MAX, "%s_layout", layout->id);
}

static void write_layout(struct ksy *ksy, const struct layout *layout)
{
    const struct armtap_recipe_entry *entry;
    char id[KSY_ID_MAX];
    layout_type(id, layout);
    ksy_type(ksy, id, layout->about);
    for (size_t i = 0; (entry = armtap_recipe_at(layout->recipe, i)); i++)
        write_field(ksy, entry->field, entry->offset);
    ksy_rest(ksy, "rest");
    for (size_t i = 0; (entry = armtap_recipe_at(layout->recipe, i)); i++)
        write_instance(ksy, layout, entry->field, entry->offset);
}

/* Of what both layouts have, CB2's only where it differs. */
static void write_enums(const struct ksy *ksy, const struct layout *layout)
{
    const struct armtap_recipe_entry *entry;
    for (size_t i = 0; (entry = armtap_recipe_at(layout->recipe, i)); i++) {
        const struct armtap_field *field = entry->field;
        bool is_elsewhere = layout->generation == ARMTAP_GENERATION_CB2 && field->column_cb3e != 0;
        if (ksy_has_enum(field, layout->generation) && (!is_elsewhere || ksy_has_cb2_enum(field)))
            ksy_field_enum(ksy, field, layout->generation);
    }
}

/* ---- the description --------------------------------------------------------------------------------------------- */

/* CB2's if its fields lie in the columns of that layout. */
static bool is_cb2(const struct armtap_recipe *recipe)
{
    const struct armtap_recipe_entry *entry;
    for (size_t i = 0; (entry = armtap_recipe_at(recipe, i)); i++)
        if (entry->field->column_cb2 != 1 + entry->offset / CELL)
            return false;
    return true;
}

static void release(struct layout *layouts)
{
    for (size_t i = 0; i < 2; i++)
        armtap_recipe_release(layouts[i].recipe);
}

/* The longest packets of CB2, then of CB3 and e-Series; sizes ascend. */
static int find_layouts(struct layout *layouts)
{
    struct armtap_recipe *recipe;
    for (size_t i = 0, size; (size = armtap_realtime_size_at(i)) != 0; i++) {
        if (armtap_recipe_realtime(size, &recipe) != ARMTAP_OK) {
            release(layouts);
            return message_no_memory();
        }
        struct layout *layout = &layouts[is_cb2(recipe) ? 0 : 1];
        armtap_recipe_release(layout->recipe);
        layout->recipe = recipe;
        layout->size = size;
    }
    return 0;
}

static void write_packet(struct ksy *ksy, const struct layout *layouts)
{
    char condition[CONDITION_MAX], type[KSY_ID_MAX];
    ksy_attribute(ksy, &(struct ksy_attribute){.id = "len_packet", .type = "u4", .count = 1});
    for (size_t i = 0; i < 2; i++) {
        layout_type(type, &layouts[i]);
        snprintf(condition, sizeof condition, "len_packet %s %zu", i == 0 ? "<=" : ">", layouts[0].size);
        ksy_attribute(
            ksy, &(struct ksy_attribute){
                     .id = layouts[i].id, .type = type, .size = "len_packet - 4", .count = 1, .condition = condition});
    }
}

int kaitai_realtime(struct ksy *ksy)
{
    struct layout layouts[] = {
        {"cb2", "The layout of CB2's packets.", ARMTAP_GENERATION_CB2, 0, NULL},
        {"cb3e", "The layout of CB3's and e-Series' packets.", ARMTAP_GENERATION_CB3E, 0, NULL},
    };
    if (find_layouts(layouts) != 0)
        return -1;
    ksy_begin(ksy, "ur_realtime", "Universal Robots' realtime interface", about);
    write_packet(ksy, layouts);
    ksy_types(ksy);
    for (size_t i = 0; i < 2; i++)
        write_layout(ksy, &layouts[i]);
    ksy_enums(ksy);
    for (size_t i = 0; i < 2; i++)
        write_enums(ksy, &layouts[i]);
    release(layouts);
    return 0;
}
