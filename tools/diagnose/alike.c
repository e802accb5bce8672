/* Streams that are alike in what a diagnosis says of them, in one line of its tables. */
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
                                   (rates != NULL) | (rates && armtap_rates_know_skips(rates)) << 1 |
                                       (rates && rates->skipped > 0) << 2 | (summary->back != NULL) << 3 |
                                       (summary->stream->records[ARMTAP_FROM_ROBOT] > 0) << 4);
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
