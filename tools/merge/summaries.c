#define _POSIX_C_SOURCE 200809L
#include "summaries.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/file.h"
#include "base/process/message.h"
#include "input/files/file_reader.h"

/* No summary is longer. */
#define SUMMARY_MAX ((size_t)256 << 20)
#define CAPTURES_MAX 1000000
#define BLOCK 65536

/* 0, or -1 after a message. */
static int load(struct summary *summary)
{
    const struct reader_wish wish = {.name = summary->name};
    struct reader *reader = reader_open(&wish);
    struct buffer text = {0};
    if (!reader && errno == ENOMEM)
        message_no_memory();
    if (!reader)
        return -1;
    for (size_t got = 1; got > 0 && text.length <= SUMMARY_MAX; text.length += got)
        got = buffer_room(&text, BLOCK) ? reader_read(reader, text.data + text.length, BLOCK) : 0;
    summary->text = text.data;
    summary->length = text.length;
    const char *problem = reader_problem(reader);
    bool lacked_memory = reader_lacked_memory(reader) || text.failed;
    if (lacked_memory)
        message_no_memory();
    else if (problem)
        message_error("%s: %s", reader_name(summary->name), problem);
    else if (text.length > SUMMARY_MAX)
        message_error("%s: too long for a summary", reader_name(summary->name));
    bool is_read = !problem && !lacked_memory && text.length <= SUMMARY_MAX;
    reader_close(reader);
    return is_read ? 0 : -1;
}

/* The nodes of its text; NULL after a message. */
static struct json_node *parse(const struct summary *summary, const struct json_taker *taker)
{
    size_t at;
    enum json_fault fault;
    struct json_node *root = json_read_by_element(summary->text, summary->length, taker, &fault, &at);
    if (fault == JSON_NO_MEMORY)
        message_no_memory();
    else if (fault == JSON_TOO_LARGE)
        message_error("%s: too many values, or nested too deeply, for a summary, at byte %zu",
                      reader_name(summary->name), at);
    else if (fault == JSON_MALFORMED)
        message_error(
            "%s: not JSON at byte %zu; name what armtap info --json CAPTURE > FILE, or diagnose --json, wrote",
            reader_name(summary->name), at);
    return root;
}

static bool has_list(const struct summary *summary, const char *key)
{
    const struct json_node *list = json_node_member(summary->root, key);
    return list && list->kind == ARMTAP_JSON_ARRAY;
}

/* Where a diagnosis stands in its archive. */
static int read_file(struct summary *summary)
{
    const struct json_node *archive = json_node_member(summary->root, "archive");
    if (!archive)
        return 0;
    const struct json_node *file = json_node_member(archive, "file");
    summary->file = json_node_text(file);
    if (summary->file)
        return 0;
    if (file && file->kind == ARMTAP_JSON_STRING)
        message_no_memory();
    else
        message_error("%s: it does not name its capture; print it again with armtap diagnose --json --after",
                      reader_name(summary->name));
    return -1;
}

int summary_take(struct summary *summary, const struct json_taker *taker)
{
    if (!summary->text && load(summary) != 0)
        return -1;
    struct json_node *root = parse(summary, taker);
    free(root);
    return root ? 0 : -1;
}

void summary_unload(struct summary *summary)
{
    free(summary->text);
    free(summary->root);
    summary->text = NULL;
    summary->root = NULL;
}

/* Where it stands in its archive, and what its lists lack. */
static void read_place(struct summary *summary)
{
    const struct json_node *archive = json_node_member(summary->root, "archive");
    summary->is_placed = json_node_unsigned(json_node_member(archive, "capture"), &summary->capture);
    if (!json_node_unsigned(json_node_member(archive, "captures"), &summary->captures))
        summary->captures = 0;
    if (!json_node_unsigned(json_node_member(summary->root, "modes_left_out"), &summary->modes_left_out))
        summary->modes_left_out = 0;
}

static bool is_repeatable(const struct summary *summary)
{
    struct file_status status;
    return strcmp(summary->name, "-") != 0 && file_status(summary->name, &status) == 0 &&
           status.kind == FILE_IS_ORDINARY;
}

static int read_diagnosis(struct summary *summary)
{
    int outcome = read_file(summary);
    if (!summary->is_placed)
        return outcome;
    free(summary->root);
    summary->root = NULL;
    if (is_repeatable(summary))
        summary_unload(summary);
    return outcome;
}

