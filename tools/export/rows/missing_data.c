#include "missing_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "by_connection.h"
#include "analysis/armtap-analysis.h"
#include "analysis/inside.h"

/* Stretches of data to learn in the first reading, of all streams; later ones are judged as in the first reading. */
#define STRETCHES_MAX 100000

/* One stream. */
struct flow {
    struct gap_track track;
    struct armtap_rates *rates;           /* NULL once the stream is over, and for rows to the robot */
    struct armtap_rates_learned *learned; /* NULL: nothing yet */
    bool has_last;
    int64_t last_time;
    int64_t before_last; /* of the record before the last one, or of the stream's beginning */
    double last_clock;   /* NAN: none yet */
    double usual;        /* the last known step, or that of the last set-up; 0: unknown */
    size_t length;       /* bytes of the last record, or of those of the last set-up; 0: unknown */
    uint64_t lost_bytes; /* the stream's counter at the last record */
    uint64_t cut_bytes;  /* of those, within records */
    uint64_t skipped_bytes;
    uint64_t gaps;
    bool paused;      /* streaming was paused at some time since the last record */
    uint64_t unknown; /* records since the last row, without a recipe */
    bool closed[2];
    bool is_unsure;                  /* bytes that are missing may hold another set-up */
    uint64_t behind;                 /* records that count since the last gap ... */
    struct armtap_where behind_from; /* ... and the first of them */
    struct missing_flow here;        /* before the last record */
    struct missing_flow pending;     /* before the next row */
    struct missing_total *total;     /* NULL: nothing is missing */
};

struct missing_data {
    enum armtap_direction direction;
    struct timestamp_range range;
    bool only_learns; /* until it is rewound */
    bool goes_on;     /* the streams do, in another capture: what is missing after the last record is missing there */
    struct by_connection flows;
    struct by_connection placed; /* struct missing_places */
    struct armtap_rates_shared *shared;
    struct robot_ports ports;
    bool ports_of_rows; /* records without a recipe are no rows */
};

struct missing_data *missing_data_new(enum armtap_direction direction)
{
    struct missing_data *data = calloc(1, sizeof *data);
    if (!data)
        return NULL;
    data->direction = direction;
    data->range = (struct timestamp_range){INT64_MIN, INT64_MAX};
    data->shared = armtap_rates_shared_new(STRETCHES_MAX);
    if (data->shared)
        return data;
    free(data);
    return NULL;
}

void missing_data_limit(struct missing_data *data, const struct timestamp_range *range)
{
    data->range = *range;
}

void missing_data_find_gaps(struct missing_data *data, bool of_rows, const struct labels *labels)
{
    data->ports.is_wanted = true;
    data->ports.labels = labels;
    data->ports_of_rows = of_rows;
}

void missing_data_goes_on(struct missing_data *data)
{
    data->goes_on = true;
}

void missing_data_only_learn(struct missing_data *data)
{
    data->only_learns = true;
}

static void flow_free(struct flow *flow)
{
    if (!flow)
        return;
    armtap_rates_free(flow->rates);
    armtap_rates_learned_free(flow->learned);
    free(flow->total);
    free(flow);
}

bool missing_data_is_over(struct missing_data *data, const struct armtap_stream *stream)
{
    const struct flow *flow = by_connection_find(&data->flows, stream->connection);
    return flow && flow->closed[0] && flow->closed[1];
}

void missing_data_let_go(struct missing_data *data, uint64_t connection)
{
    flow_free(by_connection_remove(&data->flows, connection));
    free(by_connection_remove(&data->placed, connection));
}

static void forget_places(struct missing_data *data)
{
    for (size_t i = 0; i < data->placed.count; i++)
        free(data->placed.slots[i].thing);
    free(data->placed.slots);
    data->placed = (struct by_connection){0};
}

void missing_data_free(struct missing_data *data)
{
    if (!data)
        return;
    for (size_t i = 0; i < data->flows.count; i++)
        flow_free(data->flows.slots[i].thing);
    free(data->flows.slots);
    forget_places(data);
    robot_ports_forget(&data->ports);
    armtap_rates_shared_free(data->shared);
    free(data);
}

static void begin_flow(struct flow *flow)
{
    *flow = (struct flow){.learned = flow->learned, .last_time = ARMTAP_NO_TIME, .last_clock = NAN};
}

