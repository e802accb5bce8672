/* Tables of RTDE: messages, types, variables; of named values and of error codes. */
#include "tables.h"

#include <inttypes.h>
#include <string.h>

#define REGISTER_DIGITS "0123456789"

static const char *bound_words(unsigned least, unsigned most, char *room, size_t size)
{
    if (least == most)
        snprintf(room, size, "%u", least);
    else if (most == UINT16_MAX)
        snprintf(room, size, "%u or more", least);
    else
        snprintf(room, size, "%u to %u", least, most);
    return room;
}

void put_rtde_messages(FILE *to)
{
    static const struct {
        int type;
        const char *name;
        unsigned bytes[4];
    } messages[] = {
#define MESSAGE(type, name, ...) {type, name, {__VA_ARGS__}},
#include "rtde_messages.def"
    };
    char room[2][32];
    fputs("| type | letter | package | bytes to the robot | bytes from the robot |\n|---:|---|---|---|---|\n", to);
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        fprintf(to, "| %d | %c | %s | %s | %s |\n", messages[i].type, messages[i].type, messages[i].name,
                bound_words(messages[i].bytes[0], messages[i].bytes[1], room[0], sizeof room[0]),
                bound_words(messages[i].bytes[2], messages[i].bytes[3], room[1], sizeof room[1]));
}

void put_rtde_types(FILE *to)
{
    static const struct {
        const char *name;
        enum armtap_type type;
        unsigned count;
    } types[] = {
#define RTDE_TYPE(name, type, count) {name, ARMTAP_##type, count},
#include "table/types.def"
    };
    fputs("| type | bytes | elements |\n|---|---:|---:|\n", to);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        fprintf(to, "| %s | %zu | %u |\n", types[i].name, armtap_type_width(types[i].type) * types[i].count,
                types[i].count);
}

/* ---- variables ---- */

static size_t stem_of(const struct armtap_field *field)
{
    size_t length = strlen(field->name);
    while (length > 0 && strchr(REGISTER_DIGITS, field->name[length - 1]))
        length--;
    return length;
}

/* Whether a field differs from one in its number alone. */
static bool is_alike(const struct armtap_field *one, const struct armtap_field *field)
{
    return stem_of(one) == stem_of(field) && memcmp(one->name, field->name, stem_of(one)) == 0 &&
           one->name[stem_of(one)] && one->direction == field->direction && one->type == field->type &&
           one->count == field->count && strcmp(one->unit, field->unit) == 0 && strcmp(one->since, field->since) == 0 &&
           strcmp(one->meaning, field->meaning) == 0;
}

static void put_variables(FILE *to, enum armtap_field_direction direction)
{
    fputs("| name | type | unit | since | meaning |\n|---|---|---|---|---|\n", to);
    for (size_t i = 0; i < armtap_field_count(); i++) {
        const struct armtap_field *first = armtap_field_at(i), *last = first;
        if ((first->direction & direction) == 0)
            continue;
        while (i + 1 < armtap_field_count() && is_alike(first, armtap_field_at(i + 1)))
            last = armtap_field_at(++i);
        fputs("| ", to);
        put_code(to, first->name);
        if (last != first)
            fprintf(to, " to `%s`", last->name);
        fprintf(to, " | %s | %s | %s | ", armtap_type_name(first->type, first->count), first->unit, first->since);
        put_cell(to, first->meaning);
        fputs(" |\n", to);
    }
}

void put_rtde_outputs(FILE *to)
{
    put_variables(to, ARMTAP_FIELD_OUTPUT);
}

void put_rtde_inputs(FILE *to)
{
    put_variables(to, ARMTAP_FIELD_INPUT);
}

/* ---- named values ---- */

/* The name of a number, or of a bit, in a generation; NULL if it has none. */
static const char *name_in(const struct armtap_field *field, int64_t value, enum armtap_generation generation)
{
    const struct armtap_enum_value *row;
    for (size_t i = 0; (row = armtap_enum_at(field, i)); i++)
        if (row->value == value && (row->generation == generation || (row->generation == ARMTAP_GENERATION_UNKNOWN &&
                                                                      generation != ARMTAP_GENERATION_AUBO)))
            return row->name;
    return NULL;
}

/* The range of the numbers of a field in some generations; whether two of them name a number differently. */
static bool range_of(const struct armtap_field *field, unsigned generations, int64_t *least, int64_t *most)
{
    bool differs = false;
    const struct armtap_enum_value *row;
    *least = INT64_MAX, *most = INT64_MIN;
    for (size_t i = 0; (row = armtap_enum_at(field, i)); i++) {
        if (row->generation != ARMTAP_GENERATION_UNKNOWN && (generations >> row->generation & 1) == 0)
            continue;
        if (row->generation == ARMTAP_GENERATION_UNKNOWN && generations == 1u << ARMTAP_GENERATION_AUBO)
            continue;
        differs |= row->generation != ARMTAP_GENERATION_UNKNOWN;
        *least = row->value < *least ? row->value : *least;
        *most = row->value > *most ? row->value : *most;
    }
    return differs;
}

