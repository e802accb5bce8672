/* Words for the shell in which a user pastes a command: a POSIX shell; cmd.exe and PowerShell alike. */
#ifndef BASE_SHELL_WORD_H
#define BASE_SHELL_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Room for a command. */
#define SHELL_MAX 1600

/* Appends bytes to the text in `to` as they are. False, and `to` is unchanged, if there is no room. */
static inline bool shell_put(char *to, size_t size, const char *text, size_t length)
{
    size_t used = strlen(to);
    if (length >= size - used)
        return false;
    memcpy(to + used, text, length);
    to[used + length] = '\0';
    return true;
}

/* Appends a word to the text in `to`, quoted if the shell needs that. A name that begins with a dash gets "./".
 * Returns false, and leaves `to` unchanged, if there is no room or no way to quote it: for a POSIX shell a name that
 * must not be printed and ends in a line end, on Windows one that a shell would take for more than a name. */
bool shell_word(char *to, size_t size, const char *word);
/* What stands between two words where a command goes on in another line; NULL: it may not. */
extern const char *const shell_line_break;
/* Appends the command that lists a folder, "" for this one, or nothing, as shell_word(). */
bool shell_list(char *to, size_t size, const char *folder);

#endif
