#include "flow_rate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "base/timestamp.h"

#define SECOND INT64_C(1000000000)
#define SILENCE (2 * SECOND)
/* A silence is longer than this many packages' time, too: some clients ask for one in seconds. */
#define SILENT_STEPS 3
/* Of the expected rate; less is low. Judged where at least so many packages and so much time were expected. */
#define LOW 0.95
#define LOW_PACKAGES 20
/* A package that came later than its clock says by more than this, and by more than a package's time, was held up, or
 * the capture's clock was set. ns */
#define HELD_UP (SECOND / 50)
/* After a silence, the share of it that must be made up within so many s, and packages' times, for the data to have
 * been held up; and the share by which the controller's clock must have gone on for the controller to have run. */
#define MADE_UP 0.8
#define CATCH_UP 1
#define CATCH_UP_STEPS 10
#define WENT_ON 0.9
/* Nothing is so late: a clock that went on by so much more than the capture's was set, or is damaged. s */
#define CLOCK_JUMP 60
/* A gap longer than half the sequence numbers may be longer by all of them. */
#define GAP_KNOWN 2147483648.0
/* A clock that differs by less did not go back: doubles are rounded. */
#define CLOCK_NOISE 1e-6
/* How many records after PAUSE say that data was asked for again, in packets that were not captured. AUBO's controllers
 * answer no request: there it is how long they come. ns */
#define AFTER_PAUSE 16
#define AFTER_PAUSE_TIME SECOND
/* Data of an AUBO channel that is under way when it is set up anew follows the set-up before. ns */
#define UNDER_WAY (SECOND / 10)
/* No document says how AUBO's controllers round frequencies; they may send in the cycle of their control, or every few
 * of them. s */
#define AUBO_CYCLE 0.005

struct arrival {
    struct armtap_where where;
    double clock;   /* the controller's, s; 0: not set yet; NAN: not told */
    double lost;    /* records that fit into the bytes missing before it */
    double whole;   /* the same where they are exactly so many of its size; 0: not known */
    size_t length;  /* its bytes */
    bool after_gap; /* bytes before it are missing or were no message */
};

/* The reason of a silence that later packages tell. */
#define NOTHING_TOLD ": the data was held up on its way, the controller stood still, or the capture's clock was set"
struct silence {
    bool waits; /* for what comes after it */
    struct armtap_where from, to;
    double seconds;
    double step;    /* of the controller's clock; NAN: not known */
    double made_up; /* s */
};

enum phase { PHASE_UNKNOWN, PHASE_ACTIVE, PHASE_PAUSED };

struct pace {
    /* what was said of the data */
    double frequency; /* asked for; 0: not said */
    bool legacy, aubo;
    char why[160];  /* no data comes any more, in words; "": not known */
    char label[24]; /* which channel findings are of: "channel 3: ", or "" */
    int version;    /* RTDE protocol, or packet size */
    double base;    /* packages in a second if one is sent every cycle; 0: not known */
    /* the stretch */
    enum phase phase;
    struct armtap_where granted; /* START; packet 0: none */
    struct armtap_where paused;
    unsigned after_pause;
    int64_t not_before;      /* records until then are not judged; NO_TIME: all are */
    bool unsure;             /* requests may be missing since the last record */
    bool deaf;               /* requests cannot be read any more */
    bool fell_back;          /* the clock went back in the record at hand */
    unsigned unread;         /* messages that could not be read since the last record */
    struct arrival *waiting; /* before it is known which step is usual; PACE_WAITING at most */
    unsigned waiting_count, waiting_room;
    bool failed; /* without memory */
    bool is_settled;
    double expected; /* step in s; 0: not known */
    double usual;    /* the step against which the clock is judged; 0: not known */
    bool has_last;
    struct arrival first, last;
    uint64_t records;
    int64_t elapsed; /* ns from the first to the last of them; -1: not known */
    struct silence silence;
    double missing; /* records that were left out or lost, as far as known */
    double silent;  /* s in silences */
    double held_up; /* s by which packages came late, the largest delays alone */
    double late;    /* s by which the capture's time went on more than the clock, outside of silences */
    uint64_t lost_bytes;
    uint64_t skipped_bytes; /* the stream's counter at the record before */
    size_t length;          /* of the record before */
    bool is_counted;        /* the last record is of a stretch */
    struct pace_step step;  /* up to it, if it was judged */
    /* learned of stretches, or told */
    int channel;
    struct pace_learned *learned; /* NULL: nobody wants to know */
    size_t learned_at;            /* the next that is told */
    /* all stretches */
    struct spread *jitter; /* of the stream */
    uint64_t skipped, steps;
    double time;       /* s */
    double packages;   /* expected in it; NAN: not known */
    double last_known; /* expected step */
    int64_t longest_silence;
    int64_t longest_gap;
};

