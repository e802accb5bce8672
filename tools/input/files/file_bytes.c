#define _POSIX_C_SOURCE 200809L
#include "file_bytes.h"
#include "base/os/names.h"

#include <errno.h>
#include <string.h>

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

/* Four words that a processor adds at once; four such side by side, as one alone would wait for its own additions. */
typedef uint32_t lanes __attribute__((vector_size(16)));
enum { VECTORS = 4, LANES = VECTORS * sizeof(lanes) / sizeof(uint32_t) };

/* Another number gives another sum. Without the shift a difference in the highest bit would stay there, and the next
 * one would cancel it. */
static uint32_t mixed(uint32_t sum, uint32_t number)
{
    sum = (sum ^ number) * 0x9E3779B1u;
    return sum ^ sum >> 15;
}

/* Fletcher's sums, in lanes. */
uint32_t block_sum(const uint8_t *bytes, size_t length)
{
    lanes words[VECTORS] = {{0}}, words_before[VECTORS] = {{0}}, next; /* in each place the sum of all up to there */
    uint32_t sum = (uint32_t)length;
    size_t at = 0;
    for (; at + sizeof words <= length; at += sizeof words)
        _Pragma("GCC unroll 4") for (size_t i = 0; i < VECTORS; i++)
        {
            memcpy(&next, bytes + at + i * sizeof next, sizeof next);
            words[i] += next;
            words_before[i] += words[i];
        }
    for (; at < length; at++)
        sum = mixed(sum, bytes[at]);
    for (size_t i = 0; i < LANES; i++)
        sum = mixed(mixed(sum, words[i / 4][i % 4]), words_before[i / 4][i % 4]);
    return sum;
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
