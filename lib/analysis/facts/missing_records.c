#include "analysis/facts/detectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "analysis/numbers.h"

#define FOUND_ARGUMENTS 8 /* what the next record adds to a note's */

void armtap_missing_records_clear(struct missing_records *holes)
{
    free(holes->waiting);
    free(holes->stream);
    *holes = (struct missing_records){.count = 0};
}

/* Appends a hole; NULL if memory runs out. */
static struct missing_run *add_hole(struct missing_records *holes)
{
    if (!holes->stream && !(holes->stream = calloc(1, sizeof *holes->stream))) {
        holes->failed = true;
        return NULL;
    }
    if (!MAKE_ROOM(holes->waiting, holes->count)) {
        holes->failed = true;
        return NULL;
    }
    return &holes->waiting[holes->count++];
}

/* The waiting hole that is like another of that many bytes, if the snapshot length makes them: all packets of a kind
 * are cut alike, and are one finding. Else NULL. */
static struct missing_run *same_as(struct missing_records *holes, const struct armtap_note_kind *kind, uint64_t bytes)
{
    for (size_t i = 0; holes->is_cut && i < holes->count; i++) {
        struct missing_run *hole = &holes->waiting[i];
        bool may_be = hole->is_cut || strcmp(kind->id, "stream.gap") != 0;
        if (may_be && hole->kind == kind && hole->bytes == bytes)
            return hole;
    }
    return NULL;
}

static void keep_arguments(struct missing_run *hole, const struct armtap_note *note)
{
    for (size_t i = 0; i < note->arguments.count && hole->argument_count < HOLE_ARGUMENTS; i++) {
        enum armtap_argument_type type = armtap_argument_kind(&note->arguments.all[i])->type;
        if (type < ARMTAP_TEXT)
            hole->argument[hole->argument_count++] = note->arguments.all[i];
    }
}

/* Keeps a hole; false if memory runs out or there is no room. */
static bool keep_hole(struct missing_records *holes, const struct armtap_note *note, bool is_gap, uint64_t bytes)
{
    struct missing_run *hole = same_as(holes, note->kind, bytes);
    if (hole) {
        hole->times++;
        hole->until = note->where;
        return true;
    }
    hole = holes->count < HOLES_WAITING ? add_hole(holes) : NULL;
    if (!hole)
        return false;
    *hole = (struct missing_run){.kind = note->kind,
                                 .where = note->where,
                                 .bytes = bytes,
                                 .times = 1,
                                 .until = note->where,
                                 .is_cut = is_gap && holes->is_cut};
    keep_arguments(hole, note);
    return true;
}

bool armtap_missing_records_note(struct missing_records *holes, const struct armtap_note *note)
{
    bool is_gap = strcmp(note->kind->id, "stream.gap") == 0, is_resync = strcmp(note->kind->id, "stream.resync") == 0;
    if ((!is_gap && !is_resync) || note->direction != ARMTAP_FROM_ROBOT)
        return false;
    uint64_t bytes = is_gap ? holes->missing : note->stream->bytes_skipped[ARMTAP_FROM_ROBOT] - holes->skipped;
    if (!keep_hole(holes, note, is_gap, bytes))
        return false;
    *holes->stream = *note->stream;
    holes->missing = 0;
    holes->skipped = note->stream->bytes_skipped[ARMTAP_FROM_ROBOT];
    return true;
}

void armtap_missing_records_event(struct missing_records *holes, const struct armtap_event *event)
{
    if (event->type != ARMTAP_EVENT_GAP)
        return;
    if (event->direction == ARMTAP_FROM_ROBOT) {
        holes->missing = event->a;
        holes->is_cut = event->stream->gaps_cut > holes->cuts;
    }
    holes->cuts = event->stream->gaps_cut;
}

/* Whether the controller's clock shows that no record is missing before this one: the bytes in between are extra. */
static bool is_between_whole(const struct missing_records *holes, const struct armtap_record *next)
{
    double step = next ? next->clock - holes->clock : NAN;
    return holes->has_last && holes->step > 0 && step > 0 && step < 1.5 * holes->step;
}

