/* Lines, commands and rows of tables that a terminal may be too narrow for. What is no terminal gets them unbroken. */
#ifndef BASE_FOLD_H
#define BASE_FOLD_H

#include <stdio.h>

#include "base/numbers/number_text.h"
#include "base/text/printf_format.h"
#include "word_wrap.h"

/* A line. Where it is too wide for the terminal, it goes on at `indent`. The text must be fit to be shown, may begin
 * with blanks, and may hold what text_paint() returns. A line end within it is a blank once anything is too wide. */
void text_line(FILE *file, int indent, const char *format, ...) PRINTF_FORMAT(3, 4);
/* The same of texts that follow one another: printf takes longer than they do. NULL ends them. */
void text_line_of(FILE *file, int room, int indent, const char *const *texts);
/* Texts one after the other, up to NULL, as far as there is room. Returns the length. */
size_t text_join(char *to, size_t room, const char *const *texts);
/* A line above others. */
void text_heading(FILE *file, int indent, const char *text);
/* The same, for what follows on the same line: text_wrap_end() ends it. */
struct text_wrap text_lead(FILE *file, int indent, const char *format, ...) PRINTF_FORMAT(3, 4);

/* Goes on with a command for the shell, which can be pasted as it is shown: it is broken between its words, after
 * backslashes. */
void text_wrap_command(struct text_wrap *wrap, const char *command);
/* Lines of them, each with the blanks that it begins with. */
void text_commands(FILE *file, const char *lines);

/* Numbers with their terminator, for cells: printf takes longer than all else about a row. Both return `to`. */
const char *text_count(char to[NUMBER_MAX], uint64_t count);
const char *text_integer(char to[NUMBER_MAX], int64_t number);

/* A row of a table. Its cells go on at `indent` where they do not fit. Since that depends on their widths only, all
 * rows of a table are broken alike. */
#define TEXT_ROW_BELOW 512
struct text_row {
    FILE *file;
    int indent;
    int room;    /* columns of a line */
    int column;  /* of the cursor, once the padding is written */
    int padding; /* not yet written: lines do not end in blanks */
    int cells;   /* of this line */
    bool is_broken;
    bool is_coloured;
    int gap;               /* columns between cells */
    enum text_paint paint; /* of the cells */
    int below_at;          /* where the cells below stand that are not yet written */
    char below[TEXT_ROW_BELOW];
};
/* gap: the columns between two cells. The row asks the terminal, which takes longer than a few cells: it may be used
 * for all rows of a table, one after the other. */
struct text_row text_row_begin(FILE *file, int indent, int gap);
/* A cell of that width, to the left if it is negative, as with printf. A wider text moves what follows. */
void text_row_cell(struct text_row *row, int width, const char *text);
void text_row_painted(struct text_row *row, int width, enum text_paint paint, const char *text);
/* The same of a heading with two lines. */
void text_row_head(struct text_row *row, int width, const char *text, const char *below);
/* The next cells, of that many columns with their gaps, are not separated. */
void text_row_together(struct text_row *row, int width);
/* Begins another line of the same row. */
void text_row_break(struct text_row *row);
/* The heading of a table. */
struct text_row text_row_heading(FILE *file, int indent, int gap);
/* For text that goes on in the same line, wrapped at `indent`. */
struct text_wrap text_row_wrap(struct text_row *row, int indent);
/* Both make it another row of the same table; the second one after text that ended the line. */
void text_row_end(struct text_row *row);
void text_row_again(struct text_row *row);

#endif
