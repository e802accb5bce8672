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

static void put_number(struct buffer *out, int c)
{
    char text[20];
    snprintf(text, sizeof text, "&#%d;", c);
    buffer_string(out, text);
}

/* Writes a character of a name; false if '?' replaces it. */
static bool put_character(struct buffer *out, char c, bool xml)
{
    if (xml && c == '&')
        buffer_string(out, "&amp;");
    else if (xml && c == '<')
        buffer_string(out, "&lt;");
    else if (xml && c == '"')
        buffer_string(out, "&quot;");
    else if (xml && (c == '\t' || c == '\n' || c == '\r'))
        put_number(out, c);
    else if (c <= (xml ? ' ' - 1 : ' ') || c > '~' || (!xml && c == '#'))
        return false;
    else
        buffer_char(out, c);
    return true;
}

/* Names may come from the wire: nothing in them may end the attribute or the line. False if the name was changed. */
static bool put_name(struct buffer *out, const char *name, bool xml)
{
    bool same = true;
    for (const char *at = name; *at != '\0'; at++)
        if (!put_character(out, *at, xml)) {
            buffer_char(out, '?');
            same = false;
        }
    return same;
}

size_t recipe_write_xml(struct buffer *out, const char *key, const struct recipe_line *lines, size_t count)
{
    size_t changed = 0;
    buffer_string(out, "<?xml version=\"1.0\"?>\n<rtde_config>\n  <recipe key=\"");
    put_name(out, key, true);
    buffer_string(out, "\">\n");
    for (size_t i = 0; i < count; i++) {
        buffer_string(out, "    <field name=\"");
        changed += !put_name(out, lines[i].name, true);
        buffer_string(out, "\" type=\"");
        buffer_string(out, lines[i].type);
        buffer_string(out, "\"/>\n");
    }
    buffer_string(out, "  </recipe>\n</rtde_config>\n");
    return changed;
}

size_t recipe_write_plain(struct buffer *out, const struct recipe_line *lines, size_t count)
{
    size_t changed = 0;
    for (size_t i = 0; i < count; i++) {
        changed += !put_name(out, lines[i].name, false);
        buffer_char(out, ' ');
        buffer_string(out, lines[i].type);
        buffer_char(out, '\n');
    }
    return changed;
}
