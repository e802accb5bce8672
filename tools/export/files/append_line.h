/* A file of lines to which many programs append at the same time. */
#ifndef EXPORT_APPEND_LINE_H
#define EXPORT_APPEND_LINE_H

#include <stddef.h>

/* Opens the file, and makes it if there is none. Its descriptor, or -1 with errno set. */
int append_line_open(const char *name);
/* Appends a line, which ends in a newline, as a whole or not at all. What a killed program left of a line that began
 * like `ours` is removed first. 0, or an error number. */
int append_line(int file, const char *line, size_t length, const char *ours);

#endif
