/* Tables of the primary interface: messages, sub-packages, robot messages, and the numbers in them. */
#include "tables.h"

#include <string.h>

#include "primary_layout.h"

#define MESSAGE_BODY 15u /* of a robot message: length, type, clock, source, type */
#define ARMTAP_GENERATION_ANY ARMTAP_GENERATION_UNKNOWN

static const char *const wire_names[] = {
    [ARMTAP_WIRE_BOOL] = "bool",     [ARMTAP_WIRE_INT8] = "int8",     [ARMTAP_WIRE_UINT8] = "uint8",
    [ARMTAP_WIRE_INT16] = "int16",   [ARMTAP_WIRE_UINT16] = "uint16", [ARMTAP_WIRE_INT32] = "int32",
    [ARMTAP_WIRE_UINT32] = "uint32", [ARMTAP_WIRE_UINT64] = "uint64", [ARMTAP_WIRE_FLOAT] = "float",
    [ARMTAP_WIRE_DOUBLE] = "double", [ARMTAP_WIRE_SPAN] = "text",     [ARMTAP_WIRE_REST] = "text to the end",
};

void put_primary_messages(FILE *to)
{
    fputs("| type | message |\n|---:|---|\n", to);
#define MESSAGE(type, name) fprintf(to, "| %d | %s |\n", type, name);
#include "primary_messages.def"
}

/* ---- sizes of sub-packages ---- */

enum flag { PLAIN, EUROMAP };
static const struct size {
    unsigned type;
    enum armtap_generation generation;
    enum flag flag;
    unsigned bytes;
    const char *software;
} sizes[] = {
#define SIZE(type, generation, flag, bytes, software) {type, ARMTAP_GENERATION_##generation, flag, bytes, software},
#include "primary_sizes.def"
};
#define SIZES (sizeof sizes / sizeof *sizes)

static bool fits(const struct armtap_primary_layout *layout, const struct size *size, enum armtap_generation generation)
{
    return layout->type == size->type && size->bytes >= layout->least && size->bytes <= layout->most &&
           (layout->flag == 0 || size->flag == EUROMAP) &&
           (layout->generation == ARMTAP_GENERATION_UNKNOWN || layout->generation == generation) &&
           (size->generation == ARMTAP_GENERATION_UNKNOWN || size->generation == generation);
}

/* Whether sub-packages of a size have a layout: none before it for the same part fits them. */
static bool has_layout_of(const struct size *size, size_t layout, enum armtap_generation generation)
{
    const struct armtap_primary_layout *its = armtap_primary_layout_at(layout);
    for (size_t i = 0; i < layout; i++)
        if (armtap_primary_layout_at(i)->part == its->part && fits(armtap_primary_layout_at(i), size, generation))
            return false;
    return fits(its, size, generation);
}

/* UR's name of sub-packages of a size: that of the layout that they have. */
static const char *name_of_size(const struct size *size)
{
    enum armtap_generation generation =
        size->generation == ARMTAP_GENERATION_UNKNOWN ? ARMTAP_GENERATION_CB3E : size->generation;
    size_t i = 0;
    while (!has_layout_of(size, i, generation))
        i++;
    return armtap_primary_layout_at(i)->name;
}

void put_primary_sizes(FILE *to)
{
    fputs("| type | name | bytes | software | only if |\n|---:|---|---:|---|---|\n", to);
    for (size_t i = 0; i < SIZES; i++)
        fprintf(to, "| %u | %s | %u | %s | %s |\n", sizes[i].type, name_of_size(&sizes[i]), sizes[i].bytes,
                sizes[i].software, sizes[i].flag == EUROMAP ? "Euromap67 is installed" : "");
}

/* The smallest size with a row of a layout, in sub-packages of a generation: bytes; 0 if none has it. */
static unsigned least_size(const struct armtap_primary_row *row, size_t layout, enum armtap_generation generation)
{
    unsigned least = 0;
    for (size_t i = 0; i < SIZES; i++)
        if (has_layout_of(&sizes[i], layout, generation) && sizes[i].bytes >= armtap_primary_row_end(row) &&
            (least == 0 || sizes[i].bytes < least))
            least = sizes[i].bytes;
    return least;
}

/* ---- sub-packages ---- */

/* What a value becomes besides a number of its field. */
static void put_conversion(FILE *to, const struct armtap_primary_row *row, size_t number)
{
    switch ((enum armtap_primary_conversion)row->conversion) {
    case ARMTAP_CONVERT_SAME:
    case ARMTAP_CONVERT_SECONDS: /* its unit says so */
    case ARMTAP_CONVERT_TOOL_8:  /* and its meaning */
        break;
    case ARMTAP_CONVERT_MODE:
        fputs("; 255 is -1", to);
        break;
    default:
        while (armtap_primary_row_at(number)->conversion < ARMTAP_CONVERT_BIT_0 ||
               !*armtap_primary_row_at(number)->field)
            number++;
        fprintf(to, "not 0: bit %d of `%s`", row->conversion - ARMTAP_CONVERT_BIT_0,
                armtap_primary_row_at(number)->field);
    }
}

