/* --around ID[=SECONDS] */
#ifndef COMMAND_LINE_AROUND_H
#define COMMAND_LINE_AROUND_H

#include "armtap.h"

/* Reads the value: a kind of finding, and how far around it, in ns; a second if not given. 0, or -1 after a message
 * that begins with the command's name. */
int around_parse(const char *command, const char *value, const struct armtap_note_kind **around, int64_t *reach);

#endif
