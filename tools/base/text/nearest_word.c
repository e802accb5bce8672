#include "nearest_word.h"

#include <string.h>

#define WORD_MAX 64

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t least_two = a < b ? a : b;
    return least_two < c ? least_two : c;
}

/* Edit distance: the letters to insert, delete or change to get from one word to the other. */
static size_t distance(const char *from, const char *to)
{
    size_t row[WORD_MAX + 1], length = strlen(to);
    if (length > WORD_MAX || strlen(from) > WORD_MAX)
        return WORD_MAX;
    for (size_t i = 0; i <= length; i++)
        row[i] = i;
    for (size_t k = 1; from[k - 1] != '\0'; k++) {
        size_t diagonal = row[0];
        row[0] = k;
        for (size_t i = 1; i <= length; i++) {
            size_t above = row[i];
            row[i] = min3(above + 1, row[i - 1] + 1, diagonal + (from[k - 1] == to[i - 1] ? 0 : 1));
            diagonal = above;
        }
    }
    return row[length];
}

const char *word_nearest(const char *word, const char *const *names, size_t count)
{
    const char *best = NULL;
    for (size_t i = 0; i < count && *word != '\0'; i++)
        if (strncmp(names[i], word, strlen(word)) == 0)
            return names[i];
    size_t allowed = strlen(word) / 3 < 2 ? 2 : strlen(word) / 3, nearest = allowed + 1;
    for (size_t i = 0; i < count; i++) {
        size_t far = distance(word, names[i]);
        if (far < nearest && far < strlen(names[i])) {
            nearest = far;
            best = names[i];
        }
    }
    return best;
}