struct pace *pace_new(const struct armtap_stream *stream, int channel, struct spread *jitter)
{
    struct pace *pace = calloc(1, sizeof *pace);
    if (pace == NULL)
        return NULL;
    pace->aubo = stream->protocol == ARMTAP_AUBO;
    pace->channel = channel;
    if (pace->aubo)
        snprintf(pace->label, sizeof pace->label, "channel %d: ", channel);
    if (pace->aubo)
        pace->skipped_bytes = stream->bytes_skipped[ARMTAP_FROM_ROBOT];
    pace->not_before = ARMTAP_NO_TIME;
    pace->longest_silence = pace->longest_gap = -1;
    pace->jitter = jitter;
    return pace;
}

void pace_free(struct pace *pace)
{
    if (pace != NULL)
        free(pace->waiting);
    free(pace);
}

bool pace_failed(const struct pace *pace)
{
    return pace->failed;
}

void pace_learn(struct pace *pace, struct pace_learned *learned)
{
    pace->learned = learned;
}

static int64_t between(const struct armtap_where *from, const struct armtap_where *to)
{
    if (from->time == ARMTAP_NO_TIME || to->time == ARMTAP_NO_TIME || to->time < from->time)
        return -1;
    return when_between(from->time, to->time);
}

/* ---- what is expected ------------------------------------------------------------------------------------------ */

static int compare_steps(const void *a, const void *b)
{
    const double *one = a, *other = b;
    return (*one > *other) - (*one < *other);
}

/* The usual step of the clock among those that wait; 0 where there are too few. */
static double median_step(const struct pace *pace)
{
    double steps[PACE_WAITING];
    size_t count = 0;
    for (unsigned i = 1; i < pace->waiting_count; i++) {
        double step = pace->waiting[i].clock - pace->waiting[i - 1].clock;
        if (step > CLOCK_NOISE && !pace->waiting[i].after_gap)
            steps[count++] = step;
    }
    if (count < 4)
        return 0;
    qsort(steps, count, sizeof *steps, compare_steps);
    return steps[count / 2];
}

/* A step in whole cycles of 2 ms, if it is near one. */
static double whole_cycles(double step)
{
    double cycles = floor(step / 0.002 + 0.5);
    return cycles >= 1 && fabs(step - cycles * 0.002) < 0.0002 ? cycles * 0.002 : step;
}

/* The step in which a controller of that many cycles in a second sends what is asked for. */
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

static double expected_step(const struct pace *pace, double median)
{
    if (pace->aubo)
        return pace->frequency > 0 ? 1 / pace->frequency : median;
    if (pace->frequency > 0 && pace->base > 0)
        return asked_step(pace->base, pace->frequency);
    if (pace->frequency > 125)
        return asked_step(500, pace->frequency);
    if (pace->frequency > 0)
        return nearer(median, asked_step(125, pace->frequency), asked_step(500, pace->frequency));
    if (pace->base > 0 && (pace->legacy || pace->version == 1))
        return 1 / pace->base;
    if (pace->legacy)
        return nearer(median, 0.008, 0.002);
    return median > 0 ? whole_cycles(median) : 0;
}

/* ---- judging --------------------------------------------------------------------------------------------------- */

/* Time without data. */
struct pause {
    const struct armtap_where *from, *to;
    double lost;  /* packages missing in the capture */
    double clock; /* by how much the controller's went on meanwhile; NAN: not known */
    bool to_end;  /* no data came any more */
};

static void tell_silence(const struct pace *pace, struct findings *findings, const struct armtap_stream *stream,
                         const struct silence *silence, const char *reason)
{
    findings_measure(findings, "silence", silence->seconds, stream, &silence->to,
                     "%sno data for %.3f s, since packet %" PRIu64 "%s", pace->label, silence->seconds,
                     silence->from.packet, reason);
}

