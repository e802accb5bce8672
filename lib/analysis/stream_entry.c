#include "stream_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/arm/difference.h"

_Static_assert(sizeof(struct stream_entry) % DIFFERENCE_WORD == 0, "whole words are packed");

_Static_assert(offsetof(struct stream_entry, summary.stream) == 0, "where a packed one has NULL");

struct stream_entry *armtap_entry_new(void)
{
    struct stream_entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    struct armtap_stream_summary *summary = &entry->summary;
    summary->stream = &entry->stream;
    for (int direction = 0; direction < 2; direction++)
        summary->first_time[direction] = summary->last[direction].time = ARMTAP_NO_TIME;
    summary->last_clock = NAN;
    return entry;
}

struct packed_stream *armtap_entry_pack(struct stream_entry *entry, const struct stream_entry *like)
{
    uint8_t bytes[DIFFERENCE_MAX(sizeof *entry)];
    entry->summary.stream = like->summary.stream;
    size_t length = armtap_difference_write(bytes, entry, like, sizeof *entry);
    entry->summary.stream = &entry->stream;
    struct packed_stream *packed = malloc(sizeof *packed + length);
    if (!packed)
        return NULL;
    packed->none = NULL;
    memcpy(packed->bytes, bytes, length);
    return packed;
}

void armtap_entry_unpack(const struct packed_stream *packed, const struct stream_entry *like,
                         struct stream_entry *entry)
{
    armtap_difference_read(packed->bytes, entry, like, sizeof *entry);
    entry->summary.stream = &entry->stream;
}
