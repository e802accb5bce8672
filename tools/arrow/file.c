#define _POSIX_C_SOURCE 200809L /* strdup */
#include "arrow.h"

#include <inttypes.h>

#include "array.h"
#include "base/numbers/byte_order.h"
#include "base/process/message.h"
#include "base/text/names_apart.h"
#include "field.h"

/* A batch has this many rows at most, and its values this many bytes; texts as many again. */
enum { BATCH_ROWS = 65536, BATCH_BYTES = 8 << 20 };
/* Of union MessageHeader in Message.fbs; of enum MetadataVersion in Schema.fbs. */
enum { SCHEMA = 1, DICTIONARY_BATCH = 2, RECORD_BATCH = 3, METADATA_V5 = 4 };
enum { PREFIX_BYTES = 8, BLOCK_BYTES = 24 };
#define CONTINUATION 0xffffffffu

static const char magic[] = "ARROW1", magic_aligned[8] = "ARROW1";

struct arrow_file {
    struct column_file base;
    bool is_stream;
    struct arrow_field *fields;
    size_t count;
    struct names_apart names; /* none once the file is open */
    struct buffer texts;      /* names of the fields, with NUL; the same */
    /* Keys and values of the fields' notes and of the schema's, with NUL; the same. */
    struct buffer field_notes, notes;
    size_t note_count;
    uint64_t schema; /* its place in the spool */
    size_t schema_bytes, schema_table;
    struct buffer dictionary_blocks, batch_blocks; /* of a file: where messages are */
    struct buffer scratch, bytes;                  /* none between two batches */
};

static struct arrow_file *file_of(struct column_file *base)
{
    return (struct arrow_file *)base;
}

static void free_dictionary(struct arrow_dictionary *dictionary)
{
    for (size_t i = 0; dictionary && i < dictionary->count; i++)
        free(dictionary->words[i]);
    if (!dictionary)
        return;
    free(dictionary->words);
    free(dictionary->field);
    free(dictionary->numbers.data);
    free(dictionary->present.data);
    free(dictionary);
}

static void free_bytes(struct arrow_file *file)
{
    free(file->scratch.data);
    free(file->bytes.data);
    file->scratch = file->bytes = (struct buffer){0};
}