/* By how much the controller's clock went on meanwhile, in words. */
static void write_advance(char *to, size_t size, const struct pace *pace, double step)
{
    if (step < 1.5 * pace->usual)
        snprintf(to, size, ": the controller's clock advanced by one cycle only (%.3f s)", step);
    else
        snprintf(to, size, ": the controller's clock advanced by %.3f s only", step);
}

/* What made up for a silence, or did not, tells why it was: data that was held up on its way comes all at once. */
static void end_silence(struct pace *pace, struct findings *findings, const struct armtap_stream *stream,
                        const char *reason)
{
    char text[200];
    size_t length;
    if (!pace->silence.waits)
        return;
    write_advance(text, sizeof text, pace, pace->silence.step);
    length = strlen(text);
    snprintf(text + length, sizeof text - length, "%s", reason);
    tell_silence(pace, findings, stream, &pace->silence, text);
    pace->silence.waits = false;
}

/* The package after a silence, or a later one: `ahead` is by how much the clock went on more than time. */
static void follow_silence(struct pace *pace, struct findings *findings, const struct armtap_stream *stream,
                           const struct arrival *arrival)
{
    double since = when_seconds(pace->silence.to.time, arrival->where.time);
    double time = when_seconds(pace->last.where.time, arrival->where.time), step = arrival->clock - pace->last.clock;
    if (!pace->silence.waits || time < 0)
        return;
    if (step > 0 && step < 1e6)
        pace->silence.made_up += step - time;
    if (pace->silence.made_up > MADE_UP * (pace->silence.seconds - pace->silence.step))
        end_silence(pace, findings, stream, ", and what came next made up for it: the data was held up on its way");
    else if (since > CATCH_UP && since > CATCH_UP_STEPS * pace->usual)
        end_silence(pace, findings, stream,
                    ", and nothing made up for it: the controller stood still, or the capture's clock was set");
}

/* Why there was no data, as far as the clocks tell. */
static void judge_reason(struct pace *pace, struct findings *findings, const struct armtap_stream *stream,
                         const struct pause *pause)
{
    struct silence silence = {.from = *pause->from,
                              .to = *pause->to,
                              .seconds = (double)between(pause->from, pause->to) / 1e9,
                              .step = pause->clock};
    char text[200];
    if (pause->to_end)
        snprintf(text, sizeof text, ", and none afterwards%s%s", *pace->why == '\0' ? "; " : ": ",
                 *pace->why == '\0' ? "this stream does not show why" : pace->why);
    else if (isnan(silence.step))
        snprintf(text, sizeof text, "; the data does not show why (no controller clock on both sides of it)");
    else if (silence.step < 0 || pause->lost > 0 || silence.step > silence.seconds + CLOCK_JUMP)
        snprintf(text, sizeof text, "; the controller's clock advanced by %.3f s", silence.step);
    else if (silence.step >= WENT_ON * silence.seconds)
        snprintf(text, sizeof text, ": the controller's clock went on (%.3f s), but the controller sent nothing",
                 silence.step);
    else
        silence.waits = true;
    if (silence.waits)
        pace->silence = silence;
    else
        tell_silence(pace, findings, stream, &silence, text);
}

/* Returns whether it was a silence. */
static bool judge_silence(struct pace *pace, struct findings *findings, const struct armtap_stream *stream,
                          const struct pause *pause)
{
    int64_t time = between(pause->from, pause->to);
    if (time < 0)
        return false;
    /* Time that the bytes missing in the capture account for is no silence. */
    double silent = (double)time - pause->lost * pace->usual * 1e9;
    if (time > pace->longest_gap)
        pace->longest_gap = time;
    if (silent > (double)pace->longest_silence)
        pace->longest_silence = (int64_t)silent;
    if (!(silent > (double)SILENCE) || !(silent > SILENT_STEPS * pace->usual * 1e9))
        return false;
    /* Nobody knows how often an AUBO client wanted it. */
    if (pace->aubo && !(pace->frequency > 0))
        return false;
    pace->silent += (double)time / 1e9;
    end_silence(pace, findings, stream, NOTHING_TOLD);
    judge_reason(pace, findings, stream, pause);
    return true;
}

