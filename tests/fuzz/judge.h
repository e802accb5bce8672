/* What the program's output must be, for any input. Each judge returns NULL, or what is wrong, and sets *at to the
 * place; none shares code with the writers. */
#ifndef FUZZ_JUDGE_H
#define FUZZ_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

struct span {
    const char *at;
    size_t length;
};
bool span_is(struct span span, const char *text);

/* ---- judge_text.c ---- */

/* UTF-8 without overlong forms, surrogates and NUL. */
const char *judge_utf8(struct span text, size_t *at);
/* Lines for people: also no control character except the line's end, and none that changes the direction of text. */
const char *judge_shown(struct span text, size_t *at);
/* The length of a character in bytes, and its number; 0 if there is none. */
size_t character(struct span text, unsigned long *number);

/* ---- judge_json.c: RFC 8259, with unique names in an object ---- */

/* Exactly one value; with `lines` one on each line. */
const char *judge_json(struct span text, bool lines, size_t *at);
/* The text of a name's value in an object that was judged; false: there is none. */
bool json_member(struct span object, const char *name, struct span *value);
/* The contents of an object or array that was judged, and its next part; `name`, with quotes, is NULL for an array. */
struct span json_inside(struct span value);
bool json_next(struct span *rest, struct span *name, struct span *value);
/* The bytes of a string that was judged, terminated; `to` has room for them. Returns their length. */
size_t json_string(struct span string, char *to);

/* ---- judge_table.c ---- */

/* RFC 4180 with a line feed: records as wide as the first. */
const char *judge_csv(struct span text, size_t *at);
/* Copies the next cell of a judged text to `to`, without its quotes; *last: its record ends there. Returns its
 * length; false at the end of the text. */
bool csv_cell(struct span *rest, char *to, size_t *length, bool *last);
/* Blocks, each a comment with a name for each column and rows with as many numbers. */
const char *judge_gnuplot(struct span text, size_t *at);
/* The next word of a line; false at its end. */
bool next_word(struct span *line, struct span *word);
bool next_line(struct span *rest, struct span *line);

/* ---- judge_mcap.c ---- */

const char *judge_mcap(struct span file, size_t *at);

/* ---- judge_parquet.c ---- */

const char *judge_parquet(struct span file, size_t *at);

/* ---- judge_recipe.c ---- */

const char *judge_xml(struct span text, size_t *at);
/* Lines of a name and a type. */
const char *judge_recipe_lines(struct span text, size_t *at);

/* ---- judge_rows.c ---- */

/* The same rows, cell by cell, in CSV and JSON lines, in CSV and in gnuplot's columns. */
const char *judge_same_rows(struct span csv, struct span lines, size_t *at);
const char *judge_same_columns(struct span csv, struct span gnuplot, size_t *at);

#endif
