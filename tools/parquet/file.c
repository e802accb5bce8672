#include "parquet.h"

#include "array.h"
#include "base/process/message.h"
#include "footer.h"
#include "base/numbers/byte_order.h"
#include "base/text/names_apart.h"

#define MAGIC "PAR1"

enum {
    PAGES_AT_ONCE = PACKER_RESULTS,
    FOOTER_BYTES = 1 << 16, /* of a footer's part that is written at once */
    /* A row group is full when it has this many rows, or its values take this many bytes. */
    GROUP_ROWS = 131072,
    GROUP_BYTES = 20 << 20,
};

/* Of many files at once most are idle: what only the footer needs is in the spool meanwhile. */
struct parquet_file {
    struct column_file base; /* its table is the row group */
    struct parquet_options options;
    struct parquet_column *columns; /* without names while the file is open */
    size_t count;                   /* of columns */
    struct buffer notes;            /* as in the footer; once the file is open, those since then */
    size_t note_count;
    uint64_t description; /* in the spool: the columns' names, each with a NUL, then the notes */
    size_t name_bytes, note_bytes;
    uint64_t *groups; /* in the spool: the record of each group that is written */
    size_t group_count;
    uint64_t rows; /* in all of them */
};

static struct parquet_file *file_of(struct column_file *base)
{
    return (struct parquet_file *)base;
}

static int write_bytes(struct parquet_file *file, const char *bytes, size_t length)
{
    return column_file_write(&file->base, bytes, length);
}

/* Called before the first bytes. */
static int begin_file(struct parquet_file *file)
{
    return file->base.offset == 0 ? write_bytes(file, MAGIC, strlen(MAGIC)) : 0;
}

