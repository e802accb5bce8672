#include "analysis/facts/flow_rate.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/numbers.h"
#include "nanoseconds.h"
#include "speed.h"
#include "analysis/inside.h"

#define SILENCE (2 * SECOND)
/* A silence is also longer than this many package intervals: some clients request less than one package per
 * second. */
#define SILENT_STEPS 3
/* A rate is low below this share of the expected rate, if at least this many packages and this much time were
 * expected. */
#define LOW 0.95
#define LOW_PACKAGES 20
/* ns: a package later than its clock says by more than this, and by more than one interval, was delayed, or the
 * capture's clock was set. */
#define DELAYED (SECOND / 50)
/* After a silence: the share that must be caught up within this many s and package intervals for the data to count as
 * delayed; and the share by which the controller's clock must have advanced for the controller to have been running. */
#define CAUGHT_UP 0.8
#define CATCH_UP 1
#define CATCH_UP_STEPS 10
#define CATCHES_UP 0.05
#define FOLLOWED 10
#define ADVANCED 0.9
/* Bytes that the robot sent again after this share of the time without data explain it, if the rest is no silence: TCP
 * sends nothing new while it waits for an acknowledgement and its buffer is full. TCP does not find out earlier than
 * after HELD_UP_LEAST, in ns, that one is missing. */
#define HELD_UP 0.5
#define HELD_UP_LEAST (SECOND / 5)
/* s: a clock that advances by this much more than the capture's was set by hand or is damaged. */
#define CLOCK_JUMP 60
/* bytes: half of TCP's sequence space, beyond which a gap's length is ambiguous: the numbers may have gone round. */
#define GAP_KNOWN 2147483648.0
/* s: going back by less is rounding, not a step. */
#define CLOCK_NOISE 1e-6
/* This many records after PAUSE show that data was requested again in packets that were not captured. Where requests
 * get no reply: the time in ns during which records keep coming. */
#define AFTER_PAUSE 16
#define AFTER_PAUSE_TIME SECOND
/* Packages come in bursts if at least half of them do, so often: that many together, less than half a step apart, after
 * that many ns, in which at least half of them were due. */
#define BURSTS 10
#define BURST_LEAST 2
#define BURST_WAIT (SECOND * 3 / 250)
/* ns: data that was on its way during a new set-up still follows the old one. */
#define UNDER_WAY (SECOND / 10)

/* A silence whose reason later packages may show. */
struct silence {
    bool waits; /* for the packages after it */
    struct armtap_where from, to;
    double seconds;
    double step;      /* of the controller's clock; NAN: unknown */
    double caught_up; /* s */
    double follows;   /* s after it for which what comes decides; */
    double before;    /* and what was caught up until a second before */
};

/* What the robot sent again after a record. */
struct resent {
    uint64_t since; /* that record's packet; 0: nothing was sent again */
    uint64_t count;
    uint64_t first; /* packet */
    struct armtap_where last;
    uint64_t heard;           /* packets of the client until the first of them */
    bool is_answerable;       /* the capture has packets of the client since the data began */
    struct armtap_where mute; /* the last of them before another packet of the client came */
    bool is_acknowledged;     /* the client answers, and had all of them: what was lost is what it answers */
    bool is_lacked;           /* it had not acknowledged some of them */
    bool is_long;             /* the last of them came long enough after the record for a silence */
};

/* Packages that came together, over and over. */
struct bursts {
    uint32_t count, largest;
    uint64_t records;
    int64_t waited; /* ns before them, added up */
    uint32_t size;  /* of those that came together last */
    int64_t wait;   /* before them; -1: unknown */
    bool is_timed;  /* they came one after the other, or in one packet: no coarse clock put them together */
};

enum phase { PHASE_UNKNOWN, PHASE_ACTIVE, PHASE_PAUSED };

struct flow_rate {
    /* the request */
    double frequency;      /* requested; 0: unknown */
    bool frequency_wanted; /* as in struct armtap_diagnosis_options */
    unsigned traits;       /* of its protocol */
    double cycle;          /* the controller's cycle, s; 0: unknown */
    bool is_one_of_many;   /* its findings name the channel */
    struct flow_rate_blame why;
    int version; /* RTDE protocol, or packet size */
    double base; /* packages per second at one per cycle; 0: unknown */
    /* the current stretch */
    enum phase phase;
    struct armtap_where granted; /* START; packet 0: none */
    struct armtap_where paused;
    unsigned after_pause;
    int64_t not_before;              /* records before this are not judged; NO_TIME: all are */
    bool unsure;                     /* requests may be missing since the last record */
    bool deaf;                       /* requests can no longer be read */
    bool fell_back;                  /* the clock went back in the current record */
    bool failed;                     /* without memory */
    unsigned unread;                 /* messages that could not be read since the last record */
    struct waiting_arrivals waiting; /* until the usual step is known; at most PACE_WAITING */
    bool is_settled;
    double expected; /* step in s; 0: unknown */
    double usual;    /* the step that the clock is compared with; 0: unknown */
    double before;   /* that of an earlier stretch with more records, set up alike; 0: unknown */
    bool has_last;
    struct arrival first, last;
    uint64_t records;
    int64_t elapsed; /* ns from the first to the last of them; -1: unknown */
    struct silence silence;
    struct resent resent;
    struct backlog backlog;   /* up to the last record */
    struct armtap_where full; /* where the client's receive buffer became full; packet 0: it never was */
    int64_t opened;           /* when it had room again; NO_TIME: not yet */
    uint64_t heard_before;    /* packets of the client until the first record */
    double missing;           /* records skipped or lost, as far as known */
    double silent;            /* s in silences */
    double delayed;           /* s by which packages came late, only the largest delays */
    double late;              /* s by which capture time advanced more than the clock, outside silences */
    struct bursts bursts;
    uint64_t lost_bytes;
    uint64_t skipped_bytes;        /* the stream's counter at the last record */
    size_t length;                 /* of the last record */
    bool is_counted;               /* the last record belongs to a stretch */
    struct armtap_rates_step step; /* the step to it, if it was judged */
    /* learned from stretches, or recalled */
    int channel;
    struct armtap_rates_learned *learned; /* may be NULL */
    size_t recall_at;                     /* the next to recall */
    bool only_learns;                     /* nothing is judged */
    bool only_steps;                      /* totals are not asked for */
    /* all stretches */
    struct histogram *jitter; /* of the stream */
    struct armtap_flow_sums sums;
    int64_t longest_gap;
    bool is_closing, is_paused;
};

static bool has(const struct flow_rate *flow, enum armtap_trait trait)
{
    return (flow->traits & (unsigned)trait) != 0;
}

/* Whether requests to start and stop data get no reply. */
static bool is_unanswered(const struct flow_rate *flow)
{
    return (flow->traits & (ARMTAP_TRAIT_UNASKED | ARMTAP_TRAIT_ANSWERED)) == 0;
}

static void take_protocol(struct flow_rate *flow, const struct armtap_stream *stream)
{
    flow->traits = stream->info ? stream->info->traits : 0;
    flow->cycle = stream->info ? stream->info->cycle : 0;
}

void armtap_flow_rate_prefetch(const struct flow_rate *flow)
{
    armtap_prefetch(flow, sizeof *flow);
}

/* Which flow of the stream a finding is about. */
static struct armtap_argument channel_argument(const struct flow_rate *flow)
{
    return flow->is_one_of_many ? arg_channel((uint64_t)flow->channel) : arg_none(true);
}

