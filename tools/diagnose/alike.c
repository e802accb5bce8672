/* Streams that are alike in what a diagnosis says of them, or in their modes: told together in its tables. */
#include <stdlib.h>
#include <string.h>

#include "diagnosis.h"
#include "analysis/inside.h"

/* Records from which a rate is one that a robot sends at. */
#define RATE_RECORDS 10

struct marks {
    const struct diagnosis *diagnosis;
    uint64_t *found; /* by stream: which kinds of findings, and who closed it */
};

static void mark_finding(uint64_t *mark, const struct armtap_finding *finding)
{
    const char *who = strcmp(finding->kind->id, "tcp.closed") == 0 ? armtap_finding_text(finding, "who") : NULL;
    if (who)
        *mark |= stream_mark_add(1, (uint64_t)*who);
    if (finding->kind->severity >= ARMTAP_WARNING)
        *mark |= stream_mark_add(2, (uintptr_t)finding->kind);
}

static void measure(const void *user, struct stream_member *member)
{
    const struct marks *marks = user;
    const struct armtap_stream_summary *summary = member->summary;
    const struct armtap_rates_totals *rates =
        armtap_diagnosis_stream_at(marks->diagnosis->found, summary->number)->rates;
    int64_t first = summary->first_time[ARMTAP_FROM_ROBOT], last = summary->last[ARMTAP_FROM_ROBOT].time;
    member->mark = stream_mark_add(marks->found[summary->number],
                                   (unsigned)((rates != NULL) | (rates && armtap_rates_know_skips(rates)) << 1 |
                                              (rates && rates->skipped > 0) << 2 | (summary->back != NULL) << 3 |
                                              (summary->stream->records[ARMTAP_FROM_ROBOT] > 0) << 4));
    if (rates) {
        member->mark = stream_mark_add(member->mark, (uint64_t)(rates->requested_hz * 1000));
        member->mark = stream_mark_add(member->mark, (uint64_t)(rates->highest_hz * 1000));
        member->rate = rates->steps < RATE_RECORDS ? 0 : rates->rate_hz;
    }
    if (first != ARMTAP_NO_TIME && last > first)
        member->duration = (double)armtap_time_between(first, last) / 1e9;
}

bool diagnosis_find_kinds(const struct diagnosis *diagnosis, struct stream_kinds *kinds)
{
    const struct armtap_finding *finding;
    size_t count = armtap_streams_count(diagnosis->streams);
    struct marks marks = {diagnosis, calloc(count + 1, sizeof *marks.found)};
    *kinds = (struct stream_kinds){0};
    for (size_t i = 0; marks.found && (finding = armtap_diagnosis_finding_at(diagnosis->found, i)); i++)
        if (finding->stream < count)
            mark_finding(&marks.found[finding->stream], finding);
    bool is_found = marks.found && stream_kinds_find(kinds, diagnosis->streams, measure, &marks);
    free(marks.found);
    return is_found;
}

static int64_t larger(int64_t one, int64_t other)
{
    return one > other ? one : other;
}

static void add_rates(struct diagnosis_line *line, const struct armtap_rates_totals *rates)
{
    struct armtap_rates_totals *sum = &line->rates;
    if (!line->has_rates) {
        *sum = *rates;
        line->has_rates = true;
        return;
    }
    sum->rate_hz =
        rates->rate_hz > 0 && (rates->rate_hz < sum->rate_hz || !(sum->rate_hz > 0)) ? rates->rate_hz : sum->rate_hz;
    sum->skipped += rates->skipped;
    sum->jitter_p50 = larger(sum->jitter_p50, rates->jitter_p50);
    sum->jitter_p99 = larger(sum->jitter_p99, rates->jitter_p99);
    sum->jitter_max = larger(sum->jitter_max, rates->jitter_max);
    sum->longest_gap = larger(sum->longest_gap, rates->longest_gap);
    sum->longest_silence = larger(sum->longest_silence, rates->longest_silence);
}

static double drift_of(const struct armtap_clock_totals *clock)
{
    return !clock || !clock->has_drift ? -1 : clock->drift_ppm < 0 ? -clock->drift_ppm : clock->drift_ppm;
}

