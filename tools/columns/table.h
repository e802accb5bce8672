/* A table of typed columns, filled row by row, in memory. Its rows are kept in blocks, so that nothing moves as it
 * grows: in a block each column has its presence bits and its values. When it is full, its owner writes its columns, or
 * sets them aside (below), and clears it. */
#ifndef COLUMNS_TABLE_H
#define COLUMNS_TABLE_H

#include "base/text/buffer.h"
#include "base/bytes/spool.h"

/* ---- rows on their way into a table, made by any thread ---- */

/* A text, as offset and length in the batch's texts. */
struct column_text {
    uint32_t at;
    uint32_t length;
};

struct column_batch {
    size_t rows;
    size_t columns;
    const uint64_t *present; /* of each column in turn: bit row % 64 of word row / 64; bits beyond the rows are 0 */
    const uint64_t *values;  /* of each column in turn, a word for each row: a number, the bits of a double, a
                              * column_text; 0 where absent */
    const char *texts;
    size_t text_bytes;
};

void column_batch_put(const struct column_batch *batch, struct buffer *out);
/* What column_batch_put() appended; its address is a multiple of 8. */
struct column_batch column_batch_get(const char *bytes);

/* ---- a table ---- */

struct held_column {
    unsigned width;      /* bytes of a value, in the machine's order: 8, 4 or 1; 0: texts */
    size_t before;       /* widths of the columns before it */
    size_t count;        /* values */
    struct buffer texts; /* those that are present, each after its length in four bytes, little-endian */
};

struct held_block {
    size_t rows;
    size_t room;
    uint64_t *present; /* of each column, one after another; the block's memory begins here */
    char *values;      /* the same; 0 where absent */
};

struct column_table {
    /* Set before the first column: it is full when it has this many rows, or its values, or texts, take this many
     * bytes. */
    size_t most_rows, most_bytes;
    struct held_column *columns;
    size_t column_count;
    size_t text_count; /* columns of texts */
    size_t width;      /* of a row, but for its texts */
    size_t rows;
    size_t rows_max;
    size_t block_rows; /* of all blocks but the last: a multiple of 64 */
    struct held_block *blocks;
    size_t block_count; /* those in use */
    size_t block_room;  /* all */
    size_t block_bytes; /* memory of all blocks */
    size_t text_bytes;  /* of all columns */
};

/* 0, or -1 without memory. */
int column_table_add_column(struct column_table *table, unsigned width);
void column_table_free(struct column_table *table);
bool column_table_is_full(const struct column_table *table);
/* Adds rows from row `from` on until the table is full. Returns the first that did not fit, or SIZE_MAX without
 * memory. */
size_t column_table_add(struct column_table *table, const struct column_batch *batch, size_t from);
/* Bytes of memory. */
size_t column_table_held(const struct column_table *table);
/* Forgets the rows. `all`: gives their memory back. */
void column_table_clear(struct column_table *table, bool all);

/* Append a column's presence bits, in words; its values, or texts; the same of the rows that have one. */
void column_table_present(const struct column_table *table, size_t column, struct buffer *out);
void column_table_values(const struct column_table *table, size_t column, struct buffer *out);
void column_table_values_present(const struct column_table *table, size_t column, struct buffer *out);

/* Copies neighbouring columns of numbers of one width, row by row. */
void column_table_rows(const struct column_table *table, size_t first, size_t columns, char *out);

/* ---- a file of columns, while its rows come: what its kinds have in common ---- */

struct column_output {
    struct spool *spool; /* for rows, and what else is needed at the end of a file only */
    /* Takes the file's bytes, in order. 0, or -1 after a message. NULL: the kind writes the file itself, at its end. */
    int (*write)(void *user, const char *bytes, size_t length);
    void *user;
};

/* The structures of its kinds begin with it. */
struct column_file {
    const struct column_file_kind *kind;
    struct column_output output;
    struct column_table table; /* rows in memory */
    uint64_t offset;           /* bytes written */
    bool failed;               /* memory ran out before the file was open */
};

/* They return 0, or -1 after a message. */
struct column_file_kind {
    /* All columns and notes are known, rows may follow. */
    int (*open)(struct column_file *file);
    /* Writes the rows in memory, or sets them aside; the table keeps them. */
    int (*flush)(struct column_file *file);
    /* Writes the end; no row is in memory. `name` is what messages call the file. */
    int (*end)(struct column_file *file, const char *name);
    void (*free)(struct column_file *file);
};

/* Adds rows, whose columns are the table's: of a time, nanoseconds since the epoch; texts are UTF-8. The same. */
int column_file_rows(struct column_file *file, const struct column_batch *rows);
/* Writes the rows in memory, or sets them aside. `all`: gives their memory back. The same. */
int column_file_ease(struct column_file *file, bool all);
/* Writes the rows in memory, and the end. The same. */
int column_file_end(struct column_file *file, const char *name);
/* NULL is fine. */
void column_file_free(struct column_file *file);
/* For the kinds: writes bytes of the file. The same. */
int column_file_write(struct column_file *file, const char *bytes, size_t length);

/* ---- presence bits ---- */

enum { COLUMN_WORD_BITS = 64 };

static inline size_t column_words_of(size_t rows)
{
    return (rows + COLUMN_WORD_BITS - 1) / COLUMN_WORD_BITS;
}

/* Copies bits `from` to from + count - 1 of `words` to bit `at` and on of `bits`; later bits of the last word become 0.
 * Returns how many are 1. */
size_t column_bits_copy(const uint64_t *words, size_t from, size_t count, uint64_t *bits, size_t at);

/* Tables that are set aside until all of a file's rows are known: pieces, in the spool. */

struct column_piece {
    uint64_t places; /* where the spool has the places of its parts, and of the end */
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
/* Sets a table's rows aside, a part for each column; it keeps them. 0, or -1 after a message. */
int column_pieces_add(struct column_pieces *pieces, const struct column_table *table);
/* Sets that many rows aside, as parts that `put` appends. The same. */
int column_pieces_add_parts(struct column_pieces *pieces, size_t rows, size_t parts,
                            void (*put)(void *user, size_t part, struct buffer *out), void *user);
/* Copies bytes of a part of a piece, from byte `from` on. 0, or -1 after a message. */
int column_pieces_part(const struct column_pieces *pieces, size_t part, const struct column_piece *piece, size_t from,
                       size_t length, void *bytes);
/* Copies a column's values, of that width, and presence bits, unless NULL. 0, or -1 after a message. */
int column_pieces_get(const struct column_pieces *pieces, size_t column, unsigned width, uint64_t from, size_t count,
                      char *values, uint64_t *present);
/* The texts of a piece, in `bytes`: its presence bits, in words, then the texts as in a table, which begin at *texts.
 * 0, or -1 after a message. */
int column_pieces_texts(const struct column_pieces *pieces, size_t column, const struct column_piece *piece,
                        struct buffer *bytes, const char **texts);

/* Reads a column of texts, row by row; zeroed but for pieces and column at first. */
struct column_texts {
    const struct column_pieces *pieces;
    size_t column;       /* or the part that has what column_pieces_add() puts of it */
    size_t piece;        /* the next one */
    struct buffer bytes; /* of the piece: presence bits, then texts */
    const char *at;      /* the next text */
    size_t row, rows;    /* in the piece */
};

/* The text at *at of a column's texts; sets *at to the next one. */
const char *column_text_next(const char **at, size_t *length);
/* The next row's text, or NULL. 0, or -1 after a message. */
int column_texts_next(struct column_texts *texts, const char **text, size_t *length);
void column_texts_free(struct column_texts *texts);

#endif
