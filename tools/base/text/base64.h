/* Bytes as base64 (RFC 4648, with padding). */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stddef.h>
#include <stdint.h>

/* Characters for so many bytes. */
#define BASE64_LENGTH(bytes) (((size_t)(bytes) + 2) / 3 * 4)

/* Writes BASE64_LENGTH(length) characters, without a terminating NUL. */
void base64_write(char *to, const uint8_t *bytes, size_t length);
/* Reads `length` characters into at most length / 4 * 3 bytes. Returns how many, -1 if it is not base64. */
ptrdiff_t base64_read(uint8_t *to, const char *text, size_t length);

#endif