/* Absent if it is 0. */
static struct armtap_argument if_any(struct armtap_argument argument)
{
    return argument.value.count > 0 ? argument : arg_none(true);
}

struct flow_rate *armtap_flow_rate_new(const struct armtap_stream *stream, int channel, struct histogram *jitter,
                                       bool frequency_wanted)
{
    struct flow_rate *flow = calloc(1, sizeof *flow);
    if (!flow)
        return NULL;
    take_protocol(flow, stream);
    flow->channel = channel;
    flow->is_one_of_many = has(flow, ARMTAP_TRAIT_CHANNELS);
    if (flow->is_one_of_many)
        flow->skipped_bytes = stream->bytes_skipped[ARMTAP_FROM_ROBOT];
    flow->not_before = ARMTAP_NO_TIME;
    flow->sums = (struct armtap_flow_sums){.channel = (unsigned)channel, .longest_silence = -1};
    flow->longest_gap = -1;
    flow->jitter = jitter;
    flow->frequency_wanted = frequency_wanted;
    return flow;
}

void armtap_flow_rate_free(struct flow_rate *flow)
{
    if (!flow)
        return;
    armtap_waiting_clear(&flow->waiting);
    free(flow);
}

bool armtap_flow_rate_failed(const struct flow_rate *flow)
{
    return flow->failed;
}

void armtap_flow_rate_learn(struct flow_rate *flow, struct armtap_rates_learned *learned, bool only_learns)
{
    flow->learned = learned;
    flow->only_learns = only_learns;
}

void armtap_flow_rate_only_steps(struct flow_rate *flow)
{
    flow->only_steps = true;
}

static int64_t between(const struct armtap_where *from, const struct armtap_where *to)
{
    if (from->time == ARMTAP_NO_TIME || to->time == ARMTAP_NO_TIME || to->time < from->time)
        return -1;
    return armtap_time_between(from->time, to->time);
}

/* ---- what is expected ------------------------------------------------------------------------------------------ */

/* The step that would be in the middle if they were sorted. Compares each with all: steady steps take a fifth of
 * qsort()'s time. */
static double middle_of(const double *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t below = 0, up_to = 0;
        for (size_t other = 0; other < count; other++) {
            below += steps[other] < steps[i];
            up_to += steps[other] <= steps[i];
        }
        if (below <= count / 2 && count / 2 < up_to)
            return steps[i];
    }
    return 0; /* not reached: one of them is in the middle */
}

/* The median clock step of the waiting records; 0 if there are too few. */
static double median_step(const struct flow_rate *flow)
{
    double steps[PACE_WAITING], last = NAN;
    size_t count = 0;
    for (unsigned i = 0; i < flow->waiting.count; i++) {
        struct arrival arrival = armtap_waiting_at(&flow->waiting, i);
        double step = arrival.clock - last; /* NAN for the first */
        if (step > CLOCK_NOISE && !arrival.after_gap)
            steps[count++] = step;
        last = arrival.clock;
    }
    if (count < 4)
        return 0;
    return middle_of(steps, count);
}

/* Of records without a clock, whose controller may be slower than asked: at least so many of the waiting ones show it.
 * Waits of this many times the middle one are stalls. Arrival tells of a slower controller beyond this share. */
#define PACE_SHOWN 16
#define STALLED 3
#define SLOWER 1.5

/* The mean step of arrival of the waiting records in whole cycles of 2 ms; 0 if there are too few. */
static double arrival_step(const struct flow_rate *flow)
{
    double waits[PACE_WAITING], sum = 0;
    size_t count = 0, kept = 0;
    struct arrival last = {.where.time = ARMTAP_NO_TIME};
    for (unsigned i = 0; i < flow->waiting.count; i++) {
        struct arrival arrival = armtap_waiting_at(&flow->waiting, i);
        int64_t wait = between(&last.where, &arrival.where);
        if (wait >= 0 && !arrival.after_gap)
            waits[count++] = (double)wait / 1e9;
        last = arrival;
    }
    if (count < PACE_SHOWN)
        return 0;
    double longest = STALLED * middle_of(waits, count);
    for (size_t i = 0; i < count; i++) {
        sum += waits[i] <= longest ? waits[i] : 0;
        kept += waits[i] <= longest;
    }
    return floor(sum / (double)kept / 0.002 + 0.5) * 0.002;
}

/* A step in whole cycles of 2 ms, if it is near one. */
static double whole_cycles(double step)
{
    double cycles = floor(step / 0.002 + 0.5);
    return cycles >= 1 && fabs(step - cycles * 0.002) < 0.0002 ? cycles * 0.002 : step;
}

/* The step in which a controller with that many cycles per second sends the requested frequency. */
static double asked_step(double base, double frequency)
{
    double cycles = floor(base / frequency + 1e-9);
    return (cycles < 1 ? 1 : cycles) / base;
}

static double nearer(double median, double one, double other)
{
    if (median <= 0)
        return one == other ? one : 0;
    return fabs(log(one / median)) <= fabs(log(other / median)) ? one : other;
}

static double expected_step(const struct flow_rate *flow, double median)
{
    if (!has(flow, ARMTAP_TRAIT_UR_CYCLE))
        return flow->frequency > 0 ? 1 / flow->frequency : median;
    if (flow->frequency > 0 && flow->base > 0)
        return asked_step(flow->base, flow->frequency);
    if (flow->frequency > 125)
        return asked_step(500, flow->frequency);
    if (flow->frequency > 0)
        return nearer(median, asked_step(125, flow->frequency), asked_step(500, flow->frequency));
    if (flow->base > 0 && (has(flow, ARMTAP_TRAIT_UNASKED) || flow->version == 1))
        return 1 / flow->base;
    if (has(flow, ARMTAP_TRAIT_UNASKED))
        return nearer(median, 0.008, 0.002);
    return median > 0 ? whole_cycles(median) : 0;
}

/* The step that the clock is compared with. */
static double usual_step(const struct flow_rate *flow, double median, double expected)
{
    if (flow->before > 0 && (flow->waiting.count < PACE_SHOWN || !(median > 0)))
        return flow->before;
    if (median > 0 && expected > 0 && median > 0.75 * expected && median < 1.5 * expected)
        return expected;
    if (median > 0 || !has(flow, ARMTAP_TRAIT_UR_CYCLE))
        return median > 0 ? median : expected;
    double arrived = arrival_step(flow);
    return arrived > SLOWER * expected ? arrived : expected;
}

/* ---- judging --------------------------------------------------------------------------------------------------- */

/* Time without data. */
struct pause {
    const struct armtap_where *from, *to;
    int64_t time; /* ns between these; -1: unknown */
    double lost;  /* packages missing in the capture */
    double clock; /* by how much the controller's clock advanced meanwhile; NAN: unknown */
    bool to_end;  /* the data never resumed */
};

static void report_silence(const struct flow_rate *flow, struct findings *findings, const struct armtap_stream *stream,
                           const struct silence *silence, bool to_end, const struct flow_rate_blame *why)
{
    bool is_known = !isnan(silence->step);
    const struct fact fact = {
        .code = ARMTAP_FINDING_silence,
        .stream = stream,
        .where = &silence->to,
        .arguments = ARGS(channel_argument(flow), arg_duration_s(silence->seconds),
                          arg_since_packet(silence->from.packet), arg_is_to_end(to_end), arg_reason(why->reason),
                          arg_is_one_cycle(silence->step >= 0 && silence->step < 1.5 * flow->usual),
                          is_known ? arg_clock_step_s(silence->step) : arg_none(true), arg_doubt(why->doubt),
                          if_any(arg_bytes(why->bytes)), if_any(arg_times(why->times)),
                          if_any(arg_from_packet(why->from_packet)), if_any(arg_until_packet(why->until_packet)),
                          if_any(arg_mute_packet(why->mute_packet)))};
    armtap_findings_raise(findings, &fact);
}

