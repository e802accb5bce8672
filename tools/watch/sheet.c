#include "sheet.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/utf8.h"

#define SAY_MAX 1000

int sheet_begin(struct sheet *sheet, int rows, int columns)
{
    rows = rows < 1 ? 1 : rows > SHEET_ROWS_MAX ? SHEET_ROWS_MAX : rows;
    columns = columns < 1 ? 1 : columns > SHEET_COLUMNS_MAX ? SHEET_COLUMNS_MAX : columns;
    size_t count = (size_t)rows * (size_t)columns;
    if (sheet->rows != rows || sheet->columns != columns) {
        struct cell *cells = realloc(sheet->cells, count * sizeof *cells);
        if (!cells)
            return -1;
        sheet->rows = rows;
        sheet->columns = columns;
        sheet->cells = cells;
    }
    memset(sheet->cells, 0, count * sizeof *sheet->cells);
    return 0;
}

void sheet_free(struct sheet *sheet)
{
    free(sheet->cells);
    *sheet = (struct sheet){0};
}

static size_t bytes_of(const struct sheet *sheet)
{
    return (size_t)sheet->rows * (size_t)sheet->columns * sizeof *sheet->cells;
}

int sheet_copy(struct sheet *to, const struct sheet *from)
{
    if (sheet_begin(to, from->rows, from->columns) != 0)
        return -1;
    memcpy(to->cells, from->cells, bytes_of(from));
    return 0;
}

static bool is_same_cell(const struct cell *one, const struct cell *other)
{
    return strcmp(one->text, other->text) == 0 && one->is_right_half == other->is_right_half &&
           one->style.paint == other->style.paint && one->style.is_dim == other->style.is_dim &&
           one->style.is_reverse == other->style.is_reverse;
}

