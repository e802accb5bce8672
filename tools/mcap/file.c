#include "mcap.h"

#include "array.h"
#include "base/bytes/checksum.h"
#include "base/numbers/byte_order.h"
#include "base/process/message.h"
#include "record.h"

enum {
    CHUNKS_AT_ONCE = 8,    /* at most, that are compressed at the same time */
    WRITE_BYTES = 1 << 16, /* of the summary that are written at once */
};

/* What the summary repeats, in the spool. */
struct kept {
    uint64_t place;
    uint64_t length;
};
enum kept_kind { KEPT_SCHEMAS, KEPT_CHANNELS, KEPT_CHUNK_INDEXES, KEPT_METADATA, KEPT_METADATA_INDEXES, KEPT_KINDS };
struct kept_list {
    struct kept *kept;
    size_t count;
};

/* A channel, by id - 1. */
struct channel {
    uint64_t messages;
    uint64_t chunk;  /* number of the last one that has a message of it */
    size_t in_chunk; /* its place there */
};

struct mcap_file {
    struct mcap_options options;
    uint64_t offset; /* bytes written */
    uint32_t crc;    /* of the data section, or of the summary */
    struct buffer record;
    struct buffer index; /* of a chunk */
    struct kept_list kept[KEPT_KINDS];
    struct channel *channels;
    struct chunk chunks[CHUNKS_AT_ONCE]; /* the last of them gets messages */
    size_t chunk_count;
    size_t chunks_at_once; /* with one thread, one that is still in its cache */
    uint64_t chunk_number; /* of all so far */
    struct mcap_counts counts;
};

/* Writes bytes whose checksum is known. */
static int write_summed(struct mcap_file *file, const char *bytes, size_t length, uint32_t crc)
{
    file->crc = checksum_join(file->crc, crc, length);
    file->offset += length;
    return file->options.write(file->options.user, bytes, length);
}

static int write_bytes(struct mcap_file *file, const char *bytes, size_t length)
{
    file->crc = checksum(file->crc, bytes, length);
    file->offset += length;
    return file->options.write(file->options.user, bytes, length);
}

/* Empties a buffer that is used now and then: of many files most are idle. */
static void put_away(struct buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct buffer){0};
}

/* Writes what was collected in file->record. */
static int write_record(struct mcap_file *file)
{
    int outcome = file->record.failed ? message_no_memory() : write_bytes(file, file->record.data, file->record.length);
    file->record.length = 0;
    return outcome;
}