struct diagnosis_line diagnosis_line_of(const struct diagnosis *diagnosis, const struct stream_kinds *kinds,
                                        const struct stream_group *group)
{
    struct diagnosis_line line = {
        .any = kinds->members[group->from].summary,
        .rates = {.jitter_p50 = -1, .jitter_p99 = -1, .jitter_max = -1, .longest_silence = -1, .longest_gap = -1}};
    for (size_t i = 0; i < group->count; i++) {
        const struct armtap_stream_summary *summary = kinds->members[group->from + i].summary;
        const struct armtap_stream_diagnosis *stream = armtap_diagnosis_stream_at(diagnosis->found, summary->number);
        if (stream->rates)
            add_rates(&line, stream->rates);
        line.records += summary->stream->records[ARMTAP_FROM_ROBOT];
        line.lost += summary->stream->bytes_lost[0] + summary->stream->bytes_lost[1];
        if (stream->clock && (!line.clock || drift_of(stream->clock) > drift_of(line.clock)))
            line.clock = stream->clock;
        if (summary->back && (!line.back || summary->back->by > line.back->by))
            line.back = summary->back;
    }
    return line;
}

/* ---- modes ------------------------------------------------------------------------------------------------------- */

static int by_stream(const void *a, const void *b)
{
    const struct mode_place *one = a, *other = b;
    if (one->stream != other->stream)
        return one->stream < other->stream ? -1 : 1;
    return one->index < other->index ? -1 : one->index > other->index;
}

static int by_mark(const void *a, const void *b)
{
    const struct mode_list *one = a, *other = b;
    if (one->mark != other->mark)
        return one->mark < other->mark ? -1 : 1;
    return by_stream(one->places, other->places);
}

static int by_first_place(const void *a, const void *b)
{
    const struct mode_list *one = a, *other = b;
    return by_stream(one->places, other->places);
}

static uint64_t mark_of(const struct diagnosis *diagnosis, const struct mode_place *places, size_t count)
{
    uint64_t mark = 0;
    for (size_t i = 0; i < count; i++) {
        const struct armtap_mode *mode = armtap_diagnosis_mode_at(diagnosis->found, places[i].index);
        if (!diagnosis_shows(diagnosis, &mode->where))
            continue;
        mark = stream_mark_add(mark, (uintptr_t)mode->field + mode->arm);
        mark = stream_mark_add(mark, (uint64_t)mode->value);
    }
    return mark;
}

/* Tells lists of the same values with the first of them, if they are many. `lists` are in the order of their streams,
 * before and afterwards. */
static void join_lists(struct mode_list *lists, size_t count)
{
    qsort(lists, count, sizeof *lists, by_mark);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && lists[to].mark == lists[from].mark;)
            to++;
        if (to - from <= STREAM_KIND_FEW)
            continue;
        lists[from].alike = to - from - 1;
        lists[from].last = lists[to - 1].places->stream;
        for (size_t i = from + 1; i < to; i++)
            lists[i].is_told = true;
    }
    qsort(lists, count, sizeof *lists, by_first_place);
}

bool mode_lists_find(const struct diagnosis *diagnosis, struct mode_lists *lists)
{
    size_t total = armtap_diagnosis_mode_count(diagnosis->found), count = 0;
    *lists = (struct mode_lists){.places = calloc(total + 1, sizeof *lists->places),
                                 .all = calloc(total + 1, sizeof *lists->all)};
    if (!lists->places || !lists->all)
        return false;
    for (size_t i = 0; i < total; i++) {
        uint64_t connection = armtap_diagnosis_mode_at(diagnosis->found, i)->connection;
        const struct armtap_stream_summary *summary = armtap_streams_of(diagnosis->streams, connection);
        if (summary)
            lists->places[count++] = (struct mode_place){summary->number, i};
    }
    qsort(lists->places, count, sizeof *lists->places, by_stream);
    for (size_t from = 0, to; from < count; from = to) {
        const struct mode_place *places = lists->places + from;
        for (to = from + 1; to < count && lists->places[to].stream == places->stream;)
            to++;
        lists->all[lists->count++] =
            (struct mode_list){.places = places, .count = to - from, .mark = mark_of(diagnosis, places, to - from)};
    }
    join_lists(lists->all, lists->count);
    return true;
}

void mode_lists_free(struct mode_lists *lists)
{
    free(lists->places);
    free(lists->all);
    *lists = (struct mode_lists){0};
}
