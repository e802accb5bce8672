#include "target.h"

#include "base/process/message.h"

/* Bytes of rows that a format may keep in memory, for all files together. */
#define HELD_MAX ((size_t)24 << 20)
/* Bytes of the file that are worth a call of the system. */
#define WRITE_BYTES ((size_t)1 << 16)

/* What target.c knows of a file. */
struct target_file {
    struct target target;
    struct targets *targets;
    struct output_file *file;
    size_t held;               /* target.held when it was last added to those of all files */
    enum sink_outcome outcome; /* of target_write_out() */
    bool has_begun;            /* a table has begun in it */
    struct buffer tables;      /* with FORMAT_ALL_TABLES: a bit for each table that has */
};

/* Marks a table as begun in a file. Returns whether it had begun before, or -1 without memory. */
static int mark(struct target_file *file, const struct table *table)
{
    bool had_begun = file->has_begun;
    file->has_begun = true;
    if (!format_has(file->targets->format, FORMAT_ALL_TABLES))
        return had_begun;
    size_t number = table ? (size_t)table->number + 1 : 0, byte = number / 8;
    unsigned bit = 1u << number % 8;
    if (byte >= file->tables.length) {
        size_t more = byte + 1 - file->tables.length;
        char *room = buffer_room(&file->tables, more);
        if (!room)
            return -1;
        memset(room, 0, more);
        file->tables.length += more;
    }
    had_begun = ((unsigned char)file->tables.data[byte] & bit) != 0;
    file->tables.data[byte] = (char)((unsigned char)file->tables.data[byte] | bit);
    return had_begun;
}

static void update(struct target_file *file)
{
    struct output_file *output = file->file;
    file->target.offset = output->flushed + output->buffer.length;
    file->target.provenance = output->provenance;
    file->target.name = sink_file_name(output->sink);
    const char *path = sink_file_path(output->sink);
    file->target.is_direct = !path;
    file->target.path = format_has(file->targets->format, FORMAT_SEEKS) ? path : NULL;
}

/* The file as the format sees it, up to date; NULL without memory. */
static struct target_file *target_of(struct targets *targets, struct output_file *output)
{
    struct target_file *file = output->target;
    if (!file) {
        file = calloc(1, sizeof *file);
        if (!file)
            return NULL;
        *file = (struct target_file){.targets = targets, .file = output};
        file->target.settings = &targets->settings;
        file->target.file = file;
        output->target = file;
    }
    update(file);
    return file;
}

static enum sink_outcome lack_memory(void)
{
    message_no_memory();
    return SINK_FAILED;
}

int target_write_out(struct target *target)
{
    struct target_file *file = target->file;
    file->outcome = output_files_flush(file->targets->files, file->file);
    update(file);
    return file->outcome == SINK_OK ? 0 : -1;
}

int target_append(struct target *target, struct buffer *out, const char *bytes, size_t length)
{
    buffer_put(out, bytes, length);
    return out->failed || out->length >= WRITE_BYTES ? target_write_out(target) : 0;
}

/* What became of a call of the format's, which returned `answer`. */
static enum sink_outcome judge(struct target_file *file, int answer)
{
    file->targets->held += file->target.held - file->held;
    file->held = file->target.held;
    if (answer == 0)
        return SINK_OK;
    return file->outcome == SINK_OK ? SINK_FAILED : file->outcome;
}

enum sink_outcome target_begin(struct targets *targets, struct output_file *output, const struct view *view)
{
    if (!targets->format->writer->begin)
        return SINK_OK;
    struct target_file *file = target_of(targets, output);
    int has_begun = file ? mark(file, view->table) : -1;
    if (has_begun < 0)
        return lack_memory();
    if (has_begun)
        return SINK_OK;
    return judge(file, targets->format->writer->begin(&file->target, view, &output->buffer));
}

enum sink_outcome target_put(struct targets *targets, struct output_file *output, const struct view *view,
                             const char *bytes, size_t length)
{
    const struct writer *writer = targets->format->writer;
    enum sink_outcome outcome = target_begin(targets, output, view);
    if (outcome != SINK_OK)
        return outcome;
    if (!writer->place)
        return output_files_put(targets->files, output, bytes, length);
    struct target_file *file = target_of(targets, output);
    if (!file)
        return lack_memory();
    outcome = judge(file, writer->place(&file->target, view, bytes, length, &output->buffer));
    return outcome == SINK_OK ? output_files_flush_full(targets->files, output) : outcome;
}

/* The file that holds most; NULL if none holds anything. */
static struct target_file *fullest(const struct targets *targets)
{
    struct target_file *most = NULL;
    for (size_t i = 0; i < targets->files->count; i++) {
        struct target_file *file = targets->files->outlet[i]->target;
        if (file && file->target.held > (most ? most->target.held : 0))
            most = file;
    }
    return most;
}

enum sink_outcome targets_ease(struct targets *targets)
{
    const struct writer *writer = targets->format->writer;
    struct target_file *file = NULL;
    while (writer->ease && targets->held > HELD_MAX && (file = fullest(targets)) != NULL) {
        update(file);
        enum sink_outcome outcome = judge(file, writer->ease(&file->target, &file->file->buffer));
        if (outcome == SINK_OK)
            outcome = output_files_flush_full(targets->files, file->file);
        if (outcome != SINK_OK)
            return outcome;
    }
    return SINK_OK;
}

enum sink_outcome targets_show(struct targets *targets)
{
    const struct writer *writer = targets->format->writer;
    enum sink_outcome outcome = SINK_OK;
    for (size_t i = 0; i < targets->files->count && writer->show && outcome == SINK_OK; i++) {
        struct target_file *file = targets->files->outlet[i]->target;
        if (!file)
            continue;
        update(file);
        outcome = judge(file, writer->show(&file->target, &file->file->buffer));
    }
    return outcome;
}

/* Frees the format's state of a file. */
static void forget(struct targets *targets, struct output_file *output)
{
    struct target_file *file = output->target;
    if (!file)
        return;
    targets->held -= file->held;
    if (targets->format->writer->forget)
        targets->format->writer->forget(&file->target);
    free(file->tables.data);
    free(file);
    output->target = NULL;
}

enum sink_outcome target_end(struct targets *targets, struct output_file *output)
{
    const struct format *format = targets->format;
    if (!format->writer->end)
        return SINK_OK;
    enum sink_outcome outcome = format_has(format, FORMAT_SEEKS) ? output_files_flush(targets->files, output) : SINK_OK;
    if (outcome != SINK_OK)
        return outcome;
    struct target_file *file = target_of(targets, output);
    if (!file)
        return lack_memory();
    outcome = judge(file, format->writer->end(&file->target, &output->buffer));
    if (outcome == SINK_OK)
        outcome = output_files_flush(targets->files, output);
    if (outcome == SINK_OK)
        forget(targets, output);
    free(output->buffer.data);
    output->buffer = (struct buffer){0};
    return outcome;
}

enum sink_outcome targets_end(struct targets *targets)
{
    enum sink_outcome outcome = SINK_OK;
    for (size_t i = 0; i < targets->files->count && outcome == SINK_OK; i++)
        if (!targets->files->outlet[i]->is_over)
            outcome = target_end(targets, targets->files->outlet[i]);
    return outcome;
}

void targets_forget(struct targets *targets)
{
    for (size_t i = 0; i < targets->files->count; i++)
        forget(targets, targets->files->outlet[i]);
}
