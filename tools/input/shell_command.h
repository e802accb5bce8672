/* Commands to paste into a shell unchanged, with the names of the captures being read. */
#ifndef INPUT_SHELL_COMMAND_H
#define INPUT_SHELL_COMMAND_H

#include "base/os/shell_word.h"
#include "input/replay/replay.h"

/* Whether the source can be read again by name: neither standard input nor an interface. */
bool shell_can_name(const struct replay_source *source);

/* What a command is about. */
struct shell_subject {
    const struct armtap_where *where;         /* NULL: nowhere */
    const struct armtap_arguments *arguments; /* NULL: none */
    uint32_t stream;                          /* its number, as users know it; SHELL_NO_STREAM: none */
    uint32_t setup;                           /* 1 + the number of a stream with a set-up of the same client; 0: none */
    const char *robot;                        /* its address, with or without a port; NULL: unknown */
    const struct armtap_stream *telemetry;    /* of it, by RTDE or the legacy interface; NULL: none */
};
#define SHELL_NO_STREAM UINT32_MAX

/* The words of a pattern that stand for something else are:
 *   FILE     the captures of the source, after the options that they were read with: --port, --raw, --no-guess
 *            and --recipe; after --from each capture gets its own --from, and the options, except --recipe, follow
 *   PACKET   its number, with --file if there are several captures
 *   STREAM   its number
 *   DRIVER   the same, if the finding names commands of a driver
 *   SETUP    the number of another stream of the same client whose set-up was captured
 *   CODE     of an error, as armtap fields --error takes it: C153A2
 *   ROBOT    its address
 *   TELEMETRY  rtde://ROBOT or realtime://ROBOT: what its telemetry was captured from, as a source
 *   PRIMARY  primary://ROBOT
 *   CAPTURE  the name of the packet's capture, for programs that read none that is compressed
 *   NEW      the name of a capture that does not exist
 * Whether all of them but FILE are known. */
bool shell_is_known(const char *pattern, const struct replay_source *source, const struct shell_subject *subject);
/* Writes the command. False if the user must replace FILE by hand: standard input and interfaces cannot be read again,
 * and too many names do not fit. `subject` may be NULL; words of which nothing is known stay. */
bool shell_command(char to[SHELL_MAX], const char *pattern, const struct replay_source *source,
                   const struct shell_subject *subject);

#endif