bool sheet_is_same(const struct sheet *one, const struct sheet *other)
{
    bool is = one->rows == other->rows && one->columns == other->columns;
    for (int i = 0; is && i < one->rows * one->columns; i++)
        is = is_same_cell(&one->cells[i], &other->cells[i]);
    return is;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* Columns that terminals give to characters, where it is not one: of East Asian scripts and pictures two, of marks that
 * combine none. */
static const struct {
    uint32_t first, last;
    int columns;
} widths[] = {
    {0x0300, 0x036F, 0},   {0x0483, 0x0489, 0},   {0x0591, 0x05BD, 0}, {0x0610, 0x061A, 0}, {0x064B, 0x065F, 0},
    {0x1100, 0x115F, 2},   {0x1AB0, 0x1AFF, 0},   {0x1DC0, 0x1DFF, 0}, {0x200C, 0x200D, 0}, {0x20D0, 0x20FF, 0},
    {0x2E80, 0x303E, 2},   {0x3041, 0xA4CF, 2},   {0xAC00, 0xD7A3, 2}, {0xF900, 0xFAFF, 2}, {0xFE00, 0xFE0F, 0},
    {0xFE20, 0xFE2F, 0},   {0xFE30, 0xFE6F, 2},   {0xFF01, 0xFF60, 2}, {0xFFE0, 0xFFE6, 2}, {0x1F300, 0x1FAFF, 2},
    {0x20000, 0x3FFFD, 2}, {0xE0100, 0xE01EF, 0},
};

static int width_of(uint32_t character)
{
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (character >= widths[i].first && character <= widths[i].last)
            return widths[i].columns;
    return 1;
}

struct pen pen_at(struct sheet *sheet, int row, int column)
{
    return (struct pen){.sheet = sheet, .row = row, .column = column, .end = sheet->columns};
}

/* Adds what combines with the character before, as far as it fits. */
static void combine(const struct pen *pen, const char *text, size_t length)
{
    struct cell *row = &pen->sheet->cells[(size_t)pen->row * (size_t)pen->sheet->columns];
    int at = pen->column - 1;
    while (at > 0 && row[at].is_right_half)
        at--;
    if (at < 0 || row[at].text[0] == '\0')
        return;
    size_t has = strlen(row[at].text);
    if (has + length < CELL_BYTES)
        memcpy(row[at].text + has, text, length + 1);
}

static void put_character(struct pen *pen, const char *text, size_t length, int width)
{
    int end = pen->end < pen->sheet->columns ? pen->end : pen->sheet->columns;
    bool is_shown = pen->row >= 0 && pen->row < pen->sheet->rows && pen->column >= 0 && pen->column + width <= end;
    if (is_shown && width == 0) {
        combine(pen, text, length);
    } else if (is_shown) {
        struct cell *cell = &pen->sheet->cells[(size_t)pen->row * (size_t)pen->sheet->columns] + pen->column;
        memcpy(cell->text, text, length + 1);
        cell->is_right_half = false;
        cell->style = pen->style;
        if (width == 2)
            cell[1] = (struct cell){.is_right_half = true, .style = pen->style};
    }
    pen->column += width;
}

/* The beginning of a number is another number, so what was cut ends with a mark, also in place of half a character. */
static void mark_cut(struct pen mark)
{
    mark.column = (mark.end < mark.sheet->columns ? mark.end : mark.sheet->columns) - 1;
    size_t at = (size_t)mark.row * (size_t)mark.sheet->columns + (size_t)mark.column;
    if (mark.row < 0 || mark.row >= mark.sheet->rows || mark.column < 1)
        return;
    if (mark.sheet->cells[at].is_right_half)
        mark.sheet->cells[at - 1].text[0] = '\0';
    put_character(&mark, ">", 1, 1);
}

void pen_put_span(struct pen *pen, const char *text, size_t length)
{
    char shown[UTF8_SHOWN_MAX];
    size_t i = 0, used;
    for (; i < length && pen->column < pen->end; i += used) {
        uint32_t character = 0;
        size_t bytes = utf8_show(shown, text + i, length - i, &used);
        if (used < bytes) { /* \xHH, letter by letter */
            for (size_t k = 0; k < bytes; k++)
                put_character(pen, (char[]){shown[k], '\0'}, 1, 1);
            continue;
        }
        utf8_character(text + i, length - i, &character);
        put_character(pen, shown, bytes, width_of(character));
    }
    if (pen->column > pen->end || (i < length && strspn(text + i, " ") < length - i))
        mark_cut(*pen);
}

void pen_put(struct pen *pen, const char *text)
{
    pen_put_span(pen, text, strlen(text));
}

void pen_styled(struct pen *pen, struct style style, const char *text)
{
    struct style before = pen->style;
    pen->style = style;
    pen_put(pen, text);
    pen->style = before;
}

void pen_say(struct pen *pen, const char *format, ...)
{
    char text[SAY_MAX];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    pen_put(pen, text);
}

void pen_to(struct pen *pen, int column)
{
    while (pen->column < column && pen->column < pen->end)
        put_character(pen, " ", 1, 1);
}

/* How many bytes of the text fit into a line: up to a blank, or as many characters as there are columns. */
static size_t line_of(const char *text, int columns, size_t *skip)
{
    size_t fits = 0, at = 0, used;
    int column = 0;
    char shown[UTF8_SHOWN_MAX];
    while (text[at] != '\0') {
        uint32_t character = 0;
        size_t bytes = utf8_show(shown, text + at, strlen(text + at), &used);
        utf8_character(text + at, strlen(text + at), &character);
        column += used < bytes ? (int)bytes : width_of(character);
        if (text[at] == ' ')
            fits = at;
        if (column > columns)
            break;
        at += used;
    }
    *skip = 0;
    if (text[at] == '\0')
        return at;
    if (fits == 0)
        return at > 0 ? at : 1;
    *skip = 1;
    return fits;
}

int sheet_wrap(struct sheet *sheet, int row, int column, int columns, int rows, struct style style, const char *text)
{
    int taken = 0;
    while (*text != '\0' && taken < rows) {
        size_t skip, length = line_of(text, columns, &skip);
        bool is_cut = taken + 1 == rows && text[length] != '\0';
        if (sheet) {
            struct pen pen = pen_at(sheet, row + taken, column);
            pen.style = style;
            pen.end = column + columns;
            pen_put_span(&pen, text, is_cut ? strlen(text) : length);
            if (is_cut) {
                pen.column = column + columns - 3;
                pen_put(&pen, "...");
            }
        }
        text += length + skip;
        taken++;
    }
    return taken;
}

/* ---- as lines ---------------------------------------------------------------------------------------------------- */

static int length_of(const struct cell *row, int columns)
{
    while (columns > 0 && (row[columns - 1].text[0] == '\0' || strcmp(row[columns - 1].text, " ") == 0) &&
           !row[columns - 1].is_right_half)
        columns--;
    return columns;
}

static void print_row(FILE *file, const struct cell *row, int length, bool is_coloured)
{
    enum text_paint paint = PAINT_NONE;
    for (int i = 0; i < length; i++) {
        if (row[i].is_right_half)
            continue;
        if (is_coloured && row[i].style.paint != paint) {
            if (paint != PAINT_NONE)
                fputs(text_plain_if(true), file);
            paint = row[i].style.paint;
            fputs(text_paint_if(true, paint), file);
        }
        fputs(row[i].text[0] != '\0' ? row[i].text : " ", file);
    }
    if (paint != PAINT_NONE)
        fputs(text_plain_if(true), file);
    putc('\n', file);
}

void sheet_print(FILE *file, const struct sheet *sheet, bool is_coloured)
{
    int rows = sheet->rows;
    while (rows > 0 && length_of(&sheet->cells[(size_t)(rows - 1) * (size_t)sheet->columns], sheet->columns) == 0)
        rows--;
    for (int i = 0; i < rows; i++) {
        const struct cell *row = &sheet->cells[(size_t)i * (size_t)sheet->columns];
        print_row(file, row, length_of(row, sheet->columns), is_coloured);
    }
}
