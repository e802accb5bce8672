/* SHA-256 of bytes that come in pieces. */
#ifndef BASE_OS_SHA256_H
#define BASE_OS_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32

struct sha256;

/* NULL if memory runs out, or the system cannot; the other functions take that, too. */
struct sha256 *sha256_begin(void);
void sha256_add(struct sha256 *sum, const void *bytes, size_t length);
/* Frees it. False: there is no sum. */
bool sha256_end(struct sha256 *sum, uint8_t digest[SHA256_BYTES]);

/* "libmd"; NULL: the system's own. */
const char *sha256_library(void);

#endif
