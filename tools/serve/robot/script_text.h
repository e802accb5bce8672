/* Script text that a client sends to a robot port, cut into whole programs: what is forwarded is never half a program.
 *
 * A program is what the controller runs as one: a line outside of any block, or "def ...: ... end" and "sec ...: ...
 * end" with all blocks inside. Source: UR's script manual, "Connecting to URControl" and "Programming language". That
 * manual leaves open how some texts are read, such as quotes in strings; where a program ends in such a text is not
 * certain, and it is not guessed: nothing more is taken of that client. */
#ifndef SERVE_SCRIPT_TEXT_H
#define SERVE_SCRIPT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A longer program is dropped whole. */
#define SCRIPT_PROGRAM_MAX ((size_t)1024 * 1024)
#define SCRIPT_FIRST_LINE 80
#define SCRIPT_WORD_MAX 8

struct script_text {
    char *program; /* what has come of the current one */
    size_t length;
    bool given_out; /* the program is complete; the next byte begins another */
    bool overlong;  /* dropped until its end */
    /* How the text reads at the current byte. */
    unsigned blocks, brackets;
    bool in_string, in_comment, after_return;
    bool begins_statement;      /* only blanks since a statement could begin */
    bool has_words;             /* the program is more than blank lines */
    char word[SCRIPT_WORD_MAX]; /* the current one; longer ones are no word of the language's blocks */
    size_t word_length;
    bool word_begins_statement;
    bool takes_colon; /* the statement begins with a word that a colon may follow */

    const char *uncertain; /* why nothing more is taken; NULL: it is */
    bool keeps;            /* without it bytes are counted, not kept */
    char first_line[SCRIPT_FIRST_LINE];
    size_t first_length;
    bool first_complete;
    uint64_t bytes, programs, dropped;
};

/* `keeps`: programs are collected for script_text_next. */
void script_text_begin(struct script_text *text, bool keeps);
void script_text_end(struct script_text *text);

enum script_outcome {
    SCRIPT_MORE,      /* all bytes are used; the program is not complete */
    SCRIPT_PROGRAM,   /* program and length are a whole program, with its last newline */
    SCRIPT_TOO_LONG,  /* the program that ends here was longer than SCRIPT_PROGRAM_MAX, and is dropped */
    SCRIPT_UNCERTAIN, /* once: where the program ends is not certain; it and all after it is dropped */
    SCRIPT_NO_MEMORY
};
/* Takes bytes up to the end of the next program; *used says how many. Call it again with the rest. The program is valid
 * until the next call. */
enum script_outcome script_text_next(struct script_text *text, const char *bytes, size_t length, size_t *used);
/* Bytes of a program whose end has not come. */
size_t script_text_unfinished(const struct script_text *text);

#endif
