#include "content.h"

#include "base/process/message.h"

#define NS_PER_S 1000000000

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

void matlab_block_free(struct matlab_block *block)
{
    for (size_t i = 0; i < block->texts_count; i++)
        column_texts_free(&block->texts[i]);
    free(block->texts);
    free(block->values.data);
    free(block->present.data);
}

/* Whether the variable's values are parsed from JSON. */
static bool is_parsed_json(const struct matlab_content *content, const struct matlab_variable *variable)
{
    return content->store->columns[variable->first].type == MATLAB_JSON && variable->class != MATLAB_CLASS_CHAR;
}

/* A JSON number, true or false. */
static double parse_one(const char *text, size_t length)
{
    char digits[400];
    if (*text == 't' || *text == 'f')
        return *text == 't';
    size_t some = length < sizeof digits ? length : sizeof digits - 1;
    memcpy(digits, text, some);
    digits[some] = '\0';
    return strtod(digits, NULL);
}

/* Reads on where the load before ended. */
static int parse(struct matlab_block *block, const struct matlab_content *content,
                 const struct matlab_variable *variable, size_t rows, char *values, uint64_t *present)
{
    size_t words = column_words_of(rows), length;
    if (!block->texts)
        block->texts = calloc(variable->columns, sizeof *block->texts);
    if (!block->texts)
        return message_no_memory();
    memset(present, 0, variable->columns * words * sizeof *present);
    for (size_t i = 0; i < variable->columns; i++) {
        struct column_texts *texts = &block->texts[i];
        if (i == block->texts_count)
            *texts = (struct column_texts){.pieces = &content->store->pieces,
                                           .column = variable->first + block->texts_count++};
        for (size_t k = 0; k < rows; k++) {
            const char *text;
            if (column_texts_next(texts, &text, &length) != 0)
                return -1;
            double number = text ? parse_one(text, length) : 0;
            memcpy(values + (i * rows + k) * sizeof number, &number, sizeof number);
            present[i * words + k / 64] |= (uint64_t)(text != NULL) << k % 64;
        }
    }
    return 0;
}

int matlab_block_load(struct matlab_block *block, const struct matlab_content *content,
                      const struct matlab_variable *variable, uint64_t from, size_t rows)
{
    unsigned width = matlab_type_row(content->store->columns[variable->first].type)->width;
    size_t words = column_words_of(rows);
    bool is_parsed = is_parsed_json(content, variable);
    width = is_parsed ? sizeof(double) : width;
    block->rows = rows;
    block->values.length = block->present.length = 0;
    char *values = buffer_room(&block->values, variable->columns * rows * width + 1);
    char *present = buffer_room(&block->present, variable->columns * words * sizeof(uint64_t) + 1);
    if (!values || !present)
        return message_no_memory();
    if (is_parsed)
        return parse(block, content, variable, rows, values, (uint64_t *)(void *)present);
    for (size_t i = 0; i < variable->columns; i++)
        if (column_pieces_get(&content->store->pieces, variable->first + i, width, from, rows,
                              values + i * rows * width, (uint64_t *)(void *)present + i * words) != 0)
            return -1;
    return 0;
}

static bool has(const uint64_t *present, size_t row)
{
    return (present[row / 64] >> row % 64 & 1) != 0;
}

/* Rounded once: the seconds are exact in a double, and so is their sum with the fraction, but for its last bit. */
static double seconds(int64_t ns)
{
    int64_t whole = ns / NS_PER_S;
    return (double)whole + (double)(ns % NS_PER_S) / NS_PER_S;
}

static double number_at(enum matlab_type type, const char *values, size_t row)
{
    union {
        double f64;
        int64_t i64;
        uint64_t u64;
        int32_t i32;
        uint32_t u32;
    } value;
    size_t width = matlab_type_row(type)->width;
    memcpy(&value, values + row * width, width);
    switch (type) {
    case MATLAB_TIME:
        return seconds(value.i64);
    case MATLAB_INT64:
        return (double)value.i64;
    case MATLAB_UINT64:
        return (double)value.u64;
    case MATLAB_INT32:
        return value.i32;
    case MATLAB_UINT32:
        return value.u32;
    case MATLAB_DOUBLE:
        return value.f64;
    default:
        return (unsigned char)values[row];
    }
}

