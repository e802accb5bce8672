#include "recipe.h"

#include <string.h>

/* Types before protocol 3 of fields whose type depends on the protocol; the field table has the newest. */
static const struct {
    enum armtap_field_id id;
    const char *type;
} older_types[] = {
    {ARMTAP_ID_configurable_digital_output_mask, "UINT8"},
    {ARMTAP_ID_configurable_digital_output, "UINT8"},
};

const char *recipe_write_type(const struct armtap_field *field)
{
    if (!(field->direction & ARMTAP_FIELD_BOTH))
        return "";
    for (size_t i = 0; i < sizeof older_types / sizeof *older_types; i++)
        if (older_types[i].id == field->id)
            return older_types[i].type;
    return armtap_type_name(field->type, field->count);
}

static bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool recipe_write_is_key(const char *key)
{
    for (const char *at = key; *at != '\0'; at++)
        if (!is_letter_or_digit(*at) && !strchr("_-.", *at))
            return false;
    return *key != '\0';
}

/* Writes a character of a name; false if '?' replaces it. */
static bool put_character(FILE *file, char c, bool xml)
{
    if (xml && c == '&')
        fputs("&amp;", file);
    else if (xml && c == '<')
        fputs("&lt;", file);
    else if (xml && c == '"')
        fputs("&quot;", file);
    else if (xml && (c == '\t' || c == '\n' || c == '\r'))
        fprintf(file, "&#%d;", c);
    else if (c <= (xml ? ' ' - 1 : ' ') || c > '~' || (!xml && c == '#'))
        return false;
    else
        putc(c, file);
    return true;
}

/* Names may come from the wire: nothing in them may end the attribute or the line. False if the name was changed. */
static bool put_name(FILE *file, const char *name, bool xml)
{
    bool same = true;
    for (const char *at = name; *at != '\0'; at++)
        if (!put_character(file, *at, xml)) {
            putc('?', file);
            same = false;
        }
    return same;
}

size_t recipe_write_xml(FILE *file, const char *key, const struct recipe_line *lines, size_t count)
{
    size_t changed = 0;
    fputs("<?xml version=\"1.0\"?>\n<rtde_config>\n  <recipe key=\"", file);
    put_name(file, key, true);
    fputs("\">\n", file);
    for (size_t i = 0; i < count; i++) {
        fputs("    <field name=\"", file);
        changed += !put_name(file, lines[i].name, true);
        fprintf(file, "\" type=\"%s\"/>\n", lines[i].type);
    }
    fputs("  </recipe>\n</rtde_config>\n", file);
    return changed;
}

size_t recipe_write_plain(FILE *file, const struct recipe_line *lines, size_t count)
{
    size_t changed = 0;
    for (size_t i = 0; i < count; i++) {
        changed += !put_name(file, lines[i].name, false);
        fprintf(file, " %s\n", lines[i].type);
    }
    return changed;
}
