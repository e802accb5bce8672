/* How the records of an MCAP file begin and end, and what they consist of: numbers, texts, maps. Numbers are
 * little-endian; lengths of maps and arrays are in bytes. */
#ifndef MCAP_RECORD_H
#define MCAP_RECORD_H

#include "base/text/buffer.h"
#include "base/bytes/compression.h"

#define MCAP_MAGIC "\x89MCAP0\r\n"

enum mcap_opcode {
    MCAP_HEADER = 1,
    MCAP_FOOTER = 2,
    MCAP_SCHEMA = 3,
    MCAP_CHANNEL = 4,
    MCAP_MESSAGE = 5,
    MCAP_CHUNK = 6,
    MCAP_MESSAGE_INDEX = 7,
    MCAP_CHUNK_INDEX = 8,
    MCAP_STATISTICS = 11,
    MCAP_METADATA = 12,
    MCAP_METADATA_INDEX = 13,
    MCAP_SUMMARY_OFFSET = 14,
    MCAP_DATA_END = 15,
    MCAP_ASIDE = 0x80 /* the first that the format leaves to others; never in a file */
};

enum {
    MCAP_HEAD = 9,                           /* opcode and length */
    MCAP_MESSAGE_HEAD = MCAP_HEAD + 22,      /* a message's bytes before its data */
    MCAP_MESSAGE_INDEX_HEAD = MCAP_HEAD + 6, /* a message index's before its entries */
    MCAP_MESSAGE_INDEX_ENTRY = 16
};

/* Begins a record; returns its place in `out`, for record_end(). */
size_t record_begin(struct buffer *out, enum mcap_opcode opcode);
void record_end(struct buffer *out, size_t begin);

void record_u8(struct buffer *out, unsigned number);
void record_u16(struct buffer *out, unsigned number);
void record_u32(struct buffer *out, uint32_t number);
void record_u64(struct buffer *out, uint64_t number);
void record_bytes(struct buffer *out, const char *bytes, size_t length);
void record_text(struct buffer *out, const char *text);

static inline void store_u16(char *at, unsigned number)
{
    at[0] = (char)number;
    at[1] = (char)(number >> 8);
}

static inline unsigned load_u16(const char *at)
{
    return (unsigned char)at[0] | (unsigned)(unsigned char)at[1] << 8;
}

/* Messages in memory until they are a chunk, and the chunk as bytes. */

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
