#define _POSIX_C_SOURCE 200809L
#include "file_bytes.h"

#include <errno.h>
#include <string.h>
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

void ends_keep(struct ends *ends, const uint8_t *bytes, size_t length)
{
    size_t room = ENDS_KEPT - ends->first_length, more = length < room ? length : room;
    memcpy(ends->first + ends->first_length, bytes, more);
    ends->first_length += more;
    more = length < ENDS_KEPT ? length : ENDS_KEPT;
    size_t stays = ends->last_length < ENDS_KEPT - more ? ends->last_length : ENDS_KEPT - more;
    memmove(ends->last, ends->last + ends->last_length - stays, stays);
    memcpy(ends->last + stays, bytes + length - more, more);
    ends->last_length = stays + more;
    ends->length += length;
}

static enum input_outcome compare(int file, uint64_t position, const uint8_t *kept, size_t length)
{
    uint8_t now[ENDS_KEPT];
    enum input_outcome outcome = input_read_all(file, position, now, length);
    return outcome != INPUT_OK || memcmp(now, kept, length) == 0 ? outcome : INPUT_REWRITTEN;
}

enum input_outcome ends_check(const struct ends *ends, int file)
{
    uint64_t last = ends->length - ends->last_length;
    enum input_outcome outcome = compare(file, last, ends->last, ends->last_length);
    return outcome != INPUT_OK ? outcome : compare(file, 0, ends->first, ends->first_length);
}
