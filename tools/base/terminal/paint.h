/* Colours of texts for people. */
#ifndef BASE_PAINT_H
#define BASE_PAINT_H

#include <stdbool.h>
#include <stdio.h>

#include "armtap.h"

/* "auto", "always" or "never": whether texts for people have colours, from now on and in child processes, to which the
 * environment says so (NO_COLOR, CLICOLOR_FORCE). "auto" leaves that to the user's environment. 0, or -1 for another
 * word. */
int text_colour_choose(const char *when);
/* What a colour says. It never says it alone: the same is in the words. */
enum text_paint { PAINT_NONE, PAINT_GOOD, PAINT_WARNING, PAINT_BAD, PAINT_HEADING, PAINT_PACKET };
enum text_paint text_paint_of(enum armtap_severity severity);
/* Switch a colour on and off; "" without colours: by default if the file is not a terminal, NO_COLOR is set,
 * or TERM is dumb. */
const char *text_paint(FILE *file, enum text_paint paint);
/* The same where the terminal was asked before: `coloured` is what text_is_coloured() said. */
bool text_is_coloured(FILE *file);
const char *text_paint_if(bool coloured, enum text_paint paint);
const char *text_plain_if(bool coloured);
const char *text_colour(FILE *file, enum armtap_severity severity);
const char *text_plain(FILE *file);

#endif
