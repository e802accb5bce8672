/* The frame of a Parquet file: its magic at both ends, and a footer that is one whole struct of Thrift's compact
 * protocol, whose length stands behind it. tests/parquet-check reads the values. */
#include <string.h>

#include "judge.h"

#define MAGIC "PAR1"

enum { TRUE = 1, FALSE, I8, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT };

static bool skip_struct(struct span *rest, unsigned depth);

static bool skip(struct span *rest, size_t length)
{
    if (length > rest->length)
        return false;
    *rest = (struct span){rest->at + length, rest->length - length};
    return true;
}

static bool take_byte(struct span *rest, unsigned *byte)
{
    *byte = rest->length > 0 ? (unsigned char)*rest->at : 0;
    return skip(rest, 1);
}

static bool take_varint(struct span *rest, unsigned long long *number)
{
    unsigned byte = 0x80;
    *number = 0;
    for (unsigned shift = 0; (byte & 0x80) != 0; shift += 7) {
        if (shift > 63 || !take_byte(rest, &byte))
            return false;
        *number |= (unsigned long long)(byte & 0x7f) << shift;
    }
    return true;
}

static bool skip_value(struct span *rest, unsigned type, unsigned depth);

static bool skip_list(struct span *rest, unsigned depth)
{
    unsigned head;
    unsigned long long count;
    if (!take_byte(rest, &head))
        return false;
    count = head >> 4;
    if (count == 15 && !take_varint(rest, &count))
        return false;
    for (; count > 0; count--)
        if (!skip_value(rest, head & 15, depth))
            return false;
    return true;
}

/* A truth is in the head of a field. */
static bool skip_value(struct span *rest, unsigned type, unsigned depth)
{
    unsigned long long number;
    switch (type) {
    case TRUE:
    case FALSE:
        return true;
    case I8:
        return skip(rest, 1);
    case I16:
    case I32:
    case I64:
        return take_varint(rest, &number);
    case DOUBLE:
        return skip(rest, 8);
    case BINARY:
        return take_varint(rest, &number) && number <= rest->length && skip(rest, (size_t)number);
    case LIST:
        return skip_list(rest, depth);
    case STRUCT:
        return depth < 16 && skip_struct(rest, depth + 1);
    default:
        return false;
    }
}

static bool skip_struct(struct span *rest, unsigned depth)
{
    unsigned head;
    unsigned long long id;
    while (take_byte(rest, &head)) {
        if (head == 0)
            return true;
        if ((head >> 4 == 0 && !take_varint(rest, &id)) || !skip_value(rest, head & 15, depth))
            return false;
    }
    return false;
}

const char *judge_parquet(struct span text, size_t *at)
{
    enum { TAIL = 8 };
    size_t size = 0;
    *at = 0;
    if (text.length == 0)
        return NULL;
    if (text.length < strlen(MAGIC) + TAIL || memcmp(text.at, MAGIC, strlen(MAGIC)) != 0)
        return "no magic at the start";
    *at = text.length - TAIL;
    if (memcmp(text.at + *at + 4, MAGIC, strlen(MAGIC)) != 0)
        return "no magic at the end";
    for (unsigned i = 0; i < 4; i++)
        size |= (size_t)(unsigned char)text.at[*at + i] << 8 * i;
    if (size > *at - strlen(MAGIC))
        return "a footer longer than the file";
    struct span footer = {text.at + *at - size, size};
    *at -= size;
    return skip_struct(&footer, 0) && footer.length == 0 ? NULL : "a footer that is no struct";
}