/* Whether what was sent again explains the time without data. */
static bool is_held_up(const struct resent *resent, const struct armtap_where *from, const struct armtap_where *to)
{
    int64_t time = between(from, to), until = between(from, &resent->last);
    return resent->since > 0 && resent->since == from->packet && resent->last.packet < to->packet &&
           time >= HELD_UP_LEAST && (double)until >= HELD_UP * (double)time && time - until <= SILENCE;
}

/* What was sent again. */
static struct flow_rate_blame held_up_by(const struct resent *resent)
{
    return (struct flow_rate_blame){.reason = resent->is_acknowledged ? ARMTAP_WORD_acks_lost : ARMTAP_WORD_held_up,
                                    .times = resent->count,
                                    .from_packet = resent->first,
                                    .until_packet = resent->last.packet};
}

/* The same, and what it means: only of a client that sends nothing meanwhile is known that it may be gone. */
static struct flow_rate_blame blame_held_up(const struct resent *resent, const struct pause *pause)
{
    double mute = (double)between(pause->from, &resent->mute);
    bool is_mute =
        resent->is_answerable && resent->mute.packet > resent->first && mute >= HELD_UP * (double)pause->time;
    struct flow_rate_blame why = held_up_by(resent);
    why.mute_packet = is_mute ? resent->mute.packet : 0;
    why.reason = is_mute ? ARMTAP_WORD_held_up : why.reason;
    return why;
}

/* Whether the client's receive buffer was full all the time without data, but for a second. */
static bool was_full(const struct flow_rate *flow, const struct pause *pause)
{
    double before = armtap_time_seconds(pause->from->time, flow->full.time);
    double after = armtap_time_seconds(flow->opened, pause->to->time);
    return flow->full.packet > 0 && fmax(before, 0) + fmax(after, 0) <= 1;
}

/* Reports a silence with its reason: data that was delayed on its way comes all at once afterwards. */
static void end_silence(struct flow_rate *flow, struct findings *findings, const struct armtap_stream *stream,
                        enum armtap_word reason)
{
    if (!flow->silence.waits)
        return;
    report_silence(flow, findings, stream, &flow->silence, false, &(struct flow_rate_blame){.reason = reason});
    flow->silence.waits = false;
    if (reason == ARMTAP_WORD_stalled)
        flow->backlog = (struct backlog){.late = 0};
}

/* A sender that lost much catches up slowly, and at first sends less than is due: it is waited for as long as its data
 * is out of step. A controller that stalled goes on in step. */
static void follow_on(struct flow_rate *flow, struct findings *findings, const struct armtap_stream *stream)
{
    struct silence *silence = &flow->silence;
    if (fabs(silence->caught_up - silence->before) < CATCHES_UP * silence->seconds || silence->follows > FOLLOWED) {
        end_silence(flow, findings, stream, ARMTAP_WORD_stalled);
        return;
    }
    silence->before = silence->caught_up;
    silence->follows += CATCH_UP;
}

/* Called for packages after a silence: adds up by how much more the clock advanced than time. */
static void follow_silence(struct flow_rate *flow, struct findings *findings, const struct armtap_stream *stream,
                           const struct arrival *arrival)
{
    double since = armtap_time_seconds(flow->silence.to.time, arrival->where.time);
    double time = armtap_time_seconds(flow->last.where.time, arrival->where.time),
           step = arrival->clock - flow->last.clock;
    if (time < 0)
        return;
    if (step > 0 && step < 1e6)
        flow->silence.caught_up += step - time;
    if (flow->silence.caught_up > CAUGHT_UP * (flow->silence.seconds - flow->silence.step))
        end_silence(flow, findings, stream, ARMTAP_WORD_delayed);
    else if (since > flow->silence.follows + CATCH_UP && since > CATCH_UP_STEPS * flow->usual)
        follow_on(flow, findings, stream);
}

/* ns: what is skipped so soon after packages for which there was no room has the same reason. */
#define SERIES (2 * SECOND)

/* What may have kept the controller from sending between two packages: what waited, or what was sent again. */
static struct flow_rate_blame kept_by(const struct flow_rate *flow, const struct armtap_where *to)
{
    const struct armtap_where *from = &flow->last.where;
    const struct backlog *backlog = &flow->backlog;
    struct flow_rate_blame why = {.reason = ARMTAP_WORD_none};
    bool is_resent = flow->resent.since > 0 && flow->resent.since == from->packet &&
                     flow->resent.last.packet < to->packet && between(from, to) >= HELD_UP_LEAST;
    if (is_resent)
        why = held_up_by(&flow->resent);
    why.reason = is_held_up(&flow->resent, from, to) ? ARMTAP_WORD_held_up : ARMTAP_WORD_none;
    bool is_series = backlog->skipped.packet > 0 && between(&backlog->skipped, to) < SERIES;
    if (why.reason == ARMTAP_WORD_none && (is_series || armtap_backlog_waits(backlog)))
        why = (struct flow_rate_blame){.reason = ARMTAP_WORD_waited,
                                       .times = backlog->times,
                                       .from_packet = backlog->times > 0 ? backlog->from_packet : 0,
                                       .until_packet = backlog->times > 0 ? backlog->until_packet : 0};
    return why;
}

/* Of a controller whose clock advanced meanwhile: what waited came afterwards, so that otherwise it sent nothing. */
static struct flow_rate_blame not_sent(const struct flow_rate *flow, const struct armtap_where *to)
{
    struct flow_rate_blame why = kept_by(flow, to);
    why.reason = why.reason == ARMTAP_WORD_waited ? ARMTAP_WORD_waited : ARMTAP_WORD_not_sent;
    return why;
}

/* Finds out from the clocks why there was no data. */
static void find_reason(struct flow_rate *flow, struct findings *findings, const struct armtap_stream *stream,
                        const struct pause *pause)
{
    struct silence silence = {
        .from = *pause->from, .to = *pause->to, .seconds = (double)pause->time / 1e9, .step = pause->clock};
    bool is_held = !pause->to_end && is_held_up(&flow->resent, pause->from, pause->to);
    bool is_unclear = silence.step < 0 || pause->lost > 0 || silence.step > silence.seconds + CLOCK_JUMP;
    bool has_advanced = silence.step >= ADVANCED * silence.seconds;
    struct flow_rate_blame why = {.reason = ARMTAP_WORD_unknown};
    if (pause->to_end)
        why = flow->why.reason ? flow->why : why;
    else if ((isnan(silence.step) || has_advanced) && !is_unclear && was_full(flow, pause))
        why = (struct flow_rate_blame){.reason = ARMTAP_WORD_client_stopped_reading, .from_packet = flow->full.packet};
    else if (is_held && (flow->resent.is_acknowledged || isnan(silence.step) || (has_advanced && !is_unclear)))
        why = blame_held_up(&flow->resent, pause);
    else if (has_advanced && !is_unclear)
        why = not_sent(flow, pause->to);
    else
        silence.waits = !isnan(silence.step) && !is_unclear;
    if (silence.waits)
        flow->silence = silence;
    else
        report_silence(flow, findings, stream, &silence, pause->to_end, &why);
}

