/* A zip file of members that are not compressed, written from its beginning to its end. */
#ifndef NPZ_ZIP_H
#define NPZ_ZIP_H

#include "base/text/buffer.h"

/* Bytes of a member's name at most. */
enum { ZIP_NAME_MAX = 65535 };

/* Zeroed but for write and user at first; the owner frees directory.data. */
struct zip {
    /* 0, or -1 after a message. */
    int (*write)(void *user, const char *bytes, size_t length);
    void *user;
    uint64_t offset; /* of the next byte */
    uint64_t members;
    struct buffer directory;
};

struct zip_member {
    const char *name; /* UTF-8 */
    size_t length;    /* of the name */
    uint32_t checksum;
    uint64_t size;
};

/* They return 0, or -1 after a message. After zip_begin() the member's bytes follow, through zip_put(). */
int zip_begin(struct zip *zip, const struct zip_member *member);
int zip_put(struct zip *zip, const char *bytes, size_t length);
int zip_end(struct zip *zip);

/* Bytes from which on a size, an offset or a number of members needs a ZIP64 record: what the plain fields cannot
 * hold. */
#define ZIP_SIZE_MAX 0xffffffffu
#define ZIP_COUNT_MAX 0xffffu

#endif
