/* An RTDE package: its length and type, then what the type and the direction decide. */
#include "kaitai.h"

#include <stdlib.h>
#include <string.h>

#include "base/process/message.h"

#define CONDITION_MAX 64
#define PARTS_MAX 8

static const char about[] =
    "One package of Universal Robots' RTDE (port 30004). Read one after the other from the same stream, "
    "which has one direction: `from_robot` says which. `protocol` is what the robot has accepted, 1 "
    "before it has. A number's name is in NAME_name. Data without a recipe, of another length than the "
    "recipe's, or to the robot, is in `values`: a package does not say what it holds. Bytes beyond what "
    "is known of a package are in `rest`.";

/* Bodies by type. Source: as in decoders/rtde_package.c. */
static const struct body {
    enum armtap_rtde_type type;
    const char *seq[PARTS_MAX], *instances[PARTS_MAX];
} bodies[] = {
    {ARMTAP_RTDE_VERSION,
     {"- {id: protocol, type: u2, if: not _root.from_robot}", "- {id: accepted, type: u1, if: _root.from_robot}"},
     {NULL}},
    {ARMTAP_RTDE_CONTROLLER_VERSION,
     {"- {id: major, type: u4, if: _root.from_robot}", "- {id: minor, type: u4, if: _root.from_robot}",
      "- {id: bugfix, type: u4, if: _root.from_robot}", "- {id: build, type: u4, if: not _io.eof}"},
     {NULL}},
    /* Protocol 1 has a short form, which robots also use before they answer a V. */
    {ARMTAP_RTDE_TEXT,
     {"- {id: long_form, type: long_text, if: is_long}", "- {id: short_form, type: short_text, if: not is_long}"},
     {"len_first: {pos: 0, type: u1}", "len_second: {pos: len_first + 1, type: u1, if: len_first + 1 < _io.size}",
      "is_long: {value: 'len_first + 1 < _io.size ? len_first + len_second + 3 == _io.size : false'}",
      "text: {value: 'is_long ? long_form.text : short_form.text'}",
      "level: {value: 'is_long ? long_form.level : short_form.level'}"}},
    {ARMTAP_RTDE_DATA,
     {"- {id: recipe_id, type: u1, if: not _io.eof and (_root.protocol >= 2 or "
      "not _root.from_robot)}"},
     {NULL}},
    {ARMTAP_RTDE_SETUP_OUTPUTS,
     {"- {id: frequency, type: f8, if: not _root.from_robot and _root.protocol "
      ">= 2, -unit: Hz}",
      "- {id: recipe_id, type: u1, if: _root.from_robot and _root.protocol >= "
      "2}",
      "- {id: names, type: str, size-eos: true, if: not _root.from_robot, doc: with commas between them}",
      "- {id: types, type: str, size-eos: true, if: _root.from_robot, doc: 'with commas between them, or NOT_FOUND, "
      "IN_USE'}"},
     {NULL}},
    {ARMTAP_RTDE_SETUP_INPUTS,
     {"- {id: recipe_id, type: u1, if: _root.from_robot}",
      "- {id: names, type: str, size-eos: true, if: not _root.from_robot, doc: with commas between them}",
      "- {id: types, type: str, size-eos: true, if: _root.from_robot, doc: 'with commas between them, or NOT_FOUND, "
      "IN_USE'}"},
     {NULL}},
    {ARMTAP_RTDE_START, {"- {id: accepted, type: u1, if: _root.from_robot}"}, {NULL}},
    {ARMTAP_RTDE_PAUSE, {"- {id: accepted, type: u1, if: _root.from_robot}"}, {NULL}},
    {ARMTAP_RTDE_PROPERTIES,
     {"- {id: names, type: str, size-eos: true, if: not _root.from_robot, doc: with commas between them}",
      "- {id: answer, type: properties, if: _root.from_robot}"},
     {NULL}},
};

