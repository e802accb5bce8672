/* armtap fields: the table of fields. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/os/names.h"
#include "command_line/commands.h"
#include "base/text/field_bits.h"
#include "base/text/json_writer.h"
#include "input/files/recipe_file.h"
#include "kaitai/kaitai.h"
#include "recipe/recipe.h"
#include "base/process/message.h"
#include "base/text/nearest_word.h"
#include "command_line/options.h"
#include "base/terminal/fold.h"
#include "robot_errors.h"
#include "wire_names.h"
#include "inside.h"

struct fields {
    bool json, errors, names;
    const char *enumeration, *ranges;
    const char *recipe;             /* of RTDE data to describe */
    enum kaitai_wire wire;          /* to describe; NONE: fields are shown */
    enum armtap_generation counted; /* UNKNOWN: not given */
    /* The fields to show: */
    const char *pattern; /* by name; NULL: all */
    bool has_fields;     /* there are some in the dictionary */
    struct columns columns;
    enum armtap_generation generation; /* whose columns were given; UNKNOWN: select by name */
};

#define OPTIONS_STRUCT struct fields
static const struct option_row rows[] = {
#define OPTIONS_FIELDS
#include "command_line/options.def"
};

static const struct option_usage usage = {
    .command = "fields",
    .arguments = "[PATTERN]",
    .summary = "Lists the fields: name, RTDE type, unit, UR's gnuplot columns in the legacy layouts of CB2 and of "
               "CB3/e-Series, the software version that introduced it, and its meaning. PATTERN is part of a name, or "
               "a quoted glob; it also matches UR's names of the legacy rows, or, if no field matches, the names of "
               "External Control's messages and AUBO's topics.",
    .rows = rows,
    .examples = "  armtap fields tcp\n  armtap fields --columns \"32-37,86\"\n  armtap fields \"actual_*\" --json\n"
                "  armtap fields --enum robot_mode\n  armtap fields --error C204A3\n"};

/* ---- matching ---------------------------------------------------------------------------------------------------- */

static void to_lower(char *to, size_t room, const char *from)
{
    size_t i = 0;
    for (; from[i] != '\0' && i + 1 < room; i++)
        to[i] = from[i] >= 'A' && from[i] <= 'Z' ? (char)(from[i] - 'A' + 'a') : from[i];
    to[i] = '\0';
}

static bool matches(const char *pattern, const char *name)
{
    char wanted[256], lower[256];
    if (*name == '\0')
        return false;
    to_lower(wanted, sizeof wanted, pattern);
    to_lower(lower, sizeof lower, name);
    if (strpbrk(pattern, "*?["))
        return fnmatch(wanted, lower, 0) == 0;
    return strstr(lower, wanted) != NULL;
}

static bool has_column(const struct fields *fields, const struct armtap_field *field)
{
    unsigned first = mapping_column(field, fields->generation);
    for (size_t i = 0; i < fields->columns.count; i++)
        if (first != 0 && fields->columns.number[i] >= first && fields->columns.number[i] < first + field->count)
            return true;
    return false;
}

static bool is_named(const struct fields *fields, const struct armtap_field *field)
{
    return !fields->pattern || matches(fields->pattern, field->name) || matches(fields->pattern, field->legacy_name);
}

/* The next of the field's bits from `bit` on that the pattern names, and not the field; FIELD_BITS: no more. */
static size_t next_bit(const struct fields *fields, const struct armtap_field *field, size_t bit)
{
    char name[128], meaning[FIELD_BIT_MAX];
    if (!fields->pattern || fields->generation != ARMTAP_GENERATION_UNKNOWN || is_named(fields, field))
        return FIELD_BITS;
    for (; bit < FIELD_BITS; bit++) {
        if (!field_has_bit(field, bit))
            continue;
        snprintf(name, sizeof name, "%s_%zu", field->name, bit);
        field_bit_say(meaning, field, bit);
        if (strcmp(name, fields->pattern) == 0 || matches(fields->pattern, meaning))
            break;
    }
    return bit;
}

static bool is_wanted(const struct fields *fields, const struct armtap_field *field)
{
    if (fields->generation != ARMTAP_GENERATION_UNKNOWN)
        return has_column(fields, field);
    return is_named(fields, field) || next_bit(fields, field, 0) < FIELD_BITS;
}

