#include "stream_kinds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream_rank.h"

/* Rates that lie further apart are of different kinds; so are durations that also differ by that many seconds. */
#define RATES_APART 1.5
#define DURATIONS_APART 2
#define SECONDS_APART 0.5
/* Clients of one kind at one port that are told apart. */
#define CLIENTS_FEW 10

typedef int compare_function(const void *a, const void *b);

uint64_t stream_mark_add(uint64_t mark, uint64_t what)
{
    mark = (mark ^ what) * UINT64_C(0x9e3779b97f4a7c15);
    return mark ^ mark >> 29;
}

/* ---- orders ------------------------------------------------------------------------------------------------------ */

#define COMPARE(one, other)                                                                                            \
    do {                                                                                                               \
        if ((one) != (other))                                                                                          \
            return (one) < (other) ? -1 : 1;                                                                           \
    } while (0)

/* Equal recipes of streams that are kept are one. */
static int by_form(const void *a, const void *b)
{
    const struct stream_member *x = a, *y = b;
    const struct armtap_stream *one = x->summary->stream, *other = y->summary->stream;
    COMPARE(one->protocol, other->protocol);
    COMPARE(one->version, other->version);
    COMPARE(one->generation, other->generation);
    COMPARE(one->midstream + 2 * one->forgotten, other->midstream + 2 * other->forgotten);
    COMPARE((uintptr_t)x->summary->recipe, (uintptr_t)y->summary->recipe);
    COMPARE(x->mark, y->mark);
    return strcmp(one->controller_version, other->controller_version);
}

static int by_rate(const void *a, const void *b)
{
    const struct stream_member *one = a, *other = b;
    COMPARE(one->rate, other->rate);
    return 0;
}

static int by_duration(const void *a, const void *b)
{
    const struct stream_member *one = a, *other = b;
    COMPARE(one->duration, other->duration);
    return 0;
}

static int by_number(const void *a, const void *b)
{
    const struct stream_member *one = a, *other = b;
    COMPARE(one->summary->number, other->summary->number);
    return 0;
}

static int compare_hosts(const char *one, const char *other)
{
    int length = stream_host(one), of_other = stream_host(other);
    COMPARE(length, of_other);
    return memcmp(one, other, (size_t)length);
}

static int by_robot(const void *a, const void *b)
{
    const struct stream_member *one = a, *other = b;
    return strcmp(one->summary->stream->robot, other->summary->stream->robot);
}

static int by_client(const void *a, const void *b)
{
    const struct stream_member *one = a, *other = b;
    int robots = by_robot(a, b);
    return robots != 0 ? robots : compare_hosts(one->summary->stream->client, other->summary->stream->client);
}

static int by_ends(const void *a, const void *b)
{
    int ends = by_client(a, b);
    return ends != 0 ? ends : by_number(a, b);
}

static int by_robot_and_number(const void *a, const void *b)
{
    int robots = by_robot(a, b);
    return robots != 0 ? robots : by_number(a, b);
}

