/* How regularly a stream's data came: the sum of its flows. RTDE and legacy streams have one, AUBO's one for each
 * channel (flow_rate.h). */
#ifndef ANALYSIS_STREAM_RATES_H
#define ANALYSIS_STREAM_RATES_H

#include "flow_rate.h"

#define RATES_CHANNELS 100

struct stream_rates_totals {
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
struct stream_rates_room {
    uint64_t left;
    bool is_cut; /* there were more */
};
struct stream_rates_room stream_rates_room_begin(void);

struct stream_rates;
/* The room must outlive it. NULL without memory. */
struct stream_rates *stream_rates_new(struct stream_rates_room *room);
void stream_rates_free(struct stream_rates *rates);
/* Before anything else: where what is learned of the stretches is added to, or taken from once it is known. */
void stream_rates_learn(struct stream_rates *rates, struct flow_rate_learned *learned);
/* What is wrong goes to the findings: clock.skipped, clock.backwards, rate.low, silence. They may be NULL. */
void stream_rates_record(struct stream_rates *rates, struct findings *findings, const struct armtap_record *record);
void stream_rates_recipe(struct stream_rates *rates, struct findings *findings,
                         const struct armtap_recipe_event *event);
void stream_rates_event(struct stream_rates *rates, struct findings *findings, const struct armtap_event *event);
/* What is between a record, the last that stream_rates_record had, and the one before it in its flow. */
void stream_rates_last_step(const struct stream_rates *rates, const struct armtap_record *record,
                            struct flow_rate_step *step);
/* As flow_rate_blame. */
void stream_rates_blame(struct stream_rates *rates, const char *why);
/* Messages that could not be read. */
void stream_rates_note(struct stream_rates *rates, struct findings *findings, const struct armtap_note *note);
/* Without memory: not all was judged. */
bool stream_rates_failed(const struct stream_rates *rates);
void stream_rates_totals(const struct stream_rates *rates, struct stream_rates_totals *totals);

#endif
