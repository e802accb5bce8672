#include "kaitai.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/text/json_writer.h"

enum { INDENT = 2 };

/* ---- identifiers ------------------------------------------------------------------------------------------------- */

/* Words of the languages in which the compiler leaves identifiers as they are. */
static bool is_word(const char *id)
{
    static const char words[] =
        " alignas alignof and as assert async auto await bool break case catch char class const continue def "
        "default del delete do double elif else elsif end enum except explicit export extern false final "
        "finally float fn for from function global goto if impl import in inline int is lambda let local long "
        "loop match mod module move mut namespace new nil none nonlocal not null operator or pass private "
        "protected pub public raise ref register repeat rescue return self short signed sizeof static struct "
        "super switch template then this throw trait true try type typedef typename undef union unless unsafe "
        "unsigned until use using virtual void volatile when where while with xor yield ";
    char padded[KSY_ID_MAX + 2];
    snprintf(padded, sizeof padded, " %s ", id);
    return strstr(words, padded) != NULL;
}

/* Whether a capital letter begins a word: the T of messageTitle, the E of IOEnabled. */
static bool begins_word(const char *name, size_t i)
{
    if (i == 0 || !isupper((unsigned char)name[i]))
        return false;
    bool within_capitals = i > 1 && isupper((unsigned char)name[i - 1]) && isupper((unsigned char)name[i - 2]);
    return islower((unsigned char)name[i - 1]) || (within_capitals && islower((unsigned char)name[i + 1]));
}

void ksy_id(char id[KSY_ID_MAX], const char *name)
{
    enum { LONGEST = KSY_ID_MAX - 8 };
    bool is_new = false; /* whether the next letter begins a word */
    size_t length = 0;
    for (size_t i = 0; name[i] != '\0' && length < LONGEST; i++) {
        int c = tolower((unsigned char)name[i]);
        is_new = is_new || begins_word(name, i);
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))) {
            is_new = true;
            continue;
        }
        if (length == 0 && c <= '9')
            id[length++] = 'n';
        if (is_new && length > 0)
            id[length++] = '_';
        id[length++] = (char)c;
        is_new = false;
    }
    if (length == 0)
        id[length++] = 'n';
    id[length] = '\0';
    if (is_word(id))
        strcat(id, "_");
}

void ksy_numbered_id(char id[KSY_ID_MAX], const char *name, unsigned number)
{
    char first[KSY_ID_MAX];
    ksy_id(first, name);
    if (number == 1)
        snprintf(id, KSY_ID_MAX, "%s", first);
    else
        snprintf(id, KSY_ID_MAX, "%.80s_%u", first, number);
}

