#define _GNU_SOURCE /* tdestroy */
#include "output_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/names.h"
#include "base/os/path.h"
#include "array.h"
#include "base/process/message.h"
#include "partition.h"

/* Bytes of buffered text: for one file, and for all of them. */
enum { WAITING_MAX = 65536, WAITING_ALL = 4 * 1024 * 1024, WAITING_MIN = 256 };

bool output_files_is_gzip(const char *name)
{
    size_t length = strlen(name);
    return length > 3 && strcasecmp(name + length - 3, ".gz") == 0;
}

const char *output_files_ending(const char *name)
{
    const char *base = path_base(name);
    const char *end = base + strlen(base);
    const char *last = output_files_is_gzip(base) ? end - 3 : end;
    for (const char *dot = last - 1; dot > base; dot--)
        if (*dot == '.')
            return dot;
    return end;
}

/* OUT.csv gives OUT.0.csv for part 0 of stream 0 and OUT.0-1.csv for part 1, OUT.csv.gz OUT.0.csv.gz. NULL without
 * memory; the caller frees. */
static char *split_name(const char *name, unsigned stream, unsigned part)
{
    size_t room = strlen(name) + 32;
    char *split = malloc(room);
    if (!split)
        return NULL;
    const char *dot = output_files_ending(name);
    int length = snprintf(split, room, "%.*s.%u", (int)(dot - name), name, stream);
    if (part > 0)
        length += snprintf(split + length, room - (size_t)length, "-%u", part);
    snprintf(split + length, room - (size_t)length, "%s", dot);
    return split;
}

/* By stream and part, behind them by name: a bag's metadata has a name, its data has none. */
static int by_table(const void *a, const void *b)
{
    const struct output_file *one = a, *other = b;
    if (one->name && other->name)
        return strcmp(one->name, other->name);
    if (one->name || other->name)
        return one->name ? 1 : -1;
    if (one->stream != other->stream)
        return one->stream < other->stream ? -1 : 1;
    return (one->part > other->part) - (one->part < other->part);
}

static struct output_file *find_file(const struct output_files *outlets, const struct output_file *wanted)
{
    struct output_file **found = tfind(wanted, &outlets->tree, by_table);
    if (!outlets->split)
        return outlets->count > 0 ? outlets->outlet[0] : NULL;
    return found ? *found : NULL;
}

static int add_outlet(struct output_files *outlets, struct output_file *outlet)
{
    struct output_file **kept =
        MAKE_ROOM(outlets->outlet, outlets->count) ? tsearch(outlet, &outlets->tree, by_table) : NULL;
    if (!kept || *kept != outlet)
        return -1;
    outlets->outlet[outlets->count++] = outlet;
    return 0;
}

static struct sink_file *open_sink(struct output_files *outlets, unsigned stream, unsigned part)
{
    if (!outlets->split)
        return sink_file_open(outlets->name, &outlets->run);
    char *name = split_name(outlets->name, stream, part);
    if (!name) {
        message_no_memory();
        return NULL;
    }
    struct sink_file *sink = sink_file_open(name, &outlets->run);
    free(name);
    return sink;
}

/* Adds a file, whose sink is open; NULL after a message, with the sink discarded. */
static struct output_file *add_copy(struct output_files *outlets, const struct output_file *file)
{
    struct output_file *outlet = calloc(1, sizeof *outlet);
    if (outlet)
        *outlet = *file;
    if (outlet && add_outlet(outlets, outlet) == 0)
        return outlet;
    message_no_memory();
    sink_file_discard(file->sink);
    free(outlet);
    return NULL;
}

struct output_file *output_files_open(struct output_files *outlets, unsigned stream, unsigned part)
{
    struct output_file wanted = {.stream = stream, .part = part}, *outlet = find_file(outlets, &wanted);
    if (outlet)
        return outlet;
    wanted.sink = open_sink(outlets, stream, part);
    return wanted.sink ? add_copy(outlets, &wanted) : NULL;
}

struct output_file *output_files_find_named(const struct output_files *outlets, char *name)
{
    const struct output_file wanted = {.name = name};
    return find_file(outlets, &wanted);
}

/* Makes the folders above a file, unless the file before was in the same one. 0, or -1 after a message. */
static int make_folders(struct output_files *outlets, const char *name)
{
    size_t length = (size_t)(path_base(name) - name);
    if (outlets->folder && strlen(outlets->folder) == length && memcmp(outlets->folder, name, length) == 0)
        return 0;
    free(outlets->folder);
    outlets->folder = strndup(name, length);
    return outlets->folder ? partition_make_folders(name) : message_no_memory();
}

struct output_file *output_files_open_named(struct output_files *outlets, char *name)
{
    struct output_file file = {.name = name}, *outlet = NULL;
    if (make_folders(outlets, name) == 0)
        file.sink = sink_file_open(name, &outlets->run);
    if (file.sink)
        outlet = add_copy(outlets, &file);
    if (!outlet)
        free(name);
    return outlet;
}

/* Writes the compressed bytes; fails if some are lost for lack of memory. */
static enum sink_outcome write_packed(struct output_files *outlets, struct output_file *outlet)
{
    if (outlets->packed.failed) {
        message_no_memory();
        return SINK_FAILED;
    }
    enum sink_outcome outcome = sink_file_write(outlet->sink, outlets->packed.data, outlets->packed.length);
    outlets->packed.length = 0;
    return outcome;
}

/* Ends the gzip member of a file and takes its gzip away. */
static enum sink_outcome stop_packing(struct output_files *outlets, struct output_file *outlet, struct gzip **gzip)
{
    *gzip = outlet->gzip;
    outlet->gzip = NULL;
    outlets->packing[outlet->place] = NULL;
    gzip_end(*gzip, &outlets->packed);
    return write_packed(outlets, outlet);
}

