#include "base/os/sha256.h"

#include <sha2.h>
#include <stdlib.h>

struct sha256 {
    SHA2_CTX context;
};

struct sha256 *sha256_begin(void)
{
    struct sha256 *sum = malloc(sizeof *sum);
    if (sum)
        SHA256Init(&sum->context);
    return sum;
}

void sha256_add(struct sha256 *sum, const void *bytes, size_t length)
{
    if (sum)
        SHA256Update(&sum->context, bytes, length);
}

bool sha256_end(struct sha256 *sum, uint8_t digest[SHA256_BYTES])
{
    if (sum)
        SHA256Final(digest, &sum->context);
    free(sum);
    return sum != NULL;
}

const char *sha256_library(void)
{
    return "libmd";
}
