#define _POSIX_C_SOURCE 200809L
#include "word_wrap.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/names.h"
#include "base/os/console.h"
#include "base/text/utf8.h"

int text_columns(FILE *file)
{
    int columns = pager_columns(fileno(file));
    if (columns == 0)
        return TEXT_COLUMNS;
    return columns < TEXT_COLUMNS_MIN ? TEXT_COLUMNS_MIN : columns > TEXT_COLUMNS_MAX ? TEXT_COLUMNS_MAX : columns;
}

int text_room(FILE *file)
{
    return pager_is_shown(fileno(file)) ? text_columns(file) : INT_MAX / 2;
}

struct text_wrap text_wrap_within(FILE *file, int columns, int column, int indent)
{
    return (struct text_wrap){.file = file, .column = column, .indent = indent, .columns = columns};
}

struct text_wrap text_wrap_begin(FILE *file, int column, int indent)
{
    return text_wrap_within(file, text_columns(file), column, indent);
}

void text_blanks(FILE *file, int count)
{
    while (count-- > 0)
        putc_unlocked(' ', file);
}

static bool is_plain(const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (word[i] < ' ' || word[i] > '~')
            return false;
    return true;
}

int text_width(const char *word, size_t length)
{
    char shown[UTF8_SHOWN_MAX];
    size_t used;
    int width = 0;
    if (is_plain(word, length))
        return (int)length;
    for (size_t i = 0; i < length; i += used) {
        size_t bytes = utf8_show(shown, word + i, length - i, &used);
        width += used < bytes ? (int)bytes : 1;
    }
    return width;
}

static void put(const struct text_wrap *wrap, const char *bytes, size_t length)
{
    if (wrap->text)
        buffer_put(wrap->text, bytes, length);
    else
        fwrite(bytes, 1, length, wrap->file);
}

static void put_blanks(const struct text_wrap *wrap, int count)
{
    if (!wrap->text)
        text_blanks(wrap->file, count);
    while (wrap->text && count-- > 0)
        buffer_char(wrap->text, ' ');
}

static void show_word(const struct text_wrap *wrap, const char *word, size_t length)
{
    char shown[UTF8_SHOWN_MAX];
    size_t used;
    for (size_t i = 0; i < length; i += used) {
        put(wrap, shown, utf8_show(shown, word + i, length - i, &used));
    }
}

static const char *paint_end(const struct text_wrap *wrap)
{
    return wrap->paint == PAINT_NONE ? "" : text_plain(wrap->file);
}

void text_wrap_paint(struct text_wrap *wrap, enum text_paint paint)
{
    fprintf(wrap->file, "%s%s", paint_end(wrap), text_paint(wrap->file, paint));
    wrap->paint = paint;
}

static void end_line(const struct text_wrap *wrap)
{
    if (wrap->paint != PAINT_NONE)
        fputs(paint_end(wrap), wrap->file);
    put(wrap, "\n", 1);
}

void text_wrap_piece(struct text_wrap *wrap, const char *word, size_t length)
{
    bool plain = is_plain(word, length); /* nearly every word is plain */
    int width = plain ? (int)length : text_width(word, length);
    if (wrap->column > wrap->indent && wrap->column + 1 + width > wrap->columns) {
        end_line(wrap);
        put_blanks(wrap, wrap->indent);
        if (wrap->paint != PAINT_NONE)
            fputs(text_paint(wrap->file, wrap->paint), wrap->file);
        wrap->column = wrap->indent;
    } else if (wrap->column > wrap->indent) {
        put(wrap, " ", 1);
        wrap->column++;
    } else if (wrap->column < wrap->indent) {
        put_blanks(wrap, wrap->indent - wrap->column);
        wrap->column = wrap->indent;
    }
    if (plain)
        put(wrap, word, length);
    else
        show_word(wrap, word, length);
    wrap->column += width;
}

void text_wrap_word(struct text_wrap *wrap, const char *word)
{
    text_wrap_piece(wrap, word, strlen(word));
}

void text_wrap_span(struct text_wrap *wrap, const char *text, size_t length)
{
    for (size_t begin = 0, end; begin < length; begin = end + 1) {
        for (end = begin; end < length && text[end] != ' ';)
            end++;
        if (end > begin)
            text_wrap_piece(wrap, text + begin, end - begin);
    }
}

void text_wrap_words(struct text_wrap *wrap, const char *text)
{
    text_wrap_span(wrap, text, strlen(text));
}

void text_wrap_end(struct text_wrap *wrap)
{
    end_line(wrap);
    wrap->column = 0;
    wrap->paint = PAINT_NONE;
}

const char *text_name_number(const char *name)
{
    const char *at = name + strlen(name);
    while (at > name && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return at;
}

bool text_name_follows(const char *before, const char *after)
{
    const char *first = text_name_number(before), *second = text_name_number(after);
    if (*first == '\0' || *second == '\0' || first - before != second - after || strlen(first) > 9 ||
        strlen(second) > 9)
        return false;
    return memcmp(before, after, (size_t)(first - before)) == 0 && atol(second) == atol(first) + 1;
}
