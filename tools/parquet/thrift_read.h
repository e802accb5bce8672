/* Reads Thrift's compact protocol (thrift.h) from bytes that nothing is known of. */
#ifndef PARQUET_THRIFT_READ_H
#define PARQUET_THRIFT_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is left of the bytes. */
struct thrift_reader {
    const uint8_t *at, *end;
    bool failed; /* the bytes are not Thrift, or end too early; every further call fails */
};

/* A field of a struct. */
struct thrift_field {
    int id;
    unsigned type;
};

/* The next field of a struct, whose id follows field->id, which starts as 0. False at the struct's end. */
bool thrift_read_field(struct thrift_reader *reader, struct thrift_field *field);
/* The value of a field of an integer type. */
int64_t thrift_read_integer(struct thrift_reader *reader);
/* A text, or bytes: they stay where they are. */
const char *thrift_read_binary(struct thrift_reader *reader, size_t *length);
/* The head of a list: the number of its elements, each of at least one byte, and their type. */
size_t thrift_read_list(struct thrift_reader *reader, unsigned *type);
/* Passes over a value. */
void thrift_skip(struct thrift_reader *reader, unsigned type);

#endif