void missing_data_rewind(struct missing_data *data)
{
    forget_places(data);
    data->only_learns = false;
    for (size_t i = 0; i < data->flows.count; i++) {
        struct flow *flow = data->flows.slots[i].thing;
        armtap_rates_free(flow->rates);
        free(flow->total);
        gap_keep_end(&flow->track); /* without memory, one end less is known */
        begin_flow(flow);
        armtap_rates_learned_complete(flow->learned);
    }
    robot_ports_rewind(&data->ports);
}

/* The flow of a stream, added if necessary; NULL without memory. */
static struct flow *flow_of(struct missing_data *data, const struct armtap_stream *stream)
{
    struct flow *flow = by_connection_find(&data->flows, stream->connection);
    if (flow)
        return flow;
    flow = by_connection_new(&data->flows, stream->connection, sizeof *flow);
    if (flow)
        begin_flow(flow);
    return flow;
}

/* The same with rates, which exist only for data from the robot. */
static struct flow *paced_flow(struct missing_data *data, const struct armtap_stream *stream)
{
    struct flow *flow = flow_of(data, stream);
    bool is_over = flow && flow->closed[0] && flow->closed[1];
    if (!flow || flow->rates || is_over || data->direction != ARMTAP_FROM_ROBOT)
        return flow;
    if (!flow->learned)
        flow->learned = armtap_rates_learned_new(data->shared);
    if (flow->learned)
        flow->rates = armtap_rates_new(data->shared, flow->learned);
    if (data->only_learns)
        armtap_rates_only_learn(flow->rates);
    armtap_rates_only_steps(flow->rates);
    return flow->rates ? flow : NULL;
}

/* ---- what is missing ------------------------------------------------------------------------------------------- */

const char *lost_from_name(enum lost_from from)
{
    static const char *const names[] = {
        [LOST_FROM_CLOCK] = "clock", [LOST_FROM_RATE] = "rate", [LOST_FROM_TIME] = "time"};
    return names[from];
}

static double rounded(double seconds)
{
    return seconds > 0 ? floor(seconds * 1e6 + 0.5) / 1e6 : 0;
}

/* The size of a gap beyond half of the sequence numbers is uncertain: they may have wrapped around. */
#define GAP_KNOWN (UINT64_C(1) << 31)

/* The number of records that fit into a hole. A partly captured record counts in full, since the rest of it could not
 * be decoded. */
static double records_in(size_t length, const struct missing_flow *hole)
{
    return length == 0 ? 0 : (double)(hole->bytes + hole->unread) / (double)length;
}

static double seconds_between(const struct flow *flow, const struct armtap_record *record,
                              const struct armtap_rates_step *step)
{
    double clock = armtap_rates_clock(record) - flow->last_clock;
    double steps = step->usual * (1 + (double)step->skipped);
    /* With several channels, use the clock of the last record of any channel. */
    if (!isnan(step->clock) && clock >= 0)
        return rounded(clock - steps);
    if (flow->last_time == ARMTAP_NO_TIME || record->where.time < flow->last_time)
        return NAN;
    return rounded((double)armtap_time_between(flow->last_time, record->where.time) / 1e9 - steps);
}

/* Whether a hole is too small for the packages that the clock shows to be missing: then it holds another message or a
 * pause, and only the data that fits. */
static bool is_too_small(const struct flow *flow, const struct armtap_record *record,
                         const struct armtap_rates_step *step, const struct missing_flow *hole)
{
    size_t shortest = flow->length < record->frame_length ? flow->length : record->frame_length;
    return !armtap_stream_has(record->stream, ARMTAP_TRAIT_TEXT) && hole->bytes < GAP_KNOWN && shortest > 0 &&
           isfinite(step->lost) && floor(records_in(shortest, hole)) < step->lost;
}

/* Whether records are as many as fit. */
static bool is_countable(const struct flow *flow, const struct armtap_record *record, const struct missing_flow *hole)
{
    return !armtap_stream_has(record->stream, ARMTAP_TRAIT_TEXT) && hole->bytes < GAP_KNOWN &&
           flow->length == record->frame_length;
}

