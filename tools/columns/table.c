#include "table.h"

#include "array.h"
#include "base/numbers/byte_order.h"

enum { WORD_BITS = COLUMN_WORD_BITS, BLOCK_BYTES = 1 << 16, TEXT_HEAD = sizeof(uint32_t) };

static size_t at_least(size_t number, size_t least)
{
    return number > least ? number : least;
}

/* ---- batches ----------------------------------------------------------------------------------------------------- */

void column_batch_put(const struct column_batch *batch, struct buffer *out)
{
    static const char padding[sizeof(uint64_t)];
    const uint64_t head[] = {batch->rows, batch->columns, batch->text_bytes};
    buffer_put(out, (const char *)head, sizeof head);
    buffer_put(out, (const char *)batch->present,
               batch->columns * column_words_of(batch->rows) * sizeof *batch->present);
    buffer_put(out, (const char *)batch->values, batch->columns * batch->rows * sizeof *batch->values);
    buffer_put(out, batch->texts, batch->text_bytes);
    buffer_put(out, padding, (0 - batch->text_bytes) % sizeof padding);
}

struct column_batch column_batch_get(const char *bytes)
{
    const uint64_t *words = (const void *)bytes;
    struct column_batch batch = {
        .rows = (size_t)words[0], .columns = (size_t)words[1], .present = words + 3, .text_bytes = (size_t)words[2]};
    batch.values = batch.present + batch.columns * column_words_of(batch.rows);
    batch.texts = (const char *)(batch.values + batch.columns * batch.rows);
    return batch;
}

static const uint64_t *batch_present(const struct column_batch *batch, size_t column)
{
    return batch->present + column * column_words_of(batch->rows);
}

static const uint64_t *batch_values(const struct column_batch *batch, size_t column)
{
    return batch->values + column * batch->rows;
}

static struct column_text text_of(uint64_t word)
{
    struct column_text text;
    memcpy(&text, &word, sizeof text);
    return text;
}

/* ---- presence bits ----------------------------------------------------------------------------------------------- */

static bool has(const uint64_t *present, size_t row)
{
    return (present[row / WORD_BITS] >> row % WORD_BITS & 1) != 0;
}

/* `count` bits from bit `from` on, at most 64. */
static uint64_t bits_from(const uint64_t *words, size_t from, size_t count)
{
    size_t shift = from % WORD_BITS;
    uint64_t bits = words[from / WORD_BITS] >> shift;
    if (shift + count > WORD_BITS)
        bits |= words[from / WORD_BITS + 1] << (WORD_BITS - shift);
    return count == WORD_BITS ? bits : bits & (((uint64_t)1 << count) - 1);
}

