/* Commands that people can paste into a shell as they stand, with the names of what they are reading. */
#ifndef INPUT_SHELL_COMMAND_H
#define INPUT_SHELL_COMMAND_H

#include "replay.h"

#define SHELL_MAX 1600

/* Appends a word to the text in `to`, quoted where a POSIX shell needs that. A name that begins with a dash gets "./".
 * Returns false, with `to` as it was, where there is no room, or where no quoting says it: a name that must not be
 * printed and ends in a line end. */
bool shell_word(char *to, size_t size, const char *word);

/* Whether the source can be read again by its names: neither standard input nor an interface. */
bool shell_can_name(const struct replay_source *source);

/* Writes `pattern`, a command, with its word FILE replaced by the captures of `source`, behind the options --port,
 * --raw, --no-guess and --recipe that they were read with, and its word N by the packet of `where`, behind --file where
 * there are several captures. After --from each capture has a --from of its own, and the options, but for --recipe,
 * stand behind them. `where` may be NULL. Returns false where it can only be pasted once FILE is replaced by hand:
 * standard input and interfaces cannot be read again, and too many names take no line. Such a FILE stays; so does N
 * without a packet. */
bool shell_command(char to[SHELL_MAX], const char *pattern, const struct replay_source *source,
                   const struct armtap_where *where);

#endif
