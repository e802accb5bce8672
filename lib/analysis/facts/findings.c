#include "analysis/facts/findings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "by_connection.h"
#include "analysis/numbers.h"

/* A connection gets less room until it is known to carry telemetry. */
#define EACH_UNKNOWN 100
#define SUM_BYTES 300    /* room for the arguments of a sum */
#define ARGUMENT_MAX 480 /* bytes of a text that are kept: no sentence shows more */

/* The findings of one connection, or of the whole capture. */
struct group {
    struct armtap_finding *all;
    size_t count;
    struct kind_count {
        uint32_t index; /* of armtap_note_at */
        uint32_t kept;
        size_t sum; /* index in `all` of the sum, plus 1 */
    } * of_kind;    /* only the kinds that occur */
    size_t kind_count;
};

struct findings {
    struct group *of_capture;        /* NULL: none */
    struct by_connection of_streams; /* struct group */
    struct group *rest;              /* the sums of all further connections; NULL: none */
    uint64_t order;
    size_t kept;
    size_t bytes; /* memory of findings and arguments */
    bool failed;
    bool is_muted;
    bool stopped;                /* by the listener */
    findings_listener *listener; /* NULL: none */
    void *listener_user;
    struct armtap_finding *settled;
    size_t settled_count;
    size_t pairs;
};

struct findings *armtap_findings_new(void)
{
    return calloc(1, sizeof(struct findings));
}

static void group_free(struct group *group)
{
    for (size_t i = 0; i < group->count; i++)
        armtap_arguments_free(&group->all[i].arguments);
    free(group->all);
    free(group->of_kind);
    free(group);
}

void armtap_findings_free(struct findings *findings)
{
    if (!findings)
        return;
    for (size_t i = 0; i < findings->of_streams.count; i++)
        group_free(findings->of_streams.slots[i].thing);
    if (findings->of_capture)
        group_free(findings->of_capture);
    if (findings->rest)
        group_free(findings->rest);
    for (size_t i = 0; i < findings->settled_count; i++)
        armtap_arguments_free(&findings->settled[i].arguments);
    free(findings->of_streams.slots);
    free(findings->settled);
    free(findings);
}

bool armtap_findings_failed(const struct findings *findings)
{
    return findings->failed;
}

void armtap_findings_mute(struct findings *findings, bool is_muted)
{
    findings->is_muted = is_muted;
}

bool armtap_findings_is_muted(const struct findings *findings)
{
    return findings->is_muted;
}

int armtap_findings_outcome(const struct findings *findings)
{
    return findings->failed ? ARMTAP_ERR_MEMORY : findings->stopped ? ARMTAP_ERR_STOPPED : ARMTAP_OK;
}

void armtap_findings_listen(struct findings *findings, findings_listener *listener, void *user)
{
    findings->listener = listener;
    findings->listener_user = user;
}

/* ---- collecting ------------------------------------------------------------------------------------------------ */

static size_t index_of(const struct armtap_note_kind *kind)
{
    return (size_t)(kind - armtap_note_at(0));
}

/* Finds or adds a kind in a group; NULL if memory runs out. */
static struct kind_count *count_of(struct group *group, const struct armtap_note_kind *kind)
{
    uint32_t index = (uint32_t)index_of(kind);
    for (size_t i = 0; i < group->kind_count; i++)
        if (group->of_kind[i].index == index)
            return &group->of_kind[i];
    if (!MAKE_ROOM(group->of_kind, group->kind_count))
        return NULL;
    group->of_kind[group->kind_count] = (struct kind_count){.index = index};
    return &group->of_kind[group->kind_count++];
}

/* Finds or adds the group of a connection; NULL if memory runs out. */
static struct group *group_of(struct findings *findings, const struct armtap_stream *stream)
{
    struct group *group = stream ? by_connection_find(&findings->of_streams, stream->connection) : findings->of_capture;
    if (group)
        return group;
    if (stream)
        return by_connection_new(&findings->of_streams, stream->connection, sizeof *group);
    findings->of_capture = calloc(1, sizeof *group);
    return findings->of_capture;
}

static struct armtap_finding *append(struct group *group)
{
    return MAKE_ROOM(group->all, group->count) ? &group->all[group->count++] : NULL;
}

/* ---- facts ------------------------------------------------------------------------------------------------------- */

