/* What files say of fields beside their values: units, names of modes and bits, each as a JSON object by column. */
#ifndef EXPORT_FIELD_NOTES_H
#define EXPORT_FIELD_NOTES_H

#include "armtap.h"
#include "base/buffer.h"

/* "armtap.units"; NULL beyond the last kind. */
const char *field_note_key(size_t kind);
/* Appends a column's member to an object that begins with "{", if its field has such a note. */
void field_note_put(size_t kind, const struct armtap_field *field, enum armtap_generation generation, const char *name,
                    size_t length, struct buffer *object);

#endif
