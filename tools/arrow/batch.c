#include "field.h"

#include "base/numbers/byte_order.h"

enum { BUFFER_ALIGNMENT = 64, NUMBER_BYTES = 4, TEXT_HEAD = sizeof(uint32_t) };

static size_t bytes_of_bits(size_t bits)
{
    return (bits + 7) / 8;
}

/* ---- dictionaries ------------------------------------------------------------------------------------------------ */

static size_t find_word(const struct arrow_dictionary *dictionary, const char *text, size_t length)
{
    for (size_t i = 0; i < dictionary->count; i++)
        if (strlen(dictionary->words[i]) == length && memcmp(dictionary->words[i], text, length) == 0)
            return i;
    return SIZE_MAX;
}

int arrow_field_look_up(const struct arrow_field *field, const struct column_table *table)
{
    struct arrow_dictionary *dictionary = field->dictionary;
    const char *at = table->columns[field->first].texts.data, *before = NULL;
    size_t length, length_before = 0, word = SIZE_MAX, words = column_words_of(table->rows);
    dictionary->numbers.length = dictionary->present.length = dictionary->known = 0;
    column_table_present(table, field->first, &dictionary->present);
    char *numbers = buffer_room(&dictionary->numbers, table->rows * NUMBER_BYTES + 1);
    uint64_t *present = (void *)dictionary->present.data;
    if (!numbers || dictionary->present.failed)
        return -1;
    memset(numbers, 0, table->rows * NUMBER_BYTES);
    dictionary->numbers.length = table->rows * NUMBER_BYTES;
    for (size_t i = 0; i < words; i++)
        for (uint64_t bits = present[i]; bits != 0; bits &= bits - 1) {
            unsigned bit = (unsigned)__builtin_ctzll(bits);
            const char *text = column_text_next(&at, &length);
            if (!before || length != length_before || memcmp(text, before, length) != 0)
                word = find_word(dictionary, text, length);
            before = text;
            length_before = length;
            if (word != SIZE_MAX)
                le32_store(numbers + (i * COLUMN_WORD_BITS + bit) * NUMBER_BYTES, (uint32_t)word);
            else
                present[i] &= ~((uint64_t)1 << bit);
            dictionary->known += word != SIZE_MAX;
            dictionary->strangers += word == SIZE_MAX;
        }
    return 0;
}

/* ---- what a batch says of its body ------------------------------------------------------------------------------- */

static void put_two(struct buffer *out, uint64_t first, uint64_t second)
{
    char bytes[2 * sizeof first];
    le64_store(bytes, first);
    le64_store(bytes + sizeof first, second);
    buffer_put(out, bytes, sizeof bytes);
}

static void add_buffer(struct arrow_body *body, uint64_t length)
{
    put_two(&body->buffers, body->length, length);
    body->length += length + (0 - length) % BUFFER_ALIGNMENT;
}

/* A node, and its presence bits: none if all values are there. */
static void add_node(struct arrow_body *body, size_t length, size_t nulls)
{
    put_two(&body->nodes, length, nulls);
    add_buffer(body, nulls == 0 ? 0 : bytes_of_bits(length));
}

/* Values of the field's columns that are there. */
static size_t count_present(const struct arrow_field *field, const struct column_table *table)
{
    size_t present = 0;
    for (size_t i = 0; i < field->columns; i++)
        present += table->columns[field->first + i].count;
    return present;
}

/* Sets bits of a list's rows of which an element is there. */
static size_t join_present(const struct arrow_field *field, const struct column_table *table, struct buffer *bits)
{
    size_t words = column_words_of(table->rows), rows = 0;
    bits->length = 0;
    for (size_t i = 0; i < field->columns; i++)
        column_table_present(table, field->first + i, bits);
    uint64_t *all = (void *)bits->data;
    for (size_t w = 0; w < words && !bits->failed; w++) {
        for (size_t i = 1; i < field->columns; i++)
            all[w] |= all[i * words + w];
        rows += (size_t)__builtin_popcountll(all[w]);
    }
    return rows;
}

