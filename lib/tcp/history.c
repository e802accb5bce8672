#include "history.h"

#include <stdlib.h>
#include <string.h>

struct armtap_history *armtap_history_new(void)
{
    struct armtap_history *history = malloc(sizeof *history);
    if (history)
        memset(history, 0, offsetof(struct armtap_history, segments));
    return history;
}

void armtap_history_free(struct armtap_history *history)
{
    free(history);
}

void armtap_history_restart(struct armtap_history *history, uint64_t position)
{
    history->start = history->end = position;
}

/* Copies the bytes that are kept of those at `position`. */
static void copy(struct armtap_history *history, uint64_t position, const uint8_t *bytes, size_t length)
{
    uint64_t old = history->start > position ? history->start - position : 0;
    if (old >= length)
        return;
    position += old;
    bytes += old;
    length -= (size_t)old;
    size_t at = (size_t)(position % ARMTAP_HISTORY_BYTES);
    size_t first = length < ARMTAP_HISTORY_BYTES - at ? length : ARMTAP_HISTORY_BYTES - at;
    memcpy(history->bytes + at, bytes, first);
    if (first < length)
        memcpy(history->bytes, bytes + first, length - first);
}

void armtap_history_add(struct armtap_history *history, uint64_t position, const uint8_t *bytes, size_t length)
{
    if (position != history->end)
        armtap_history_restart(history, position);
    history->end = position + length;
    if (history->end - history->start > ARMTAP_HISTORY_BYTES)
        history->start = history->end - ARMTAP_HISTORY_BYTES;
    copy(history, position, bytes, length);
}

bool armtap_history_differs(const struct armtap_history *history, uint64_t position, const uint8_t *bytes,
                            size_t length)
{
    uint64_t from = position > history->start ? position : history->start;
    uint64_t to = position + length < history->end ? position + length : history->end;
    for (; from < to; from++)
        if (history->bytes[from % ARMTAP_HISTORY_BYTES] != bytes[from - position])
            return true;
    return false;
}
