#include "info.h"

#include <stdlib.h>
#include <string.h>

#include "by_connection.h"
#include "analysis/inside.h"

/* A stream at one moment, and the times of its records in the capture. */
struct stream_then {
    struct info_counts counts;
    uint64_t notes[]; /* by kind */
};

struct moment {
    struct by_connection streams; /* struct stream_then */
    uint64_t *notes;              /* of all, by kind */
};

struct info_part {
    struct moment begin, end;
    struct by_connection times; /* struct info_counts, of which only the times count */
    bool has_ended;
};

static void clear(struct by_connection *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->slots[i].thing);
    free(list->slots);
    *list = (struct by_connection){0};
}

static void moment_free(struct moment *moment)
{
    clear(&moment->streams);
    free(moment->notes);
    moment->notes = NULL;
}

struct info_part *info_part_new(void)
{
    return calloc(1, sizeof(struct info_part));
}

void info_part_free(struct info_part *part)
{
    if (!part)
        return;
    moment_free(&part->begin);
    moment_free(&part->end);
    clear(&part->times);
    free(part);
}

/* ---- moments ----------------------------------------------------------------------------------------------------- */

static struct info_counts counts_now(const struct armtap_stream_summary *summary)
{
    const struct armtap_stream *stream = summary->stream;
    struct info_counts counts = {.packets = stream->packets[0] + stream->packets[1],
                                 .gaps = stream->gaps,
                                 .decoded = stream->bytes_decoded[0] + stream->bytes_decoded[1],
                                 .lost = stream->bytes_lost[0] + stream->bytes_lost[1],
                                 .skipped = stream->bytes_skipped[0] + stream->bytes_skipped[1],
                                 .steps = summary->steps,
                                 .streaming = summary->streaming};
    for (int i = 0; i < 2; i++) {
        counts.records[i] = stream->records[i];
        counts.first[i] = summary->first_time[i];
        counts.last[i] = summary->last[i].time;
    }
    return counts;
}

static int keep_stream(struct moment *moment, const struct armtap_stream_summary *summary)
{
    size_t kinds = armtap_note_count();
    struct stream_then *then =
        by_connection_new(&moment->streams, summary->stream->connection, sizeof *then + kinds * sizeof then->notes[0]);
    if (!then)
        return -1;
    then->counts = counts_now(summary);
    for (size_t i = 0; i < kinds; i++)
        then->notes[i] = armtap_streams_notes_of(summary, i);
    return 0;
}

/* Streams whose protocol is not known yet belong to the capture that shows it. */
static int keep_moment(struct moment *moment, struct armtap_streams *streams)
{
    const struct armtap_stream_summary *summary;
    size_t kinds = armtap_note_count();
    moment_free(moment);
    armtap_streams_number(streams);
    moment->notes = calloc(kinds + 1, sizeof *moment->notes);
    if (!moment->notes)
        return -1;
    memcpy(moment->notes, armtap_streams_note_counts(streams), kinds * sizeof *moment->notes);
    for (size_t i = 0; (summary = armtap_streams_at(streams, i)); i++)
        if (keep_stream(moment, summary) != 0)
            return -1;
    return 0;
}

int info_part_begin(struct info_part *part, struct armtap_streams *streams)
{
    clear(&part->times);
    part->has_ended = false;
    return keep_moment(&part->begin, streams);
}

int info_part_end(struct info_part *part, struct armtap_streams *streams)
{
    part->has_ended = true;
    return keep_moment(&part->end, streams);
}

bool info_part_has_ended(const struct info_part *part)
{
    return part->has_ended;
}

int info_part_record(struct info_part *part, const struct armtap_record *record)
{
    struct info_counts *times = by_connection_find(&part->times, record->stream->connection);
    if (!times) {
        times = by_connection_new(&part->times, record->stream->connection, sizeof *times);
        if (!times)
            return -1;
        for (int i = 0; i < 2; i++)
            times->first[i] = times->last[i] = ARMTAP_NO_TIME;
    }
    if (record->where.time == ARMTAP_NO_TIME)
        return 0;
    if (times->first[record->direction] == ARMTAP_NO_TIME)
        times->first[record->direction] = record->where.time;
    times->last[record->direction] = record->where.time;
    return 0;
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

static const struct stream_then *then_of(const struct moment *moment, uint64_t connection)
{
    return by_connection_look_up(&moment->streams, connection);
}

struct info_counts info_counts_of(const struct info_part *part, const struct armtap_stream_summary *summary)
{
    if (!part)
        return counts_now(summary);
    uint64_t connection = summary->stream->connection;
    const struct stream_then *begin = then_of(&part->begin, connection), *end = then_of(&part->end, connection);
    const struct info_counts *times = by_connection_look_up(&part->times, connection);
    struct info_counts counts = {.first = {ARMTAP_NO_TIME, ARMTAP_NO_TIME}, .last = {ARMTAP_NO_TIME, ARMTAP_NO_TIME}};
    if (!end)
        return counts;
    static const struct info_counts nothing;
    const struct info_counts *from = begin ? &begin->counts : &nothing, *to = &end->counts;
    counts.packets = to->packets - from->packets;
    counts.gaps = to->gaps - from->gaps;
    counts.decoded = to->decoded - from->decoded;
    counts.lost = to->lost - from->lost;
    counts.skipped = to->skipped - from->skipped;
    counts.steps = to->steps - from->steps;
    counts.streaming = to->streaming - from->streaming;
    for (int i = 0; i < 2; i++) {
        counts.records[i] = to->records[i] - from->records[i];
        counts.first[i] = times ? times->first[i] : ARMTAP_NO_TIME;
        counts.last[i] = times ? times->last[i] : ARMTAP_NO_TIME;
    }
    return counts;
}

uint64_t info_notes_of(const struct info_part *part, const struct armtap_streams *streams,
                       const struct armtap_stream_summary *summary, size_t kind)
{
    if (!part)
        return summary ? armtap_streams_notes_of(summary, kind) : armtap_streams_note_counts(streams)[kind];
    if (!summary)
        return part->end.notes[kind] - part->begin.notes[kind];
    const struct stream_then *begin = then_of(&part->begin, summary->stream->connection);
    const struct stream_then *end = then_of(&part->end, summary->stream->connection);
    return end ? end->notes[kind] - (begin ? begin->notes[kind] : 0) : 0;
}
