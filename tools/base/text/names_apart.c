#define _GNU_SOURCE /* tdestroy */
#include "names_apart.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/os/names.h"

struct taken_name {
    uint64_t next; /* the number to try for the next one of this name */
    char name[];
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct taken_name *)a)->name, ((const struct taken_name *)b)->name);
}

static int by_letters(const void *a, const void *b)
{
    return strcasecmp(((const struct taken_name *)a)->name, ((const struct taken_name *)b)->name);
}

void names_apart_free(struct names_apart *names)
{
    tdestroy(names->tree, free);
    *names = (struct names_apart){.tree = NULL};
}

size_t name_append_number(char *name, size_t length, uint64_t number)
{
    name[length++] = '_';
    length += number_unsigned(number, name + length);
    name[length] = '\0';
    return length;
}

/* Takes a name as it is; *is_new: none had it. NULL without memory. */
static struct taken_name *keep(struct names_apart *names, const char *name, bool *is_new)
{
    size_t length = strlen(name);
    struct taken_name *wanted = malloc(sizeof *wanted + length + 1), **kept = NULL;
    if (wanted) {
        wanted->next = 2;
        memcpy(wanted->name, name, length + 1);
        kept = tsearch(wanted, &names->tree, names->ignores_case ? by_letters : by_name);
    }
    *is_new = kept && *kept == wanted;
    if (!*is_new)
        free(wanted);
    return kept ? *kept : NULL;
}

int names_apart_take(struct names_apart *names, char *name, size_t most)
{
    char number[NUMBER_MAX + 2];
    bool is_new;
    struct taken_name *first = keep(names, name, &is_new), *last = first;
    for (size_t length = strlen(name); last && !is_new; last = keep(names, name, &is_new)) {
        size_t digits = name_append_number(number, 0, first->next);
        name_append_number(name, length + digits <= most ? length : most - digits, first->next++);
    }
    return last ? 0 : -1;
}

int names_set_apart(const char *const *reserved, char **all, size_t count)
{
    struct names_apart names = {.ignores_case = false};
    bool *changes = calloc(count + 1, sizeof *changes);
    int outcome = changes ? 0 : -1;
    bool is_new;
    for (size_t i = 0; reserved[i] && outcome == 0; i++)
        outcome = keep(&names, reserved[i], &is_new) ? 0 : -1;
    for (size_t i = 0; i < count && outcome == 0; i++) {
        outcome = !all[i] || keep(&names, all[i], &is_new) ? 0 : -1;
        changes[i] = all[i] && !is_new;
    }
    for (size_t i = 0; i < count && outcome == 0; i++)
        if (changes[i])
            outcome = names_apart_take(&names, all[i], SIZE_MAX);
    free(changes);
    names_apart_free(&names);
    return outcome;
}