/* The clock went on by so much more than time did that packages cannot tell. */
static bool is_clock_jump(const struct arrival *last, const struct arrival *arrival, double step)
{
    int64_t time = between(&last->where, &arrival->where);
    return time >= 0 && step > (double)time / 1e9 + CLOCK_JUMP;
}

/* How many of the packages that the step is beyond the usual one are accounted for by a gap: all, unless the bytes
 * missing say how many they were. */
static double lost_of(const struct arrival *arrival, double beyond)
{
    bool is_known = arrival->whole > 0 && beyond * (double)arrival->length < GAP_KNOWN;
    if (!arrival->after_gap)
        return 0;
    return is_known && arrival->whole < beyond ? arrival->whole : beyond;
}

static void tell_skipped(const struct pace *pace, struct findings *findings, const struct armtap_stream *stream,
                         const struct arrival *arrival, double count, double lost, double step)
{
    char more[64] = "";
    if (lost > 0)
        snprintf(more, sizeof more, ", besides %.0f lost in the capture", lost);
    findings_measure(findings, "clock.skipped", count, stream, &arrival->where,
                     "%scontroller skipped %.0f package%s (clock jumped %.3f s, expected %.3f s)%s", pace->label, count,
                     count > 1 ? "s" : "", step, pace->usual, more);
}

/* The step of the controller's clock from one arrival to the next. */
struct clock_step {
    double time;    /* s; NAN: one of them has no clock, or it is not set yet */
    bool is_back;   /* the clock went back */
    bool is_jump;   /* it went on by what packages cannot tell */
    double skipped; /* packages left out by the controller */
    double lost;    /* packages that a gap accounts for */
};

static struct clock_step clock_step_of(const struct arrival *last, const struct arrival *arrival, double usual)
{
    struct clock_step step = {.time = arrival->clock - last->clock};
    step.is_back = step.time < -CLOCK_NOISE;
    if (!(last->clock > 0) || step.is_back)
        step.time = NAN;
    if (!(usual > 0) || !(step.time > 0))
        return step;
    double beyond = floor(step.time / usual + 0.25) - 1;
    if (beyond < 1 || beyond > 1e15)
        return step;
    step.lost = lost_of(arrival, beyond);
    step.is_jump = step.lost < beyond && is_clock_jump(last, arrival, step.time);
    step.skipped = step.is_jump ? 0 : beyond - step.lost;
    return step;
}

/* Judges the step of the controller's clock. */
static struct clock_step judge_clock(struct pace *pace, struct findings *findings, const struct armtap_stream *stream,
                                     const struct arrival *arrival)
{
    struct clock_step step = clock_step_of(&pace->last, arrival, pace->usual);
    if (step.is_back) {
        pace->fell_back = true;
        findings_say(findings, "clock.backwards", stream, &arrival->where,
                     "the controller's clock went back from %.3f s to %.3f s", pace->last.clock, arrival->clock);
    } else if (step.is_jump) {
        findings_say(
            findings, "clock.skipped", stream, &arrival->where,
            "%sthe controller's clock jumped %.3f s within %.3f s of the capture: it was set forward, or the value is "
            "damaged; this is no skip of packages",
            pace->label, step.time, (double)between(&pace->last.where, &arrival->where) / 1e9);
    } else if (step.skipped > 0) {
        pace->skipped += (uint64_t)step.skipped;
        tell_skipped(pace, findings, stream, arrival, step.skipped, step.lost, step.time);
    }
    return step;
}

static struct pace_step pace_step_of(const struct clock_step *step, const struct arrival *arrival, double usual)
{
    return (struct pace_step){.skipped = (uint64_t)step->skipped,
                              .lost = isnan(step->time) ? arrival->lost : step->lost,
                              .clock = step->is_jump ? NAN : step->time,
                              .usual = usual};
}

/* How late the package came, against the one before. */
static void judge_delay(struct pace *pace, const struct arrival *arrival)
{
    int64_t time = between(&pace->last.where, &arrival->where);
    double step = arrival->clock - pace->last.clock;
    if (time < 0 || !(step > 0) || step > 1e6)
        return;
    double delay = (double)time / 1e9 - step;
    pace->late += delay;
    if (delay * 1e9 > (double)HELD_UP && delay > pace->expected)
        pace->held_up += delay;
}

