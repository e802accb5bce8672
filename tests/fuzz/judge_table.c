#include <stdlib.h>
#include <string.h>

#include "judge.h"

bool next_line(struct span *rest, struct span *line)
{
    if (rest->length == 0)
        return false;
    const char *end = memchr(rest->at, '\n', rest->length);
    size_t length = end ? (size_t)(end - rest->at) : rest->length;
    *line = (struct span){rest->at, length};
    length += end != NULL;
    rest->at += length;
    rest->length -= length;
    return true;
}

bool next_word(struct span *line, struct span *word)
{
    while (line->length > 0 && *line->at == ' ') {
        line->at++;
        line->length--;
    }
    size_t length = 0;
    while (length < line->length && line->at[length] != ' ')
        length++;
    *word = (struct span){line->at, length};
    line->at += length;
    line->length -= length;
    return length > 0;
}

/* ---- CSV ---- */

/* Skips a cell; returns what is wrong with it. */
static const char *skip_cell(struct span *rest, bool *is_quoted)
{
    size_t i = 0;
    *is_quoted = rest->length > 0 && *rest->at == '"';
    if (*is_quoted) {
        for (i = 1;; i++) {
            if (i >= rest->length)
                return "a quoted cell without an end";
            if (rest->at[i] == '"' && (++i >= rest->length || rest->at[i] != '"'))
                break;
        }
    } else {
        while (i < rest->length && !strchr(",\n", rest->at[i])) {
            if (rest->at[i] == '"' || rest->at[i] == '\r')
                return "a quote or carriage return in a cell without quotes";
            i++;
        }
    }
    if (i >= rest->length)
        return "a last line without its end";
    rest->at += i;
    rest->length -= i;
    return strchr(",\n", *rest->at) ? NULL : "something behind a quoted cell";
}

const char *judge_csv(struct span text, size_t *at)
{
    struct span rest = text;
    size_t width = 0, cells = 0;
    bool is_quoted;
    const char *wrong = judge_utf8(text, at);
    while (!wrong && rest.length > 0) {
        wrong = skip_cell(&rest, &is_quoted);
        *at = (size_t)(rest.at - text.at);
        if (wrong)
            break;
        cells++;
        if (*rest.at == '\n') {
            if (width > 0 && cells != width)
                wrong = "a record of another width than the first";
            width = cells;
            cells = 0;
        }
        rest.at++;
        rest.length--;
        if (cells > 0 && rest.length == 0)
            wrong = "a last line without its end";
    }
    return wrong;
}

bool csv_cell(struct span *rest, char *to, size_t *length, bool *last)
{
    bool is_quoted;
    struct span begin = *rest;
    if (rest->length == 0 || skip_cell(rest, &is_quoted))
        return false;
    size_t end = (size_t)(rest->at - begin.at) - is_quoted;
    *length = 0;
    for (size_t i = is_quoted; i < end; i++) {
        to[(*length)++] = begin.at[i];
        if (is_quoted && begin.at[i] == '"')
            i++;
    }
    to[*length] = '\0';
    *last = *rest->at == '\n';
    rest->at++;
    rest->length--;
    return true;
}

/* ---- gnuplot ---- */

static bool is_number(struct span word)
{
    char text[64], *end;
    if (span_is(word, "NaN") || span_is(word, "inf") || span_is(word, "-inf"))
        return true;
    if (word.length >= sizeof text || !strchr("-0123456789", *word.at))
        return false;
    memcpy(text, word.at, word.length);
    text[word.length] = '\0';
    strtod(text, &end);
    return *end == '\0';
}

const char *judge_gnuplot(struct span text, size_t *at)
{
    struct span rest = text, line, word;
    size_t width = 0;
    const char *wrong = judge_shown(text, at);
    while (!wrong && next_line(&rest, &line)) {
        size_t words = 0;
        bool is_comment = line.length > 0 && *line.at == '#', is_empty = line.length == 0;
        *at = (size_t)(line.at - text.at);
        for (; next_word(&line, &word); words++)
            if (!is_comment && !is_number(word))
                wrong = "a word that is no number";
        if (is_comment)
            width = words - 1;
        else if (!is_empty && words != width)
            wrong = "a row of another width than its header";
    }
    return wrong;
}