/* What is known when the next record comes, or none comes any more. */
struct extent {
    double records; /* in the hole; 0: unknown */
    double seconds; /* without data; -1: unknown */
    bool is_whole;  /* it is between whole records, and none is missing */
};

static struct armtap_argument if_known(bool is_known, struct armtap_argument argument)
{
    return is_known ? argument : arg_none(true);
}

static void report_hole(struct findings *findings, const struct missing_records *holes, const struct missing_run *hole,
                        const struct extent *extent)
{
    uint64_t more = extent->is_whole ? 0 : hole->times - 1;
    bool has_records = !extent->is_whole && extent->records > 0;
    const struct armtap_arguments *found =
        ARGS(arg_is_whole(extent->is_whole), if_known(more > 0, arg_more(more)),
             if_known(more > 0, arg_bytes_each(hole->bytes)), if_known(more > 0, arg_until_packet(hole->until.packet)),
             arg_is_part(has_records && extent->records < 0.75), if_known(has_records, arg_records(extent->records)),
             if_known(!extent->is_whole && extent->seconds >= 0, arg_duration_s(extent->seconds)));
    struct armtap_argument all[HOLE_ARGUMENTS + FOUND_ARGUMENTS];
    memcpy(all, hole->argument, hole->argument_count * sizeof *all);
    memcpy(all + hole->argument_count, found->all, found->count * sizeof *all);
    const struct fact fact = {.code = (enum armtap_note_code)(hole->kind - armtap_note_at(0)),
                              .stream = holes->stream,
                              .where = &hole->where,
                              .arguments = &(struct armtap_arguments){all, hole->argument_count + found->count},
                              .more = more,
                              .until = &hole->until};
    armtap_findings_raise(findings, &fact);
}

/* Reports all waiting holes. `record`: the one after them, or NULL; `length`: bytes of a record. */
static void report_waiting(struct missing_records *holes, struct findings *findings, const struct armtap_record *record,
                           double length)
{
    const struct armtap_where *next = record ? &record->where : NULL;
    bool is_whole = is_between_whole(holes, record);
    double seconds = holes->has_last && next ? armtap_time_seconds(holes->last.time, next->time) : -1;
    for (size_t i = 0; i < holes->count; i++) {
        const struct missing_run *hole = &holes->waiting[i];
        double bytes = (double)hole->bytes * (double)hole->times;
        const struct extent extent = {.records = length > 0 ? bytes / length : 0,
                                      .seconds = seconds,
                                      .is_whole = is_whole && strcmp(hole->kind->id, "stream.resync") == 0};
        report_hole(findings, holes, hole, &extent);
    }
    free(holes->waiting);
    holes->waiting = NULL;
    holes->count = 0;
}

/* The bytes of a record: the last one's, or the mean if they differ. */
static double length_of(const struct missing_records *holes)
{
    if (holes->length > 0 || holes->records == 0)
        return (double)holes->length;
    return (double)holes->bytes / (double)holes->records;
}

void armtap_missing_records_record(struct missing_records *holes, struct findings *findings,
                                   const struct armtap_record *record)
{
    if (record->direction != ARMTAP_FROM_ROBOT)
        return;
    bool is_text = armtap_stream_has(record->stream, ARMTAP_TRAIT_TEXT);
    if (holes->count > 0)
        /* Bytes missing before the first record may be handshake replies. */
        report_waiting(holes, findings, record, holes->has_last ? length_of(holes) : 0);
    else if (holes->has_last)
        holes->step = record->clock - holes->clock;
    holes->clock = record->clock;
    holes->has_last = true;
    holes->last = record->where;
    holes->skipped = record->stream->bytes_skipped[ARMTAP_FROM_ROBOT];
    holes->records++;
    holes->bytes += record->frame_length;
    holes->length = is_text ? 0 : record->frame_length;
}

void armtap_missing_records_end(struct missing_records *holes, struct findings *findings)
{
    report_waiting(holes, findings, NULL, length_of(holes));
}