static void judge_jitter(struct pace *pace, const struct arrival *arrival)
{
    int64_t time = between(&pace->last.where, &arrival->where);
    double step = arrival->clock - pace->last.clock;
    if (isnan(step) && !arrival->after_gap)
        step = pace->expected;
    if (time < 0 || !(step > 0) || step > 1e6 || pace->last.clock <= 0)
        return;
    spread_add(pace->jitter, (int64_t)(fabs((double)time - step * 1e9) + 0.5));
}

/* The time up to this arrival: by the controller's clock where the capture's was set back, or else by the usual step.
 */
static int64_t step_time(const struct pace *pace, const struct arrival *arrival)
{
    int64_t last = pace->last.where.time, time = arrival->where.time;
    double clock = arrival->clock - pace->last.clock;
    if (!when_is_set_back(last, time))
        return time >= last ? when_between(last, time) : -when_between(time, last);
    return (int64_t)((clock > 0 && clock < 1e6 ? clock : pace->usual) * 1e9 + 0.5);
}

static void follow_time(struct pace *pace, const struct arrival *arrival)
{
    if (arrival->where.time == ARMTAP_NO_TIME || pace->elapsed < 0) {
        pace->elapsed = -1;
    } else if (pace->has_last) {
        int64_t step = step_time(pace, arrival);
        pace->elapsed = when_shift(pace->elapsed, step);
        pace->elapsed = pace->elapsed < 0 ? 0 : pace->elapsed;
        pace->longest_gap = step > pace->longest_gap ? step : pace->longest_gap;
    }
}

static void judge(struct pace *pace, struct findings *findings, const struct armtap_stream *stream,
                  const struct arrival *arrival)
{
    follow_time(pace, arrival);
    pace->records++;
    pace->step = (struct pace_step){.lost = arrival->lost, .clock = NAN, .usual = pace->usual};
    if (!pace->has_last) {
        pace->first = *arrival;
        const struct pause pause = {&pace->granted, &arrival->where, arrival->lost, NAN, false};
        if (pace->granted.packet > 0)
            judge_silence(pace, findings, stream, &pause);
    } else {
        bool clocked = !isnan(arrival->clock) && !isnan(pace->last.clock);
        struct clock_step clock_step = judge_clock(pace, findings, stream, arrival);
        double lost = clocked ? clock_step.lost : arrival->lost;
        double beyond = clock_step.is_jump ? 0 : clock_step.skipped + lost;
        double step = clocked && pace->last.clock > 0 ? arrival->clock - pace->last.clock : NAN;
        pace->step = pace_step_of(&clock_step, arrival, pace->usual);
        const struct pause pause = {&pace->last.where, &arrival->where, lost, step, false};
        follow_silence(pace, findings, stream, arrival);
        if (!judge_silence(pace, findings, stream, &pause))
            judge_delay(pace, arrival);
        judge_jitter(pace, arrival);
        pace->missing += beyond;
    }
    pace->has_last = true;
    pace->last = *arrival;
}

/* The step against which the clock is judged. */
static double usual_step(double median, double expected)
{
    if (median > 0 && expected > 0 && median > 0.75 * expected && median < 1.5 * expected)
        return expected;
    return median > 0 ? median : expected;
}

static void learn(struct pace *pace)
{
    struct pace_learned *learned = pace->learned;
    if (learned == NULL || learned->failed || learned->is_cut)
        return;
    learned->is_cut = learned->left != NULL && *learned->left == 0;
    if (learned->is_cut)
        return;
    if (learned->count == learned->room) {
        size_t room = 2 * learned->room + 4;
        struct pace_stretch *all = realloc(learned->all, room * sizeof *all);
        learned->failed = all == NULL;
        if (all == NULL)
            return;
        learned->all = all;
        learned->room = room;
    }
    learned->all[learned->count++] = (struct pace_stretch){pace->channel, pace->expected, pace->usual};
    if (learned->left != NULL)
        --*learned->left;
}

/* The flow's next stretch, of what a first reading learned; NULL beyond. */
static const struct pace_stretch *recall(struct pace *pace)
{
    const struct pace_learned *learned = pace->learned;
    while (pace->learned_at < learned->count)
        if (learned->all[pace->learned_at++].channel == pace->channel)
            return &learned->all[pace->learned_at - 1];
    return NULL;
}

