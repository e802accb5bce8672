/* Arrays as bytes: their headers, and their values row by row. */
#ifndef NPZ_NPY_H
#define NPZ_NPY_H

#include "npz.h"

struct npz_array {
    enum npz_type type;
    size_t part;  /* of a piece: its number */
    size_t first; /* of its columns in the table */
    size_t columns;
    bool is_vector;
    bool has_absent;
    size_t characters;   /* of texts: those of the longest */
    uint64_t text_bytes; /* with a length before each */
    uint32_t checksum;   /* of numbers: of the rows that were set aside, as they will be written */
};

struct npz_type_row {
    unsigned width; /* bytes of a value; 0: texts */
    const char *descr;
    uint64_t absent;
    bool has_mask;
};

const struct npz_type_row *npz_type_row(enum npz_type type);

/* Appends a header of that many rows; `columns` of 0: no second dimension. `width` follows descr, unless 0. */
void npz_put_header(struct buffer *out, const char *descr, size_t width, uint64_t rows, size_t columns);
/* The same of an array without dimensions. */
void npz_put_header_of_one(struct buffer *out, const char *descr, size_t width);

/* Appends a text as UTF-32 code points; returns how many. */
size_t npz_put_text(struct buffer *out, const char *text, size_t length, size_t most);

/* Appends what is set aside of the rows of a table: presence bits of each column, in words, if the array may have a
 * mask; then numbers as the file has them, and their checksum is added; or texts as in the table. */
void npz_put_part(struct npz_array *array, const struct column_table *table, struct buffer *out);

/* Reads an array from the rows that were set aside, from the first on. Zeroed but for what is const at first. */
struct npz_reader {
    const struct column_pieces *pieces;
    const struct npz_array *array;
    bool is_mask;
    size_t piece; /* the next one */
    uint64_t row; /* the next one of texts */
    struct column_texts texts;
    struct buffer present;
};

/* Bytes of a row of the array, or of its mask. */
size_t npz_row_bytes(const struct npz_array *array, bool is_mask);
/* Appends some of the next rows to `out`: none at the end. 0, or -1 after a message. */
int npz_read(struct npz_reader *reader, struct buffer *out);
void npz_reader_free(struct npz_reader *reader);

#endif
