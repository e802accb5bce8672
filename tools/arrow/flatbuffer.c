#include "flatbuffer.h"

static void put(struct buffer *out, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        buffer_char(out, (char)(number >> 8 * i));
}

static void put_zeros(struct buffer *out, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        buffer_char(out, 0);
}

void flat_begin(struct buffer *out)
{
    out->length = 0;
    put_zeros(out, FLAT_OFFSET);
}

void flat_align(struct buffer *out, size_t alignment)
{
    while (!out->failed && out->length % alignment != 0)
        buffer_char(out, 0);
}

void flat_set(struct buffer *out, size_t slot, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes && !out->failed; i++)
        out->data[slot + i] = (char)(number >> 8 * i);
}

void flat_point(struct buffer *out, size_t slot, size_t target)
{
    flat_set(out, slot, target - slot, FLAT_OFFSET);
}

/* A vtable with the place of each member in the table, then the table, which begins with the way back to it. Members
 * are aligned to their sizes, in their order. */
struct flat_table flat_table(struct buffer *out, const unsigned char *sizes, size_t count)
{
    struct flat_table table = {0};
    size_t places[FLAT_SLOTS_MAX] = {0}, end = FLAT_OFFSET, head = (count + 2) * sizeof(uint16_t);
    for (size_t i = 0; i < count; i++) {
        if (sizes[i] == 0)
            continue;
        end += (0 - end) % sizes[i];
        places[i] = end;
        end += sizes[i];
    }
    flat_align(out, FLAT_ALIGNMENT);
    put_zeros(out, (0 - head) % FLAT_ALIGNMENT);
    put(out, head, sizeof(uint16_t));
    put(out, end, sizeof(uint16_t));
    for (size_t i = 0; i < count; i++)
        put(out, places[i], sizeof(uint16_t));
    table.at = out->length;
    put(out, head, FLAT_OFFSET);
    put_zeros(out, end - FLAT_OFFSET);
    for (size_t i = 0; i < count; i++)
        table.slot[i] = places[i] == 0 ? 0 : table.at + places[i];
    return table;
}

size_t flat_text(struct buffer *out, const char *text, size_t length)
{
    flat_align(out, FLAT_OFFSET);
    size_t at = out->length;
    put(out, length, FLAT_OFFSET);
    buffer_put(out, text, length);
    buffer_char(out, 0);
    return at;
}

size_t flat_offsets(struct buffer *out, size_t count)
{
    flat_align(out, FLAT_OFFSET);
    size_t at = out->length;
    put(out, count, FLAT_OFFSET);
    put_zeros(out, count * FLAT_OFFSET);
    return at;
}

size_t flat_structs(struct buffer *out, size_t count)
{
    flat_align(out, FLAT_ALIGNMENT);
    put_zeros(out, FLAT_ALIGNMENT - FLAT_OFFSET);
    size_t at = out->length;
    put(out, count, FLAT_OFFSET);
    return at;
}
