/* Writes Arrow's IPC streams and files. Knows columns, rows and bytes; neither captures nor disks.
 *
 * A stream is a schema, then dictionaries, which are complete before the first row, then record batches of bounded
 * size; a file is a stream between two marks, with a footer that says where its batches are. Nothing that was written
 * is changed later.
 *
 * Sources: Apache Arrow's Columnar.rst, Schema.fbs, Message.fbs, File.fbs; FlatBuffers' description of its internals.
 */
#ifndef ARROW_ARROW_H
#define ARROW_ARROW_H

#include "columns/table.h"

/* What a column holds (types.def). */
enum arrow_type {
#define ARROW_TYPE(id, width, kind, first, second) ARROW_##id,
#include "types.def"
    ARROW_TYPES
};

/* NULL without memory. The output's pointers must outlive the file. `is_stream`: no file, so no marks and no footer. */
struct column_file *arrow_file_new(const struct column_output *output, bool is_stream);

/* Before the file is open; without memory, opening it fails. */

/* A field of `columns` columns of the table. Of several, or if `is_list`, it is a list of that size. Fields have
 * different names: later ones become NAME_2, NAME_3 ... */
void arrow_file_add_field(struct column_file *file, const char *name, size_t length, enum arrow_type type,
                          size_t columns, bool is_list);
/* A text of the latest field, which is one of texts: these become numbers of a dictionary. All texts but those that are
 * added are null, which the end warns of. */
void arrow_file_add_word(struct column_file *file, const char *word);
/* Text of the latest field's metadata; of the schema's: UTF-8. */
void arrow_file_add_field_note(struct column_file *file, const char *key, const char *text, size_t length);
void arrow_file_add_note(struct column_file *file, const char *key, const char *text, size_t length);

#endif
