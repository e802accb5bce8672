#define _POSIX_C_SOURCE 200809L /* strndup */
#include "output_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/process/message.h"
#include "partition.h"
#include "analysis/inside.h"

/* Bytes of buffered text: for one file, and for all of them. */
enum { WAITING_MAX = 65536, WAITING_ALL = 4 * 1024 * 1024, WAITING_MIN = 256 };

bool output_files_is_gzip(const char *name)
{
    size_t length = strlen(name);
    return length > 3 && strcasecmp(name + length - 3, ".gz") == 0;
}

const char *output_files_ending(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
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

static bool is_same(const struct output_file *a, const struct output_file *b)
{
    if (a->name || b->name)
        return a->name && b->name && strcmp(a->name, b->name) == 0;
    return a->stream == b->stream && a->part == b->part;
}

/* The slot of a file with the same name, or stream and part, or the free one for it. */
static struct output_file **slot_of(const struct output_files *outlets, const struct output_file *wanted)
{
    size_t mask = outlets->slot_count - 1;
    size_t at = (size_t)(wanted->name ? armtap_hash_text(&outlets->key, wanted->name)
                                      : armtap_hash_numbers(&outlets->key, wanted->stream, wanted->part));
    for (at &= mask; outlets->slots[at] && !is_same(outlets->slots[at], wanted);)
        at = (at + 1) & mask;
    return &outlets->slots[at];
}

static struct output_file *find_file(const struct output_files *outlets, const struct output_file *wanted)
{
    if (outlets->count == 0)
        return NULL;
    return outlets->split ? *slot_of(outlets, wanted) : outlets->outlet[0];
}

/* Makes room for one more. 0, or -1 without memory, with nothing changed. */
static int grow(struct output_files *outlets)
{
    size_t room = 2 * outlets->room + 8, slot_count = outlets->slot_count == 0 ? 32 : 2 * outlets->slot_count;
    struct output_file **slots = calloc(slot_count, sizeof(struct output_file *));
    struct output_file **larger = slots ? realloc(outlets->outlet, room * sizeof(struct output_file *)) : NULL;
    if (!larger) {
        free(slots);
        return -1;
    }
    free(outlets->slots);
    if (outlets->slot_count == 0)
        outlets->key = armtap_hash_draw_key();
    outlets->outlet = larger;
    outlets->room = room;
    outlets->slots = slots;
    outlets->slot_count = slot_count;
    for (size_t i = 0; i < outlets->count; i++)
        *slot_of(outlets, larger[i]) = larger[i];
    return 0;
}

static int add_outlet(struct output_files *outlets, struct output_file *outlet)
{
    if (outlets->count == outlets->room && grow(outlets) != 0)
        return -1;
    outlets->outlet[outlets->count++] = outlet;
    *slot_of(outlets, outlet) = outlet;
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
    const char *slash = strrchr(name, '/');
    size_t length = slash ? (size_t)(slash - name) : 0;
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

static void forget(struct output_files *outlets)
{
    for (size_t i = 0; i < outlets->count; i++) {
        free(outlets->outlet[i]->buffer.data);
        free(outlets->outlet[i]->name);
        free(outlets->outlet[i]->provenance);
        gzip_free(outlets->outlet[i]->gzip);
        free(outlets->outlet[i]);
    }
    free(outlets->packed.data);
    free(outlets->outlet);
    free(outlets->slots);
    free(outlets->folder);
    outlets->folder = NULL;
    memset(outlets->packing, 0, sizeof outlets->packing);
    outlets->packed = (struct buffer){0};
    outlets->outlet = outlets->slots = NULL;
    outlets->count = outlets->room = outlets->slot_count = 0;
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