static int by_first(const void *a, const void *b)
{
    const struct stream_group *one = a, *other = b;
    COMPARE(one->first, other->first);
    return 0;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* Where the members end that are equal to the first of [from, to). */
static size_t end_of(const struct stream_member *members, size_t from, size_t to, compare_function *compare)
{
    size_t end = from + 1;
    while (end < to && compare(&members[from], &members[end]) == 0)
        end++;
    return end;
}

static bool is_rate_apart(const struct stream_member *one, const struct stream_member *next)
{
    return next->rate > one->rate * RATES_APART;
}

static bool is_duration_apart(const struct stream_member *one, const struct stream_member *next)
{
    return next->duration > one->duration * DURATIONS_APART && next->duration - one->duration > SECONDS_APART;
}

/* Where the members end, in an order of amounts, that have no wide step between them. */
static size_t end_of_cluster(const struct stream_member *members, size_t from, size_t to,
                             bool (*is_apart)(const struct stream_member *one, const struct stream_member *next))
{
    size_t end = from + 1;
    while (end < to && !is_apart(&members[end - 1], &members[end]))
        end++;
    return end;
}

static void sort(const struct stream_kinds *kinds, size_t from, size_t to, compare_function *compare)
{
    qsort(kinds->members + from, to - from, sizeof *kinds->members, compare);
}

static void add(const struct stream_kinds *kinds, struct stream_group *groups, size_t *count, size_t from, size_t to)
{
    struct stream_group group = {from, to - from, UINT32_MAX, 0};
    for (size_t i = from; i < to; i++) {
        uint32_t number = kinds->members[i].summary->number;
        group.first = number < group.first ? number : group.first;
        group.last = number > group.last ? number : group.last;
    }
    groups[(*count)++] = group;
}

/* A robot's streams of a kind: by client, unless these are many. */
static void add_rows_of_robot(struct stream_kinds *kinds, size_t from, size_t to)
{
    size_t clients = 0;
    for (size_t i = from; i < to; i = end_of(kinds->members, i, to, by_client))
        clients++;
    if (clients > CLIENTS_FEW) {
        sort(kinds, from, to, by_robot_and_number);
        add(kinds, kinds->rows, &kinds->row_count, from, to);
        return;
    }
    for (size_t i = from, end; i < to; i = end) {
        end = end_of(kinds->members, i, to, by_client);
        add(kinds, kinds->rows, &kinds->row_count, i, end);
    }
}

static void add_kind(struct stream_kinds *kinds, size_t from, size_t to)
{
    bool is_few = to - from <= STREAM_KIND_FEW;
    sort(kinds, from, to, by_ends);
    for (size_t i = from; is_few && i < to; i++) {
        add(kinds, kinds->kinds, &kinds->kind_count, i, i + 1);
        add(kinds, kinds->rows, &kinds->row_count, i, i + 1);
    }
    if (is_few)
        return;
    add(kinds, kinds->kinds, &kinds->kind_count, from, to);
    for (size_t i = from, end; i < to; i = end) {
        end = end_of(kinds->members, i, to, by_robot);
        add_rows_of_robot(kinds, i, end);
    }
}

/* Streams that are too short for a rate have the one in the middle of those that are not. */
static void assume_rates(const struct stream_kinds *kinds, size_t from, size_t to)
{
    size_t known = from;
    sort(kinds, from, to, by_rate);
    while (known < to && !(kinds->members[known].rate > 0))
        known++;
    for (size_t i = from; i < known && known < to; i++)
        kinds->members[i].rate = kinds->members[known + (to - known) / 2].rate;
    sort(kinds, from, to, by_rate);
}

/* Members of one form: split where rates, then durations are far apart. */
static void split(struct stream_kinds *kinds, size_t from, size_t to)
{
    assume_rates(kinds, from, to);
    for (size_t rates = from, end; rates < to; rates = end) {
        end = end_of_cluster(kinds->members, rates, to, is_rate_apart);
        sort(kinds, rates, end, by_duration);
        for (size_t i = rates, next; i < end; i = next) {
            next = end_of_cluster(kinds->members, i, end, is_duration_apart);
            add_kind(kinds, i, next);
        }
    }
}

bool stream_kinds_find(struct stream_kinds *kinds, const struct armtap_streams *streams,
                       void (*measure)(const void *user, struct stream_member *member), const void *user)
{
    size_t count = armtap_streams_count(streams);
    *kinds = (struct stream_kinds){.members = calloc(count + 1, sizeof *kinds->members),
                                   .kinds = calloc(count + 1, sizeof *kinds->kinds),
                                   .rows = calloc(count + 1, sizeof *kinds->rows)};
    if (!kinds->members || !kinds->kinds || !kinds->rows)
        return false;
    for (size_t i = 0; i < count; i++) {
        kinds->members[i].summary = armtap_streams_at(streams, i);
        measure(user, &kinds->members[i]);
    }
    sort(kinds, 0, count, by_form);
    for (size_t i = 0, end; i < count; i = end) {
        end = end_of(kinds->members, i, count, by_form);
        split(kinds, i, end);
    }
    qsort(kinds->kinds, kinds->kind_count, sizeof *kinds->kinds, by_first);
    qsort(kinds->rows, kinds->row_count, sizeof *kinds->rows, by_first);
    return true;
}

void stream_kinds_free(struct stream_kinds *kinds)
{
    free(kinds->members);
    free(kinds->kinds);
    free(kinds->rows);
    *kinds = (struct stream_kinds){0};
}

/* ---- what is said of a group ------------------------------------------------------------------------------------- */

static bool is_of_one_client(const struct stream_kinds *kinds, const struct stream_group *group)
{
    const char *client = kinds->members[group->from].summary->stream->client;
    for (size_t i = group->from; i < group->from + group->count; i++)
        if (compare_hosts(client, kinds->members[i].summary->stream->client) != 0)
            return false;
    return true;
}

size_t stream_group_robots(const struct stream_kinds *kinds, const struct stream_group *group)
{
    size_t count = 0, to = group->from + group->count;
    for (size_t i = group->from; i < to; i = end_of(kinds->members, i, to, by_robot))
        count++;
    return count;
}

const char *stream_group_numbers(char to[STREAM_GROUP_MAX], const struct stream_group *group)
{
    int length = snprintf(to, STREAM_GROUP_MAX, "%" PRIu32, group->first);
    if (group->count > 1)
        snprintf(to + length, STREAM_GROUP_MAX - (size_t)length, "-%" PRIu32, group->last);
    return to;
}

const char *stream_group_client(char to[STREAM_GROUP_MAX], const struct stream_kinds *kinds,
                                const struct stream_group *group, const char *name)
{
    bool is_address = name == kinds->members[group->from].summary->stream->client;
    int length = is_address ? stream_host(name) : (int)strlen(name);
    if (group->count == 1 || length == 0)
        snprintf(to, STREAM_GROUP_MAX, "%s", *name ? name : "-");
    else if (is_of_one_client(kinds, group))
        snprintf(to, STREAM_GROUP_MAX, "%.*s (%zu)", length < 45 ? length : 45, name, group->count);
    else
        snprintf(to, STREAM_GROUP_MAX, "several (%zu)", group->count);
    return to;
}
