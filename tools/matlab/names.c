#include "names.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "armtap.h"
#include "analysis/armtap-analysis.h"
#include "analysis/inside.h"

/* A hash table of the names so far. */
struct matlab_names {
    struct armtap_hash_key key;
    struct slot {
        char name[MATLAB_NAME_MAX + 1]; /* "": free */
        unsigned next;                  /* number to try for the next variable of this name */
    } * slots;
    size_t size; /* a power of two, more than twice the names */
    size_t count;
};

static bool is_letter(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

static bool is_digit(char digit)
{
    return digit >= '0' && digit <= '9';
}

static bool is_keyword(const char *name)
{
    static const char *const keywords[] = {
        "break",  "case", "catch",     "classdef", "continue",   "else",   "elseif", "end",    "for", "function",
        "global", "if",   "otherwise", "parfor",   "persistent", "return", "spmd",   "switch", "try", "while"};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strcmp(name, keywords[i]) == 0)
            return true;
    return false;
}

struct matlab_names *matlab_names_new(void)
{
    struct matlab_names *names = calloc(1, sizeof *names);
    if (names)
        names->key = armtap_hash_draw_key();
    return names;
}

void matlab_names_free(struct matlab_names *names)
{
    if (!names)
        return;
    free(names->slots);
    free(names);
}

/* The slot of a name, or the free one for it. */
static struct slot *find(const struct matlab_names *names, const char *name)
{
    size_t at = (size_t)armtap_hash_text(&names->key, name) & (names->size - 1);
    while (names->slots[at].name[0] != '\0' && strcmp(names->slots[at].name, name) != 0)
        at = (at + 1) & (names->size - 1);
    return &names->slots[at];
}

static int grow(struct matlab_names *names)
{
    struct matlab_names larger = {
        .key = names->key, .size = names->size == 0 ? 64 : 2 * names->size, .count = names->count};
    larger.slots = calloc(larger.size, sizeof *larger.slots);
    if (!larger.slots)
        return -1;
    for (size_t i = 0; i < names->size; i++)
        if (names->slots[i].name[0] != '\0')
            *find(&larger, names->slots[i].name) = names->slots[i];
    free(names->slots);
    *names = larger;
    return 0;
}

static void make(const char *name, size_t length, char made[MATLAB_NAME_MAX + 1])
{
    size_t at = 0;
    if (length == 0 || !is_letter(name[0]))
        made[at++] = 'x';
    for (size_t i = 0; i < length && at < MATLAB_NAME_MAX; i++)
        made[at++] = is_letter(name[i]) || is_digit(name[i]) ? name[i] : '_';
    made[at] = '\0';
    if (is_keyword(made))
        strcpy(made + at, "_");
}

int matlab_names_take(struct matlab_names *names, const char *name, size_t length, char made[MATLAB_NAME_MAX + 1])
{
    char first[MATLAB_NAME_MAX + 1], number[16];
    if (2 * names->count >= names->size && grow(names) != 0)
        return -1;
    make(name, length, first);
    strcpy(made, first);
    struct slot *taken = find(names, first), *slot = taken;
    while (slot->name[0] != '\0') {
        int digits = snprintf(number, sizeof number, "_%u", taken->next++);
        snprintf(made, MATLAB_NAME_MAX + 1, "%.*s%s", MATLAB_NAME_MAX - digits, first, number);
        slot = find(names, made);
    }
    strcpy(slot->name, made);
    slot->next = 2;
    names->count++;
    return 0;
}