static void free_file(struct column_file *base)
{
    struct arrow_file *file = file_of(base);
    struct buffer *const buffers[] = {&file->texts, &file->field_notes, &file->notes, &file->dictionary_blocks,
                                      &file->batch_blocks};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        free(buffers[i]->data);
    for (size_t i = 0; i < file->count; i++)
        free_dictionary(file->fields[i].dictionary);
    free_bytes(file);
    names_apart_free(&file->names);
    free(file->fields);
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* 0, or -1 without memory. */
static int take_name(struct arrow_file *file, const char *name, size_t length)
{
    char *taken = malloc(length + 1 + NAMES_APART_ROOM);
    if (!taken)
        return -1;
    memcpy(taken, name, length);
    taken[length] = '\0';
    int outcome = names_apart_take(&file->names, taken, SIZE_MAX);
    if (outcome == 0)
        buffer_put(&file->texts, taken, strlen(taken) + 1);
    free(taken);
    return outcome;
}

static int begin_field(struct arrow_file *file, enum arrow_type type, size_t columns, bool is_list)
{
    if (!MAKE_ROOM(file->fields, file->count))
        return -1;
    file->fields[file->count++] = (struct arrow_field){
        .type = type, .first = file->base.table.column_count, .columns = columns, .is_list = is_list};
    for (size_t i = 0; i < columns; i++)
        if (column_table_add_column(&file->base.table, arrow_type_row(type)->width) != 0)
            return -1;
    return 0;
}

void arrow_file_add_field(struct column_file *base, const char *name, size_t length, enum arrow_type type,
                          size_t columns, bool is_list)
{
    struct arrow_file *file = file_of(base);
    if (take_name(file, name, length) != 0 || begin_field(file, type, columns, is_list) != 0)
        file->base.failed = true;
}

static struct arrow_dictionary *new_dictionary(const struct arrow_file *file)
{
    struct arrow_dictionary *dictionary = calloc(1, sizeof *dictionary);
    if (!dictionary)
        return NULL;
    const char *name = file->texts.data;
    for (size_t i = 0; i + 1 < file->count; i++)
        name += strlen(name) + 1;
    dictionary->id = (int64_t)file->count;
    dictionary->field = strdup(name);
    return dictionary;
}

void arrow_file_add_word(struct column_file *base, const char *word)
{
    struct arrow_file *file = file_of(base);
    struct arrow_field *field = file->base.failed || file->texts.failed ? NULL : &file->fields[file->count - 1];
    if (field && !field->dictionary)
        field->dictionary = new_dictionary(file);
    struct arrow_dictionary *dictionary = field ? field->dictionary : NULL;
    file->base.failed = file->base.failed || !dictionary || !dictionary->field;
    for (size_t i = 0; !file->base.failed && i < dictionary->count; i++)
        if (strcmp(dictionary->words[i], word) == 0)
            return;
    if (file->base.failed || !MAKE_ROOM(dictionary->words, dictionary->count) ||
        !(dictionary->words[dictionary->count] = strdup(word)))
        file->base.failed = true;
    else
        dictionary->count++;
}

static void take_note(struct buffer *notes, const char *key, const char *text, size_t length)
{
    buffer_put(notes, key, strlen(key) + 1);
    buffer_put(notes, text, length);
    buffer_char(notes, '\0');
}

void arrow_file_add_field_note(struct column_file *base, const char *key, const char *text, size_t length)
{
    struct arrow_file *file = file_of(base);
    if (file->base.failed)
        return;
    take_note(&file->field_notes, key, text, length);
    file->fields[file->count - 1].notes++;
}

void arrow_file_add_note(struct column_file *base, const char *key, const char *text, size_t length)
{
    struct arrow_file *file = file_of(base);
    take_note(&file->notes, key, text, length);
    file->note_count++;
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static int write_bytes(struct arrow_file *file, const char *bytes, size_t length)
{
    return column_file_write(&file->base, bytes, length);
}

/* Begins the metadata of a message: its table, whose header is of that kind. Returns where to point it to. */
static size_t begin_message(struct buffer *out, unsigned kind, uint64_t body)
{
    static const unsigned char sizes[] = {2, 1, FLAT_OFFSET, 8};
    flat_begin(out);
    struct flat_table table = flat_table(out, sizes, sizeof sizes);
    flat_point(out, 0, table.at);
    flat_set(out, table.slot[0], METADATA_V5, 2);
    flat_set(out, table.slot[1], kind, 1);
    flat_set(out, table.slot[3], body, 8);
    return table.slot[2];
}

/* Writes metadata with what precedes them; *bytes becomes the length of both. */
static int write_metadata(struct arrow_file *file, struct buffer *metadata, size_t *bytes)
{
    char prefix[PREFIX_BYTES];
    flat_align(metadata, FLAT_ALIGNMENT);
    if (metadata->failed || metadata->length > INT32_MAX)
        return message_no_memory();
    le32_store(prefix, CONTINUATION);
    le32_store(prefix + sizeof(uint32_t), (uint32_t)metadata->length);
    *bytes = sizeof prefix + metadata->length;
    return write_bytes(file, prefix, sizeof prefix) == 0 ? write_bytes(file, metadata->data, metadata->length) : -1;
}

/* A table RecordBatch. */
static size_t put_batch(struct buffer *out, size_t rows, const struct arrow_body *body)
{
    static const unsigned char sizes[] = {8, FLAT_OFFSET, FLAT_OFFSET};
    const struct buffer *const parts[] = {&body->nodes, &body->buffers};
    struct flat_table table = flat_table(out, sizes, sizeof sizes);
    flat_set(out, table.slot[0], rows, 8);
    for (size_t i = 0; i < 2; i++) {
        flat_point(out, table.slot[i + 1], flat_structs(out, parts[i]->length / (2 * sizeof(uint64_t))));
        buffer_put(out, parts[i]->data, parts[i]->length);
    }
    return table.at;
}

static void put_block(const struct arrow_file *file, uint64_t offset, size_t metadata, uint64_t body,
                      struct buffer *out)
{
    char block[BLOCK_BYTES] = {0};
    le64_store(block, offset);
    le32_store(block + 8, (uint32_t)metadata);
    le64_store(block + 16, body);
    if (!file->is_stream)
        buffer_put(out, block, sizeof block);
}

/* ---- the schema -------------------------------------------------------------------------------------------------- */

/* A table Schema with all that it points to. Returns its place. */
static size_t put_schema(const struct arrow_file *file, struct buffer *out)
{
    static const unsigned char sizes[] = {2, FLAT_OFFSET, FLAT_OFFSET};
    const char *name = file->texts.data, *of_fields = file->field_notes.data, *notes = file->notes.data;
    struct flat_table table = flat_table(out, sizes, sizeof sizes);
    size_t fields = flat_offsets(out, file->count);
    flat_point(out, table.slot[1], fields);
    for (size_t i = 0; i < file->count; i++, name += strlen(name) + 1)
        flat_point(out, flat_offset(fields, i), arrow_put_field(out, &file->fields[i], name, &of_fields));
    arrow_put_notes(out, table.slot[2], file->note_count, &notes);
    flat_align(out, FLAT_ALIGNMENT);
    return table.at;
}

/* Appends the schema, whose bytes are given, and points to it. */
static void put_schema_bytes(struct buffer *out, size_t slot, const char *schema, size_t length, size_t table)
{
    flat_align(out, FLAT_ALIGNMENT);
    flat_point(out, slot, out->length + table);
    buffer_put(out, schema, length);
}

static int write_schema(struct arrow_file *file)
{
    struct buffer schema = {0};
    size_t bytes;
    file->schema_table = put_schema(file, &schema);
    file->schema_bytes = schema.length;
    if (schema.failed || file->base.failed) {
        free(schema.data);
        return message_no_memory();
    }
    int outcome = file->is_stream ? 0 : spool_put(file->base.output.spool, schema.data, schema.length, &file->schema);
    put_schema_bytes(&file->scratch, begin_message(&file->scratch, SCHEMA, 0), schema.data, schema.length,
                     file->schema_table);
    free(schema.data);
    return outcome == 0 ? write_metadata(file, &file->scratch, &bytes) : -1;
}

static int write_dictionary(struct arrow_file *file, const struct arrow_dictionary *dictionary)
{
    static const unsigned char sizes[] = {8, FLAT_OFFSET};
    struct arrow_body body = {0};
    struct buffer metadata = {0}, words = {0};
    uint64_t offset = file->base.offset;
    size_t bytes = 0;
    arrow_body_add_words(&body, dictionary);
    arrow_words_put(dictionary, &words);
    size_t header = begin_message(&metadata, DICTIONARY_BATCH, body.length);
    struct flat_table table = flat_table(&metadata, sizes, sizeof sizes);
    flat_point(&metadata, header, table.at);
    flat_set(&metadata, table.slot[0], (uint64_t)dictionary->id, 8);
    flat_point(&metadata, table.slot[1], put_batch(&metadata, dictionary->count, &body));
    bool failed = body.nodes.failed || body.buffers.failed || words.failed;
    int outcome = failed ? message_no_memory() : write_metadata(file, &metadata, &bytes);
    if (outcome == 0)
        outcome = write_bytes(file, words.data, words.length);
    put_block(file, offset, bytes, body.length, &file->dictionary_blocks);
    free(body.nodes.data);
    free(body.buffers.data);
    free(metadata.data);
    free(words.data);
    return outcome;
}

static int open_file(struct column_file *base)
{
    struct arrow_file *file = file_of(base);
    if (file->base.failed || file->texts.failed || file->field_notes.failed || file->notes.failed)
        return message_no_memory();
    if (!file->is_stream && write_bytes(file, magic_aligned, sizeof magic_aligned) != 0)
        return -1;
    if (write_schema(file) != 0)
        return -1;
    for (size_t i = 0; i < file->count; i++)
        if (file->fields[i].dictionary && write_dictionary(file, file->fields[i].dictionary) != 0)
            return -1;
    free(file->texts.data);
    free(file->field_notes.data);
    free(file->notes.data);
    file->texts = file->field_notes = file->notes = (struct buffer){0};
    names_apart_free(&file->names);
    return 0;
}

/* ---- batches ----------------------------------------------------------------------------------------------------- */

static int write_body(struct arrow_file *file)
{
    int outcome = 0;
    for (size_t i = 0; i < file->count && outcome == 0; i++) {
        file->bytes.length = 0;
        arrow_field_put(&file->fields[i], &file->base.table, &file->scratch, &file->bytes);
        outcome = file->bytes.failed || file->scratch.failed ? message_no_memory()
                                                             : write_bytes(file, file->bytes.data, file->bytes.length);
    }
    return outcome;
}

static int write_batch(struct arrow_file *file)
{
    struct arrow_body body = {0};
    struct buffer metadata = {0};
    uint64_t offset = file->base.offset;
    size_t bytes = 0;
    bool failed = false;
    for (size_t i = 0; i < file->count && !failed; i++) {
        const struct arrow_field *field = &file->fields[i];
        failed = field->dictionary && arrow_field_look_up(field, &file->base.table) != 0;
        if (!failed)
            arrow_body_add(&body, field, &file->base.table);
    }
    failed = failed || body.nodes.failed || body.buffers.failed;
    size_t header = begin_message(&metadata, RECORD_BATCH, body.length);
    flat_point(&metadata, header, put_batch(&metadata, file->base.table.rows, &body));
    int outcome = failed ? message_no_memory() : write_metadata(file, &metadata, &bytes);
    put_block(file, offset, bytes, body.length, &file->batch_blocks);
    free(body.nodes.data);
    free(body.buffers.data);
    free(metadata.data);
    return outcome == 0 ? write_body(file) : -1;
}

static int flush(struct column_file *base)
{
    int outcome = base->table.rows > 0 ? write_batch(file_of(base)) : 0;
    free_bytes(file_of(base));
    return outcome;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static void put_blocks(struct buffer *out, size_t slot, const struct buffer *blocks)
{
    flat_point(out, slot, flat_structs(out, blocks->length / BLOCK_BYTES));
    buffer_put(out, blocks->data, blocks->length);
}

static int write_footer(struct arrow_file *file)
{
    static const unsigned char sizes[] = {2, FLAT_OFFSET, FLAT_OFFSET, FLAT_OFFSET};
    struct buffer *out = &file->scratch;
    char *schema = malloc(file->schema_bytes + 1), length[sizeof(uint32_t)];
    if (!schema || spool_get(file->base.output.spool, file->schema, schema, file->schema_bytes) != 0) {
        int outcome = schema ? -1 : message_no_memory();
        free(schema);
        return outcome;
    }
    flat_begin(out);
    struct flat_table table = flat_table(out, sizes, sizeof sizes);
    flat_point(out, 0, table.at);
    flat_set(out, table.slot[0], METADATA_V5, 2);
    put_schema_bytes(out, table.slot[1], schema, file->schema_bytes, file->schema_table);
    put_blocks(out, table.slot[2], &file->dictionary_blocks);
    put_blocks(out, table.slot[3], &file->batch_blocks);
    flat_align(out, FLAT_ALIGNMENT);
    free(schema);
    if (out->failed || file->dictionary_blocks.failed || file->batch_blocks.failed || out->length > INT32_MAX)
        return message_no_memory();
    le32_store(length, (uint32_t)out->length);
    return write_bytes(file, out->data, out->length) == 0 && write_bytes(file, length, sizeof length) == 0
               ? write_bytes(file, magic, strlen(magic))
               : -1;
}

static void warn_strangers(const struct arrow_dictionary *dictionary, const char *name)
{
    if (dictionary && dictionary->strangers > 0)
        message_warning("%s: %s: %" PRIu64
                        " value%s without a name became null; columns of numbers (--enums number or both) have them",
                        name, dictionary->field, dictionary->strangers, dictionary->strangers == 1 ? "" : "s");
}

static int end_file(struct column_file *base, const char *name)
{
    struct arrow_file *file = file_of(base);
    char end[PREFIX_BYTES] = {0};
    le32_store(end, CONTINUATION);
    if (write_bytes(file, end, sizeof end) != 0)
        return -1;
    for (size_t i = 0; i < file->count; i++)
        warn_strangers(file->fields[i].dictionary, name);
    return file->is_stream ? 0 : write_footer(file);
}

struct column_file *arrow_file_new(const struct column_output *output, bool is_stream)
{
    static const struct column_file_kind kind = {open_file, flush, end_file, free_file};
    struct arrow_file *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    file->base = (struct column_file){
        .kind = &kind, .output = *output, .table = {.most_rows = BATCH_ROWS, .most_bytes = BATCH_BYTES}};
    file->is_stream = is_stream;
    return &file->base;
}