static int keep(struct mcap_file *file, enum kept_kind kind, const char *bytes, size_t length)
{
    struct kept_list *list = &file->kept[kind];
    if (!MAKE_ROOM(list->kept, list->count))
        return message_no_memory();
    struct kept *one = &list->kept[list->count++];
    one->length = length;
    return spool_put(file->options.spool, bytes, length, &one->place);
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

struct mcap_file *mcap_file_new(const struct mcap_options *options)
{
    struct mcap_file *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    size_t threads = options->is_alone ? packer_threads(options->packer) : 1, wanted = threads == 1 ? 1 : 2 * threads;
    file->options = *options;
    file->chunks_at_once = wanted < CHUNKS_AT_ONCE ? wanted : CHUNKS_AT_ONCE;
    return file;
}

void mcap_file_free(struct mcap_file *file)
{
    if (!file)
        return;
    for (size_t i = 0; i < CHUNKS_AT_ONCE; i++)
        chunk_free(&file->chunks[i]);
    for (size_t i = 0; i < KEPT_KINDS; i++)
        free(file->kept[i].kept);
    free(file->channels);
    free(file->record.data);
    free(file->index.data);
    free(file);
}

int mcap_file_open(struct mcap_file *file)
{
    buffer_string(&file->record, MCAP_MAGIC);
    size_t begin = record_begin(&file->record, MCAP_HEADER);
    record_text(&file->record, file->options.profile);
    record_text(&file->record, file->options.library);
    record_end(&file->record, begin);
    return write_record(file);
}

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

struct packing {
    const struct mcap_file *file;
    struct buffer *results;
    struct chunk_place places[CHUNKS_AT_ONCE];
};

static void pack(void *task, size_t part, struct packer_desk *desk)
{
    struct packing *packing = task;
    struct buffer *result = &packing->results[part];
    result->length = 0;
    result->failed = false;
    chunk_pack(&packing->file->chunks[part], packer_compression(packing->file->options.packer), desk, result,
               &packing->places[part]);
}

/* Where the message index of each channel of the chunk begins. */
static void put_index_map(struct mcap_file *file, const struct chunk *chunk, uint64_t offset)
{
    const struct chunk_channel *channels = chunk_channels(chunk);
    record_u32(&file->index, (uint32_t)(chunk_channel_count(chunk) * (sizeof(uint16_t) + sizeof(uint64_t))));
    for (size_t i = 0; i < chunk_channel_count(chunk); i++) {
        record_u16(&file->index, channels[i].id);
        record_u64(&file->index, offset);
        offset += chunk_index_length(&channels[i]);
    }
}

static int keep_chunk_index(struct mcap_file *file, const struct chunk *chunk, const struct chunk_place *place,
                            size_t index_length)
{
    struct buffer *out = &file->index;
    enum compression compression = packer_compression(file->options.packer);
    size_t begin = record_begin(out, MCAP_CHUNK_INDEX);
    record_u64(out, chunk->first);
    record_u64(out, chunk->last);
    record_u64(out, file->offset);
    record_u64(out, place->length);
    put_index_map(file, chunk, file->offset + place->length);
    record_u64(out, index_length);
    record_text(out, compression == COMPRESSION_NONE ? "" : compression_name(compression));
    record_u64(out, place->packed_length);
    record_u64(out, chunk->bytes.length);
    record_end(out, begin);
    int outcome = out->failed ? message_no_memory() : keep(file, KEPT_CHUNK_INDEXES, out->data, out->length);
    put_away(out);
    return outcome;
}

static int write_chunk(struct mcap_file *file, const struct chunk *chunk, const struct buffer *bytes,
                       const struct chunk_place *place)
{
    if (bytes->failed)
        return message_no_memory();
    if (keep_chunk_index(file, chunk, place, bytes->length - place->length) != 0)
        return -1;
    return write_summed(file, bytes->data, bytes->length, place->crc);
}

int mcap_file_flush(struct mcap_file *file)
{
    struct packing packing = {.file = file, .results = packer_results(file->options.packer)};
    int outcome = 0;
    if (file->chunk_count == 0)
        return 0;
    packer_run(file->options.packer, file->chunk_count, pack, &packing);
    for (size_t i = 0; i < file->chunk_count && outcome == 0; i++)
        outcome = write_chunk(file, &file->chunks[i], &packing.results[i], &packing.places[i]);
    for (size_t i = 0; i < file->chunk_count; i++)
        chunk_clear(&file->chunks[i]);
    file->chunk_count = 0;
    return outcome;
}

int mcap_file_ease(struct mcap_file *file)
{
    int outcome = mcap_file_flush(file);
    for (size_t i = 0; i < CHUNKS_AT_ONCE; i++)
        chunk_free(&file->chunks[i]);
    return outcome;
}

static size_t waiting(const struct mcap_file *file)
{
    size_t bytes = 0;
    for (size_t i = 0; i < file->chunk_count; i++)
        bytes += file->chunks[i].bytes.length;
    return bytes;
}

size_t mcap_file_held(const struct mcap_file *file)
{
    return file->options.is_alone ? 0 : file->chunks[0].bytes.room + file->chunks[0].channels.room;
}

/* The chunk for a record of that length; NULL after a message. */
static struct chunk *chunk_for(struct mcap_file *file, size_t length)
{
    struct chunk *chunk = file->chunk_count > 0 ? &file->chunks[file->chunk_count - 1] : NULL;
    if (chunk && chunk->bytes.length + length <= CHUNK_BYTES)
        return chunk;
    bool is_enough = file->chunk_count == file->chunks_at_once || waiting(file) >= CHUNKS_AT_ONCE * CHUNK_BYTES;
    if (is_enough && mcap_file_flush(file) != 0)
        return NULL;
    file->chunk_number++;
    return &file->chunks[file->chunk_count++];
}

/* ---- schemas, channels, metadata --------------------------------------------------------------------------------- */

void mcap_map_add(struct buffer *map, const char *key, const char *value, size_t length)
{
    record_text(map, key);
    record_bytes(map, value, length);
}

/* The next id of a kind; MCAP_NO_ID after a message. */
static unsigned next_id(const struct mcap_file *file, enum kept_kind kind, const char *what)
{
    size_t count = file->kept[kind].count;
    if (count < MCAP_IDS_MAX)
        return (unsigned)count + 1;
    message_error("the output needs more than %u %s, which one MCAP file cannot number; use --split or --stream N",
                  MCAP_IDS_MAX, what);
    return MCAP_NO_ID;
}

/* Keeps a record for the summary and puts it into the chunk, before the messages that need it. */
static int add_kept(struct mcap_file *file, enum kept_kind kind)
{
    struct buffer *record = &file->record;
    if (record->failed)
        return message_no_memory();
    struct chunk *chunk = keep(file, kind, record->data, record->length) == 0 ? chunk_for(file, record->length) : NULL;
    if (!chunk)
        return -1;
    buffer_put(&chunk->bytes, record->data, record->length);
    put_away(record);
    return chunk->bytes.failed ? message_no_memory() : 0;
}

unsigned mcap_file_add_schema(struct mcap_file *file, const struct mcap_schema *schema)
{
    unsigned id = next_id(file, KEPT_SCHEMAS, "schemas");
    if (id == MCAP_NO_ID)
        return MCAP_NO_ID;
    size_t begin = record_begin(&file->record, MCAP_SCHEMA);
    record_u16(&file->record, id);
    record_text(&file->record, schema->name);
    record_text(&file->record, schema->encoding);
    record_bytes(&file->record, schema->text, schema->length);
    record_end(&file->record, begin);
    return add_kept(file, KEPT_SCHEMAS) == 0 ? id : MCAP_NO_ID;
}

static int grow_channels(struct mcap_file *file, size_t count)
{
    if (!MAKE_ROOM(file->channels, count))
        return message_no_memory();
    file->channels[count] = (struct channel){0};
    return 0;
}

unsigned mcap_file_add_channel(struct mcap_file *file, const struct mcap_channel *channel)
{
    unsigned id = next_id(file, KEPT_CHANNELS, "channels");
    if (id == MCAP_NO_ID || grow_channels(file, id - 1) != 0)
        return MCAP_NO_ID;
    size_t begin = record_begin(&file->record, MCAP_CHANNEL);
    record_u16(&file->record, id);
    record_u16(&file->record, channel->schema);
    record_text(&file->record, channel->topic);
    record_text(&file->record, channel->encoding);
    record_bytes(&file->record, channel->metadata->data, channel->metadata->length);
    record_end(&file->record, begin);
    return add_kept(file, KEPT_CHANNELS) == 0 ? id : MCAP_NO_ID;
}

/* Writes a record of metadata and keeps its index. The name stands first in it. */
static int write_metadata(struct mcap_file *file, const char *record, size_t length)
{
    const char *name = record + MCAP_HEAD;
    struct buffer *index = &file->index;
    size_t begin = record_begin(index, MCAP_METADATA_INDEX);
    record_u64(index, file->offset);
    record_u64(index, length);
    buffer_put(index, name, sizeof(uint32_t) + le32_load(name));
    record_end(index, begin);
    int outcome = index->failed ? message_no_memory() : keep(file, KEPT_METADATA_INDEXES, index->data, index->length);
    put_away(index);
    return outcome == 0 ? write_bytes(file, record, length) : outcome;
}

int mcap_file_add_metadata(struct mcap_file *file, const char *name, const struct buffer *map)
{
    struct buffer *record = &file->record;
    size_t begin = record_begin(record, MCAP_METADATA);
    record_text(record, name);
    record_bytes(record, map->data, map->length);
    record_end(record, begin);
    int outcome = record->failed            ? message_no_memory()
                  : file->chunk_number == 0 ? write_metadata(file, record->data, record->length)
                                            : keep(file, KEPT_METADATA, record->data, record->length);
    record->length = 0;
    return outcome;
}

/* Writes what was added after the first chunk had begun: before, its place would depend on how many chunks wait. */
static int write_late_metadata(struct mcap_file *file)
{
    const struct kept_list *list = &file->kept[KEPT_METADATA];
    int outcome = 0;
    for (size_t i = 0; i < list->count && outcome == 0; i++) {
        size_t length = (size_t)list->kept[i].length;
        char *at = buffer_room(&file->record, length);
        outcome = at ? spool_get(file->options.spool, list->kept[i].place, at, length) : message_no_memory();
        outcome = outcome == 0 ? write_metadata(file, at, length) : outcome;
    }
    return outcome;
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

enum { MARK = MCAP_HEAD, MARK32 = MARK + 2, LOG_TIME = MARK32 + 4, PUBLISH_TIME = LOG_TIME + 8 };

size_t mcap_message_begin(struct buffer *out, unsigned mark, uint32_t mark32, int64_t time)
{
    size_t begin = out->length;
    char *at = buffer_room(out, MCAP_MESSAGE_HEAD);
    uint64_t ns = time < 0 ? 0 : (uint64_t)time;
    if (!at)
        return begin;
    *at = MCAP_MESSAGE;
    le64_store(at + 1, 0);
    store_u16(at + MARK, mark);
    le32_store(at + MARK32, mark32);
    le64_store(at + LOG_TIME, ns);
    le64_store(at + PUBLISH_TIME, ns);
    out->length += MCAP_MESSAGE_HEAD;
    return begin;
}

size_t mcap_aside_begin(struct buffer *out)
{
    return record_begin(out, MCAP_ASIDE);
}

void mcap_message_end(struct buffer *out, size_t begin)
{
    record_end(out, begin);
}

struct mcap_message mcap_message_at(const char *record)
{
    size_t length = (size_t)le64_load(record + 1) + MCAP_HEAD;
    if ((unsigned char)*record == MCAP_ASIDE)
        return (struct mcap_message){.is_aside = true,
                                     .record = record,
                                     .record_length = length,
                                     .data = record + MCAP_HEAD,
                                     .length = length - MCAP_HEAD};
    return (struct mcap_message){.mark = load_u16(record + MARK),
                                 .mark32 = le32_load(record + MARK32),
                                 .record = record,
                                 .record_length = length,
                                 .data = record + MCAP_MESSAGE_HEAD,
                                 .length = length - MCAP_MESSAGE_HEAD};
}

/* Counts a message of the channel in its chunk. */
static void count_in_chunk(struct mcap_file *file, struct chunk *chunk, unsigned id)
{
    struct channel *channel = &file->channels[id - 1];
    if (channel->chunk != file->chunk_number) {
        const struct chunk_channel fresh = {.id = id};
        channel->chunk = file->chunk_number;
        channel->in_chunk = chunk_channel_count(chunk);
        buffer_put(&chunk->channels, (const char *)&fresh, sizeof fresh);
    }
    if (!chunk->channels.failed)
        chunk_channels(chunk)[channel->in_chunk].messages++;
}

static void count_time(struct mcap_file *file, struct chunk *chunk, uint64_t time)
{
    bool is_first = chunk_channel_count(chunk) == 0;
    struct mcap_counts *counts = &file->counts;
    chunk->first = is_first || time < chunk->first ? time : chunk->first;
    chunk->last = is_first || time > chunk->last ? time : chunk->last;
    counts->first = counts->messages == 0 || (int64_t)time < counts->first ? (int64_t)time : counts->first;
    counts->last = counts->messages == 0 || (int64_t)time > counts->last ? (int64_t)time : counts->last;
    counts->messages++;
}

int mcap_file_message(struct mcap_file *file, unsigned channel, const struct mcap_message *message)
{
    struct chunk *chunk = chunk_for(file, message->record_length);
    if (!chunk)
        return -1;
    char *at = buffer_room(&chunk->bytes, message->record_length);
    if (!at)
        return message_no_memory();
    memcpy(at, message->record, message->record_length);
    store_u16(at + MARK, channel);
    le32_store(at + MARK32, (uint32_t)file->channels[channel - 1].messages++);
    count_time(file, chunk, le64_load(at + LOG_TIME));
    chunk->bytes.length += message->record_length;
    count_in_chunk(file, chunk, channel);
    return chunk->channels.failed ? message_no_memory() : 0;
}

struct mcap_counts mcap_file_counts(const struct mcap_file *file)
{
    return file->counts;
}

uint64_t mcap_file_channel_messages(const struct mcap_file *file, unsigned channel)
{
    return file->channels[channel - 1].messages;
}

/* ---- the summary ------------------------------------------------------------------------------------------------- */

/* A group of records of one kind in the summary. */
struct group {
    enum mcap_opcode opcode;
    uint64_t from, length;
};

static int write_kept(struct mcap_file *file, const struct kept_list *list)
{
    int outcome = 0;
    for (size_t i = 0; i < list->count && outcome == 0; i++) {
        size_t length = (size_t)list->kept[i].length;
        char *at = buffer_room(&file->record, length);
        outcome = at ? spool_get(file->options.spool, list->kept[i].place, at, length) : message_no_memory();
        file->record.length += length;
        if (outcome == 0 && file->record.length >= WRITE_BYTES)
            outcome = write_record(file);
    }
    return outcome == 0 ? write_record(file) : outcome;
}

static int write_statistics(struct mcap_file *file)
{
    struct buffer *out = &file->record;
    size_t begin = record_begin(out, MCAP_STATISTICS), channels = file->kept[KEPT_CHANNELS].count;
    record_u64(out, file->counts.messages);
    record_u16(out, (unsigned)file->kept[KEPT_SCHEMAS].count);
    record_u32(out, (uint32_t)channels);
    record_u32(out, 0); /* attachments */
    record_u32(out, (uint32_t)file->kept[KEPT_METADATA_INDEXES].count);
    record_u32(out, (uint32_t)file->kept[KEPT_CHUNK_INDEXES].count);
    record_u64(out, (uint64_t)file->counts.first);
    record_u64(out, (uint64_t)file->counts.last);
    record_u32(out, (uint32_t)(channels * (sizeof(uint16_t) + sizeof(uint64_t))));
    for (size_t i = 0; i < channels; i++) {
        record_u16(out, (unsigned)i + 1);
        record_u64(out, file->channels[i].messages);
    }
    record_end(out, begin);
    return write_record(file);
}

static int write_group(struct mcap_file *file, struct group *group)
{
    static const enum kept_kind kinds[] = {[MCAP_SCHEMA] = KEPT_SCHEMAS,
                                           [MCAP_CHANNEL] = KEPT_CHANNELS,
                                           [MCAP_CHUNK_INDEX] = KEPT_CHUNK_INDEXES,
                                           [MCAP_METADATA_INDEX] = KEPT_METADATA_INDEXES};
    group->from = file->offset;
    int outcome =
        group->opcode == MCAP_STATISTICS ? write_statistics(file) : write_kept(file, &file->kept[kinds[group->opcode]]);
    group->length = file->offset - group->from;
    return outcome;
}

/* The checksum includes the footer up to itself. */
static int write_footer(struct mcap_file *file, uint64_t summary, uint64_t offsets)
{
    struct buffer *out = &file->record;
    char crc[sizeof(uint32_t)];
    size_t begin = record_begin(out, MCAP_FOOTER);
    record_u64(out, summary);
    record_u64(out, offsets);
    record_u32(out, 0);
    record_end(out, begin);
    out->length -= sizeof crc;
    if (write_record(file) != 0)
        return -1;
    le32_store(crc, file->crc);
    buffer_put(out, crc, sizeof crc);
    buffer_string(out, MCAP_MAGIC);
    return write_record(file);
}

static int write_summary(struct mcap_file *file)
{
    struct group groups[] = {{.opcode = MCAP_SCHEMA},
                             {.opcode = MCAP_CHANNEL},
                             {.opcode = MCAP_STATISTICS},
                             {.opcode = MCAP_CHUNK_INDEX},
                             {.opcode = MCAP_METADATA_INDEX}};
    enum { GROUPS = sizeof groups / sizeof *groups };
    uint64_t summary = file->offset;
    int outcome = 0;
    file->crc = CHECKSUM_BEGIN;
    for (size_t i = 0; i < GROUPS && outcome == 0; i++)
        outcome = write_group(file, &groups[i]);
    uint64_t offsets = file->offset;
    for (size_t i = 0; i < GROUPS && outcome == 0; i++) {
        if (groups[i].length == 0)
            continue;
        size_t begin = record_begin(&file->record, MCAP_SUMMARY_OFFSET);
        record_u8(&file->record, groups[i].opcode);
        record_u64(&file->record, groups[i].from);
        record_u64(&file->record, groups[i].length);
        record_end(&file->record, begin);
    }
    return outcome == 0 ? write_footer(file, summary, offsets) : outcome;
}

int mcap_file_end(struct mcap_file *file)
{
    if (mcap_file_flush(file) != 0 || write_late_metadata(file) != 0)
        return -1;
    size_t begin = record_begin(&file->record, MCAP_DATA_END);
    record_u32(&file->record, file->crc);
    record_end(&file->record, begin);
    return write_record(file) == 0 ? write_summary(file) : -1;
}
