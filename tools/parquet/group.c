#include "group.h"

enum { WORD_BITS = 64, BLOCK_BYTES = 1 << 16 };

static size_t words_of(size_t rows)
{
    return (rows + WORD_BITS - 1) / WORD_BITS;
}

static size_t at_least(size_t number, size_t least)
{
    return number > least ? number : least;
}

int parquet_group_add_column(struct parquet_group *group, enum parquet_type type)
{
    struct parquet_held *columns = group->columns;
    if ((group->column_count & (group->column_count - 1)) == 0) {
        columns = realloc(columns, (2 * group->column_count + 1) * sizeof *columns);
        if (!columns)
            return -1;
        group->columns = columns;
    }
    columns[group->column_count++] = (struct parquet_held){.type = type, .before = group->width};
    group->width += parquet_type_row(type)->width;
    group->text_count += parquet_type_row(type)->width == 0;
    size_t width = at_least(group->width, 1), rows = PARQUET_GROUP_BYTES / width;
    rows = rows < PARQUET_GROUP_ROWS ? rows - rows % WORD_BITS : PARQUET_GROUP_ROWS;
    group->rows_max = at_least(rows, WORD_BITS);
    rows = BLOCK_BYTES / width;
    group->block_rows = at_least(rows - rows % WORD_BITS, WORD_BITS);
    return 0;
}

void parquet_group_free(struct parquet_group *group)
{
    parquet_group_clear(group, true);
    free(group->columns);
}

bool parquet_group_is_full(const struct parquet_group *group)
{
    return group->rows >= group->rows_max || group->text_bytes >= PARQUET_GROUP_BYTES;
}

size_t parquet_group_held(const struct parquet_group *group)
{
    return group->block_bytes + group->text_bytes;
}

static void free_texts(struct parquet_group *group)
{
    for (size_t i = 0; i < group->column_count; i++) {
        free(group->columns[i].texts.data);
        group->columns[i].texts = (struct buffer){0};
    }
}

static void free_blocks(struct parquet_group *group)
{
    for (size_t i = 0; i < group->block_room; i++)
        free(group->blocks[i].present);
    free(group->blocks);
    group->blocks = NULL;
    group->block_room = 0;
    group->block_bytes = 0;
}

