/* Rows of a variable as the file has them: of its class, column after column. */
#ifndef MATLAB_BLOCK_H
#define MATLAB_BLOCK_H

#include "content.h"

/* Reads a column of texts, row by row; zeroed but for content and column at first. */
struct matlab_texts {
    const struct matlab_content *content;
    size_t column;
    size_t piece;        /* the next one */
    struct buffer bytes; /* of the piece: presence bits, then texts */
    const char *at;      /* the next text */
    size_t row, rows;    /* in the piece */
};

/* The next row's text, or NULL. 0, or -1 after a message. */
int matlab_texts_next(struct matlab_texts *texts, const char **text, size_t *length);
/* Fills a row of characters with it and with blanks: unit i goes to out[i * stride]. 0, or -1 after a message. */
int matlab_texts_row(struct matlab_texts *texts, const struct matlab_variable *variable, uint16_t *out, size_t stride);
void matlab_texts_free(struct matlab_texts *texts);

/* Values of some rows, as they were set aside. */
struct matlab_block {
    struct buffer values;  /* of each column */
    struct buffer present; /* presence bits of each column, in words */
    size_t rows;
    struct matlab_texts *texts; /* of each column, of a variable that is parsed */
    size_t texts_count;
};

/* Whether the variable's values are parsed from JSON. */
bool matlab_is_parsed(const struct matlab_content *content, const struct matlab_variable *variable);
/* Loads rows; those of a variable that is parsed in order, with the same block. 0, or -1 after a message. */
int matlab_block_load(struct matlab_block *block, const struct matlab_content *content,
                      const struct matlab_variable *variable, uint64_t from, size_t rows);
void matlab_block_free(struct matlab_block *block);
/* Converts a column to the variable's class: to `rows` values at `out`. */
void matlab_block_column(const struct matlab_block *block, const struct matlab_content *content,
                         const struct matlab_variable *variable, size_t column, char *out);

#endif