/* Whether packages come without being asked for one by one, at a rate that is known. */
static bool is_steady(const struct flow_rate *flow)
{
    bool is_on_change = has(flow, ARMTAP_TRAIT_ON_CHANGE) && !(flow->frequency > 0);
    return !is_on_change && (!has(flow, ARMTAP_TRAIT_BESIDE) || has(flow, ARMTAP_TRAIT_UNASKED));
}

/* Whether a long pause was a silence, which is reported. */
static ARMTAP_RARE bool is_silence(struct flow_rate *flow, struct findings *findings,
                                   const struct armtap_stream *stream, const struct pause *pause, double silent)
{
    if (!(silent > SILENT_STEPS * flow->usual * 1e9) || !is_steady(flow))
        return false;
    flow->silent += (double)pause->time / 1e9;
    end_silence(flow, findings, stream, ARMTAP_WORD_delayed_or_stalled);
    find_reason(flow, findings, stream, pause);
    return true;
}

/* Returns whether it was a silence. */
static inline bool check_silence(struct flow_rate *flow, struct findings *findings, const struct armtap_stream *stream,
                                 const struct pause *pause)
{
    if (pause->time < 0)
        return false;
    /* Time covered by bytes missing in the capture is not silence. */
    double silent = (double)pause->time - pause->lost * flow->usual * 1e9;
    if (pause->time > flow->longest_gap)
        flow->longest_gap = pause->time;
    if (silent > (double)flow->sums.longest_silence)
        flow->sums.longest_silence = (int64_t)silent;
    if (flow->is_closing && pause->to_end) {
        bool is_due = is_steady(flow) && flow->usual > 0 && silent > SILENT_STEPS * flow->usual * 1e9;
        flow->sums.stopped = is_due ? (int64_t)silent : 0;
        flow->sums.stopped_since = *pause->from;
    } else if (silent > (double)flow->sums.longest_wait) {
        flow->sums.longest_wait = (int64_t)silent;
        flow->sums.wait_end = *pause->to;
    }
    return silent > (double)SILENCE && is_silence(flow, findings, stream, pause, silent);
}

/* How many of the `beyond` packages a gap explains: all, unless the number of missing bytes gives their number. */
static double lost_of(const struct arrival *arrival, double beyond)
{
    bool is_known = arrival->whole > 0 && beyond * (double)arrival->length < GAP_KNOWN;
    if (!arrival->after_gap)
        return 0;
    return is_known && arrival->whole < beyond ? arrival->whole : beyond;
}

/* The step from one arrival to the next, and that of the controller's clock. */
struct clock_step {
    int64_t wait;   /* ns from one to the other; -1: unknown */
    double time;    /* of the clock, s; NAN: one of them has no clock, or one that is not set yet */
    bool is_back;   /* the clock went back */
    bool is_jump;   /* it advanced by more than skipped packages can explain */
    double skipped; /* packages skipped by the controller */
    double lost;    /* packages explained by a gap */
};

/* Of a clock that advanced by more than one usual step. That by which it advanced more than time is a jump if skipped
 * packages cannot explain it. */
static ARMTAP_RARE void find_skipped(struct clock_step *step, const struct arrival *arrival, double usual)
{
    double beyond = floor(step->time / usual + 0.25) - 1;
    if (beyond < 1 || beyond > 1e15)
        return;
    step->lost = lost_of(arrival, beyond);
    step->is_jump = step->lost < beyond && step->wait >= 0 && step->time > (double)step->wait / 1e9 + CLOCK_JUMP;
    step->skipped = step->is_jump ? 0 : beyond - step->lost;
}

static inline struct clock_step clock_step_of(const struct arrival *last, const struct arrival *arrival, double usual)
{
    struct clock_step step = {.wait = between(&last->where, &arrival->where), .time = arrival->clock - last->clock};
    step.is_back = step.time < -CLOCK_NOISE;
    if (!(last->clock > 0) || step.is_back)
        step.time = NAN;
    if (usual > 0 && step.time > 1.5 * usual)
        find_skipped(&step, arrival, usual);
    return step;
}

static void report_skipped(struct flow_rate *flow, struct findings *findings, const struct armtap_stream *stream,
                           const struct arrival *arrival, const struct clock_step *step)
{
    const struct flow_rate_blame why = kept_by(flow, &arrival->where);
    bool is_late = why.reason == ARMTAP_WORD_waited && flow->backlog.late > BACKLOG_LATE;
    if (why.reason == ARMTAP_WORD_waited)
        flow->backlog.skipped = arrival->where;
    const struct fact fact = {
        .code = ARMTAP_FINDING_clock_skipped,
        .stream = stream,
        .where = &arrival->where,
        .arguments = ARGS(channel_argument(flow), arg_packages(step->skipped), arg_clock_step_s(step->time),
                          arg_usual_s(flow->usual), step->lost > 0 ? arg_packages_lost(step->lost) : arg_none(true),
                          arg_reason(why.reason), is_late ? arg_later_s(flow->backlog.late) : arg_none(true),
                          if_any(arg_times(why.times)), if_any(arg_from_packet(why.from_packet)),
                          if_any(arg_until_packet(why.until_packet)))};
    armtap_findings_raise(findings, &fact);
}

/* The controller's clock was set forward, or a value is damaged. */
static void report_jump(const struct flow_rate *flow, struct findings *findings, const struct armtap_stream *stream,
                        const struct arrival *arrival, const struct clock_step *step)
{
    const struct fact fact = {.code = ARMTAP_FINDING_clock_skipped,
                              .stream = stream,
                              .where = &arrival->where,
                              .arguments =
                                  ARGS(channel_argument(flow), arg_reason(ARMTAP_WORD_clock_set),
                                       arg_clock_step_s(step->time), arg_duration_s((double)step->wait / 1e9))};
    armtap_findings_raise(findings, &fact);
}

static void report_back(const struct flow_rate *flow, struct findings *findings, const struct armtap_stream *stream,
                        const struct arrival *arrival)
{
    const struct fact fact = {.code = ARMTAP_FINDING_clock_backwards,
                              .stream = stream,
                              .where = &arrival->where,
                              .arguments = ARGS(arg_clock_before_s(flow->last.clock), arg_clock_s(arrival->clock))};
    armtap_findings_raise(findings, &fact);
}

/* Judges the step of the controller's clock. */
static struct clock_step check_clock(struct flow_rate *flow, struct findings *findings,
                                     const struct armtap_stream *stream, const struct arrival *arrival)
{
    struct clock_step step = clock_step_of(&flow->last, arrival, flow->usual);
    if (step.is_back) {
        flow->fell_back = true;
        report_back(flow, findings, stream, arrival);
    } else if (step.is_jump) {
        report_jump(flow, findings, stream, arrival, &step);
    } else if (step.skipped > 0) {
        flow->sums.skipped += (uint64_t)step.skipped;
        report_skipped(flow, findings, stream, arrival, &step);
    }
    return step;
}

static struct armtap_rates_step flow_rate_step_of(const struct clock_step *step, const struct arrival *arrival,
                                                  double usual)
{
    return (struct armtap_rates_step){.skipped = (uint64_t)step->skipped,
                                      .lost = isnan(step->time) ? arrival->lost : step->lost,
                                      .clock = step->is_jump ? NAN : step->time,
                                      .usual = usual};
}