static bool is_text(const struct armtap_argument *argument)
{
    return armtap_argument_kind(argument)->type >= ARMTAP_TEXT;
}

static size_t kept_length(const struct armtap_argument *argument)
{
    return !is_text(argument) ? 0 : argument->length < ARGUMENT_MAX ? argument->length : ARGUMENT_MAX;
}

/* Of a copy: the arguments, and behind them their texts. */
static size_t size_of(const struct armtap_arguments *arguments)
{
    size_t size = arguments->count * sizeof *arguments->all;
    for (size_t i = 0; i < arguments->count; i++)
        size += is_text(&arguments->all[i]) ? kept_length(&arguments->all[i]) + 1 : 0;
    return size;
}

bool armtap_arguments_copy(struct armtap_arguments *to, const struct armtap_arguments *from)
{
    struct armtap_argument *all = from->count > 0 ? malloc(size_of(from)) : NULL;
    char *texts = (char *)(all + from->count);
    *to = (struct armtap_arguments){all, 0};
    for (size_t i = 0; all && i < from->count; i++) {
        if (from->all[i].id == ARMTAP_ARGUMENT_none)
            continue;
        struct armtap_argument *copy = &all[to->count++];
        *copy = from->all[i];
        if (!is_text(copy))
            continue;
        copy->length = (uint32_t)kept_length(copy);
        memcpy(texts, copy->value.text, copy->length);
        texts[copy->length] = '\0';
        copy->value.text = texts;
        texts += copy->length + 1;
    }
    return from->count == 0 || all;
}

void armtap_arguments_free(struct armtap_arguments *arguments)
{
    free((struct armtap_argument *)arguments->all);
    *arguments = (struct armtap_arguments){NULL, 0};
}

/* How large it is among its like: packages, bytes, seconds. */
static double measure_of(const struct fact *fact)
{
    const struct armtap_argument *measure = armtap_argument_of(fact->arguments, armtap_note_measure(fact->code));
    if (!measure)
        return 0;
    return armtap_argument_kind(measure)->type == ARMTAP_NUMBER ? measure->value.number : (double)measure->value.count;
}

/* What is kept of a fact. */
struct news {
    const struct fact *fact;
    const struct armtap_note_kind *kind;
    double size;
    struct armtap_where last;
};

/* Takes the arguments if this is the largest so far. False if memory runs out. */
static bool add_to_sum(struct armtap_finding *sum, double size, const struct armtap_where *where,
                       const struct armtap_arguments *arguments)
{
    sum->count++;
    sum->total += size;
    if (armtap_time_is_before(where, &sum->where))
        sum->where = *where;
    if (armtap_time_is_before(&sum->last, where))
        sum->last = *where;
    if (size <= sum->size)
        return true;
    armtap_arguments_free(&sum->arguments);
    sum->size = size;
    sum->largest = *where;
    return armtap_arguments_copy(&sum->arguments, arguments);
}

/* The approximate memory of a finding with so many bytes of arguments; arrays grow in advance. */
static size_t bytes_of(size_t arguments)
{
    enum { MALLOC = 16 };
    return 3 * sizeof(struct armtap_finding) / 2 + arguments + MALLOC;
}

/* Appends a finding without arguments to a group; NULL if memory runs out. */
static struct armtap_finding *begin_finding(struct findings *findings, struct group *group,
                                            const struct armtap_note_kind *kind, const struct armtap_where *where)
{
    struct armtap_finding *finding = append(group);
    if (finding)
        *finding = (struct armtap_finding){.kind = kind,
                                           .where = *where,
                                           .last = *where,
                                           .largest = *where,
                                           .order = findings->order++,
                                           .stream = ARMTAP_NO_STREAM};
    return finding;
}

/* Finds or adds the sum of a kind in a group; NULL if memory runs out. */
static struct armtap_finding *sum_of(struct findings *findings, struct group *group, struct kind_count *count,
                                     const struct armtap_note_kind *kind, const struct armtap_where *where)
{
    if (count->sum == 0) {
        struct armtap_finding *sum = begin_finding(findings, group, kind, where);
        if (!sum)
            return NULL;
        sum->is_sum = true;
        sum->is_of_streams = group == findings->rest;
        count->sum = group->count;
        findings->bytes += bytes_of(SUM_BYTES);
    }
    return &group->all[count->sum - 1];
}

