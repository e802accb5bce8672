/* Commands of the program. Each is int cmd_NAME(argc, argv), argv beginning after the command's name; it returns an
 * enum exit_status. */
#ifndef COMMAND_LINE_COMMANDS_H
#define COMMAND_LINE_COMMANDS_H

#include "input/replay.h"

#define COMMAND(name, summary) int cmd_##name(int argc, char **argv);
#include "commands.def"
#undef COMMAND

#endif