/* Names that are none of the dictionary: beside fields only that name itself. */
static bool is_wire_wanted(const struct fields *fields, const struct wire_name *name)
{
    if (!fields->pattern || fields->generation != ARMTAP_GENERATION_UNKNOWN)
        return false;
    return fields->has_fields ? strcmp(fields->pattern, name->name) == 0 : matches(fields->pattern, name->name);
}

/* The next of them from *i on, which moves behind it; NULL: there is none. */
static const struct wire_name *next_wire(const struct fields *fields, size_t *i)
{
    const struct wire_name *name = NULL;
    while ((name = wire_name_at((*i)++)) && !is_wire_wanted(fields, name))
        ;
    return name;
}

static int nothing_found(const char *what, const char *name, bool only_enums)
{
    const char *names[1024];
    size_t count = 0;
    for (size_t i = 0; i < armtap_field_count() && count < sizeof names / sizeof *names; i++)
        if (!only_enums || armtap_enum_at(armtap_field_at(i), 0))
            names[count++] = armtap_field_at(i)->name;
    const char *meant = word_nearest(name, names, count);
    if (meant)
        message_error("fields: %s '%.100s'; did you mean '%s'?", what, name, meant);
    else
        message_error("fields: %s '%.100s'; armtap fields lists all", what, name);
    return EXIT_FAILED;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static const char *direction_name(enum armtap_field_direction direction)
{
    switch (direction) {
    case ARMTAP_FIELD_OUTPUT:
        return "output";
    case ARMTAP_FIELD_INPUT:
        return "input";
    case ARMTAP_FIELD_BOTH:
        return "both";
    case ARMTAP_FIELD_PRIMARY:
        return "primary";
    default:
        return "legacy";
    }
}

static void column_json(struct json *json, const char *key, unsigned column)
{
    json_key(json, key);
    if (column == 0)
        json_null(json);
    else
        json_unsigned(json, column);
}

/* Where a program finds the field: its id in the library, its byte in struct armtap_state. NULL: only a name on the
 * wire. */
static void place_json(struct json *json, const struct armtap_field *field)
{
    json_key(json, "id");
    if (field)
        json_unsigned(json, field->id);
    else
        json_null(json);
    json_key(json, "offset");
    if (field)
        json_unsigned(json, field->offset);
    else
        json_null(json);
}

/* Those that a column of an export may show. */
static void bits_json(struct json *json, const struct armtap_field *field)
{
    char text[FIELD_BIT_MAX];
    bool has_bits = false;
    for (size_t bit = 0; bit < FIELD_BITS; bit++) {
        if (!field_has_bit(field, bit))
            continue;
        if (!has_bits)
            json_member_array(json, "bits", true);
        has_bits = true;
        field_bit_say(text, field, bit);
        json_object(json, false);
        json_member_unsigned(json, "bit", bit);
        json_member_text(json, "meaning", text);
        json_close(json);
    }
    if (has_bits)
        json_close(json);
}

static void field_json(struct json *json, const struct armtap_field *field)
{
    json_object(json, false);
    json_member_text(json, "name", field->name);
    place_json(json, field);
    json_member_text_or_null(json, "type", armtap_type_name(field->type, field->count));
    json_member_unsigned(json, "count", field->count);
    json_member_text_or_null(json, "unit", field->unit);
    json_member_text(json, "direction", direction_name(field->direction));
    column_json(json, "column_cb2", field->column_cb2);
    column_json(json, "column_cb3e", field->column_cb3e);
    json_member_text_or_null(json, "legacy_name", field->legacy_name);
    json_member_text_or_null(json, "since", field->since);
    json_member_text(json, "meaning", field->meaning);
    bits_json(json, field);
    json_close(json);
}

static void wire_json(struct json *json, const struct wire_name *name)
{
    json_object(json, false);
    json_member_text(json, "name", name->name);
    place_json(json, NULL);
    json_member_text_or_null(json, "type", name->type);
    json_member_unsigned(json, "count", name->count);
    json_member_text_or_null(json, "unit", name->unit);
    json_member_text(json, "direction", name->direction);
    column_json(json, "column_cb2", 0);
    column_json(json, "column_cb3e", 0);
    json_member_text(json, "legacy_name", NULL);
    json_member_text(json, "since", NULL);
    json_member_text(json, "meaning", name->meaning);
    json_close(json);
}

static void print_json(const struct fields *fields)
{
    const struct wire_name *name;
    size_t wire = 0;
    struct json json;
    json_begin(&json, stdout);
    json_array(&json, true);
    for (size_t i = 0; i < armtap_field_count(); i++)
        if (is_wanted(fields, armtap_field_at(i)))
            field_json(&json, armtap_field_at(i));
    while ((name = next_wire(fields, &wire)))
        wire_json(&json, name);
    json_end(&json);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

enum { NAME_WIDTH = 38, UNIT_WIDTH = 14, NARROW_COLUMNS = 60, NARROW_UNIT_WIDTH = 10 };

/* Fits 80 columns: a name that is too long takes space from its unit. On a narrow terminal the name has its own line.
 */
static void print_row(enum text_paint paint, const char *name, const char *unit, const char *type, const char *cb2,
                      const char *cb3e)
{
    int beyond = strlen(name) > NAME_WIDTH ? (int)(strlen(name) - NAME_WIDTH) : 0;
    bool is_narrow = text_columns(stdout) < NARROW_COLUMNS;
    struct text_row row = text_row_begin(stdout, 2, 1);
    row.paint = paint;
    text_row_painted(&row, -NAME_WIDTH, PAINT_HEADING, name);
    if (is_narrow)
        text_row_break(&row);
    text_row_cell(&row, is_narrow ? -NARROW_UNIT_WIDTH : beyond - UNIT_WIDTH, unit);
    text_row_cell(&row, -12, type);
    text_row_cell(&row, -5, cb2);
    text_row_cell(&row, 0, cb3e);
    text_row_end(&row);
}

/* The columns of consecutive fields, as "32-37"; "-" if they have none. */
static void write_columns(char to[16], unsigned first, unsigned count)
{
    if (first == 0)
        snprintf(to, 16, "-");
    else if (count == 1)
        snprintf(to, 16, "%u", first);
    else
        snprintf(to, 16, "%u-%u", first, first + count - 1);
}

static void print_field(const struct armtap_field *first, const struct armtap_field *last)
{
    char name[128], cb2[16], cb3e[16];
    unsigned count = (unsigned)(last->id - first->id + 1) * first->count;
    const char *type = armtap_type_name(first->type, first->count);
    snprintf(name, sizeof name, "%s%s%s", first->name, first == last ? "" : "..",
             first == last ? "" : text_name_number(last->name));
    write_columns(cb2, first->column_cb2, count);
    write_columns(cb3e, first->column_cb3e, count);
    print_row(PAINT_NONE, name, first->unit[0] == '\0' ? "-" : first->unit, type[0] == '\0' ? "-" : type, cb2, cb3e);
    struct text_wrap wrap = text_wrap_begin(stdout, 0, 4);
    text_wrap_words(&wrap, first->meaning);
    if (first->legacy_name[0] != '\0') {
        snprintf(name, sizeof name, "(legacy: %s)", first->legacy_name);
        text_wrap_words(&wrap, name);
    }
    if (first->direction == ARMTAP_FIELD_INPUT || first->direction == ARMTAP_FIELD_BOTH)
        text_wrap_words(&wrap, first->direction == ARMTAP_FIELD_INPUT ? "(input)" : "(input and output)");
    if (first->direction == ARMTAP_FIELD_LEGACY)
        text_wrap_words(&wrap, "(only in the legacy packet)");
    if (first->direction == ARMTAP_FIELD_PRIMARY)
        text_wrap_words(&wrap, "(only in the primary interface)");
    if (first->since[0] != '\0') {
        snprintf(name, sizeof name, "(since %s)", first->since);
        text_wrap_words(&wrap, name);
    }
    text_wrap_end(&wrap);
}

/* Whether the two share a row of the table: only their numbers differ. */
static bool belong_together(const struct armtap_field *one, const struct armtap_field *next)
{
    return text_name_follows(one->name, next->name) && one->type == next->type && one->count == next->count &&
           one->direction == next->direction && strcmp(one->meaning, next->meaning) == 0 &&
           strcmp(one->since, next->since) == 0 && strcmp(one->unit, next->unit) == 0;
}

static void print_bits(const struct fields *fields, const struct armtap_field *field)
{
    char name[128], meaning[FIELD_BIT_MAX];
    for (size_t bit = 0; (bit = next_bit(fields, field, bit)) < FIELD_BITS; bit++) {
        snprintf(name, sizeof name, "%s_%zu", field->name, bit);
        field_bit_say(meaning, field, bit);
        print_row(PAINT_NONE, name, "0 or 1", "-", "-", "-");
        struct text_wrap wrap = text_wrap_begin(stdout, 0, 4);
        text_wrap_words(&wrap, meaning);
        text_wrap_end(&wrap);
    }
}

static void print_wire(const struct wire_name *name)
{
    char of[64];
    print_row(PAINT_NONE, name->name, name->unit[0] == '\0' ? "-" : name->unit,
              name->type[0] == '\0' ? "-" : name->type, "-", "-");
    struct text_wrap wrap = text_wrap_begin(stdout, 0, 4);
    text_wrap_words(&wrap, name->meaning);
    snprintf(of, sizeof of, "(%s%s)", name->vendor, strcmp(name->direction, "input") == 0 ? ", input" : "");
    text_wrap_words(&wrap, of);
    text_wrap_end(&wrap);
}

static void print_table(const struct fields *fields)
{
    const struct wire_name *name;
    size_t wire = 0;
    print_row(PAINT_HEADING, "name", "unit", "type", "CB2", "CB3/e");
    for (size_t i = 0, last; i < armtap_field_count(); i = last + 1) {
        last = i;
        if (!is_wanted(fields, armtap_field_at(i)))
            continue;
        while (last + 1 < armtap_field_count() && is_wanted(fields, armtap_field_at(last + 1)) &&
               belong_together(armtap_field_at(last), armtap_field_at(last + 1)))
            last++;
        print_field(armtap_field_at(i), armtap_field_at(last));
        print_bits(fields, armtap_field_at(i));
    }
    while ((name = next_wire(fields, &wire)))
        print_wire(name);
}

static void print_names(const struct fields *fields)
{
    const struct wire_name *name;
    size_t wire = 0;
    for (size_t i = 0; i < armtap_field_count(); i++)
        if (is_wanted(fields, armtap_field_at(i)))
            puts(armtap_field_at(i)->name);
    while ((name = next_wire(fields, &wire)))
        puts(name->name);
}

/* ---- enumerations ------------------------------------------------------------------------------------------------ */

/* No generation: the same on CB2, CB3 and e-Series. */
static const struct {
    const char *label, *key;
} generations[] = {
    [ARMTAP_GENERATION_UNKNOWN] = {"UR", NULL},
    [ARMTAP_GENERATION_CB2] = {"CB2", "cb2"},
    [ARMTAP_GENERATION_CB3E] = {"CB3/e", "cb3e"},
    [ARMTAP_GENERATION_AUBO] = {"AUBO", "aubo"},
};

static void enum_json(const struct armtap_field *field)
{
    const struct armtap_enum_value *value;
    struct json json;
    json_begin(&json, stdout);
    json_array(&json, true);
    for (size_t i = 0; (value = armtap_enum_at(field, i)); i++) {
        json_object(&json, false);
        json_member_signed(&json, value->is_bit ? "bit" : "value", value->value);
        json_member_text(&json, "name", value->name);
        json_member_text(&json, "generation", generations[value->generation].key);
        json_close(&json);
    }
    json_end(&json);
}

/* The same of a name that is none of the dictionary. */
static int show_modes(const char *name, bool is_json)
{
    const struct wire_mode *mode;
    struct json json;
    if (is_json) {
        json_begin(&json, stdout);
        json_array(&json, true);
    } else {
        text_line(stdout, 2, "%s:", name);
    }
    for (size_t i = 0; (mode = wire_mode_at(name, i)); i++) {
        if (!is_json) {
            text_line(stdout, 8, "  %4d  %s", mode->number, mode->text);
            continue;
        }
        json_object(&json, false);
        json_member_signed(&json, "value", mode->number);
        json_member_text(&json, "name", mode->text);
        json_member_text(&json, "generation", NULL);
        json_close(&json);
    }
    if (is_json)
        json_end(&json);
    return EXIT_DONE;
}

static int show_enum(const char *name, bool json)
{
    const char *plain = wire_without_arm(name);
    const struct armtap_field *field = armtap_field_find(plain, strlen(plain));
    const struct armtap_enum_value *value;
    if (!field && wire_mode_at(plain, 0))
        return show_modes(plain, json);
    if (!field || !armtap_enum_at(field, 0))
        return nothing_found("no named values or bits of", name, true);
    if (json) {
        enum_json(field);
        return EXIT_DONE;
    }
    text_line(stdout, 2, "%s: %s", field->name, field->meaning);
    for (size_t i = 0; (value = armtap_enum_at(field, i)); i++)
        text_line(stdout, 8, "  %s%4" PRId64 "  %-6s %s", value->is_bit ? "bit " : "", value->value,
                  generations[value->generation].label, value->name);
    return EXIT_DONE;
}

/* ---- Kaitai Struct ----------------------------------------------------------------------------------------------- */

static int describe_rtde(struct ksy *ksy, const char *name)
{
    struct armtap_recipe *recipe = NULL;
    if (name && recipe_file_read(name, &recipe) != 0)
        return -1;
    int error = kaitai_rtde(ksy, recipe);
    armtap_recipe_release(recipe);
    return error;
}

static int show_kaitai(const struct fields *fields)
{
    struct ksy ksy = {.to = stdout};
    int error = -1;
    if (fields->recipe && fields->wire != KAITAI_RTDE)
        message_error("fields: --recipe is for --kaitai rtde");
    else if (fields->wire == KAITAI_RTDE)
        error = describe_rtde(&ksy, fields->recipe);
    else
        error = fields->wire == KAITAI_PRIMARY ? kaitai_primary(&ksy) : kaitai_realtime(&ksy);
    return error == 0 ? EXIT_DONE : EXIT_FAILED;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static int read_columns(struct fields *fields)
{
    fields->generation = fields->counted != ARMTAP_GENERATION_UNKNOWN ? fields->counted : ARMTAP_GENERATION_CB3E;
    return columns_parse(fields->ranges, armtap_layout_columns(fields->generation), &fields->columns);
}

/* Whether some are wanted; sets has_fields. */
static bool is_any_wanted(struct fields *fields)
{
    size_t wire = 0;
    fields->has_fields = false;
    for (size_t i = 0; i < armtap_field_count() && !fields->has_fields; i++)
        fields->has_fields = is_wanted(fields, armtap_field_at(i));
    return fields->has_fields || next_wire(fields, &wire);
}

static int run_fields(struct fields *fields)
{
    const char *given = fields->pattern;
    if (fields->wire != KAITAI_NONE)
        return show_kaitai(fields);
    if (fields->enumeration)
        return show_enum(fields->enumeration, fields->json);
    if (fields->errors)
        return robot_errors_show(fields->pattern, fields->json);
    if (fields->ranges && read_columns(fields) != 0)
        return EXIT_FAILED;
    bool is_found = is_any_wanted(fields);
    if (!is_found && given) {
        fields->pattern = wire_without_arm(given);
        is_found = is_any_wanted(fields);
    }
    if (!is_found)
        return nothing_found("no field has a name like", given, false);
    if (fields->names)
        print_names(fields);
    else if (fields->json)
        print_json(fields);
    else
        print_table(fields);
    return EXIT_DONE;
}

int cmd_fields(int argc, char **argv)
{
    struct fields fields = {.json = false};
    struct options options;
    int status = EXIT_FAILED;
    enum options_outcome outcome = options_parse(&usage, argc, argv, &options, &fields);
    if (outcome != OPTIONS_RUN)
        return options_status(outcome);
    fields.pattern = options.operand_count == 0 ? NULL : options.operands[0];
    if (options.operand_count > 1)
        message_error("fields: use only one pattern; quote a glob or words");
    else
        status = run_fields(&fields);
    options_free(&options);
    return status;
}
