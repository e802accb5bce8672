#define _POSIX_C_SOURCE 200809L
#include "file_bytes.h"

#include <errno.h>
#include <unistd.h>

enum input_outcome input_read_all(int file, uint64_t position, uint8_t *to, size_t length)
{
    while (length > 0) {
        ssize_t got = pread(file, to, length, (off_t)position);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? INPUT_FAILED : INPUT_SHORTENED;
        position += (uint64_t)got;
        to += got;
        length -= (size_t)got;
    }
    return INPUT_OK;
}
