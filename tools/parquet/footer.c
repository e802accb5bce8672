/* Field ids as in parquet.thrift: FileMetaData, SchemaElement, RowGroup, ColumnChunk, ColumnMetaData, Statistics. */
#include "footer.h"

#include "page.h"
#include "base/numbers/byte_order.h"
#include "parquet.h"
#include "thrift.h"

enum { FORMAT_VERSION = 2, OPTIONAL = 1 };

/* ---- the schema -------------------------------------------------------------------------------------------------- */

static void put_integer_type(struct thrift *thrift, int8_t bits)
{
    thrift_struct(thrift, 10);
    thrift_i8(thrift, 1, bits);
    thrift_bool(thrift, 2, false);
    thrift_end(thrift);
}

static void put_timestamp_type(struct thrift *thrift)
{
    enum { MICROS = 2 };
    thrift_struct(thrift, 8);
    thrift_bool(thrift, 1, true); /* in UTC */
    thrift_struct(thrift, 2);
    thrift_empty(thrift, MICROS);
    thrift_end(thrift);
    thrift_end(thrift);
}

static void put_logical_type(struct thrift *thrift, enum parquet_logical logical)
{
    if (logical == PARQUET_LOGICAL_NONE)
        return;
    thrift_struct(thrift, 10);
    if (logical == PARQUET_LOGICAL_STRING)
        thrift_empty(thrift, 1);
    else if (logical == PARQUET_LOGICAL_TIMESTAMP_MICROS)
        put_timestamp_type(thrift);
    else if (logical == PARQUET_LOGICAL_UINT8)
        put_integer_type(thrift, 8);
    else if (logical == PARQUET_LOGICAL_UINT32)
        put_integer_type(thrift, 32);
    else
        put_integer_type(thrift, 64);
    thrift_end(thrift);
}

static void put_column(struct thrift *thrift, const struct parquet_column *column)
{
    const struct parquet_type_row *type = parquet_type_row(column->type);
    thrift_begin(thrift);
    thrift_i32(thrift, 1, (int32_t)type->physical);
    thrift_i32(thrift, 3, OPTIONAL);
    thrift_string(thrift, 4, column->name);
    if (type->converted != PARQUET_NOT_CONVERTED)
        thrift_i32(thrift, 6, type->converted);
    put_logical_type(thrift, type->logical);
    thrift_end(thrift);
}

void parquet_footer_begin(struct thrift *thrift, const struct parquet_layout *layout, uint64_t rows, size_t groups)
{
    thrift_begin(thrift);
    thrift_i32(thrift, 1, FORMAT_VERSION);
    thrift_list(thrift, 2, THRIFT_STRUCT, layout->count + 1);
    thrift_begin(thrift);
    thrift_string(thrift, 4, "schema");
    thrift_i32(thrift, 5, (int32_t)layout->count);
    thrift_end(thrift);
    for (size_t i = 0; i < layout->count; i++)
        put_column(thrift, &layout->columns[i]);
    thrift_i64(thrift, 3, (int64_t)rows);
    thrift_list(thrift, 4, THRIFT_STRUCT, groups);
}

/* ---- row groups -------------------------------------------------------------------------------------------------- */

static void put_statistics(struct thrift *thrift, const struct parquet_chunk *chunk, size_t width)
{
    thrift_struct(thrift, 12);
    thrift_i64(thrift, 3, chunk->nulls);
    if (chunk->has_range) {
        thrift_binary(thrift, 5, chunk->high, width);
        thrift_binary(thrift, 6, chunk->low, width);
    }
    thrift_end(thrift);
}

static void put_chunk(struct thrift *thrift, const struct parquet_layout *layout, size_t index,
                      const struct parquet_group_record *group)
{
    const struct parquet_column *column = &layout->columns[index];
    const struct parquet_chunk *chunk = &group->chunks[index];
    thrift_begin(thrift);
    thrift_i64(thrift, 2, 0);
    thrift_struct(thrift, 3);
    thrift_i32(thrift, 1, (int32_t)parquet_type_row(column->type)->physical);
    thrift_list(thrift, 2, THRIFT_I32, 2);
    thrift_element_i32(thrift, (int32_t)parquet_page_encoding(column->type, layout->splits_bytes));
    thrift_element_i32(thrift, PARQUET_RLE);
    thrift_list(thrift, 3, THRIFT_BINARY, 1);
    thrift_element_string(thrift, column->name);
    thrift_i32(thrift, 4, layout->codec);
    thrift_i64(thrift, 5, (int64_t)group->rows);
    thrift_i64(thrift, 6, chunk->plain_size);
    thrift_i64(thrift, 7, chunk->packed_size);
    thrift_i64(thrift, 9, (int64_t)chunk->offset);
    put_statistics(thrift, chunk, parquet_type_row(column->type)->width);
    thrift_end(thrift);
    thrift_end(thrift);
}

