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

#endif