/* Takes those that came together last. */
static void end_burst(struct flow_rate *flow)
{
    struct bursts *bursts = &flow->bursts;
    double due = flow->usual * bursts->size * 1e9;
    if (!bursts->is_timed || bursts->size < BURST_LEAST || bursts->wait < BURST_WAIT || (double)bursts->wait < due / 2)
        return;
    bursts->count++;
    bursts->records += bursts->size;
    bursts->waited += bursts->wait;
    bursts->largest = bursts->size > bursts->largest ? bursts->size : bursts->largest;
}

static void follow_bursts(struct flow_rate *flow, const struct arrival *arrival, int64_t wait, bool is_whole)
{
    struct bursts *bursts = &flow->bursts;
    if (wait >= 0 && (double)wait < flow->usual * 1e9 / 2) {
        bursts->size++;
        bursts->is_timed = bursts->is_timed || wait > 0 || arrival->where.packet == flow->last.where.packet;
        return;
    }
    end_burst(flow);
    bursts->size = 1;
    bursts->is_timed = false;
    bursts->wait = is_whole ? wait : -1;
}

static void check_bursts(struct flow_rate *flow, struct findings *findings, const struct armtap_stream *stream)
{
    struct bursts *bursts = &flow->bursts;
    end_burst(flow);
    bool is_often = bursts->count >= BURSTS && 2 * bursts->records >= flow->records;
    if (is_often && stream->origin != ARMTAP_ORIGIN_SOCKET)
        armtap_findings_raise(
            findings,
            &(struct fact){.code = ARMTAP_FINDING_rate_bursts,
                           .stream = stream,
                           .where = &flow->last.where,
                           .arguments = ARGS(channel_argument(flow), arg_times(bursts->count),
                                             arg_packages((double)bursts->records / bursts->count),
                                             arg_duration_s((double)bursts->waited / 1e9 / bursts->count),
                                             arg_usual_s(flow->usual),
                                             arg_jitter_s((double)armtap_histogram_quantile(flow->jitter, 99) / 1e9),
                                             arg_since_packet(flow->first.where.packet))});
    *bursts = (struct bursts){.wait = -1};
}

/* How late the package came after that time, compared with the one before, and how regularly they could be read. */
static void measure_delay(struct flow_rate *flow, const struct arrival *arrival, int64_t wait, bool was_silent)
{
    double step = arrival->clock - flow->last.clock, delay = (double)wait / 1e9 - step;
    double due = isnan(step) && !arrival->after_gap ? flow->expected : step;
    if (wait < 0 || !(due > 0) || due > 1e6)
        return;
    if (!was_silent && !isnan(step)) {
        flow->late += delay;
        if (delay * 1e9 > (double)DELAYED && delay > flow->expected)
            flow->delayed += delay;
    }
    bool is_read_in_order = flow->last.read != ARMTAP_NO_TIME && arrival->read >= flow->last.read;
    int64_t apart = is_read_in_order ? armtap_time_between(flow->last.read, arrival->read) : wait;
    if (!(flow->last.clock <= 0))
        armtap_histogram_add(flow->jitter, (int64_t)(fabs((double)apart - due * 1e9) + 0.5));
}

/* The time since the last arrival, which is not earlier: negative; if the capture's clock was set back, by the
 * controller's clock or else the usual step. */
static ARMTAP_RARE int64_t time_back(const struct flow_rate *flow, const struct arrival *arrival)
{
    int64_t last = flow->last.where.time, time = arrival->where.time;
    double clock = arrival->clock - flow->last.clock;
    if (!armtap_time_is_set_back(&flow->last.where, &arrival->where))
        return time >= last ? armtap_time_between(last, time) : -armtap_time_between(time, last);
    return (int64_t)((clock > 0 && clock < 1e6 ? clock : flow->usual) * 1e9 + 0.5);
}

static void follow_time(struct flow_rate *flow, const struct arrival *arrival, int64_t wait)
{
    if (arrival->where.time == ARMTAP_NO_TIME || flow->elapsed < 0) {
        flow->elapsed = -1;
    } else if (flow->has_last) {
        int64_t step = wait < 0 ? time_back(flow, arrival) : wait;
        flow->elapsed = armtap_time_shift(flow->elapsed, step);
        flow->elapsed = flow->elapsed < 0 ? 0 : flow->elapsed;
        flow->longest_gap = step > flow->longest_gap ? step : flow->longest_gap;
    }
}

/* What a step means for rates, silences and delays; none before the first arrival. */
static void add_up(struct flow_rate *flow, struct findings *findings, const struct armtap_stream *stream,
                   const struct arrival *arrival, const struct clock_step *step)
{
    follow_time(flow, arrival, step->wait);
    flow->records++;
    if (!flow->has_last) {
        flow->first = *arrival;
        const struct pause pause = {
            &flow->granted, &arrival->where, between(&flow->granted, &arrival->where), arrival->lost, NAN, false};
        if (flow->granted.packet > 0)
            check_silence(flow, findings, stream, &pause);
    } else {
        double clock = arrival->clock - flow->last.clock, lost = isnan(clock) ? arrival->lost : step->lost;
        const struct pause pause = {
            &flow->last.where, &arrival->where, step->wait, lost, flow->last.clock > 0 ? clock : NAN, false};
        if (flow->silence.waits)
            follow_silence(flow, findings, stream, arrival);
        bool was_silent = check_silence(flow, findings, stream, &pause);
        measure_delay(flow, arrival, step->wait, was_silent);
        follow_bursts(flow, arrival, step->wait, !was_silent && step->skipped + lost <= 0);
        flow->missing += step->is_jump ? 0 : step->skipped + lost;
    }
}

static void count_step(struct flow_rate *flow, const struct arrival *arrival)
{
    if (has(flow, ARMTAP_TRAIT_BESIDE) || (has(flow, ARMTAP_TRAIT_ON_CHANGE) && !(flow->frequency > 0)))
        return;
    flow->sums.judged++;
    flow->sums.unclocked += isnan(arrival->clock) ? 1 : 0;
}

/* Whether it was captured before bytes that were sent again: it could be read when those had come. */
static bool is_read_later(const struct flow_rate *flow, const struct arrival *arrival)
{
    return flow->has_last && arrival->where.time < flow->last.where.time && arrival->where.time != ARMTAP_NO_TIME &&
           !armtap_time_is_set_back(&flow->last.where, &arrival->where);
}

/* A clock that stands, or was set, says nothing about what waits. */
static void follow_backlog(struct flow_rate *flow, const struct arrival *arrival, const struct clock_step *step)
{
    bool is_joint = flow->has_last && arrival->where.packet == flow->last.where.packet;
    bool stands = flow->has_last && arrival->clock <= flow->last.clock;
    if (step->is_back || step->is_jump)
        flow->backlog = (struct backlog){.late = 0};
    armtap_backlog_take(&flow->backlog, arrival->where.time, stands ? NAN : arrival->clock, is_joint);
}

static void judge(struct flow_rate *flow, struct findings *findings, const struct armtap_stream *stream,
                  const struct arrival *arrival)
{
    struct clock_step step = {.time = NAN};
    struct arrival read;
    if (is_read_later(flow, arrival)) {
        read = *arrival;
        read.where = flow->last.where;
        arrival = &read;
    }
    if (!flow->has_last) {
        flow->step = flow_rate_step_of(&step, arrival, flow->usual);
    } else {
        step = check_clock(flow, findings, stream, arrival);
        flow->step = flow_rate_step_of(&step, arrival, flow->usual);
        count_step(flow, arrival);
    }
    if (!flow->only_steps)
        add_up(flow, findings, stream, arrival, &step);
    follow_backlog(flow, arrival, &step);
    flow->has_last = true;
    flow->last = *arrival;
}