static bool is_told(const struct pace *pace)
{
    return pace->learned != NULL && pace->learned->is_known;
}

/* Enough is known of the stretch to judge it. */
static void settle(struct pace *pace, struct findings *findings, const struct armtap_stream *stream)
{
    const struct pace_stretch *told = is_told(pace) ? recall(pace) : NULL;
    double median = told == NULL ? median_step(pace) : 0;
    pace->is_settled = true;
    pace->expected = told == NULL ? expected_step(pace, median) : told->expected;
    pace->usual = told == NULL ? usual_step(median, pace->expected) : told->usual;
    if (!is_told(pace))
        learn(pace);
    for (unsigned i = 0; i < pace->waiting_count; i++)
        judge(pace, findings, stream, &pace->waiting[i]);
    free(pace->waiting);
    pace->waiting = NULL;
    pace->waiting_count = pace->waiting_room = 0;
}

static void wait_for_more(struct pace *pace, const struct arrival *arrival)
{
    if (pace->waiting_count == pace->waiting_room) {
        unsigned room = pace->waiting_room == 0 ? 4 : 2 * pace->waiting_room;
        struct arrival *waiting = realloc(pace->waiting, room * sizeof *waiting);
        if (waiting == NULL) {
            pace->failed = true;
            return;
        }
        pace->waiting = waiting;
        pace->waiting_room = room;
    }
    pace->waiting[pace->waiting_count++] = *arrival;
}

/* The longest step in which a controller may send what is asked for. */
static double longest_step(const struct pace *pace)
{
    return pace->aubo ? ceil(pace->expected / AUBO_CYCLE - 1e-6) * AUBO_CYCLE : pace->expected;
}

static void judge_rate(struct pace *pace, struct findings *findings, const struct armtap_stream *stream, int64_t time)
{
    /* What was held up to the end, or a capture's clock that was set, is no low rate; what came late and was made up
     * for, neither. A controller whose clock is slow as a whole sends too little. */
    double held_up = pace->held_up < pace->late ? pace->held_up : pace->late;
    double seconds = (double)time / 1e9 - pace->silent - (held_up > 0 ? held_up : 0);
    if (!(pace->expected > 0) || seconds < 1 || seconds < LOW_PACKAGES * pace->expected)
        return;
    double rate = ((double)(pace->records - 1) + pace->missing) / seconds;
    if (rate < LOW / longest_step(pace))
        findings_measure(findings, "rate.low", seconds, stream, &pace->last.where,
                         "%s%.1f Hz instead of %.1f Hz for %.3f s, since packet %" PRIu64, pace->label, rate,
                         1 / pace->expected, seconds, pace->first.where.packet);
}

/* ---- stretches ------------------------------------------------------------------------------------------------- */

static void begin_stretch(struct pace *pace, enum phase phase, const struct armtap_where *granted)
{
    pace->phase = phase;
    pace->granted = (struct armtap_where){.time = ARMTAP_NO_TIME};
    if (granted != NULL)
        pace->granted = *granted;
    pace->paused = (struct armtap_where){.time = ARMTAP_NO_TIME};
    pace->after_pause = 0;
    pace->not_before = ARMTAP_NO_TIME;
    pace->unread = 0;
    pace->unsure = pace->deaf;
    pace->waiting_count = 0;
    pace->is_settled = pace->has_last = false;
    pace->records = 0;
    pace->elapsed = 0;
    pace->missing = 0;
    pace->silent = 0;
    pace->held_up = pace->late = 0;
    pace->lost_bytes = 0;
}

/* `at`: where data was expected no more; NULL: it is not known when. */
static void end_stretch(struct pace *pace, struct findings *findings, const struct armtap_stream *stream,
                        const struct armtap_where *at)
{
    if (pace->phase != PHASE_ACTIVE)
        return;
    if (!pace->is_settled)
        settle(pace, findings, stream);
    if (at != NULL && !pace->legacy) {
        const struct pause pause = {pace->has_last ? &pace->last.where : &pace->granted, at,
                                    pace->lost_bytes > 0 || pace->unsure ? INFINITY : (double)pace->unread, NAN, true};
        if (pause.from->packet > 0)
            judge_silence(pace, findings, stream, &pause);
    }
    end_silence(pace, findings, stream, NOTHING_TOLD);
    int64_t time = pace->has_last ? pace->elapsed : -1;
    if (pace->expected > 0)
        pace->last_known = pace->expected;
    if (time > 0) {
        pace->packages += pace->expected > 0 ? (double)time / 1e9 / pace->expected : NAN;
        pace->steps += pace->records - 1;
        pace->time += (double)time / 1e9;
        judge_rate(pace, findings, stream, time);
    }
}

