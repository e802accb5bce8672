/* armtap merge: what armtap info --json or diagnose --json printed of many captures, as it would print it of all. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json_writer.h"
#include "base/message.h"
#include "command_line/commands.h"
#include "command_line/options.h"
#include "diagnoses.h"
#include "info/info.h"
#include "summaries.h"

#define OPTION_FINDINGS_OK 1
#define RATE_DIGITS 6
#define TIME_DIGITS 9

static const struct option_row rows[] = {
    {OPTION_FINDINGS_OK, 0, "findings-ok", NULL, "exit with 0 in place of 1"},
};

static const struct option_usage usage = {
    .command = "merge",
    .arguments = "SUMMARY...",
    .summary =
        "Adds up what armtap info --json or armtap diagnose --json printed. Of captures in an archive, printed with "
        "--after, the sum is what these print of all of them at once; streams of other captures are listed one after "
        "another. Exit status 1 if there is a warning or an error.",
    .rows = rows,
    .row_count = sizeof rows / sizeof *rows,
    .examples = "  for f in monday-*.pcapng; do armtap info --json --after sidecars $f > $f.json; done\n"
                "  armtap merge monday-*.json > monday.json\n"};

enum how {
    HOW_LAST,  /* what is known at the end of the archive: the same in all, or newer */
    HOW_FIRST, /* of the first that is not null */
    HOW_FINAL, /* of the last that is not null */
    HOW_SUM,
    HOW_SUM_DECIMAL,
    HOW_RATE, /* made of the sums of steps and streaming_s */
    HOW_NOTES,
    HOW_NUMBER /* the stream's */
};

/* How the values of a stream are added up, in their order. */
static const struct rule {
    const char *key;
    enum how how;
} stream_rules[] = {
    {"stream", HOW_NUMBER},
    {"protocol", HOW_LAST},
    {"version", HOW_LAST},
    {"generation", HOW_LAST},
    {"robot", HOW_LAST},
    {"client", HOW_LAST},
    {"controller_version", HOW_LAST},
    {"records", HOW_SUM},
    {"records_to_robot", HOW_SUM},
    {"first_time", HOW_FIRST},
    {"last_time", HOW_FINAL},
    {"rate_hz", HOW_RATE},
    {"steps", HOW_SUM},
    {"streaming_s", HOW_SUM_DECIMAL},
    {"fields", HOW_LAST},
    {"guess", HOW_LAST},
    {"candidates", HOW_LAST},
    {"midstream", HOW_FIRST},
    {"gaps", HOW_SUM},
    {"bytes_decoded", HOW_SUM},
    {"bytes_lost", HOW_SUM},
    {"bytes_skipped", HOW_SUM},
    {"notes", HOW_NOTES},
};

/* A stream, as the summaries have it. */
struct stream {
    const struct json_node **parts;
    size_t count, room;
    uint64_t number;
};

struct merge {
    struct options options;
    struct summaries summaries;
    struct stream *streams;
    size_t count, room;
    uint64_t *notes; /* by kind */
    bool findings_ok;
    struct buffer text; /* of a value */
    bool is_damaged;    /* a value was not what it must be */
};

/* ---- values ------------------------------------------------------------------------------------------------------ */

static bool is_null(const struct json_node *node)
{
    return !node || node->kind == JSON_NULL;
}

/* As it stands in the text, hidden characters escaped. */
static void print_node(struct merge *merge, struct json *json, const struct json_node *node)
{
    if (is_null(node)) {
        json_null(json);
        return;
    }
    size_t quote = node->kind == JSON_STRING, length = node->length + 2 * quote;
    char *raw = buffer_room(&merge->text, JSON_QUOTED_MAX(length) + 1);
    if (!raw) {
        json_null(json);
        return;
    }
    raw[json_mend(raw, node->text - quote, length)] = '\0';
    json_number(json, raw);
}

