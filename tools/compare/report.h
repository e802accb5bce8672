/* What compare found, for people and as JSON, on standard output. */
#ifndef COMPARE_REPORT_H
#define COMPARE_REPORT_H

#include "choose_streams.h"
#include "input/replay.h"
#include "analysis/armtap-analysis.h"

struct comparison {
    const struct chosen_stream *sides[ARMTAP_SIDES];
    const struct armtap_pairing_tally *tally;
    const struct armtap_comparison *found;
    double tolerance;
    const struct replay_source *source;
};

void comparison_print(const struct comparison *comparison);
void comparison_json(const struct comparison *comparison);
/* Fields that both streams have, and how many of them differ. */
size_t comparison_compared(const struct comparison *comparison, size_t *differ);

#endif
