#include "parquet.h"

#include "base/message.h"
#include "footer.h"
#include "group.h"
#include "little_endian.h"
#include "names.h"

#define MAGIC "PAR1"

enum {
    PAGES_AT_ONCE = 32,     /* made before they are written */
    FOOTER_BYTES = 1 << 16, /* of a footer's part that is written at once */
};

struct parquet_file {
    struct parquet_options options;
    struct parquet_column *columns;
    size_t count, room; /* of columns */
    struct parquet_note *notes, **last_note;
    struct parquet_group group;
    struct parquet_run *runs; /* of the rows that are being added; one for each column */
    struct parquet_group_record *groups, **last_group;
    size_t group_count;
    uint64_t rows;   /* in all groups that are written */
    uint64_t offset; /* bytes written */
    bool failed;     /* memory ran out */
    struct parquet_page pages[PAGES_AT_ONCE];
};

static int lack_memory(void)
{
    message_no_memory();
    return -1;
}

static int write_bytes(struct parquet_file *file, const char *bytes, size_t length)
{
    file->offset += length;
    return file->options.write(file->options.user, bytes, length);
}

/* Called before the first bytes. */
static int begin(struct parquet_file *file)
{
    if (file->offset > 0)
        return 0;
    if (parquet_names_set_apart(file->columns, file->count) != 0)
        return lack_memory();
    return write_bytes(file, MAGIC, strlen(MAGIC));
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

struct parquet_file *parquet_file_new(const struct parquet_options *options)
{
    struct parquet_file *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    file->options = *options;
    file->last_note = &file->notes;
    file->last_group = &file->groups;
    return file;
}

void parquet_file_free(struct parquet_file *file)
{
    if (!file)
        return;
    for (size_t i = 0; i < file->count; i++)
        free(file->columns[i].name);
    for (struct parquet_note *note = file->notes, *next; note; note = next) {
        next = note->next;
        free(note->key);
        free(note->value);
        free(note);
    }
    for (struct parquet_group_record *group = file->groups, *next; group; group = next) {
        next = group->next;
        free(group);
    }
    for (size_t i = 0; i < PAGES_AT_ONCE; i++)
        free(file->pages[i].bytes.data);
    parquet_group_free(&file->group);
    free(file->columns);
    free(file->runs);
    free(file);
}

/* NULL without memory; the caller frees. */
static char *copy(const char *text, size_t length)
{
    char *own = malloc(length + 1);
    if (own) {
        memcpy(own, text, length);
        own[length] = '\0';
    }
    return own;
}

void parquet_file_add_note(struct parquet_file *file, const char *key, const char *value, size_t length)
{
    struct parquet_note *note = calloc(1, sizeof *note);
    file->failed = file->failed || !note;
    if (!note)
        return;
    *note = (struct parquet_note){.key = copy(key, strlen(key)), .value = copy(value, length), .length = length};
    file->failed = file->failed || !note->key || !note->value;
    *file->last_note = note;
    file->last_note = &note->next;
}

static int add_column(struct parquet_file *file, char *name, enum parquet_type type)
{
    if (file->count == file->room) {
        size_t room = 2 * file->room + 16;
        struct parquet_column *columns = realloc(file->columns, room * sizeof *columns);
        if (!columns)
            return -1;
        file->columns = columns;
        struct parquet_run *runs = realloc(file->runs, room * sizeof *runs);
        if (!runs)
            return -1;
        file->runs = runs;
        file->room = room;
    }
    if (!name || parquet_group_add_column(&file->group, type) != 0)
        return -1;
    file->columns[file->count++] = (struct parquet_column){name, type};
    return 0;
}

void parquet_file_add_column(struct parquet_file *file, const char *name, size_t length, enum parquet_type type)
{
    char *own = copy(name, length);
    if (add_column(file, own, type) == 0)
        return;
    free(own);
    file->failed = true;
}

/* ---- row groups -------------------------------------------------------------------------------------------------- */

struct packing {
    struct parquet_file *file;
    size_t first; /* column */
};

static void make_page(void *task, size_t part, struct packer_desk *desk)
{
    const struct packing *packing = task;
    struct parquet_file *file = packing->file;
    parquet_page_make(&file->pages[part], &file->group, packing->first + part, file->options.splits_bytes, desk);
}

static int write_page(struct parquet_file *file, const struct parquet_page *page, struct parquet_chunk *chunk)
{
    size_t length = page->bytes.length - page->skip;
    if (page->bytes.failed)
        return lack_memory();
    *chunk = (struct parquet_chunk){.offset = file->offset,
                                    .packed_size = (uint32_t)length,
                                    .plain_size = (uint32_t)page->plain_size,
                                    .nulls = (uint32_t)page->nulls,
                                    .has_range = page->range.is_known};
    memcpy(chunk->low, page->range.low, sizeof chunk->low);
    memcpy(chunk->high, page->range.high, sizeof chunk->high);
    return write_bytes(file, page->bytes.data + page->skip, length);
}

static int write_columns(struct parquet_file *file, struct parquet_group_record *record)
{
    for (size_t first = 0; first < file->count; first += PAGES_AT_ONCE) {
        size_t count = file->count - first < PAGES_AT_ONCE ? file->count - first : PAGES_AT_ONCE;
        struct packing packing = {file, first};
        packer_run(file->options.packer, count, make_page, &packing);
        for (size_t i = 0; i < count; i++)
            if (write_page(file, &file->pages[i], &record->chunks[first + i]) != 0)
                return -1;
    }
    return 0;
}

/* Whether the values of the first column are all present and rise. */
static bool is_sorted(const struct parquet_file *file)
{
    const struct parquet_group *group = &file->group;
    const char *values = file->count > 0 ? parquet_group_values(group, 0) : NULL;
    if (!file->options.is_sorted_by_first || !values || group->columns[0].count < group->rows ||
        parquet_type_row(group->columns[0].type)->physical != PARQUET_PHYSICAL_INT64)
        return false;
    for (size_t i = 1; i < group->rows; i++)
        if ((int64_t)le64_load(values + 8 * i) < (int64_t)le64_load(values + 8 * (i - 1)))
            return false;
    return true;
}

static int write_group(struct parquet_file *file)
{
    if (file->group.rows == 0)
        return 0;
    struct parquet_group_record *record = malloc(sizeof *record + file->count * sizeof *record->chunks);
    if (!record)
        return lack_memory();
    *record = (struct parquet_group_record){.rows = file->group.rows, .is_sorted = is_sorted(file)};
    *file->last_group = record;
    file->last_group = &record->next;
    if (begin(file) != 0 || write_columns(file, record) != 0)
        return -1;
    file->rows += record->rows;
    file->group_count++;
    parquet_group_clear(&file->group, false);
    return 0;
}

int parquet_file_rows(struct parquet_file *file, const char *rows, size_t length)
{
    if (file->failed || length == 0)
        return file->failed ? lack_memory() : 0;
    size_t count = parquet_rows_count(&rows);
    for (size_t i = 0; i < file->count; i++)
        file->runs[i] = parquet_rows_next(&rows, count, file->columns[i].type);
    for (size_t from = 0; from < count;) {
        from = parquet_group_add(&file->group, file->runs, from, count);
        if (from == SIZE_MAX)
            return lack_memory();
        if (parquet_group_is_full(&file->group) && write_group(file) != 0)
            return -1;
    }
    return 0;
}

size_t parquet_file_held(const struct parquet_file *file)
{
    return parquet_group_held(&file->group);
}

int parquet_file_ease(struct parquet_file *file)
{
    if (write_group(file) != 0)
        return -1;
    parquet_group_clear(&file->group, true);
    for (size_t i = 0; i < PAGES_AT_ONCE; i++) {
        free(file->pages[i].bytes.data);
        file->pages[i].bytes = (struct buffer){0};
    }
    return 0;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* Writes the part of a footer that is ready, if it is long enough or the last. */
static int write_part(struct parquet_file *file, struct buffer *part, bool is_last)
{
    if (part->failed)
        return lack_memory();
    if (part->length < FOOTER_BYTES && !is_last)
        return 0;
    int outcome = write_bytes(file, part->data, part->length);
    part->length = 0;
    return outcome;
}

static int write_footer(struct parquet_file *file, struct buffer *part)
{
    struct thrift thrift = {.out = part};
    const struct parquet_layout layout = {file->columns, file->count,
                                          parquet_page_codec(packer_compression(file->options.packer)),
                                          file->options.splits_bytes};
    uint64_t from = file->offset;
    size_t ordinal = 0;
    int outcome = 0;
    parquet_footer_begin(&thrift, &layout, file->rows, file->group_count);
    for (const struct parquet_group_record *group = file->groups; group && outcome == 0; group = group->next) {
        parquet_footer_group(&thrift, &layout, group, ordinal++);
        outcome = write_part(file, part, false);
    }
    parquet_footer_end(&thrift, &layout, file->notes, file->options.created_by);
    char size[sizeof(uint32_t)];
    le32_store(size, (uint32_t)(file->offset - from + part->length));
    buffer_put(part, size, sizeof size);
    buffer_string(part, MAGIC);
    return outcome == 0 ? write_part(file, part, true) : -1;
}

int parquet_file_end(struct parquet_file *file)
{
    struct buffer part = {0};
    if (file->failed)
        return lack_memory();
    if (write_group(file) != 0 || begin(file) != 0)
        return -1;
    int outcome = write_footer(file, &part);
    free(part.data);
    return outcome;
}
