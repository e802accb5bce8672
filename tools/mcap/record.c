#include "record.h"

#include "base/numbers/byte_order.h"

size_t record_begin(struct buffer *out, enum mcap_opcode opcode)
{
    size_t begin = out->length;
    record_u8(out, opcode);
    record_u64(out, 0);
    return begin;
}

void record_end(struct buffer *out, size_t begin)
{
    if (!out->failed)
        le64_store(out->data + begin + 1, out->length - begin - MCAP_HEAD);
}

void record_u8(struct buffer *out, unsigned number)
{
    buffer_char(out, (char)number);
}

void record_u16(struct buffer *out, unsigned number)
{
    char bytes[2];
    store_u16(bytes, number);
    buffer_put(out, bytes, sizeof bytes);
}

void record_u32(struct buffer *out, uint32_t number)
{
    char bytes[4];
    le32_store(bytes, number);
    buffer_put(out, bytes, sizeof bytes);
}

void record_u64(struct buffer *out, uint64_t number)
{
    char bytes[8];
    le64_store(bytes, number);
    buffer_put(out, bytes, sizeof bytes);
}

void record_bytes(struct buffer *out, const char *bytes, size_t length)
{
    record_u32(out, (uint32_t)length);
    buffer_put(out, bytes, length);
}

void record_text(struct buffer *out, const char *text)
{
    record_bytes(out, text, strlen(text));
}
