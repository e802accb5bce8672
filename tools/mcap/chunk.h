/* Messages in memory until they are a chunk, and the chunk as bytes. */
#ifndef MCAP_CHUNK_H
#define MCAP_CHUNK_H

#include "base/bytes/packer.h"

/* Viewers ask for chunks of at most 4 MB. */
#define CHUNK_BYTES ((size_t)1 << 20)

struct chunk_channel {
    unsigned id;
    uint32_t messages;
};

struct chunk {
    struct buffer bytes;    /* records: messages, schemas and channels */
    uint64_t first, last;   /* times of messages: the least and the greatest; 0 without */
    struct buffer channels; /* struct chunk_channel, in the order of their first messages */
};

static inline size_t chunk_channel_count(const struct chunk *chunk)
{
    return chunk->channels.length / sizeof(struct chunk_channel);
}

static inline struct chunk_channel *chunk_channels(const struct chunk *chunk)
{
    return (struct chunk_channel *)(void *)chunk->channels.data;
}

/* Where the parts of a chunk are in its bytes, and the checksum of all of them. */
struct chunk_place {
    size_t length;        /* of the chunk's record; its message indexes follow */
    size_t packed_length; /* of the compressed messages in it */
    uint32_t crc;
};

/* Appends to `out` the chunk as a record, and its message indexes. Without memory, out->failed is set. */
void chunk_pack(const struct chunk *chunk, enum compression compression, struct packer_desk *desk, struct buffer *out,
                struct chunk_place *place);
/* The length of a channel's message index. */
size_t chunk_index_length(const struct chunk_channel *channel);
/* Empties it; keeps its memory. */
void chunk_clear(struct chunk *chunk);
void chunk_free(struct chunk *chunk);

#endif
