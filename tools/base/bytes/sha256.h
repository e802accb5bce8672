/* SHA-256, by libmd, where it is built in; it is loaded at the first sum. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32
#define SHA256_HEX (2 * SHA256_BYTES + 1)

struct sha256;
/* NULL without memory, without libmd (sha256_is_there() tells), or after a message if it cannot be loaded. */
struct sha256 *sha256_begin(void);
void sha256_add(struct sha256 *sum, const void *bytes, size_t length);
/* Frees the sum; NULL is fine, the digest is zeros then. */
void sha256_end(struct sha256 *sum, uint8_t digest[SHA256_BYTES]);
/* The digest as sha256sum prints it. */
void sha256_hex(char to[SHA256_HEX], const uint8_t digest[SHA256_BYTES]);

bool sha256_is_there(void);
/* "libmd", or "built without libmd" */
const char *sha256_library(void);

#endif
