#define _POSIX_C_SOURCE 200809L
#include "names_apart.h"

#include <stdlib.h>
#include <string.h>

enum { PART = 64 }; /* bytes that are hashed at a time */

static char fold(const struct names_apart *names, char letter)
{
    return names->ignores_case && letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

static bool is_same(const struct names_apart *names, const char *a, const char *b)
{
    for (; *a != '\0' && fold(names, *a) == fold(names, *b); a++)
        b++;
    return fold(names, *a) == fold(names, *b);
}

static uint64_t hash(const struct names_apart *names, const char *name)
{
    char part[PART + 1];
    uint64_t sum = 0;
    do {
        size_t length = 0;
        for (; *name != '\0' && length < PART; name++)
            part[length++] = fold(names, *name);
        part[length] = '\0';
        sum = armtap_hash_numbers(&names->key, sum, armtap_hash_text(&names->key, part));
    } while (*name != '\0');
    return sum;
}

/* The slot of a name, or the free one for it. */
static struct taken_name *slot_of(const struct names_apart *names, const char *name)
{
    size_t at = (size_t)hash(names, name) & (names->size - 1);
    while (names->slots[at].name && !is_same(names, names->slots[at].name, name))
        at = (at + 1) & (names->size - 1);
    return &names->slots[at];
}

static int grow(struct names_apart *names)
{
    struct names_apart larger = *names;
    larger.size = names->size == 0 ? 64 : 2 * names->size;
    larger.slots = calloc(larger.size, sizeof *larger.slots);
    if (names->size == 0)
        larger.key = armtap_hash_draw_key();
    if (!larger.slots)
        return -1;
    for (size_t i = 0; i < names->size; i++)
        if (names->slots[i].name)
            *slot_of(&larger, names->slots[i].name) = names->slots[i];
    free(names->slots);
    *names = larger;
    return 0;
}

void names_apart_free(struct names_apart *names)
{
    for (size_t i = 0; i < names->size; i++)
        free(names->slots[i].name);
    free(names->slots);
    *names = (struct names_apart){.slots = NULL};
}

static bool names_apart_has(const struct names_apart *names, const char *name)
{
    return names->size > 0 && slot_of(names, name)->name;
}

size_t name_append_number(char *name, size_t length, uint64_t number)
{
    name[length++] = '_';
    length += number_unsigned(number, name + length);
    name[length] = '\0';
    return length;
}

/* Takes a name as it is, if none has it. */
static int keep(struct names_apart *names, const char *name)
{
    if (2 * names->count >= names->size && grow(names) != 0)
        return -1;
    struct taken_name *slot = slot_of(names, name);
    if (slot->name)
        return 0;
    *slot = (struct taken_name){strdup(name), 2};
    names->count += slot->name != NULL;
    return slot->name ? 0 : -1;
}

int names_apart_take(struct names_apart *names, char *name, size_t most)
{
    char number[NUMBER_MAX + 2];
    struct taken_name *first = names->size > 0 ? slot_of(names, name) : NULL;
    for (size_t length = strlen(name); names_apart_has(names, name);) {
        size_t digits = name_append_number(number, 0, first->next);
        name_append_number(name, length + digits <= most ? length : most - digits, first->next++);
    }
    return keep(names, name);
}

int names_set_apart(const char *const *reserved, char **all, size_t count)
{
    struct names_apart names = {.ignores_case = false};
    bool *changes = calloc(count + 1, sizeof *changes);
    int outcome = changes ? 0 : -1;
    for (size_t i = 0; reserved[i] && outcome == 0; i++)
        outcome = keep(&names, reserved[i]);
    for (size_t i = 0; i < count && outcome == 0; i++) {
        changes[i] = all[i] && names_apart_has(&names, all[i]);
        outcome = all[i] ? keep(&names, all[i]) : 0;
    }
    for (size_t i = 0; i < count && outcome == 0; i++)
        if (changes[i])
            outcome = names_apart_take(&names, all[i], SIZE_MAX);
    free(changes);
    names_apart_free(&names);
    return outcome;
}
