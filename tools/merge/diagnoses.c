#define _POSIX_C_SOURCE 200809L
#include "summaries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/buffer.h"
#include "base/text/json_writer.h"
#include "base/process/message.h"
#include "diagnose/diagnosis.h"
#include "input/files/file_reader.h"
#include "input/robots/labels.h"

/* ---- captures of an archive -------------------------------------------------------------------------------------- */

static uint64_t modes_left_out(const struct summaries *summaries)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < summaries->count; i++)
        sum += summaries->all[i].modes_left_out;
    return sum;
}

/* The files by their places in the archive; of those that no summary is of, NULL. */
static const char **file_names(const struct summaries *summaries, size_t *count)
{
    *count = (size_t)summaries->all[summaries->count - 1].capture + 1;
    const char **names = calloc(*count, sizeof *names);
    for (size_t i = 0; names && i < summaries->count; i++)
        names[summaries->all[i].capture] = summaries->all[i].file;
    return names;
}

/* 0, or -1 after a message. */
static int add(struct facts *facts, struct summary *summary)
{
    const struct json_taker taker = {facts_lists, facts_take, facts};
    facts->file = (uint32_t)summary->capture;
    int outcome = summary_take(summary, &taker);
    summary_unload(summary);
    return outcome;
}

static enum exit_status add_all(struct summaries *summaries, struct facts *facts, struct diagnosis *diagnosis,
                                struct replay_source *source)
{
    for (size_t i = 0; i < summaries->count; i++) {
        if (add(facts, &summaries->all[i]) == 0)
            continue;
        if (facts->is_damaged)
            message_error("%s: damaged, or of another version of armtap; print it again with armtap diagnose --json "
                          "--after",
                          reader_name(summaries->all[i].name));
        else if (facts->lacks_memory)
            message_no_memory();
        return EXIT_FAILED;
    }
    source->labels = facts->labels;
    if (diagnosis_settle(diagnosis) == 0 && diagnosis_print_json(diagnosis) == 0)
        return diagnosis_found_fault(diagnosis) ? EXIT_FOUND : EXIT_DONE;
    message_no_memory();
    return EXIT_FAILED;
}

static enum exit_status merge_archive(struct summaries *summaries)
{
    struct replay_source source = {.count = 0};
    struct diagnosis diagnosis = {.source = &source, .is_merged = true, .modes_left_out = modes_left_out(summaries)};
    const char **names = file_names(summaries, &source.count);
    enum exit_status status = EXIT_FAILED;
    source.names = names;
    if (names && diagnosis_begin(&diagnosis) == 0) {
        struct facts facts = {.diagnosis = diagnosis.found, .files = names};
        status = add_all(summaries, &facts, &diagnosis, &source);
        labels_free(facts.labels);
    } else {
        message_no_memory();
    }
    diagnosis_free(&diagnosis);
    free(names);
    return status;
}

/* ---- captures that have nothing to do with each other -------------------------------------------------------------
 */

static const char *const joined_lists[] = {"findings", "streams", "modes", "incidents", "standing", NULL};

struct joining {
    struct json json;
    struct buffer text;
    const char *key;            /* of the list that is joined */
    uint64_t streams, findings; /* in the summaries before */
    bool is_damaged;
};

static void print_raw(struct joining *joining, const struct json_node *node)
{
    size_t quote = node->kind == ARMTAP_JSON_STRING, length = node->length + 2 * quote;
    char *raw = buffer_room(&joining->text, JSON_QUOTED_MAX(length) + 1);
    if (!raw) {
        json_null(&joining->json);
        return;
    }
    raw[json_mend(raw, node->text - quote, length)] = '\0';
    json_number(&joining->json, raw);
}

/* A number in a list of all that was one in a list of the summary's. */
static void print_moved(struct joining *joining, const struct json_node *node, uint64_t by)
{
    uint64_t number;
    if (node->kind == ARMTAP_JSON_NULL)
        json_null(&joining->json);
    else if (json_node_unsigned(node, &number))
        json_unsigned(&joining->json, number + by);
    else
        joining->is_damaged = true;
}

