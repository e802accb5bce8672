/* A stream of the list, in full or packed. */
#ifndef ANALYSIS_STREAM_ENTRY_H
#define ANALYSIS_STREAM_ENTRY_H

#include "armtap-analysis.h"

/* Notes of one kind. */
struct stream_notes {
    uint32_t kind;  /* index of armtap_note_at */
    uint32_t count; /* stops at UINT32_MAX */
};

/* A stream's summary, and the data behind it. Thousands of them take turns with their records, which need the same
 * lines of the cache again: the summary lies before what is rare, the stream's counters at the end. */
struct stream_entry {
    struct armtap_stream_summary summary;
    bool is_paused; /* the next record begins a stretch */
    bool closed[2];
    bool is_told; /* its summary was asked for, and stays where it is */
    uint32_t note_kinds;
    struct stream_notes *notes; /* only the kinds that occur */
    struct armtap_stream stream;
};

/* An entry as what differs from another one, usually some 80 of its bytes. */
struct packed_stream {
    const struct armtap_stream *none; /* NULL, where an entry's summary has its stream */
    uint8_t bytes[];
};

/* Of an entry or a packed stream. */
static inline bool armtap_entry_is_packed(const void *thing)
{
    return !*(const struct armtap_stream *const *)thing;
}

static inline struct stream_entry *armtap_entry_of(const struct armtap_stream_summary *summary)
{
    return (struct stream_entry *)summary;
}

/* NULL if memory runs out, here and below. */
struct stream_entry *armtap_entry_new(void);
/* The entry's parts stay allocated, and belong to the packed one. */
struct packed_stream *armtap_entry_pack(struct stream_entry *entry, const struct stream_entry *like);
/* The same entry again; the packed one is not freed. */
void armtap_entry_unpack(const struct packed_stream *packed, const struct stream_entry *like,
                         struct stream_entry *entry);

#endif
