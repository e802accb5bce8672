/* Words for a POSIX shell. */
#ifndef BASE_SHELL_WORD_H
#define BASE_SHELL_WORD_H

#include <stdbool.h>
#include <stddef.h>

/* Room for a command. */
#define SHELL_MAX 1600

/* Appends bytes to the text in `to` as they are. False, and `to` is unchanged, if there is no room. */
bool shell_put(char *to, size_t size, const char *text, size_t length);

/* Appends a word to the text in `to`, quoted if a POSIX shell needs that. A name that begins with a dash gets "./".
 * Returns false, and leaves `to` unchanged, if there is no room or no way to quote it: a name that must not be printed
 * and ends in a line end. */
bool shell_word(char *to, size_t size, const char *word);

#endif
