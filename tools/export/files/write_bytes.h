/* Writes bytes to files: all of them, or a line that many programs append to the same file. */
#ifndef EXPORT_WRITE_BYTES_H
#define EXPORT_WRITE_BYTES_H

#include <stddef.h>

/* Writes all. A closed pipe is an error, not a signal that would end the program. 0, or an error number; part may be
 * written then. */
int write_bytes(int file, const char *bytes, size_t length);

/* A file of lines to which many programs append at the same time. */

/* Opens the file, and makes it if there is none. Its descriptor, or -1 with errno set. */
int append_line_open(const char *name);
/* Appends a line, which ends in a newline, as a whole or not at all. What a killed program left of a line that began
 * like `ours` is removed first. 0, or an error number. */
int append_line(int file, const char *line, size_t length, const char *ours);

#endif