static void print_list(struct joining *joining, const struct json_node *list, uint64_t by)
{
    json_array(&joining->json, false);
    for (const struct json_node *at = json_node_first(list); at != json_node_end(list); at = json_node_next(at))
        print_moved(joining, at, by);
    json_close(&joining->json);
}

static void print_item(struct joining *joining, const struct json_node *item, bool lines)
{
    json_object(&joining->json, lines);
    joining->is_damaged = joining->is_damaged || item->kind != ARMTAP_JSON_OBJECT;
    for (const struct json_node *at = json_node_first(item);
         item->kind == ARMTAP_JSON_OBJECT && at != json_node_end(item); at = json_node_next(at + 1)) {
        char key[80];
        snprintf(key, sizeof key, "%.*s", (int)at->length, at->text);
        json_key(&joining->json, key);
        if (json_node_is(at, "stream"))
            print_moved(joining, at + 1, joining->streams);
        else if (json_node_is(at, "evidence"))
            print_list(joining, at + 1, joining->findings);
        else if (json_node_is(at, "streams"))
            print_list(joining, at + 1, joining->streams);
        else
            print_raw(joining, at + 1);
    }
    json_close(&joining->json);
}

static bool take_item(void *user, const struct json_node *list, const struct json_node *item)
{
    struct joining *joining = user;
    if (json_node_is(list - 1, joining->key))
        print_item(joining, item, strcmp(joining->key, "streams") == 0);
    return true;
}

/* The lists of that name, one after another. Each is gone through anew: its values may take more memory than its text.
 * 0, or -1 after a message. */
static int join_lists(struct joining *joining, const struct summaries *summaries, const char *key)
{
    const struct json_taker taker = {joined_lists, take_item, joining};
    int outcome = 0;
    json_member_array(&joining->json, key, true);
    joining->key = key;
    joining->streams = joining->findings = 0;
    for (size_t i = 0; i < summaries->count && outcome == 0; i++) {
        struct summary *summary = &summaries->all[i];
        const struct json_node *list = json_node_member(summary->root, key);
        joining->is_damaged = joining->is_damaged || !list || list->kind != ARMTAP_JSON_ARRAY;
        outcome = summary_take(summary, &taker);
        joining->streams += summary->streams;
        joining->findings += summary->findings;
    }
    json_close(&joining->json);
    return outcome;
}

static bool has_fault(const struct summaries *summaries)
{
    for (size_t i = 0; i < summaries->count; i++)
        if (summaries->all[i].has_fault)
            return true;
    return false;
}

static enum exit_status join(const struct summaries *summaries)
{
    struct joining joining = {.streams = 0};
    struct buffer text = {0};
    int outcome = 0;
    json_begin_text(&joining.json, &text);
    json_object(&joining.json, true);
    for (size_t i = 0; joined_lists[i] && outcome == 0; i++) {
        outcome = join_lists(&joining, summaries, joined_lists[i]);
        if (strcmp(joined_lists[i], "modes") == 0)
            json_member_unsigned(&joining.json, "modes_left_out", modes_left_out(summaries));
    }
    json_end(&joining.json);
    bool failed = text.failed || joining.text.failed;
    if (failed)
        message_no_memory();
    else if (outcome == 0 && joining.is_damaged)
        message_error("a summary is not complete output of armtap diagnose --json: print the summaries again");
    else if (outcome == 0)
        fwrite(text.data, 1, text.length, stdout);
    free(text.data);
    free(joining.text.data);
    return failed || joining.is_damaged || outcome != 0 ? EXIT_FAILED : has_fault(summaries) ? EXIT_FOUND : EXIT_DONE;
}

enum exit_status diagnoses_merge(struct summaries *summaries)
{
    return summaries->is_archive ? merge_archive(summaries) : join(summaries);
}
