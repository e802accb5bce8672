#define _POSIX_C_SOURCE 200809L
#include "fold.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/names.h"
#include "base/os/shell_word.h"

#define LINE_MAX_BYTES 4096
#define SHORT_TEXT 24 /* bytes: fwrite takes longer for them */

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* The bytes of a sequence that switches colours; 0 if there is none. */
static size_t paint_length(const char *text)
{
    return text[0] == '\033' ? strcspn(text, "m") + (strchr(text, 'm') ? 1 : 0) : 0;
}

/* Whether eight characters are ASCII, and none begins a sequence of colours. */
static bool are_plain(const char *text)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t all, other;
    memcpy(&all, text, sizeof all);
    other = all ^ ones * '\033';
    return ((all | ((other - ones) & ~other)) & tops) == 0;
}

/* The same of a text, whose last eight overlap those before. */
static bool is_plain(const char *text, size_t length)
{
    const size_t step = sizeof(uint64_t);
    bool is = true;
    for (size_t i = 0; is && length >= step && i < length; i += step)
        is = are_plain(text + (i + step <= length ? i : length - step));
    for (size_t i = 0; is && length < step && i < length; i++)
        is = ((unsigned char)text[i] & 0x80) == 0 && text[i] != '\033';
    return is;
}

/* Columns of `length` bytes that are fit to be shown. */
static int shown_width(const char *text, size_t length)
{
    int width = 0;
    if (is_plain(text, length))
        return (int)length;
    for (size_t i = 0; i < length;) {
        if (text[i] == '\033')
            i += paint_length(text + i);
        else
            width += ((unsigned char)text[i++] & 0xC0) != 0x80;
    }
    return width;
}

static bool fits(const char *text, size_t bytes, int room)
{
    if (bytes <= (size_t)room)
        return true;
    for (size_t length; *text != '\0'; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        if (shown_width(text, length) > room)
            return false;
    }
    return true;
}

/* Only one thread prints. */
static void put_text(FILE *file, const char *text, size_t length)
{
    if (length > SHORT_TEXT)
        fwrite(text, 1, length, file);
    else
        while (length-- > 0)
            putc_unlocked(*text++, file);
}

/* A line that is too wide, in several. Returns the column behind it. */
static int put_folded(FILE *file, int indent, int room, const char *text)
{
    int begin = (int)strspn(text, " "), column = begin;
    fprintf(file, "%*s", begin, "");
    for (const char *word = text + begin; *word != '\0'; word += strspn(word, " \n")) {
        size_t length = strcspn(word, " \n");
        int width = shown_width(word, length);
        bool is_first = column == begin;
        if (!is_first && column + 1 + width > room) {
            fprintf(file, "\n%*s", indent, "");
            begin = column = indent;
        } else if (!is_first) {
            putc(' ', file);
            column++;
        }
        put_text(file, word, length);
        column += width;
        word += length;
    }
    return column;
}

/* `column`, unless it is NULL, becomes the one behind it. */
static void put_line(FILE *file, int indent, int room, const char *text, int *column)
{
    for (; *text == '\n'; text++)
        putc('\n', file);
    size_t length = strlen(text);
    if (!fits(text, length, room)) {
        int behind = put_folded(file, indent, room, text);
        if (column)
            *column = behind;
        return;
    }
    put_text(file, text, length);
    const char *last = column ? strrchr(text, '\n') : NULL, *begin = last ? last + 1 : text;
    if (column)
        *column = shown_width(begin, strlen(begin));
}

static void lead(FILE *file, int indent, int room, int *column, const char *format, va_list arguments)
{
    char text[LINE_MAX_BYTES];
    vsnprintf(text, sizeof text, format, arguments);
    put_line(file, indent, room, text, column);
}

struct text_wrap text_lead(FILE *file, int indent, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int column = 0;
    lead(file, indent, text_room(file), &column, format, arguments);
    va_end(arguments);
    return text_wrap_begin(file, column, indent);
}

void text_line(FILE *file, int indent, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    lead(file, indent, text_room(file), NULL, format, arguments);
    va_end(arguments);
    putc('\n', file);
}

size_t text_join(char *to, size_t room, const char *const *texts)
{
    size_t at = 0;
    for (; *texts; texts++) {
        size_t length = strnlen(*texts, room - 1 - at);
        memcpy(to + at, *texts, length);
        at += length;
    }
    to[at] = '\0';
    return at;
}

void text_line_of(FILE *file, int room, int indent, const char *const *texts)
{
    char line[LINE_MAX_BYTES];
    text_join(line, sizeof line, texts);
    put_line(file, indent, room, line, NULL);
    putc('\n', file);
}

