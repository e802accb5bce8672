#include "missing.h"

#include <math.h>
#include <stdlib.h>

#include "by_connection.h"
#include "rates.h"
#include "when.h"

/* One stream. */
struct flow {
    struct rates *rates; /* NULL once it is over, and of rows to the robot */
    struct pace_learned learned;
    bool has_last;
    int64_t last_time;
    double last_clock;   /* NAN: none yet */
    double usual;        /* the last step that was known; 0: none */
    size_t length;       /* bytes of the last record */
    uint64_t lost_bytes; /* the stream's counter at the last record */
    uint64_t skipped_bytes;
    uint64_t undecoded; /* before the last record */
    bool closed[2];
    bool is_last_counted;
    struct missing here;    /* before the last record */
    struct missing pending; /* before the next row */
    struct missing_total total;
};

struct missings {
    enum armtap_direction direction;
    struct by_connection flows;
};

struct missings *missings_new(enum armtap_direction direction)
{
    struct missings *missings = calloc(1, sizeof *missings);
    if (missings != NULL)
        missings->direction = direction;
    return missings;
}

void missings_free(struct missings *missings)
{
    if (missings == NULL)
        return;
    for (size_t i = 0; i < missings->flows.count; i++) {
        struct flow *flow = missings->flows.all[i].thing;
        rates_free(flow->rates);
        free(flow->learned.all);
        free(flow);
    }
    free(missings->flows.all);
    free(missings);
}

static void begin(struct flow *flow)
{
    *flow = (struct flow){.learned = flow->learned, .last_time = ARMTAP_NO_TIME, .last_clock = NAN};
}

void missings_rewind(struct missings *missings)
{
    for (size_t i = 0; i < missings->flows.count; i++) {
        struct flow *flow = missings->flows.all[i].thing;
        rates_free(flow->rates);
        begin(flow);
        flow->learned.is_known = !flow->learned.failed;
    }
}

/* The flow of a stream, made if there is none; NULL without memory. */
static struct flow *flow_of(struct missings *missings, const struct armtap_stream *stream)
{
    struct flow *flow = by_connection_find(&missings->flows, stream->connection);
    if (flow != NULL)
        return flow;
    flow = calloc(1, sizeof *flow);
    if (flow == NULL)
        return NULL;
    begin(flow);
    if (by_connection_add(&missings->flows, stream->connection, flow) == 0)
        return flow;
    free(flow);
    return NULL;
}

/* The same with rates, which are only of what comes from the robot. */
static struct flow *paced_flow(struct missings *missings, const struct armtap_stream *stream)
{
    struct flow *flow = flow_of(missings, stream);
    bool is_over = flow != NULL && flow->closed[0] && flow->closed[1];
    if (flow == NULL || flow->rates != NULL || is_over || missings->direction != ARMTAP_FROM_ROBOT)
        return flow;
    flow->rates = rates_new();
    if (flow->rates == NULL)
        return NULL;
    rates_learn(flow->rates, &flow->learned);
    return flow;
}

static int judge_memory(const struct flow *flow)
{
    return flow->learned.failed || (flow->rates != NULL && rates_failed(flow->rates)) ? -1 : 0;
}

/* ---- what is missing ------------------------------------------------------------------------------------------- */

static double rounded(double seconds)
{
    return seconds > 0 ? floor(seconds * 1e6 + 0.5) / 1e6 : 0;
}

static double seconds_missing(const struct flow *flow, const struct armtap_record *record, const struct pace_step *step)
{
    double clock = pace_clock(record) - flow->last_clock;
    double steps = step->usual * (1 + (double)step->skipped);
    if (!flow->has_last)
        return NAN;
    /* Of several channels the clock of the last one tells, of whichever it is. */
    if (!isnan(step->clock) && clock >= 0)
        return rounded(clock - steps);
    if (flow->last_time == ARMTAP_NO_TIME || record->where.time < flow->last_time)
        return NAN;
    return rounded((double)when_between(flow->last_time, record->where.time) / 1e9 - steps);
}

static double records_missing(const struct flow *flow, const struct armtap_record *record, const struct pace_step *step,
                              uint64_t bytes)
{
    if (flow->has_last && isfinite(step->lost) && (step->lost > 0 || !isnan(step->clock)))
        return step->lost;
    return record->frame_length == 0 ? 0 : ceil((double)bytes / (double)record->frame_length);
}

static void look_before(struct flow *flow, const struct armtap_record *record, const struct pace_step *step)
{
    uint64_t lost = record->stream->bytes_lost[record->direction];
    flow->here = (struct missing){.bytes = lost - flow->lost_bytes, .skipped = step->skipped};
    if (flow->here.bytes > 0) {
        flow->here.seconds = seconds_missing(flow, record, step);
        flow->here.records = records_missing(flow, record, step, flow->here.bytes);
    }
    uint64_t skipped = record->stream->bytes_skipped[record->direction];
    bool is_rest = !flow->has_last && record->stream->midstream;
    flow->undecoded = is_rest ? 0 : skipped - flow->skipped_bytes;
    flow->skipped_bytes = skipped;
    flow->lost_bytes = lost;
    flow->has_last = true;
    flow->last_time = record->where.time;
    flow->length = record->frame_length;
    if (!isnan(pace_clock(record)))
        flow->last_clock = pace_clock(record);
    if (step->usual > 0)
        flow->usual = step->usual;
}

static void add(struct missing *sum, const struct missing *one)
{
    sum->bytes += one->bytes;
    sum->skipped += one->skipped;
    sum->records += one->records;
    sum->seconds += one->seconds;
}