/* Estimates the records and seconds of a hole; `flow` is still that of the record before. */
static void measure(const struct flow *flow, const struct armtap_record *record, const struct armtap_rates_step *step,
                    struct missing_flow *hole)
{
    double fitting = records_in(record->frame_length, hole), whole = floor(fitting);
    bool is_clocked = flow->has_last && !isnan(step->clock);
    bool is_counted =
        is_clocked ? is_too_small(flow, record, step, hole) : flow->usual > 0 && is_countable(flow, record, hole);
    hole->records = ceil(fitting);
    hole->seconds = NAN;
    if (flow->has_last && (flow->paused || is_counted)) {
        hole->records = whole;
        hole->seconds = rounded(whole * flow->usual);
        hole->from = LOST_FROM_RATE;
    } else if (hole->bytes == 0 && whole < 1 && !(is_clocked && step->usual > 0)) {
        hole->records = hole->seconds = 0;
    } else if (flow->has_last) {
        if (is_clocked || (isfinite(step->lost) && step->lost > 0))
            hole->records = step->lost;
        hole->seconds = seconds_between(flow, record, step);
        hole->from = is_clocked ? LOST_FROM_CLOCK : LOST_FROM_TIME;
    }
}

static bool is_hole(const struct missing_flow *missing)
{
    return missing->bytes > 0 || missing->unread > 0;
}

/* What is known of the time before a record. What a gap cut of records is lost with the rest of them. */
static struct gap_sight sight_of(const struct flow *flow, const struct armtap_record *record,
                                 const struct armtap_rates_step *step)
{
    const struct missing_flow *hole = &flow->here;
    bool is_rest = hole->bytes > 0 && hole->unread < 2 * record->frame_length;
    const struct missing_flow unread = {.unread = is_rest ? 0 : hole->unread};
    double both = floor(records_in(record->frame_length, hole));
    double read = floor(records_in(record->frame_length, &unread));
    double clock = flow->paused ? armtap_rates_clock(record) - flow->last_clock : step->clock;
    return (struct gap_sight){flow->paused, both - read, read, flow->usual, clock > 0 ? clock : NAN};
}

/* The step to a record, by the clock and the usual step before it. */
static struct armtap_rates_step own_step(const struct flow *flow, const struct armtap_record *record)
{
    double clock = armtap_rates_clock(record) - flow->last_clock, beyond = floor(clock / flow->usual + 0.25) - 1;
    if (flow->paused || !(beyond >= 0 && beyond < 1e15))
        return (struct armtap_rates_step){.clock = NAN};
    double fitting = records_in(record->frame_length, &flow->here);
    double lost = fitting > floor(fitting) ? beyond : fmin(beyond, fitting); /* else other messages are among them */
    return (struct armtap_rates_step){(uint64_t)(beyond - lost), lost, clock, flow->usual};
}

/* Records that waited for a hole may come behind the connection's end, with which the rates end. A clock that stands
 * says nothing. */
static void take_step(const struct flow *flow, const struct armtap_record *record, struct armtap_rates_step *step)
{
    if (flow->has_last && (flow->closed[0] || flow->closed[1]))
        *step = own_step(flow, record);
    else if (flow->rates)
        armtap_rates_last_step(flow->rates, record, step);
    if (!(step->clock > 0))
        step->clock = NAN;
}

static void look_before(struct flow *flow, const struct armtap_record *record, struct gap_sight *sight)
{
    struct armtap_rates_step step = {.clock = NAN};
    uint64_t lost = record->stream->bytes_lost[record->direction];
    uint64_t skipped = record->stream->bytes_skipped[record->direction];
    bool is_rest = !flow->has_last && record->stream->midstream;
    uint64_t cut = record->stream->bytes_cut[record->direction] - flow->cut_bytes;
    flow->here = (struct missing_flow){.bytes = lost - flow->lost_bytes - cut,
                                       .unread = is_rest ? 0 : skipped - flow->skipped_bytes};
    take_step(flow, record, &step);
    flow->here.skipped = step.skipped;
    if (step.usual > 0)
        flow->usual = step.usual;
    if (is_hole(&flow->here))
        measure(flow, record, &step, &flow->here);
    *sight = sight_of(flow, record, &step);
    flow->here.bytes += cut; /* bytes of this record: they stand for no other */
    flow->cut_bytes += cut;
    flow->length = record->frame_length;
    flow->skipped_bytes = skipped;
    flow->lost_bytes = lost;
    flow->gaps = record->stream->gaps;
    flow->has_last = true;
    flow->before_last = flow->last_time;
    flow->last_time = record->where.time;
    if (!isnan(armtap_rates_clock(record)))
        flow->last_clock = armtap_rates_clock(record);
}

