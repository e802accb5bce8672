/* Writes files of MATLAB variables: MAT-files of version 7.3, which are HDF5, plain HDF5, and MAT-files of version 5.
 * Knows columns, rows and files, but no captures.
 *
 * A variable is a matrix with a row for each row of the table. Its class may depend on all of its values, and all its
 * rows are written together, so rows are set aside in the spool until the end of the file. Then variables are written
 * one by one; their values are compressed on the packer's threads. libhdf5 is called from one thread only.
 *
 * Sources: The MathWorks, MAT-File Format (version 5); what libmatio writes (version 7.3). */
#ifndef MATLAB_MATLAB_H
#define MATLAB_MATLAB_H

#include "base/process/libraries.h"
#include "base/bytes/compression.h"
#include "columns/table.h"

/* What a column holds (types.def). */
enum matlab_type {
#define MATLAB_TYPE(id, width, class) MATLAB_##id,
#include "types.def"
    MATLAB_TYPES
};

enum matlab_kind { MATLAB_KIND_73, MATLAB_KIND_HDF5, MATLAB_KIND_5 };

/* Load the library of a kind of file, which stays loaded: before an interface is opened, since its sandbox lets nothing
 * be executed that is not there. 0, or -1 after a message. */
int matlab_hdf5_load(void);
int matlab_v5_load(void);
/* That armtap was built with: "libhdf5 version 1.10.8", or "built without libhdf5". */
const char *matlab_hdf5_library(char text[64]);
const char *matlab_matio_library(char text[64]);

/* NULL without memory. The pointers must outlive the file, which ends by matlab_file_end(): the output needs no
 * write(). */
struct column_file *matlab_file_new(const struct column_output *output, enum matlab_kind kind, struct packer *packer);

/* Before the file is open. Names become those of MATLAB's variables, different from each other: letters, digits and
 * underscores, 63 at most, first a letter. Without memory, opening it fails. */

/* A variable of that many columns. `unit` may be empty. */
void matlab_file_add_variable(struct column_file *file, const char *name, size_t length, enum matlab_type type,
                              size_t columns, const char *unit);
/* The name of a value, or of a bit, of the latest variable: for `meta`, where numbers are of class int32. */
void matlab_file_add_value(struct column_file *file, bool is_bit, int32_t value, const char *name);
/* A text in `meta`. */
void matlab_file_add_note(struct column_file *file, const char *key, const char *value);

enum matlab_outcome {
    MATLAB_OK,
    MATLAB_FAILED, /* after a message */
    MATLAB_SYSTEM  /* the file cannot be written: *error is the system's error number */
};

/* Writes the file: `path` exists, and its content is replaced; `name` is what messages call it. The first time of its
 * first column stands in the file's head. */
enum matlab_outcome matlab_file_end(struct column_file *file, const char *path, const char *name, int *error);

#endif
