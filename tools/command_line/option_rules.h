/* Which options go together. */
#ifndef COMMAND_LINE_OPTION_RULES_H
#define COMMAND_LINE_OPTION_RULES_H

#include "options.h"

/* Whether all that was given goes together, and with these sources. 0, or -1 after a message that says why not. */
int option_rules_check(const struct options *options, unsigned sources);
/* Whether the mode that was chosen reads operands. */
bool option_rules_read(const struct options *options);

#endif