/* Gives a file a gzip. With many files only some have one at a time, and a file may consist of several gzip members. */
static enum sink_outcome begin_packing(struct output_files *outlets, struct output_file *outlet)
{
    enum sink_outcome outcome = SINK_OK;
    if (outlet->gzip)
        return SINK_OK;
    outlets->packed_last = (outlets->packed_last + 1) % OUTPUT_PACKING_MAX;
    outlet->place = outlets->packed_last;
    struct output_file *before = outlets->packing[outlet->place];
    if (!before)
        outlet->gzip = gzip_new();
    else
        outcome = stop_packing(outlets, before, &outlet->gzip);
    outlets->packing[outlet->place] = outlet->gzip ? outlet : NULL;
    outlets->packed.failed = outlets->packed.failed || !outlet->gzip;
    return outcome;
}

static enum sink_outcome write_to_gzip(struct output_files *outlets, struct output_file *outlet, const char *bytes,
                                       size_t length, bool at_once)
{
    enum sink_outcome outcome = begin_packing(outlets, outlet);
    if (outcome == SINK_OK && outlet->gzip)
        gzip_add(outlet->gzip, bytes, length, at_once || outlets->is_live, &outlets->packed);
    return outcome == SINK_OK ? write_packed(outlets, outlet) : outcome;
}

static enum sink_outcome write_out(struct output_files *outlets, struct output_file *outlet, const char *bytes,
                                   size_t length, bool at_once)
{
    outlet->flushed += length;
    return outlets->gzipped ? write_to_gzip(outlets, outlet, bytes, length, at_once)
                            : sink_file_write(outlet->sink, bytes, length);
}

static enum sink_outcome flush(struct output_files *outlets, struct output_file *outlet, bool at_once)
{
    if (outlet->buffer.failed) {
        message_no_memory();
        return SINK_FAILED;
    }
    enum sink_outcome outcome = write_out(outlets, outlet, outlet->buffer.data, outlet->buffer.length, at_once);
    outlet->buffer.length = 0;
    /* With many files most are idle: free their buffers. */
    if (WAITING_ALL / outlets->count < WAITING_MAX) {
        free(outlet->buffer.data);
        outlet->buffer = (struct buffer){0};
    }
    return outcome;
}

/* The number of buffered bytes at which a file is written. */
static size_t enough(const struct output_files *outlets)
{
    size_t share = WAITING_ALL / outlets->count;
    return share > WAITING_MAX ? WAITING_MAX : share < WAITING_MIN ? WAITING_MIN : share;
}

enum sink_outcome output_files_flush_full(struct output_files *outlets, struct output_file *outlet)
{
    bool is_full = outlet->buffer.length >= enough(outlets) || outlet->buffer.failed;
    return is_full ? flush(outlets, outlet, false) : SINK_OK;
}

enum sink_outcome output_files_put(struct output_files *outlets, struct output_file *outlet, const char *bytes,
                                   size_t length)
{
    if (outlet->buffer.length == 0 && !outlet->buffer.failed && length >= enough(outlets))
        return write_out(outlets, outlet, bytes, length, false);
    buffer_put(&outlet->buffer, bytes, length);
    return output_files_flush_full(outlets, outlet);
}

static void free_file(void *file)
{
    struct output_file *outlet = file;
    free(outlet->buffer.data);
    free(outlet->name);
    free(outlet->provenance);
    gzip_free(outlet->gzip);
    free(outlet);
}

static void forget(struct output_files *outlets)
{
    tdestroy(outlets->tree, free_file);
    free(outlets->packed.data);
    free(outlets->outlet);
    free(outlets->folder);
    outlets->folder = NULL;
    memset(outlets->packing, 0, sizeof outlets->packing);
    outlets->packed = (struct buffer){0};
    outlets->outlet = NULL;
    outlets->tree = NULL;
    outlets->count = 0;
}

enum sink_outcome output_files_flush(struct output_files *outlets, struct output_file *outlet)
{
    return flush(outlets, outlet, false);
}

enum sink_outcome output_files_flush_all(struct output_files *outlets)
{
    enum sink_outcome outcome = SINK_OK;
    for (size_t i = 0; i < outlets->count && outcome == SINK_OK; i++)
        outcome = flush(outlets, outlets->outlet[i], true);
    return outcome;
}

/* Writes the rest of a file. */
static enum sink_outcome end_outlet(struct output_files *outlets, struct output_file *outlet)
{
    struct gzip *gzip = NULL;
    enum sink_outcome outcome = flush(outlets, outlet, false);
    if (outcome == SINK_OK && outlet->gzip)
        outcome = stop_packing(outlets, outlet, &gzip);
    gzip_free(gzip);
    return outcome;
}

enum sink_outcome output_files_commit(struct output_files *outlets)
{
    enum sink_outcome outcome = SINK_OK;
    for (size_t i = 0; i < outlets->count && outcome == SINK_OK; i++)
        outcome = end_outlet(outlets, outlets->outlet[i]);
    struct sink_file **sinks = outcome == SINK_OK ? calloc(outlets->count + 1, sizeof *sinks) : NULL;
    if (!sinks) {
        if (outcome == SINK_OK)
            message_no_memory();
        output_files_discard(outlets);
        return outcome == SINK_OK ? SINK_FAILED : outcome;
    }
    for (size_t i = 0; i < outlets->count; i++)
        sinks[i] = outlets->outlet[i]->sink;
    outcome = sink_files_commit(sinks, outlets->count);
    free(sinks);
    forget(outlets);
    return outcome;
}

void output_files_discard(struct output_files *outlets)
{
    for (size_t i = 0; i < outlets->count; i++)
        sink_file_discard(outlets->outlet[i]->sink);
    forget(outlets);
}