static size_t record_size(const struct parquet_file *file)
{
    return sizeof(struct parquet_group_record) + file->count * sizeof(struct parquet_chunk);
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static void free_names(struct parquet_file *file)
{
    for (size_t i = 0; i < file->count; i++) {
        free(file->columns[i].name);
        file->columns[i].name = NULL;
    }
}

static void free_file(struct column_file *base)
{
    struct parquet_file *file = file_of(base);
    free_names(file);
    free(file->columns);
    free(file->notes.data);
    free(file->groups);
}

void parquet_file_add_note(struct column_file *base, const char *key, const char *value, size_t length)
{
    struct parquet_file *file = file_of(base);
    struct thrift thrift = {.out = &file->notes};
    parquet_footer_note(&thrift, key, value, length);
    file->note_count++;
}

static int add_column(struct parquet_file *file, const char *name, size_t length, enum parquet_type type)
{
    if (!MAKE_ROOM(file->columns, file->count))
        return -1;
    struct parquet_column *column = &file->columns[file->count];
    *column = (struct parquet_column){.name = malloc(length + NAMES_APART_ROOM), .type = type};
    if (!column->name || column_table_add_column(&file->base.table, parquet_type_row(type)->width) != 0) {
        free(column->name);
        return -1;
    }
    memcpy(column->name, name, length);
    column->name[length] = '\0';
    file->count++;
    return 0;
}

void parquet_file_add_column(struct column_file *base, const char *name, size_t length, enum parquet_type type)
{
    struct parquet_file *file = file_of(base);
    if (add_column(file, name, length, type) != 0)
        file->base.failed = true;
}

int parquet_names_set_apart(struct parquet_column *columns, size_t count)
{
    struct names_apart names = {.ignores_case = true};
    int outcome = 0;
    for (size_t i = 0; i < count && outcome == 0; i++)
        outcome = names_apart_take(&names, columns[i].name, SIZE_MAX);
    names_apart_free(&names);
    return outcome;
}

static int open_file(struct column_file *base)
{
    struct parquet_file *file = file_of(base);
    struct buffer text = {0};
    if (file->base.failed || parquet_names_set_apart(file->columns, file->count) != 0)
        return message_no_memory();
    for (size_t i = 0; i < file->count; i++)
        buffer_put(&text, file->columns[i].name, strlen(file->columns[i].name) + 1);
    file->name_bytes = text.length;
    file->note_bytes = file->notes.length;
    buffer_put(&text, file->notes.data, file->notes.length);
    bool failed = text.failed || file->notes.failed;
    int outcome =
        failed ? message_no_memory() : spool_put(file->base.output.spool, text.data, text.length, &file->description);
    free(text.data);
    free(file->notes.data);
    file->notes = (struct buffer){0};
    free_names(file);
    return outcome;
}

/* ---- row groups -------------------------------------------------------------------------------------------------- */

struct packing {
    struct parquet_file *file;
    size_t first; /* column */
    struct parquet_page pages[PAGES_AT_ONCE];
};

static void make_page(void *task, size_t part, struct packer_desk *desk)
{
    struct packing *packing = task;
    struct parquet_file *file = packing->file;
    size_t column = packing->first + part;
    parquet_page_make(&packing->pages[part], &file->base.table, column, file->columns[column].type,
                      file->options.splits_bytes, desk);
}

static int write_page(struct parquet_file *file, const struct parquet_page *page, struct parquet_chunk *chunk)
{
    size_t length = page->bytes->length - page->skip;
    if (page->bytes->failed)
        return message_no_memory();
    *chunk = (struct parquet_chunk){.offset = file->base.offset,
                                    .packed_size = (uint32_t)length,
                                    .plain_size = (uint32_t)page->plain_size,
                                    .nulls = (uint32_t)page->nulls,
                                    .has_range = page->range.is_known};
    memcpy(chunk->low, page->range.low, sizeof chunk->low);
    memcpy(chunk->high, page->range.high, sizeof chunk->high);
    return write_bytes(file, page->bytes->data + page->skip, length);
}

static int write_columns(struct parquet_file *file, struct parquet_group_record *record)
{
    struct packing packing = {.file = file};
    for (size_t i = 0; i < PAGES_AT_ONCE; i++)
        packing.pages[i].bytes = &packer_results(file->options.packer)[i];
    for (; packing.first < file->count; packing.first += PAGES_AT_ONCE) {
        size_t rest = file->count - packing.first, count = rest < PAGES_AT_ONCE ? rest : PAGES_AT_ONCE;
        packer_run(file->options.packer, count, make_page, &packing);
        for (size_t i = 0; i < count; i++)
            if (write_page(file, &packing.pages[i], &record->chunks[packing.first + i]) != 0)
                return -1;
        if (packing.first == 0)
            record->is_sorted =
                file->options.is_sorted_by_first && packing.pages[0].range.rises && packing.pages[0].nulls == 0;
    }
    return 0;
}

/* Sets the record of a group aside. */
static int keep_record(struct parquet_file *file, const struct parquet_group_record *record)
{
    if (!MAKE_ROOM(file->groups, file->group_count))
        return message_no_memory();
    return spool_put(file->base.output.spool, record, record_size(file), &file->groups[file->group_count++]);
}

static int flush(struct column_file *base)
{
    struct parquet_file *file = file_of(base);
    if (base->table.rows == 0)
        return 0;
    struct parquet_group_record *record = calloc(1, record_size(file));
    if (!record)
        return message_no_memory();
    record->rows = file->base.table.rows;
    int outcome = begin_file(file);
    if (outcome == 0)
        outcome = write_columns(file, record);
    if (outcome == 0)
        outcome = keep_record(file, record);
    free(record);
    file->rows += file->base.table.rows;
    column_table_clear(&file->base.table, false);
    return outcome;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* Writes the part of a footer that is ready, if it is long enough or the last. */
static int write_part(struct parquet_file *file, struct buffer *part, bool is_last)
{
    if (part->failed)
        return message_no_memory();
    if (part->length < FOOTER_BYTES && !is_last)
        return 0;
    int outcome = write_bytes(file, part->data, part->length);
    part->length = 0;
    return outcome;
}

/* The columns get the names that follow one another in `names`; NULL: none. */
static void lend_names(struct parquet_file *file, char *names)
{
    for (size_t i = 0; i < file->count; i++) {
        file->columns[i].name = names;
        if (names)
            names += strlen(names) + 1;
    }
}

static int write_groups(struct parquet_file *file, const struct parquet_layout *layout, struct thrift *thrift)
{
    int outcome = 0;
    struct parquet_group_record *record = malloc(record_size(file));
    if (!record)
        return message_no_memory();
    for (size_t i = 0; i < file->group_count && outcome == 0; i++) {
        outcome = spool_get(file->base.output.spool, file->groups[i], record, record_size(file));
        if (outcome == 0) {
            parquet_footer_group(thrift, layout, record, i);
            outcome = write_part(file, thrift->out, false);
        }
    }
    free(record);
    return outcome;
}

/* `description` is what the spool has, and the later notes. */
static int write_footer(struct parquet_file *file, char *description, struct buffer *part)
{
    struct thrift thrift = {.out = part};
    const struct parquet_layout layout = {file->columns, file->count,
                                          parquet_page_codec(packer_compression(file->options.packer)),
                                          file->options.splits_bytes};
    const struct parquet_notes notes = {description + file->name_bytes, file->note_bytes + file->notes.length,
                                        file->note_count};
    uint64_t from = file->base.offset;
    lend_names(file, description);
    parquet_footer_begin(&thrift, &layout, file->rows, file->group_count);
    int outcome = write_groups(file, &layout, &thrift);
    parquet_footer_end(&thrift, &layout, &notes, file->options.created_by);
    lend_names(file, NULL);
    char size[sizeof(uint32_t)];
    le32_store(size, (uint32_t)(file->base.offset - from + part->length));
    buffer_put(part, size, sizeof size);
    buffer_string(part, MAGIC);
    return outcome == 0 ? write_part(file, part, true) : -1;
}

static int end_file(struct column_file *base, const char *name)
{
    struct parquet_file *file = file_of(base);
    struct buffer part = {0};
    size_t length = file->name_bytes + file->note_bytes;
    (void)name;
    if (begin_file(file) != 0)
        return -1;
    char *description = file->notes.failed ? NULL : malloc(length + file->notes.length + 1);
    int outcome =
        description ? spool_get(file->base.output.spool, file->description, description, length) : message_no_memory();
    if (outcome == 0 && file->notes.length > 0)
        memcpy(description + length, file->notes.data, file->notes.length);
    if (outcome == 0)
        outcome = write_footer(file, description, &part);
    free(description);
    free(part.data);
    return outcome;
}

struct column_file *parquet_file_new(const struct column_output *output, const struct parquet_options *options)
{
    static const struct column_file_kind kind = {open_file, flush, end_file, free_file};
    struct parquet_file *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    file->base = (struct column_file){
        .kind = &kind, .output = *output, .table = {.most_rows = GROUP_ROWS, .most_bytes = GROUP_BYTES}};
    file->options = *options;
    return &file->base;
}
