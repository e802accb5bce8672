/* A column of a row group as one page: levels and values, compressed, behind a header. */
#ifndef PARQUET_PAGE_H
#define PARQUET_PAGE_H

#include "base/bytes/compression.h"
#include "columns/table.h"
#include "parquet.h"

/* The least and the greatest value, as in the file. */
struct parquet_range {
    bool is_known;
    bool rises; /* of integers: no value is less than the one before */
    char low[8], high[8];
};

struct parquet_page {
    struct buffer *bytes; /* header and body, but for the first `skip` */
    size_t skip;
    size_t plain_size; /* before compression, with the header */
    size_t nulls;
    struct parquet_range range;
};

/* Encodings and codecs, numbers as in parquet.thrift. */
enum parquet_encoding { PARQUET_PLAIN = 0, PARQUET_RLE = 3, PARQUET_BYTE_STREAM_SPLIT = 9 };
enum parquet_encoding parquet_page_encoding(enum parquet_type type, bool splits_bytes);
int parquet_page_codec(enum compression compression);

/* Makes the page of a column in page->bytes, which it empties before. Sets page->bytes->failed without memory. */
void parquet_page_make(struct parquet_page *page, const struct column_table *group, size_t column,
                       enum parquet_type type, bool splits_bytes, struct packer_desk *desk);

/* ---- parts, for tests ---- */

/* Makes values, in memory as columns/table has them, those of the file. */
void parquet_page_order(enum parquet_type type, char *values, size_t count);
/* Appends definition levels: which of `rows` rows have a value. */
void parquet_page_levels(struct buffer *out, const uint64_t *present, size_t rows);
struct parquet_range parquet_range_of(enum parquet_type type, const char *values, size_t count);

/* The types of columns, as Parquet stores them (types.def). */

/* Numbers as in parquet.thrift. */
enum parquet_physical {
    PARQUET_PHYSICAL_BOOLEAN = 0,
    PARQUET_PHYSICAL_INT32 = 1,
    PARQUET_PHYSICAL_INT64 = 2,
    PARQUET_PHYSICAL_DOUBLE = 5,
    PARQUET_PHYSICAL_BYTE_ARRAY = 6
};
enum parquet_logical {
    PARQUET_LOGICAL_NONE,
    PARQUET_LOGICAL_UINT8,
    PARQUET_LOGICAL_UINT32,
    PARQUET_LOGICAL_UINT64,
    PARQUET_LOGICAL_TIMESTAMP_MICROS,
    PARQUET_LOGICAL_STRING
};

#define PARQUET_NOT_CONVERTED (-1)

struct parquet_type_row {
    enum parquet_physical physical;
    unsigned width; /* bytes of a value in memory and, but for BOOLEAN, in the file; 0: a text */
    int converted;  /* type; PARQUET_NOT_CONVERTED: none */
    enum parquet_logical logical;
};

const struct parquet_type_row *parquet_type_row(enum parquet_type type);

#endif