static uint64_t sum(struct merge *merge, const struct stream *stream, const char *key)
{
    uint64_t total = 0, number;
    for (size_t i = 0; i < stream->count; i++) {
        if (!json_node_unsigned(json_node_member(stream->parts[i], key), &number))
            merge->is_damaged = true;
        total += number;
    }
    return total;
}

/* A number with nine decimals, in 1e-9. */
static bool get_decimal(const struct json_node *node, int64_t *number)
{
    bool negative = node && node->kind == JSON_NUMBER && node->text[0] == '-';
    uint64_t size = 0;
    size_t decimals = 0, point = 0;
    *number = 0;
    if (!node || node->kind != JSON_NUMBER)
        return false;
    for (size_t i = negative; i < node->length; i++) {
        unsigned digit = (unsigned)(node->text[i] - '0');
        if (node->text[i] == '.' && point++ == 0)
            continue;
        if (digit > 9 || size > ((uint64_t)INT64_MAX - digit) / 10)
            return false;
        size = 10 * size + digit;
        decimals += point;
    }
    *number = negative ? -(int64_t)size : (int64_t)size;
    return decimals == TIME_DIGITS;
}

static int64_t sum_decimal(struct merge *merge, const struct stream *stream, const char *key)
{
    int64_t total = 0, number;
    for (size_t i = 0; i < stream->count; i++) {
        if (!get_decimal(json_node_member(stream->parts[i], key), &number))
            merge->is_damaged = true;
        total = armtap_time_shift(total, number);
    }
    return total;
}

static const struct json_node *first_of(const struct stream *stream, const char *key)
{
    for (size_t i = 0; i < stream->count; i++)
        if (!is_null(json_node_member(stream->parts[i], key)))
            return json_node_member(stream->parts[i], key);
    return NULL;
}

static const struct json_node *final_of(const struct stream *stream, const char *key)
{
    for (size_t i = stream->count; i-- > 0;)
        if (!is_null(json_node_member(stream->parts[i], key)))
            return json_node_member(stream->parts[i], key);
    return NULL;
}

/* ---- notes ------------------------------------------------------------------------------------------------------- */

static void clear_notes(struct merge *merge)
{
    memset(merge->notes, 0, armtap_note_count() * sizeof *merge->notes);
}

static void add_notes(struct merge *merge, const struct json_node *notes)
{
    if (!notes || notes->kind != JSON_OBJECT) {
        merge->is_damaged = true;
        return;
    }
    for (const struct json_node *at = json_node_first(notes); at != json_node_end(notes); at = json_node_next(at + 1)) {
        char id[80];
        uint64_t count;
        snprintf(id, sizeof id, "%.*s", (int)at->length, at->text);
        const struct armtap_note_kind *kind = armtap_note_find(id);
        if (!kind || !json_node_unsigned(at + 1, &count))
            merge->is_damaged = true;
        else
            merge->notes[kind - armtap_note_at(0)] += count;
    }
}