static bool count_element(void *user, const struct json_node *list, const struct json_node *element)
{
    struct summary *summary = user;
    const struct json_node *severity = json_node_member(element, "severity");
    summary->streams += json_node_is(list - 1, "streams");
    summary->findings += json_node_is(list - 1, "findings");
    summary->has_fault = summary->has_fault || (json_node_is(list - 1, "findings") &&
                                                (json_node_is(severity, "warning") || json_node_is(severity, "error")));
    return true;
}

static int read_summary(struct summary *summary, summary_taker *take_info, void *user)
{
    static const char *const long_lists[] = {"streams", "findings", "modes", NULL};
    const struct json_taker without_lists = {long_lists, count_element, summary};
    if (load(summary) != 0)
        return -1;
    summary->root = parse(summary, &without_lists);
    if (!summary->root)
        return -1;
    summary->is_diagnosis = has_list(summary, "findings");
    if (!has_list(summary, "streams") || (!summary->is_diagnosis && !json_node_member(summary->root, "packets"))) {
        message_error("%s: not a summary; name the output of armtap info --json or diagnose --json",
                      reader_name(summary->name));
        return -1;
    }
    read_place(summary);
    if (summary->is_diagnosis)
        return read_diagnosis(summary);
    int outcome = take_info(user, summary);
    summary_unload(summary);
    return outcome;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

static int by_capture(const void *a, const void *b)
{
    const struct summary *one = a, *other = b;
    return (one->capture > other->capture) - (one->capture < other->capture);
}

/* How many are of an archive. */
static size_t count_placed(const struct summaries *summaries, uint64_t *captures)
{
    size_t placed = 0;
    *captures = 0;
    for (size_t i = 0; i < summaries->count; i++) {
        const struct summary *summary = &summaries->all[i];
        *captures = summary->captures > 0 ? summary->captures : *captures;
        placed += summary->is_placed;
    }
    return placed;
}

static int check_kinds(struct summaries *summaries)
{
    summaries->is_diagnosis = summaries->all[0].is_diagnosis;
    for (size_t i = 1; i < summaries->count; i++) {
        if (summaries->all[i].is_diagnosis == summaries->is_diagnosis)
            continue;
        message_error("%s and %s: one is from armtap info, the other from armtap diagnose; merge each kind separately",
                      summaries->all[0].name, summaries->all[i].name);
        return -1;
    }
    return 0;
}

/* Each must be there once. */
static int check_order(const struct summaries *summaries, uint64_t captures)
{
    for (size_t i = 1; i < summaries->count; i++) {
        if (summaries->all[i].capture != summaries->all[i - 1].capture)
            continue;
        message_error("%s and %s are summaries of one capture; name only one of them", summaries->all[i - 1].name,
                      summaries->all[i].name);
        return -1;
    }
    if (summaries->count > 0 && summaries->all[summaries->count - 1].capture >= CAPTURES_MAX) {
        message_error("%s: damaged: no archive has so many captures", summaries->all[summaries->count - 1].name);
        return -1;
    }
    if (summaries->count < captures)
        message_warning("summaries of %zu of %" PRIu64 " captures: the sums cover only these", summaries->count,
                        captures);
    return 0;
}

/* Puts those of an archive in order. */
static int order(struct summaries *summaries)
{
    uint64_t captures;
    if (check_kinds(summaries) != 0)
        return -1;
    size_t placed = count_placed(summaries, &captures);
    summaries->is_archive = placed > 0;
    if (placed > 0 && placed < summaries->count) {
        message_error(
            "some of these are summaries of captures in an archive (--after), others are not; merge each kind "
            "separately");
        return -1;
    }
    if (placed == 0)
        return 0;
    qsort(summaries->all, summaries->count, sizeof *summaries->all, by_capture);
    return check_order(summaries, captures);
}

int summaries_read(struct summaries *summaries, char *const *names, size_t count, summary_taker *take_info, void *user)
{
    *summaries = (struct summaries){.all = calloc(count + 1, sizeof *summaries->all)};
    if (!summaries->all)
        return message_no_memory();
    for (; summaries->count < count; summaries->count++) {
        struct summary *summary = &summaries->all[summaries->count];
        summary->name = names[summaries->count];
        if (read_summary(summary, take_info, user) != 0) {
            summaries->count++;
            return -1;
        }
    }
    return order(summaries);
}

void summaries_free(struct summaries *summaries)
{
    for (size_t i = 0; i < summaries->count; i++) {
        summary_unload(&summaries->all[i]);
        free(summaries->all[i].file);
    }
    free(summaries->all);
}
