/* How regularly a stream's data came: the rate expected and the one seen, jitter, silences, packages that the
 * controller left out, its clock going back.
 *
 * Data is judged in stretches: from START, or the first record, to PAUSE, a new set-up, or the end of the connection.
 * What a client does between two stretches is its own affair.
 *
 * Expected is what the set-up asks for, in whole cycles as controllers send: every floor(125 / f) cycles of 8 ms before
 * software 5, every floor(500 / f) cycles of 2 ms from then on; protocol 1 and the legacy stream send every cycle.
 * Where software or frequency are not known, the usual step of the controller's clock decides: the median of a
 * stretch's first RATES_WAITING records. */
#ifndef RATES_H
#define RATES_H

#include "findings.h"

#define RATES_WAITING 64

struct rates_totals {
    double expected_hz; /* mean over the stretches; 0: not known */
    double rate_hz;     /* the same; 0: not known */
    uint64_t skipped;   /* packages that the controller left out */
    /* Differences between the steps in which packages arrived and those of the controller's clock; ns, -1: not known.
     */
    int64_t jitter_p50, jitter_p99, jitter_max;
    int64_t longest_silence; /* within a stretch; ns, -1: not known */
};

struct rates;
struct rates *rates_new(void);
void rates_free(struct rates *rates);
/* What is wrong goes to the findings: clock.skipped, clock.backwards, rate.low, silence. */
void rates_record(struct rates *rates, struct findings *findings, const struct armtap_record *record);
void rates_recipe(struct rates *rates, struct findings *findings, const struct armtap_recipe_event *event);
void rates_event(struct rates *rates, struct findings *findings, const struct armtap_event *event);
void rates_totals(const struct rates *rates, struct rates_totals *totals);

#endif