/* Parts of these. In C# an attribute that may be absent cannot be a length, so that what has a length is a type. */
static const struct type {
    const char *id, *seq[PARTS_MAX];
} types[] = {
    {"long_text",
     {"- {id: len_text, type: u1}", "- {id: text, type: str, size: len_text}", "- {id: len_source, type: u1}",
      "- {id: source, type: str, size: len_source}",
      "- {id: level, type: u1, doc: '0 exception, 1 error, 2 warning, 3 information'}"}},
    {"short_text",
     {"- {id: level, type: u1, doc: '0 exception, 1 error, 2 warning, 3 information'}",
      "- {id: text, type: str, size-eos: true}"}},
    {"properties",
     {"- {id: len_types, type: u2}", "- {id: types, type: str, size: len_types}", "- {id: values, size-eos: true}"}},
};

/* Those of the packages that robots and clients send. */
static const struct message {
    enum armtap_rtde_type type;
    const char *name;
} messages[] = {
#define MESSAGE(type, name, ...) {type, name},
#include "../../decoders/rtde_messages.def"
};
enum { MESSAGES = sizeof messages / sizeof *messages };

/* ---- packages ---------------------------------------------------------------------------------------------------- */

static void write_package(struct ksy *ksy)
{
    char id[KSY_ID_MAX];
    ksy_line(ksy, 0, "params:");
    ksy_line(ksy, 1, "- {id: from_robot, type: bool}");
    ksy_line(ksy, 1, "- {id: protocol, type: u1}");
    ksy_seq(ksy, "- {id: len_package, type: u2}");
    ksy_seq(ksy, "- {id: kind, type: u1}");
    ksy_body(ksy, "len_package - 3");
    for (size_t i = 0; i < MESSAGES; i++) {
        ksy_id(id, messages[i].name);
        ksy_case(ksy, messages[i].type, id);
    }
    ksy_value(ksy, "kind_name", "kind", "package_kind", NULL);
}

/* The values, if there are as many bytes as the recipe has. */
static void write_values(struct ksy *ksy, const struct armtap_recipe *recipe)
{
    char condition[CONDITION_MAX];
    snprintf(condition, sizeof condition, "_root.from_robot and _io.size - _io.pos == %zu", armtap_recipe_size(recipe));
    ksy_attribute(ksy, &(struct ksy_attribute){.id = "data", .type = "data", .count = 1, .condition = condition});
}

static void write_body(struct ksy *ksy, const struct message *message, const struct armtap_recipe *recipe)
{
    const struct body *body = bodies, *end = bodies + sizeof bodies / sizeof *bodies;
    char id[KSY_ID_MAX];
    ksy_id(id, message->name);
    ksy_type(ksy, id, message->name);
    while (body < end && body->type != message->type)
        body++;
    for (size_t i = 0; body < end && i < PARTS_MAX && body->seq[i]; i++)
        ksy_seq(ksy, body->seq[i]);
    if (message->type == ARMTAP_RTDE_DATA && recipe)
        write_values(ksy, recipe);
    ksy_rest(ksy, message->type == ARMTAP_RTDE_DATA ? "values" : "rest");
    for (size_t i = 0; body < end && i < PARTS_MAX && body->instances[i]; i++)
        ksy_instance(ksy, body->instances[i]);
}

static void write_types(struct ksy *ksy)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        ksy_type(ksy, types[i].id, "");
        for (size_t part = 0; part < PARTS_MAX && types[i].seq[part]; part++)
            ksy_seq(ksy, types[i].seq[part]);
    }
}

/* ---- data, by its recipe ----------------------------------------------------------------------------------------- */

/* A client may ask for a variable twice: which of these an entry is, from 1 on. */
static unsigned occurrence(const struct armtap_recipe *recipe, size_t number)
{
    unsigned count = 1;
    for (size_t i = 0; i < number; i++)
        count += strcmp(armtap_recipe_at(recipe, i)->name, armtap_recipe_at(recipe, number)->name) == 0;
    return count;
}

static void entry_id(char id[KSY_ID_MAX], const struct armtap_recipe *recipe, size_t number)
{
    ksy_numbered_id(id, armtap_recipe_at(recipe, number)->name, occurrence(recipe, number));
}

/* Whether the number has a name, in an instance of the first such variable. */
static bool has_name(const struct armtap_recipe *recipe, size_t number)
{
    const struct armtap_recipe_entry *entry = armtap_recipe_at(recipe, number);
    return entry->field && entry->count == 1 && ksy_has_enum(entry->field, ARMTAP_GENERATION_CB3E) &&
           occurrence(recipe, number) == 1;
}

