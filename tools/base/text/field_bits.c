#include "field_bits.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD_KIND_MAX 40

/* The name of a bit, or NULL. */
static const char *name_of(const struct armtap_field *field, size_t bit)
{
    const struct armtap_enum_value *value;
    for (size_t i = 0; (value = armtap_enum_at(field, i)); i++)
        if (value->is_bit && (size_t)value->value == bit)
            return value->name;
    return NULL;
}

/* "standard digital input", if the field holds those of one kind; else "". */
static void digital_kind(char kind[FIELD_KIND_MAX], const struct armtap_field *field)
{
    static const char *const groups[] = {"standard", "configurable", "tool"};
    const char *digital = strstr(field->name, "digital_");
    kind[0] = '\0';
    for (size_t i = 0; digital && i < sizeof groups / sizeof *groups; i++)
        if (strstr(field->name, groups[i]))
            snprintf(kind, FIELD_KIND_MAX, "%s digital %s", groups[i], strstr(digital, "output") ? "output" : "input");
}

bool field_has_bit(const struct armtap_field *field, size_t bit)
{
    char kind[FIELD_KIND_MAX];
    if (field->count != 1 || strcmp(field->unit, "bits") != 0)
        return false;
    digital_kind(kind, field);
    if (armtap_enum_at(field, 0))
        return name_of(field, bit) != NULL;
    return bit < (*kind ? 8 : 8 * armtap_type_width(field->type));
}

/* "STANDARD_3" of the digital inputs becomes "standard digital input 3". */
static void say_digital(char text[FIELD_BIT_MAX], const struct armtap_field *field, const char *name)
{
    const char *number = strrchr(name, '_');
    snprintf(text, FIELD_BIT_MAX, "%.*s digital %s %s", (int)(number - name), name,
             strstr(field->name, "output") ? "output" : "input", number + 1);
    for (char *at = text; *at; at++)
        *at = (char)tolower((unsigned char)*at);
}

void field_bit_say(char text[FIELD_BIT_MAX], const struct armtap_field *field, size_t bit)
{
    const char *name = name_of(field, bit), *registers = strstr(field->name, "_bit_registers");
    char kind[FIELD_KIND_MAX];
    digital_kind(kind, field);
    if (name && strstr(field->name, "_digital_"))
        say_digital(text, field, name);
    else if (name)
        snprintf(text, FIELD_BIT_MAX, "%s", name);
    else if (registers)
        snprintf(text, FIELD_BIT_MAX, "%.*s bit register %zu", (int)(registers - field->name), field->name,
                 (size_t)strtoul(registers + strlen("_bit_registers"), NULL, 10) + bit);
    else
        snprintf(text, FIELD_BIT_MAX, "%s %zu", *kind ? kind : "bit", bit);
}
