#ifndef EXPORT_WRITE_BYTES_H
#define EXPORT_WRITE_BYTES_H

#include <stddef.h>

/* Writes all. A closed pipe is an error, not a signal that would end the program. 0, or an error number; part may be
 * written then. */
int write_bytes(int file, const char *bytes, size_t length);

#endif
