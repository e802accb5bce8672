/* Tables that are set aside until all of a file's rows are known: pieces, in the spool. */
#ifndef COLUMNS_PIECES_H
#define COLUMNS_PIECES_H

#include "base/bytes/spool.h"
#include "table.h"

struct column_piece {
    uint64_t places; /* where the spool has the places of its columns, and of the end */
    uint64_t first;  /* row */
    size_t rows;
};

struct column_pieces {
    struct spool *spool;
    struct column_piece *piece;
    size_t count;
    uint64_t rows; /* of all pieces */
};

void column_pieces_free(struct column_pieces *pieces);
/* Sets a table's rows aside; it keeps them. 0, or -1 after a message. */
int column_pieces_add(struct column_pieces *pieces, const struct column_table *table);
/* Copies a column's values, of that width, and presence bits. 0, or -1 after a message. */
int column_pieces_get(const struct column_pieces *pieces, size_t column, unsigned width, uint64_t from, size_t count,
                      char *values, uint64_t *present);
/* The texts of a piece, in `bytes`: its presence bits, in words, then the texts as in a table, which begin at *texts.
 * 0, or -1 after a message. */
int column_pieces_texts(const struct column_pieces *pieces, size_t column, const struct column_piece *piece,
                        struct buffer *bytes, const char **texts);

#endif