size_t column_bits_copy(const uint64_t *words, size_t from, size_t count, uint64_t *bits, size_t at)
{
    size_t present = 0;
    while (count > 0) {
        size_t shift = at % WORD_BITS, some = count < WORD_BITS - shift ? count : WORD_BITS - shift;
        uint64_t more = bits_from(words, from, some);
        bits[at / WORD_BITS] = (shift == 0 ? 0 : bits[at / WORD_BITS]) | more << shift;
        present += (size_t)__builtin_popcountll(more);
        from += some;
        at += some;
        count -= some;
    }
    return present;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

int column_table_add_column(struct column_table *table, unsigned width)
{
    if (!MAKE_ROOM(table->columns, table->column_count))
        return -1;
    table->columns[table->column_count++] = (struct held_column){.width = width, .before = table->width};
    table->width += width;
    table->text_count += width == 0;
    size_t row = at_least(table->width, 1), rows = table->most_bytes / row;
    rows = rows < table->most_rows ? rows - rows % WORD_BITS : table->most_rows;
    table->rows_max = at_least(rows, WORD_BITS);
    rows = BLOCK_BYTES / row;
    table->block_rows = at_least(rows - rows % WORD_BITS, WORD_BITS);
    return 0;
}

void column_table_free(struct column_table *table)
{
    column_table_clear(table, true);
    free(table->columns);
}

bool column_table_is_full(const struct column_table *table)
{
    return table->rows >= table->rows_max || table->text_bytes >= table->most_bytes;
}

size_t column_table_held(const struct column_table *table)
{
    return table->block_bytes + table->text_bytes;
}

static void free_memory(struct column_table *table)
{
    for (size_t i = 0; i < table->column_count; i++) {
        free(table->columns[i].texts.data);
        table->columns[i].texts = (struct buffer){0};
    }
    for (size_t i = 0; i < table->block_room; i++)
        free(table->blocks[i].present);
    free(table->blocks);
    table->blocks = NULL;
    table->block_room = 0;
    table->block_bytes = 0;
}

void column_table_clear(struct column_table *table, bool all)
{
    for (size_t i = 0; i < table->column_count; i++) {
        table->columns[i].texts.length = 0;
        table->columns[i].count = 0;
    }
    table->block_count = 0;
    table->rows = 0;
    table->text_bytes = 0;
    if (all)
        free_memory(table);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static size_t block_size(const struct column_table *table, size_t room)
{
    return table->column_count * column_words_of(room) * sizeof(uint64_t) + room * table->width;
}

static uint64_t *present_of(const struct held_block *block, size_t column)
{
    return block->present + column_words_of(block->room) * column;
}

static char *values_of(const struct held_block *block, const struct held_column *column)
{
    return block->values + block->room * column->before;
}

/* 0, or -1 without memory. */
static int make_block(const struct column_table *table, size_t room, struct held_block *block)
{
    uint64_t *memory = malloc(block_size(table, room) + 1);
    if (!memory)
        return -1;
    *block = (struct held_block){
        .room = room, .present = memory, .values = (char *)(memory + table->column_count * column_words_of(room))};
    return 0;
}

static int add_block(struct column_table *table, size_t room)
{
    if (!MAKE_ROOM(table->blocks, table->block_room) || make_block(table, room, &table->blocks[table->block_room]) != 0)
        return -1;
    table->block_room++;
    table->block_bytes += block_size(table, room);
    return 0;
}

/* Begins the next block, which may be left from before the table was cleared. 0, or -1 without memory. */
static int next_block(struct column_table *table, size_t room)
{
    if (table->block_count == table->block_room && add_block(table, room) != 0)
        return -1;
    table->blocks[table->block_count++].rows = 0;
    return 0;
}

/* Gives the only block more room: of many files, most have few rows. */
static int enlarge(struct column_table *table, size_t room)
{
    struct held_block larger, *block = &table->blocks[0];
    if (make_block(table, room, &larger) != 0)
        return -1;
    for (size_t i = 0; i < table->column_count; i++) {
        const struct held_column *column = &table->columns[i];
        if (column->width > 0)
            memcpy(values_of(&larger, column), values_of(block, column), block->rows * column->width);
        memcpy(present_of(&larger, i), present_of(block, i), column_words_of(block->rows) * sizeof(uint64_t));
    }
    larger.rows = block->rows;
    table->block_bytes += block_size(table, room) - block_size(table, block->room);
    free(block->present);
    *block = larger;
    return 0;
}

/* The last block, with room for at least one row more and for `rows` if it may get so large; NULL without memory. */
static struct held_block *block_for(struct column_table *table, size_t rows)
{
    struct held_block *last = table->block_count > 0 ? &table->blocks[table->block_count - 1] : NULL;
    if (last && last->rows < last->room)
        return last;
    bool is_small = last && last->room < table->block_rows;
    size_t room = !last ? rows : is_small ? at_least(2 * last->room, last->rows + rows) : table->block_rows;
    room = room < table->block_rows ? room : table->block_rows;
    if ((is_small ? enlarge(table, room) : next_block(table, room)) != 0)
        return NULL;
    return &table->blocks[table->block_count - 1];
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Bytes that the texts of a row take. */
static size_t text_bytes_of(const struct column_table *table, const struct column_batch *batch, size_t row)
{
    size_t bytes = 0;
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].width == 0 && has(batch_present(batch, i), row))
            bytes += TEXT_HEAD + text_of(batch_values(batch, i)[row]).length;
    return bytes;
}

/* How many rows from `from` on fit; adds up the bytes of their texts. The first always fits. */
static size_t count_fitting(struct column_table *table, const struct column_batch *batch, size_t from)
{
    size_t rows = 0, room = table->rows_max - table->rows, rest = batch->rows - from;
    size_t most = rest < room ? rest : room;
    if (table->text_count == 0)
        return most;
    for (; rows < most && table->text_bytes < table->most_bytes; rows++)
        table->text_bytes += text_bytes_of(table, batch, from + rows);
    return rows;
}

static void store(char *at, unsigned width, const uint64_t *words, size_t count)
{
    if (width == sizeof *words)
        memcpy(at, words, count * sizeof *words);
    for (size_t i = 0; i < count && width == sizeof(uint32_t); i++) {
        uint32_t value = (uint32_t)words[i];
        memcpy(at + i * sizeof value, &value, sizeof value);
    }
    for (size_t i = 0; i < count && width == 1; i++)
        at[i] = (char)words[i];
}

static void add_texts(struct buffer *texts, const struct column_batch *batch, size_t index, size_t from, size_t count)
{
    char head[TEXT_HEAD];
    for (size_t i = from; i < from + count; i++) {
        struct column_text text = text_of(batch_values(batch, index)[i]);
        if (!has(batch_present(batch, index), i))
            continue;
        le32_store(head, text.length);
        buffer_put(texts, head, sizeof head);
        buffer_put(texts, batch->texts + text.at, text.length);
    }
}

static int add_column(struct column_table *table, size_t index, const struct column_batch *batch, size_t from,
                      size_t count)
{
    struct held_column *column = &table->columns[index];
    struct held_block *block = &table->blocks[table->block_count - 1];
    column->count += column_bits_copy(batch_present(batch, index), from, count, present_of(block, index), block->rows);
    if (column->width > 0)
        store(values_of(block, column) + block->rows * column->width, column->width, batch_values(batch, index) + from,
              count);
    else
        add_texts(&column->texts, batch, index, from, count);
    return column->texts.failed ? -1 : 0;
}

size_t column_table_add(struct column_table *table, const struct column_batch *batch, size_t from)
{
    size_t rows = count_fitting(table, batch, from);
    for (size_t some; rows > 0; rows -= some, from += some) {
        struct held_block *block = block_for(table, rows);
        if (!block)
            return SIZE_MAX;
        some = rows < block->room - block->rows ? rows : block->room - block->rows;
        for (size_t i = 0; i < table->column_count; i++)
            if (add_column(table, i, batch, from, some) != 0)
                return SIZE_MAX;
        block->rows += some;
        table->rows += some;
    }
    return from;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

void column_table_present(const struct column_table *table, size_t column, struct buffer *out)
{
    for (size_t i = 0; i < table->block_count; i++) {
        const struct held_block *block = &table->blocks[i];
        buffer_put(out, (const char *)present_of(block, column), column_words_of(block->rows) * sizeof(uint64_t));
    }
}

void column_table_values(const struct column_table *table, size_t column, struct buffer *out)
{
    const struct held_column *one = &table->columns[column];
    if (one->width == 0)
        buffer_put(out, one->texts.data, one->texts.length);
    for (size_t i = 0; i < table->block_count && one->width > 0; i++)
        buffer_put(out, values_of(&table->blocks[i], one), table->blocks[i].rows * one->width);
}

/* Copies the values that are present. Inlined with a constant width: there are many. Returns the end. */
static inline char *pick(char *at, unsigned width, const uint64_t *present, const char *values, size_t rows)
{
    for (size_t from = 0; from < rows; from += WORD_BITS)
        for (uint64_t bits = present[from / WORD_BITS]; bits != 0; bits &= bits - 1, at += width)
            memcpy(at, values + (from + (size_t)__builtin_ctzll(bits)) * width, width);
    return at;
}

void column_table_values_present(const struct column_table *table, size_t column, struct buffer *out)
{
    const struct held_column *one = &table->columns[column];
    if (one->width == 0 || one->count == table->rows) {
        column_table_values(table, column, out);
        return;
    }
    char *at = buffer_room(out, one->count * one->width + 1);
    for (size_t i = 0; i < table->block_count && at; i++) {
        const struct held_block *block = &table->blocks[i];
        const uint64_t *present = present_of(block, column);
        const char *values = values_of(block, one);
        at = one->width == sizeof(uint64_t)   ? pick(at, sizeof(uint64_t), present, values, block->rows)
             : one->width == sizeof(uint32_t) ? pick(at, sizeof(uint32_t), present, values, block->rows)
                                              : pick(at, 1, present, values, block->rows);
    }
    if (at)
        out->length += one->count * one->width;
}

/* ---- rows of vectors --------------------------------------------------------------------------------------------- */

/* Inlined with a constant width: there are many. */
static inline void turn(const struct held_block *block, const char *values, size_t columns, unsigned width, char *out)
{
    for (size_t k = 0; k < columns; k++, values += block->room * width)
        for (size_t i = 0; i < block->rows; i++)
            memcpy(out + (i * columns + k) * width, values + i * width, width);
}

void column_table_rows(const struct column_table *table, size_t first, size_t columns, char *out)
{
    const struct held_column *column = &table->columns[first];
    for (size_t i = 0; i < table->block_count; i++) {
        const struct held_block *block = &table->blocks[i];
        const char *values = values_of(block, column);
        if (columns == 1)
            memcpy(out, values, block->rows * column->width);
        else if (column->width == sizeof(uint64_t))
            turn(block, values, columns, sizeof(uint64_t), out);
        else if (column->width == sizeof(uint32_t))
            turn(block, values, columns, sizeof(uint32_t), out);
        else
            turn(block, values, columns, 1, out);
        out += block->rows * columns * column->width;
    }
}
