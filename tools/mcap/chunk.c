#include "record.h"

#include "base/bytes/checksum.h"
#include "base/numbers/byte_order.h"

void chunk_clear(struct chunk *chunk)
{
    chunk->bytes.length = 0;
    chunk->first = chunk->last = 0;
    chunk->channels.length = 0;
}

void chunk_free(struct chunk *chunk)
{
    free(chunk->bytes.data);
    free(chunk->channels.data);
    *chunk = (struct chunk){0};
}

/* ---- the index of messages --------------------------------------------------------------------------------------- */

size_t chunk_index_length(const struct chunk_channel *channel)
{
    return MCAP_MESSAGE_INDEX_HEAD + (size_t)channel->messages * MCAP_MESSAGE_INDEX_ENTRY;
}

/* By channel id: where its next entry goes, as an offset. NULL without memory. */
static uint64_t *make_cursors(const struct chunk *chunk, struct buffer *notes)
{
    const struct chunk_channel *channels = chunk_channels(chunk);
    unsigned last = 0;
    for (size_t i = 0; i < chunk_channel_count(chunk); i++)
        last = channels[i].id > last ? channels[i].id : last;
    notes->length = 0;
    return (uint64_t *)(void *)buffer_room(notes, (last + 1) * sizeof(uint64_t));
}

/* Begins the record of each channel. */
static void put_heads(const struct chunk *chunk, char *at, uint64_t *cursors)
{
    const struct chunk_channel *channels = chunk_channels(chunk);
    size_t from = 0;
    for (size_t i = 0; i < chunk_channel_count(chunk); i++) {
        uint32_t bytes = channels[i].messages * MCAP_MESSAGE_INDEX_ENTRY;
        at[from] = MCAP_MESSAGE_INDEX;
        le64_store(at + from + 1, bytes + (uint64_t)(MCAP_MESSAGE_INDEX_HEAD - MCAP_HEAD));
        store_u16(at + from + MCAP_HEAD, channels[i].id);
        le32_store(at + from + MCAP_HEAD + 2, bytes);
        cursors[channels[i].id] = from + MCAP_MESSAGE_INDEX_HEAD;
        from += chunk_index_length(&channels[i]);
    }
}

static int compare_entries(const void *left, const void *right)
{
    for (size_t part = 0; part < MCAP_MESSAGE_INDEX_ENTRY; part += sizeof(uint64_t)) {
        uint64_t one = le64_load((const char *)left + part), other = le64_load((const char *)right + part);
        if (one != other)
            return one < other ? -1 : 1;
    }
    return 0;
}

static bool rises(const char *entries, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (le64_load(entries + i * MCAP_MESSAGE_INDEX_ENTRY) < le64_load(entries + (i - 1) * MCAP_MESSAGE_INDEX_ENTRY))
            return false;
    return true;
}

/* Readers expect entries by time, which may go backwards in a capture. */
static void sort_entries(const struct chunk *chunk, char *at)
{
    const struct chunk_channel *channels = chunk_channels(chunk);
    for (size_t i = 0; i < chunk_channel_count(chunk); i++) {
        char *entries = at + MCAP_MESSAGE_INDEX_HEAD;
        if (!rises(entries, channels[i].messages))
            qsort(entries, channels[i].messages, MCAP_MESSAGE_INDEX_ENTRY, compare_entries);
        at += chunk_index_length(&channels[i]);
    }
}

static void put_index(const struct chunk *chunk, struct buffer *notes, struct buffer *out)
{
    size_t length = 0;
    for (size_t i = 0; i < chunk_channel_count(chunk); i++)
        length += chunk_index_length(&chunk_channels(chunk)[i]);
    uint64_t *cursors = make_cursors(chunk, notes);
    char *at = buffer_room(out, length);
    if (!cursors || !at) {
        out->failed = true;
        return;
    }
    put_heads(chunk, at, cursors);
    for (size_t from = 0; from < chunk->bytes.length;) {
        const char *record = chunk->bytes.data + from;
        if (*record == MCAP_MESSAGE) {
            uint64_t *cursor = &cursors[load_u16(record + MCAP_HEAD)];
            le64_store(at + *cursor, le64_load(record + MCAP_HEAD + 6));
            le64_store(at + *cursor + sizeof(uint64_t), from);
            *cursor += MCAP_MESSAGE_INDEX_ENTRY;
        }
        from += MCAP_HEAD + (size_t)le64_load(record + 1);
    }
    sort_entries(chunk, at);
    out->length += length;
}

/* ---- the chunk --------------------------------------------------------------------------------------------------- */

void chunk_pack(const struct chunk *chunk, enum compression compression, struct packer_desk *desk, struct buffer *out,
                struct chunk_place *place)
{
    const char *name = compression == COMPRESSION_NONE ? "" : compression_name(compression);
    size_t begin = record_begin(out, MCAP_CHUNK);
    record_u64(out, chunk->first);
    record_u64(out, chunk->last);
    record_u64(out, chunk->bytes.length);
    record_u32(out, checksum(CHECKSUM_BEGIN, chunk->bytes.data, chunk->bytes.length));
    record_text(out, name);
    record_u64(out, 0);
    size_t packed = out->length;
    compressor_pack(desk->compressor, COMPRESSION_FRAMED, chunk->bytes.data, chunk->bytes.length, out);
    if (out->failed)
        return;
    le64_store(out->data + packed - sizeof(uint64_t), out->length - packed);
    record_end(out, begin);
    *place = (struct chunk_place){.length = out->length - begin, .packed_length = out->length - packed};
    put_index(chunk, &desk->notes, out);
    if (!out->failed)
        place->crc = checksum(CHECKSUM_BEGIN, out->data + begin, out->length - begin);
}
