#include "field_notes.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text/json_writer.h"

/* Begins a member of a JSON object: a comma unless it is the first, and the key. */
static void put_key(struct buffer *out, const char *key, size_t length)
{
    if (out->data[out->length - 1] != '{')
        buffer_char(out, ',');
    json_put_quoted(out, key, length);
    buffer_char(out, ':');
}

static bool has_unit(const struct armtap_field *field)
{
    return *field->unit != '\0' && strcmp(field->unit, "enum") != 0 && strcmp(field->unit, "bits") != 0;
}

size_t field_unit(const struct armtap_field *field, unsigned element, const char **unit)
{
    const char *comma = element != NOTED_WHOLE && field->count == 6 ? strstr(field->unit, ", ") : NULL;
    *unit = has_unit(field) ? field->unit : "";
    if (comma && element < 3)
        return (size_t)(comma - *unit);
    if (comma)
        *unit = comma + 2;
    return strlen(*unit);
}

static void put_unit(const struct noted *noted, struct buffer *out)
{
    const char *unit;
    size_t length = field_unit(noted->field, noted->element, &unit);
    buffer_put(out, unit, length);
}

/* Names by number, as in {"7":"RUNNING"}. */
static void put_values(const struct noted *noted, struct buffer *out)
{
    const struct armtap_enum_value *value;
    char number[24];
    buffer_char(out, '{');
    for (size_t i = 0; !out->failed && (value = armtap_enum_at(noted->field, i)) != NULL; i++) {
        if (!armtap_enum_has(value, noted->generation))
            continue;
        put_key(out, number, (size_t)snprintf(number, sizeof number, "%" PRId64, value->value));
        json_put_quoted(out, value->name, strlen(value->name));
    }
    buffer_char(out, '}');
}

static bool has_values(const struct armtap_field *field)
{
    const struct armtap_enum_value *first = armtap_enum_at(field, 0);
    return first && !first->is_bit;
}

static bool has_bits(const struct armtap_field *field)
{
    const struct armtap_enum_value *first = armtap_enum_at(field, 0);
    return first && first->is_bit;
}

static const struct {
    const char *key;
    const char *quote; /* around the text, to make it JSON: units need no escapes */
    bool (*has)(const struct armtap_field *field);
    void (*put)(const struct noted *noted, struct buffer *out);
} notes[] = {
    {"armtap.units", "\"", has_unit, put_unit},
    {"armtap.enums", "", has_values, put_values},
    {"armtap.bits", "", has_bits, put_values},
};

const char *field_note_key(size_t kind)
{
    return kind < sizeof notes / sizeof *notes ? notes[kind].key : NULL;
}

void field_note_put(size_t kind, const struct noted *noted, struct buffer *object)
{
    if (!notes[kind].has(noted->field))
        return;
    put_key(object, noted->name, noted->length);
    buffer_string(object, notes[kind].quote);
    notes[kind].put(noted, object);
    buffer_string(object, notes[kind].quote);
}

bool field_note_text(size_t kind, const struct noted *noted, struct buffer *text)
{
    bool has_note = notes[kind].has(noted->field);
    if (has_note)
        notes[kind].put(noted, text);
    return has_note;
}
