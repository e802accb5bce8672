/* Commands to paste into a shell unchanged, with the names of the captures being read. */
#ifndef INPUT_SHELL_COMMAND_H
#define INPUT_SHELL_COMMAND_H

#include "base/text/shell_word.h"
#include "input/replay/replay.h"

/* Whether the source can be read again by name: neither standard input nor an interface. */
bool shell_can_name(const struct replay_source *source);

/* Writes the command `pattern`. Its word FILE is replaced by the captures of `source`, after the options --port, --raw,
 * --no-guess and --recipe that they were read with; its word PACKET by the packet of `where` (may be NULL), with --file if
 * there are several captures. After --from each capture gets its own --from, and the options, except --recipe, follow.
 * Returns false if the user must replace FILE by hand: standard input and interfaces cannot be read again, and too many
 * names do not fit. FILE then stays, and so does PACKET if there is none. */
bool shell_command(char to[SHELL_MAX], const char *pattern, const struct replay_source *source,
                   const struct armtap_where *where);

#endif
