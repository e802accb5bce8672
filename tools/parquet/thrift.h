/* Writes and reads Thrift's compact protocol, in which Parquet's headers and footer are written. Source: apache/thrift,
 * doc/specs/thrift-compact-protocol.md. */
#ifndef PARQUET_THRIFT_H
#define PARQUET_THRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text/buffer.h"

/* Types of list elements. */
enum thrift_type { THRIFT_I32 = 5, THRIFT_I64 = 6, THRIFT_BINARY = 8, THRIFT_STRUCT = 12 };

/* A struct inside a struct, the outermost first. */
#define THRIFT_DEPTH_MAX 8

/* Starts as zeros but for `out`. Fields of a struct are written in the order of their ids. */
struct thrift {
    struct buffer *out;
    int last[THRIFT_DEPTH_MAX]; /* id of the last field of each struct */
    unsigned depth;
};

/* Begins the outermost struct, or one that is an element of a list. thrift_end() ends it. */
void thrift_begin(struct thrift *thrift);
/* Begins a struct that is a field. */
void thrift_struct(struct thrift *thrift, int id);
void thrift_end(struct thrift *thrift);
/* An empty struct as a field: how a union names one of its kinds. */
void thrift_empty(struct thrift *thrift, int id);
void thrift_bool(struct thrift *thrift, int id, bool value);
void thrift_i8(struct thrift *thrift, int id, int8_t value);
void thrift_i16(struct thrift *thrift, int id, int16_t value);
void thrift_i32(struct thrift *thrift, int id, int32_t value);
void thrift_i64(struct thrift *thrift, int id, int64_t value);
void thrift_binary(struct thrift *thrift, int id, const void *bytes, size_t length);
void thrift_string(struct thrift *thrift, int id, const char *text);
/* Begins a list as a field; `count` elements follow. */
void thrift_list(struct thrift *thrift, int id, enum thrift_type type, size_t count);
/* Elements of lists. */
void thrift_element_i32(struct thrift *thrift, int32_t value);
void thrift_element_string(struct thrift *thrift, const char *text);

/* A number in groups of seven bits, the low ones first; Parquet also uses it outside Thrift. */
void thrift_varint(struct buffer *out, uint64_t number);

/* ---- reading, from bytes that may be anything ---- */

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
