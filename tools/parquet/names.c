#include "names.h"

#include <stdio.h>

#include "armtap.h"
#include "analysis/armtap-analysis.h"
#include "analysis/inside.h"

/* A hash table of the names so far. */
struct names {
    struct armtap_hash_key key;
    struct slot {
        const char *name; /* NULL: free */
        unsigned next;    /* number to try for the next column of this name */
    } * slots;
    size_t count; /* a power of two, more than twice the names */
};

static char fold(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

static bool is_same(const char *a, const char *b)
{
    while (*a != '\0' && fold(*a) == fold(*b)) {
        a++;
        b++;
    }
    return fold(*a) == fold(*b);
}

/* The slot of a name, or the free one for it; NULL without memory. */
static struct slot *find(const struct names *names, const char *name)
{
    size_t length = strlen(name), mask = names->count - 1;
    char *folded = malloc(length + 1);
    if (!folded)
        return NULL;
    for (size_t i = 0; i <= length; i++)
        folded[i] = fold(name[i]);
    size_t at = (size_t)armtap_hash_text(&names->key, folded) & mask;
    free(folded);
    while (names->slots[at].name && !is_same(names->slots[at].name, name))
        at = (at + 1) & mask;
    return &names->slots[at];
}

static int rename_column(const struct names *names, struct parquet_column *column, struct slot *taken)
{
    size_t room = strlen(column->name) + 16;
    char *name = malloc(room);
    struct slot *slot = name ? taken : NULL;
    while (slot && slot->name) {
        snprintf(name, room, "%s_%u", column->name, taken->next++);
        slot = find(names, name);
    }
    if (!slot) {
        free(name);
        return -1;
    }
    free(column->name);
    column->name = name;
    *slot = (struct slot){name, 2};
    return 0;
}

int parquet_names_set_apart(struct parquet_column *columns, size_t count)
{
    struct names names = {.key = armtap_hash_draw_key(), .count = 16};
    int outcome = 0;
    while (names.count <= 2 * count)
        names.count *= 2;
    names.slots = calloc(names.count, sizeof *names.slots);
    if (!names.slots)
        return -1;
    for (size_t i = 0; i < count && outcome == 0; i++) {
        struct slot *slot = find(&names, columns[i].name);
        if (slot && !slot->name)
            *slot = (struct slot){columns[i].name, 2};
        else
            outcome = slot ? rename_column(&names, &columns[i], slot) : -1;
    }
    free(names.slots);
    return outcome;
}
