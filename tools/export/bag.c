#define _XOPEN_SOURCE 700
#include "bag.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_writer.h"

/* The one of Humble, which later releases read too. */
#define BAG_VERSION 5

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* The last part of a path that ends in slashes; *length may become 0. */
static const char *last_part(const char *path, size_t *length)
{
    size_t end = strlen(path);
    while (end > 0 && path[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    *length = end - begin;
    return path + begin;
}

static bool is_dots(const char *name, size_t length)
{
    return (length == 1 || length == 2) && strspn(name, ".") >= length;
}

char *bag_file_name(const char *folder, const char *ending)
{
    size_t length;
    char *real = NULL;
    const char *name = last_part(folder, &length);
    if (length == 0 || is_dots(name, length)) {
        real = realpath(folder, NULL);
        name = last_part(real ? real : "", &length);
    }
    if (length == 0) {
        name = "bag";
        length = strlen(name);
    }
    size_t room = strlen(folder) + length + strlen(ending) + 3;
    char *path = malloc(room);
    if (path)
        snprintf(path, room, "%s%.*s_0%s", folder, (int)length, name, ending);
    free(real);
    return path;
}

char *bag_metadata_name(const char *folder)
{
    static const char name[] = "metadata.yaml";
    size_t length = strlen(folder);
    char *path = malloc(length + sizeof name);
    if (!path)
        return NULL;
    memcpy(path, folder, length);
    memcpy(path + length, name, sizeof name);
    return path;
}

/* ---- metadata.yaml ----------------------------------------------------------------------------------------------- */

/* Short lines only. */
__attribute__((format(printf, 2, 3))) static void put(struct buffer *out, const char *format, ...)
{
    char line[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    buffer_string(out, line);
}

static void put_quoted(struct buffer *out, const char *text)
{
    size_t length = strlen(text);
    char *at = buffer_room(out, JSON_QUOTED_MAX(length));
    if (at)
        out->length += json_quote(at, text, length);
    buffer_char(out, '\n');
}

static void put_extent(struct buffer *out, const char *indent, const struct bag_counts *counts)
{
    put(out, "%sduration:\n%s  nanoseconds: %" PRId64 "\n", indent, indent, counts->last - counts->first);
    put(out, "%sstarting_time:\n%s  nanoseconds_since_epoch: %" PRId64 "\n", indent, indent, counts->first);
    put(out, "%smessage_count: %" PRIu64 "\n", indent, counts->messages);
}

void bag_begin(struct buffer *out, const struct bag_counts *counts)
{
    put(out, "rosbag2_bagfile_information:\n  version: %d\n  storage_identifier: mcap\n", BAG_VERSION);
    put_extent(out, "  ", counts);
    buffer_string(out, "  topics_with_message_count:");
}

void bag_topic(struct buffer *out, const char *name, const char *type, uint64_t messages)
{
    buffer_string(out, "\n    - topic_metadata:\n        name: ");
    buffer_string(out, name);
    buffer_string(out, "\n        type: ");
    buffer_string(out, type);
    buffer_string(out, "\n        serialization_format: cdr\n        offered_qos_profiles: \"\"\n");
    put(out, "      message_count: %" PRIu64, messages);
}

void bag_end(struct buffer *out, const char *file, const struct bag_counts *counts, bool has_topics)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    buffer_string(out, has_topics ? "\n" : " []\n");
    buffer_string(out, "  compression_format: \"\"\n  compression_mode: \"\"\n  relative_file_paths:\n    - ");
    put_quoted(out, name);
    buffer_string(out, "  files:\n    - path: ");
    put_quoted(out, name);
    put_extent(out, "      ", counts);
}
