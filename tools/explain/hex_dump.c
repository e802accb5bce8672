/* Lines of an offset and bytes. The offsets say how many bytes each line has, and so where the text beside them begins;
 * of the last line its form decides. What does not add up is refused. */
#include <stdint.h>
#include <stdio.h>

#include "hex_text.h"
#include "base/process/message.h"

#define OFFSET_DIGITS 4 /* at least */
#define BYTES_MOST 256  /* of a line */
#define GROUP_MOST 8
#define MIDDLE 8 /* bytes before the wider gap in the middle of a line */

enum line_kind { LINE_EMPTY, LINE_OTHER, LINE_SQUEEZE, LINE_BYTES };

struct line {
    enum line_kind kind;
    size_t number; /* in the text, from 1 */
    const char *offset;
    size_t digits; /* of the offset */
    bool marked;   /* a colon follows the offset */
    bool is_hex;   /* 0x precedes it */
    const char *rest, *end;
};

/* Bytes of a line, as many as look like such. */
struct row {
    uint8_t bytes[BYTES_MOST];
    size_t width; /* digits of a group */
    size_t count;
    const char *ends[BYTES_MOST]; /* of a group that ends behind this byte, else NULL */
    size_t column;                /* where the text beside the bytes begins, as in the lines before; 0: not known yet */
    bool has_middle;              /* a wider gap behind the eighth byte */
    size_t wide;                  /* bytes before a gap that is no place for one; more than count: there is none */
};

struct dump {
    struct hex_text *read;
    const char *text;
    size_t length;
    unsigned radix;
    bool is_trial;        /* no messages */
    uint64_t first, next; /* offsets: of the first byte, and behind the last */
    bool begun, marked, swapped;
    size_t stride; /* bytes of a whole line; 0: not known yet */
    uint8_t last[BYTES_MOST];
    size_t last_count;
    bool squeezed;
    size_t column; /* of the text beside the bytes; 0: not known yet */
};

/* ---- lines ------------------------------------------------------------------------------------------------------ */

static void take_head(struct line *line, const char *at)
{
    line->is_hex = line->end - at > 2 && at[0] == '0' && at[1] == 'x';
    line->offset = at + (line->is_hex ? 2 : 0);
    const char *stop = line->offset;
    while (stop < line->end && hex_digit(*stop) >= 0)
        stop++;
    line->digits = (size_t)(stop - line->offset);
    line->marked = stop < line->end && *stop == ':';
    line->rest = stop + line->marked;
    bool ends = line->rest == line->end || hex_is_blank(*line->rest);
    if (line->digits >= OFFSET_DIGITS && line->digits <= 16 && ends && line->marked >= line->is_hex)
        line->kind = LINE_BYTES;
}

/* The line that begins at *at, which is moved behind it; false behind the last. */
static bool next_line(const struct dump *dump, const char **at, struct line *line)
{
    const char *end = dump->text + dump->length, *stop = *at < end ? memchr(*at, '\n', (size_t)(end - *at)) : NULL;
    if (*at >= end)
        return false;
    *line = (struct line){.kind = LINE_OTHER, .number = line->number + 1, .end = stop ? stop : end};
    const char *from = *at;
    *at = line->end + 1;
    while (from < line->end && hex_is_blank(*from))
        from++;
    while (line->end > from && (line->end[-1] == '\r'))
        line->end--;
    if (from == line->end)
        line->kind = LINE_EMPTY;
    else if (line->end - from == 1 && *from == '*')
        line->kind = LINE_SQUEEZE;
    else
        take_head(line, from);
    return true;
}

/* od's offsets have seven digits, octal unless it is told otherwise; xxd's are decimal on request. */
static bool has_radix(const struct line *line, unsigned radix)
{
    return radix == 16 || (line->digits == 7 && !line->marked) || (radix == 10 && line->digits == 8 && line->marked);
}

