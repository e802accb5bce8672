#include <stdlib.h>
#include <string.h>

#include "armtap.h"
#include "judge.h"

/* ---- JSON's leaves ---- */

/* The cell for a value that is not an array; `to` has room for the value's text. */
static void cell_of(struct span value, char *to)
{
    size_t length = value.length;
    if (*value.at == '"') {
        json_string(value, to);
        return;
    }
    memcpy(to, value.at, length);
    to[length] = '\0';
    if (strcmp(to, "null") == 0)
        *to = '\0';
    else if (strcmp(to, "true") == 0 || strcmp(to, "false") == 0)
        strcpy(to, *to == 't' ? "1" : "0");
}

/* JSON has no NaN, and numbers that arrived as text may be written differently. */
static bool is_same(const char *cell, const char *value, bool is_null)
{
    char *end_cell, *end_value;
    if (strcmp(cell, value) == 0)
        return true;
    if (is_null)
        return strcmp(cell, "nan") == 0 || strcmp(cell, "inf") == 0 || strcmp(cell, "-inf") == 0;
    double a = strtod(cell, &end_cell), b = strtod(value, &end_value);
    return end_cell != cell && !*end_cell && !*end_value && memcmp(&a, &b, sizeof a) == 0;
}

struct cells {
    struct span rest; /* of the record */
    char *cell, *value;
    size_t length;
    bool ended;
};

static bool next_cell(struct cells *cells)
{
    bool last = false;
    if (cells->ended || !csv_cell(&cells->rest, cells->cell, &cells->length, &last))
        return false;
    cells->ended = last;
    return true;
}

struct cursor {
    struct cells names, cells;
};

static bool next_column(struct cursor *cursor)
{
    return next_cell(&cursor->names) && next_cell(&cursor->cells);
}

static const char *compare_leaves(struct cursor *cursor, struct span value, bool *first)
{
    struct span part, rest = json_inside(value);
    if (*value.at == '[') {
        while (json_next(&rest, NULL, &part)) {
            const char *wrong = compare_leaves(cursor, part, first);
            if (wrong)
                return wrong;
        }
        return NULL;
    }
    if (!*first && !next_column(cursor))
        return "more values in JSON than cells in CSV";
    *first = false;
    cell_of(value, cursor->cells.value);
    bool is_null = span_is(value, "null");
    return is_same(cursor->cells.cell, cursor->cells.value, is_null) ? NULL : "a cell of CSV unlike the value in JSON";
}

/* ---- rows ---- */