static void write_data(struct ksy *ksy, const struct armtap_recipe *recipe)
{
    const struct armtap_recipe_entry *entry;
    char id[KSY_ID_MAX];
    ksy_type(ksy, "data", "The values that were set up.");
    for (size_t i = 0; (entry = armtap_recipe_at(recipe, i)); i++) {
        entry_id(id, recipe, i);
        ksy_attribute(ksy, &(struct ksy_attribute){.id = id,
                                                   .type = ksy_number(entry->type, entry->wire_size / entry->count),
                                                   .count = entry->count,
                                                   .field = entry->field,
                                                   .name = entry->name});
    }
    for (size_t i = 0; (entry = armtap_recipe_at(recipe, i)); i++)
        if (has_name(recipe, i))
            ksy_field_name(ksy, entry->field, ARMTAP_GENERATION_CB3E, "", NULL);
}

static int compare_texts(const void *one, const void *other)
{
    return strcmp(one, other);
}

/* Identifiers as some languages write them: without underscores. */
static void write_keys(char (*keys)[KSY_ID_MAX], const struct armtap_recipe *recipe, size_t count)
{
    char id[KSY_ID_MAX];
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;
        entry_id(id, recipe, i);
        for (const char *at = id; *at != '\0'; at++)
            if (*at != '_')
                keys[i][length++] = *at;
        keys[i][length] = '\0';
    }
}

/* Names of fields that a controller is asked for may differ in a way that identifiers do not. */
static int check_ids(const struct armtap_recipe *recipe)
{
    size_t count = armtap_recipe_count(recipe), i = 1;
    char(*keys)[KSY_ID_MAX] = calloc(count + 1, sizeof *keys);
    if (!keys)
        return message_no_memory();
    write_keys(keys, recipe, count);
    qsort(keys, count, sizeof *keys, compare_texts);
    while (i < count && strcmp(keys[i], keys[i - 1]) != 0)
        i++;
    if (i < count)
        message_error("fields: two fields of the recipe would have the same identifier, %s; remove one", keys[i]);
    free(keys);
    return i < count ? -1 : 0;
}

/* Its values follow one another, each of a type of RTDE's. */
static int check_recipe(const struct armtap_recipe *recipe)
{
    const struct armtap_recipe_entry *entry;
    bool is_whole = armtap_recipe_protocol(recipe) == ARMTAP_RTDE;
    for (size_t i = 0; is_whole && (entry = armtap_recipe_at(recipe, i)); i++)
        is_whole = entry->count > 0 && entry->offset != SIZE_MAX && entry->type <= ARMTAP_DOUBLE;
    if (is_whole)
        return check_ids(recipe);
    message_error("fields: --recipe must be an RTDE recipe with known types");
    return -1;
}

/* ---- the description --------------------------------------------------------------------------------------------- */

static void write_enums(struct ksy *ksy, const struct armtap_recipe *recipe)
{
    const struct armtap_recipe_entry *entry;
    ksy_enums(ksy);
    ksy_enum(ksy, "package_kind");
    for (size_t i = 0; i < MESSAGES; i++)
        ksy_enum_value(ksy, (int)messages[i].type, messages[i].name);
    for (size_t i = 0; (entry = armtap_recipe_at(recipe, i)); i++)
        if (has_name(recipe, i))
            ksy_field_enum(ksy, entry->field, ARMTAP_GENERATION_CB3E);
}

int kaitai_rtde(struct ksy *ksy, const struct armtap_recipe *recipe)
{
    if (recipe && check_recipe(recipe) != 0)
        return -1;
    ksy_begin(ksy, "ur_rtde", "Universal Robots' RTDE", about);
    write_package(ksy);
    ksy_types(ksy);
    for (size_t i = 0; i < MESSAGES; i++)
        write_body(ksy, &messages[i], recipe);
    write_types(ksy);
    if (recipe)
        write_data(ksy, recipe);
    write_enums(ksy, recipe);
    return 0;
}