static bool offset_of(const struct line *line, unsigned radix, uint64_t *offset)
{
    *offset = 0;
    if (!has_radix(line, radix))
        return false;
    for (size_t i = 0; i < line->digits; i++) {
        unsigned digit = (unsigned)hex_digit(line->offset[i]);
        if (digit >= radix)
            return false;
        *offset = *offset * radix + digit;
    }
    return true;
}

static size_t digits_of(const char *at, const char *end)
{
    size_t count = 0;
    while (at + count < end && hex_digit(at[count]) >= 0)
        count++;
    return at + count == end || hex_is_blank(at[count]) ? count : 0;
}

static const char *skip(const char *at, const char *end)
{
    while (at < end && hex_is_blank(*at))
        at++;
    return at;
}

/* Reads what may be bytes: groups of one width, the last of them perhaps shorter. */
static void read_row(const struct line *line, struct row *row)
{
    const char *at = skip(line->rest, line->end);
    size_t digits;
    *row = (struct row){.wide = SIZE_MAX};
    while ((digits = digits_of(at, line->end)) > 0 && digits % 2 == 0 && digits <= 2 * GROUP_MOST) {
        row->width = row->count == 0 ? digits : row->width;
        if (digits > row->width || row->count + digits / 2 > BYTES_MOST)
            return;
        for (size_t i = 0; i < digits; i += 2)
            row->bytes[row->count++] = (uint8_t)(hex_digit(at[i]) << 4 | hex_digit(at[i + 1]));
        row->ends[row->count - 1] = at + digits;
        const char *next = skip(at + digits, line->end);
        size_t gap = (size_t)(next - at) - digits;
        row->has_middle |= gap == 2 && row->count == MIDDLE;
        if ((gap > 2 || (gap == 2 && row->count != MIDDLE)) && row->wide == SIZE_MAX)
            row->wide = row->count;
        if (digits < row->width)
            return;
        at = next;
    }
}

/* ---- the text beside the bytes --------------------------------------------------------------------------------- */

static bool is_printable(uint8_t byte)
{
    return byte >= 0x20 && byte < 0x7f;
}

/* A character of UTF-8 counts as one. */
static size_t character_length(const char *text, size_t length)
{
    size_t count = 1;
    while (count < length && ((unsigned char)text[0] & 0xC0) == 0xC0 && ((unsigned char)text[count] & 0xC0) == 0x80)
        count++;
    return count;
}

bool hex_shows(const char *text, size_t length, const uint8_t *bytes, size_t count, bool dots)
{
    size_t at = 0, i = 0;
    for (; i < count && at < length; i++) {
        size_t step = character_length(text + at, length - at);
        bool is_same = step == 1 && (uint8_t)text[at] == bytes[i];
        if (!is_same && is_printable(bytes[i]) && !(dots && bytes[i] == ' ' && text[at] == '.'))
            return false;
        at += step;
    }
    while (i < count && bytes[i] == ' ')
        i++;
    return i == count && at == length;
}

enum beside { BESIDE_WRONG, BESIDE_NOTHING, BESIDE_TEXT };

static bool shows(const struct line *line, const struct row *row, const char *at, size_t length, const uint8_t *bytes,
                  size_t count)
{
    bool is_bar = length >= 2 && at[0] == '|' && at[length - 1] == '|';
    bool has_marks = is_bar || (length >= 2 && at[0] == '>' && at[length - 1] == '<');
    bool has_gap = row->has_middle && count > MIDDLE && length > MIDDLE && at[MIDDLE] == ' ';
    bool dots = line->is_hex;
    return hex_shows(at, length, bytes, count, dots) ||
           (has_marks && hex_shows(at + 1, length - 2, bytes, count, dots)) ||
           (has_gap && hex_shows(at, MIDDLE, bytes, MIDDLE, dots) &&
            hex_shows(at + MIDDLE + 1, length - MIDDLE - 1, bytes + MIDDLE, count - MIDDLE, dots));
}