static size_t weight_of(const struct armtap_finding *finding)
{
    return bytes_of(finding->is_sum ? SUM_BYTES : size_of(&finding->arguments));
}

static bool keep(struct findings *findings, struct group *group, struct kind_count *count, const struct news *news)
{
    struct armtap_finding *finding = begin_finding(findings, group, news->kind, news->fact->where);
    if (!finding)
        return false;
    finding->count = 1 + news->fact->more;
    finding->size = news->size;
    finding->total = news->size * (double)finding->count;
    finding->last = news->last;
    finding->is_doubtful = news->fact->is_doubtful;
    count->kept++;
    findings->kept++;
    bool is_copied = armtap_arguments_copy(&finding->arguments, news->fact->arguments);
    findings->bytes += weight_of(finding);
    return is_copied;
}

/* Adds to the stream's sum of a kind, or to the sum of all streams if there are too many. */
static bool sum_up(struct findings *findings, struct group *group, struct kind_count *count, const struct news *news)
{
    const struct fact *fact = news->fact;
    if (count->sum == 0 && findings->bytes > FINDINGS_BYTES + FINDINGS_BYTES / 4) {
        if (!findings->rest)
            findings->rest = calloc(1, sizeof *findings->rest);
        group = findings->rest;
        count = group ? count_of(group, news->kind) : NULL;
    }
    struct armtap_finding *sum = count ? sum_of(findings, group, count, news->kind, fact->where) : NULL;
    if (!sum || !add_to_sum(sum, news->size, fact->where, fact->arguments))
        return false;
    sum->is_doubtful = sum->is_doubtful || fact->is_doubtful;
    sum->count += fact->more;
    sum->total += fact->is_sum ? fact->total - news->size : news->size * (double)fact->more;
    if (armtap_time_is_before(&sum->last, &news->last))
        sum->last = news->last;
    return true;
}

static bool is_full(const struct findings *findings)
{
    return findings->kept >= FINDINGS_ALL || findings->bytes >= FINDINGS_BYTES;
}

/* After a lost finding the listener gets nothing more: later findings would be misread. */
static void call_listener(struct findings *findings, const struct news *news)
{
    if (!findings->listener || findings->failed || findings->stopped)
        return;
    const struct armtap_finding finding = {.kind = news->kind,
                                           .where = *news->fact->where,
                                           .last = news->last,
                                           .largest = *news->fact->where,
                                           .is_doubtful = news->fact->is_doubtful,
                                           .count = 1 + news->fact->more,
                                           .size = news->size,
                                           .total = news->size * (double)(1 + news->fact->more),
                                           .order = findings->order,
                                           .stream = ARMTAP_NO_STREAM,
                                           .arguments = *news->fact->arguments};
    findings->stopped = findings->listener(findings->listener_user, &finding, news->fact->stream) != 0;
}

static void add(struct findings *findings, const struct news *news)
{
    const struct armtap_stream *stream = news->fact->stream;
    struct group *group = group_of(findings, stream);
    struct kind_count *count = group ? count_of(group, news->kind) : NULL;
    bool unknown = stream && stream->protocol == ARMTAP_PROTOCOL_NONE;
    if (!count) {
        findings->failed = true;
        return;
    }
    call_listener(findings, news);
    uint32_t room = unknown ? EACH_UNKNOWN : FINDINGS_EACH;
    bool is_beyond = news->fact->is_sum || count->sum > 0 || count->kept >= room || is_full(findings);
    if (is_beyond && unknown && is_full(findings))
        return;
    bool done = is_beyond ? sum_up(findings, group, count, news) : keep(findings, group, count, news);
    findings->failed = findings->failed || !done;
}

void armtap_findings_raise(struct findings *findings, const struct fact *fact)
{
    struct fact whole = *fact;
    whole.arguments = fact->arguments ? fact->arguments : NO_ARGS;
    struct news news = {.fact = &whole,
                        .kind = armtap_note_at(fact->code),
                        .size = measure_of(&whole),
                        .last = fact->more > 0 ? *fact->until : *fact->where};
    if (!findings || findings->is_muted)
        return;
    add(findings, &news);
}