static void learn(struct flow_rate *flow)
{
    struct armtap_rates_learned *learned = flow->learned;
    if (!learned || learned->failed || learned->is_cut)
        return;
    learned->is_cut = learned->left && *learned->left == 0;
    if (learned->is_cut)
        return;
    if (learned->count == learned->room) {
        size_t room = 2 * learned->room + 4;
        struct flow_rate_stretch *all = realloc(learned->all, room * sizeof *all);
        learned->failed = !all;
        if (!all)
            return;
        learned->all = all;
        learned->room = room;
    }
    learned->all[learned->count++] = (struct flow_rate_stretch){flow->channel, flow->expected, flow->usual};
    flow->recall_at = learned->count;
    if (learned->left)
        --*learned->left;
}

/* The flow's next stretch as learned in a first reading; NULL after the last. */
static const struct flow_rate_stretch *recall(struct flow_rate *flow)
{
    const struct armtap_rates_learned *learned = flow->learned;
    while (flow->recall_at < learned->count)
        if (learned->all[flow->recall_at++].channel == flow->channel)
            return &learned->all[flow->recall_at - 1];
    return NULL;
}

static bool is_recalled(const struct flow_rate *flow)
{
    return flow->learned && flow->learned->is_known;
}

/* Enough is known of the stretch to judge it. */
static void settle(struct flow_rate *flow, struct findings *findings, const struct armtap_stream *stream)
{
    const struct flow_rate_stretch *told = is_recalled(flow) ? recall(flow) : NULL;
    double median = told ? 0 : median_step(flow);
    flow->is_settled = true;
    flow->expected = told ? told->expected : expected_step(flow, median);
    flow->usual = told ? told->usual : usual_step(flow, median, flow->expected);
    if (flow->waiting.count >= PACE_SHOWN)
        flow->before = flow->usual;
    if (!told)
        learn(flow);
    for (unsigned i = 0; i < flow->waiting.count && !flow->only_learns; i++) {
        struct arrival arrival = armtap_waiting_at(&flow->waiting, i);
        judge(flow, findings, stream, &arrival);
    }
    armtap_waiting_clear(&flow->waiting);
}

/* A controller that sends fewer packages than it should: its step is so many times as long, and the rate is that of its
 * step but for this share. */
#define FEWER 1.5
#define EVENLY 0.03

/* The longest step in which a controller may send the requested frequency. */
static double longest_step(const struct flow_rate *flow)
{
    return flow->cycle > 0 ? ceil(flow->expected / flow->cycle - 1e-6) * flow->cycle : flow->expected;
}

/* Whether a program that records what it reads asked for all that a controller sends: it need not mean a number. A
 * slower controller that keeps its own step is not at fault then. */
static bool asks_for_all(const struct flow_rate *flow, const struct armtap_stream *stream)
{
    return stream->origin == ARMTAP_ORIGIN_SOCKET && !flow->frequency_wanted && has(flow, ARMTAP_TRAIT_UR_CYCLE) &&
           flow->base > 0 && flow->frequency >= flow->base;
}

/* Whether the controller's own clock shows that it sends every few steps only, evenly: nothing is missing, and nothing
 * waited. One whose cycle is not known may not be able to send more than 125 a second. */
static bool sends_fewer(const struct flow_rate *flow, double rate)
{
    bool may_ask = flow->base > 0 || (flow->frequency > 0 && flow->frequency <= 125);
    return may_ask && flow->last.clock > 0 && flow->usual > FEWER * longest_step(flow) && flow->missing == 0 &&
           flow->lost_bytes == 0 && fabs(rate * flow->usual - 1) < EVENLY && !armtap_backlog_waits(&flow->backlog);
}

static void check_rate(struct flow_rate *flow, struct findings *findings, const struct armtap_stream *stream,
                       int64_t time)
{
    /* Data delayed to the end, a capture clock that was set, and delays that were caught up do not make the rate low. A
     * controller whose clock is slow throughout does send too little. */
    double delayed = flow->delayed < flow->late ? flow->delayed : flow->late;
    double seconds = (double)time / 1e9 - flow->silent - (delayed > 0 ? delayed : 0);
    if (!(flow->expected > 0) || seconds < 1 || seconds < LOW_PACKAGES * flow->expected)
        return;
    double rate = ((double)(flow->records - 1) + flow->missing) / seconds;
    /* A controller rounds up what was asked for. */
    bool is_rounded = flow->frequency > 0 && flow->frequency < 0.99 / flow->expected;
    if (is_rounded && rate >= LOW * flow->frequency)
        return;
    if (rate >= LOW / longest_step(flow) || (asks_for_all(flow, stream) && rate >= LOW / flow->usual))
        return;
    const struct fact fact = {.code = ARMTAP_FINDING_rate_low,
                              .stream = stream,
                              .where = &flow->last.where,
                              .arguments = ARGS(channel_argument(flow), arg_rate_hz(rate),
                                                arg_expected_hz(is_rounded ? flow->frequency : 1 / flow->expected),
                                                is_rounded ? arg_requested_hz(flow->frequency) : arg_none(true),
                                                arg_duration_s(seconds), arg_since_packet(flow->first.where.packet),
                                                sends_fewer(flow, rate) ? arg_usual_s(flow->usual) : arg_none(true))};
    armtap_findings_raise(findings, &fact);
}

/* ---- stretches ------------------------------------------------------------------------------------------------- */

static void clear_piece(struct flow_rate *flow)
{
    flow->elapsed = 0;
    flow->missing = 0;
    flow->silent = 0;
    flow->delayed = flow->late = 0;
    flow->bursts = (struct bursts){.wait = -1};
}

static void begin_stretch(struct flow_rate *flow, enum phase phase, const struct armtap_where *granted)
{
    flow->phase = phase;
    flow->granted = (struct armtap_where){.size = sizeof(struct armtap_where), .time = ARMTAP_NO_TIME};
    if (granted)
        flow->granted = *granted;
    flow->paused = (struct armtap_where){.size = sizeof(struct armtap_where), .time = ARMTAP_NO_TIME};
    flow->after_pause = 0;
    flow->not_before = ARMTAP_NO_TIME;
    flow->unread = 0;
    flow->unsure = flow->deaf;
    armtap_waiting_clear(&flow->waiting);
    flow->is_settled = flow->has_last = false;
    flow->records = 0;
    clear_piece(flow);
    flow->lost_bytes = 0;
}

/* What is known of the stretch up to its last record adds to the rates. */
static void count_stretch(struct flow_rate *flow, struct findings *findings, const struct armtap_stream *stream)
{
    int64_t time = flow->has_last ? flow->elapsed : -1;
    if (flow->expected > 0)
        flow->sums.usual = flow->expected;
    if (time > 0) {
        flow->sums.expected += flow->expected > 0 ? (double)time / 1e9 / flow->expected : NAN;
        flow->sums.steps += flow->records - 1;
        flow->sums.time += (double)time / 1e9;
        check_rate(flow, findings, stream, time);
        check_bursts(flow, findings, stream);
    }
}

