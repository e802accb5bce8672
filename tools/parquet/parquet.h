/* Writes Parquet files. Knows columns, rows and bytes, but neither captures nor files on a disk.
 *
 * A file is a series of row groups, each with one page per column, and a footer. The rows of a group are kept in memory
 * until it is full; columns are then encoded and compressed on the packer's threads. All columns are flat and optional.
 * Source: apache/parquet-format: README.md, Encodings.md, LogicalTypes.md, parquet.thrift. */
#ifndef PARQUET_PARQUET_H
#define PARQUET_PARQUET_H

#include "base/bytes/compression.h"
#include "columns/table.h"

/* What a column holds (types.def). */
enum parquet_type {
#define PARQUET_TYPE(id, ...) PARQUET_##id,
#include "types.def"
    PARQUET_TYPES
};

struct parquet_options {
    struct packer *packer;
    const char *created_by; /* "armtap version 0.2.0 (build 0)": readers expect this form */
    bool splits_bytes; /* numbers by their first bytes, second bytes ...: smaller, but older Sparks cannot read it */
    bool is_sorted_by_first; /* the first column rises, if all its values do */
};

/* NULL without memory. The pointers of both must outlive the file. Row groups end where rows are eased from memory. */
struct column_file *parquet_file_new(const struct column_output *output, const struct parquet_options *options);

/* Before the file is open. Names of columns are made different from each other, ignoring case: Spark and DuckDB do.
 * Without memory, opening it fails. */
void parquet_file_add_column(struct column_file *file, const char *name, size_t length, enum parquet_type type);
/* Before the file ends; what is added while it is open is kept in memory. */
void parquet_file_add_note(struct column_file *file, const char *key, const char *value, size_t length);

/* ---- what is there ---- */

/* Bytes at the end of a file that tell the length of its footer, which is right before them. */
#define PARQUET_TAIL 8
/* That length; 0: it is no Parquet file. */
size_t parquet_footer_length(const char tail[PARQUET_TAIL]);

/* What a footer says. Keys and values of notes are not terminated. */
struct parquet_reader {
    void (*on_note)(void *user, const char *key, size_t key_length, const char *value, size_t value_length);
    void *user;
    uint64_t rows; /* is set */
};
/* Whether the footer is one of a Parquet file; if not, some notes may have been told. */
bool parquet_footer_read(const char *footer, size_t length, struct parquet_reader *reader);

#endif
