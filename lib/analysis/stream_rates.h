/* How regularly a stream's data came: the sum of its flows. RTDE and legacy streams have one, AUBO's one for each
 * channel (flow_rate.h). */
#ifndef ANALYSIS_STREAM_RATES_H
#define ANALYSIS_STREAM_RATES_H

#include "flow_rate.h"

#define RATES_CHANNELS 100

struct armtap_rates_shared {
    size_t channels; /* further channels that may be monitored at once, besides the first of each stream */
    bool is_cut;     /* there were more */
    size_t stretches;
    bool frequency_wanted; /* as in struct armtap_diagnosis_options */
};

/* Like the public functions, but add findings. `findings` may be NULL. */
void armtap_rates_take_record(struct armtap_rates *rates, struct findings *findings,
                              const struct armtap_record *record);
void armtap_rates_take_recipe(struct armtap_rates *rates, struct findings *findings,
                              const struct armtap_recipe_event *event);
void armtap_rates_take_event(struct armtap_rates *rates, struct findings *findings, const struct armtap_event *event);
void armtap_rates_take_note(struct armtap_rates *rates, struct findings *findings, const struct armtap_note *note);
/* As armtap_flow_rate_blame. */
void armtap_rates_blame(struct armtap_rates *rates, const char *why);
/* Its next record will probably come soon: fetches it, or, once that is there, its first flow. */
void armtap_rates_prefetch(const struct armtap_rates *rates);
void armtap_rates_prefetch_flow(const struct armtap_rates *rates);
/* Whether memory ran out: not everything was judged. */
bool armtap_rates_failed(const struct armtap_rates *rates);

#endif
