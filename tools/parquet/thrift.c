#include "thrift.h"

/* Types of fields that no list has. */
enum { TYPE_TRUE = 1, TYPE_FALSE = 2, TYPE_I8 = 3, TYPE_I16 = 4, TYPE_LIST = 9 };

enum { SHORT_STEP_MAX = 15, SHORT_LIST_MAX = 14 };

void thrift_varint(struct buffer *out, uint64_t number)
{
    for (; number > 0x7f; number >>= 7)
        buffer_char(out, (char)((number & 0x7f) | 0x80));
    buffer_char(out, (char)number);
}

/* Small numbers of either sign become small numbers. */
static uint64_t zigzag(int64_t number)
{
    return number < 0 ? ~((uint64_t)number << 1) : (uint64_t)number << 1;
}

static void put_integer(struct thrift *thrift, int64_t number)
{
    thrift_varint(thrift->out, zigzag(number));
}

static void put_head(struct thrift *thrift, int id, unsigned type)
{
    int step = id - thrift->last[thrift->depth];
    thrift->last[thrift->depth] = id;
    if (step > 0 && step <= SHORT_STEP_MAX) {
        buffer_char(thrift->out, (char)((unsigned)step << 4 | type));
        return;
    }
    buffer_char(thrift->out, (char)type);
    put_integer(thrift, id);
}

void thrift_begin(struct thrift *thrift)
{
    thrift->last[++thrift->depth] = 0;
}

void thrift_struct(struct thrift *thrift, int id)
{
    put_head(thrift, id, THRIFT_STRUCT);
    thrift_begin(thrift);
}

void thrift_end(struct thrift *thrift)
{
    buffer_char(thrift->out, 0);
    thrift->depth--;
}

void thrift_empty(struct thrift *thrift, int id)
{
    thrift_struct(thrift, id);
    thrift_end(thrift);
}

void thrift_bool(struct thrift *thrift, int id, bool value)
{
    put_head(thrift, id, value ? TYPE_TRUE : TYPE_FALSE);
}

void thrift_i8(struct thrift *thrift, int id, int8_t value)
{
    put_head(thrift, id, TYPE_I8);
    buffer_char(thrift->out, (char)value);
}

void thrift_i16(struct thrift *thrift, int id, int16_t value)
{
    put_head(thrift, id, TYPE_I16);
    put_integer(thrift, value);
}

void thrift_i32(struct thrift *thrift, int id, int32_t value)
{
    put_head(thrift, id, THRIFT_I32);
    put_integer(thrift, value);
}

void thrift_i64(struct thrift *thrift, int id, int64_t value)
{
    put_head(thrift, id, THRIFT_I64);
    put_integer(thrift, value);
}

static void put_bytes(struct thrift *thrift, const void *bytes, size_t length)
{
    thrift_varint(thrift->out, length);
    buffer_put(thrift->out, bytes, length);
}

void thrift_binary(struct thrift *thrift, int id, const void *bytes, size_t length)
{
    put_head(thrift, id, THRIFT_BINARY);
    put_bytes(thrift, bytes, length);
}

void thrift_string(struct thrift *thrift, int id, const char *text)
{
    thrift_binary(thrift, id, text, strlen(text));
}

void thrift_list(struct thrift *thrift, int id, enum thrift_type type, size_t count)
{
    put_head(thrift, id, TYPE_LIST);
    bool is_short = count <= SHORT_LIST_MAX;
    buffer_char(thrift->out, (char)((is_short ? (unsigned)count << 4 : 0xf0) | type));
    if (!is_short)
        thrift_varint(thrift->out, count);
}

void thrift_element_i32(struct thrift *thrift, int32_t value)
{
    put_integer(thrift, value);
}

void thrift_element_string(struct thrift *thrift, const char *text)
{
    put_bytes(thrift, text, strlen(text));
}
