/* What files say of fields beside their values: units, names of modes and bits, each as a JSON object by column. */
#ifndef EXPORT_FIELD_NOTES_H
#define EXPORT_FIELD_NOTES_H

#include <limits.h>

#include "armtap.h"
#include "base/text/buffer.h"

/* "armtap.units"; NULL beyond the last kind. */
const char *field_note_key(size_t kind);

#define NOTED_WHOLE UINT_MAX
/* A column, or a message's member. */
struct noted {
    const struct armtap_field *field;
    unsigned element; /* of a vector, or NOTED_WHOLE: an element of a pose has one of its two units */
    enum armtap_generation generation;
    const char *name;
    size_t length;
};
/* The unit of an element, or of the whole field, and its length; "" of modes and bits. Poses have the unit "m, rad",
 * forces "N, Nm": of the first three elements, and of the others. */
size_t field_unit(const struct armtap_field *field, unsigned element, const char **unit);
/* Appends a column's member to an object that begins with "{", if its field has such a note. */
void field_note_put(size_t kind, const struct noted *noted, struct buffer *object);
/* Appends the note alone: a unit, or names by number as a JSON object. Returns whether there is one. */
bool field_note_text(size_t kind, const struct noted *noted, struct buffer *text);

#endif