static inline void add_missing(struct missing_flow *sum, const struct missing_flow *one)
{
    sum->bytes += one->bytes;
    sum->unread += one->unread;
    sum->skipped += one->skipped;
    sum->records += one->records;
    sum->seconds += one->seconds;
    sum->from = one->from > sum->from ? one->from : sum->from;
    if (one->gap.seconds > sum->gap.seconds)
        sum->gap = one->gap;
}

void missing_flow_add(struct missing_flow *sum, const struct missing_flow *one)
{
    add_missing(sum, one);
}

/* A record that may become a row. */
static int take_record(struct missing_data *data, struct flow *flow, const struct armtap_record *record)
{
    struct gap_sight sight;
    if (flow->rates && armtap_rates_record(flow->rates, record) != ARMTAP_OK)
        return -1;
    bool is_unknown = !record->recipe && data->ports_of_rows;
    if (data->only_learns)
        return is_unknown ? 0 : gap_learn(&data->ports, &flow->track, record);
    look_before(flow, record, &sight);
    flow->unknown += is_unknown;
    if (flow->unknown > 0) { /* the clock is that of the one before, which may be no row */
        sight.unread += (double)flow->unknown;
        sight.clock = NAN;
    }
    if (!is_unknown && gap_find(&data->ports, &flow->track, record, &sight, &flow->here.gap) != 0)
        return -1;
    flow->unknown = is_unknown ? flow->unknown : 0;
    flow->paused = flow->paused && is_unknown;
    add_missing(&flow->pending, &flow->here);
    bool counts = is_hole(&flow->here) || flow->here.skipped > 0 || !record->recipe || flow->is_unsure;
    if (counts && !flow->total && !(flow->total = calloc(1, sizeof *flow->total)))
        return -1;
    return 0;
}

int missing_data_record(struct missing_data *data, const struct armtap_record *record)
{
    struct flow *flow = by_connection_find(&data->flows, record->stream->connection);
    if (!flow || !flow->rates)
        flow = paced_flow(data, record->stream);
    if (!flow)
        return -1;
    return record->direction == data->direction ? take_record(data, flow, record) : 0;
}

const struct missing_flow *missing_data_before(struct missing_data *data, const struct armtap_record *record)
{
    static const struct missing_flow nothing;
    const struct flow *flow = by_connection_find(&data->flows, record->stream->connection);
    return flow ? &flow->pending : &nothing;
}

void missing_data_drop(struct missing_data *data, const struct armtap_record *record)
{
    struct flow *flow = by_connection_find(&data->flows, record->stream->connection);
    if (flow)
        flow->pending = (struct missing_flow){0};
}

/* ---- what else comes ------------------------------------------------------------------------------------------- */

static size_t record_length(const struct armtap_recipe_event *event)
{
    return event->stream->info->header + (event->recipe_id > 0) + armtap_recipe_size(event->recipe);
}

/* Takes the length and step of the next records from a set-up. */
static void take_set_up(struct flow *flow, const struct armtap_recipe_event *event)
{
    if (!armtap_stream_has(event->stream, ARMTAP_TRAIT_ANSWERED) || (event->flags & ARMTAP_GUESSED) != 0)
        return;
    flow->paused = true;
    flow->is_unsure = false;
    flow->behind = 0;
    flow->length = record_length(event);
    if (event->frequency > 0 && event->frequency < 1e6)
        flow->usual = 1 / event->frequency;
}

static void begin_at(struct flow *flow, int64_t time)
{
    if (!flow->has_last && flow->last_time == ARMTAP_NO_TIME)
        flow->last_time = time;
}

int missing_data_recipe(struct missing_data *data, const struct armtap_recipe_event *event)
{
    struct flow *flow = paced_flow(data, event->stream);
    if (!flow)
        return -1;
    begin_at(flow, event->where.time);
    if (event->direction == data->direction)
        take_set_up(flow, event);
    return !flow->rates || armtap_rates_recipe(flow->rates, event) == ARMTAP_OK ? 0 : -1;
}

