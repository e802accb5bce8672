#include "npy.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bytes/checksum.h"
#include "base/numbers/byte_order.h"
#include "base/process/message.h"
#include "base/text/utf8.h"

enum { BLOCK_BYTES = 1 << 16, BLOCK_ROWS_MIN = COLUMN_WORD_BITS, ALIGNMENT = 64, CHARACTER_BYTES = 4 };

const struct npz_type_row *npz_type_row(enum npz_type type)
{
    static const struct npz_type_row rows[NPZ_TYPES] = {
#define NPZ_TYPE(id, width, descr, absent, has_mask) [NPZ_##id] = {(width), (descr), (absent), (has_mask)},
#include "types.def"
    };
    return &rows[type];
}

/* ---- headers ----------------------------------------------------------------------------------------------------- */

static void put_header(struct buffer *out, const char *descr, size_t width, const char *shape)
{
    static const char magic[] = "\x93NUMPY\x01";
    char dictionary[200], of_width[24] = "";
    if (width > 0)
        snprintf(of_width, sizeof of_width, "%zu", width);
    size_t length =
        (size_t)snprintf(dictionary, sizeof dictionary, "{'descr': '%s%s', 'fortran_order': False, 'shape': (%s), }",
                         descr, of_width, shape);
    size_t before = sizeof magic + sizeof(uint16_t), padding = (0 - (before + length + 1)) % ALIGNMENT;
    size_t rest = length + padding + 1;
    buffer_put(out, magic, sizeof magic); /* with a zero, the minor version */
    buffer_char(out, (char)rest);
    buffer_char(out, (char)(rest >> 8));
    buffer_put(out, dictionary, length);
    for (size_t i = 0; i < padding; i++)
        buffer_char(out, ' ');
    buffer_char(out, '\n');
}

void npz_put_header(struct buffer *out, const char *descr, size_t width, uint64_t rows, size_t columns)
{
    char shape[64];
    if (columns > 0)
        snprintf(shape, sizeof shape, "%" PRIu64 ", %zu", rows, columns);
    else
        snprintf(shape, sizeof shape, "%" PRIu64 ",", rows);
    put_header(out, descr, width, shape);
}