static enum beside beside(const struct line *line, const struct row *row, const uint8_t *bytes, size_t count,
                          size_t *column)
{
    const char *from = row->ends[count - 1], *words = skip(from, line->end), *end = line->end;
    if (words == end)
        return BESIDE_NOTHING;
    while (end > words && hex_is_blank(end[-1]))
        end--;
    for (const char *at = words; at >= from + 2 || (at > from && *from == '\t'); at--) {
        *column = (size_t)(at - line->offset);
        if (row->column > 0 && row->column != *column)
            continue;
        if (shows(line, row, at, (size_t)(end - at), bytes, count) ||
            shows(line, row, at, (size_t)(line->end - at), bytes, count))
            return BESIDE_TEXT;
    }
    return BESIDE_WRONG;
}

/* What stands behind the first `count` bytes of a line, and where. */
static enum beside behind(const struct line *line, const struct row *row, size_t count, size_t *column)
{
    *column = 0;
    if (count == 0)
        return skip(line->rest, line->end) == line->end ? BESIDE_NOTHING : BESIDE_WRONG;
    if (count > row->count || !row->ends[count - 1])
        return BESIDE_WRONG;
    if (row->wide < count)
        return BESIDE_WRONG;
    return beside(line, row, row->bytes, count, column);
}

/* The same if the bytes of each group were in reverse order, as xxd -e prints them. */
static bool shows_reversed(const struct line *line, const struct row *row, size_t count)
{
    uint8_t bytes[BYTES_MOST];
    size_t group = row->width / 2, column;
    if (count == 0 || count % group != 0 || !row->ends[count - 1])
        return false;
    for (size_t i = 0; i < count; i++)
        bytes[i] = row->bytes[i / group * group + group - 1 - i % group];
    return beside(line, row, bytes, count, &column) == BESIDE_TEXT;
}

/* ---- adding up ------------------------------------------------------------------------------------------------- */

static bool refuse(const struct dump *dump, const struct line *line, const char *what)
{
    if (!dump->is_trial)
        message_error("--hex: line %zu: %s", line->number, what);
    return false;
}

/* How many bytes the last line has, of which no offset follows: as many as its form allows, in one way only. */
static bool count_last(const struct dump *dump, const struct line *line, const struct row *row, size_t *count)
{
    size_t column, found = 0, most = dump->stride > 0 && dump->stride < row->count ? dump->stride : row->count;
    for (size_t i = 1; i <= most; i++)
        if (behind(line, row, i, &column) != BESIDE_WRONG) {
            *count = i;
            found++;
        }
    if (found == 1)
        return true;
    return refuse(dump, line,
                  found == 0 ? "the text next to the bytes does not match them, or bytes are missing; pass the dump "
                               "unchanged"
                             : "it is not clear where its bytes end and their text begins; remove the text");
}

static bool judge_width(const struct dump *dump, const struct line *line, const struct row *row, size_t count)
{
    if (row->width <= 2)
        return true;
    size_t column;
    bool is_text = behind(line, row, count, &column) == BESIDE_TEXT, is_reversed = shows_reversed(line, row, count);
    if (row->width > 4 && (!is_text || is_reversed))
        return refuse(dump, line, "the order of the bytes in its words is not known; print them without -e and -g");
    return true;
}

static bool keep(struct dump *dump, const struct row *row, size_t count)
{
    buffer_put(&dump->read->bytes, (const char *)row->bytes, count);
    memcpy(dump->last, row->bytes, count);
    dump->last_count = count;
    dump->next += count;
    return dump->next - dump->first <= HEX_BYTES_MOST;
}

/* Lines that were left out, since they are like the one before. */
static bool repeat(struct dump *dump, const struct line *line, uint64_t to)
{
    dump->squeezed = false;
    if (dump->last_count == 0 || to < dump->next || (to - dump->next) % dump->last_count != 0 ||
        to - dump->first > HEX_BYTES_MOST)
        return refuse(dump, line, "its offset does not continue where the lines omitted by * end");
    for (; dump->next < to; dump->next += dump->last_count)
        buffer_put(&dump->read->bytes, (const char *)dump->last, dump->last_count);
    return true;
}