/* Frees the rates of a stream that is over: they are large. */
static void take_close(struct flow *flow, const struct armtap_event *event)
{
    flow->closed[event->direction] = true;
    if (event->a != ARMTAP_CLOSE_FIN)
        flow->closed[!event->direction] = true;
    if (!flow->closed[0] || !flow->closed[1])
        return;
    armtap_rates_free(flow->rates);
    flow->rates = NULL;
}

int missing_data_event(struct missing_data *data, const struct armtap_event *event)
{
    if (event->stream->protocol == ARMTAP_PROTOCOL_NONE)
        return 0;
    struct flow *flow = paced_flow(data, event->stream);
    if (!flow)
        return -1;
    begin_at(flow, event->where.time);
    bool is_pause = event->type == ARMTAP_EVENT_PAUSE || event->type == ARMTAP_EVENT_START;
    flow->paused = flow->paused || (is_pause && armtap_stream_has(event->stream, ARMTAP_TRAIT_ANSWERED));
    bool failed = flow->rates && armtap_rates_event(flow->rates, event) != ARMTAP_OK;
    if (event->type == ARMTAP_EVENT_GAP && event->direction == data->direction)
        flow->behind = 0;
    if (event->type == ARMTAP_EVENT_CLOSE)
        take_close(flow, event);
    return failed ? -1 : 0;
}

static void count_unsure(struct missing_total *total, const struct armtap_where *first, uint64_t records)
{
    if (total->unsure == 0)
        total->first_unsure = *first;
    total->unsure += records;
}

/* A gap may hold another set-up: said at the gap if an earlier reading found it, else some records behind it. */
static int take_doubt(struct flow *flow)
{
    if (!flow->total && !(flow->total = calloc(1, sizeof *flow->total)))
        return -1;
    if (!flow->is_unsure && flow->behind > 0)
        count_unsure(flow->total, &flow->behind_from, flow->behind);
    flow->is_unsure = true;
    return 0;
}

int missing_data_note(struct missing_data *data, const struct armtap_note *note)
{
    struct flow *flow = note->stream ? by_connection_find(&data->flows, note->stream->connection) : NULL;
    bool failed = flow && flow->rates && armtap_rates_note(flow->rates, note) != ARMTAP_OK;
    bool is_doubt = flow && data->direction == ARMTAP_FROM_ROBOT && strcmp(note->kind->id, "rtde.recipe.unsure") == 0;
    return failed || (is_doubt && !data->only_learns && take_doubt(flow) != 0) ? -1 : 0;
}

/* ---- totals ---------------------------------------------------------------------------------------------------- */

/* Whether more is missing in `one`; unknown seconds count less than any others. */
static bool is_longer(const struct missing_flow *one, const struct missing_flow *other)
{
    double a = isnan(one->seconds) ? -1 : one->seconds;
    double b = !is_hole(other) ? -2 : isnan(other->seconds) ? -1 : other->seconds;
    return a > b || (a == b && one->bytes + one->unread > other->bytes + other->unread);
}

static void keep_longest(struct missing_place longest[MISSING_PLACES], struct missing_place place)
{
    for (size_t i = 0; i < MISSING_PLACES; i++) {
        struct missing_place kept = longest[i];
        if (!is_longer(&place.missing, &kept.missing))
            continue;
        longest[i] = place;
        place = kept;
    }
}

static void keep_place(struct missing_places *places, const struct missing_place *place)
{
    if (is_hole(&place->missing))
        keep_longest(place->missing.bytes > 0 ? places->gaps : places->unread, *place);
    if (place->missing.skipped > places->skip.missing.skipped)
        places->skip = *place;
}

static void count_missing(struct missing_total *total, const struct missing_flow *missing)
{
    struct missing_holes *holes = missing->bytes > 0 ? &total->gaps : &total->unread;
    struct missing_flow known = *missing;
    total->skips += missing->skipped > 0;
    total->skipped += missing->skipped;
    if (!is_hole(missing))
        return;
    if (isnan(known.seconds))
        known.seconds = 0;
    holes->count++;
    add_missing(&holes->sum, &known);
}

static bool has_places(const struct missing_total *total)
{
    return total->gaps.count > 0 || total->unread.count > 0 || total->skips > 0;
}

