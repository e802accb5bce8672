/* Colours of texts for people. */
#ifndef BASE_PAINT_H
#define BASE_PAINT_H

#include <stdio.h>

#include "armtap.h"

/* "auto", "always" or "never": whether texts for people have colours, from now on and in child processes, to which the
 * environment says so (NO_COLOR, CLICOLOR_FORCE). "auto" leaves that to the user's environment. 0, or -1 for another
 * word. */
int text_colour_choose(const char *when);
/* Switch a severity's colour on and off; "" without colours: by default if the file is not a terminal, NO_COLOR is set,
 * or TERM is dumb. */
const char *text_colour(FILE *file, enum armtap_severity severity);
const char *text_plain(FILE *file);

#endif