void armtap_findings_drop(struct findings *findings, const struct armtap_note_kind *kind,
                          const struct armtap_stream *stream, const struct armtap_where *where)
{
    struct group *group = stream ? by_connection_find(&findings->of_streams, stream->connection) : findings->of_capture;
    size_t kept = 0;
    for (size_t i = 0; group && i < group->count; i++) {
        struct armtap_finding *finding = &group->all[i];
        bool is_there = finding->where.file == where->file && finding->where.packet == where->packet;
        if (finding->kind != kind || finding->is_sum || is_there == (stream != NULL)) {
            if (finding->is_sum)
                count_of(group, finding->kind)->sum = kept + 1;
            group->all[kept++] = *finding;
            continue;
        }
        count_of(group, kind)->kept--;
        findings->kept--;
        findings->bytes -= weight_of(finding);
        armtap_arguments_free(&finding->arguments);
    }
    if (group)
        group->count = kept;
}

static void drop_group(struct findings *findings, struct group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        findings->kept -= !group->all[i].is_sum;
        findings->bytes -= weight_of(&group->all[i]);
    }
    group_free(group);
}

void armtap_findings_forget(struct findings *findings, uint64_t connection)
{
    struct group *group = by_connection_remove(&findings->of_streams, connection);
    if (group)
        drop_group(findings, group);
}

/* Adds a finding to the sum of its kind over all further connections. */
static bool add_to_rest(struct findings *findings, const struct armtap_finding *finding)
{
    struct kind_count *count = count_of(findings->rest, finding->kind);
    struct armtap_finding *sum = count ? sum_of(findings, findings->rest, count, finding->kind, &finding->where) : NULL;
    if (!sum || !add_to_sum(sum, finding->size, &finding->largest, &finding->arguments))
        return false;
    sum->is_doubtful = sum->is_doubtful || finding->is_doubtful;
    sum->count += finding->count - 1;
    sum->total += finding->total - finding->size;
    if (armtap_time_is_before(&sum->last, &finding->last))
        sum->last = finding->last;
    return true;
}

void armtap_findings_add_up(struct findings *findings, uint64_t connection)
{
    struct group *group = by_connection_remove(&findings->of_streams, connection);
    if (!group)
        return;
    if (!findings->rest)
        findings->rest = calloc(1, sizeof *findings->rest);
    for (size_t i = 0; i < group->count && findings->rest; i++)
        findings->failed = !add_to_rest(findings, &group->all[i]) || findings->failed;
    findings->failed = findings->failed || !findings->rest;
    drop_group(findings, group);
}

/* ---- settling -------------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const struct armtap_finding *one = a;
    const struct armtap_finding *other = b;
    if (one->where.time != other->where.time)
        return one->where.time < other->where.time ? -1 : 1;
    if (one->where.file != other->where.file)
        return one->where.file < other->where.file ? -1 : 1;
    if (one->where.packet != other->where.packet)
        return one->where.packet < other->where.packet ? -1 : 1;
    return one->order < other->order ? -1 : one->order > other->order;
}

static size_t pair_of(const struct group *group, const struct armtap_note_kind *kind)
{
    size_t i = 0;
    while (i < group->kind_count && armtap_note_at(group->of_kind[i].index) != kind)
        i++;
    return i;
}

/* Moves the findings of a group to the settled ones. */
static void settle_group(struct findings *findings, struct group *group, uint32_t stream)
{
    for (size_t i = 0; i < group->count; i++) {
        struct armtap_finding *finding = &group->all[i];
        finding->stream = stream;
        finding->pair = (uint32_t)(findings->pairs + pair_of(group, finding->kind));
        findings->settled[findings->settled_count++] = *finding;
        finding->arguments = (struct armtap_arguments){NULL, 0};
    }
    findings->pairs += group->kind_count;
    group->count = 0;
    free(group->all);
    group->all = NULL;
}

int armtap_findings_settle(struct findings *findings, const struct armtap_streams *streams)
{
    size_t total = 0;
    for (size_t i = 0; i < findings->of_streams.count; i++)
        total += ((const struct group *)findings->of_streams.slots[i].thing)->count;
    total += findings->of_capture ? findings->of_capture->count : 0;
    total += findings->rest ? findings->rest->count : 0;
    findings->settled = calloc(total + 1, sizeof *findings->settled);
    if (!findings->settled)
        return -1;
    if (findings->rest)
        settle_group(findings, findings->rest, ARMTAP_NO_STREAM);
    if (findings->of_capture)
        settle_group(findings, findings->of_capture, ARMTAP_NO_STREAM);
    for (size_t i = 0; i < findings->of_streams.count; i++) {
        const struct by_connection_slot *slot = &findings->of_streams.slots[i];
        const struct armtap_stream_summary *summary = armtap_streams_of(streams, slot->connection);
        if (summary)
            settle_group(findings, slot->thing, summary->number);
    }
    qsort(findings->settled, findings->settled_count, sizeof *findings->settled, compare);
    return 0;
}