void parquet_group_clear(struct parquet_group *group, bool all)
{
    for (size_t i = 0; i < group->column_count; i++) {
        group->columns[i].texts.length = 0;
        group->columns[i].count = 0;
        group->columns[i].latest = 0;
    }
    group->block_count = 0;
    group->rows = 0;
    group->text_bytes = 0;
    if (!all)
        return;
    free_texts(group);
    free_blocks(group);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static size_t block_size(const struct parquet_group *group, size_t room)
{
    return group->column_count * words_of(room) * sizeof(uint64_t) + room * group->width;
}

static uint64_t *present_of(const struct parquet_block *block, size_t column)
{
    return block->present + words_of(block->room) * column;
}

static char *values_of(const struct parquet_block *block, const struct parquet_held *column)
{
    return block->values + block->room * column->before;
}

/* 0, or -1 without memory. */
static int make_block(const struct parquet_group *group, size_t room, struct parquet_block *block)
{
    uint64_t *memory = malloc(block_size(group, room) + 1);
    if (!memory)
        return -1;
    *block = (struct parquet_block){
        .room = room, .present = memory, .values = (char *)(memory + group->column_count * words_of(room))};
    return 0;
}

static int add_block(struct parquet_group *group, size_t room)
{
    struct parquet_block *blocks = group->blocks;
    if ((group->block_room & (group->block_room - 1)) == 0) {
        blocks = realloc(blocks, (2 * group->block_room + 1) * sizeof *blocks);
        if (!blocks)
            return -1;
        group->blocks = blocks;
    }
    if (make_block(group, room, &blocks[group->block_room]) != 0)
        return -1;
    group->block_room++;
    group->block_bytes += block_size(group, room);
    return 0;
}

/* Begins the next block, which may be left from an earlier group. 0, or -1 without memory. */
static int next_block(struct parquet_group *group, size_t room)
{
    if (group->block_count == group->block_room && add_block(group, room) != 0)
        return -1;
    group->blocks[group->block_count++].rows = 0;
    for (size_t i = 0; i < group->column_count; i++)
        group->columns[i].latest = 0;
    return 0;
}

/* Gives the only block more room: of many files, most have few rows. */
static int enlarge(struct parquet_group *group, size_t room)
{
    struct parquet_block larger, *block = &group->blocks[0];
    if (make_block(group, room, &larger) != 0)
        return -1;
    for (size_t i = 0; i < group->column_count; i++) {
        const struct parquet_held *column = &group->columns[i];
        size_t width = parquet_type_row(column->type)->width; /* 0: texts, which are elsewhere */
        if (width > 0)
            memcpy(values_of(&larger, column), values_of(block, column), column->latest * width);
        memcpy(present_of(&larger, i), present_of(block, i), words_of(block->rows) * sizeof(uint64_t));
    }
    larger.rows = block->rows;
    group->block_bytes += block_size(group, room) - block_size(group, block->room);
    free(block->present);
    *block = larger;
    return 0;
}

/* The last block, with room for at least one row more and for `rows` if it may get so large; NULL without memory. */
static struct parquet_block *block_for(struct parquet_group *group, size_t rows)
{
    struct parquet_block *last = group->block_count > 0 ? &group->blocks[group->block_count - 1] : NULL;
    if (last && last->rows < last->room)
        return last;
    bool is_small = last && last->room < group->block_rows;
    size_t room = !last ? rows : is_small ? at_least(2 * last->room, last->rows + rows) : group->block_rows;
    room = room < group->block_rows ? room : group->block_rows;
    if ((is_small ? enlarge(group, room) : next_block(group, room)) != 0)
        return NULL;
    return &group->blocks[group->block_count - 1];
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* How many rows from `from` on fit, and the bytes of their texts. The first always fits. */
static size_t count_fitting(const struct parquet_group *group, const struct parquet_run *runs, size_t from,
                            size_t count, size_t *text_bytes)
{
    size_t rows = 0, room = group->rows_max - group->rows;
    *text_bytes = 0;
    if (group->text_count == 0)
        return count - from < room ? count - from : room;
    const char **texts = malloc((group->column_count + 1) * sizeof *texts);
    if (!texts)
        return SIZE_MAX;
    for (size_t i = 0; i < group->column_count; i++)
        texts[i] = runs[i].values;
    while (rows < room && from + rows < count && group->text_bytes + *text_bytes < PARQUET_GROUP_BYTES) {
        for (size_t i = 0; i < group->column_count; i++) {
            if (parquet_type_row(group->columns[i].type)->width > 0 || !parquet_run_has(&runs[i], from + rows))
                continue;
            *text_bytes += parquet_text_size(texts[i]);
            texts[i] += parquet_text_size(texts[i]);
        }
        rows++;
    }
    free(texts);
    return rows;
}

static int add_column(struct parquet_group *group, size_t index, struct parquet_run *run, size_t from, size_t count)
{
    struct parquet_held *column = &group->columns[index];
    struct parquet_block *block = &group->blocks[group->block_count - 1];
    size_t width = parquet_type_row(column->type)->width, length = 0;
    size_t present = parquet_run_bits(run, from, count, present_of(block, index), block->rows);
    if (width > 0) {
        length = present * width;
        memcpy(values_of(block, column) + column->latest * width, run->values, length);
    } else {
        for (size_t i = 0; i < present; i++)
            length += parquet_text_size(run->values + length);
        buffer_put(&column->texts, run->values, length);
    }
    run->values += length;
    column->count += present;
    column->latest += (uint32_t)present;
    return column->texts.failed ? -1 : 0;
}

size_t parquet_group_add(struct parquet_group *group, struct parquet_run *runs, size_t from, size_t count)
{
    size_t text_bytes, rows = count_fitting(group, runs, from, count, &text_bytes);
    if (rows == SIZE_MAX)
        return SIZE_MAX;
    for (size_t some; rows > 0; rows -= some, from += some) {
        struct parquet_block *block = block_for(group, rows);
        if (!block)
            return SIZE_MAX;
        some = rows < block->room - block->rows ? rows : block->room - block->rows;
        for (size_t i = 0; i < group->column_count; i++)
            if (add_column(group, i, &runs[i], from, some) != 0)
                return SIZE_MAX;
        block->rows += some;
        group->rows += some;
    }
    group->text_bytes += text_bytes;
    return from;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

static size_t ones(const uint64_t *words, size_t count)
{
    size_t ones = 0;
    for (size_t i = 0; i < count; i++)
        ones += parquet_ones(words[i]);
    return ones;
}

void parquet_group_values(const struct parquet_group *group, size_t column, struct buffer *out)
{
    const struct parquet_held *held = &group->columns[column];
    size_t width = parquet_type_row(held->type)->width;
    if (width == 0)
        buffer_put(out, held->texts.data, held->texts.length);
    for (size_t i = 0; i < group->block_count && width > 0; i++) {
        const struct parquet_block *block = &group->blocks[i];
        size_t count =
            i + 1 == group->block_count ? held->latest : ones(present_of(block, column), words_of(block->rows));
        buffer_put(out, values_of(block, held), count * width);
    }
}

void parquet_group_present(const struct parquet_group *group, size_t column, struct buffer *out)
{
    for (size_t i = 0; i < group->block_count; i++) {
        const struct parquet_block *block = &group->blocks[i];
        buffer_put(out, (const char *)present_of(block, column), words_of(block->rows) * sizeof(uint64_t));
    }
}