static size_t data_bytes(enum arrow_type type, size_t values)
{
    return type == ARROW_BOOL ? bytes_of_bits(values) : values * arrow_type_row(type)->width;
}

void arrow_body_add(struct arrow_body *body, const struct arrow_field *field, const struct column_table *table)
{
    size_t rows = table->rows, present = count_present(field, table);
    const struct held_column *column = &table->columns[field->first];
    if (field->is_list) {
        struct buffer bits = {0};
        bool is_whole = present == rows * field->columns;
        add_node(body, rows, is_whole ? 0 : rows - join_present(field, table, &bits));
        add_node(body, rows * field->columns, rows * field->columns - present);
        add_buffer(body, data_bytes(field->type, rows * field->columns));
        body->nodes.failed = body->nodes.failed || bits.failed;
        free(bits.data);
    } else if (field->dictionary) {
        add_node(body, rows, rows - field->dictionary->known);
        add_buffer(body, rows * NUMBER_BYTES);
    } else {
        add_node(body, rows, rows - present);
        add_buffer(body, column->width > 0 ? data_bytes(field->type, rows) : (rows + 1) * NUMBER_BYTES);
        if (column->width == 0)
            add_buffer(body, column->texts.length - present * TEXT_HEAD);
    }
}

/* ---- its bytes --------------------------------------------------------------------------------------------------- */

/* Ends a buffer that began at `from`. */
static void pad(struct buffer *out, size_t from)
{
    size_t padding = (0 - (out->length - from)) % BUFFER_ALIGNMENT;
    char *at = padding == 0 || out->failed ? NULL : buffer_room(out, padding);
    if (!at)
        return;
    memset(at, 0, padding);
    out->length += padding;
}

/* Presence bits, which are words. */
static void put_bits(const char *words, size_t bits, struct buffer *out)
{
    size_t from = out->length;
    buffer_put(out, words, bytes_of_bits(bits));
    pad(out, from);
}

/* Bits of the elements of a list, row by row, from those of its columns or from bytes that are 0 or 1. NULL without
 * memory; the caller frees. */
static uint64_t *element_bits(const struct column_table *table, size_t columns, const uint64_t *words,
                              const char *bytes)
{
    size_t rows = table->rows, of_column = column_words_of(rows);
    uint64_t *bits = calloc(column_words_of(rows * columns) + 1, sizeof *bits);
    for (size_t i = 0; bits && i < rows; i++)
        for (size_t k = 0; k < columns; k++) {
            size_t at = i * columns + k;
            uint64_t bit = words ? words[k * of_column + i / COLUMN_WORD_BITS] >> i % COLUMN_WORD_BITS & 1
                                 : (uint64_t)(bytes[k * rows + i] & 1);
            bits[at / COLUMN_WORD_BITS] |= bit << at % COLUMN_WORD_BITS;
        }
    return bits;
}

static void put_element_bits(const struct column_table *table, size_t columns, const uint64_t *words, const char *bytes,
                             struct buffer *out)
{
    uint64_t *bits = element_bits(table, columns, words, bytes);
    if (bits)
        put_bits((const char *)bits, table->rows * columns, out);
    out->failed = out->failed || !bits;
    free(bits);
}

static void put_presence(const struct arrow_field *field, const struct column_table *table, struct buffer *scratch,
                         struct buffer *out)
{
    size_t rows = table->rows, present = count_present(field, table);
    if (present == rows * field->columns)
        return;
    size_t some = field->is_list ? join_present(field, table, scratch) : present;
    if (field->is_list && some < rows && !scratch->failed)
        put_bits(scratch->data, rows, out);
    scratch->length = 0;
    for (size_t i = 0; i < field->columns; i++)
        column_table_present(table, field->first + i, scratch);
    if (scratch->failed)
        return;
    if (field->is_list)
        put_element_bits(table, field->columns, (const void *)scratch->data, NULL, out);
    else
        put_bits(scratch->data, rows, out);
}