const char *ksy_number(enum armtap_type type, size_t width)
{
    switch (type) {
    case ARMTAP_DOUBLE:
        return "f8";
    case ARMTAP_INT32:
        return "s4";
    default:
        return width == 1 ? "u1" : width == 4 ? "u4" : "u8";
    }
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

void ksy_line(const struct ksy *ksy, int more, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(ksy->to, "%*s", (ksy->depth + more) * INDENT, "");
    vfprintf(ksy->to, format, arguments);
    putc('\n', ksy->to);
    va_end(arguments);
}

/* In YAML a text in double quotes is one of JSON. */
void ksy_text(const struct ksy *ksy, int more, const char *key, const char *text)
{
    struct json json;
    if (text[0] == '\0')
        return;
    fprintf(ksy->to, "%*s%s: ", (ksy->depth + more) * INDENT, "", key);
    json_begin(&json, ksy->to);
    json_text(&json, text);
    putc('\n', ksy->to);
}

void ksy_begin(struct ksy *ksy, const char *id, const char *title, const char *about)
{
    *ksy = (struct ksy){.to = ksy->to};
    ksy_line(ksy, 0, "# Made by armtap %s from its tables: do not edit.", armtap_version());
    ksy_line(ksy, 0, "meta:");
    ksy_line(ksy, 1, "id: %s", id);
    ksy_text(ksy, 1, "title", title);
    ksy_line(ksy, 1, "license: MIT");
    ksy_line(ksy, 1, "ks-version: 0.9");
    ksy_line(ksy, 1, "endian: be");
    ksy_line(ksy, 1, "encoding: UTF-8");
    ksy_text(ksy, 0, "doc", about);
}

void ksy_types(struct ksy *ksy)
{
    ksy->depth = 0;
    ksy_line(ksy, 0, "types:");
}

void ksy_type(struct ksy *ksy, const char *id, const char *about)
{
    *ksy = (struct ksy){.to = ksy->to, .depth = 2};
    ksy_line(ksy, -1, "%s:", id);
    ksy_text(ksy, 0, "doc", about);
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static void write_size(const struct ksy *ksy, const char *size)
{
    if (size[0] != '\0')
        ksy_line(ksy, 2, "size: %s", size);
    else
        ksy_line(ksy, 2, "size-eos: true");
}

static void write_type(const struct ksy *ksy, const struct ksy_attribute *attribute)
{
    if (attribute->size)
        write_size(ksy, attribute->size);
    if (attribute->type)
        ksy_line(ksy, 2, "type: %s", attribute->type);
    if (attribute->count > 1) {
        ksy_line(ksy, 2, "repeat: expr");
        ksy_line(ksy, 2, "repeat-expr: %u", attribute->count);
    }
    if (attribute->condition)
        ksy_line(ksy, 2, "if: %s", attribute->condition);
}

void ksy_seq(struct ksy *ksy, const char *line)
{
    if (!ksy->has_seq)
        ksy_line(ksy, 0, "seq:");
    ksy->has_seq = true;
    ksy_line(ksy, 1, "%s", line);
}

void ksy_instance(struct ksy *ksy, const char *line)
{
    if (!ksy->has_instances)
        ksy_line(ksy, 0, "instances:");
    ksy->has_instances = true;
    ksy_line(ksy, 1, "%s", line);
}

void ksy_attribute(struct ksy *ksy, const struct ksy_attribute *attribute)
{
    const struct armtap_field *field = attribute->field;
    const char *name = attribute->name || !field ? attribute->name : field->name;
    char line[KSY_ID_MAX + 16];
    snprintf(line, sizeof line, "- id: %s", attribute->id);
    ksy_seq(ksy, line);
    write_type(ksy, attribute);
    if (name && strcmp(name, attribute->id) != 0)
        ksy_text(ksy, 2, "-orig-id", name);
    if (field) {
        ksy_text(ksy, 2, "-unit", field->unit);
        ksy_text(ksy, 2, "doc", field->meaning);
    }
}

void ksy_rest(struct ksy *ksy, const char *id)
{
    ksy_attribute(ksy, &(struct ksy_attribute){.id = id, .size = "", .condition = "not _io.eof"});
}

void ksy_body(struct ksy *ksy, const char *size)
{
    ksy_seq(ksy, "- id: body");
    write_size(ksy, size);
    ksy_line(ksy, 2, "type:");
    ksy_line(ksy, 3, "switch-on: kind");
    ksy_line(ksy, 3, "cases:");
}

void ksy_case(const struct ksy *ksy, unsigned kind, const char *type)
{
    ksy_line(ksy, 4, "%u: %s", kind, type);
}

void ksy_value(struct ksy *ksy, const char *id, const char *value, const char *enumeration, const char *condition)
{
    char line[KSY_ID_MAX + 16];
    snprintf(line, sizeof line, "%s:", id);
    ksy_instance(ksy, line);
    ksy_text(ksy, 2, "value", value); /* in quotes: the colon of a ? b : c is one of YAML's */
    if (enumeration)
        ksy_line(ksy, 2, "enum: %s", enumeration);
    if (condition)
        ksy_line(ksy, 2, "if: %s", condition);
}

/* ---- enumerations ------------------------------------------------------------------------------------------------ */

void ksy_enums(struct ksy *ksy)
{
    ksy->depth = 0;
    ksy_line(ksy, 0, "enums:");
}

void ksy_enum(const struct ksy *ksy, const char *id)
{
    ksy_line(ksy, 1, "%s:", id);
}

void ksy_enum_value(const struct ksy *ksy, int64_t number, const char *name)
{
    char id[KSY_ID_MAX];
    ksy_id(id, name);
    ksy_line(ksy, 2, "%" PRId64 ": %s", number, id);
}

static bool is_of(const struct armtap_enum_value *value, enum armtap_generation generation)
{
    return !value->is_bit && (value->generation == ARMTAP_GENERATION_UNKNOWN || value->generation == generation);
}

bool ksy_has_enum(const struct armtap_field *field, enum armtap_generation generation)
{
    const struct armtap_enum_value *value;
    for (size_t i = 0; (value = armtap_enum_at(field, i)); i++)
        if (is_of(value, generation))
            return true;
    return false;
}

bool ksy_has_cb2_enum(const struct armtap_field *field)
{
    const struct armtap_enum_value *value;
    for (size_t i = 0; (value = armtap_enum_at(field, i)); i++)
        if (value->generation == ARMTAP_GENERATION_CB2)
            return true;
    return false;
}

void ksy_field_enum_id(char id[KSY_ID_MAX], const struct armtap_field *field, enum armtap_generation generation)
{
    ksy_id(id, field->name);
    if (generation == ARMTAP_GENERATION_CB2 && ksy_has_cb2_enum(field))
        strcat(id, "_cb2");
}

void ksy_field_name(struct ksy *ksy, const struct armtap_field *field, enum armtap_generation generation,
                    const char *as_integer, const char *condition)
{
    char name[KSY_ID_MAX], id[KSY_ID_MAX + 8], value[KSY_ID_MAX + 8], enumeration[KSY_ID_MAX];
    ksy_id(name, field->name);
    ksy_field_enum_id(enumeration, field, generation);
    snprintf(id, sizeof id, "%s_name", enumeration);
    snprintf(value, sizeof value, "%s%.7s", name, as_integer);
    ksy_value(ksy, id, value, enumeration, condition);
}

void ksy_field_enum(const struct ksy *ksy, const struct armtap_field *field, enum armtap_generation generation)
{
    const struct armtap_enum_value *value;
    char id[KSY_ID_MAX];
    ksy_field_enum_id(id, field, generation);
    ksy_enum(ksy, id);
    for (size_t i = 0; (value = armtap_enum_at(field, i)); i++)
        if (is_of(value, generation))
            ksy_enum_value(ksy, value->value, value->name);
}
