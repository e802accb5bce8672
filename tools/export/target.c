#include "target.h"

#include "base/message.h"

/* Marks a table as begun in a file. Returns whether it had begun before, or -1 without memory. */
static int mark(struct target *target, const struct format *format, const struct table *table)
{
    bool had_begun = target->has_begun;
    target->has_begun = true;
    if (!format_has(format, FORMAT_ALL_TABLES))
        return had_begun;
    size_t number = table ? table->number + 1 : 0, byte = number / 8;
    unsigned bit = 1u << number % 8;
    if (byte >= target->tables.length) {
        size_t more = byte + 1 - target->tables.length;
        char *room = buffer_room(&target->tables, more);
        if (!room)
            return -1;
        memset(room, 0, more);
        target->tables.length += more;
    }
    had_begun = ((unsigned char)target->tables.data[byte] & bit) != 0;
    target->tables.data[byte] = (char)((unsigned char)target->tables.data[byte] | bit);
    return had_begun;
}

/* The file as the format sees it, up to date; NULL without memory. */
static struct target *target_of(const struct format *format, struct output_file *file)
{
    if (!file->target)
        file->target = calloc(1, sizeof *file->target);
    if (!file->target)
        return NULL;
    file->target->offset = file->flushed + file->buffer.length;
    file->target->path = format_has(format, FORMAT_SEEKS) ? sink_file_path(file->sink) : NULL;
    return file->target;
}

static enum sink_outcome lack_memory(void)
{
    message_no_memory();
    return SINK_FAILED;
}

enum sink_outcome target_begin(const struct format *format, struct output_file *file, const struct view *view)
{
    if (!format->writer->begin)
        return SINK_OK;
    struct target *target = target_of(format, file);
    int has_begun = target ? mark(target, format, view->table) : -1;
    if (has_begun < 0)
        return lack_memory();
    return has_begun || format->writer->begin(target, view, &file->buffer) == 0 ? SINK_OK : SINK_FAILED;
}

enum sink_outcome target_put(const struct format *format, struct output_files *files, struct output_file *file,
                             const struct view *view, const char *bytes, size_t length)
{
    enum sink_outcome outcome = target_begin(format, file, view);
    if (outcome != SINK_OK)
        return outcome;
    if (!format->writer->place)
        return output_files_put(files, file, bytes, length);
    struct target *target = target_of(format, file);
    if (!target)
        return lack_memory();
    if (format->writer->place(target, view, bytes, length, &file->buffer) != 0)
        return SINK_FAILED;
    return output_files_flush_full(files, file);
}

enum sink_outcome targets_end(const struct format *format, struct output_files *files)
{
    for (size_t i = 0; i < files->count && format->writer->end; i++) {
        struct output_file *file = files->outlet[i];
        enum sink_outcome flushed = format_has(format, FORMAT_SEEKS) ? output_files_flush(files, file) : SINK_OK;
        if (flushed != SINK_OK)
            return flushed;
        struct target *target = target_of(format, file);
        if (!target)
            return lack_memory();
        if (format->writer->end(target, &file->buffer) != 0)
            return SINK_FAILED;
    }
    return SINK_OK;
}

void targets_forget(const struct format *format, struct output_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        struct target *target = files->outlet[i]->target;
        if (!target)
            continue;
        if (format->writer->forget)
            format->writer->forget(target);
        free(target->tables.data);
        free(target);
        files->outlet[i]->target = NULL;
    }
}
