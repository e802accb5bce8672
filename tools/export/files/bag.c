#define _POSIX_C_SOURCE 200809L
#include "bag.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/os/names.h"
#include "base/os/path.h"
#include "base/text/json_writer.h"
#include "base/text/printf_format.h"
#include "base/process/message.h"
#include "base/os/shell_word.h"

/* The one of Humble, which later releases read too. */
#define BAG_VERSION 5

static const char metadata[] = "metadata.yaml";

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* The last part of a path that ends in slashes; *length may become 0. */
static const char *last_part(const char *path, size_t *length)
{
    size_t end = strlen(path);
    while (end > 0 && path_is_separator(path[end - 1]))
        end--;
    size_t begin = end;
    while (begin > 0 && !path_is_separator(path[begin - 1]))
        begin--;
    *length = end - begin;
    return path + begin;
}

static bool is_dots(const char *name, size_t length)
{
    return (length == 1 || length == 2) && strspn(name, ".") >= length;
}

/* The caller frees; NULL without memory. */
static char *join(const char *folder, const char *name, size_t length, const char *ending)
{
    size_t room = strlen(folder) + length + strlen(ending) + 1;
    char *path = malloc(room);
    if (path)
        snprintf(path, room, "%s%.*s%s", folder, (int)length, name, ending);
    return path;
}

char *bag_file_name(const char *folder, const char *ending)
{
    char number[40];
    size_t length;
    const char *name = last_part(folder, &length);
    snprintf(number, sizeof number, "_0%s", ending);
    return join(folder, name, length, number);
}

char *bag_metadata_name(const char *folder)
{
    return join(folder, metadata, strlen(metadata), "");
}

/* Whether a folder has files, none of which is the bag's. Names that begin with a dot do not count. 0, or -1 without
 * memory. */
static int look_for_others(const char *folder, const char *file, bool *only_others)
{
    const char *name = path_base(file);
    const struct dirent *entry;
    bool has_others = false, has_own = false;
    DIR *opened = opendir(folder);
    *only_others = false;
    if (!opened)
        return errno == ENOMEM ? -1 : 0;
    while ((entry = readdir(opened))) {
        bool is_own = strcmp(entry->d_name, name) == 0 || strcmp(entry->d_name, metadata) == 0;
        has_own = has_own || is_own;
        has_others = has_others || (!is_own && entry->d_name[0] != '.');
    }
    closedir(opened);
    *only_others = has_others && !has_own;
    return 0;
}

static int refuse_folder(const char *folder, const char *why)
{
    char command[SHELL_MAX] = "-o ";
    char *other = join(folder, "bag/", strlen("bag/"), "");
    if (!other)
        return message_no_memory();
    bool is_shown = shell_word(command, sizeof command, other);
    message_error("-o %s: %s; name a new folder%s%s", folder, why, is_shown ? ": " : "", is_shown ? command : "");
    free(other);
    return -1;
}

int bag_check_folder(const char *folder, const char *file)
{
    size_t length;
    bool only_others;
    const char *name = last_part(folder, &length);
    if (length == 0 || is_dots(name, length))
        return refuse_folder(folder, "a bag is named after its folder, which has no name here");
    if (look_for_others(folder, file, &only_others) != 0)
        return message_no_memory();
    return only_others ? refuse_folder(folder, "a bag needs its own folder, and this one has other files") : 0;
}

/* ---- metadata.yaml ----------------------------------------------------------------------------------------------- */

/* Short lines only. */
PRINTF_FORMAT(2, 3) static void put(struct buffer *out, const char *format, ...)
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
    json_put_quoted(out, text, strlen(text));
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
    const char *name = path_base(file);
    buffer_string(out, has_topics ? "\n" : " []\n");
    buffer_string(out, "  compression_format: \"\"\n  compression_mode: \"\"\n  relative_file_paths:\n    - ");
    put_quoted(out, name);
    buffer_string(out, "  files:\n    - path: ");
    put_quoted(out, name);
    put_extent(out, "      ", counts);
}
