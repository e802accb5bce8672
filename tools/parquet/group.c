#include "group.h"

enum { WORD_BITS = 64, FIRST_ROOM = 1 };

static size_t words_of(size_t rows)
{
    return (rows + WORD_BITS - 1) / WORD_BITS;
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
    size_t rows = group->width > 0 ? PARQUET_GROUP_BYTES / group->width : PARQUET_GROUP_ROWS;
    rows = rows < PARQUET_GROUP_ROWS ? rows - rows % WORD_BITS : PARQUET_GROUP_ROWS;
    group->rows_max = rows > WORD_BITS ? rows : WORD_BITS;
    return 0;
}

void parquet_group_free(struct parquet_group *group)
{
    for (size_t i = 0; i < group->column_count; i++)
        free(group->columns[i].texts.data);
    free(group->columns);
    free(group->values);
    free(group->present);
}

bool parquet_group_is_full(const struct parquet_group *group)
{
    return group->rows >= group->rows_max || group->text_bytes >= PARQUET_GROUP_BYTES;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Moves the columns to memory for `room` rows. 0, or -1 without memory. */
static int move(struct parquet_group *group, size_t room)
{
    size_t words = words_of(room);
    char *values = malloc(room * group->width + 1);
    uint64_t *present = malloc((group->column_count * words + 1) * sizeof *present);
    if (!values || !present) {
        free(values);
        free(present);
        return -1;
    }
    for (size_t i = 0; i < group->column_count && group->rows > 0; i++) {
        const struct parquet_held *column = &group->columns[i];
        size_t width = parquet_type_row(column->type)->width; /* 0: texts, which stay where they are */
        if (width > 0)
            memcpy(values + room * column->before, parquet_group_values(group, i), column->count * width);
        memcpy(present + words * i, parquet_group_present(group, i), words_of(group->room) * sizeof *present);
    }
    free(group->values);
    free(group->present);
    group->values = values;
    group->present = present;
    group->room = room;
    return 0;
}

/* Doubles the room. The last step goes further, so that the old and the new room together stay small. */
static int make_room(struct parquet_group *group, size_t rows)
{
    size_t room = group->room > 0 ? group->room : FIRST_ROOM;
    while (room < rows)
        room *= 2;
    room = room < group->rows_max / 2 ? room : group->rows_max;
    return room > group->room ? move(group, room) : 0;
}

const char *parquet_group_values(const struct parquet_group *group, size_t column)
{
    const struct parquet_held *held = &group->columns[column];
    return parquet_type_row(held->type)->width == 0 ? held->texts.data : group->values + group->room * held->before;
}

const uint64_t *parquet_group_present(const struct parquet_group *group, size_t column)
{
    return group->present + words_of(group->room) * column;
}

size_t parquet_group_held(const struct parquet_group *group)
{
    size_t bits = words_of(group->room) * sizeof *group->present * group->column_count;
    return group->room * group->width + bits + group->text_bytes;
}

void parquet_group_clear(struct parquet_group *group, bool all)
{
    for (size_t i = 0; i < group->column_count; i++) {
        struct parquet_held *column = &group->columns[i];
        column->count = 0;
        column->texts.length = 0;
        if (all) {
            free(column->texts.data);
            column->texts = (struct buffer){0};
        }
    }
    group->rows = 0;
    group->text_bytes = 0;
    if (!all)
        return;
    free(group->values);
    free(group->present);
    group->values = NULL;
    group->present = NULL;
    group->room = 0;
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
    size_t width = parquet_type_row(column->type)->width, at = column->count * width, length = 0;
    uint64_t *bits = group->present + words_of(group->room) * index;
    size_t present = parquet_run_bits(run, from, count, bits, group->rows);
    column->count += present;
    if (width > 0) {
        length = present * width;
        memcpy(group->values + group->room * column->before + at, run->values, length);
    } else {
        for (size_t i = 0; i < present; i++)
            length += parquet_text_size(run->values + length);
        buffer_put(&column->texts, run->values, length);
    }
    run->values += length;
    return column->texts.failed ? -1 : 0;
}

size_t parquet_group_add(struct parquet_group *group, struct parquet_run *runs, size_t from, size_t count)
{
    size_t text_bytes, rows = count_fitting(group, runs, from, count, &text_bytes);
    if (rows == SIZE_MAX || make_room(group, group->rows + rows) != 0)
        return SIZE_MAX;
    for (size_t i = 0; i < group->column_count; i++)
        if (add_column(group, i, &runs[i], from, rows) != 0)
            return SIZE_MAX;
    group->rows += rows;
    group->text_bytes += text_bytes;
    return from + rows;
}