static bool is_of(const struct armtap_primary_layout *layout, unsigned type, enum armtap_generation generation)
{
    return layout->type == type &&
           (layout->generation == ARMTAP_GENERATION_UNKNOWN || layout->generation == generation);
}

/* Which sub-packages of its type and generation a layout describes a part of. */
static void put_condition(FILE *to, const struct armtap_primary_layout *layout, enum armtap_generation generation)
{
    if (layout->least == layout->most) {
        fprintf(to, "%u bytes", (unsigned)layout->least);
        return;
    }
    if (layout->flag > 0)
        fprintf(to, "byte %u is not 0", layout->flag);
    else if (layout->least > ARMTAP_SUBPACKAGE_HEADER)
        fprintf(to, "%u bytes or more", (unsigned)layout->least);
    /* One before it for the same part takes the others. */
    const struct armtap_primary_layout *before;
    for (size_t i = 0; (before = armtap_primary_layout_at(i)) != layout; i++)
        if (before->part != layout->part || before->least == before->most || !is_of(before, layout->type, generation))
            continue;
        else if (before->flag > 0)
            fprintf(to, "byte %u is 0", before->flag);
        else
            fprintf(to, "less than %u bytes", (unsigned)before->least);
}

static void put_subpackage_row(FILE *to, size_t number, const struct armtap_primary_layout *layout,
                               enum armtap_generation generation, unsigned size)
{
    const struct armtap_primary_row *row = armtap_primary_row_at(number);
    const struct armtap_field *field = armtap_field_find(row->field, strlen(row->field));
    enum armtap_primary_wire wire = (enum armtap_primary_wire)row->wire;
    fprintf(to, "| %u | ", row->offset);
    put_type(to, wire_names[wire], row->count);
    if (row->count > 1 && row->stride != armtap_primary_wire_width(wire))
        fprintf(to, ", %u bytes apart", row->stride);
    fprintf(to, " | %s | ", row->name);
    put_code(to, row->field);
    fprintf(to, " | %s | ", row->conversion == ARMTAP_CONVERT_SECONDS ? "us" : field ? field->unit : "");
    put_condition(to, layout, generation);
    fprintf(to, " | %u | ", size);
    if (field && row->conversion < ARMTAP_CONVERT_BIT_0)
        put_cell(to, field->meaning);
    put_conversion(to, row, number);
    fputs(" |\n", to);
}

/* Whether a type has a layout for that generation alone. */
static bool has_layout(unsigned type, enum armtap_generation generation)
{
    const struct armtap_primary_layout *layout;
    for (size_t i = 0; (layout = armtap_primary_layout_at(i)); i++)
        if (layout->type == type && layout->generation == generation)
            return true;
    return false;
}

/* The sub-packages of a type that controllers of a generation send: the fields that some size has. */
static void put_subpackage(FILE *to, unsigned type, enum armtap_generation generation)
{
    const struct armtap_primary_layout *layout;
    size_t rows = 0;
    for (size_t i = 0; (layout = armtap_primary_layout_at(i)); i++)
        for (size_t k = 0; is_of(layout, type, generation) && k < armtap_primary_rows_of(i); k++) {
            unsigned size = least_size(armtap_primary_row_at(layout->first + k), i, generation);
            if (size == 0)
                continue;
            if (rows++ == 0)
                fputs("| offset | type | UR's name | armtap's name | unit | only if | from | meaning |\n"
                      "|---:|---|---|---|---|---|---:|---|\n",
                      to);
            put_subpackage_row(to, layout->first + k, layout, generation, size);
        }
    if (rows == 0)
        fputs("Its fields are not known.\n", to);
}

/* UR's names of the sub-packages of a type that controllers of a generation send. */
static void put_names(FILE *to, unsigned type, enum armtap_generation generation)
{
    const char *last = "";
    const struct armtap_primary_layout *layout;
    for (size_t i = 0; (layout = armtap_primary_layout_at(i)); i++)
        if (is_of(layout, type, generation) && strcmp(layout->name, last) != 0) {
            fprintf(to, "%s%s", *last ? ", " : "", layout->name);
            last = layout->name;
        }
}

void put_primary_subpackages(FILE *to)
{
    static const enum armtap_generation both[] = {ARMTAP_GENERATION_CB3E, ARMTAP_GENERATION_CB2};
    const char *before = "";
    for (unsigned type = 0; type <= UINT8_MAX; type++) {
        const struct armtap_primary_layout *layout = armtap_primary_layout_named((uint8_t)type);
        bool differs = has_layout(type, both[0]) || has_layout(type, both[1]);
        for (size_t k = 0; layout && k < (differs ? 2 : 1); k++) {
            fprintf(to, "%s### Sub-package %u: ", before, type);
            put_names(to, type, both[k]);
            fprintf(to, "%s%s\n\n", differs ? " of " : "", differs ? generation_words(both[k]) : "");
            put_subpackage(to, type, both[k]);
            before = "\n";
        }
    }
}

