/* Writes files of numpy arrays, as numpy.load() reads them: a zip file with a member NAME.npy for each array, not
 * compressed. Knows columns, rows and bytes; neither captures nor disks.
 *
 * The number of rows, the width of texts and the checksum stand before an array, so rows are set aside in the spool
 * until the last is known; then arrays are written one by one. Nothing that was written is changed later: the file may
 * be a pipe. The data of each array begins at a multiple of 64 bytes of the file, for those who map it into memory.
 *
 * An array NAME.known, of the same shape, tells which values are there; only where some are absent, and their type has
 * no value for that. An array without dimensions, `meta`, holds a text.
 *
 * Sources: numpy.lib.format (NPY 1.0), PKWARE's APPNOTE (zip). */
#ifndef NPZ_NPZ_H
#define NPZ_NPZ_H

#include "base/bytes/spool.h"
#include "columns/table.h"

/* What an array holds (types.def). */
enum npz_type {
#define NPZ_TYPE(id, width, descr, absent, has_mask) NPZ_##id,
#include "types.def"
    NPZ_TYPES
};

struct npz_options {
    struct spool *spool; /* for rows, and what else is needed at the end of a file only */
    /* Takes the file's bytes, in order. 0, or -1 after a message. */
    int (*write)(void *user, const char *bytes, size_t length);
    void *user;
};

struct npz_file;

/* NULL without memory. The options' pointers must outlive the file. */
struct npz_file *npz_file_new(const struct npz_options *options);
void npz_file_free(struct npz_file *file);

/* Before the file is open; without memory, npz_file_open() fails. */

/* An array of `columns` columns of the table, a row for each of its rows. Of several, or if `is_vector`, it has two
 * dimensions. Arrays have different names: later ones become NAME_2, NAME_3 ...; those that numpy.savez() takes for
 * itself, and `meta`, become NAME_. */
void npz_file_add_array(struct npz_file *file, const char *name, size_t length, enum npz_type type, size_t columns,
                        bool is_vector);
/* The text of `meta`: UTF-8. */
void npz_file_set_meta(struct npz_file *file, const char *text, size_t length);

/* All arrays are known, rows may follow. 0, or -1 after a message. */
int npz_file_open(struct npz_file *file);

/* Adds rows, whose columns are those of the arrays: TEXT is UTF-8. 0, or -1 after a message. */
int npz_file_rows(struct npz_file *file, const struct column_batch *rows);
/* Bytes of memory that rows take. */
size_t npz_file_held(const struct npz_file *file);
/* Frees that memory: sets the rows aside. 0, or -1 after a message. */
int npz_file_ease(struct npz_file *file);
/* Writes the file. 0, or -1 after a message. */
int npz_file_end(struct npz_file *file);

#endif
