#include "recipe.h"

#include <stdbool.h>
#include <string.h>

#include "base/process/message.h"

static const char separators[] = ",; \t[]";

void columns_add(struct columns *columns, unsigned number)
{
    for (size_t i = 0; i < columns->count; i++)
        if (columns->number[i] == number)
            return;
    if (columns->count < COLUMNS_MAX)
        columns->number[columns->count++] = number;
}

/* Reads the number at `*at`, and moves `*at` past it. A number that is too large becomes larger than any column. */
static bool read_number(const char **at, const char *end, unsigned *number)
{
    const char *start = *at;
    *number = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; (*at)++)
        *number = *number > COLUMNS_MAX ? *number : 10 * *number + (unsigned)(**at - '0');
    return *at > start;
}

/* N, FIRST-LAST, FIRST:LAST or FIRST:STEP:LAST: up to three numbers with one kind of separator. */
static bool read_range(const char *at, const char *end, unsigned *first, unsigned *step, unsigned *last)
{
    unsigned number[3];
    size_t count = 0;
    char mark = 0;
    while (count < 3 && read_number(&at, end, &number[count])) {
        count++;
        if (at == end)
            break;
        if ((*at != '-' && *at != ':') || (mark != 0 && (*at != mark || mark == '-')))
            return false;
        mark = *at++;
        if (at == end)
            return false;
    }
    if (count == 0 || at != end)
        return false;
    *first = number[0];
    *step = count == 3 ? number[1] : 1;
    *last = number[count - 1];
    return true;
}

static int add_range(const char *text, size_t length, unsigned limit, struct columns *columns)
{
    unsigned first, step, last;
    int shown = length < 40 ? (int)length : 40;
    if (!read_range(text, text + length, &first, &step, &last))
        message_error("columns '%.*s': expected a column or a range, as in \"2-7,32-37\" or \"[2:7 32:37]\"", shown,
                      text);
    else if (first < 1 || first > limit || last < 1 || last > limit)
        message_error("columns '%.*s': this layout has columns 1 to %u", shown, text, limit);
    else if (first > last)
        message_error("columns '%.*s': the range ends before it begins; did you mean %u-%u?", shown, text, last, first);
    else if (step < 1)
        message_error("columns '%.*s': the step must not be 0", shown, text);
    else {
        for (unsigned number = first; number <= last; number += step)
            columns_add(columns, number);
        return 0;
    }
    return -1;
}

int columns_parse(const char *text, unsigned last, struct columns *columns)
{
    unsigned limit = last < COLUMNS_MAX ? last : COLUMNS_MAX;
    columns->count = 0;
    for (const char *at = text + strspn(text, separators); *at != '\0'; at += strspn(at, separators)) {
        size_t length = strcspn(at, separators);
        if (add_range(at, length, limit, columns) != 0)
            return -1;
        at += length;
    }
    if (columns->count > 0)
        return 0;
    message_error("columns '%.40s': empty; name columns, as in \"2-7,32-37\" or \"[2:7 32:37]\"", text);
    return -1;
}
