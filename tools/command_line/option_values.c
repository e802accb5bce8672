/* Reading the values of options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/message.h"
#include "options.h"

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
