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

static size_t count_characters(enum npz_type type, const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length && type == NPZ_TEXT; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return type == NPZ_TEXT ? count : length;
}

static void measure_texts(struct npz_array *array, const struct buffer *texts)
{
    const char *at = texts->data;
    while (texts->length > 0 && at < texts->data + texts->length) {
        size_t length;
        const char *text = column_text_next(&at, &length);
        size_t characters = count_characters(array->type, text, length);
        array->characters = characters > array->characters ? characters : array->characters;
    }
    array->text_bytes += texts->length;
}

static void put_zeros(struct buffer *out, size_t length)
{
    char *at = length == 0 ? NULL : buffer_room(out, length);
    if (!at)
        return;
    memset(at, 0, length);
    out->length += length;
}

/* The next row's text, as wide as all. */
static int put_text(struct npz_reader *reader, struct buffer *out)
{
    size_t width = npz_row_bytes(reader->array, false), from = out->length, length = 0;
    const char *text;
    if (column_texts_next(&reader->texts, &text, &length) != 0)
        return -1;
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
    reader->texts.column = reader->array->part;
    for (size_t i = 0; i < rows && !out->failed; i++)
        if (put_text(reader, out) != 0)
            return -1;
    return 0;
}

/* ---- what is set aside ------------------------------------------------------------------------------------------- */

/* Puts what stands for absent values into the rows at the end of `out`, which begin at `from`. */
static void put_absent(const struct npz_array *array, const struct column_table *table, size_t from, struct buffer *out)
{
    const struct npz_type_row *type = npz_type_row(array->type);
    size_t end = out->length, words = column_words_of(table->rows);
    for (size_t k = 0; k < array->columns && table->rows > 0; k++) {
        if (table->columns[array->first + k].count == table->rows)
            continue;
        column_table_present(table, array->first + k, out);
        if (out->failed)
            return;
        uint64_t *present = (void *)(out->data + end);
        present[words - 1] |= table->rows % COLUMN_WORD_BITS > 0 ? ~(uint64_t)0 << table->rows % COLUMN_WORD_BITS : 0;
        for (size_t w = 0; w < words; w++)
            for (uint64_t bits = ~present[w]; bits != 0; bits &= bits - 1) {
                size_t row = w * COLUMN_WORD_BITS + (size_t)__builtin_ctzll(bits);
                memcpy(out->data + from + (row * array->columns + k) * type->width, &type->absent, type->width);
            }
        out->length = end;
    }
}

static void put_numbers(struct npz_array *array, const struct column_table *table, struct buffer *out)
{
    const struct npz_type_row *type = npz_type_row(array->type);
    size_t from = out->length, bytes = array->columns * type->width * table->rows;
    char *at = buffer_room(out, bytes);
    if (!at)
        return;
    column_table_rows(table, array->first, array->columns, at);
    out->length += bytes;
    if (type->absent != 0)
        put_absent(array, table, from, out);
    if (!out->failed)
        array->checksum = checksum(array->checksum, out->data + from, bytes);
}

void npz_put_part(struct npz_array *array, const struct column_table *table, struct buffer *out)
{
    const struct npz_type_row *type = npz_type_row(array->type);
    for (size_t k = array->first; k < array->first + array->columns; k++) {
        array->has_absent = array->has_absent || table->columns[k].count < table->rows;
        if (type->has_mask)
            column_table_present(table, k, out);
    }
    if (type->width > 0) {
        put_numbers(array, table, out);
        return;
    }
    measure_texts(array, &table->columns[array->first].texts);
    column_table_values(table, array->first, out);
}

/* Bytes of presence bits at the beginning of a part. */
static size_t present_bytes(const struct npz_array *array, const struct column_piece *piece)
{
    return npz_type_row(array->type)->has_mask ? array->columns * column_words_of(piece->rows) * sizeof(uint64_t) : 0;
}

static int read_numbers(struct npz_reader *reader, const struct column_piece *piece, struct buffer *out)
{
    size_t bytes = piece->rows * npz_row_bytes(reader->array, false);
    char *to = buffer_room(out, bytes);
    if (!to)
        return message_no_memory();
    out->length += bytes;
    return column_pieces_part(reader->pieces, reader->array->part, piece, present_bytes(reader->array, piece), bytes,
                              to);
}

static int read_mask(struct npz_reader *reader, const struct column_piece *piece, struct buffer *out)
{
    size_t columns = reader->array->columns, words = column_words_of(piece->rows);
    size_t bytes = present_bytes(reader->array, piece);
    reader->present.length = 0;
    uint64_t *present = (void *)buffer_room(&reader->present, bytes);
    char *to = buffer_room(out, piece->rows * columns);
    if (!present || !to)
        return message_no_memory();
    if (column_pieces_part(reader->pieces, reader->array->part, piece, 0, bytes, present) != 0)
        return -1;
    for (size_t i = 0; i < piece->rows; i++)
        for (size_t k = 0; k < columns; k++)
            *to++ = (char)(present[k * words + i / COLUMN_WORD_BITS] >> i % COLUMN_WORD_BITS & 1);
    out->length += piece->rows * columns;
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

/* Some of the next texts. */
static int read_some_texts(struct npz_reader *reader, struct buffer *out)
{
    uint64_t rest = reader->pieces->rows - reader->row;
    size_t rows = BLOCK_BYTES / npz_row_bytes(reader->array, false);
    rows = rows > BLOCK_ROWS_MIN ? rows : BLOCK_ROWS_MIN;
    rows = rows < rest ? rows : (size_t)rest;
    reader->row += rows;
    return read_texts(reader, rows, out);
}

int npz_read(struct npz_reader *reader, struct buffer *out)
{
    const struct column_pieces *pieces = reader->pieces;
    int outcome = 0;
    if (!reader->is_mask && npz_type_row(reader->array->type)->width == 0)
        outcome = read_some_texts(reader, out);
    else if (reader->piece < pieces->count)
        outcome = (reader->is_mask ? read_mask : read_numbers)(reader, &pieces->piece[reader->piece++], out);
    return outcome == 0 && out->failed ? message_no_memory() : outcome;
}

void npz_reader_free(struct npz_reader *reader)
{
    column_texts_free(&reader->texts);
    free(reader->present.data);
}
