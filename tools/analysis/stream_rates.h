/* How regularly a stream's data came: the sum of its flows. RTDE and legacy streams have one, AUBO's one for each
 * channel (flow_rate.h). */
#ifndef ANALYSIS_STREAM_RATES_H
#define ANALYSIS_STREAM_RATES_H

#include "flow_rate.h"

#define RATES_CHANNELS 100

struct rates_totals {
    /* Means over the stretches; 0: not known. Of several channels the sum of each one's, over the time in which it was
     * asked for. */
    double expected_hz, rate_hz;
    uint64_t skipped; /* packages that the controller left out */
    /* Differences between the steps in which packages arrived and those of the controller's clock, of all channels; ns,
     * -1: not known. */
    int64_t jitter_p50, jitter_p99, jitter_max;
    int64_t longest_silence; /* of a channel, within a stretch; ns, -1: not known */
    int64_t longest_gap;     /* the same with what the capture lacks */
    /* Of RTDE: what the last set-up asked for, and what the controller can send; 0: not known. */
    double requested_hz, highest_hz;
};

/* How many channels besides the first of each stream may be judged at once, by all who share this. */
struct rates_room {
    uint64_t left;
    bool is_cut; /* there were more */
};
struct rates_room rates_room_begin(void);

struct rates;
/* The room must outlive it. NULL without memory. */
struct rates *rates_new(struct rates_room *room);
void rates_free(struct rates *rates);
/* Before anything else: where what is learned of the stretches is added to, or taken from once it is known. */
void rates_learn(struct rates *rates, struct pace_learned *learned);
/* What is wrong goes to the findings: clock.skipped, clock.backwards, rate.low, silence. They may be NULL. */
void rates_record(struct rates *rates, struct findings *findings, const struct armtap_record *record);
void rates_recipe(struct rates *rates, struct findings *findings, const struct armtap_recipe_event *event);
void rates_event(struct rates *rates, struct findings *findings, const struct armtap_event *event);
/* What is between a record, the last that rates_record had, and the one before it in its flow. */
void rates_last_step(const struct rates *rates, const struct armtap_record *record, struct pace_step *step);
/* As pace_blame. */
void rates_blame(struct rates *rates, const char *why);
/* Messages that could not be read. */
void rates_note(struct rates *rates, struct findings *findings, const struct armtap_note *note);
/* Without memory: not all was judged. */
bool rates_failed(const struct rates *rates);
void rates_totals(const struct rates *rates, struct rates_totals *totals);

#endif
