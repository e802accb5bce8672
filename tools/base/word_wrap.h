/* Text for people: lines wrapped to the terminal's width. */
#ifndef BASE_WORD_WRAP_H
#define BASE_WORD_WRAP_H

#include <stdbool.h>
#include <stdio.h>

#include "armtap.h"

/* The columns of the terminal that the file is, within bounds; 80 where it is none. */
#define TEXT_COLUMNS 80
#define TEXT_COLUMNS_MIN 40
#define TEXT_COLUMNS_MAX 250
int text_columns(FILE *file);

/* Words put on lines; those after the first begin at `indent`. */
struct text_wrap {
    FILE *file;
    int column;
    int indent;
    int columns; /* of a line */
};
/* The cursor is at `column` of a line now. */
struct text_wrap text_wrap_begin(FILE *file, int column, int indent);
/* One word, never broken. What must not be printed shows as \xHH. */
void text_wrap_word(struct text_wrap *wrap, const char *word);
/* A text, broken at its blanks. */
void text_wrap_words(struct text_wrap *wrap, const char *text);
/* The first `length` bytes of a text, in the same way. */
void text_wrap_span(struct text_wrap *wrap, const char *text, size_t length);
void text_wrap_end(struct text_wrap *wrap);

/* Whether `after` is the name that follows `before` in a numbered row: "in_2", "in_3". */
bool text_name_follows(const char *before, const char *after);
/* The number at the end of a name, "" without one. */
const char *text_name_number(const char *name);

/* What switches a severity's colour on and off; "" where the file is no terminal or NO_COLOR is set. */
const char *text_colour(FILE *file, enum armtap_severity severity);
const char *text_plain(FILE *file);

#endif
