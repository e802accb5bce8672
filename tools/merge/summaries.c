#include "summaries.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "input/file_reader.h"

/* No summary is longer. */
#define SUMMARY_MAX ((size_t)256 << 20)

/* 0, or -1 after a message. */
static int load(struct summary *summary, size_t *length)
{
    const struct reader_wish wish = {.name = summary->name, .threads = 1};
    struct reader *reader = reader_open(&wish);
    size_t room = 65536, got = 1;
    *length = 0;
    if (!reader && errno == ENOMEM)
        message_no_memory();
    if (!reader)
        return -1;
    summary->text = malloc(room);
    while (summary->text && got > 0 && *length <= SUMMARY_MAX) {
        char *more = *length == room ? realloc(summary->text, room *= 2) : summary->text;
        if (!more)
            free(summary->text);
        summary->text = more;
        got = more ? reader_read(reader, more + *length, room - *length) : 0;
        *length += got;
    }
    const char *problem = reader_problem(reader);
    if (reader_lacked_memory(reader))
        message_no_memory();
    else if (problem)
        message_error("%s: %s", reader_name(summary->name), problem);
    else if (!summary->text)
        message_no_memory();
    else if (*length > SUMMARY_MAX)
        message_error("%s: too long for a summary", reader_name(summary->name));
    bool is_read = !problem && !reader_lacked_memory(reader) && summary->text && *length <= SUMMARY_MAX;
    reader_close(reader);
    return is_read ? 0 : -1;
}

static int read_summary(struct summary *summary)
{
    size_t length, at;
    enum json_fault fault;
    if (load(summary, &length) != 0)
        return -1;
    summary->root = json_read(summary->text, length, &fault, &at);
    const struct json_node *streams = json_node_member(summary->root, "streams");
    if (!summary->root && fault == JSON_NO_MEMORY)
        message_no_memory();
    else if (!summary->root)
        message_error("%s: not JSON at byte %zu; give what armtap info --json printed", reader_name(summary->name), at);
    else if (!streams || streams->kind != JSON_ARRAY || !json_node_member(summary->root, "packets"))
        message_error("%s: not a summary; give what armtap info --json printed", reader_name(summary->name));
    else
        return 0;
    return -1;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

static int by_capture(const void *a, const void *b)
{
    const struct summary *one = a, *other = b;
    return (one->capture > other->capture) - (one->capture < other->capture);
}

/* Puts those of an archive in order; each must be there once. */
static int order(struct summaries *summaries)
{
    size_t placed = 0;
    uint64_t captures = 0;
    for (size_t i = 0; i < summaries->count; i++) {
        const struct json_node *archive = json_node_member(summaries->all[i].root, "archive");
        json_node_unsigned(json_node_member(archive, "captures"), &captures);
        placed += json_node_unsigned(json_node_member(archive, "capture"), &summaries->all[i].capture);
    }
    summaries->is_archive = placed > 0;
    if (placed > 0 && placed < summaries->count) {
        message_error(
            "some of these are summaries of captures in an archive (--after), others are not; merge each kind "
            "by itself");
        return -1;
    }
    if (placed > 0)
        qsort(summaries->all, summaries->count, sizeof *summaries->all, by_capture);
    for (size_t i = 1; i < placed; i++) {
        if (summaries->all[i].capture != summaries->all[i - 1].capture)
            continue;
        message_error("%s and %s are summaries of one capture; give one of them", summaries->all[i - 1].name,
                      summaries->all[i].name);
        return -1;
    }
    if (placed > 0 && placed < captures)
        message_warning("summaries of %zu of %" PRIu64 " captures: the sums are of these only", placed, captures);
    return 0;
}

int summaries_read(struct summaries *summaries, char *const *names, size_t count)
{
    *summaries = (struct summaries){.all = calloc(count + 1, sizeof *summaries->all)};
    if (!summaries->all) {
        message_no_memory();
        return -1;
    }
    for (; summaries->count < count; summaries->count++) {
        struct summary *summary = &summaries->all[summaries->count];
        summary->name = names[summaries->count];
        if (read_summary(summary) != 0) {
            summaries->count++;
            return -1;
        }
    }
    return order(summaries);
}

void summaries_free(struct summaries *summaries)
{
    for (size_t i = 0; i < summaries->count; i++) {
        free(summaries->all[i].text);
        free(summaries->all[i].root);
    }
    free(summaries->all);
}