static void put_sorting(struct thrift *thrift)
{
    thrift_list(thrift, 4, THRIFT_STRUCT, 1);
    thrift_begin(thrift);
    thrift_i32(thrift, 1, 0);
    thrift_bool(thrift, 2, false); /* descending */
    thrift_bool(thrift, 3, false); /* nulls first */
    thrift_end(thrift);
}

void parquet_footer_group(struct thrift *thrift, const struct parquet_layout *layout,
                          const struct parquet_group_record *group, size_t ordinal)
{
    uint64_t packed = 0, plain = 0;
    thrift_begin(thrift);
    thrift_list(thrift, 1, THRIFT_STRUCT, layout->count);
    for (size_t i = 0; i < layout->count; i++) {
        put_chunk(thrift, layout, i, group);
        packed += group->chunks[i].packed_size;
        plain += group->chunks[i].plain_size;
    }
    thrift_i64(thrift, 2, (int64_t)plain);
    thrift_i64(thrift, 3, (int64_t)group->rows);
    if (group->is_sorted)
        put_sorting(thrift);
    thrift_i64(thrift, 5, (int64_t)group->chunks[0].offset);
    thrift_i64(thrift, 6, (int64_t)packed);
    if (ordinal <= INT16_MAX)
        thrift_i16(thrift, 7, (int16_t)ordinal);
    thrift_end(thrift);
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

void parquet_footer_note(struct thrift *thrift, const char *key, const char *value, size_t length)
{
    thrift_begin(thrift);
    thrift_string(thrift, 1, key);
    thrift_binary(thrift, 2, value, length);
    thrift_end(thrift);
}

void parquet_footer_end(struct thrift *thrift, const struct parquet_layout *layout, const struct parquet_notes *notes,
                        const char *created_by)
{
    if (notes->count > 0)
        thrift_list(thrift, 5, THRIFT_STRUCT, notes->count);
    buffer_put(thrift->out, notes->bytes, notes->length);
    thrift_string(thrift, 6, created_by);
    /* Without the order of its type, readers ignore the range of a column. */
    thrift_list(thrift, 7, THRIFT_STRUCT, layout->count);
    for (size_t i = 0; i < layout->count; i++) {
        thrift_begin(thrift);
        thrift_empty(thrift, 1);
        thrift_end(thrift);
    }
    thrift_end(thrift);
}

/* What a footer says of its file (footer.c): the number of rows, and the notes. */

#define MAGIC "PAR1"

size_t parquet_footer_length(const char tail[PARQUET_TAIL])
{
    return memcmp(tail + sizeof(uint32_t), MAGIC, strlen(MAGIC)) == 0 ? le32_load(tail) : 0;
}

static void read_note(struct thrift_reader *thrift, const struct parquet_reader *reader)
{
    struct thrift_field field = {0};
    const char *key = "", *value = "";
    size_t key_length = 0, value_length = 0;
    while (thrift_read_field(thrift, &field)) {
        if (field.id == 1 && field.type == THRIFT_BINARY)
            key = thrift_read_binary(thrift, &key_length);
        else if (field.id == 2 && field.type == THRIFT_BINARY)
            value = thrift_read_binary(thrift, &value_length);
        else
            thrift_skip(thrift, field.type);
    }
    if (!thrift->failed)
        reader->on_note(reader->user, key, key_length, value, value_length);
}

static void read_notes(struct thrift_reader *thrift, const struct parquet_reader *reader)
{
    unsigned type;
    size_t count = thrift_read_list(thrift, &type);
    thrift->failed = thrift->failed || (count > 0 && type != THRIFT_STRUCT);
    for (size_t i = 0; i < count && !thrift->failed; i++)
        read_note(thrift, reader);
}

bool parquet_footer_read(const char *footer, size_t length, struct parquet_reader *reader)
{
    enum { ROWS = 3, NOTES = 5, LIST = 9 }; /* of FileMetaData in parquet.thrift */
    const uint8_t *bytes = (const uint8_t *)footer;
    struct thrift_reader thrift = {bytes, bytes + length, false};
    struct thrift_field field = {0};
    bool has_rows = false;
    while (thrift_read_field(&thrift, &field)) {
        if (field.id == ROWS && field.type == THRIFT_I64) {
            reader->rows = (uint64_t)thrift_read_integer(&thrift);
            has_rows = true;
        } else if (field.id == NOTES && field.type == LIST) {
            read_notes(&thrift, reader);
        } else {
            thrift_skip(&thrift, field.type);
        }
    }
    return has_rows && !thrift.failed;
}