/* ---- robot messages ---- */

static const struct part {
    int type;
    enum armtap_generation generation;
    enum armtap_primary_wire wire;
    const char *name;
} parts[] = {
#define PART(type, generation, wire, name, member) {type, ARMTAP_GENERATION_##generation, ARMTAP_WIRE_##wire, name},
#include "primary_messages.def"
};
#define PARTS (sizeof parts / sizeof *parts)

static const struct robot_message {
    int type;
    const char *name;
    bool repeats;
} robot_messages[] = {
#define ONCE false
#define REPEATED true
#define ROBOT_MESSAGE(type, name, kind, often) {type, name, often},
#include "primary_messages.def"
};
#define ROBOT_MESSAGES (sizeof robot_messages / sizeof *robot_messages)

static bool has_generation(int type, enum armtap_generation generation)
{
    for (size_t i = 0; i < PARTS; i++)
        if (parts[i].type == type && parts[i].generation == generation)
            return true;
    return false;
}

/* The parts of a message in a generation, with their offsets as long as these are fixed. */
static void put_parts(FILE *to, int type, enum armtap_generation generation)
{
    unsigned offset = MESSAGE_BODY;
    bool is_fixed = true;
    fputs("| offset | type | UR's name |\n|---:|---|---|\n", to);
    for (size_t i = 0; i < PARTS; i++) {
        if (parts[i].type != type ||
            (parts[i].generation != ARMTAP_GENERATION_UNKNOWN && parts[i].generation != generation))
            continue;
        if (is_fixed)
            fprintf(to, "| %u", offset);
        else
            fputs("| then", to);
        fprintf(to, " | %s | %s |\n", wire_names[parts[i].wire], parts[i].name);
        is_fixed = is_fixed && parts[i].wire < ARMTAP_WIRE_SPAN;
        offset += (unsigned)(parts[i].wire < ARMTAP_WIRE_SPAN ? armtap_primary_wire_width(parts[i].wire) : 0);
    }
}

void put_primary_robot_messages(FILE *to)
{
    static const enum armtap_generation both[] = {ARMTAP_GENERATION_CB3E, ARMTAP_GENERATION_CB2};
    for (size_t i = 0; i < ROBOT_MESSAGES; i++) {
        int type = robot_messages[i].type;
        bool differs = has_generation(type, ARMTAP_GENERATION_CB2) || has_generation(type, ARMTAP_GENERATION_CB3E);
        for (size_t k = 0; k < (differs ? 2 : 1); k++) {
            fprintf(to, "%s### Robot message %d: %s%s%s\n\n", i + k > 0 ? "\n" : "", type, robot_messages[i].name,
                    differs ? " of " : "", differs ? generation_words(both[k]) : "");
            put_parts(to, type, both[k]);
        }
        if (robot_messages[i].repeats)
            fputs("\nThese parts repeat until the message ends.\n", to);
    }
}

/* ---- numbers ---- */

void put_primary_levels(FILE *to)
{
    fputs("| level | name |\n|---:|---|\n", to);
#define REPORT_LEVEL(number, name) fprintf(to, "| %d | %s |\n", number, name);
#include "primary_messages.def"
}

void put_primary_sources(FILE *to)
{
    fputs("| source | name |\n|---:|---|\n", to);
#define SOURCE(number, name) fprintf(to, "| %d | %s |\n", number, name);
#include "primary_sources.def"
}

enum { UNTIL_3_2, FROM_3_3, FROM_5_9, NUMBERINGS };
static const struct value_type {
    int numbering, number;
    const char *name;
} value_types[] = {
#define VALUE_TYPE(numbering, number, name, form) {numbering, number, name},
#include "primary_value_types.def"
};
#define VALUE_TYPES (sizeof value_types / sizeof *value_types)

/* The type that has a number in a numbering; NULL if none has. */
static const char *value_type_in(int numbering, int number)
{
    for (size_t i = 0; i < VALUE_TYPES; i++)
        if (value_types[i].numbering == numbering && value_types[i].number == number)
            return value_types[i].name;
    return NULL;
}

void put_primary_value_types(FILE *to)
{
    int most = 0;
    for (size_t i = 0; i < VALUE_TYPES; i++)
        most = value_types[i].number > most ? value_types[i].number : most;
    fputs("| number | until 3.2 | 3.3 to 3.13, 5.0 to 5.8 | from 3.14, 5.9 |\n|---:|---|---|---|\n", to);
    for (int number = 0; number <= most; number++) {
        const char *names[NUMBERINGS];
        bool any = false;
        for (int k = 0; k < NUMBERINGS; k++) {
            names[k] = value_type_in(k, number);
            any = any || names[k];
        }
        if (!any)
            continue;
        fprintf(to, "| %d |", number);
        for (int k = 0; k < NUMBERINGS; k++)
            fprintf(to, " %s |", names[k] ? names[k] : "");
        fputc('\n', to);
    }
}
