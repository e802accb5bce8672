#include "sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/libraries.h"

#ifdef ARMTAP_WITH_MD
#include <sys/types.h>

#include <sha2.h>

#include "base/process/load.h"

struct sha256 {
    SHA2_CTX context;
    __typeof__(&SHA256Init) init;
    __typeof__(&SHA256Update) update;
    __typeof__(&SHA256Final) final;
};

/* 0, or -1 after a message. */
static int load(struct sha256 *sum)
{
    void *handle = load_library(LOAD_FILE(ARMTAP_MD_FILE));
    bool is_good = handle && load_name(handle, "SHA256Init", &sum->init) == 0 &&
                   load_name(handle, "SHA256Update", &sum->update) == 0 &&
                   load_name(handle, "SHA256Final", &sum->final) == 0;
    return is_good ? 0 : -1;
}

struct sha256 *sha256_begin(void)
{
    struct sha256 *sum = malloc(sizeof *sum);
    if (sum && load(sum) == 0) {
        sum->init(&sum->context);
        return sum;
    }
    free(sum);
    return NULL;
}

void sha256_add(struct sha256 *sum, const void *bytes, size_t length)
{
    sum->update(&sum->context, bytes, length);
}

void sha256_end(struct sha256 *sum, uint8_t digest[SHA256_BYTES])
{
    memset(digest, 0, SHA256_BYTES);
    if (sum)
        sum->final(digest, &sum->context);
    free(sum);
}

bool sha256_is_there(void)
{
    return true;
}

const char *sha256_library(void)
{
    return library_name(LIBRARY_MD);
}

#else

struct sha256 *sha256_begin(void)
{
    return NULL;
}

void sha256_add(struct sha256 *sum, const void *bytes, size_t length)
{
    (void)sum;
    (void)bytes;
    (void)length;
}

void sha256_end(struct sha256 *sum, uint8_t digest[SHA256_BYTES])
{
    (void)sum;
    memset(digest, 0, SHA256_BYTES);
}

bool sha256_is_there(void)
{
    return false;
}

const char *sha256_library(void)
{
    return library_absence(LIBRARY_MD);
}

#endif

void sha256_hex(char to[SHA256_HEX], const uint8_t digest[SHA256_BYTES])
{
    for (size_t i = 0; i < SHA256_BYTES; i++)
        snprintf(to + 2 * i, 3, "%02x", digest[i]);
}