static bool is_leading(const char *name)
{
    static const char *const names[] = {"time", "file", "packet", "stream", "robot", "protocol", "direction"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* The column of a member: the same name, or that of its first element; NAME_2 where NAME is taken. */
static bool is_column_of(const char *column, const char *name)
{
    size_t length = strlen(name), shorter = strlen(column);
    if (strncmp(column, name, length) == 0 && (!column[length] || strcmp(column + length, "_0") == 0))
        return true;
    return shorter < length && strncmp(column, name, shorter) == 0 && name[shorter] == '_' &&
           strspn(name + shorter + 1, "0123456789") == length - shorter - 1;
}

static const char *compare_member(struct cursor *cursor, struct span name, struct span value)
{
    char *plain = malloc(name.length * 4 + 4);
    if (!plain)
        return NULL;
    json_string(name, plain);
    bool found = false, first = true;
    const char *wrong = NULL;
    while (!is_leading(plain) && !wrong && !found && next_column(cursor)) {
        found = is_column_of(cursor->names.cell, plain);
        if (!found && *cursor->cells.cell)
            wrong = "a cell of CSV without a value in JSON";
    }
    if (!wrong && !found && !is_leading(plain))
        wrong = "a name in JSON without a column in CSV";
    if (found)
        wrong = compare_leaves(cursor, value, &first);
    free(plain);
    return wrong;
}

static const char *compare_row(struct cursor *cursor, struct span object)
{
    struct span name, value, rest = json_inside(object);
    const char *wrong = NULL;
    next_column(cursor);
    if (json_member(object, "time", &value)) {
        cell_of(value, cursor->cells.value);
        if (!is_same(cursor->cells.cell, cursor->cells.value, span_is(value, "null")))
            return "another time";
    }
    while (!wrong && json_next(&rest, &name, &value))
        wrong = compare_member(cursor, name, value);
    while (!wrong && next_column(cursor))
        if (*cursor->cells.cell)
            wrong = "a cell of CSV without a value in JSON";
    return wrong;
}

/* Whether the object has more members than every row has: without more it is in no table of CSV. */
static bool has_fields(struct span object)
{
    struct span name, value, rest = json_inside(object);
    char plain[64];
    while (json_next(&rest, &name, &value)) {
        if (name.length >= sizeof plain / 4)
            return true;
        json_string(name, plain);
        if (!is_leading(plain))
            return true;
    }
    return false;
}

static bool is_blank_row(struct span csv, char *room)
{
    size_t length;
    bool last = false, is_first = true, is_blank = true;
    while (!last && csv_cell(&csv, room, &length, &last)) {
        is_blank = is_blank && (is_first || length == 0);
        is_first = false;
    }
    return is_blank;
}

static void skip_record(struct span *rest, char *room)
{
    size_t length;
    bool last = false;
    while (!last && csv_cell(rest, room, &length, &last))
        continue;
}

struct room {
    char *name, *cell, *value;
};

static const char *same_rows(struct span csv, struct span lines, const struct room *room, size_t *at)
{
    struct span header = csv, rest = csv, line;
    const char *wrong = NULL;
    skip_record(&rest, room->cell);
    while (!wrong && next_line(&lines, &line)) {
        bool is_blank = rest.length > 0 && is_blank_row(rest, room->cell);
        if (!is_blank && !has_fields(line))
            continue;
        struct cursor cursor = {{header, room->name, room->value, 0, false}, {rest, room->cell, room->value, 0, false}};
        *at = (size_t)(rest.at - csv.at);
        wrong = rest.length == 0 ? "more rows in JSON than in CSV" : compare_row(&cursor, line);
        skip_record(&rest, room->cell);
    }
    return wrong || rest.length == 0 ? wrong : "more rows in CSV than in JSON";
}

static const char *with_room(struct span csv, struct span other, size_t *at,
                             const char *(*judge)(struct span, struct span, const struct room *, size_t *))
{
    size_t longest = csv.length + other.length * 2 + 8;
    struct room room = {malloc(longest), malloc(longest), malloc(longest)};
    const char *wrong = NULL;
    if (room.name && room.cell && room.value)
        wrong = judge(csv, other, &room, at);
    free(room.name);
    free(room.cell);
    free(room.value);
    return wrong;
}

const char *judge_same_rows(struct span csv, struct span lines, size_t *at)
{
    return with_room(csv, lines, at, same_rows);
}

/* ---- gnuplot ---- */

/* UR's column of a cell, from 1; 0 if it has none or its name occurs twice. */
static unsigned column_of(const char *name, size_t length, size_t width)
{
    const struct armtap_field *field = armtap_field_find(name, length);
    unsigned element = 0;
    if (!field && length > 2 && name[length - 2] == '_') {
        element = (unsigned)(name[length - 1] - '0');
        field = armtap_field_find(name, length - 2);
        if (field && field->count == 1) /* a vector of its name */
            return 0;
    }
    if (!field || element >= field->count || (field->count > 1 && name[length - 2] != '_'))
        return 0;
    unsigned first = width == 101 ? field->column_cb2 : field->column_cb3e;
    return first > 0 ? first + element : 0;
}

static bool nth_word(struct span line, unsigned n, struct span *word)
{
    while (next_word(&line, word))
        if (--n == 0)
            return true;
    return false;
}

static size_t width_of(struct span line)
{
    struct span word;
    size_t count = 0;
    while (next_word(&line, &word))
        count++;
    return count;
}

/* A text in the place of a number, as AUBO's topics may have it: gnuplot has numbers alone. */
static bool is_text(const char *cell)
{
    char *end;
    strtod(cell, &end);
    return end == cell || *end != '\0';
}

static const char *compare_columns(struct cursor *cursor, struct span line, char *room)
{
    struct span word;
    size_t width = width_of(line);
    while (next_column(cursor)) {
        unsigned column = column_of(cursor->names.cell, cursor->names.length, width);
        if (column == 0 || !*cursor->cells.cell || !nth_word(line, column, &word))
            continue;
        memcpy(room, word.at, word.length);
        room[word.length] = '\0';
        const char *cell = cursor->cells.cell;
        bool is_absent = strcmp(room, "NaN") == 0 && (strcmp(cell, "nan") == 0 || is_text(cell));
        if (!is_absent && !is_same(cursor->cells.cell, room, false))
            return "a column of gnuplot unlike the cell of CSV";
    }
    return NULL;
}

static const char *same_columns(struct span csv, struct span gnuplot, const struct room *room, size_t *at)
{
    struct span rest = csv, line;
    const char *wrong = NULL;
    skip_record(&rest, room->cell);
    while (!wrong && next_line(&gnuplot, &line)) {
        if (line.length == 0 || *line.at == '#')
            continue;
        struct cursor cursor = {{csv, room->name, room->value, 0, false}, {rest, room->cell, room->value, 0, false}};
        *at = (size_t)(rest.at - csv.at);
        wrong = rest.length == 0 ? "more rows for gnuplot than in CSV" : compare_columns(&cursor, line, room->value);
        skip_record(&rest, room->cell);
    }
    return wrong || rest.length == 0 ? wrong : "more rows in CSV than for gnuplot";
}

const char *judge_same_columns(struct span csv, struct span gnuplot, size_t *at)
{
    return with_room(csv, gnuplot, at, same_columns);
}