/* A line; `following` has the next offset, or is NULL. */
static bool take_line(struct dump *dump, const struct line *line, const struct line *following, bool is_squeezed)
{
    struct row row;
    uint64_t offset, behind_it = 0;
    char what[120];
    read_row(line, &row);
    row.column = dump->column;
    if (!offset_of(line, dump->radix, &offset) || (following && !offset_of(following, dump->radix, &behind_it)))
        return false;
    if (!dump->begun)
        dump->first = dump->next = offset;
    if (dump->begun && offset <= dump->first)
        return refuse(dump, line, "another dump begins; pass one");
    dump->begun = true;
    if (dump->squeezed && !repeat(dump, line, offset))
        return false;
    if (offset != dump->next)
        return refuse(dump, line,
                      "its offset does not match the bytes of the previous lines; a line is missing or damaged");
    size_t count = 0, column;
    if (following && !is_squeezed) {
        count = behind_it > offset && behind_it - offset <= BYTES_MOST ? (size_t)(behind_it - offset) : 0;
        snprintf(what, sizeof what,
                 "it does not have the %zu bytes that the next offset requires, or its text does "
                 "not match them",
                 count);
        if (behind_it <= dump->first)
            return refuse(dump, following, "another dump begins; pass one");
        if (behind(line, &row, count, &column) == BESIDE_WRONG)
            return refuse(dump, line, what);
        dump->column = column > 0 ? column : dump->column;
        dump->stride = count > dump->stride ? count : dump->stride;
    } else if (skip(line->rest, line->end) != line->end && !count_last(dump, line, &row, &count)) {
        return false;
    }
    dump->squeezed = is_squeezed;
    if (!judge_width(dump, line, &row, count))
        return false;
    return keep(dump, &row, count) || refuse(dump, line, "the dump is longer than any message");
}

/* Lines before the dump that say where it is from: tcpdump's of the packet, Wireshark's of the frame. */
static bool is_title(const struct line *line, const char *from)
{
    size_t length = (size_t)(line->end - from);
    for (size_t i = 0; i + 3 <= length; i++)
        if (memcmp(from + i, " > ", 3) == 0 || (i + 7 <= length && memcmp(from + i, " bytes)", 7) == 0))
            return true;
    return false;
}

static bool take_all(struct dump *dump)
{
    struct line line = {0}, held = {0};
    bool is_held = false, is_squeezed = false, is_titled = false;
    const char *at = dump->text, *from = at;
    dump->read->bytes.length = 0;
    for (; next_line(dump, &at, &line); from = at) {
        if (line.kind == LINE_OTHER && (is_held || !is_title(&line, from)))
            return refuse(dump, &line, "it is not a line of the dump; pass only one dump");
        is_titled |= line.kind == LINE_OTHER;
        if (line.kind == LINE_SQUEEZE)
            is_squeezed = true;
        if (line.kind != LINE_BYTES)
            continue;
        if (is_held && !take_line(dump, &held, &line, is_squeezed))
            return false;
        held = line;
        is_held = true;
        is_squeezed = false;
    }
    if (is_squeezed)
        return refuse(dump, &held, "* follows it, but no offset that shows how often it repeats");
    if (!take_line(dump, &held, NULL, false))
        return false;
    return !is_titled || dump->first == 0 || refuse(dump, &held, "the dump does not begin at offset 0");
}

/* ---- recognising ------------------------------------------------------------------------------------------------ */

struct looks {
    size_t lines, others, marked;
    size_t rows;  /* lines with bytes of two digits behind the offset */
    size_t words; /* such with words of several bytes */
    size_t steps; /* such whose offset is a multiple of eight */
    bool begins; /* the first is at offset 0, and its bytes stand apart from it or fill a line, or an offset ends all */
    bool zero;   /* the first is at offset 0 */
    bool odd;    /* offsets of a number of digits that bytes do not have */
    struct line only;
    struct row row;
};

static bool is_apart(const struct line *line)
{
    return line->end - line->rest > 2 && (line->rest[0] == '\t' || hex_is_blank(line->rest[1]));
}