void text_heading(FILE *file, int indent, const char *text)
{
    for (; *text == '\n'; text++)
        putc('\n', file);
    text_line(file, indent, "%s%s%s", text_paint(file, PAINT_HEADING), text, text_plain(file));
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

/* The bytes of the shell's next word: blanks within quotes belong to it. */
static size_t shell_word_length(const char *text)
{
    char quote = '\0';
    size_t i = 0;
    for (; text[i] != '\0' && (quote != '\0' || text[i] != ' '); i++) {
        if (text[i] == '\\' && quote != '\'' && text[i + 1] != '\0')
            i++;
        else if (quote == '\0' && (text[i] == '\'' || text[i] == '"'))
            quote = text[i];
        else if (text[i] == quote)
            quote = '\0';
    }
    return i;
}

void text_wrap_command(struct text_wrap *wrap, const char *command)
{
    int room = text_room(wrap->file), indent = wrap->indent + 2;
    int begin = wrap->column > wrap->indent ? wrap->column + 1 : wrap->indent;
    int all = text_width(command, strlen(command));
    wrap->columns = room;
    if (begin + all > room && wrap->column > wrap->indent) {
        text_wrap_end(wrap);
        begin = wrap->indent;
    }
    if (begin + all <= room || !shell_line_break) {
        text_wrap_piece(wrap, command, strlen(command));
        return;
    }
    for (size_t length; *command != '\0'; command += length + strspn(command + length, " ")) {
        length = shell_word_length(command);
        int width = text_width(command, length) + (command[length] == '\0' ? 0 : 2); /* a line break may follow */
        if (wrap->column > wrap->indent && wrap->column + 1 + width > room) {
            fprintf(wrap->file, "%s%*s", shell_line_break, indent, "");
            wrap->column = wrap->indent = indent;
        }
        text_wrap_piece(wrap, command, length);
    }
}

void text_commands(FILE *file, const char *lines)
{
    char line[LINE_MAX_BYTES];
    for (size_t length; *lines != '\0'; lines += length + (lines[length] == '\n')) {
        length = strcspn(lines, "\n");
        size_t blanks = strspn(lines, " ");
        snprintf(line, sizeof line, "%.*s", (int)(length - blanks), lines + blanks);
        struct text_wrap wrap = text_wrap_begin(file, 0, (int)blanks);
        text_wrap_command(&wrap, line);
        text_wrap_end(&wrap);
    }
}

/* ---- rows of tables ---------------------------------------------------------------------------------------------- */

const char *text_count(char to[NUMBER_MAX], uint64_t count)
{
    to[number_unsigned(count, to)] = '\0';
    return to;
}

const char *text_integer(char to[NUMBER_MAX], int64_t number)
{
    to[number_signed(number, to)] = '\0';
    return to;
}

struct text_row text_row_begin(FILE *file, int indent, int gap)
{
    return (struct text_row){
        .file = file, .indent = indent, .room = text_room(file), .is_coloured = text_is_coloured(file), .gap = gap};
}

struct text_row text_row_heading(FILE *file, int indent, int gap)
{
    struct text_row row = text_row_begin(file, indent, gap);
    row.paint = PAINT_HEADING;
    return row;
}

static void put_below(struct text_row *row)
{
    if (row->below[0] != '\0')
        fprintf(row->file, "\n%s%s%s", text_paint_if(row->is_coloured, row->paint), row->below,
                text_plain_if(row->is_coloured && row->paint != PAINT_NONE));
    row->below[0] = '\0';
    row->below_at = 0;
}

void text_row_break(struct text_row *row)
{
    put_below(row);
    putc('\n', row->file);
    row->column = row->indent;
    row->padding = row->indent;
    row->cells = 0;
    row->is_broken = true;
}

void text_row_together(struct text_row *row, int width)
{
    if (row->cells > 0 && row->column + row->gap + width > row->room)
        text_row_break(row);
}

/* Keeps the lower half of a heading until the line is whole. */
static void add_below(struct text_row *row, int at, int width, const char *text)
{
    int left = TEXT_ROW_BELOW - row->below_at;
    int blanks = at - row->below_at + (width > 0 ? width - (int)strlen(text) : 0);
    int length = snprintf(row->below + row->below_at, (size_t)left, "%*s%s", blanks > 0 ? blanks : 0, "", text);
    row->below_at += length < left ? length : left - 1;
}

void text_row_head(struct text_row *row, int width, const char *text, const char *below)
{
    size_t length = strlen(text);
    int wide = abs(width), shown = shown_width(text, length);
    text_row_together(row, wide > shown ? wide : shown);
    enum text_paint paint = *text == '\0' ? PAINT_NONE : row->paint;
    int gap = row->cells++ > 0 ? row->gap : 0, blanks = wide > shown ? wide - shown : 0;
    if (*below != '\0')
        add_below(row, row->column + gap, width, below);
    text_blanks(row->file, row->padding + gap + (width > 0 ? blanks : 0));
    bool is_painted = row->is_coloured && paint != PAINT_NONE;
    if (is_painted)
        fputs(text_paint_if(true, paint), row->file);
    put_text(row->file, text, length);
    if (is_painted)
        fputs(text_plain_if(true), row->file);
    row->padding = width < 0 ? blanks : 0;
    row->column += gap + shown + blanks;
}

void text_row_cell(struct text_row *row, int width, const char *text)
{
    text_row_head(row, width, text, "");
}

void text_row_painted(struct text_row *row, int width, enum text_paint paint, const char *text)
{
    enum text_paint before = row->paint;
    row->paint = paint;
    text_row_cell(row, width, text);
    row->paint = before;
}

struct text_wrap text_row_wrap(struct text_row *row, int indent)
{
    fprintf(row->file, "%*s", row->padding, "");
    row->padding = 0;
    return text_wrap_begin(row->file, row->column, indent);
}

void text_row_again(struct text_row *row)
{
    row->column = row->padding = row->cells = 0;
    row->is_broken = false;
}

void text_row_end(struct text_row *row)
{
    put_below(row);
    putc('\n', row->file);
    text_row_again(row);
}
