/* The commands: each is int cmd_NAME(argc, argv) and returns an enum exit_status. argv begins after the command's
 * name. */
#ifndef COMMAND_LINE_COMMANDS_H
#define COMMAND_LINE_COMMANDS_H

#include "input/replay/replay.h"

#define COMMAND(name, summary, groups) int cmd_##name(int argc, char **argv);
#include "commands.def"

#endif