/* Begins to keep the places of a stream. NULL if they are not kept, or without memory. */
static struct missing_places *begin_places(struct missing_data *data, uint64_t connection, bool *failed)
{
    struct by_connection *placed = &data->placed;
    struct missing_places *places;
    if (placed->count < MISSING_PLACED) {
        places = calloc(1, sizeof *places);
    } else if (placed->slots[placed->count - 1].connection < connection) {
        return NULL;
    } else {
        places = by_connection_remove(placed, placed->slots[placed->count - 1].connection);
        *places = (struct missing_places){.skip.is_end = false};
    }
    if (places && by_connection_add(placed, connection, places))
        return places;
    free(places);
    *failed = true;
    return NULL;
}

/* Splits the undecodable bytes off a hole, if they are more than the rest of records that its gap cut. Which of both
 * was sent when is unknown: seconds and records are divided in proportion to the bytes. */
static struct missing_flow take_unread(struct missing_flow *hole)
{
    struct missing_flow unread = {.seconds = 0};
    double bytes = (double)(hole->bytes + hole->unread), share = (double)hole->unread / bytes;
    if (hole->bytes == 0 || !(hole->records > 0) || (double)hole->unread < 2 * bytes / hole->records)
        return unread;
    unread = (struct missing_flow){
        .unread = hole->unread, .records = hole->records * share, .seconds = hole->seconds * share};
    hole->unread = 0;
    hole->records -= unread.records;
    hole->seconds -= unread.seconds;
    if (!isnan(hole->seconds)) {
        hole->seconds = rounded(hole->seconds);
        unread.seconds = rounded(unread.seconds);
    }
    return unread;
}

/* Adds a place to a stream's total. 0, or -1 without memory. */
static int count_place(struct missing_data *data, uint64_t connection, struct missing_total *total,
                       const struct missing_place *place)
{
    bool failed = false;
    if (!is_hole(&place->missing) && place->missing.skipped == 0)
        return 0;
    struct missing_places *places = by_connection_find(&data->placed, connection);
    if (!places && !has_places(total))
        places = begin_places(data, connection, &failed);
    struct missing_place gap = *place, unread = *place;
    unread.missing = take_unread(&gap.missing);
    if (places) {
        keep_place(places, &gap);
        keep_place(places, &unread);
    }
    count_missing(total, &gap.missing);
    count_missing(total, &unread.missing);
    return failed ? -1 : 0;
}

int missing_data_count(struct missing_data *data, const struct armtap_record *record)
{
    struct flow *flow = by_connection_find(&data->flows, record->stream->connection);
    if (flow && record->recipe && flow->behind++ == 0)
        flow->behind_from = record->where;
    if (!flow || !flow->total)
        return 0;
    struct missing_total *total = flow->total;
    if (flow->is_unsure && record->recipe)
        count_unsure(total, &record->where, 1);
    if (!record->recipe) {
        if (total->opaque++ == 0)
            total->first_opaque = record->where;
        total->last_opaque = record->where;
    }
    const struct missing_place place = {record->where, flow->here, false};
    return count_place(data, record->stream->connection, total, &place);
}

/* Part of a step: capture times and steps are rounded. */
#define DUE_NOISE 1e-3

/* The number of records due after `after` and up to a time (or before it), one each step. */
static double due_until(const struct flow *flow, int64_t after, int64_t time, bool is_before)
{
    double steps = ((double)time - (double)after) / 1e9 / flow->usual;
    steps = is_before ? ceil(steps - DUE_NOISE) - 1 : floor(steps + DUE_NOISE);
    return steps > 0 ? steps : 0;
}

/* The part of a hole within the range; `after`: time of the record before it. Unknown if the step is unknown. */
static struct missing_flow part_of(const struct missing_data *data, const struct flow *flow, struct missing_flow hole,
                                   int64_t after)
{
    if (!(flow->usual > 0)) {
        hole.seconds = NAN;
        hole.records = 0;
        return hole;
    }
    double lost = isnan(hole.seconds) ? 0 : floor(hole.seconds / flow->usual + 0.5);
    double last = due_until(flow, after, data->range.to, false),
           before = due_until(flow, after, data->range.from, true);
    double of_lost = fmax(0, fmin(last, lost) - before);
    double of_both = fmax(0, fmin(last, lost + (double)hole.skipped) - before);
    hole.skipped = (uint64_t)(of_both - of_lost);
    if (isnan(hole.seconds))
        return hole;
    hole.seconds = rounded(of_lost * flow->usual);
    hole.records = lost > 0 ? hole.records * of_lost / lost : 0;
    if (!(of_lost > 0) && lost > 0)
        hole.bytes = hole.unread = 0;
    return hole;
}