int missings_record(struct missings *missings, const struct armtap_record *record)
{
    struct pace_step step = {.clock = NAN};
    struct flow *flow = paced_flow(missings, record->stream);
    if (flow == NULL)
        return -1;
    if (record->direction != missings->direction)
        return 0;
    if (flow->rates != NULL) {
        rates_record(flow->rates, NULL, record);
        rates_last_step(flow->rates, record, &step);
    }
    look_before(flow, record, &step);
    flow->is_last_counted = false;
    add(&flow->pending, &flow->here);
    return judge_memory(flow);
}

const struct missing *missings_before(struct missings *missings, const struct armtap_record *record)
{
    static const struct missing nothing;
    const struct flow *flow = by_connection_find(&missings->flows, record->stream->connection);
    return flow == NULL ? &nothing : &flow->pending;
}

void missings_drop(struct missings *missings, const struct armtap_record *record)
{
    struct flow *flow = by_connection_find(&missings->flows, record->stream->connection);
    if (flow != NULL)
        flow->pending = (struct missing){0};
}

/* ---- what else comes ------------------------------------------------------------------------------------------- */

int missings_recipe(struct missings *missings, const struct armtap_recipe_event *event)
{
    struct flow *flow = paced_flow(missings, event->stream);
    if (flow == NULL)
        return -1;
    if (flow->rates != NULL)
        rates_recipe(flow->rates, NULL, event);
    return judge_memory(flow);
}

/* What a stream needs while it goes on is much. */
static void take_close(struct flow *flow, const struct armtap_event *event)
{
    flow->closed[event->direction] = true;
    if (event->a != ARMTAP_CLOSE_FIN)
        flow->closed[!event->direction] = true;
    if (!flow->closed[0] || !flow->closed[1])
        return;
    rates_free(flow->rates);
    flow->rates = NULL;
}

int missings_event(struct missings *missings, const struct armtap_event *event)
{
    if (event->stream->protocol == ARMTAP_PROTOCOL_NONE)
        return 0;
    struct flow *flow = paced_flow(missings, event->stream);
    if (flow == NULL)
        return -1;
    if (flow->rates != NULL)
        rates_event(flow->rates, NULL, event);
    int outcome = judge_memory(flow);
    if (event->type == ARMTAP_EVENT_CLOSE)
        take_close(flow, event);
    return outcome;
}

int missings_note(struct missings *missings, const struct armtap_note *note)
{
    struct flow *flow = note->stream == NULL ? NULL : by_connection_find(&missings->flows, note->stream->connection);
    if (flow != NULL && flow->rates != NULL)
        rates_note(flow->rates, NULL, note);
    return 0;
}

/* ---- totals ---------------------------------------------------------------------------------------------------- */

/* Whether more is missing in one place; seconds that are not known are less than any. */
static bool is_longer(const struct missing *one, const struct missing *other)
{
    double a = isnan(one->seconds) ? -1 : one->seconds;
    double b = other->bytes == 0 ? -2 : isnan(other->seconds) ? -1 : other->seconds;
    return a > b || (a == b && one->bytes > other->bytes);
}

static void keep_longest(struct missing_total *total, struct missing_place place)
{
    for (size_t i = 0; i < MISSING_PLACES; i++) {
        struct missing_place kept = total->longest[i];
        if (!is_longer(&place.missing, &kept.missing))
            continue;
        total->longest[i] = place;
        place = kept;
    }
}

static void count_gap(struct missing_total *total, const struct missing_place *place)
{
    total->gaps++;
    total->missing.bytes += place->missing.bytes;
    total->missing.records += place->missing.records;
    total->missing.seconds += isnan(place->missing.seconds) ? 0 : place->missing.seconds;
    keep_longest(total, *place);
}

void missings_count(struct missings *missings, const struct armtap_record *record)
{
    struct flow *flow = by_connection_find(&missings->flows, record->stream->connection);
    if (flow == NULL)
        return;
    struct missing_total *total = &flow->total;
    const struct missing_place place = {record->where, flow->here};
    flow->is_last_counted = true;
    if (place.missing.bytes > 0)
        count_gap(total, &place);
    if (place.missing.skipped > 0) {
        total->skips++;
        total->missing.skipped += place.missing.skipped;
        if (place.missing.skipped > total->largest_skip.missing.skipped)
            total->largest_skip = place;
    }
    total->undecoded += flow->undecoded;
    if (record->recipe == NULL) {
        if (total->opaque++ == 0)
            total->first_opaque = record->where;
        total->last_opaque = record->where;
    }
}

bool missings_total(struct missings *missings, const struct armtap_stream *stream, struct missing_total *total)
{
    const struct flow *flow = by_connection_find(&missings->flows, stream->connection);
    if (flow == NULL)
        return false;
    *total = flow->total;
    if (!flow->is_last_counted && flow->has_last)
        return true;
    uint64_t lost = stream->bytes_lost[missings->direction] - flow->lost_bytes;
    double records = flow->length == 0 ? 0 : ceil((double)lost / (double)flow->length);
    double seconds = flow->usual > 0 ? rounded(records * flow->usual) : NAN;
    if (lost > 0)
        count_gap(total, &(struct missing_place){.missing = {lost, 0, records, seconds}});
    if (flow->has_last || !stream->midstream)
        total->undecoded += stream->bytes_skipped[missings->direction] - flow->skipped_bytes;
    return true;
}
