#include "outlets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

/* Text that waits: for one file, and for all of them. */
enum { waiting_max = 65536, waiting_all = 16 * 1024 * 1024, waiting_min = 1024 };

char *outlets_split_name(const char *name, unsigned stream, unsigned part)
{
    size_t room = strlen(name) + 32;
    char *split = malloc(room);
    if (split == NULL)
        return NULL;
    const char *slash = strrchr(name, '/');
    const char *base = slash == NULL ? name : slash + 1;
    const char *dot = strrchr(base, '.');
    if (dot == NULL || dot == base)
        dot = base + strlen(base);
    int length = snprintf(split, room, "%.*s.%u", (int)(dot - name), name, stream);
    if (part > 0)
        length += snprintf(split + length, room - (size_t)length, "-%u", part);
    snprintf(split + length, room - (size_t)length, "%s", dot);
    return split;
}

static struct outlet *find(const struct outlets *outlets, unsigned stream, unsigned part)
{
    for (size_t i = outlets->count; i-- > 0;) {
        struct outlet *outlet = outlets->outlet[i];
        if (!outlets->split || (outlet->stream == stream && outlet->part == part))
            return outlet;
    }
    return NULL;
}

static int add(struct outlets *outlets, struct outlet *outlet)
{
    if (outlets->count == outlets->room) {
        size_t room = 2 * outlets->room + 8;
        struct outlet **larger = realloc(outlets->outlet, room * sizeof(struct outlet *));
        if (larger == NULL)
            return -1;
        outlets->outlet = larger;
        outlets->room = room;
    }
    outlets->outlet[outlets->count++] = outlet;
    return 0;
}

static struct sink_file *open_sink(const struct outlets *outlets, unsigned stream, unsigned part)
{
    if (!outlets->split)
        return sink_file_open(outlets->name);
    char *name = outlets_split_name(outlets->name, stream, part);
    if (name == NULL) {
        message_no_memory();
        return NULL;
    }
    struct sink_file *sink = sink_file_open(name);
    free(name);
    return sink;
}

struct outlet *outlets_open(struct outlets *outlets, unsigned stream, unsigned part)
{
    struct outlet *outlet = find(outlets, stream, part);
    if (outlet != NULL)
        return outlet;
    struct sink_file *sink = open_sink(outlets, stream, part);
    if (sink == NULL)
        return NULL;
    outlet = calloc(1, sizeof *outlet);
    if (outlet == NULL || add(outlets, outlet) != 0) {
        message_no_memory();
        sink_file_discard(sink);
        free(outlet);
        return NULL;
    }
    outlet->stream = stream;
    outlet->part = part;
    outlet->sink = sink;
    return outlet;
}

static enum sink_outcome flush(const struct outlets *outlets, struct outlet *outlet)
{
    if (outlet->buffer.failed) {
        message_no_memory();
        return SINK_FAILED;
    }
    enum sink_outcome outcome = sink_file_write(outlet->sink, outlet->buffer.data, outlet->buffer.length);
    outlet->buffer.length = 0;
    /* Of very many files most wait for nothing, and should not keep room for it. */
    if (waiting_all / outlets->count < waiting_max) {
        free(outlet->buffer.data);
        outlet->buffer = (struct buffer){0};
    }
    return outcome;
}

enum sink_outcome outlets_flush_full(const struct outlets *outlets, struct outlet *outlet)
{
    size_t share = waiting_all / outlets->count;
    size_t full = share > waiting_max ? waiting_max : share < waiting_min ? waiting_min : share;
    return outlet->buffer.length < full && !outlet->buffer.failed ? SINK_OK : flush(outlets, outlet);
}

static void forget(struct outlets *outlets)
{
    for (size_t i = 0; i < outlets->count; i++) {
        free(outlets->outlet[i]->buffer.data);
        free(outlets->outlet[i]);
    }
    free(outlets->outlet);
    outlets->outlet = NULL;
    outlets->count = outlets->room = 0;
}

enum sink_outcome outlets_flush_all(const struct outlets *outlets)
{
    enum sink_outcome outcome = SINK_OK;
    for (size_t i = 0; i < outlets->count && outcome == SINK_OK; i++)
        outcome = flush(outlets, outlets->outlet[i]);
    return outcome;
}

enum sink_outcome outlets_commit(struct outlets *outlets)
{
    enum sink_outcome outcome = outlets_flush_all(outlets);
    if (outcome != SINK_OK) {
        outlets_discard(outlets);
        return outcome;
    }
    for (size_t i = 0; i < outlets->count; i++) {
        enum sink_outcome placed = sink_file_commit(outlets->outlet[i]->sink);
        outcome = outcome == SINK_OK ? placed : outcome;
    }
    forget(outlets);
    return outcome;
}

void outlets_discard(struct outlets *outlets)
{
    for (size_t i = 0; i < outlets->count; i++)
        sink_file_discard(outlets->outlet[i]->sink);
    forget(outlets);
}

bool outlets_are_pending(const struct outlets *outlets)
{
    return outlets->count > 0 && sink_file_is_pending(outlets->outlet[0]->sink);
}
