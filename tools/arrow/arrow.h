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

#include "base/bytes/spool.h"
#include "columns/table.h"

/* What a column holds (types.def). */
enum arrow_type {
#define ARROW_TYPE(id, width, kind, first, second) ARROW_##id,
#include "types.def"
    ARROW_TYPES
};

struct arrow_options {
    bool is_stream;      /* no file: no marks, no footer */
    struct spool *spool; /* for what is needed at the end of a file only */
    /* Takes the file's bytes, in order. 0, or -1 after a message. */
    int (*write)(void *user, const char *bytes, size_t length);
    void *user;
};

struct arrow_file;

/* NULL without memory. The options' pointers must outlive the file. */
struct arrow_file *arrow_file_new(const struct arrow_options *options);
void arrow_file_free(struct arrow_file *file);

/* Before the file is open; without memory, arrow_file_open() fails. */

/* A field of `columns` columns of the table. Of several, or if `is_list`, it is a list of that size. Fields have
 * different names: later ones become NAME_2, NAME_3 ... */
void arrow_file_add_field(struct arrow_file *file, const char *name, size_t length, enum arrow_type type,
                          size_t columns, bool is_list);
/* A text of the latest field, which is one of texts: these become numbers of a dictionary. All texts but those that are
 * added are null, which the end warns of. */
void arrow_file_add_word(struct arrow_file *file, const char *word);
/* Text of the latest field's metadata; of the schema's: UTF-8. */
void arrow_file_add_field_note(struct arrow_file *file, const char *key, const char *text, size_t length);
void arrow_file_add_note(struct arrow_file *file, const char *key, const char *text, size_t length);

/* All fields and notes are known, rows may follow: writes the schema and the dictionaries. 0, or -1 after a message. */
int arrow_file_open(struct arrow_file *file);

/* Adds rows, whose columns are those of the fields: TEXT is UTF-8. 0, or -1 after a message. */
int arrow_file_rows(struct arrow_file *file, const struct column_batch *rows);
/* Bytes of memory that rows take. */
size_t arrow_file_held(const struct arrow_file *file);
/* Writes the rows in memory as a batch; `all`: frees their memory. 0, or -1 after a message. */
int arrow_file_ease(struct arrow_file *file, bool all);
/* Writes the end. `name` is what messages call the file. 0, or -1 after a message. */
int arrow_file_end(struct arrow_file *file, const char *name);

#endif