static void put_doubles(enum matlab_type type, const char *values, const uint64_t *present, size_t rows, char *out)
{
    static const uint64_t nan = 0x7ff8000000000000;
    for (size_t i = 0; i < rows; i++) {
        double number = has(present, i) ? number_at(type, values, i) : 0;
        if (has(present, i))
            memcpy(out + i * sizeof number, &number, sizeof number);
        else
            memcpy(out + i * sizeof nan, &nan, sizeof nan);
    }
}

/* Doubles are copied as bits, so that a NaN keeps its payload. */
static void copy_doubles(const char *values, const uint64_t *present, size_t rows, char *out)
{
    static const uint64_t nan = 0x7ff8000000000000;
    memcpy(out, values, rows * sizeof nan);
    for (size_t from = 0; from < rows; from += 64) {
        size_t count = rows - from < 64 ? rows - from : 64;
        uint64_t all = count == 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1;
        for (size_t i = from; present[from / 64] != all && i < from + count; i++)
            if (!has(present, i))
                memcpy(out + i * sizeof nan, &nan, sizeof nan);
    }
}

void matlab_block_column(const struct matlab_block *block, const struct matlab_content *content,
                         const struct matlab_variable *variable, size_t column, char *out)
{
    enum matlab_type type = content->store->columns[variable->first + column].type;
    const struct matlab_type_row *row = matlab_type_row(type);
    bool is_parsed = is_parsed_json(content, variable);
    size_t width = is_parsed ? sizeof(double) : row->width;
    const char *values = block->values.data + column * block->rows * width;
    const uint64_t *present =
        (const uint64_t *)(const void *)block->present.data + column * column_words_of(block->rows);
    if (variable->is_absence)
        for (size_t i = 0; i < block->rows; i++)
            out[i] = !has(present, i);
    else if (is_parsed && variable->class == MATLAB_CLASS_LOGICAL)
        for (size_t i = 0; i < block->rows; i++)
            out[i] = number_at(MATLAB_DOUBLE, values, i) != 0;
    else if (type == MATLAB_DOUBLE || is_parsed)
        copy_doubles(values, present, block->rows, out);
    else if (variable->class == MATLAB_CLASS_DOUBLE)
        put_doubles(type, values, present, block->rows, out);
    else
        memcpy(out, values, block->rows * row->width);
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

uint16_t *matlab_characters(const char *const *texts, size_t count, size_t *width)
{
    *width = 0;
    for (size_t i = 0; i < count; i++) {
        size_t units = matlab_text_units(texts[i], strlen(texts[i]));
        *width = units > *width ? units : *width;
    }
    uint16_t *units = malloc((count * *width + 1) * sizeof *units);
    for (size_t i = 0; units && i < count; i++) {
        size_t k = matlab_units(texts[i], strlen(texts[i]), units + i, count, *width);
        for (; k < *width; k++)
            units[k * count + i] = ' ';
    }
    return units;
}

int matlab_texts_row(struct column_texts *texts, const struct matlab_content *content,
                     const struct matlab_variable *variable, uint16_t *out, size_t stride)
{
    enum matlab_type type = content->store->columns[texts->column].type;
    bool is_bytes = type == MATLAB_BYTES;
    size_t room = variable->characters, units = 0, length;
    const char *text;
    if (column_texts_next(texts, &text, &length) != 0)
        return -1;
    if (text && type == MATLAB_JSON && *text == '"')
        units = matlab_json_units(text, length, out, stride, room);
    else if (text && !is_bytes)
        units = matlab_units(text, length, out, stride, room);
    for (; text && is_bytes && units < length && units < room; units++)
        out[units * stride] = (unsigned char)text[units];
    for (; units < room; units++)
        out[units * stride] = ' ';
    return 0;
}
