#define _POSIX_C_SOURCE 200809L
#include "script_text.h"

#include <stdlib.h>
#include <string.h>

void script_text_begin(struct script_text *text, bool keeps)
{
    *text = (struct script_text){.keeps = keeps};
}

void script_text_end(struct script_text *text)
{
    free(text->program);
    text->program = NULL;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_one_of(const char *const *words, size_t count, const char *word, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0)
            return true;
    return false;
}

/* Whether the word opens a block, or ends one. */
static int depth_step(const char *word, size_t length)
{
    static const char *const openers[] = {"def", "sec", "thread", "while", "if"};
    if (is_one_of(openers, sizeof openers / sizeof *openers, word, length))
        return 1;
    return length == 3 && memcmp(word, "end", 3) == 0 ? -1 : 0;
}

/* Follows the blocks of one line; strings and comments hold none. A line that ends more than began is a mistake of the
 * program's author, and ends the program. */
static unsigned depth_after(unsigned depth, const char *line, size_t length)
{
    for (size_t at = 0; at < length && line[at] != '#';) {
        size_t begin = at;
        if (line[at] == '"') {
            const char *close = memchr(line + at + 1, '"', length - at - 1);
            at = close ? (size_t)(close - line) + 1 : length;
        } else if (is_word(line[at])) {
            while (at < length && is_word(line[at]))
                at++;
            int step = depth_step(line + begin, at - begin);
            depth = step < 0 && depth == 0 ? 0 : depth + (unsigned)step;
        } else {
            at++;
        }
    }
    return depth;
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static int make_room(struct script_text *text, size_t more)
{
    if (text->length + more <= text->room)
        return 0;
    size_t room = text->room == 0 ? 1024 : text->room;
    while (room < text->length + more)
        room *= 2;
    char *program = realloc(text->program, room);
    if (!program)
        return -1;
    text->program = program;
    text->room = room;
    return 0;
}

static void begin_program(struct script_text *text)
{
    text->length = text->line = 0;
    text->depth = 0;
    text->overlong = false;
}

static bool is_blank(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r' && line[i] != '\n')
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

/* Adds to the current line; what is beyond the bound is only followed, line by line. */
static int add(struct script_text *text, const char *bytes, size_t length)
{
    if (text->length + length > SCRIPT_PROGRAM_MAX) {
        text->overlong = true;
        if (text->line > 0)
            memmove(text->program, text->program + text->line, text->length - text->line);
        text->length -= text->line;
        text->line = 0;
        /* A line that is too long by itself: its beginning, which has the words, stays. */
        if (text->length + length > SCRIPT_PROGRAM_MAX)
            length = SCRIPT_PROGRAM_MAX - text->length;
    }
    if (make_room(text, length) != 0)
        return -1;
    memcpy(text->program + text->length, bytes, length);
    text->length += length;
    return 0;
}

/* The current line is complete: whether the program is, too. */
static bool line_ends_program(struct script_text *text)
{
    const char *line = text->program + text->line;
    size_t length = text->length - text->line;
    bool blank = is_blank(line, length);
    text->depth = depth_after(text->depth, line, length);
    text->line = text->length;
    if (text->depth > 0)
        return false;
    if (blank && !text->overlong && text->length == length) {
        begin_program(text); /* a blank line between programs */
        return false;
    }
    return true;
}

enum script_outcome script_text_next(struct script_text *text, const char *bytes, size_t length, size_t *used)
{
    *used = length;
    if (!text->keeps) {
        text->bytes += length;
        keep_first_line(text, bytes, length);
        return SCRIPT_MORE;
    }
    if (text->depth == 0 && text->length > 0 && text->line == text->length)
        begin_program(text); /* the last one was given out */
    for (size_t at = 0; at < length;) {
        const char *newline = memchr(bytes + at, '\n', length - at);
        size_t end = newline ? (size_t)(newline - bytes) + 1 : length;
        text->bytes += end - at;
        keep_first_line(text, bytes + at, end - at);
        if (add(text, bytes + at, end - at) != 0)
            return SCRIPT_NO_MEMORY;
        at = end;
        if (!newline || !line_ends_program(text))
            continue;
        *used = at;
        if (!text->overlong) {
            text->programs++;
            return SCRIPT_PROGRAM;
        }
        text->dropped++;
        begin_program(text);
        return SCRIPT_TOO_LONG;
    }
    return SCRIPT_MORE;
}

size_t script_text_unfinished(const struct script_text *text)
{
    bool given_out = text->depth == 0 && text->line == text->length;
    return given_out ? 0 : text->length;
}
