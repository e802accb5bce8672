#include "names_apart.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/armtap-analysis.h"
#include "analysis/inside.h"

/* The names in use, with open addressing. */
struct taken {
    struct taken_slot {
        const char *name;    /* NULL: free */
        uint64_t repetition; /* number given to its last repetition */
    } * slots;
    size_t mask;
    struct armtap_hash_key key;
};

static struct taken_slot *taken_slot(const struct taken *taken, const char *name)
{
    size_t at = (size_t)armtap_hash_text(&taken->key, name) & taken->mask;
    while (taken->slots[at].name && strcmp(taken->slots[at].name, name) != 0)
        at = (at + 1) & taken->mask;
    return &taken->slots[at];
}

size_t name_append_number(char *name, size_t length, uint64_t number)
{
    name[length++] = '_';
    length += number_unsigned(number, name + length);
    name[length] = '\0';
    return length;
}

/* Numbers a name until it is free. */
static void change_name(const struct taken *taken, char *name)
{
    size_t length = strlen(name);
    struct taken_slot *own = taken_slot(taken, name);
    struct taken_slot *slot = own;
    while (slot->name) {
        name_append_number(name, length, ++own->repetition);
        slot = taken_slot(taken, name);
    }
    *slot = (struct taken_slot){name, 1};
}

/* First reserves the names that are free, so that a field named time_2 always keeps its name. */
static void take_names(const struct taken *taken, const char *const *reserved, char **names, size_t count,
                       bool *changed)
{
    for (size_t i = 0; reserved[i]; i++)
        *taken_slot(taken, reserved[i]) = (struct taken_slot){reserved[i], 1};
    for (size_t i = 0; i < count; i++) {
        if (!names[i])
            continue;
        struct taken_slot *slot = taken_slot(taken, names[i]);
        changed[i] = slot->name != NULL;
        if (!changed[i])
            *slot = (struct taken_slot){names[i], 1};
    }
    for (size_t i = 0; i < count; i++)
        if (changed[i])
            change_name(taken, names[i]);
}

int names_set_apart(const char *const *reserved, char **names, size_t count)
{
    size_t slots = 32, others = 0;
    while (reserved[others])
        others++;
    while (slots < 2 * (count + others))
        slots *= 2;
    struct taken taken = {calloc(slots, sizeof(struct taken_slot)), slots - 1, armtap_hash_draw_key()};
    bool *changed = calloc(count + 1, sizeof(bool));
    int outcome = taken.slots && changed ? 0 : -1;
    if (outcome == 0)
        take_names(&taken, reserved, names, count, changed);
    free(changed);
    free(taken.slots);
    return outcome;
}