static double base_of(const struct armtap_stream *stream)
{
    char *end;
    long major = strtol(stream->controller_version, &end, 10);
    if (stream->protocol == ARMTAP_REALTIME)
        return stream->generation == ARMTAP_GENERATION_CB2 ? 125 : 0;
    if (end == stream->controller_version || major < 1)
        return 0;
    return major < 5 ? 125 : 500;
}

/* What is missing may have been of any channel, and so may what could not be read. */
static void add_unread(struct pace *pace, struct arrival *arrival, bool is_missing)
{
    arrival->lost = pace->unsure ? INFINITY : arrival->lost + pace->unread;
    arrival->after_gap = arrival->after_gap || is_missing || arrival->lost > 0;
    pace->unread = 0;
    pace->unsure = pace->deaf;
}

double pace_clock(const struct armtap_record *record)
{
    return record->clock >= 0 && record->clock < 1e12 ? record->clock : NAN;
}

static struct arrival arrival_of(struct pace *pace, const struct armtap_record *record)
{
    struct arrival arrival = {.where = record->where,
                              .clock = pace_clock(record),
                              .after_gap = (record->flags & ARMTAP_AFTER_GAP) != 0,
                              .length = record->frame_length};
    /* The parts of packages at a gap's ends were skipped. */
    uint64_t skipped = record->stream->bytes_skipped[ARMTAP_FROM_ROBOT];
    uint64_t missing = pace->lost_bytes + (skipped - pace->skipped_bytes);
    if (pace->lost_bytes > 0 && record->frame_length > 0) {
        arrival.lost = ceil((double)pace->lost_bytes / (double)record->frame_length);
        if (!pace->aubo && missing % record->frame_length == 0 && record->frame_length == pace->length)
            arrival.whole = (double)(missing / record->frame_length);
    }
    if (pace->aubo)
        add_unread(pace, &arrival, missing > 0);
    pace->lost_bytes = 0;
    pace->skipped_bytes = skipped;
    pace->length = record->frame_length;
    return arrival;
}

/* Whether a record belongs to what is over. */
static bool is_late(struct pace *pace, const struct arrival *arrival)
{
    int64_t time = between(&pace->paused, &arrival->where);
    if (pace->phase == PHASE_PAUSED && pace->aubo && time >= 0)
        return time <= AFTER_PAUSE_TIME;
    if (pace->phase == PHASE_PAUSED && !arrival->after_gap)
        return ++pace->after_pause < AFTER_PAUSE;
    return pace->not_before != ARMTAP_NO_TIME && arrival->where.time != ARMTAP_NO_TIME &&
           arrival->where.time < pace->not_before;
}

bool pace_record(struct pace *pace, struct findings *findings, const struct armtap_record *record)
{
    pace->legacy = record->protocol == ARMTAP_REALTIME;
    pace->version = record->version;
    pace->base = base_of(record->stream);
    pace->fell_back = false;
    struct arrival arrival = arrival_of(pace, record);
    pace->is_counted = !is_late(pace, &arrival);
    if (!pace->is_counted)
        return false;
    if (pace->phase != PHASE_ACTIVE)
        begin_stretch(pace, PHASE_ACTIVE, NULL);
    if (is_told(pace) && !pace->is_settled)
        settle(pace, findings, record->stream);
    if (pace->is_settled) {
        judge(pace, findings, record->stream, &arrival);
        return pace->fell_back;
    }
    wait_for_more(pace, &arrival);
    if (pace->waiting_count == PACE_WAITING)
        settle(pace, findings, record->stream);
    return pace->fell_back;
}