int missing_data_count_part(struct missing_data *data, const struct armtap_record *record)
{
    struct flow *flow = by_connection_find(&data->flows, record->stream->connection);
    if (!flow || !flow->total || record->read.time <= data->range.to || flow->before_last == ARMTAP_NO_TIME ||
        flow->before_last >= data->range.to)
        return 0;
    const struct missing_place place = {record->where, part_of(data, flow, flow->here, flow->before_last), false};
    return count_place(data, record->stream->connection, flow->total, &place);
}

/* What is missing after the last record. */
struct tail {
    struct missing_flow gap;
    struct missing_flow unread; /* undecodable bytes, if they are more than the rest of cut records */
};

/* The number of records due from the last one to the end of the stream; INFINITY if unknown. */
static double due_at_end(const struct flow *flow, const struct armtap_stream *stream)
{
    int64_t from = flow->last_time, to = stream->last.time;
    if (!(flow->usual > 0) || from == ARMTAP_NO_TIME || to == ARMTAP_NO_TIME)
        return INFINITY;
    return to > from ? floor((double)armtap_time_between(from, to) / 1e9 / flow->usual + 0.5) : 0;
}

/* Sets the records of a hole, but no more than were still due, and takes them off `due`. */
static void take_due(const struct flow *flow, struct missing_flow *hole, double records, double *due)
{
    hole->records = fmin(records, *due);
    hole->seconds = flow->usual > 0 && flow->length > 0 ? rounded(hole->records * flow->usual) : NAN;
    *due -= hole->records;
}

static struct tail tail_of(const struct missing_data *data, const struct flow *flow, const struct armtap_stream *stream)
{
    bool is_rest = !flow->has_last && stream->midstream;
    uint64_t lost = stream->bytes_lost[data->direction] - flow->lost_bytes;
    uint64_t skipped = is_rest ? 0 : stream->bytes_skipped[data->direction] - flow->skipped_bytes;
    uint64_t pieces = skipped < 2 * flow->length * (stream->gaps - flow->gaps) ? skipped : 0;
    struct tail tail = {.gap = {.bytes = lost, .unread = pieces}, .unread = {.unread = skipped - pieces}};
    double of_gap = records_in(flow->length, &tail.gap), of_unread = records_in(flow->length, &tail.unread);
    double due = due_at_end(flow, stream);
    take_due(flow, &tail.gap, lost > 0 && !flow->paused ? ceil(of_gap) : floor(of_gap), &due);
    take_due(flow, &tail.unread, floor(of_unread), &due);
    return tail;
}

static void limit_tail(const struct missing_data *data, const struct flow *flow, struct tail *tail)
{
    double lost = isnan(tail->gap.seconds) ? 0 : tail->gap.seconds;
    tail->gap = part_of(data, flow, tail->gap, flow->last_time);
    tail->unread = part_of(data, flow, tail->unread, flow->last_time + (int64_t)(lost * 1e9));
    tail->gap.skipped = tail->unread.skipped = 0;
}

bool missing_data_total(struct missing_data *data, const struct armtap_stream *stream, struct missing_total *total,
                        struct missing_places *places, bool *are_kept)
{
    static const struct missing_total none;
    static const struct missing_places nowhere;
    const struct flow *flow = by_connection_find(&data->flows, stream->connection);
    const struct missing_places *kept = by_connection_find(&data->placed, stream->connection);
    if (!flow)
        return false;
    *total = flow->total ? *flow->total : none;
    *places = kept ? *kept : nowhere;
    *are_kept = kept || !has_places(total);
    if (data->goes_on)
        return true;
    bool is_limited = data->range.from != INT64_MIN || data->range.to != INT64_MAX;
    if (is_limited && (flow->last_time == ARMTAP_NO_TIME || flow->last_time > data->range.to))
        return true;
    struct tail tail = tail_of(data, flow, stream);
    if (is_limited)
        limit_tail(data, flow, &tail);
    keep_place(places, &(struct missing_place){.missing = tail.gap, .is_end = true});
    keep_place(places, &(struct missing_place){.missing = tail.unread, .is_end = true});
    count_missing(total, &tail.gap);
    count_missing(total, &tail.unread);
    return true;
}