/* `at`: when data stopped being expected; NULL if unknown. */
static void end_stretch(struct flow_rate *flow, struct findings *findings, const struct armtap_stream *stream,
                        const struct armtap_where *at)
{
    if (flow->phase != PHASE_ACTIVE)
        return;
    if (!flow->is_settled)
        settle(flow, findings, stream);
    if (at) {
        const struct armtap_where *from = flow->has_last ? &flow->last.where : &flow->granted;
        double lost = flow->lost_bytes > 0 || flow->unsure ? INFINITY : (double)flow->unread;
        const struct pause pause = {from, at, between(from, at), lost, NAN, true};
        if (from->packet > 0)
            check_silence(flow, findings, stream, &pause);
    }
    end_silence(flow, findings, stream, ARMTAP_WORD_delayed_or_stalled);
    count_stretch(flow, findings, stream);
}

/* By the major version, without strtol, which takes longer than most of what is done for a record. */
static double base_of(const struct armtap_stream *stream)
{
    const char *version = stream->controller_version;
    if (stream->generation == ARMTAP_GENERATION_CB2)
        return 125;
    while (*version == '0')
        version++;
    if (*version < '1' || *version > '9')
        return 0;
    bool has_more = version[1] >= '0' && version[1] <= '9';
    return *version < '5' && !has_more ? 125 : 500;
}

/* Missing or unreadable bytes may belong to any channel. */
static void add_unread(struct flow_rate *flow, struct arrival *arrival, bool is_missing)
{
    arrival->lost = flow->unsure ? INFINITY : arrival->lost + flow->unread;
    arrival->after_gap = arrival->after_gap || is_missing || arrival->lost > 0;
    flow->unread = 0;
    flow->unsure = flow->deaf;
}

double armtap_rates_clock(const struct armtap_record *record)
{
    return record->clock >= 0 && record->clock < 1e12 ? record->clock : NAN;
}

/* Sets the members where they stay: a copy made at once would wait for each of them. */
static void take_arrival(struct flow_rate *flow, const struct armtap_record *record, struct arrival *arrival)
{
    arrival->where = record->where;
    arrival->read = record->read.time;
    arrival->clock = armtap_rates_clock(record);
    arrival->lost = arrival->whole = 0;
    arrival->after_gap = (record->flags & ARMTAP_AFTER_GAP) != 0;
    arrival->length = record->frame_length;
    /* Parts of packages at the ends of a gap were skipped. */
    uint64_t skipped = record->stream->bytes_skipped[ARMTAP_FROM_ROBOT];
    uint64_t missing = flow->lost_bytes + (skipped - flow->skipped_bytes);
    if (flow->lost_bytes > 0 && record->frame_length > 0) {
        arrival->lost = ceil((double)flow->lost_bytes / (double)record->frame_length);
        if (!has(flow, ARMTAP_TRAIT_TEXT) && missing % record->frame_length == 0 &&
            record->frame_length == flow->length)
            arrival->whole = (double)(missing / record->frame_length);
    }
    if (has(flow, ARMTAP_TRAIT_CHANNELS))
        add_unread(flow, arrival, missing > 0);
    flow->lost_bytes = 0;
    flow->skipped_bytes = skipped;
    flow->length = record->frame_length;
}

/* Whether a record belongs to the stretch that is over. */
static bool is_late(struct flow_rate *flow, const struct arrival *arrival)
{
    bool is_paused = flow->phase == PHASE_PAUSED;
    int64_t time = is_paused ? between(&flow->paused, &arrival->where) : -1;
    if (is_paused && is_unanswered(flow) && time >= 0)
        return time <= AFTER_PAUSE_TIME;
    if (is_paused && !arrival->after_gap)
        return ++flow->after_pause < AFTER_PAUSE;
    return flow->not_before != ARMTAP_NO_TIME && arrival->where.time != ARMTAP_NO_TIME &&
           arrival->where.time < flow->not_before;
}

bool armtap_flow_rate_record(struct flow_rate *flow, struct findings *findings, const struct armtap_record *record)
{
    take_protocol(flow, record->stream);
    flow->version = record->version;
    flow->base = base_of(record->stream);
    flow->fell_back = false;
    struct arrival arrival;
    take_arrival(flow, record, &arrival);
    flow->is_counted = !is_late(flow, &arrival);
    if (!flow->is_counted)
        return false;
    if (flow->phase != PHASE_ACTIVE)
        begin_stretch(flow, PHASE_ACTIVE, NULL);
    if (!flow->has_last && flow->waiting.count == 0)
        flow->heard_before = record->stream->packets[ARMTAP_TO_ROBOT];
    if (is_recalled(flow) && !flow->is_settled)
        settle(flow, findings, record->stream);
    if (flow->is_settled && flow->only_learns)
        return false;
    if (flow->is_settled) {
        judge(flow, findings, record->stream, &arrival);
        return flow->fell_back;
    }
    flow->failed = !armtap_waiting_add(&flow->waiting, &arrival) || flow->failed;
    if (flow->waiting.count == PACE_WAITING)
        settle(flow, findings, record->stream);
    return flow->fell_back;
}

void armtap_flow_rate_last_step(const struct flow_rate *flow, struct armtap_rates_step *step)
{
    const unsigned count = flow->waiting.count;
    *step = (struct armtap_rates_step){.clock = NAN};
    if (!flow->is_counted)
        return;
    if (count == 0) {
        *step = flow->step;
        return;
    }
    double median = median_step(flow);
    double usual = usual_step(flow, median, expected_step(flow, median));
    struct arrival arrival = armtap_waiting_at(&flow->waiting, count - 1);
    struct clock_step clock_step = {.time = NAN};
    if (count > 1) {
        struct arrival before = armtap_waiting_at(&flow->waiting, count - 2);
        clock_step = clock_step_of(&before, &arrival, usual);
    }
    *step = flow_rate_step_of(&clock_step, &arrival, usual);
}

void armtap_flow_rate_forget_clock(struct flow_rate *flow)
{
    flow->last.clock = isnan(flow->last.clock) ? NAN : 0;
    armtap_waiting_forget_clocks(&flow->waiting);
}

/* The set-up itself requests data, which follows the old set-up until the controller has the new one. */
static void set_up_channel(struct flow_rate *flow, struct findings *findings, const struct armtap_recipe_event *event)
{
    bool was_active = flow->phase == PHASE_ACTIVE;
    end_stretch(flow, findings, event->stream, &event->where);
    begin_stretch(flow, PHASE_ACTIVE, &event->where);
    if (was_active && event->where.time != ARMTAP_NO_TIME)
        flow->not_before = armtap_time_shift(event->where.time, UNDER_WAY);
}

void armtap_flow_rate_set_up(struct flow_rate *flow, struct findings *findings, const struct armtap_recipe_event *event)
{
    if (is_unanswered(flow)) {
        set_up_channel(flow, findings, event);
    } else {
        end_stretch(flow, findings, event->stream, NULL);
        begin_stretch(flow, PHASE_UNKNOWN, NULL);
    }
    flow->frequency = event->frequency > 0 && event->frequency < 1e6 ? event->frequency : 0;
    flow->before = 0;
}

/* The last record, or where data was granted. */
static struct armtap_where last_where(const struct flow_rate *flow)
{
    if (!flow->is_settled && flow->waiting.count > 0)
        return armtap_waiting_at(&flow->waiting, flow->waiting.count - 1).where;
    return flow->has_last ? flow->last.where : flow->granted;
}

