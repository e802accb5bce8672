#include "file_ends.h"

#include <string.h>

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