void npz_put_header_of_one(struct buffer *out, const char *descr, size_t width)
{
    put_header(out, descr, width, "");
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

size_t npz_put_text(struct buffer *out, const char *text, size_t length, size_t most)
{
    size_t count = 0;
    for (size_t at = 0, some; at < length && count < most; at += some, count++) {
        uint32_t character = 0;
        char bytes[CHARACTER_BYTES];
        some = utf8_character(text + at, length - at, &character);
        some = some > 0 ? some : 1; /* of bytes that are not UTF-8: there are none */
        le32_store(bytes, character);
        buffer_put(out, bytes, sizeof bytes);
    }
    return count;
}

size_t npz_count_characters(enum npz_type type, const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length && type == NPZ_TEXT; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return type == NPZ_TEXT ? count : length;
}

static void put_zeros(struct buffer *out, size_t length)
{
    char *at = length == 0 ? NULL : buffer_room(out, length);
    if (!at)
        return;
    memset(at, 0, length);
    out->length += length;
}

/* The next row's text, as wide as all, or whether it has one. */
static int put_text(struct npz_reader *reader, struct buffer *out)
{
    size_t width = npz_row_bytes(reader->array, false), from = out->length, length = 0;
    const char *text;
    if (column_texts_next(&reader->texts, &text, &length) != 0)
        return -1;
    if (reader->is_mask) {
        buffer_char(out, text != NULL);
        return 0;
    }
    if (text && reader->array->type == NPZ_TEXT)
        npz_put_text(out, text, length, reader->array->characters);
    else if (text)
        buffer_put(out, text, length < width ? length : width);
    if (!out->failed)
        put_zeros(out, width - (out->length - from));
    return 0;
}

static int read_texts(struct npz_reader *reader, size_t rows, struct buffer *out)
{
    reader->texts.pieces = reader->pieces;
    reader->texts.column = reader->array->first;
    for (size_t i = 0; i < rows && !out->failed; i++)
        if (put_text(reader, out) != 0)
            return -1;
    return 0;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Some rows of an array: columns as they lie in a table. */
struct block {
    const struct npz_array *array;
    const char *values;
    const uint64_t *present;
    size_t rows;
};

static void put_absent(const struct block *block, const struct npz_type_row *type, char *out)
{
    size_t columns = block->array->columns, words = column_words_of(block->rows);
    for (size_t k = 0; k < columns; k++)
        for (size_t i = 0; i < block->rows; i++)
            if ((block->present[k * words + i / COLUMN_WORD_BITS] >> i % COLUMN_WORD_BITS & 1) == 0)
                memcpy(out + (i * columns + k) * type->width, &type->absent, type->width);
}

static void put_values(const struct block *block, char *out)
{
    const struct npz_type_row *type = npz_type_row(block->array->type);
    column_rows_from(block->values, block->array->columns, block->rows, type->width, out);
    if (block->array->has_absent && type->absent != 0)
        put_absent(block, type, out);
}

int npz_add_checksum(struct npz_array *array, const struct column_table *table, struct buffer *scratch)
{
    size_t words = column_words_of(table->rows), values = npz_type_row(array->type)->width * table->rows;
    size_t bytes = array->columns * values;
    struct buffer *columns = &scratch[0], *rows = &scratch[1];
    columns->length = rows->length = 0;
    if (!buffer_room(columns, array->columns * words * sizeof(uint64_t) + bytes))
        return -1;
    for (size_t i = 0; i < array->columns; i++)
        column_table_present(table, array->first + i, columns);
    for (size_t i = 0; i < array->columns; i++)
        column_table_values(table, array->first + i, columns);
    const struct block block = {.array = array,
                                .present = (const void *)columns->data,
                                .values = columns->data + array->columns * words * sizeof(uint64_t),
                                .rows = table->rows};
    char *to = buffer_room(rows, bytes);
    if (!to)
        return -1;
    put_values(&block, to);
    array->checksum = checksum(array->checksum, to, bytes);
    return 0;
}

static void put_mask(const struct block *block, char *out)
{
    size_t columns = block->array->columns, words = column_words_of(block->rows);
    for (size_t i = 0; i < block->rows; i++)
        for (size_t k = 0; k < columns; k++)
            *out++ = (char)(block->present[k * words + i / COLUMN_WORD_BITS] >> i % COLUMN_WORD_BITS & 1);
}

static int read_numbers(struct npz_reader *reader, size_t rows, struct buffer *out)
{
    const struct npz_array *array = reader->array;
    size_t width = npz_type_row(array->type)->width, words = column_words_of(rows);
    size_t bytes = rows * npz_row_bytes(array, reader->is_mask);
    reader->values.length = reader->present.length = 0;
    char *values = buffer_room(&reader->values, array->columns * rows * width);
    uint64_t *present = (void *)buffer_room(&reader->present, array->columns * words * sizeof(uint64_t));
    char *to = buffer_room(out, bytes);
    if (!values || !present || !to)
        return message_no_memory();
    for (size_t k = 0; k < array->columns; k++)
        if (column_pieces_get(reader->pieces, array->first + k, (unsigned)width, reader->row, rows,
                              values + k * rows * width, array->has_absent ? present + k * words : NULL) != 0)
            return -1;
    const struct block block = {array, values, present, rows};
    if (reader->is_mask)
        put_mask(&block, to);
    else
        put_values(&block, to);
    out->length += bytes;
    return 0;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

size_t npz_row_bytes(const struct npz_array *array, bool is_mask)
{
    const struct npz_type_row *type = npz_type_row(array->type);
    size_t width = type->width > 0           ? type->width
                   : array->type == NPZ_TEXT ? array->characters * CHARACTER_BYTES
                                             : array->characters;
    return array->columns * (is_mask ? 1 : width);
}

/* How many rows to read: of texts as many as fit a block, of numbers the rest of a piece, since each read of the spool
 * takes time. */
static size_t next_rows(struct npz_reader *reader)
{
    const struct npz_array *array = reader->array;
    const struct column_piece *piece = &reader->pieces->piece[reader->piece];
    size_t width = npz_row_bytes(array, reader->is_mask), rows = BLOCK_BYTES / width;
    if (reader->row == reader->pieces->rows)
        return 0;
    if (reader->row == piece->first + piece->rows)
        piece = &reader->pieces->piece[++reader->piece];
    size_t rest = (size_t)(piece->first + piece->rows - reader->row);
    rows = rows > BLOCK_ROWS_MIN ? rows : BLOCK_ROWS_MIN;
    return npz_type_row(array->type)->width > 0 || rest < rows ? rest : rows;
}

int npz_read(struct npz_reader *reader, struct buffer *out)
{
    size_t rows = next_rows(reader);
    int outcome = rows == 0                                       ? 0
                  : npz_type_row(reader->array->type)->width == 0 ? read_texts(reader, rows, out)
                                                                  : read_numbers(reader, rows, out);
    reader->row += rows;
    return outcome == 0 && out->failed ? message_no_memory() : outcome;
}

void npz_reader_free(struct npz_reader *reader)
{
    column_texts_free(&reader->texts);
    free(reader->values.data);
    free(reader->present.data);
}
