/* How regularly one flow of data came, that of an RTDE or legacy connection or of one of AUBO's channels: the rate
 * expected and the one seen, jitter, silences, packages that the controller left out, its clock going back.
 *
 * Data is judged in stretches: from START, or the first record, to PAUSE, a new set-up, or the end of the connection.
 * What a client does between two stretches is its own affair. An AUBO channel's begins with its subscription, which
 * nothing answers.
 *
 * Expected is what the set-up asks for, in whole cycles as UR's controllers send: every floor(125 / f) cycles of 8 ms
 * before software 5, every floor(500 / f) cycles of 2 ms from then on; protocol 1 and the legacy stream send every
 * cycle. Where software or frequency are not known, the usual step of the controller's clock decides: the median of a
 * stretch's first PACE_WAITING records. How AUBO's controllers round is not known: expected is what was asked for, and
 * low what is less than the next step of whole cycles of 5 ms would give. */
#ifndef ANALYSIS_FLOW_RATE_H
#define ANALYSIS_FLOW_RATE_H

#include "findings.h"
#include "histogram.h"

#define PACE_WAITING 64

struct flow_rate_totals {
    double expected_hz;      /* mean over the stretches; 0: not known */
    double rate_hz;          /* the same; 0: not known */
    uint64_t skipped;        /* packages that the controller left out */
    int64_t longest_silence; /* within a stretch, without what the capture lacks; ns, -1: not known */
    int64_t longest_gap;     /* the same with what the capture lacks */
    double requested_hz;     /* by the last set-up; 0: not known */
    double highest_hz;       /* that the controller can send; 0: not known */
};

/* What was learned of every stretch of a stream's flows: a first reading fills it, a second one is told. Begins as
 * zeros; armtap_rates_learned_free ends it. */
struct armtap_rates_learned {
    struct flow_rate_stretch {
        int channel;
        double expected, usual;
    } * all;
    size_t count, room;
    size_t *left;  /* how many more may be learned, by all who share that */
    bool is_cut;   /* not all were */
    bool is_known; /* the first reading is over */
    bool failed;   /* without memory: what is learned is not whole */
};

struct flow_rate;
/* `channel` counts where a protocol has channels. Differences between the steps in which packages arrived and those of
 * the controller's clock are added to `jitter`. NULL without memory. */
struct flow_rate *armtap_flow_rate_new(const struct armtap_stream *stream, int channel, struct histogram *jitter);
void armtap_flow_rate_free(struct flow_rate *flow);
/* Without memory: not all was judged. */
bool armtap_flow_rate_failed(const struct flow_rate *flow);
/* Before anything else: what to add to, or to take from once it is known. */
void armtap_flow_rate_learn(struct flow_rate *flow, struct armtap_rates_learned *learned);
/* What is wrong goes to the findings: clock.skipped, clock.backwards, rate.low, silence. Records are those from the
 * robot. Returns whether the clock went back. The findings may be NULL, here and below: nobody wants them. */
bool armtap_flow_rate_record(struct flow_rate *flow, struct findings *findings, const struct armtap_record *record);
/* Of the last record. Until the usual step is known, in a stretch's first records, the set-up decides, or what came so
 * far; what was learned is known at once. */
void armtap_flow_rate_last_step(const struct flow_rate *flow, struct armtap_rates_step *step);
/* Another one told that the clock went back. */
void armtap_flow_rate_forget_clock(struct flow_rate *flow);
void armtap_flow_rate_set_up(struct flow_rate *flow, struct findings *findings,
                             const struct armtap_recipe_event *event);
void armtap_flow_rate_event(struct flow_rate *flow, struct findings *findings, const struct armtap_event *event);
/* Why no data comes any more, as far as TCP tells: before the event that ends the stream. */
void armtap_flow_rate_blame(struct flow_rate *flow, const char *why);
/* A message could not be read; it may have been of this flow, or a request for it. */
void armtap_flow_rate_unread(struct flow_rate *flow, enum armtap_direction direction);
/* Nothing of that direction can be read from here on, for all that is known. */
void armtap_flow_rate_blind(struct flow_rate *flow, struct findings *findings, const struct armtap_stream *stream,
                            enum armtap_direction direction);
void armtap_flow_rate_totals(const struct flow_rate *flow, struct flow_rate_totals *totals);

#endif
