/* What a word that is not known was probably meant to be. */
#ifndef BASE_NEAREST_WORD_H
#define BASE_NEAREST_WORD_H

#include <stddef.h>

/* The first of `count` names that begins with the word, else the closest one if it is close enough to be meant; NULL:
 * none is. */
const char *word_nearest(const char *word, const char *const *names, size_t count);

#endif