/* While the records wait for the usual step, what may explain a silence is kept. */
static void take_resent(struct flow_rate *flow, const struct armtap_event *event)
{
    struct resent *resent = &flow->resent;
    struct armtap_where last = last_where(flow);
    uint64_t heard = event->stream->packets[ARMTAP_TO_ROBOT];
    if (flow->phase != PHASE_ACTIVE || last.packet == 0)
        return;
    if (resent->since != last.packet) {
        if (!flow->is_settled && resent->since > 0 && resent->is_long)
            return;
        *resent = (struct resent){.since = last.packet,
                                  .first = event->where.packet,
                                  .heard = heard,
                                  .is_answerable = heard > flow->heard_before};
    }
    armtap_backlog_resent(&flow->backlog, event->where.packet);
    resent->count++;
    resent->last = event->where;
    resent->is_lacked = resent->is_lacked || !event->resent.is_acknowledged;
    resent->is_acknowledged = !resent->is_lacked && heard > resent->heard;
    resent->is_long = (double)between(&last, &event->where) >= HELD_UP * (double)SILENCE;
    if (heard == resent->heard)
        resent->mute = event->where;
}

/* The same of a full receive buffer. */
static void take_window(struct flow_rate *flow, const struct armtap_event *event)
{
    bool is_shut = flow->full.packet > 0 && flow->opened == ARMTAP_NO_TIME;
    bool is_kept = !flow->is_settled && armtap_time_seconds(flow->full.time, flow->opened) > 1;
    if (is_shut && event->a > 0)
        flow->opened = event->where.time;
    if (is_shut || is_kept || event->a > 0)
        return;
    flow->full = event->where;
    flow->opened = ARMTAP_NO_TIME;
}

void armtap_flow_rate_event(struct flow_rate *flow, struct findings *findings, const struct armtap_event *event)
{
    if (event->type == ARMTAP_EVENT_START) {
        end_stretch(flow, findings, event->stream, NULL);
        begin_stretch(flow, PHASE_ACTIVE, &event->where);
    } else if (event->type == ARMTAP_EVENT_PAUSE) {
        end_stretch(flow, findings, event->stream, &event->where);
        begin_stretch(flow, PHASE_PAUSED, NULL);
        flow->paused = event->where;
        flow->frequency = is_unanswered(flow) ? 0 : flow->frequency;
        flow->before = is_unanswered(flow) ? 0 : flow->before;
    } else if (event->type == ARMTAP_EVENT_CLOSE) {
        flow->is_closing = true;
        flow->sums.round_trip = event->round_trip;
        flow->is_paused = flow->paused.packet > 0;
        end_stretch(flow, findings, event->stream, &event->where);
        flow->phase = PHASE_PAUSED;
    } else if (event->type == ARMTAP_EVENT_GAP && event->direction == ARMTAP_FROM_ROBOT) {
        flow->lost_bytes += event->a;
    } else if (event->type == ARMTAP_EVENT_RETRANSMISSION && event->direction == ARMTAP_FROM_ROBOT) {
        take_resent(flow, event);
    } else if (event->type == ARMTAP_EVENT_GAP) {
        flow->unsure = is_unanswered(flow);
    } else if (event->type == ARMTAP_EVENT_WINDOW && event->direction == ARMTAP_TO_ROBOT) {
        take_window(flow, event);
    }
}

bool armtap_flow_rate_runs(const struct flow_rate *flow, const struct armtap_where *now)
{
    struct armtap_where last = last_where(flow);
    int64_t time = between(&last, now);
    return flow->phase == PHASE_ACTIVE && (flow->is_settled ? flow->has_last : flow->waiting.count > 0) && time >= 0 &&
           (time <= SILENCE || (double)time <= SILENT_STEPS * flow->usual * 1e9);
}

void armtap_flow_rate_blame(struct flow_rate *flow, const struct flow_rate_blame *why)
{
    flow->why = *why;
}

void armtap_flow_rate_unread(struct flow_rate *flow, enum armtap_direction direction)
{
    flow->unread += direction == ARMTAP_FROM_ROBOT;
    flow->unsure = flow->unsure || direction == ARMTAP_TO_ROBOT;
}

void armtap_flow_rate_blind(struct flow_rate *flow, struct findings *findings, const struct armtap_stream *stream,
                            enum armtap_direction direction)
{
    if (direction == ARMTAP_TO_ROBOT) {
        flow->deaf = flow->unsure = true;
        return;
    }
    end_stretch(flow, findings, stream, NULL);
    begin_stretch(flow, PHASE_UNKNOWN, NULL);
}

/* The mean over the stretches, like the measured rate. */
static double expected_rate(const struct flow_rate *flow)
{
    if (isnan(flow->sums.expected))
        return 0;
    if (flow->sums.time > 0)
        return flow->sums.expected / flow->sums.time;
    return flow->sums.usual > 0 ? 1 / flow->sums.usual : 0;
}

void armtap_flow_rate_totals(const struct flow_rate *flow, struct flow_rate_totals *totals)
{
    *totals = (struct flow_rate_totals){.expected_hz = expected_rate(flow),
                                        .rate_hz = flow->sums.time > 0 ? (double)flow->sums.steps / flow->sums.time : 0,
                                        .longest_gap = flow->longest_gap,
                                        .is_paused = flow->is_paused,
                                        .requested_hz = flow->frequency,
                                        .highest_hz = has(flow, ARMTAP_TRAIT_ANSWERED) ? flow->base : 0};
}

/* ---- captures of an archive -------------------------------------------------------------------------------------- */

void armtap_flow_rate_pass(struct flow_rate *flow)
{
    flow->has_last = flow->silence.waits = false;
    flow->granted = (struct armtap_where){.size = sizeof(struct armtap_where), .time = ARMTAP_NO_TIME};
    flow->records = 0;
    clear_piece(flow);
}

void armtap_flow_rate_begin(struct flow_rate *flow)
{
    flow->sums = (struct armtap_flow_sums){.channel = flow->sums.channel, .longest_silence = -1};
    flow->longest_gap = -1;
    clear_piece(flow);
    flow->backlog = (struct backlog){.late = 0}; /* of the captures before not all packages may have been seen */
    flow->silence.waits = false;                 /* the capture before has reported it */
    flow->records = flow->has_last;
    if (flow->has_last)
        flow->first = flow->last;
}

void armtap_flow_rate_leave(struct flow_rate *flow, struct findings *findings, const struct armtap_stream *stream)
{
    end_silence(flow, findings, stream, ARMTAP_WORD_delayed_or_stalled);
    if (flow->phase == PHASE_ACTIVE && flow->is_settled)
        count_stretch(flow, findings, stream);
}

const struct armtap_flow_sums *armtap_flow_rate_sums(const struct flow_rate *flow)
{
    return &flow->sums;
}

void armtap_flow_rate_add(struct flow_rate *flow, const struct armtap_flow_sums *sums)
{
    flow->sums.steps += sums->steps;
    flow->sums.time += sums->time;
    flow->sums.expected += sums->expected;
    flow->sums.usual = sums->usual > 0 ? sums->usual : flow->sums.usual;
    flow->sums.skipped += sums->skipped;
    flow->sums.judged += sums->judged;
    flow->sums.unclocked += sums->unclocked;
    if (sums->longest_silence > flow->sums.longest_silence)
        flow->sums.longest_silence = sums->longest_silence;
    if (sums->longest_wait > flow->sums.longest_wait) {
        flow->sums.longest_wait = sums->longest_wait;
        flow->sums.wait_end = sums->wait_end;
    }
    flow->sums.stopped = sums->stopped; /* if it ended, then in the last part */
    flow->sums.stopped_since = sums->stopped_since;
    flow->sums.round_trip = sums->round_trip > 0 ? sums->round_trip : flow->sums.round_trip;
}
