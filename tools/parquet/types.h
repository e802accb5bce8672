/* The types of columns, as Parquet stores them (types.def). */
#ifndef PARQUET_TYPES_H
#define PARQUET_TYPES_H

#include "parquet.h"

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
