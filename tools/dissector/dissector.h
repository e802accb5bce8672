/* A dissector for Wireshark: tables made here, then the lines of the Lua files. */
#ifndef DISSECTOR_DISSECTOR_H
#define DISSECTOR_DISSECTOR_H

#include <stdio.h>

/* All Lua files in their order, line by line, NULL at the end; made by `embed`. */
extern const char *const dissector_lines[];

/* Writes what the Lua files look up, as the table `armtap`. Returns 0, or -1 after a message. */
int dissector_tables(FILE *to);

#endif