static void print_notes(const struct merge *merge, struct json *json)
{
    json_object(json, false);
    for (size_t i = 0; i < armtap_note_count(); i++) {
        if (merge->notes[i] == 0)
            continue;
        json_key(json, armtap_note_at(i)->id);
        json_unsigned(json, merge->notes[i]);
    }
    json_close(json);
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

static void print_rate(struct merge *merge, struct json *json, const struct stream *stream)
{
    int64_t rate = info_rate_of(sum(merge, stream, "steps"), sum_decimal(merge, stream, "streaming_s"));
    if (rate < 0)
        json_null(json);
    else
        json_decimal(json, rate, RATE_DIGITS);
}

static void print_value(struct merge *merge, struct json *json, const struct stream *stream, const struct rule *rule)
{
    switch (rule->how) {
    case HOW_LAST:
        print_node(merge, json, json_node_member(stream->parts[stream->count - 1], rule->key));
        break;
    case HOW_FIRST:
        print_node(merge, json, first_of(stream, rule->key));
        break;
    case HOW_FINAL:
        print_node(merge, json, final_of(stream, rule->key));
        break;
    case HOW_SUM:
        json_unsigned(json, sum(merge, stream, rule->key));
        break;
    case HOW_SUM_DECIMAL:
        json_decimal(json, sum_decimal(merge, stream, rule->key), TIME_DIGITS);
        break;
    case HOW_RATE:
        print_rate(merge, json, stream);
        break;
    case HOW_NOTES:
        clear_notes(merge);
        for (size_t i = 0; i < stream->count; i++)
            add_notes(merge, json_node_member(stream->parts[i], rule->key));
        print_notes(merge, json);
        break;
    case HOW_NUMBER:
        json_unsigned(json, stream->number);
        break;
    }
}

static void print_stream(struct merge *merge, struct json *json, const struct stream *stream)
{
    json_object(json, true);
    for (size_t i = 0; i < sizeof stream_rules / sizeof *stream_rules; i++) {
        json_key(json, stream_rules[i].key);
        print_value(merge, json, stream, &stream_rules[i]);
    }
    json_close(json);
}

/* The stream of that number, added if necessary; NULL without memory. */
static struct stream *stream_of(struct merge *merge, uint64_t number)
{
    for (size_t i = 0; i < merge->count; i++)
        if (merge->streams[i].number == number)
            return &merge->streams[i];
    if (merge->count == merge->room) {
        size_t room = merge->room ? 2 * merge->room : 16;
        struct stream *streams = realloc(merge->streams, room * sizeof *streams);
        if (!streams)
            return NULL;
        merge->streams = streams;
        merge->room = room;
    }
    merge->streams[merge->count] = (struct stream){.number = number};
    return &merge->streams[merge->count++];
}

static int add_part(struct merge *merge, const struct json_node *node)
{
    uint64_t number;
    if (!json_node_unsigned(json_node_member(node, "stream"), &number))
        merge->is_damaged = true;
    struct stream *stream = stream_of(merge, merge->summaries.is_archive ? number : merge->count);
    if (!stream)
        return -1;
    if (stream->count == stream->room) {
        size_t room = stream->room ? 2 * stream->room : 4;
        const struct json_node **parts = realloc((void *)stream->parts, room * sizeof *parts);
        if (!parts)
            return -1;
        stream->parts = parts;
        stream->room = room;
    }
    stream->parts[stream->count++] = node;
    return 0;
}

static int by_number(const void *a, const void *b)
{
    const struct stream *one = a, *other = b;
    return (one->number > other->number) - (one->number < other->number);
}

static int find_streams(struct merge *merge)
{
    for (size_t i = 0; i < merge->summaries.count; i++) {
        const struct json_node *streams = json_node_member(merge->summaries.all[i].root, "streams");
        for (const struct json_node *at = json_node_first(streams); at != json_node_end(streams);
             at = json_node_next(at))
            if (add_part(merge, at) != 0)
                return -1;
    }
    if (merge->count > 0)
        qsort(merge->streams, merge->count, sizeof *merge->streams, by_number);
    return 0;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void print_sum(struct merge *merge, struct json *json, const char *key)
{
    uint64_t total = 0, number;
    for (size_t i = 0; i < merge->summaries.count; i++) {
        if (!json_node_unsigned(json_node_member(merge->summaries.all[i].root, key), &number))
            merge->is_damaged = true;
        total += number;
    }
    json_key(json, key);
    json_unsigned(json, total);
}

/* Of an archive each summary has all that is known of it: the last one's. */
static void print_list(struct merge *merge, struct json *json, const char *key)
{
    const struct summaries *summaries = &merge->summaries;
    json_key(json, key);
    json_array(json, true);
    for (size_t i = summaries->is_archive ? summaries->count - 1 : 0; i < summaries->count; i++) {
        const struct json_node *list = json_node_member(summaries->all[i].root, key);
        for (const struct json_node *at = json_node_first(list); at != json_node_end(list); at = json_node_next(at))
            print_node(merge, json, at);
    }
    json_close(json);
}

static void print_rest(struct merge *merge, struct json *json, const char *key)
{
    const struct json_node *rest = json_node_member(merge->summaries.all[merge->summaries.count - 1].root, key);
    if (!rest)
        return;
    json_key(json, key);
    print_node(merge, json, rest);
}

static void write_sum(struct merge *merge, FILE *file)
{
    struct json json;
    json_begin(&json, file);
    json_object(&json, true);
    print_sum(merge, &json, "packets");
    print_sum(merge, &json, "bytes");
    json_key(&json, "streams");
    json_array(&json, true);
    for (size_t i = 0; i < merge->count; i++)
        print_stream(merge, &json, &merge->streams[i]);
    json_close(&json);
    print_rest(merge, &json, "more_streams");
    print_rest(merge, &json, "more_recipes");
    print_list(merge, &json, "attempts");
    print_list(merge, &json, "other_ports");
    json_key(&json, "notes");
    clear_notes(merge);
    for (size_t i = 0; i < merge->summaries.count; i++)
        add_notes(merge, json_node_member(merge->summaries.all[i].root, "notes"));
    print_notes(merge, &json);
    json_end(&json);
}

/* All or nothing, if memory runs out. */
static int print(struct merge *merge)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    if (file)
        write_sum(merge, file);
    bool failed = !file || ferror(file) || merge->text.failed;
    if (file && fclose(file) != 0)
        failed = true;
    if (!failed)
        fwrite(text, 1, length, stdout);
    free(text);
    return failed ? -1 : 0;
}

/* After print(): the notes of all. */
static enum exit_status status_of(const struct merge *merge)
{
    if (merge->is_damaged) {
        message_error(
            "a summary lacks what armtap info --json prints, or another version of armtap printed it: the sum "
            "is wrong; print the summaries anew");
        return EXIT_FAILED;
    }
    for (size_t i = 0; i < armtap_note_count(); i++)
        if (merge->notes[i] > 0 && armtap_note_at(i)->severity >= ARMTAP_WARNING)
            return merge->findings_ok ? EXIT_DONE : EXIT_FOUND;
    return EXIT_DONE;
}

static int take(void *user, int id, const char *value)
{
    struct merge *merge = user;
    (void)value;
    merge->findings_ok = merge->findings_ok || id == OPTION_FINDINGS_OK;
    return 0;
}

static enum exit_status run(struct merge *merge)
{
    if (merge->options.operand_count == 0) {
        message_error("merge: name the summaries, which armtap info --json and diagnose --json print");
        return EXIT_FAILED;
    }
    if (summaries_read(&merge->summaries, merge->options.operands, merge->options.operand_count) != 0)
        return EXIT_FAILED;
    if (merge->summaries.is_diagnosis) {
        enum exit_status status = diagnoses_merge(&merge->summaries);
        return status == EXIT_FOUND && merge->findings_ok ? EXIT_DONE : status;
    }
    merge->notes = calloc(armtap_note_count() + 1, sizeof *merge->notes);
    if (!merge->notes || find_streams(merge) != 0) {
        message_no_memory();
        return EXIT_FAILED;
    }
    if (print(merge) == 0)
        return status_of(merge);
    message_no_memory();
    return EXIT_FAILED;
}

int cmd_merge(int argc, char **argv)
{
    struct merge merge = {.count = 0};
    enum options_outcome outcome = options_parse(&usage, argc, argv, &merge.options, take, &merge);
    if (outcome != OPTIONS_RUN)
        return options_status(outcome);
    enum exit_status status = run(&merge);
    for (size_t i = 0; i < merge.count; i++)
        free((void *)merge.streams[i].parts);
    free(merge.streams);
    free(merge.notes);
    free(merge.text.data);
    summaries_free(&merge.summaries);
    options_free(&merge.options);
    return (int)status;
}
