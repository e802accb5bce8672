/* Commands of the program. Each is int cmd_NAME(argc, argv), argv beginning after the command's name; it returns an
 * enum exit_status. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "replay.h"

#define COMMAND(name, summary) int cmd_##name(int argc, char **argv);
#include "commands.def"
#undef COMMAND

#endif
