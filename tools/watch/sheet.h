/* A page as cells: what the terminal shows, what --once prints and what a key saves is the same sheet. */
#ifndef WATCH_SHEET_H
#define WATCH_SHEET_H

#include <stdbool.h>
#include <stdio.h>

#include "base/text/printf_format.h"
#include "base/terminal/word_wrap.h"

/* Bytes of a character, with what combines with it, and a NUL. */
#define CELL_BYTES 12

struct style {
    enum text_paint paint;
    bool is_dim, is_reverse;
};

struct cell {
    char text[CELL_BYTES]; /* "": a blank, or the right half of a wide character */
    bool is_right_half;
    struct style style;
};

/* Starts as zeros; the owner frees it by sheet_free(). */
struct sheet {
    int rows, columns;
    struct cell *cells;
};

#define SHEET_ROWS_MAX 300
#define SHEET_COLUMNS_MAX 500

/* Blanks of that size, within the bounds. 0, or -1 if memory runs out: then it is as it was. */
int sheet_begin(struct sheet *sheet, int rows, int columns);
void sheet_free(struct sheet *sheet);
/* Makes `to` the same. 0, or -1 if memory runs out. */
int sheet_copy(struct sheet *to, const struct sheet *from);
bool sheet_is_same(const struct sheet *one, const struct sheet *other);

/* Where text goes, and how: within a row, up to the column `end`. */
struct pen {
    struct sheet *sheet;
    int row, column, end;
    struct style style;
};
struct pen pen_at(struct sheet *sheet, int row, int column);
/* Texts of any origin: what must not be shown becomes \xHH, and what is beyond the end is left out. */
void pen_put(struct pen *pen, const char *text);
void pen_put_span(struct pen *pen, const char *text, size_t length);
void pen_say(struct pen *pen, const char *format, ...) PRINTF_FORMAT(2, 3);
/* The same in a style of its own. */
void pen_styled(struct pen *pen, struct style style, const char *text);
/* Blanks up to that column. */
void pen_to(struct pen *pen, int column);

/* Words from the given row on, broken at blanks, up to `rows` of them, of which the last is cut. Returns how many rows
 * they took. A sheet NULL only counts, in that many columns. */
int sheet_wrap(struct sheet *sheet, int row, int column, int columns, int rows, struct style style, const char *text);

/* As lines, without blanks at their ends and without blank lines at the end. */
void sheet_print(FILE *file, const struct sheet *sheet, bool is_coloured);

#endif