static void put_numbers(const struct arrow_field *field, const struct column_table *table, struct buffer *scratch,
                        struct buffer *out)
{
    size_t from = out->length, bytes = data_bytes(field->type, table->rows * field->columns);
    if (field->type == ARROW_BOOL) {
        scratch->length = 0;
        for (size_t i = 0; i < field->columns; i++)
            column_table_values(table, field->first + i, scratch);
        if (!scratch->failed)
            put_element_bits(table, field->columns, NULL, scratch->data, out);
        return;
    }
    char *at = buffer_room(out, bytes + 1);
    if (!at)
        return;
    column_table_rows(table, field->first, field->columns, at);
    out->length += bytes;
    pad(out, from);
}

static void put_texts(const struct arrow_field *field, const struct column_table *table, struct buffer *scratch,
                      struct buffer *out)
{
    const struct held_column *column = &table->columns[field->first];
    const char *texts = column->texts.data, *at = texts;
    size_t from = out->length, end = 0, length;
    char *offset = buffer_room(out, (table->rows + 1) * NUMBER_BYTES);
    scratch->length = 0;
    column_table_present(table, field->first, scratch);
    if (!offset || scratch->failed)
        return;
    const uint64_t *present = (const void *)scratch->data;
    le32_store(offset, 0);
    for (size_t i = 0; i < table->rows; i++) {
        if (present[i / COLUMN_WORD_BITS] >> i % COLUMN_WORD_BITS & 1) {
            column_text_next(&at, &length);
            end += length;
        }
        le32_store(offset + (i + 1) * NUMBER_BYTES, (uint32_t)end);
    }
    out->length += (table->rows + 1) * NUMBER_BYTES;
    pad(out, from);
    from = out->length;
    for (at = texts; column->count > 0 && at < texts + column->texts.length;) {
        const char *text = column_text_next(&at, &length);
        buffer_put(out, text, length);
    }
    pad(out, from);
}

void arrow_field_put(const struct arrow_field *field, const struct column_table *table, struct buffer *scratch,
                     struct buffer *out)
{
    const struct arrow_dictionary *dictionary = field->dictionary;
    if (!dictionary) {
        put_presence(field, table, scratch, out);
        (arrow_type_row(field->type)->width > 0 ? put_numbers : put_texts)(field, table, scratch, out);
        return;
    }
    if (dictionary->known < table->rows)
        put_bits(dictionary->present.data, table->rows, out);
    size_t from = out->length;
    buffer_put(out, dictionary->numbers.data, dictionary->numbers.length);
    pad(out, from);
}

/* ---- words of dictionaries --------------------------------------------------------------------------------------- */

void arrow_body_add_words(struct arrow_body *body, const struct arrow_dictionary *dictionary)
{
    size_t bytes = 0;
    for (size_t i = 0; i < dictionary->count; i++)
        bytes += strlen(dictionary->words[i]);
    add_node(body, dictionary->count, 0);
    add_buffer(body, (dictionary->count + 1) * NUMBER_BYTES);
    add_buffer(body, bytes);
}

void arrow_words_put(const struct arrow_dictionary *dictionary, struct buffer *out)
{
    size_t from = out->length, end = 0;
    char offset[NUMBER_BYTES];
    for (size_t i = 0; i <= dictionary->count; i++) {
        le32_store(offset, (uint32_t)end);
        buffer_put(out, offset, sizeof offset);
        end += i < dictionary->count ? strlen(dictionary->words[i]) : 0;
    }
    pad(out, from);
    from = out->length;
    for (size_t i = 0; i < dictionary->count; i++)
        buffer_string(out, dictionary->words[i]);
    pad(out, from);
}
