#include "thrift.h"

/* Types of the wire; those of bytes and structs are in thrift.h, too. */
enum { END, IS_TRUE, IS_FALSE, I8, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT };

enum { NESTED_MAX = 16, SHORT_LIST_MAX = 14 };

static void fail(struct thrift_reader *reader)
{
    reader->failed = true;
    reader->at = reader->end;
}

static unsigned take_byte(struct thrift_reader *reader)
{
    if (reader->at < reader->end)
        return *reader->at++;
    fail(reader);
    return 0;
}

static uint64_t take_varint(struct thrift_reader *reader)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        unsigned byte = take_byte(reader);
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return number;
    }
    fail(reader);
    return 0;
}

static void take_bytes(struct thrift_reader *reader, uint64_t count)
{
    if (count > (uint64_t)(reader->end - reader->at))
        fail(reader);
    else
        reader->at += count;
}

int64_t thrift_read_integer(struct thrift_reader *reader)
{
    uint64_t number = take_varint(reader);
    return (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
}

bool thrift_read_field(struct thrift_reader *reader, struct thrift_field *field)
{
    unsigned head = take_byte(reader);
    field->type = head & 15;
    if (reader->failed || field->type == END)
        return false;
    int64_t id = head >> 4 ? field->id + (int64_t)(head >> 4) : thrift_read_integer(reader);
    if (id < INT16_MIN || id > INT16_MAX)
        fail(reader);
    field->id = reader->failed ? 0 : (int)id;
    return !reader->failed;
}

const char *thrift_read_binary(struct thrift_reader *reader, size_t *length)
{
    uint64_t count = take_varint(reader);
    const char *bytes = (const char *)reader->at;
    take_bytes(reader, count);
    *length = reader->failed ? 0 : (size_t)count;
    return bytes;
}

size_t thrift_read_list(struct thrift_reader *reader, unsigned *type)
{
    unsigned head = take_byte(reader);
    uint64_t count = head >> 4 > SHORT_LIST_MAX ? take_varint(reader) : head >> 4;
    *type = head & 15;
    if (count > (uint64_t)(reader->end - reader->at))
        fail(reader);
    return reader->failed ? 0 : (size_t)count;
}

static void skip(struct thrift_reader *reader, unsigned type, bool is_element, unsigned depth);

static void skip_struct(struct thrift_reader *reader, unsigned depth)
{
    struct thrift_field field = {0};
    while (thrift_read_field(reader, &field))
        skip(reader, field.type, false, depth + 1);
}

static void skip_list(struct thrift_reader *reader, unsigned depth)
{
    unsigned type;
    size_t count = thrift_read_list(reader, &type);
    for (size_t i = 0; i < count && !reader->failed; i++)
        skip(reader, type, true, depth + 1);
}

/* Parquet has no maps. A field of type bool has its value in its type, an element in a byte. */
static void skip(struct thrift_reader *reader, unsigned type, bool is_element, unsigned depth)
{
    size_t length;
    if (depth > NESTED_MAX)
        fail(reader);
    else if (type == IS_TRUE || type == IS_FALSE)
        take_bytes(reader, is_element);
    else if (type == I8)
        take_bytes(reader, 1);
    else if (type == I16 || type == I32 || type == I64)
        take_varint(reader);
    else if (type == DOUBLE)
        take_bytes(reader, sizeof(double));
    else if (type == BINARY)
        thrift_read_binary(reader, &length);
    else if (type == LIST || type == SET)
        skip_list(reader, depth);
    else if (type == STRUCT)
        skip_struct(reader, depth);
    else
        fail(reader);
}

void thrift_skip(struct thrift_reader *reader, unsigned type)
{
    skip(reader, type, false, 0);
}
