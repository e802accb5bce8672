#include "base/os/sha256.h"

#include <stdlib.h>
#include <windows.h>
#include <bcrypt.h>

struct sha256 {
    BCRYPT_ALG_HANDLE algorithm;
    BCRYPT_HASH_HANDLE hash;
    bool failed;
};

struct sha256 *sha256_begin(void)
{
    struct sha256 *sum = calloc(1, sizeof *sum);
    if (!sum)
        return NULL;
    sum->failed = BCryptOpenAlgorithmProvider(&sum->algorithm, BCRYPT_SHA256_ALGORITHM, NULL, 0) != 0 ||
                  BCryptCreateHash(sum->algorithm, &sum->hash, NULL, 0, NULL, 0, 0) != 0;
    return sum;
}

void sha256_add(struct sha256 *sum, const void *bytes, size_t length)
{
    if (sum && !sum->failed)
        sum->failed = length > ULONG_MAX || BCryptHashData(sum->hash, (PUCHAR)(uintptr_t)bytes, (ULONG)length, 0) != 0;
}

bool sha256_end(struct sha256 *sum, uint8_t digest[SHA256_BYTES])
{
    if (!sum)
        return false;
    bool is_whole = !sum->failed && BCryptFinishHash(sum->hash, digest, SHA256_BYTES, 0) == 0;
    if (sum->hash)
        BCryptDestroyHash(sum->hash);
    if (sum->algorithm)
        BCryptCloseAlgorithmProvider(sum->algorithm, 0);
    free(sum);
    return is_whole;
}

const char *sha256_library(void)
{
    return NULL;
}
