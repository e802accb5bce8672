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

#include "columns/table.h"

/* What an array holds (types.def). */
enum npz_type {
#define NPZ_TYPE(id, width, descr, absent, has_mask) NPZ_##id,
#include "types.def"
    NPZ_TYPES
};

/* NULL without memory. The output's pointers must outlive the file. */
struct column_file *npz_file_new(const struct column_output *output);

/* Before the file is open; without memory, opening it fails. */

/* An array of `columns` columns of the table, a row for each of its rows. Of several, or if `is_vector`, it has two
 * dimensions. Arrays have different names: later ones become NAME_2, NAME_3 ...; those that numpy.savez() takes for
 * itself, `meta`, and those that end in `.known` become NAME_. Returns the array's name, up to the next array; ""
 * without memory. */
const char *npz_file_add_array(struct column_file *file, const char *name, size_t length, enum npz_type type,
                               size_t columns, bool is_vector);
/* The text of `meta`: UTF-8. */
void npz_file_set_meta(struct column_file *file, const char *text, size_t length);

#endif
