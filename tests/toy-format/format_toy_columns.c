/* A binary format of columns with the features of Parquet and MCAP: declared tables, groups of columns with presence
 * bits, an index of their offsets after them, and with --dialect sealed a count at the start that is known only at the
 * end.
 *
 *   file    magic, u64 rows and u64 offset of the index (0 unless sealed), tables and batches, index
 *   table   'T', u32 number, u32 columns; for each u8 type, u32 length, name
 *   batch   'B', u32 number of its table, u64 rows, then i64 time of each; for each column the presence words, the
 *           values (for a text u32 place, u32 length); then u64 length of the texts, and the texts
 *   index   'I', u64 batches; for each u64 offset, u64 rows; u64 offset of the index, magic
 *
 * Numbers are in the machine's byte order. */
#define _POSIX_C_SOURCE 200809L
#include "export/formats/format.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/process/message.h"

#define MAGIC "TOYCOLS"
#define MAGIC_SIZE 8u
#define NO_TABLE UINT64_MAX

struct state {
    uint64_t *tables; /* the numbers that have begun, by their numbers in the file */
    size_t count;
    uint64_t rows, batches;
    struct buffer index;
};

static void put(struct buffer *out, const void *bytes, size_t length)
{
    buffer_put(out, bytes, length);
}

static void put_u32(struct buffer *out, size_t number)
{
    uint32_t word = (uint32_t)number;
    put(out, &word, sizeof word);
}

static void put_u64(struct buffer *out, uint64_t number)
{
    put(out, &number, sizeof number);
}

static uint64_t number_of(const struct view *view)
{
    return view->table ? view->table->number : NO_TABLE;
}

static int add_table(struct state *state, const struct view *view)
{
    uint64_t *tables = realloc(state->tables, (state->count + 1) * sizeof *tables);
    if (!tables) {
        message_no_memory();
        return -1;
    }
    state->tables = tables;
    tables[state->count++] = number_of(view);
    return 0;
}

static void declare(struct state *state, const struct columns *columns, struct buffer *out)
{
    buffer_char(out, 'T');
    put_u32(out, state->count - 1);
    put_u32(out, columns->count);
    for (size_t i = 0; i < columns->count; i++) {
        struct buffer name = {0};
        column_name(&columns->column[i], &name);
        buffer_char(out, (char)columns->column[i].type);
        put_u32(out, name.length);
        put(out, name.data, name.length);
        out->failed = out->failed || name.failed;
        free(name.data);
    }
}

static int columns_begin(struct target *target, const struct view *view, struct buffer *out)
{
    struct columns columns = {0};
    if (!target->state) {
        target->state = calloc(1, sizeof(struct state));
        put(out, MAGIC, MAGIC_SIZE);
        put_u64(out, 0);
        put_u64(out, 0);
    }
    if (!target->state || columns_gather(&columns, view, NULL, 0) != 0) {
        columns_free(&columns);
        message_no_memory();
        return -1;
    }
    int outcome = add_table(target->state, view);
    if (outcome == 0)
        declare(target->state, &columns, out);
    columns_free(&columns);
    return outcome;
}

static int columns_rows(const struct row_batch *batch, struct buffer *out)
{
    const struct columns *columns = batch->columns;
    put_u64(out, batch->count);
    for (size_t i = 0; i < batch->count; i++)
        put(out, &batch->rows[i].where.time, sizeof batch->rows[i].where.time);
    for (size_t i = 0; i < columns->count; i++) {
        put(out, columns->column[i].present, (batch->count + 63) / 64 * sizeof(uint64_t));
        put(out, columns->column[i].u64, batch->count * sizeof(uint64_t));
    }
    put_u64(out, columns->texts.length);
    put(out, columns->texts.data, columns->texts.length);
    return out->failed ? -1 : 0;
}

static int columns_place(struct target *target, const struct view *view, const char *bytes, size_t length,
                         struct buffer *out)
{
    struct state *state = target->state;
    size_t number = 0;
    uint64_t rows;
    while (state->tables[number] != number_of(view))
        number++;
    memcpy(&rows, bytes, sizeof rows);
    state->rows += rows;
    state->batches++;
    put_u64(&state->index, target->offset);
    put_u64(&state->index, rows);
    buffer_char(out, 'B');
    put_u32(out, number);
    put(out, bytes, length);
    return 0;
}

/* Writes the numbers at the start of the file, which are known only at its end. */
static int seal(const char *path, uint64_t rows, uint64_t offset)
{
    uint64_t words[] = {rows, offset};
    int file = open(path, O_WRONLY | O_CLOEXEC);
    bool failed = file < 0 || lseek(file, MAGIC_SIZE, SEEK_SET) < 0;
    for (size_t done = 0; !failed && done < sizeof words;) {
        ssize_t written = write(file, (const char *)words + done, sizeof words - done);
        failed = written < 0;
        done += failed ? 0 : (size_t)written;
    }
    if (failed)
        message_error("%s: cannot be written: %s", path, strerror(errno));
    if (file >= 0)
        close(file);
    return failed ? -1 : 0;
}

static int columns_end(struct target *target, struct buffer *out)
{
    struct state *state = target->state;
    uint64_t offset = target->offset;
    if (!state)
        return 0;
    buffer_char(out, 'I');
    put_u64(out, state->batches);
    put(out, state->index.data, state->index.length);
    put_u64(out, offset);
    put(out, MAGIC, MAGIC_SIZE);
    out->failed = out->failed || state->index.failed;
    return target->path ? seal(target->path, state->rows, offset) : 0;
}

static void columns_forget(struct target *target)
{
    struct state *state = target->state;
    if (!state)
        return;
    free(state->tables);
    free(state->index.data);
    free(state);
}

#define WRITER                                                                                                         \
    {                                                                                                                  \
        .begin = columns_begin, .rows = columns_rows, .place = columns_place, .end = columns_end,                      \
        .forget = columns_forget                                                                                       \
    }
const struct writer writer_toy_columns = WRITER;
const struct writer writer_toy_columns_all = WRITER;
const struct writer writer_toy_columns_sealed = WRITER;
