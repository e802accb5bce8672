/* large_npz sizes FILE: two arrays of zeros but for their last byte, whose members take one byte less than the plain
 * fields of a zip file can tell, and just as many; then a small one. The file has holes: it takes no room on a disk.
 * large_npz members FILE COUNT: as many small arrays. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/checksum.h"
#include "npz/npy.h"
#include "npz/zip.h"

enum { HEADER = 128, PIECE = 1 << 20 };
static const char zeros[PIECE];

static int put(void *user, const char *bytes, size_t length)
{
    if (bytes == zeros)
        return fseeko(user, (off_t)length, SEEK_CUR);
    return fwrite(bytes, 1, length, user) == length ? 0 : -1;
}

/* Of so many zeros: of a power of two from two halves. */
static uint32_t checksum_of_zeros(uint32_t crc, uint64_t count)
{
    uint32_t power = checksum(CHECKSUM_BEGIN, zeros, 1);
    for (uint64_t size = 1; size <= count; size *= 2) {
        if ((count & size) != 0)
            crc = checksum_join(crc, power, (size_t)size);
        power = checksum_join(power, power, (size_t)size);
    }
    return crc;
}

/* An array of bytes: zeros, then `last`, so that its member has that size. */
static int put_array(struct zip *zip, const char *name, uint64_t size, char last)
{
    struct buffer header = {0};
    npz_put_header(&header, "|u1", 0, size - HEADER, 0);
    uint64_t count = size - HEADER - 1;
    uint32_t sum = checksum_of_zeros(checksum(CHECKSUM_BEGIN, header.data, header.length), count);
    const struct zip_member member = {name, strlen(name), checksum(sum, &last, 1), size};
    int outcome = header.length == HEADER && zip_begin(zip, &member) == 0 ? zip_put(zip, header.data, HEADER) : -1;
    for (uint64_t some; count > 0 && outcome == 0; count -= some) {
        some = count < PIECE ? count : PIECE;
        outcome = zip_put(zip, zeros, (size_t)some);
    }
    free(header.data);
    return outcome == 0 ? zip_put(zip, &last, 1) : -1;
}

int main(int argc, char **argv)
{
    FILE *file = argc > 2 ? fopen(argv[2], "wb") : NULL;
    struct zip zip = {.write = put, .user = file};
    unsigned long count = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
    int outcome = file ? 0 : -1;
    if (count == 0 && outcome == 0)
        outcome =
            put_array(&zip, "plain.npy", ZIP_SIZE_MAX - 1, 1) == 0 && put_array(&zip, "large.npy", ZIP_SIZE_MAX, 2) == 0
                ? put_array(&zip, "behind.npy", HEADER + 3, 3)
                : -1;
    for (unsigned long i = 0; i < count && outcome == 0; i++) {
        char name[32];
        snprintf(name, sizeof name, "m%lu.npy", i);
        outcome = put_array(&zip, name, HEADER + 2, (char)i);
    }
    if (outcome == 0)
        outcome = zip_end(&zip);
    free(zip.directory.data);
    return file && fclose(file) == 0 && outcome == 0 ? 0 : 1;
}
