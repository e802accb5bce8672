/* What a footer says of its file (footer.c): the number of rows, and the notes. */
#include "base/numbers/little_endian.h"
#include "parquet.h"
#include "thrift.h"
#include "thrift_read.h"

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
