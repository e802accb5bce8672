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

/* Lent bytes are forgotten. */
static void give_back(struct armtap_history *history)
{
    if (history->lent_count == 0)
        return;
    *history->before = history->after;
    if (history->after)
        history->after->before = history->before;
    history->lent_count = 0;
}

void armtap_history_free(struct armtap_history *history)
{
    if (history)
        give_back(history);
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
    if (history->lent_count > 0)
        armtap_history_settle(history);
    armtap_history_keep_to(history, position + length);
    copy(history, position, bytes, length);
}

void armtap_history_make_room(struct armtap_history *history, struct armtap_history **first, uint64_t position)
{
    if (position != history->end)
        armtap_history_restart(history, position);
    if (history->lent_count == ARMTAP_HISTORY_LENT)
        armtap_history_settle(history);
    if (history->lent_count > 0)
        return;
    history->before = first;
    history->after = *first;
    if (*first)
        (*first)->before = &history->after;
    *first = history;
}

bool armtap_history_settle(struct armtap_history *history)
{
    uint64_t position = history->end;
    unsigned i = history->lent_count;
    while (i > 0 && position > history->start)
        position -= history->lent[--i].length;
    bool has_paid = i > history->lent_count / 2;
    for (; i < history->lent_count; i++) {
        copy(history, position, history->lent[i].bytes, history->lent[i].length);
        position += history->lent[i].length;
    }
    give_back(history);
    return has_paid;
}

bool armtap_history_differs(struct armtap_history *history, uint64_t position, const uint8_t *bytes, size_t length)
{
    uint64_t from = position > history->start ? position : history->start;
    uint64_t to = position + length < history->end ? position + length : history->end;
    armtap_history_settle(history);
    for (; from < to; from++)
        if (history->bytes[from % ARMTAP_HISTORY_BYTES] != bytes[from - position])
            return true;
    return false;
}
