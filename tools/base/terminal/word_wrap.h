/* Text for people: its colours, and lines wrapped to the terminal's width. */
#ifndef BASE_WORD_WRAP_H
#define BASE_WORD_WRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "armtap.h"
#include "base/text/buffer.h"

/* Colours of texts for people. */

/* "auto", "always" or "never": whether texts for people have colours, from now on and in child processes, to which the
 * environment says so (NO_COLOR, CLICOLOR_FORCE). "auto" leaves that to the user's environment. 0, or -1 for another
 * word. */
int text_colour_choose(const char *when);
/* What a colour says. It never says it alone: the same is in the words. */
enum text_paint { PAINT_NONE, PAINT_GOOD, PAINT_WARNING, PAINT_BAD, PAINT_HEADING, PAINT_PACKET };
enum text_paint text_paint_of(enum armtap_severity severity);
/* Switch a colour on and off; "" without colours: by default if the file is not a terminal, NO_COLOR is set,
 * or TERM is dumb. */
const char *text_paint(FILE *file, enum text_paint paint);
/* The same where the terminal was asked before: `coloured` is what text_is_coloured() said. */
bool text_is_coloured(FILE *file);
const char *text_paint_if(bool coloured, enum text_paint paint);
const char *text_plain_if(bool coloured);
const char *text_colour(FILE *file, enum armtap_severity severity);
const char *text_plain(FILE *file);

/* The width of the terminal, or what COLUMNS says, within bounds; 80 if the file is not a terminal. */
#define TEXT_COLUMNS 80
#define TEXT_COLUMNS_MIN 40
#define TEXT_COLUMNS_MAX 250
int text_columns(FILE *file);
/* The same for what only a terminal may break: without limit if the file is none. */
int text_room(FILE *file);

/* Only one thread prints. */
void text_blanks(FILE *file, int count);

/* Wraps words into lines; all lines after the first begin at `indent`. */
struct text_wrap {
    FILE *file;
    struct buffer *text; /* in place of the file, without colours; NULL: the file */
    int column;
    int indent;
    int columns;           /* of a line */
    enum text_paint paint; /* each line by itself: pagers forget colours at its end */
};
/* `column` is where the cursor is now. */
struct text_wrap text_wrap_begin(FILE *file, int column, int indent);
/* The same where the terminal was asked before: `columns` is what text_columns() said. */
struct text_wrap text_wrap_within(FILE *file, int columns, int column, int indent);
/* Writes one word, never broken. Bytes that must not be printed are shown as \xHH. */
void text_wrap_word(struct text_wrap *wrap, const char *word);
void text_wrap_piece(struct text_wrap *wrap, const char *word, size_t length);
/* The columns that it takes. */
int text_width(const char *word, size_t length);
/* Writes a text, broken at its spaces. */
void text_wrap_words(struct text_wrap *wrap, const char *text);
/* The same for the first `length` bytes of a text. */
void text_wrap_span(struct text_wrap *wrap, const char *text, size_t length);
void text_wrap_end(struct text_wrap *wrap);
/* The colour of what follows in this text. */
void text_wrap_paint(struct text_wrap *wrap, enum text_paint paint);

/* Whether `after` follows `before` in a numbered series: "in_2", "in_3". */
bool text_name_follows(const char *before, const char *after);
/* The number at the end of a name; "" if there is none. */
const char *text_name_number(const char *name);

#endif
