#define _GNU_SOURCE /* tdestroy */
#include "summaries.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "base/os/names.h"
#include "base/process/message.h"
#include "info/info.h"
#include "values.h"

#define RATE_DIGITS 6
#define TIME_DIGITS 9

enum how {
    HOW_LAST,  /* what is known at the end of the archive: the same in all, or newer */
    HOW_GIVEN, /* the same, left out where none has it */
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
} rules[] = {
    {"stream", HOW_NUMBER},
    {"protocol", HOW_LAST},
    {"version", HOW_LAST},
    {"generation", HOW_LAST},
    {"robot", HOW_LAST},
    {"client", HOW_LAST},
    {"label", HOW_GIVEN},
    {"client_label", HOW_GIVEN},
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
    {"model", HOW_FINAL},
    {"midstream", HOW_FIRST},
    {"gaps", HOW_SUM},
    {"bytes_decoded", HOW_SUM},
    {"bytes_lost", HOW_SUM},
    {"bytes_skipped", HOW_SUM},
    {"notes", HOW_NOTES},
};

#define RULE_COUNT (sizeof rules / sizeof *rules)

union value {
    struct kept_text text;
    uint64_t sum;
    struct decimal_sum decimal;
    struct note_sum notes;
};

struct stream_sum {
    uint64_t number;
    union value values[RULE_COUNT]; /* by rule */
};

/* ---- finding ----------------------------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    const struct stream_sum *one = a, *other = b;
    return (one->number > other->number) - (one->number < other->number);
}

/* The stream of that number, added if necessary; NULL without memory. */
static struct stream_sum *stream_of(struct stream_sums *sums, uint64_t number)
{
    struct stream_sum wanted = {.number = number}, **kept = tfind(&wanted, &sums->tree, by_number);
    struct stream_sum *added = !kept && MAKE_ROOM(sums->all, sums->count) ? calloc(1, sizeof *added) : NULL;
    if (added)
        added->number = number;
    if (added && (kept = tsearch(added, &sums->tree, by_number)))
        sums->all[sums->count++] = added;
    else
        free(added);
    return kept ? *kept : NULL;
}

/* ---- adding ------------------------------------------------------------------------------------------------------ */

/* Whether a text takes the place of the one that was kept, so that the order of adding does not matter. */
static bool is_wanted(enum how how, const struct kept_text *kept, const struct json_node *node, uint64_t capture)
{
    bool is_later = capture >= kept->capture;
    if (how == HOW_LAST || how == HOW_GIVEN)
        return is_later && (node || how == HOW_LAST);
    return node && (!kept->text || (how == HOW_FIRST ? capture < kept->capture : is_later));
}

/* 0, or -1 after a message. */
static int add_value(union value *value, const struct rule *rule, const struct json_node *node, const struct spot *spot,
                     uint64_t capture)
{
    const struct json_node *text = node && node->kind != ARMTAP_JSON_NULL ? node : NULL;
    switch (rule->how) {
    case HOW_LAST:
    case HOW_GIVEN:
    case HOW_FIRST:
    case HOW_FINAL:
        return is_wanted(rule->how, &value->text, text, capture) ? text_keep(&value->text, text, capture) : 0;
    case HOW_SUM:
        return unsigned_add(&value->sum, node, spot, rule->key);
    case HOW_SUM_DECIMAL:
        return decimal_add(&value->decimal, node, spot, rule->key);
    case HOW_NOTES:
        return notes_add(&value->notes, node, spot);
    case HOW_RATE:
    case HOW_NUMBER:
        break;
    }
    return 0;
}

struct adding {
    struct stream_sums *sums;
    const struct summary *summary;
    size_t place;
};

static bool add_stream(void *user, const struct json_node *list, const struct json_node *node)
{
    struct adding *adding = user;
    const struct summary *summary = adding->summary;
    const struct spot spot = {.file = summary->name, .in_stream = true, .stream = adding->place++};
    uint64_t number = 0;
    (void)list;
    if (unsigned_add(&number, json_node_member(node, "stream"), &spot, "stream") != 0)
        return false;
    struct stream_sum *sum = stream_of(adding->sums, summary->is_placed ? number : adding->sums->count);
    if (!sum)
        return message_no_memory() == 0;
    for (size_t i = 0; i < RULE_COUNT; i++)
        if (add_value(&sum->values[i], &rules[i], json_node_member(node, rules[i].key), &spot, summary->capture) != 0)
            return false;
    return true;
}

int streams_add(struct stream_sums *sums, struct summary *summary)
{
    static const char *const streams[] = {"streams", NULL};
    struct adding adding = {sums, summary, 0};
    const struct json_taker taker = {streams, add_stream, &adding};
    return summary_take(summary, &taker);
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

static const union value *value_of(const struct stream_sum *sum, const char *key)
{
    size_t i = 0;
    while (strcmp(rules[i].key, key) != 0)
        i++;
    return &sum->values[i];
}

static void print_rate(const struct stream_sum *sum, struct json *json)
{
    int64_t rate = info_rate_of(value_of(sum, "steps")->sum, decimal_total(&value_of(sum, "streaming_s")->decimal));
    if (rate < 0)
        json_null(json);
    else
        json_decimal(json, rate, RATE_DIGITS);
}

static void print_value(const struct stream_sum *sum, const union value *value, enum how how, struct json *json)
{
    switch (how) {
    case HOW_LAST:
    case HOW_GIVEN:
    case HOW_FIRST:
    case HOW_FINAL:
        text_print(&value->text, json);
        break;
    case HOW_SUM:
        json_unsigned(json, value->sum);
        break;
    case HOW_SUM_DECIMAL:
        json_decimal(json, decimal_total(&value->decimal), TIME_DIGITS);
        break;
    case HOW_RATE:
        print_rate(sum, json);
        break;
    case HOW_NOTES:
        notes_print(&value->notes, json);
        break;
    case HOW_NUMBER:
        json_unsigned(json, sum->number);
        break;
    }
}

static int by_number_at(const void *a, const void *b)
{
    return by_number(*(struct stream_sum *const *)a, *(struct stream_sum *const *)b);
}

void streams_print(struct stream_sums *sums, struct json *json)
{
    if (sums->count > 0)
        qsort(sums->all, sums->count, sizeof(struct stream_sum *), by_number_at);
    json_array(json, true);
    for (size_t i = 0; i < sums->count; i++) {
        json_object(json, true);
        for (size_t j = 0; j < RULE_COUNT; j++) {
            if (rules[j].how == HOW_GIVEN && !sums->all[i]->values[j].text.text)
                continue;
            json_key(json, rules[j].key);
            print_value(sums->all[i], &sums->all[i]->values[j], rules[j].how, json);
        }
        json_close(json);
    }
    json_close(json);
}

static void release_value(const union value *value, enum how how)
{
    if (how <= HOW_FINAL)
        free(value->text.text);
    else if (how == HOW_NOTES)
        free(value->notes.counts);
}

static void release_sum(void *released)
{
    struct stream_sum *sum = released;
    for (size_t i = 0; i < RULE_COUNT; i++)
        release_value(&sum->values[i], rules[i].how);
    free(sum);
}

void streams_release(struct stream_sums *sums)
{
    tdestroy(sums->tree, release_sum);
    free(sums->all);
}