void pace_last_step(const struct pace *pace, struct pace_step *step)
{
    const struct arrival *arrival = pace->waiting_count > 0 ? &pace->waiting[pace->waiting_count - 1] : NULL;
    *step = (struct pace_step){.clock = NAN};
    if (!pace->is_counted)
        return;
    if (arrival == NULL) {
        *step = pace->step;
        return;
    }
    double median = median_step(pace);
    double usual = usual_step(median, expected_step(pace, median));
    struct clock_step clock_step = {.time = NAN};
    if (pace->waiting_count > 1)
        clock_step = clock_step_of(arrival - 1, arrival, usual);
    *step = pace_step_of(&clock_step, arrival, usual);
}

void pace_forget_clock(struct pace *pace)
{
    pace->last.clock = isnan(pace->last.clock) ? NAN : 0;
    for (unsigned i = 0; i < pace->waiting_count; i++)
        pace->waiting[i].clock = isnan(pace->waiting[i].clock) ? NAN : 0;
}

/* Data is asked for by the set-up alone, and comes in the way of the one before until the controller has it. */
static void set_up_channel(struct pace *pace, struct findings *findings, const struct armtap_recipe_event *event)
{
    bool was_active = pace->phase == PHASE_ACTIVE;
    end_stretch(pace, findings, event->stream, &event->where);
    begin_stretch(pace, PHASE_ACTIVE, &event->where);
    if (was_active && event->where.time != ARMTAP_NO_TIME)
        pace->not_before = when_shift(event->where.time, UNDER_WAY);
}

void pace_set_up(struct pace *pace, struct findings *findings, const struct armtap_recipe_event *event)
{
    if (pace->aubo) {
        set_up_channel(pace, findings, event);
    } else {
        end_stretch(pace, findings, event->stream, NULL);
        begin_stretch(pace, PHASE_UNKNOWN, NULL);
    }
    pace->frequency = event->frequency > 0 && event->frequency < 1e6 ? event->frequency : 0;
}

void pace_event(struct pace *pace, struct findings *findings, const struct armtap_event *event)
{
    if (event->type == ARMTAP_EVENT_START) {
        end_stretch(pace, findings, event->stream, NULL);
        begin_stretch(pace, PHASE_ACTIVE, &event->where);
    } else if (event->type == ARMTAP_EVENT_PAUSE) {
        end_stretch(pace, findings, event->stream, &event->where);
        begin_stretch(pace, PHASE_PAUSED, NULL);
        pace->paused = event->where;
        pace->frequency = pace->aubo ? 0 : pace->frequency;
    } else if (event->type == ARMTAP_EVENT_CLOSE) {
        end_stretch(pace, findings, event->stream, &event->where);
        pace->phase = PHASE_PAUSED;
    } else if (event->type == ARMTAP_EVENT_GAP && event->direction == ARMTAP_FROM_ROBOT) {
        pace->lost_bytes += event->a;
    } else if (event->type == ARMTAP_EVENT_GAP) {
        pace->unsure = pace->aubo;
    }
}

void pace_blame(struct pace *pace, const char *why)
{
    snprintf(pace->why, sizeof pace->why, "%s", why);
}

void pace_unread(struct pace *pace, enum armtap_direction direction)
{
    pace->unread += direction == ARMTAP_FROM_ROBOT;
    pace->unsure = pace->unsure || direction == ARMTAP_TO_ROBOT;
}

void pace_blind(struct pace *pace, struct findings *findings, const struct armtap_stream *stream,
                enum armtap_direction direction)
{
    if (direction == ARMTAP_TO_ROBOT) {
        pace->deaf = pace->unsure = true;
        return;
    }
    end_stretch(pace, findings, stream, NULL);
    begin_stretch(pace, PHASE_UNKNOWN, NULL);
}

/* The mean over the stretches, as the rate seen is. */
static double expected_rate(const struct pace *pace)
{
    if (isnan(pace->packages))
        return 0;
    if (pace->time > 0)
        return pace->packages / pace->time;
    return pace->last_known > 0 ? 1 / pace->last_known : 0;
}

void pace_totals(const struct pace *pace, struct pace_totals *totals)
{
    *totals = (struct pace_totals){.expected_hz = expected_rate(pace),
                                   .rate_hz = pace->time > 0 ? (double)pace->steps / pace->time : 0,
                                   .skipped = pace->skipped,
                                   .longest_silence = pace->longest_silence,
                                   .longest_gap = pace->longest_gap,
                                   .requested_hz = pace->frequency,
                                   .highest_hz = pace->legacy || pace->aubo ? 0 : pace->base};
}