static void look_at(struct looks *looks, const struct line *line)
{
    uint64_t offset;
    read_row(line, &looks->row);
    bool is_row = looks->row.count > 0 && looks->row.width == 2, is_known = offset_of(line, 16, &offset);
    looks->lines++;
    looks->marked += line->marked;
    looks->rows += is_row;
    looks->words += looks->row.width > 2;
    looks->steps += is_row && is_known && offset % 8 == 0;
    looks->odd |= line->digits % 2 != 0 && (looks->row.count > 0 || looks->lines > 1);
    if (looks->lines == 1)
        looks->zero = (is_row || skip(line->rest, line->end) == line->end) && is_known && offset == 0;
    if (looks->lines == 1)
        looks->begins = looks->zero && is_row && (is_apart(line) || looks->row.count % 8 == 0);
    else
        looks->begins |= looks->zero && looks->row.count == 0 && skip(line->rest, line->end) == line->end &&
                         line->digits == looks->only.digits;
    looks->only = *line;
}

static struct looks look(const struct dump *dump)
{
    struct looks looks = {0};
    struct line line = {0};
    const char *at = dump->text, *from = at;
    for (; next_line(dump, &at, &line); from = at) {
        looks.others += line.kind == LINE_OTHER && !is_title(&line, from);
        if (line.kind == LINE_BYTES)
            look_at(&looks, &line);
    }
    return looks;
}

/* What a single line without a colon is: a zero far from the bytes is an offset, others may be part of the bytes. */
static enum hex_outcome judge_one(const struct looks *looks)
{
    const struct line *line = &looks->only;
    uint64_t offset;
    if (!looks->rows || !offset_of(line, 16, &offset) || offset % 16 != 0)
        return looks->odd ? HEX_READ : HEX_OTHER;
    if ((offset == 0 && is_apart(line)) || looks->odd)
        return HEX_READ;
    if (offset > 0 && !is_apart(line) && looks->row.count != 16)
        return HEX_OTHER;
    message_error("--hex: %.*s may be an offset or bytes; remove an offset, or join bytes with those that follow",
                  (int)line->digits, line->offset);
    return HEX_REFUSED;
}

/* Whether the text is a dump: READ if it must be one, whatever does not add up. */
static enum hex_outcome judge(const struct looks *looks)
{
    if (looks->lines == 0)
        return HEX_OTHER;
    if (looks->marked > 0)
        return HEX_READ;
    if (looks->lines == 1)
        return looks->others == 0 ? judge_one(looks) : looks->begins ? HEX_READ : HEX_OTHER;
    bool is_stepping = looks->steps > 1 && 2 * looks->steps >= looks->lines;
    return looks->begins || is_stepping || looks->odd || (looks->zero && looks->rows > 0) ? HEX_READ : HEX_OTHER;
}

enum hex_outcome hex_dump_read(struct hex_text *read, const char *text, size_t length)
{
    static const unsigned radixes[] = {16, 8, 10, 16}; /* the last time with messages */
    const size_t tries = sizeof radixes / sizeof *radixes;
    struct dump dump = {.read = read, .text = text, .length = length};
    struct looks looks = look(&dump);
    enum hex_outcome outcome = judge(&looks);
    if (outcome == HEX_READ && looks.marked == 0 && looks.words > 0) {
        message_error("--hex: its words have the byte order of the machine that printed them; pass single bytes, as "
                      "hexdump -C, od -tx1 and xxd print them");
        return HEX_REFUSED;
    }
    if (outcome != HEX_READ)
        return outcome;
    for (size_t i = 0; i < tries; i++) {
        dump = (struct dump){.read = read,
                             .text = text,
                             .length = length,
                             .radix = radixes[i],
                             .is_trial = i + 1 < tries,
                             .marked = looks.marked > 0};
        if (!take_all(&dump))
            continue;
        snprintf(read->remark, sizeof read->remark, "read as a dump with offsets: %zu bytes from offset %llu on",
                 read->bytes.length, (unsigned long long)dump.first);
        return HEX_READ;
    }
    return HEX_REFUSED;
}