static bool has_names(const struct armtap_field *field, enum armtap_generation generation)
{
    const struct armtap_enum_value *row;
    for (size_t i = 0; (row = armtap_enum_at(field, i)); i++)
        if (row->generation == generation)
            return true;
    return false;
}

static void put_enum(FILE *to, const struct armtap_field *field, unsigned generations)
{
    int64_t least, most;
    unsigned both = 1u << ARMTAP_GENERATION_CB2 | 1u << ARMTAP_GENERATION_CB3E;
    bool differs = range_of(field, generations, &least, &most) && (generations & both) == both &&
                   has_names(field, ARMTAP_GENERATION_CB2) && has_names(field, ARMTAP_GENERATION_CB3E);
    fprintf(to, "| %s | %s |\n|---:|---|%s\n", armtap_enum_at(field, 0)->is_bit ? "bit" : "value",
            differs ? "CB2 | CB3, e-Series" : "name", differs ? "---|" : "");
    for (int64_t value = least; value <= most; value++) {
        enum armtap_generation only = generations & both ? ARMTAP_GENERATION_CB3E : ARMTAP_GENERATION_AUBO;
        const char *old = name_in(field, value, ARMTAP_GENERATION_CB2), *name = name_in(field, value, only);
        if (!differs && !name && generations & 1u << ARMTAP_GENERATION_CB2)
            name = old;
        if (differs && (old || name))
            fprintf(to, "| %" PRId64 " | %s | %s |\n", value, old ? old : "", name ? name : "");
        else if (name)
            fprintf(to, "| %" PRId64 " | %s |\n", value, name);
    }
}

/* The fields that share a field's names, from it on; whether one before it does. */
static bool is_again(const struct armtap_field *field, bool (*takes)(const struct armtap_field *field))
{
    for (size_t i = 0; i < field->id; i++)
        if (takes(armtap_field_at(i)) && armtap_enum_at(armtap_field_at(i), 0) == armtap_enum_at(field, 0))
            return true;
    return false;
}

void put_enums(FILE *to, bool (*takes)(const struct armtap_field *field), unsigned generations)
{
    bool is_first = true;
    for (size_t i = 0; i < armtap_field_count(); i++) {
        const struct armtap_field *field = armtap_field_at(i);
        int64_t least, most;
        if (!armtap_enum_at(field, 0) || !takes(field) || is_again(field, takes))
            continue;
        range_of(field, generations, &least, &most);
        if (least > most)
            continue;
        fprintf(to, "%s### %s of %s", is_first ? "" : "\n", armtap_enum_at(field, 0)->is_bit ? "Bits" : "Values",
                field->name);
        for (size_t k = i + 1; k < armtap_field_count(); k++)
            if (takes(armtap_field_at(k)) && armtap_enum_at(armtap_field_at(k), 0) == armtap_enum_at(field, 0))
                fprintf(to, ", %s", armtap_field_at(k)->name);
        fputs("\n\n", to);
        put_enum(to, field, generations);
        is_first = false;
    }
}

static bool is_variable(const struct armtap_field *field)
{
    return (field->direction & ARMTAP_FIELD_BOTH) != 0;
}

void put_rtde_enums(FILE *to)
{
    put_enums(to, is_variable, 1u << ARMTAP_GENERATION_CB3E);
}

static bool is_primary(const struct armtap_field *field)
{
    return field->direction == ARMTAP_FIELD_PRIMARY;
}

void put_primary_enums(FILE *to)
{
    put_enums(to, is_primary, 1u << ARMTAP_GENERATION_CB2 | 1u << ARMTAP_GENERATION_CB3E);
}

void put_aubo_enums(FILE *to)
{
    put_enums(to, is_variable, 1u << ARMTAP_GENERATION_AUBO);
}

/* ---- errors ---- */

void put_errors(FILE *to)
{
    const struct armtap_robot_error *error;
    const struct armtap_robot_error_argument *argument;
    size_t k = 0;
    fputs("| code | error | where to look |\n|---|---|---|\n", to);
    for (size_t i = 0; (error = armtap_robot_error_at(i)); i++) {
        fprintf(to, "| **C%" PRId32 "** | **", error->code);
        put_cell(to, error->title);
        fputs("** | ", to);
        put_cell(to, error->advice);
        fputs(" |\n", to);
        for (; (argument = armtap_robot_error_argument_at(k)) && argument->code == error->code; k++) {
            fprintf(to, "| C%" PRId32 "A%" PRId32 " | ", error->code, argument->argument);
            put_cell(to, argument->meaning);
            if (argument->joint >= 0)
                fprintf(to, "%s%s", *argument->meaning ? ": " : "", armtap_joint_name(argument->joint));
            fputs(" | |\n", to);
        }
    }
}
