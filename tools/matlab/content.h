/* What a file is to hold, whatever its kind. */
#ifndef MATLAB_CONTENT_H
#define MATLAB_CONTENT_H

#include "store.h"

/* A variable as it is written. */
struct matlab_variable {
    const char *name;
    const char *source; /* the name it had before; the same if it could stay */
    const char *unit;   /* or "" */
    enum matlab_class class;
    size_t first;      /* column */
    size_t columns;    /* of the table; a variable of texts has one */
    bool is_absence;   /* tells which rows have no value */
    size_t characters; /* of a variable of texts: its width */
};

/* A part of `meta`: a structure, a text, or a column of values. */
enum matlab_node_kind { MATLAB_NODE_STRUCT, MATLAB_NODE_TEXTS, MATLAB_NODE_NUMBERS };

struct matlab_node {
    const char *name;
    enum matlab_node_kind kind;
    const char **texts; /* rows of a matrix of characters */
    int32_t *numbers;
    size_t count;
    struct matlab_node *children; /* the first */
    struct matlab_node *last;
    struct matlab_node *next;
};

struct matlab_content {
    const struct matlab_store *store;
    struct matlab_variable *variables;
    size_t count;
    struct matlab_node *meta;
    struct packer *packer;
    char head[117]; /* the text at the beginning of a MAT-file */
};

/* Rows of a matrix of characters as wide as the longest text, padded with blanks, column after column. NULL without
 * memory; the caller frees. Sets *width. */
uint16_t *matlab_characters(const char *const *texts, size_t count, size_t *width);

/* The kinds of files. */

/* Write the whole content to `path`, which exists. */
enum matlab_outcome matlab_hdf5_write(const struct matlab_content *content, const char *path, bool is_mat, int *error);
enum matlab_outcome matlab_v5_write(const struct matlab_content *content, const char *path, int *error);

/* Whether a file of version 5 can hold a variable of that many rows of that size. */
static inline bool matlab_v5_holds(uint64_t rows, size_t row_bytes)
{
    return row_bytes == 0 || rows <= (((uint64_t)1 << 31) - 1024) / row_bytes;
}

/* Rows of a variable as the file has them: of its class, column after column. */

/* Fills a row of characters with the column's next text and with blanks: unit i goes to out[i * stride]. 0, or -1 after
 * a message. */
int matlab_texts_row(struct column_texts *texts, const struct matlab_content *content,
                     const struct matlab_variable *variable, uint16_t *out, size_t stride);

/* Values of some rows, as they were set aside. */
struct matlab_block {
    struct buffer values;  /* of each column */
    struct buffer present; /* presence bits of each column, in words */
    size_t rows;
    struct column_texts *texts; /* of each column, of a variable that is parsed */
    size_t texts_count;
};

/* Loads rows; those of a variable that is parsed in order, with the same block. 0, or -1 after a message. */
int matlab_block_load(struct matlab_block *block, const struct matlab_content *content,
                      const struct matlab_variable *variable, uint64_t from, size_t rows);
void matlab_block_free(struct matlab_block *block);
/* Converts a column to the variable's class: to `rows` values at `out`. */
void matlab_block_column(const struct matlab_block *block, const struct matlab_content *content,
                         const struct matlab_variable *variable, size_t column, char *out);

#endif
