#define _POSIX_C_SOURCE 200809L
#include "script_text.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

/* Longer nesting is no program that anybody wrote. */
#define NESTED_MAX 10000u

static void begin_program(struct script_text *text)
{
    text->length = 0;
    text->given_out = text->overlong = text->has_words = false;
    text->blocks = text->brackets = 0;
    text->in_string = text->in_comment = text->after_return = false;
    text->begins_statement = true;
    text->takes_colon = false;
    text->word_length = 0;
}

void script_text_begin(struct script_text *text, bool keeps)
{
    *text = (struct script_text){.keeps = keeps};
    begin_program(text);
}

void script_text_end(struct script_text *text)
{
    free(text->program);
    text->program = NULL;
}

/* ---- how the text reads ------------------------------------------------------------------------------------------ */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool word_is(const struct script_text *text, const char *word)
{
    return strlen(word) == text->word_length && memcmp(word, text->word, text->word_length) == 0;
}

static const char *const openers[] = {"def", "sec", "thread", "while", "if", NULL};
static const char *const dividers[] = {"elif", "else", NULL};

static bool word_is_of(const struct script_text *text, const char *const words[])
{
    for (size_t i = 0; words[i]; i++)
        if (word_is(text, words[i]))
            return true;
    return false;
}

/* A word is complete: follows the blocks. Returns why their end is not certain, or NULL. */
static const char *end_word(struct script_text *text)
{
    bool opens = word_is_of(text, openers), ends = word_is(text, "end");
    if (text->word_begins_statement && text->word_length > 0)
        text->takes_colon = opens || word_is_of(text, dividers);
    text->word_length = 0;
    if (!opens && !ends)
        return NULL;
    if (!text->word_begins_statement || text->brackets > 0)
        return "a word such as 'if' or 'end' inside a statement";
    if (ends && text->blocks == 0)
        return "an 'end' without a block";
    if (opens && text->blocks == NESTED_MAX)
        return "blocks without an end";
    text->blocks += opens ? 1 : 0;
    text->blocks -= ends ? 1 : 0;
    return NULL;
}

static const char *take_bracket(struct script_text *text, char c)
{
    if (strchr("([{", c)) {
        text->brackets++;
        return text->brackets > NESTED_MAX ? "brackets without an end" : NULL;
    }
    if (text->brackets == 0)
        return "a closing bracket without an opening one";
    text->brackets--;
    return NULL;
}

/* What begins with another word and has a colon may be a block, of a release that this one does not know. */
static const char *take_colon(struct script_text *text)
{
    bool expected = text->takes_colon && text->brackets == 0;
    text->takes_colon = false;
    text->begins_statement = true;
    return expected ? NULL : "a colon after a word other than 'def', 'sec', 'thread', 'while', 'if', 'elif' and 'else'";
}

/* A byte outside of strings and comments. */
static const char *take_code(struct script_text *text, char c)
{
    if (is_word(c)) {
        if (text->word_length == 0)
            text->word_begins_statement = text->begins_statement;
        /* One that is longer than any word of blocks stays too long to be one. */
        if (text->word_length < SCRIPT_WORD_MAX)
            text->word[text->word_length++] = c;
        text->begins_statement = false;
        text->has_words = true;
        return NULL;
    }
    const char *uncertain = end_word(text);
    if (c == '\n' || c == ' ' || c == '\t' || c == '\r') {
        bool ends = c == '\n' && text->brackets == 0;
        text->begins_statement |= ends;
        text->takes_colon &= !ends;
        return uncertain;
    }
    text->begins_statement = false;
    text->has_words |= c != '#';
    text->in_string = c == '"';
    text->in_comment = c == '#';
    if (strchr("()[]{}", c) && !uncertain)
        uncertain = take_bracket(text, c);
    if (c == ':' && !uncertain)
        uncertain = take_colon(text);
    return c == '\'' ? "a single quote" : (unsigned char)c >= 0x80 ? "a byte that is not ASCII" : uncertain;
}

/* Follows one byte. Returns why the end of the program is not certain, or NULL. */
static const char *take_byte(struct script_text *text, char c)
{
    bool returns = text->after_return;
    text->after_return = c == '\r';
    if ((returns && c != '\n') || ((unsigned char)c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == 0x7F)
        return "a control character";
    if (text->in_string && (c == '\\' || c == '\n' || c == '\r'))
        return "a string that does not end in its line, or holds a backslash";
    if (text->in_string) {
        text->in_string = c != '"';
        return NULL;
    }
    if (text->in_comment && c != '\n')
        return NULL;
    text->in_comment = false;
    return take_code(text, c);
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static int keep_byte(struct script_text *text, char c)
{
    if (text->length == SCRIPT_PROGRAM_MAX)
        text->overlong = true;
    if (text->overlong)
        return 0;
    if (!MAKE_ROOM(text->program, text->length))
        return -1;
    text->program[text->length++] = c;
    return 0;
}

static bool is_blank(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r')
            return false;
    return true;
}

/* The first line that says something, for the log. */
static void keep_first_line(struct script_text *text, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length && !text->first_complete; i++) {
        bool ends = bytes[i] == '\n' || text->first_length + 1 == sizeof text->first_line;
        if (ends && !is_blank(text->first_line, text->first_length))
            text->first_complete = true;
        else if (ends)
            text->first_length = 0;
        else
            text->first_line[text->first_length++] = bytes[i];
    }
    text->first_line[text->first_length] = '\0';
}

/* The line is complete, and no block or bracket is open. */
static enum script_outcome end_program(struct script_text *text)
{
    if (!text->has_words && !text->overlong) {
        begin_program(text); /* blank lines and comments between programs */
        return SCRIPT_MORE;
    }
    text->given_out = true;
    if (text->overlong)
        text->dropped++;
    else
        text->programs++;
    return text->overlong ? SCRIPT_TOO_LONG : SCRIPT_PROGRAM;
}

static enum script_outcome take_character(struct script_text *text, char c)
{
    if (text->given_out)
        begin_program(text);
    text->uncertain = take_byte(text, c);
    if (text->uncertain)
        return SCRIPT_UNCERTAIN;
    if (keep_byte(text, c) != 0)
        return SCRIPT_NO_MEMORY;
    return c == '\n' && text->blocks == 0 && text->brackets == 0 ? end_program(text) : SCRIPT_MORE;
}

enum script_outcome script_text_next(struct script_text *text, const char *bytes, size_t length, size_t *used)
{
    enum script_outcome outcome = SCRIPT_MORE;
    size_t at = 0;
    if (!text->keeps || text->uncertain)
        at = length;
    while (at < length && outcome == SCRIPT_MORE)
        outcome = take_character(text, bytes[at++]);
    text->bytes += at;
    keep_first_line(text, bytes, at);
    *used = at;
    return outcome;
}

size_t script_text_unfinished(const struct script_text *text)
{
    return text->given_out || text->uncertain ? 0 : text->length;
}