size_t armtap_findings_count(const struct findings *findings)
{
    return findings->settled_count;
}

size_t armtap_findings_pairs(const struct findings *findings)
{
    return findings->pairs;
}

struct armtap_finding *armtap_findings_at(const struct findings *findings, size_t i)
{
    return i < findings->settled_count ? &findings->settled[i] : NULL;
}

/* Whether an argument only says which robot it was: its end, of the same port, or its address as that of a reporter. */
static bool tells_robot(const struct armtap_finding *finding, const struct armtap_argument *one,
                        const struct armtap_argument *other)
{
    if (one->id == ARMTAP_ARGUMENT_reporter)
        return armtap_word_of(&finding->arguments, ARMTAP_ARGUMENT_who) == ARMTAP_WORD_robot;
    const char *port = one->id == ARMTAP_ARGUMENT_robot ? strrchr(one->value.text, ':') : NULL;
    const char *of_other = port ? strrchr(other->value.text, ':') : NULL;
    return of_other && strcmp(port, of_other) == 0;
}

bool armtap_findings_are_alike(const struct armtap_finding *one, const struct armtap_finding *other)
{
    if (one->kind != other->kind || one->arguments.count != other->arguments.count)
        return false;
    for (size_t i = 0; i < one->arguments.count; i++) {
        const struct armtap_argument *a = &one->arguments.all[i], *b = &other->arguments.all[i];
        enum armtap_argument_type type = armtap_argument_kind(a)->type;
        bool is_amount = type == ARMTAP_NUMBER || type == ARMTAP_COUNT || type == ARMTAP_TIME;
        if (a->id != b->id || (!is_amount && !armtap_is_same_argument(a, b) && !tells_robot(one, a, b)))
            return false;
    }
    return true;
}

/* ---- sentences --------------------------------------------------------------------------------------------------- */

void armtap_finding_line(struct armtap_line *line, const struct armtap_finding *finding, const struct armtap_zone *zone)
{
    const struct armtap_clock_face face = {armtap_line_time, zone};
    armtap_line_begin(line);
    armtap_line_sentence(line, armtap_note_sentence((enum armtap_note_code)index_of(finding->kind)),
                         &finding->arguments, &face);
}

void armtap_finding_say(char text[ARMTAP_FINDING_TEXT_MAX], const struct armtap_finding *finding,
                        const struct armtap_zone *zone)
{
    struct armtap_line line;
    int length = 0;
    armtap_finding_line(&line, finding, zone);
    if (finding->is_sum)
        length = snprintf(text, ARMTAP_FINDING_TEXT_MAX, "%" PRIu64 " more%s, up to packet %" PRIu64, finding->count,
                          finding->is_of_streams ? ", of further streams" : "", finding->last.packet);
    if (finding->is_sum && finding->size > 0)
        snprintf(text + length, ARMTAP_FINDING_TEXT_MAX - (size_t)length, "; the largest: %s, in packet %" PRIu64,
                 line.text, finding->largest.packet);
    else if (!finding->is_sum)
        snprintf(text, ARMTAP_FINDING_TEXT_MAX, "%s", line.text);
}

void armtap_remedy_say(char text[ARMTAP_REMEDY_MAX], const struct armtap_note_kind *kind,
                       const struct armtap_arguments *arguments)
{
    struct armtap_line line;
    armtap_line_begin(&line);
    armtap_line_sentence(&line, kind->remedy, arguments ? arguments : NO_ARGS, NULL);
    snprintf(text, ARMTAP_REMEDY_MAX, "%s", line.text);
}

bool armtap_same_host(const char *one, const char *other)
{
    const char *colon = strrchr(one, ':');
    size_t length = colon ? (size_t)(colon - one) + 1 : strlen(one);
    return length > 0 && strncmp(one, other, length) == 0 && strrchr(other, ':') == other + length - 1;
}
