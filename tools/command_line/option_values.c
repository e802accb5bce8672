/* Reading the values of options. */
#include "base/process/message.h"
#include "base/text/nearest_word.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "base/numbers/timestamp.h"
#include "nanoseconds.h"

int option_refuse(const struct option_row *row, const char *value, const char *expected)
{
    message_error("--%s '%s': expected %s", row->name, value, expected);
    return -1;
}

int options_number(const char *option, const char *value, uint64_t low, uint64_t high, uint64_t *number)
{
    const char *at = value;
    bool overflows = false;
    *number = 0;
    for (; *at >= '0' && *at <= '9' && !overflows; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        overflows = *number > (UINT64_MAX - digit) / 10;
        *number = *number * 10 + digit;
    }
    if (at != value && *at == '\0' && !overflows && *number >= low && *number <= high)
        return 0;
    message_error("%s '%s': expected a whole number from %llu to %llu", option, value, (unsigned long long)low,
                  (unsigned long long)high);
    return -1;
}

int option_flag(const struct option_row *row, const char *value, void *place)
{
    (void)row, (void)value;
    *(bool *)place = true;
    return 0;
}

int option_text(const struct option_row *row, const char *value, void *place)
{
    (void)row;
    *(const char **)place = value;
    return 0;
}

int option_time(const struct option_row *row, const char *value, void *place)
{
    if (timestamp_parse(value, place) == 0)
        return 0;
    message_error("--%s '%s': not a time; %s", row->name, value, when_forms);
    return -1;
}

/* Stores it in so many bytes: numbers have 4 or 8, enumerations 4. */
static void store(const struct option_row *row, uint64_t number, void *place)
{
    uint32_t small = (uint32_t)number;
    if (row->size == sizeof small)
        memcpy(place, &small, sizeof small);
    else
        memcpy(place, &number, sizeof number);
}

int option_number(const struct option_row *row, const char *value, void *place)
{
    char option[OPTION_NAME_MAX];
    uint64_t number;
    snprintf(option, sizeof option, "--%s", row->name);
    if (options_number(option, value, row->low, row->high, &number) != 0)
        return -1;
    store(row, number, place);
    return 0;
}

int option_real(const struct option_row *row, const char *value, void *place)
{
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end != '\0' || !(number >= row->least && number <= row->most))
        return option_refuse(row, value, row->expected);
    *(double *)place = number;
    return 0;
}

/* Stores the place of the word in the list, counted from row->low. */
int option_word(const struct option_row *row, const char *value, void *place)
{
    uint64_t number = row->low;
    size_t length;
    for (const char *word = row->words; (word = option_list_next(word, &length)); word += length, number++)
        if (strlen(value) == length && memcmp(word, value, length) == 0) {
            store(row, number, place);
            return 0;
        }
    message_error("--%s '%s': give %s", row->name, value, row->words);
    return -1;
}

const char *option_list_next(const char *list, size_t *length)
{
    list += strspn(list, " ,");
    if (strncmp(list, "or ", 3) == 0)
        list += 3;
    *length = strcspn(list, " ,");
    return *length == 0 ? NULL : list;
}

#define AROUND_DEFAULT SECOND

static int unknown_id(const char *command, const char *id)
{
    const char *names[256];
    size_t count = 0;
    while (count < armtap_note_count() && count < sizeof names / sizeof *names) {
        names[count] = armtap_note_at(count)->id;
        count++;
    }
    const char *nearest = word_nearest(id, names, count);
    if (nearest)
        message_error("%s: --around: unknown id '%s'; did you mean '%s'?", command, id, nearest);
    else
        message_error("%s: --around: unknown id '%s'; armtap diagnose --list shows all ids", command, id);
    return -1;
}

int around_parse(const char *command, const char *value, const struct armtap_note_kind **around, int64_t *reach)
{
    char id[64], seconds[64];
    size_t length = strcspn(value, "=");
    struct timestamp given = {.ns = AROUND_DEFAULT};
    snprintf(id, sizeof id, "%.*s", (int)(length < sizeof id ? length : sizeof id - 1), value);
    *around = armtap_note_find(id);
    if (!*around)
        return unknown_id(command, id);
    if (value[length] == '=') {
        snprintf(seconds, sizeof seconds, "+%s", value + length + 1);
        if (timestamp_parse(seconds, &given) != 0) {
            message_error("%s: --around %s: not a number of seconds: %s", command, id, value + length + 1);
            return -1;
        }
    }
    *reach = given.ns;
    return 0;
}

static bool read_port(const char **at, unsigned low, uint16_t *port)
{
    unsigned number = 0;
    size_t length = strspn(*at, "0123456789");
    for (size_t i = 0; i < length && number <= UINT16_MAX; i++)
        number = number * 10 + (unsigned)((*at)[i] - '0');
    *at += length;
    *port = (uint16_t)number;
    return length > 0 && number >= low && number <= UINT16_MAX;
}

static bool read_pair(const char **at, struct port_pair *pair)
{
    if (!read_port(at, 1, &pair->robots))
        return false;
    pair->here = pair->robots;
    if (**at != '=')
        return true;
    ++*at;
    return read_port(at, 0, &pair->here);
}

size_t port_list_parse(const char *list, struct port_pair *pairs, size_t max)
{
    const char *at = list;
    for (size_t count = 0; count < max && read_pair(&at, &pairs[count]); at++) {
        count++;
        if (*at == '\0')
            return count;
        if (*at != ',')
            break;
    }
    return 0;
}
